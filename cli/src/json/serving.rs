//! What a program takes beside weights and cache, for programs.

use memory_wall_core::engines::vllm::{Refusal, Start, Tightness};
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

/// What becomes of the share of the GPU that vLLM takes, on one data-parallel rank; negative is missing.
#[derive(Debug, Serialize)]
struct Share {
    requested_bytes: u128,
    pool_bytes: i128,
    tokens: u128,
    /// Left of the GPU beside the share and what lies there.
    beside_bytes: i128,
    /// The same by the largest figures in logs, and what the warm-up may take of it, where that makes a start tight.
    cautious_beside_bytes: Option<i128>,
    warm_up_bytes: Option<u128>,
    max_model_len: u32,
    max_concurrency: f64,
    data_parallel_ranks: u32,
    /// Requests of the scenario's length that the pool holds, however many were asked for.
    held_requests: u64,
    running_requests: u32,
    waiting_requests: u32,
    starts: bool,
    refusal: Option<No>,
    may_refuse: Option<No>,
}

/// Why vLLM does not start.
#[derive(Debug, Serialize)]
struct No {
    kind: &'static str,
    message: String,
    needed_bytes: Option<u128>,
    available_bytes: Option<u128>,
    estimated_max_model_len: Option<u32>,
}

impl No {
    fn new(refusal: Refusal) -> Self {
        let (needed, available, estimated) = match refusal {
            Refusal::Length { needed, available, estimated, .. } => {
                (Some(needed.0), Some(available.0), Some(estimated))
            }
            _ => (None, None, None),
        };
        Self {
            kind: refusal.id(),
            message: refusal.to_string(),
            needed_bytes: needed,
            available_bytes: available,
            estimated_max_model_len: estimated,
        }
    }
}

impl Share {
    fn new(start: &Start, ranks: u32) -> Self {
        let Start { pool, requests, refusal, tightness, .. } = start;
        let may_refuse = match tightness {
            Some(Tightness::Start(refusal)) => Some(No::new(*refusal)),
            _ => None,
        };
        let short = match tightness {
            Some(Tightness::Beside { left, pass }) => Some((*left, *pass)),
            _ => None,
        };
        Self {
            requested_bytes: pool.requested.0,
            pool_bytes: pool.pool.0,
            tokens: pool.tokens,
            beside_bytes: start.outside.0,
            cautious_beside_bytes: short.map(|(left, _)| left.0),
            warm_up_bytes: short.map(|(_, pass)| pass.0),
            max_model_len: requests.max_model_len,
            max_concurrency: requests.concurrency,
            data_parallel_ranks: ranks,
            held_requests: requests.held,
            running_requests: requests.running,
            waiting_requests: requests.waiting,
            starts: refusal.is_none(),
            refusal: refusal.map(No::new),
            may_refuse,
        }
    }
}

impl Serving {
    /// Of an inspection, on so many data-parallel ranks.
    pub(crate) fn new(inspection: &Inspection, ranks: u32) -> Self {
        let Inspection { engine, version, source, cache, parts, start } = inspection;
        Self {
            engine: engine.id(),
            version,
            source,
            cache: Cache { exact_bytes: cache.exact.0, reserved_bytes: cache.bytes.0, how: cache.how.to_string() },
            parts: parts.iter().map(Taken::new).collect(),
            pool: start.as_ref().map(|start| Share::new(start, ranks)),
        }
    }
}

impl Taken {
    fn new(part: Part) -> Self {
        Self { bucket: part.bucket.id(), item: part.item.id(), bytes: part.bytes.0, basis: part.basis.label() }
    }
}
