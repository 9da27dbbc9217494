//! What the eight operations are sorted with, and the question about the next card.

use leptos::prelude::*;

use crate::charts::sort::{RIDGE, SIDES, by_id};
use crate::rig::Rig;
use crate::widgets::prediction::{Guess, Reveal};
use crate::words::{self, t};

/// One operation and its two sides.
pub fn side(rig: Rig, id: &'static str) -> AnyView {
    let about = by_id(id).map(|operation| operation.shape()).unwrap_or_default();
    view! { <Guess rig round=&SIDES question=id label=words::choice("sort.name", id) about /> }.into_any()
}

/// The buttons below all eight.
pub fn reveal(rig: Rig) -> AnyView {
    view! { <Reveal rig round=&SIDES /> }.into_any()
}

/// More, fewer or as many on the next card?
pub fn ridge(rig: Rig) -> AnyView {
    view! {
        <Guess rig round=&RIDGE question="ridge" label=t("sort.ridge.question") />
        <Reveal rig round=&RIDGE />
    }
    .into_any()
}
