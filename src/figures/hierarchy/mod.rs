//! How far a byte is: the tiers of the chosen GPU's memory, what each holds and what it moves.

mod levers;
mod model;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

pub use levers::levers;
pub use model::{Binding, Model, WALK, nanoseconds, read_by};
#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
