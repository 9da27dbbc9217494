//! The figures of each section as the prerenderer draws them, one file a section. They name what follows the state
//! (see [`crate::live`]); what the reader operates are components (see [`crate::components`]).

pub mod masonry;
pub mod problems;
pub mod quiz;
pub mod reasons;
