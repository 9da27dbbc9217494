//! The calculator: its levers. What it shows is in `src/sections/buckets.rs`.

pub mod dimensions;
mod levers;

pub use levers::{levers, more, rig_row};
