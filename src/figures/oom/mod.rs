//! Where the peak is: a program run line by line, as a trace of bars, and what is live at each step.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub use model::{Binding, DIAL, Model};
#[cfg(not(target_arch = "wasm32"))]
pub(in crate::figures) use view::gib;
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
