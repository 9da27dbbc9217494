//! A row of radio buttons, for two to four short choices.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlInputElement;

use super::{choose, elements, show};
use crate::controls::{Choice, Pick};
#[cfg(not(target_arch = "wasm32"))]
use crate::state::State;
use crate::store::Store;

/// The row for one of [`crate::controls::picks`], hidden in the mode where it changes nothing.
#[component]
pub fn Radios(store: Store, pick: &'static Pick, label: &'static str, choices: Vec<Choice>) -> impl IntoView {
    let (row, touched) = (NodeRef::<html::Div>::new(), ArcTrigger::new());
    show(
        store,
        &touched,
        |state| pick.chosen(state).into(),
        move |chosen| {
            let inputs = elements(row).filter_map(|label| label.first_element_child());
            for input in inputs.filter_map(|input| input.dyn_into::<HtmlInputElement>().ok()) {
                input.set_checked(input.value() == chosen);
            }
        },
    );
    // What stands in the page is taken as it is: only the prerenderer writes it.
    #[cfg(not(target_arch = "wasm32"))]
    let buttons = written(pick, choices);
    #[cfg(target_arch = "wasm32")]
    let buttons = "";
    #[cfg(target_arch = "wasm32")]
    drop(choices);
    view! {
        <fieldset
            class="control control-radios"
            data-control=pick.control
            hidden=move || store.with(|state| pick.is_idle(state))
        >
            <legend>{label}</legend>
            <div
                class="radios"
                node_ref=row
                on:change=choose(store, pick, touched)
                inner_html=buttons
            ></div>
        </fieldset>
    }
}

/// The buttons as they stand in the page.
#[cfg(not(target_arch = "wasm32"))]
fn written(pick: &Pick, choices: Vec<Choice>) -> String {
    let first = pick.chosen(&State::default());
    let button = |Choice { id, label, .. }: Choice| {
        view! {
            <label class="radio">
                <input
                    type="radio"
                    name=format!("control-{}", pick.control)
                    value=id
                    checked=id == first
                    autocomplete="off"
                />
                <span>{label}</span>
            </label>
        }
        .to_html()
    };
    choices.into_iter().map(button).collect()
}
