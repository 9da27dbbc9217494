//! The opening: the same model with more and more tokens, rising through the line of its GPU.

#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
