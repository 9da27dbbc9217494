//! One sequence over some GPUs by tensor, sequence and context parallelism: what a GPU holds of it, and what it sends for a token.

#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
