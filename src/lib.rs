//! The Memory Wall in the page: state, figures, charts and widgets on the engine of `memory-wall-core`.
//!
//! Figures are drawn once, as text, by the prerenderer; in the browser what they name follows the state, and levers are hydrated. Files under `browser` are the only ones that touch the page itself.

// A view is one type, as deep as its elements.
#![recursion_limit = "512"]

#[cfg(target_arch = "wasm32")]
pub mod browser;
pub mod calculator;
pub mod charts;
pub mod components;
pub mod controls;
pub mod dials;
mod far;
pub mod figures;
#[cfg(not(target_arch = "wasm32"))]
pub mod heights;
pub mod live;
pub mod predictions;
pub mod quiz;
pub mod registry;
#[cfg(not(target_arch = "wasm32"))]
pub mod sections;
pub mod state;
pub mod store;
pub mod terms;
#[cfg(not(target_arch = "wasm32"))]
pub mod widgets;
pub mod words;
