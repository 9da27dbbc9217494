//! What the reader operates: what each control reads from the state, and what it writes.
//!
//! Levers are components (see [`crate::components`]) over what is declared here. The walk through a program line by line and
//! the numbers that were measured are drawn once, with their figures, and say their names in the page (`data-control`,
//! `data-field`, `data-act`): the browser listens to them, and asks here what becomes of the state.

pub mod choices;
pub mod fields;
pub mod picks;
pub mod quantities;
mod stops;

pub use choices::Choice;
pub use fields::{Field, MEASURED, Own};
pub use picks::Pick;
pub use quantities::{Quantity, Slider};
pub use stops::Stops;
