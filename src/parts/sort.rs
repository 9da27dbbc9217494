//! What the eight operations are sorted with, and the question about the next card.

use leptos::prelude::*;

use crate::charts::sort::{RIDGE, SIDES};
use crate::rig::Rig;
use crate::widgets::prediction;
use crate::words::{self, t};

/// One operation and its two sides.
pub fn side(rig: Rig, id: &'static str) -> AnyView {
    prediction::guess(rig, &SIDES, id, words::choice("sort.name", id))
}

/// The buttons below all eight.
pub fn sides(rig: Rig) -> AnyView {
    prediction::reveal(rig, &SIDES)
}

/// More, fewer or as many on the next card?
pub fn ridge(rig: Rig) -> AnyView {
    let question = prediction::guess(rig, &RIDGE, "ridge", t("sort.ridge.question").into());
    view! { {question} {prediction::reveal(rig, &RIDGE)} }.into_any()
}
