//! Choosing one of several: a native select, and a row of radio buttons.

use leptos::prelude::*;

use crate::sections::masonry::{flag, live};
use crate::words;

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

/// A choice that is called by its name.
pub fn plain(id: &'static str, label: &str) -> Choice {
    Choice { id, label: label.into(), group: "" }
}

/// A choice with words of its own.
pub fn worded(group: &str, id: &'static str) -> Choice {
    Choice { id, label: words::choice(group, id), group: "" }
}

/// A native select for [`crate::controls::PICKS`], hidden in the mode where it changes nothing.
/// `offered` follows the ids that can be chosen, where that depends on the mode.
pub fn select(
    control: &str,
    label: &'static str,
    choices: Vec<Choice>,
    chosen: &str,
    offered: Option<String>,
) -> AnyView {
    let option = |choice: Choice| {
        view! {
            <option value=choice.id selected=choice.id == chosen>
                {choice.label}
            </option>
        }
    };
    let mut groups: Vec<(&'static str, Vec<Choice>)> = Vec::new();
    for choice in choices {
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
                members.into_any()
            } else {
                view! { <optgroup label=group>{members}</optgroup> }.into_any()
            }
        })
        .collect_view();
    view! {
        <div class="control control-select" data-control=control.to_owned() hidden=flag(&format!("control.idle.{control}"))>
            <label for=format!("control-{control}")>{label}</label>
            // Browsers would put back what stood here on the last visit, which the link and the storage know better.
            <select
                id=format!("control-{control}")
                autocomplete="off"
                data-value=live(&format!("control.chosen.{control}"))
                data-offered=offered
            >
                {options}
            </select>
        </div>
    }
    .into_any()
}

/// A row of radio buttons, for two to four short choices. `shown` follows the id that is chosen; when it is locked and hidden are flags.
pub fn radios(
    control: &str,
    label: String,
    choices: Vec<Choice>,
    chosen: &str,
    shown: String,
    [locked, hidden]: [Option<String>; 2],
) -> AnyView {
    let buttons = choices
        .into_iter()
        .map(|Choice { id, label, .. }| {
            view! {
                <label class="radio">
                    <input type="radio" name=format!("control-{control}") value=id checked=id == chosen autocomplete="off" />
                    <span>{label}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset
            class="control control-radios"
            data-control=control.to_owned()
            data-value=shown
            disabled=locked
            hidden=hidden
        >
            <legend>{label}</legend>
            <div class="radios">{buttons}</div>
        </fieldset>
    }
    .into_any()
}
