//! What the reader operates, and what has a form that changes: the browser makes these live in the places that the page keeps.

pub mod levers;
pub mod roofline;
pub mod sort;
pub mod tiers;
