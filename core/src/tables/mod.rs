//! Facts with a source: models, what guesses ahead for them, and GPUs.

pub mod capability;
pub mod classes;
pub mod drafts;
pub mod gpus;
pub mod models;
