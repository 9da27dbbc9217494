//! The figures of each section of the tutorial, one file a section.

pub mod buckets;
pub mod context;
#[cfg(not(target_arch = "wasm32"))]
pub mod opening;
pub mod rig_bar;
