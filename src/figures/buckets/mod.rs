//! What is eating the memory: the calculator as it is shown. What it is operated with is in `src/calculator/`.

mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use model::{Binding, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
