//! The roofline's formula with an A100's round numbers put in, and the roof of the reader's GPU as the prose names it.

mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use model::{Binding, Model};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
