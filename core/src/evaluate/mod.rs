//! The engine: one value in, everything the page shows out.

mod fit;
mod largest;
mod peak;
mod phases;
mod stages;

use crate::assumptions::Assumptions;
use crate::checked::Checked;
use crate::memory::{Bucket, Phase, kv_cache};
use crate::parameters::Parameters;
use crate::units::Bytes;
use crate::worked::Item;

use peak::{Peak, largest_items};

pub use fit::{Fit, fits, gives_way, only_newer_holds, paged_out, tight_by_reentrant, verdict, verdict_on};
pub(crate) use largest::largest;
pub use largest::{max_batch, max_seq_length};
pub use peak::{Totals, total};
pub use phases::{Phases, at_phase};
pub use stages::{StageRanks, per_rank};

/// Everything the engine says about a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The exact parameter count, by kind of tensor.
    pub parameters: Parameters,
    /// Bytes of each bucket at the peak, in the order of [`Bucket::EACH`].
    pub buckets: [(Bucket, Bytes); 7],
    /// Their sum.
    pub total: Bytes,
    /// The moment of the peak.
    pub peak_phase: Phase,
    /// The sum at each phase that the scenario passes through.
    pub phases: Phases,
    /// What takes most at the peak, largest first.
    pub largest_items: [Option<(Item, Bytes)>; 3],
    /// The pipeline stage whose rank is fullest, from 0: buckets and sums are its own.
    pub stage: u32,
    /// What one more token of one sequence adds to the KV cache.
    pub kv_bytes_per_token: Bytes,
    /// The scenario against its GPU, where it names one.
    pub fit: Option<Fit>,
    /// What the figures stand on.
    pub assumptions: Assumptions,
}

impl Evaluation {
    /// Bytes of one bucket.
    pub fn bytes(&self, bucket: Bucket) -> Bytes {
        self.buckets.iter().find(|(name, _)| *name == bucket).map_or(Bytes::ZERO, |(_, bytes)| *bytes)
    }

    /// The bucket that takes most.
    pub fn largest(&self) -> Bucket {
        self.buckets.iter().max_by_key(|(_, bytes)| *bytes).map_or(Bucket::Weights, |(bucket, _)| *bucket)
    }
}

/// Evaluates a scenario.
///
/// Total for every scenario that passes [`Scenario::check`](crate::Scenario::check): no panic, no overflow, no NaN.
///
/// ```
/// use memory_wall_core::{Bucket, Bytes, Scenario, evaluate, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.gpu = gpus::by_id("a100-80-sxm");
/// scenario.seq_length = 128_000;
/// let evaluation = evaluate(&scenario.check().unwrap());
/// assert_eq!(evaluation.largest(), Bucket::KvCache);
/// assert_eq!(evaluation.bytes(Bucket::KvCache), Bytes(67_108_864_000));
/// ```
pub fn evaluate(scenario: &Checked) -> Evaluation {
    let rank = stages::fullest(scenario);
    let Peak { phase: peak_phase, buckets, total, phases } = Peak::of(&rank);
    Evaluation {
        parameters: scenario.architecture.parameters(),
        buckets,
        total,
        peak_phase,
        phases,
        largest_items: largest_items(&rank, peak_phase),
        stage: rank.parallel.stage,
        kv_bytes_per_token: kv_cache::bytes_per_token(scenario),
        fit: scenario.capacity().map(|capacity| Fit::of(&rank, capacity, total)),
        assumptions: Assumptions::of(scenario),
    }
}
