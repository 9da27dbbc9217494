//! Controls as they are drawn, once, by the prerenderer. What they do is in [`crate::controls`]; what they show are names.

pub mod choice;
pub mod dial;
pub mod field;
pub mod prediction;
pub mod slider;
pub mod table;
