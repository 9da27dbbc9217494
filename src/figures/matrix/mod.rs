//! Which technique shrinks which bucket, to be painted before it is shown.

#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
