//! A minute of a server in time. It is drawn when the page is built; its own script and the program in the crate `memory-wall-minute` play
//! it, as its levers say, which are components of the page's program.

mod levers;
#[cfg(not(target_arch = "wasm32"))]
pub mod servers;
pub mod stops;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
