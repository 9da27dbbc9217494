//! The shape of the answers for programs. Fields stand in the order in which they are declared.
//!
//! Bytes are whole numbers without bound: they can pass 2^64, beyond which some readers round.

pub(crate) mod accuracy;
pub(crate) mod advise;
pub(crate) mod compare;
pub(crate) mod estimate;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod inputs;
pub(crate) mod layers;
pub(crate) mod listing;
pub(crate) mod pool;
pub(crate) mod rollout;
pub(crate) mod roofline;
pub(crate) mod serving;
pub(crate) mod solve;

use memory_wall_core::Bucket;
use memory_wall_runtimes::Span;
use serde::Serialize;

use crate::BadInput;

/// Both ends of a range.
const fn ends(span: Span) -> [u128; 2] {
    [span.low, span.high]
}

/// One value for each bucket.
#[derive(Debug, Serialize)]
pub(crate) struct PerBucket<T> {
    weights: T,
    kv_cache: T,
    activations: T,
    gradients: T,
    optimizer: T,
    logits: T,
    overhead: T,
}

impl<T> PerBucket<T> {
    pub(crate) fn of(value: impl Fn(Bucket) -> T) -> Self {
        Self {
            weights: value(Bucket::Weights),
            kv_cache: value(Bucket::KvCache),
            activations: value(Bucket::Activations),
            gradients: value(Bucket::Gradients),
            optimizer: value(Bucket::Optimizer),
            logits: value(Bucket::Logits),
            overhead: value(Bucket::Overhead),
        }
    }
}

/// An answer as indented text.
pub(crate) fn text(value: &impl Serialize) -> Result<String, BadInput> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| BadInput(format!("the answer cannot be written as JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}
