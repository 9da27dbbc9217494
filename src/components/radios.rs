//! A row of radio buttons, for two to four short choices.

use leptos::html;
use leptos::prelude::*;

use super::show;
use crate::controls::{Choice, Pick};
use crate::state::State;
use crate::store::Store;

/// The row for one of [`crate::controls::picks`], hidden in the mode where it changes nothing.
#[component]
pub fn Radios(store: Store, pick: &'static Pick, label: &'static str, choices: Vec<Choice>) -> impl IntoView {
    let touched = ArcTrigger::new();
    let first = pick.chosen(&State::default());
    let mut inputs = Vec::new();
    let buttons = choices
        .into_iter()
        .map(|Choice { id, label, .. }| {
            let (input, touched) = (NodeRef::<html::Input>::new(), touched.clone());
            inputs.push((id, input));
            view! {
                <label class="radio">
                    <input
                        type="radio"
                        name=format!("control-{}", pick.control)
                        value=id
                        checked=id == first
                        autocomplete="off"
                        node_ref=input
                        on:change=move |_| {
                            store.edit(&|state| pick.pick(state, id));
                            touched.notify();
                        }
                    />
                    <span>{label}</span>
                </label>
            }
        })
        .collect_view();
    show(
        store,
        &touched,
        |state| pick.chosen(state).into(),
        move |chosen| {
            for (id, input) in &inputs {
                if let Some(input) = input.get_untracked() {
                    input.set_checked(*id == chosen);
                }
            }
        },
    );
    view! {
        <fieldset
            class="control control-radios"
            data-control=pick.control
            hidden=move || store.with(|state| pick.is_idle(state))
        >
            <legend>{label}</legend>
            <div class="radios">{buttons}</div>
        </fieldset>
    }
}
