//! The only lists of sections, figures and predictions: the prerendered page, the browser and the tests all read them.

#[cfg(not(target_arch = "wasm32"))]
use leptos::prelude::*;

use crate::charts::{hierarchy, sort};
use crate::dials::Dial;
use crate::predictions::Round;
#[cfg(not(target_arch = "wasm32"))]
use crate::sections::{
    buckets, context, hierarchy as tiers, opening, quiz, rig_bar, roofline, sort as sorted, trips, worked_roofline,
};

/// A figure as the page shows it.
#[cfg(not(target_arch = "wasm32"))]
pub struct Figure {
    /// Its name in the prose.
    pub id: &'static str,
    /// Its drawing, with directives for what follows the state.
    pub view: fn() -> AnyView,
}

/// Every figure.
#[cfg(not(target_arch = "wasm32"))]
pub const FIGURES: &[Figure] = &[
    Figure { id: "rig", view: rig_bar::rig_bar },
    Figure { id: "opening", view: opening::opening_wall },
    Figure { id: "hierarchy", view: tiers::hierarchy },
    Figure { id: "trips", view: trips::trips },
    Figure { id: "sort", view: sorted::sort },
    Figure { id: "worked_roofline", view: worked_roofline::worked_roofline },
    Figure { id: "roofline", view: roofline::roofline },
    Figure { id: "buckets", view: buckets::calculator },
    Figure { id: "context", view: context::context },
    Figure { id: "quiz", view: quiz::questions },
    Figure { id: "claims", view: quiz::claims },
    Figure { id: "quiz_key", view: quiz::key },
];

/// The sections of the page in order: each is a file of prose with this name, and an anchor.
pub const SECTIONS: &[&str] = &["opening", "hierarchy", "roofline", "buckets", "check"];

/// Every number that is predicted on a dial.
pub static DIALS: &[&Dial] = &[&hierarchy::WALK];

/// Every round of predictions.
pub static ROUNDS: &[&Round] = &[&sort::SIDES, &sort::RIDGE];
