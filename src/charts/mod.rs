//! Charts: where everything in a drawing stands, computed once for the prerendered page and again in the browser after each change.

pub mod context;
pub mod hierarchy;
pub mod ladder;
pub mod profile;
pub mod roofline;
pub mod sort;
pub mod trips;
pub mod wall;
