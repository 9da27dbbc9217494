//! Which side of the ridge: the roofline. What is drawn, as a drawing and on a canvas, is in `src/charts/roofline/`.

mod levers;
mod model;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::{levers, more};
pub use model::{Binding, Model, Reading};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
