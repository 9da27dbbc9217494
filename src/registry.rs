//! The only lists of sections, figures and parts: the prerendered page, the browser and the tests all read them.

use leptos::prelude::*;

use crate::charts::sort;
use crate::parts::{levers, roofline as roofline_parts, sort as sorting, tiers};
use crate::predictions::Round;
use crate::rig::Rig;
#[cfg(not(target_arch = "wasm32"))]
use crate::sections::{
    buckets, context, hierarchy, opening, rig_bar, roofline, sort as sorted, trips, worked_roofline,
};

/// A part of a figure that the browser makes live.
pub struct Part {
    /// Its name in the page.
    pub id: &'static str,
    /// Its view.
    pub view: fn(Rig) -> AnyView,
}

/// Every part.
pub const PARTS: &[Part] = &[
    Part { id: "units", view: levers::units },
    Part { id: "tiers", view: tiers::tiers },
    Part { id: "rig_row", view: levers::rig_row },
    Part { id: "levers", view: levers::levers },
    Part { id: "more", view: levers::more },
    Part { id: "reset", view: levers::reset },
    Part { id: "sort_gemm", view: |rig| sorting::side(rig, "gemm") },
    Part { id: "sort_relu", view: |rig| sorting::side(rig, "relu") },
    Part { id: "sort_token", view: |rig| sorting::side(rig, "token") },
    Part { id: "sort_softmax", view: |rig| sorting::side(rig, "softmax") },
    Part { id: "sort_batch", view: |rig| sorting::side(rig, "batch") },
    Part { id: "sort_flash", view: |rig| sorting::side(rig, "flash") },
    Part { id: "sort_layer_norm", view: |rig| sorting::side(rig, "layer_norm") },
    Part { id: "sort_cache", view: |rig| sorting::side(rig, "cache") },
    Part { id: "sort_reveal", view: sorting::sides },
    Part { id: "ridge_guess", view: sorting::ridge },
    Part { id: "roofline_levers", view: roofline_parts::levers },
    Part { id: "roofline_more", view: roofline_parts::more },
];

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
    Figure { id: "hierarchy", view: hierarchy::hierarchy },
    Figure { id: "trips", view: trips::trips },
    Figure { id: "sort", view: sorted::sort },
    Figure { id: "worked_roofline", view: worked_roofline::worked_roofline },
    Figure { id: "roofline", view: roofline::roofline },
    Figure { id: "buckets", view: buckets::calculator },
    Figure { id: "context", view: context::context },
];

/// The sections of the page in order: each is a file of prose with this name, and an anchor.
pub const SECTIONS: &[&str] = &["opening", "hierarchy", "roofline", "buckets"];

/// Every round of predictions.
pub static ROUNDS: &[&Round] = &[&sort::SIDES, &sort::RIDGE];
