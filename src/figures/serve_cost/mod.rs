//! What a served token costs, for batches of one and of many.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::{levers, more};
pub use model::{Binding, Model, consequence};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
