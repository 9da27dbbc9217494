//! What a program takes beside weights and cache, for programs.

use memory_wall_core::engines::vllm::Pool;
use memory_wall_core::engines::{Inspection, Part};
use serde::Serialize;

/// The program that serves the model.
#[derive(Debug, Serialize)]
pub(crate) struct Serving {
    engine: &'static str,
    version: &'static str,
    source: &'static str,
    cache: Cache,
    parts: Vec<Taken>,
    pool: Option<Share>,
}

/// The cache as it is and as it is set aside.
#[derive(Debug, Serialize)]
struct Cache {
    exact_bytes: u128,
    reserved_bytes: u128,
    how: String,
}

/// One thing beside weights and cache.
#[derive(Debug, Serialize)]
struct Taken {
    bucket: &'static str,
    item: &'static str,
    bytes: u128,
    basis: &'static str,
}

/// What becomes of the share of the card that vLLM takes; negative is missing.
#[derive(Debug, Serialize)]
struct Share {
    requested_bytes: u128,
    pool_bytes: i128,
    tokens: u128,
}

impl Serving {
    /// Of an inspection.
    pub(crate) fn new(inspection: &Inspection) -> Self {
        let Inspection { engine, version, source, cache, parts, pool } = inspection;
        Self {
            engine: engine.id(),
            version,
            source,
            cache: Cache { exact_bytes: cache.exact.0, reserved_bytes: cache.bytes.0, how: cache.how.to_string() },
            parts: parts.iter().map(Taken::new).collect(),
            pool: pool.map(|Pool { requested, pool, tokens, .. }| Share {
                requested_bytes: requested.0,
                pool_bytes: pool.0,
                tokens,
            }),
        }
    }
}

impl Taken {
    fn new(part: Part) -> Self {
        Self { bucket: part.bucket.id(), item: part.item.id(), bytes: part.bytes.0, basis: part.basis.label() }
    }
}
