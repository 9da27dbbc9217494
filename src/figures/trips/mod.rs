//! One layer as three kernels, as two and as one: each a round trip between the GPU's memory and its chip.

mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use model::{Binding, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
