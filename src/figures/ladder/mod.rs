//! Runs that do not fit, and what every known fix does to them.

#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::{JOBS, view};
#[cfg(not(target_arch = "wasm32"))]
pub(in crate::figures) use view::{inside, name};
