//! A training run as a bill: from FLOPs to days, dollars and energy, beside what published runs reached.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::{levers, more};
pub use model::{Binding, DIAL, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
