//! From what an estimate expected to what the driver says is used: an example, or what the reader measured.

mod levers;
mod model;
mod paste;
mod sentence;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub use model::{Binding, Model};
pub use paste::{said, take};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
