//! What is set aside for a cache beside what is used: slots, pages, and what three runtimes take.

mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;
mod vllm;

pub use model::{Binding, Model, Runtime};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
