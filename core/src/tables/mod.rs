//! Facts with a source: models and GPUs.

pub mod capability;
pub mod classes;
pub mod gpus;
pub mod models;
