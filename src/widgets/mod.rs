//! Predictions, dials and tables as they are drawn, once, by the prerenderer.

pub mod choice;
pub mod dial;
pub mod prediction;
pub mod table;
