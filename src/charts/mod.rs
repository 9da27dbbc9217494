//! Charts: one drawing function each, generic over where it draws: a canvas in the browser, SVG in the prerendered page.

pub mod context;
pub mod ink;
#[cfg(target_arch = "wasm32")]
#[path = "plot_canvas.rs"]
pub mod plot;
#[cfg(not(target_arch = "wasm32"))]
#[path = "plot_svg.rs"]
pub mod plot;
