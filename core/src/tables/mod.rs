//! Facts with a source: models and cards.

pub mod gpus;
pub mod models;
