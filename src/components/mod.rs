//! What the reader operates, as Leptos components: drawn when the page is built, and hydrated in the browser.
//!
//! Hydration takes the HTML as it is and writes nothing. So labels and lists of choices are those of the built page; the
//! program does not even have their words. What a control shows is written by effects, which run afterwards.

pub mod field_grid;
pub mod finder;
pub mod number_field;
pub mod radios;
pub mod select;
pub mod slider;
pub mod toggle;

use leptos::html;
use leptos::prelude::*;
use leptos::web_sys::{Element, Event};

pub use field_grid::FieldGrid;
pub use finder::{Finder, FinderPanel};
pub use number_field::{LabelledField, NumberField};
pub use radios::Radios;
pub use select::Select;
pub use slider::Slider;
pub use toggle::Toggle;

use crate::controls::Pick;
use crate::state::State;
use crate::store::Store;

/// The place of a group of levers, by its name in [`crate::registry::LEVERS`] or [`crate::registry::FAR_LEVERS`]. The prerenderer puts the group there, with the
/// marks that hydration needs.
#[cfg(not(target_arch = "wasm32"))]
pub fn group(id: &'static str, class: &'static str) -> AnyView {
    view! {
        <div class=class data-levers=id>
            {format!("{{{{levers {id}}}}}")}
        </div>
    }
    .into_any()
}

/// Shows something of the state in a control: at first, when it changes, and when the reader has `touched` the control, which
/// may then show something else than what became of the state.
fn show(
    store: Store,
    touched: &ArcTrigger,
    of: impl Fn(&State) -> String + Send + Sync + 'static,
    show: impl Fn(&str) + 'static,
) {
    let touched = touched.clone();
    let now = Memo::new(move |_| store.with(&of));
    Effect::new(move || {
        touched.track();
        now.with(|now| show(now));
    });
}

/// What a control does when its reader has chosen: the state gets the choice, and the control then shows what became of it.
fn choose(store: Store, pick: &'static Pick, touched: ArcTrigger) -> impl Fn(Event) + 'static {
    move |event| {
        let chosen = event_target_value(&event);
        store.edit(&|state| pick.pick(state, &chosen));
        touched.notify();
    }
}

/// The elements of a row of buttons, which the page has as they are.
fn elements(row: NodeRef<html::Div>) -> impl Iterator<Item = Element> {
    let first = row.get_untracked().and_then(|row| row.first_element_child());
    std::iter::successors(first, Element::next_element_sibling)
}
