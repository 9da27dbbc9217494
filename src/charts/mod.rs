//! Charts: where everything in a drawing stands, computed once for the prerendered page and again in the browser after each change.

pub mod roofline;
pub mod wall;
