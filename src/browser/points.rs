//! The points over the canvas: walked with the arrow keys, chosen by focus, by the pointer and by touch.

use reactive_graph::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent, SvgElement};

use super::page;
use crate::charts::roofline::Plot;
use crate::store::Signals;

/// The attribute that names a point.
const DOT: &str = "data-dot";

/// Says in the page which point is chosen: that one takes the focus.
#[inline(never)]
pub(super) fn mark(plot: &Plot) {
    let chosen = plot.selected.to_string();
    let walk = plot.walk();
    // Where what is chosen has no place, the keys start at the first point.
    let first = walk.first().map(|dot| dot.key.to_string());
    let entry = if walk.iter().any(|dot| dot.key == plot.selected) { Some(chosen.clone()) } else { first };
    for point in page::elements(".roofline-dots [data-dot]") {
        let name = point.get_attribute(DOT);
        let set = |attribute: &str, value: &str| {
            if point.get_attribute(attribute).as_deref() != Some(value) {
                // Setting an attribute with a legal name does not fail.
                let _ = point.set_attribute(attribute, value);
            }
        };
        set("aria-selected", if name.as_deref() == Some(&chosen) { "true" } else { "false" });
        set("tabindex", if name == entry { "0" } else { "-1" });
    }
}

/// Listens to the reader.
#[inline(never)]
pub(super) fn watch(signals: &'static Signals) {
    let Some(field) = page::first::<Element>(".roofline-dots") else { return };
    page::listen_to(&field, &["focusin", "pointerover", "pointerout"], move |event| {
        let Some(name) = named(&event) else { return };
        let plot = signals.roofline.get_untracked();
        let key = plot.dots.iter().map(|dot| dot.key).find(|key| key.to_string() == name);
        let before = signals.look.with_untracked(|look| (look.selected, look.hovered));
        let now = match event.type_().as_str() {
            // A press is a focus too: what is chosen stays, what is only passed over does not.
            "focusin" => (key.or(before.0), before.1),
            "pointerover" => (before.0, key),
            _ => (before.0, None),
        };
        if now != before {
            signals.look.update(|look| (look.selected, look.hovered) = now);
        }
    });
    page::listen(&field, "keydown", move |event| {
        let Some(key) = event.dyn_ref::<KeyboardEvent>().filter(|key| page::is_plain(key)) else { return };
        let plot = signals.roofline.get_untracked();
        let walk = plot.walk();
        let Some(here) = named(&event).and_then(|name| walk.iter().position(|dot| dot.key.to_string() == name)) else {
            return;
        };
        let next = match key.key().as_str() {
            "ArrowRight" | "ArrowUp" => here + 1,
            "ArrowLeft" | "ArrowDown" => here.saturating_sub(1),
            "Home" => 0,
            "End" => walk.len().saturating_sub(1),
            _ => return,
        };
        event.prevent_default();
        if let Some(dot) = walk.get(next) {
            let point = page::first::<SvgElement>(&format!(".roofline-dots [data-dot=\"{}\"]", dot.key));
            if let Some(point) = point {
                // Focusing chooses.
                let _ = point.focus();
            }
        }
    });
}

/// The point that an event is about.
fn named(event: &Event) -> Option<String> {
    event.target()?.dyn_into::<Element>().ok()?.get_attribute(DOT)
}
