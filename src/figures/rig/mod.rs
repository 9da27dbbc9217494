//! The bar at the top: what is being computed, and what comes out.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub use model::{Binding, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::{notice, view};
