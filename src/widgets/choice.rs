//! Choosing one of several: a native select, and a row of radio buttons.

use leptos::prelude::*;

use super::bind::{self, switch};

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its short name, as in links.
    pub id: &'static str,
    /// Its words.
    pub label: String,
    /// The heading it stands under; empty for none.
    pub group: &'static str,
}

/// A native select; `control` names it for style sheets, labels and tests.
#[component]
pub fn Select(
    control: &'static str,
    label: &'static str,
    /// What can be chosen now.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// The id of what is chosen.
    #[prop(into)]
    chosen: Signal<&'static str>,
    /// Called with the id that the reader picks.
    pick: Callback<&'static str>,
) -> impl IntoView {
    // Each of many options asks again only when another one is chosen, not when anything else changes.
    let chosen = Memo::new(move |_| chosen.get());
    let option = move |choice: Choice| {
        let id = choice.id;
        let selected = switch(move || chosen.get() == id);
        view! {
            <option value=id selected=selected prop:selected=selected>
                {choice.label}
            </option>
        }
    };
    let options = bind::view(move || {
        let choices = choices.get();
        let mut groups: Vec<(&'static str, Vec<Choice>)> = Vec::new();
        for choice in choices {
            match groups.last_mut() {
                Some((group, members)) if *group == choice.group => members.push(choice),
                _ => groups.push((choice.group, vec![choice])),
            }
        }
        groups
            .into_iter()
            .map(|(group, members)| {
                let members = members.into_iter().map(option).collect_view();
                if group.is_empty() {
                    members.into_any()
                } else {
                    view! { <optgroup label=group>{members}</optgroup> }.into_any()
                }
            })
            .collect_view()
            .into_any()
    });
    // Only what is offered can be picked, whatever the event says.
    let picked = move |value: &str| {
        if let Some(choice) = choices.get_untracked().iter().find(|choice| choice.id == value) {
            pick.run(choice.id);
        }
    };
    view! {
        <div class="control control-select" data-control=control>
            <label for=format!("control-{control}")>{label}</label>
            <select id=format!("control-{control}") on:change=move |event| picked(&event_target_value(&event))>
                {options}
            </select>
        </div>
    }
}

/// A row of radio buttons, for two to four short choices.
#[component]
pub fn Radios(
    control: &'static str,
    #[prop(into)] label: String,
    /// Whether the choice has been made and stays.
    #[prop(optional, into)]
    locked: Signal<bool>,
    choices: Vec<Choice>,
    /// The id of what is chosen.
    #[prop(into)]
    chosen: Signal<&'static str>,
    /// Called with the id that the reader picks.
    pick: Callback<&'static str>,
) -> impl IntoView {
    let buttons = choices
        .into_iter()
        .map(|Choice { id, label, .. }| {
            let checked = switch(move || chosen.get() == id);
            view! {
                <label class="radio">
                    <input
                        type="radio"
                        name=format!("control-{control}")
                        value=id
                        checked=checked
                        prop:checked=checked
                        on:change=move |_| pick.run(id)
                    />
                    <span>{label}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="control control-radios" data-control=control disabled=locked>
            <legend>{label}</legend>
            <div class="radios">{buttons}</div>
        </fieldset>
    }
}
