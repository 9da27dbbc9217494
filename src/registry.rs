//! The only list of sections and figures: the prerendered page, the browser and the tests all read it.

use leptos::prelude::*;

use crate::rig::Rig;
use crate::sections::buckets::Calculator;
use crate::sections::context::ContextPlot;
#[cfg(not(target_arch = "wasm32"))]
use crate::sections::opening::OpeningWall;
use crate::sections::rig_bar::RigBar;

/// A figure.
pub struct Figure {
    /// Its name in the prose, its anchor and its place in the page.
    pub id: &'static str,
    /// Whether the browser makes it live; otherwise the prerendered picture is all of it.
    pub live: bool,
    /// Its view.
    pub view: fn(Rig) -> AnyView,
}

/// Every figure.
pub const FIGURES: &[Figure] = &[
    Figure { id: "rig", live: true, view: |rig| view! { <RigBar rig /> }.into_any() },
    // A picture of the default state: the browser leaves it as it is.
    #[cfg(not(target_arch = "wasm32"))]
    Figure { id: "opening", live: false, view: |_| view! { <OpeningWall /> }.into_any() },
    Figure { id: "buckets", live: true, view: |rig| view! { <Calculator rig /> }.into_any() },
    Figure { id: "context", live: true, view: |rig| view! { <ContextPlot rig /> }.into_any() },
];

/// The sections of the page in order: each is a file of prose with this name, and an anchor.
pub const SECTIONS: &[&str] = &["opening", "buckets"];
