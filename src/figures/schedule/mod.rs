//! The time line of a pipeline, with its bubble and what each stage holds for backward, in three schedules.

#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
