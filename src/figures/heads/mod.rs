//! Query heads above the keys and values that they share, in four kinds of attention.

#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
