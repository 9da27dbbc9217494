//! The Memory Wall in the page: state, figures, charts and widgets on the engine of `memory-wall-core`.
//!
//! The same views are written twice by the same code: as text by the prerenderer (feature `ssr`), and live in the browser
//! (feature `csr`). Files under `browser` are the only ones that touch the page itself.

#[cfg(target_arch = "wasm32")]
pub mod browser;
pub mod charts;
pub mod live;
pub mod parts;
pub mod predictions;
pub mod registry;
pub mod ridge;
pub mod rig;
#[cfg(not(target_arch = "wasm32"))]
pub mod sections;
pub mod state;
pub mod terms;
pub mod widgets;
pub mod words;
