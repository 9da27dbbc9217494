//! The same model generating and training, side by side.

mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use model::{Binding, Model, SIDES};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
