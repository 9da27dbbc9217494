//! Eight operations to be sorted by what holds them back, and the same eight on the next GPU.

mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use model::{Binding, COMPARED, Model, Operation, RIDGE, SIDES, roof};
#[cfg(not(target_arch = "wasm32"))]
pub use view::{flops, view};
