//! A minute of a server in time. It is drawn when the page is built; its own script and the program in the crate `memory-wall-minute` play
//! it, with the levers that they bring along.

#[cfg(not(target_arch = "wasm32"))]
pub mod servers;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
