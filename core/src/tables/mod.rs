//! Facts with a source: models and cards.

pub mod capability;
pub mod classes;
pub mod gpus;
pub mod models;
