//! Snapshots of a training run that never was, written as Python's pickler and `json` write them, with the numbers that they hold.

#![allow(dead_code, reason = "every test that shares this uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that fails may panic, and the sizes here are small"
)]

pub(crate) mod headers;
pub(crate) mod hostile;
pub(crate) mod training;
pub(crate) mod written;
