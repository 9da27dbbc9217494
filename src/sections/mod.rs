//! The figures of each section as the prerenderer draws them, one file a section. They name what follows the state
//! (see [`crate::live`]) and what the reader operates (see [`crate::controls`]); the browser never draws them again.

pub mod buckets;
pub mod context;
pub mod coping;
pub mod hierarchy;
pub mod kv_cache;
pub mod ladder;
mod levers;
pub mod masonry;
pub mod oom;
pub mod opening;
pub mod parallel;
pub mod profile;
pub mod quiz;
pub mod reasons;
pub mod rig_bar;
pub mod roofline;
mod roofline_levers;
pub mod scaling;
pub mod share;
pub mod sort;
pub mod training;
pub mod trips;
pub mod worked_roofline;
