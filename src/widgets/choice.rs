//! Choosing one of several: a row of radio buttons.

use leptos::prelude::*;

use crate::controls::Choice;

/// A row of radio buttons, for two to four short choices. `shown` follows the id that is chosen; when it is locked and hidden are flags.
pub fn radios(
    control: &str,
    label: String,
    choices: Vec<Choice>,
    chosen: &str,
    shown: String,
    [locked, hidden]: [Option<String>; 2],
) -> AnyView {
    // What can be locked is a prediction.
    let class = if locked.is_some() { "control control-radios control-guess" } else { "control control-radios" };
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
            class=class
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
