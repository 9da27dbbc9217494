//! The only lists of sections, figures and parts: the prerendered page, the browser and the tests all read them.

use leptos::prelude::*;

use crate::parts::{levers, terms};
use crate::rig::Rig;
#[cfg(not(target_arch = "wasm32"))]
use crate::sections::{buckets, context, opening, rig_bar};

/// A part of a figure that the browser makes live.
pub struct Part {
    /// Its name in the page.
    pub id: &'static str,
    /// Its view; the text says which of several it is, empty where there is one.
    pub view: fn(Rig, &str) -> AnyView,
}

/// Every part.
pub const PARTS: &[Part] = &[
    Part { id: "units", view: |rig, _| levers::units(rig) },
    Part { id: "rig_row", view: |rig, _| levers::rig_row(rig) },
    Part { id: "levers", view: |rig, _| levers::levers(rig) },
    Part { id: "more", view: |rig, _| levers::more(rig) },
    Part { id: "reset", view: |rig, _| levers::reset(rig) },
    Part { id: "terms", view: terms::terms },
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
    Figure { id: "buckets", view: buckets::calculator },
    Figure { id: "context", view: context::context },
];

/// The sections of the page in order: each is a file of prose with this name, and an anchor.
pub const SECTIONS: &[&str] = &["opening", "buckets"];
