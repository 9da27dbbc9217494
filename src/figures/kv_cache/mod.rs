//! The price of context: what kinds of attention keep of the reader's tokens, drawn to one logarithmic scale.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub(in crate::figures) use model::generating;
pub use model::{Binding, Model, USERS};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
