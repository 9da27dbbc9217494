//! Where 16 bytes for each parameter come from: the states of training, recipe by recipe, against what the GPU has.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub use model::{Binding, Column, DIAL, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
