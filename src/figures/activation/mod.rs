//! What a token leaves in each layer for the backward pass, by whose code runs and what is recomputed.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::{levers, more};
pub use model::{Binding, Model, Row, consequence};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
