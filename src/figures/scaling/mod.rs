//! From 7 to 700 billion parameters: how many GPUs division says, and how many are needed.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub use model::{Binding, DIAL, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
