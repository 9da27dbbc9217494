//! The only lists of sections, figures and predictions: the prerendered page, the browser and the tests all read them.

#[cfg(not(target_arch = "wasm32"))]
use leptos::prelude::*;

use crate::charts::{hierarchy, kv_cache, sort};
use crate::dials::Dial;
use crate::predictions::Round;
#[cfg(not(target_arch = "wasm32"))]
use crate::sections::{
    buckets, context, coping, hierarchy as tiers, kv_cache as price, opening, rig_bar, roofline, sort as sorted, trips,
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
    Figure { id: "kv_cache", view: price::kv_cache },
    Figure { id: "kv_pages", view: price::kv_pages },
    Figure { id: "matrix", view: coping::matrix },
    Figure { id: "frontier", view: coping::frontier },
];

/// The sections of the page in order: each is a file of prose with this name, and an anchor.
pub const SECTIONS: &[&str] = &["opening", "hierarchy", "roofline", "buckets", "kv_cache", "coping"];

/// Every number that is predicted on a dial.
pub static DIALS: &[&Dial] = &[&hierarchy::WALK, &kv_cache::USERS];

/// Every round of predictions.
pub static ROUNDS: &[&Round] = &[&sort::SIDES, &sort::RIDGE];
