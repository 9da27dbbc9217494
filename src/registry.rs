//! The only lists of sections, figures and predictions: the prerendered page, the browser and the tests all read them.

#[cfg(not(target_arch = "wasm32"))]
use leptos::prelude::*;

use crate::charts;
use crate::dials::Dial;
use crate::predictions::Round;
#[cfg(not(target_arch = "wasm32"))]
use crate::sections as drawn;

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
    Figure { id: "rig", view: drawn::rig_bar::rig_bar },
    Figure { id: "opening", view: drawn::opening::opening_wall },
    Figure { id: "hierarchy", view: drawn::hierarchy::hierarchy },
    Figure { id: "trips", view: drawn::trips::trips },
    Figure { id: "sort", view: drawn::sort::sort },
    Figure { id: "worked_roofline", view: drawn::worked_roofline::worked_roofline },
    Figure { id: "roofline", view: drawn::roofline::roofline },
    Figure { id: "buckets", view: drawn::buckets::calculator },
    Figure { id: "share", view: drawn::share::share },
    Figure { id: "context", view: drawn::context::context },
    Figure { id: "states", view: drawn::training::states },
    Figure { id: "activation", view: drawn::training::activation },
    Figure { id: "fixes", view: drawn::training::fixes },
    Figure { id: "sides", view: drawn::training::sides },
    Figure { id: "kv_cache", view: drawn::kv_cache::kv_cache },
    Figure { id: "kv_pages", view: drawn::kv_cache::kv_pages },
    Figure { id: "oom_guess", view: drawn::oom::guess },
    Figure { id: "oom", view: drawn::oom::oom },
    Figure { id: "rungs", view: drawn::ladder::rungs },
    Figure { id: "ladder", view: drawn::ladder::ladder },
    Figure { id: "parallel", view: drawn::parallel::parallel },
    Figure { id: "scaling", view: drawn::scaling::scaling },
    Figure { id: "peak", view: drawn::profile::peak },
    Figure { id: "profile", view: drawn::profile::profile },
    Figure { id: "matrix", view: drawn::coping::matrix },
    Figure { id: "frontier", view: drawn::coping::frontier },
    Figure { id: "quiz", view: drawn::quiz::questions },
    Figure { id: "claims", view: drawn::quiz::claims },
    Figure { id: "quiz_key", view: drawn::quiz::key },
];

/// Figures that make no sense by themselves: the bar at the top, what hands the settings on, the answers on paper.
#[cfg(not(target_arch = "wasm32"))]
const PARTS: [&str; 3] = ["rig", "share", "quiz_key"];

/// Every figure that has a page of its own.
#[cfg(not(target_arch = "wasm32"))]
pub fn alone() -> impl Iterator<Item = &'static str> {
    FIGURES.iter().map(|figure| figure.id).filter(|id| !PARTS.contains(id))
}

/// The sections of the page in order: each is a file of prose with this name, and an anchor.
pub const SECTIONS: &[&str] = &[
    "opening",
    "hierarchy",
    "roofline",
    "buckets",
    "training",
    "kv_cache",
    "oom",
    "ladder",
    "parallel",
    "scaling",
    "profile",
    "coping",
    "check",
];

/// Every number that is predicted on a dial.
pub static DIALS: &[&Dial] = &[
    &charts::hierarchy::WALK,
    &charts::training::STATES,
    &charts::kv_cache::USERS,
    &charts::oom::PEAK,
    &charts::parallel::ZERO,
    &charts::scaling::TRAIN,
];

/// Every round of predictions.
pub static ROUNDS: &[&Round] =
    &[&charts::sort::SIDES, &charts::sort::RIDGE, &charts::oom::LINES, &charts::ladder::FIRST, &charts::profile::PEAK];
