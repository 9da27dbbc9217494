//! The only lists of sections, figures and predictions: the prerendered page, the browser and the tests all read them.

#[cfg(not(target_arch = "wasm32"))]
use leptos::prelude::*;

use crate::charts::{hierarchy, ladder as fixes, profile as measured, sort};
use crate::dials::Dial;
use crate::predictions::Round;
#[cfg(not(target_arch = "wasm32"))]
use crate::sections::{
    buckets, context, hierarchy as tiers, ladder, opening, profile, rig_bar, roofline, sort as sorted, trips,
    worked_roofline,
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
    Figure { id: "rungs", view: ladder::rungs },
    Figure { id: "ladder", view: ladder::ladder },
    Figure { id: "peak", view: profile::peak },
    Figure { id: "profile", view: profile::profile },
];

/// The sections of the page in order: each is a file of prose with this name, and an anchor.
pub const SECTIONS: &[&str] = &["opening", "hierarchy", "roofline", "buckets", "ladder", "profile"];

/// Every number that is predicted on a dial.
pub static DIALS: &[&Dial] = &[&hierarchy::WALK];

/// Every round of predictions.
pub static ROUNDS: &[&Round] = &[&sort::SIDES, &sort::RIDGE, &fixes::FIRST, &measured::PEAK];
