//! Charts: where everything in a drawing stands, computed once for the prerendered page and again in the browser after each change.

pub mod context;
pub mod hierarchy;
pub mod kv_cache;
pub mod ladder;
pub mod oom;
pub mod parallel;
pub mod profile;
pub mod roofline;
pub mod scaling;
pub mod sort;
pub mod training;
pub mod trips;
pub mod vllm_pool;
pub mod wall;
