//! What each fix saves in training, and what it costs.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub use model::{Binding, Fix, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
