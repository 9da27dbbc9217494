//! Controls and drawings that figures are made of.

pub mod bind;
pub mod choice;
pub mod decimal_field;
pub mod number_field;
pub mod prediction;
pub mod slider;
pub mod stops;
pub mod wall;
