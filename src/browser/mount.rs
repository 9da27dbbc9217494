//! Live figures and live numbers take the places that the prerendered page keeps for them.
#![expect(clippy::disallowed_methods, reason = "this file is where views enter the page")]

use leptos::mount::mount_to;
use leptos::prelude::*;
use memory_wall_core::{Evaluation, evaluate};
use web_sys::HtmlElement;

use super::page;
use crate::live;
use crate::registry::FIGURES;
use crate::rig::Rig;
use crate::state::{State, query};

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

/// A number in the prose: where it stands, what it is, and the state it is fixed at, if any.
struct LiveNumber {
    place: HtmlElement,
    name: String,
    at: Option<State>,
}

/// Keeps every number in the prose in step with the state.
pub(super) fn live_numbers(rig: Rig) {
    let numbers = page::all("[data-live-number]").into_iter().map(|place| {
        let name = place.get_attribute("data-live-number").unwrap_or_default();
        let at = place.get_attribute("data-at").map(|at| query::decode(&at).state);
        LiveNumber { place, name, at }
    });
    let (fixed, following): (Vec<_>, Vec<_>) = numbers.partition(|number| number.at.is_some());
    // What is fixed follows the unit alone, and need not ask the engine again while a slider moves.
    let unit = Memo::new(move |_| rig.state().unit.id());
    Effect::new(move |_| {
        unit.track();
        let unit = rig.state_now().unit;
        for number in &fixed {
            let state = State { unit, ..number.at.unwrap_or_default() };
            number.show(&state, &evaluate(&state.scenario()));
        }
    });
    Effect::new(move |_| {
        let (state, evaluation) = (rig.state(), rig.evaluation());
        for number in &following {
            number.show(&state, &evaluation);
        }
    });
}

impl LiveNumber {
    fn show(&self, state: &State, evaluation: &Evaluation) {
        if let Some(text) = live::value(&self.name, state, evaluation)
            && self.place.text_content().as_deref() != Some(&text)
        {
            self.place.set_text_content(Some(&text));
        }
    }
}
