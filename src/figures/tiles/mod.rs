//! Attention with its scores in memory, and by FlashAttention's tiles.

#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
