//! The figures of each section of the tutorial, one file a section.

pub mod buckets;
pub mod context;
pub mod opening;
pub mod rig_bar;
