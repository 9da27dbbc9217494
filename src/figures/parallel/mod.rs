//! One training step over many GPUs: what each holds and sends, in each plain way to cut it.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub use model::{Binding, Model, Part, ZERO};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
