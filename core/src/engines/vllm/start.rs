//! Whether vLLM starts, and what its pool holds.

use super::{Refusal, Requests, Run, Version};
use crate::checked::Checked;
use crate::engines::Judgement;
use crate::evaluate::{self, Verdict};
use crate::memory::kv_cache;
use crate::tables::gpus::Gpu;
use crate::units::{Bytes, GIB, SignedBytes};
use crate::worked;

/// What becomes of the share of a card that vLLM takes, on one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The share: utilization × total.
    pub requested: Bytes,
    /// Weights.
    pub weights: Bytes,
    /// Peak of the profiled forward pass.
    pub activation: Bytes,
    /// Allocated beside PyTorch.
    pub non_torch: Bytes,
    /// Recorded graphs: inside the share from 0.21 on, before that beside it.
    pub cuda_graphs: Bytes,
    /// What the process takes before its first tensor, beside the share.
    pub context: Bytes,
    /// What is left for pages; negative is missing.
    pub pool: SignedBytes,
    /// Tokens that the pages hold: "GPU KV cache size".
    pub tokens: u128,
}

/// A start of vLLM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The share and its parts.
    pub pool: Pool,
    /// What the pages of all requests take.
    pub need: Bytes,
    /// What is left of the GPU beside the share, context and graphs; negative is missing.
    pub outside: SignedBytes,
    /// Why vLLM does not start, if it does not.
    pub refusal: Option<Refusal>,
    /// How many requests run at once.
    pub requests: Requests,
    /// Does not fit where vLLM does not start, or where its pool does not hold all requests at once; tight where less is left beside the share
    /// than one forward pass takes, which runs again once the pool stands and then finds no room that the allocator can join.
    pub verdict: Verdict,
}

/// The share of a card that vLLM takes, rounded up.
pub fn requested(scenario: &Checked, total: Bytes) -> Bytes {
    Bytes((total.0 * u128::from(scenario.serving.utilization_percent)).div_ceil(100))
}

/// What becomes of the share of a card of `total` bytes under a release of vLLM, on the rank that is looked at.
///
/// # Formula
/// pool = requested − weights − activation − non-torch; from 0.21 on less graphs too.
///
/// # Units
/// Bytes; tokens.
///
/// # Assumes
/// What a shape does not say is as in [`Run::of`]: text only, one rotary table, pages of 16 tokens.
///
/// # Source
/// vLLM 0.19.0, `gpu_worker.determine_available_memory`.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Scenario, engines::vllm, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.serving.utilization_percent = 95;
/// let scenario = scenario.check().unwrap();
/// let pool = vllm::pool(&scenario, vllm::Version::MEASURED, Bytes(85_029_615_042));
/// // A log of an H100 says 14.99, 1.89, 0.25 and 58.11 GiB, and 476,016 tokens.
/// let gib = |bytes: Bytes| (bytes.as_gib() * 100.0).round() / 100.0;
/// assert_eq!((gib(pool.weights), gib(pool.activation), gib(pool.non_torch)), (14.99, 1.88, 0.25));
/// assert_eq!(gib(pool.pool.magnitude()), 58.11);
/// assert_eq!(pool.tokens, 476_000);
/// ```
pub fn pool(scenario: &Checked, version: Version, total: Bytes) -> Pool {
    Run { version, ..Run::of(scenario) }.pool(requested(scenario, total))
}

impl Run<'_> {
    /// What becomes of a share of so many bytes.
    pub fn pool(&self, requested: Bytes) -> Pool {
        let [weights, activation, non_torch] = [self.weights(), self.activation(), self.non_torch()].map(Bytes);
        let cuda_graphs = Bytes(self.cuda_graphs());
        let graphs = if self.constants().graphs_inside { cuda_graphs } else { Bytes::ZERO };
        let pool = requested.minus(weights + activation + non_torch + graphs);
        let room = u128::try_from(pool.0).unwrap_or(0);
        Pool {
            requested,
            weights,
            activation,
            non_torch,
            cuda_graphs,
            context: Bytes(self.context()),
            pool,
            tokens: self.pages().map_or(0, |pages| pages.tokens(room)),
        }
    }

    /// What must be free beside the share.
    pub(super) fn beside(&self) -> Bytes {
        let graphs = if self.constants().graphs_inside { 0 } else { self.cuda_graphs() };
        Bytes(self.context() + graphs)
    }

    /// A start on a GPU of `total` bytes with a share of `requested`.
    pub fn start(&self, total: Bytes, requested: Bytes) -> Start {
        let pool = self.pool(requested);
        let need = Bytes(self.cache(worked::total(|sink| kv_cache::terms(self.scenario, sink)).0).0);
        let outside = self.outside(total, requested);
        let refusal = self.refusal(total, &pool);
        let verdict = if refusal.is_some() || pool.pool < need.minus(Bytes::ZERO) {
            Verdict::DoesNotFit
        } else {
            self.beside_the_pool(outside)
        };
        Start { pool, need, outside, refusal, requests: self.requests(&pool), verdict }
    }

    /// What is left of a GPU beside the share and what lies beside it.
    pub(super) fn outside(&self, total: Bytes, requested: Bytes) -> SignedBytes {
        total.minus(requested + self.beside())
    }

    /// Whether what is left of the GPU is enough for a forward pass.
    fn beside_the_pool(&self, outside: SignedBytes) -> Verdict {
        if outside < Bytes(self.activation()).minus(Bytes::ZERO) { Verdict::Tight } else { Verdict::Fits }
    }

    /// What the scenario may need in all on a GPU of `capacity`: the share and what lies beside it, or nothing where vLLM
    /// would not start however few and short the requests are.
    pub(in crate::engines) fn limit(&self, capacity: Bytes) -> Bytes {
        let starts = self.missing(capacity).is_none() && self.pages_everywhere();
        if starts { self.taken(capacity) } else { Bytes::ZERO }
    }

    /// The share and what lies beside it.
    fn taken(&self, capacity: Bytes) -> Bytes {
        requested(self.scenario, capacity) + self.beside()
    }

    /// By how much vLLM fails to start on a GPU of `capacity`, whatever the requests: memory beside the share, or in its pool for one request
    /// of `max_model_len`, where that is set. `None` where it starts.
    fn missing(&self, capacity: Bytes) -> Option<SignedBytes> {
        let outside = self.outside(capacity, requested(self.scenario, capacity));
        let longest = || {
            let longest = self.scenario.with_batch(1).with_seq_length(self.scenario.serving.max_model_len?);
            Some(self.taken(capacity).minus(evaluate::total(&longest)))
        };
        Some(outside).filter(|left| left.0 < 0).or_else(|| longest().filter(|left| left.0 < 0))
    }

    /// Whether every stage of the pipeline can share its pool among its layers.
    fn pages_everywhere(&self) -> bool {
        // Only heads of another size make pages of another size.
        self.scenario.architecture.sliding_window.is_none()
            || (0..self.scenario.parallel.pp).all(|stage| {
                let scenario = self.scenario.at_stage(stage);
                Run { scenario: &scenario, ..*self }.pages().is_some()
            })
    }

    /// The scenario, which needs `total` in all, held against a GPU; the margin is what the pool has to spare.
    pub(in crate::engines) fn judge(&self, capacity: Bytes, total: Bytes) -> Judgement {
        let outside = self.outside(capacity, requested(self.scenario, capacity));
        let spare = self.taken(capacity).minus(total);
        let missing = self.missing(capacity).map(|missing| missing.min(spare));
        let limit = self.limit(capacity);
        let fits = limit > Bytes::ZERO && spare.0 >= 0;
        let verdict = if fits { self.beside_the_pool(outside) } else { Verdict::DoesNotFit };
        Judgement { limit, margin: missing.unwrap_or(spare), verdict }
    }
}

/// A start on the ranks of a GPU of `total` bytes, as the tightest stage of the pipeline sees it: the one that does not start,
/// or that holds the fewest requests.
pub fn start(scenario: &Checked, total: Bytes) -> Start {
    let on = |stage| {
        let scenario = scenario.at_stage(stage);
        Run::of(&scenario).start(total, requested(&scenario, total))
    };
    let others = (1..scenario.parallel.pp).map(on);
    let room = |start: &Start| (start.refusal.is_none(), start.requests.held, start.pool.pool);
    others.fold(on(0), |tightest, start| if room(&start) < room(&tightest) { start } else { tightest })
}

/// Sequences and batched tokens that vLLM's server takes by itself on a card of `total` bytes: 1,024 and 8,192 from 70 GiB on
/// other than A100, 256 and 2,048 elsewhere (`EngineArgs.get_batch_defaults`).
pub fn default_batch(total: Bytes, gpu: Option<&Gpu>) -> (u32, u32) {
    let a100 = gpu.is_some_and(|gpu| gpu.id.starts_with("a100"));
    if total.0 >= 70 * GIB && !a100 { (1_024, 8_192) } else { (256, 2_048) }
}
