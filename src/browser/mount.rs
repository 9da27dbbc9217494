//! Live figures and live numbers take the places that the prerendered page keeps for them.
#![expect(clippy::disallowed_methods, reason = "this file is where views enter the page")]

use leptos::mount::mount_to;
use leptos::prelude::*;
use memory_wall_core::evaluate;
use web_sys::HtmlElement;

use super::page;
use crate::live;
use crate::registry::FIGURES;
use crate::rig::Rig;
use crate::state::query;

/// Mounts every live figure that the page has a place for.
pub(super) fn figures(rig: Rig) {
    for place in page::all("[data-figure]") {
        let id = place.get_attribute("data-figure").unwrap_or_default();
        if let Some(figure) = FIGURES.iter().find(|figure| figure.id == id && figure.live) {
            let focus = page::focused().filter(|element| place.contains(Some(element))).map(|element| element.id());
            // The picture goes and the figure comes within one task, so nothing flickers.
            place.set_text_content(None);
            mount_to(place, move || (figure.view)(rig)).forget();
            // A reader who was already in the figure stays where they were.
            if let Some(element) = focus.and_then(|id| page::by_id(&id)) {
                let _ = element.focus();
            }
        }
    }
}

/// Keeps every number in the prose in step with the state.
pub(super) fn live_numbers(rig: Rig) {
    for place in page::all("[data-live-number]") {
        let name = place.get_attribute("data-live-number").unwrap_or_default();
        // A number at a fixed state follows the unit alone.
        let fixed = place.get_attribute("data-at").map(|at| query::decode(&at).state);
        let text = Memo::new(move |_| match fixed {
            Some(state) => {
                let state = crate::state::State { unit: rig.state.with(|state| state.unit), ..state };
                live::value(&name, &state, &evaluate(&state.scenario()))
            }
            None => rig.state.with(|state| rig.evaluation.with(|evaluation| live::value(&name, state, evaluation))),
        });
        Effect::new(move |_| {
            if let Some(text) = text.get() {
                set_text(&place, &text);
            }
        });
    }
}

fn set_text(place: &HtmlElement, text: &str) {
    if place.text_content().as_deref() != Some(text) {
        place.set_text_content(Some(text));
    }
}
