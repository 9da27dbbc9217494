//! A native list over one field of the state.

use leptos::either::Either;
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{Element, HtmlOptionElement, HtmlSelectElement};

use super::show;
use crate::controls::{Choice, Pick};
use crate::state::State;
use crate::store::Store;

/// The list for one of [`crate::controls::picks`], hidden in the mode where it changes nothing.
#[component]
pub fn Select(
    store: Store,
    pick: &'static Pick,
    label: &'static str,
    choices: Vec<Choice>,
    /// Whether the program brings the choices: the page as it arrives has the one that is chosen at first. Each long list that is in
    /// it costs a kilobyte or two.
    #[prop(optional)]
    late: bool,
    /// Whether it offers a choice now, where that changes.
    #[prop(optional)]
    offers: Option<fn(&State, &str) -> bool>,
) -> impl IntoView {
    let list = NodeRef::<html::Select>::new();
    let touched = ArcTrigger::new();
    let first = pick.chosen(&State::default());
    let (early, rest) = if late {
        // Without a heading, which would stay when the list is filled.
        let alone = |choice: &Choice| Choice { group: "", ..choice.clone() };
        (choices.iter().filter(|choice| choice.id == first).map(alone).collect(), choices)
    } else {
        (choices, Vec::new())
    };
    show(
        store,
        &touched,
        |state| pick.chosen(state).into(),
        move |chosen| {
            if let Some(list) = list.get_untracked() {
                if !rest.is_empty() && list.length() == 1 {
                    fill(&list, &rest);
                }
                list.set_value(chosen);
            }
        },
    );
    if let Some(offers) = offers {
        Effect::new(move || {
            let Some(list) = list.get_untracked() else { return };
            let options = (0..list.length()).filter_map(|place| list.item(place)?.dyn_into::<HtmlOptionElement>().ok());
            store.with(|state| {
                for option in options {
                    let missing = !offers(state, &option.value());
                    option.set_hidden(missing);
                    option.set_disabled(missing);
                }
            });
        });
    }
    let option = move |Choice { id, label, .. }: Choice| {
        view! {
            <option value=id selected=id == first>
                {label}
            </option>
        }
    };
    let mut groups: Vec<(&'static str, Vec<Choice>)> = Vec::new();
    for choice in early {
        match groups.last_mut() {
            Some((group, members)) if *group == choice.group => members.push(choice),
            _ => groups.push((choice.group, vec![choice])),
        }
    }
    let options = groups
        .into_iter()
        .map(|(group, members)| {
            let members = members.into_iter().map(option).collect_view();
            if group.is_empty() {
                Either::Left(members)
            } else {
                Either::Right(view! { <optgroup label=group>{members}</optgroup> })
            }
        })
        .collect_view();
    view! {
        <div
            class="control control-select"
            data-control=pick.control
            hidden=move || store.with(|state| pick.is_idle(state))
        >
            <label for=format!("control-{}", pick.control)>{label}</label>
            // Browsers would put back what stood here on the last visit, which the link and the storage know better.
            <select
                id=format!("control-{}", pick.control)
                autocomplete="off"
                node_ref=list
                on:change=move |event| {
                    let chosen = event_target_value(&event);
                    store.edit(&|state| pick.pick(state, &chosen));
                    touched.notify();
                }
            >
                {options}
            </select>
        </div>
    }
}

/// Puts every choice into a list. Attributes with legal names can be set, and what was just made can be put anywhere.
fn fill(list: &HtmlSelectElement, choices: &[Choice]) {
    list.set_length(0);
    let (mut place, mut under) = (Element::from(list.clone()), "");
    for Choice { id, label, group } in choices {
        if *group != under {
            under = group;
            let Ok(heading) = document().create_element("optgroup") else { return };
            let _ = heading.set_attribute("label", group);
            let _ = list.append_child(&heading);
            place = heading;
        }
        if let Ok(option) = HtmlOptionElement::new_with_text_and_value(label, id) {
            let _ = place.append_child(&option);
        }
    }
}
