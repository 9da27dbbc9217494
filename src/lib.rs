//! The Memory Wall in the page: state, figures, charts and widgets on the engine of `memory-wall-core`.
//!
//! Figures and controls are drawn once, as text, by the prerenderer; in the browser what they name follows the state. Files under `browser` are the only ones that touch the page itself.

#[cfg(target_arch = "wasm32")]
pub mod browser;
pub mod charts;
pub mod controls;
pub mod dials;
#[cfg(not(target_arch = "wasm32"))]
pub mod heights;
pub mod live;
pub mod predictions;
pub mod quiz;
pub mod registry;
pub mod ridge;
#[cfg(not(target_arch = "wasm32"))]
pub mod sections;
pub mod state;
pub mod terms;
#[cfg(not(target_arch = "wasm32"))]
pub mod widgets;
pub mod words;
