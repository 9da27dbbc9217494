//! Whether vLLM starts, and what its pool holds.

use super::{Run, Version};
use crate::checked::Checked;
use crate::engines::Judgement;
use crate::evaluate::Verdict;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The share and its parts.
    pub pool: Pool,
    /// What the pages of all sequences take.
    pub need: Bytes,
    /// What is left of the card beside the share, context and graphs; negative is missing.
    pub outside: SignedBytes,
    /// Does not fit where the pool is too small for the sequences or the card for what is beside the share; tight where less is left there
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
    fn beside(&self) -> Bytes {
        let graphs = if self.constants().graphs_inside { 0 } else { self.cuda_graphs() };
        Bytes(self.context() + graphs)
    }

    /// A start on a card of `total` bytes with a share of `requested`.
    pub fn start(&self, total: Bytes, requested: Bytes) -> Start {
        let pool = self.pool(requested);
        let exact = worked::total(|sink| kv_cache::terms(self.scenario, sink));
        let need = if self.scenario.offload.kv_cache { exact } else { Bytes(self.cache(exact.0).0) };
        let outside = self.outside(total, requested);
        let verdict = verdict(pool.pool.0 - need.minus(Bytes::ZERO).0, outside, pool.activation);
        Start { pool, need, outside, verdict }
    }

    /// What is left of a card beside the share and what lies beside it.
    fn outside(&self, total: Bytes, requested: Bytes) -> SignedBytes {
        total.minus(requested + self.beside())
    }

    /// What the scenario may need in all on a card of `capacity`.
    pub(in crate::engines) fn limit(&self, capacity: Bytes) -> Bytes {
        requested(self.scenario, capacity) + self.beside()
    }

    /// The scenario, which needs `total` in all, held against a card; the margin is what the pool has to spare.
    pub(in crate::engines) fn judge(&self, capacity: Bytes, total: Bytes) -> Judgement {
        let requested = requested(self.scenario, capacity);
        let outside = self.outside(capacity, requested);
        let spare = (requested + self.beside()).minus(total);
        let verdict = verdict(spare.0, outside, Bytes(self.activation()));
        Judgement { limit: self.limit(capacity), margin: spare, verdict }
    }
}

/// `margin` is what the pool has to spare.
fn verdict(margin: i128, outside: SignedBytes, activation: Bytes) -> Verdict {
    // Context and graphs are estimates from logs of other cards: too little room for them is a doubt, not a no.
    if margin < 0 {
        Verdict::DoesNotFit
    } else if outside < activation.minus(Bytes::ZERO) {
        Verdict::Tight
    } else {
        Verdict::Fits
    }
}

/// Sequences and batched tokens that vLLM's server takes by itself on a card of `total` bytes: 1,024 and 8,192 from 70 GiB on
/// other than A100, 256 and 2,048 elsewhere (`EngineArgs.get_batch_defaults`).
pub fn default_batch(total: Bytes, gpu: Option<&Gpu>) -> (u32, u32) {
    let a100 = gpu.is_some_and(|gpu| gpu.id.starts_with("a100"));
    if total.0 >= 70 * GIB && !a100 { (1_024, 8_192) } else { (256, 2_048) }
}
