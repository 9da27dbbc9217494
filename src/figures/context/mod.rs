//! The question of the calculator for every context length: a plot, a sentence and a table.

mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use model::{Binding, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
