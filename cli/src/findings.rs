//! What the engine says about a scenario: one value that the text and the JSON are both written from.

use memory_wall_core::communication::{self, Traffic};
use memory_wall_core::evaluate::{StageRanks, per_rank};
use memory_wall_core::memory::host;
use memory_wall_core::{Bucket, Bytes, Checked, Evaluation, Phase, cost, evaluate, worked};

/// A scenario with its evaluation.
#[derive(Debug)]
pub(crate) struct Findings {
    /// As the fullest rank sees it: formulas and offload are its own, as the buckets are.
    pub(crate) rank: Checked,
    /// As the rank sees it that sends most: in a pipeline the last one generates and sends nothing on.
    busiest: Checked,
    /// What the engine says.
    pub(crate) evaluation: Evaluation,
    /// The ranks of each pipeline stage.
    pub(crate) ranks: Vec<StageRanks>,
}

/// What waits in host memory, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Host {
    /// Bytes of one rank that are there instead of on the GPU.
    pub(crate) waiting: Bytes,
    /// Bytes that travel between the two in one step, in both directions together.
    pub(crate) moved: Bytes,
    /// How long that takes; `None` without a GPU or a known link.
    pub(crate) seconds: Option<f64>,
}

impl Findings {
    /// Of one scenario.
    pub(crate) fn of(scenario: &Checked) -> Self {
        let evaluation = evaluate(scenario);
        // Of stages that send as much the first.
        let stages = (0..scenario.parallel.pp).rev().map(|stage| scenario.at_stage(stage));
        let busiest = stages.max_by_key(communication::between_ranks).unwrap_or(*scenario);
        Self { rank: scenario.at_stage(evaluation.stage), busiest, evaluation, ranks: per_rank(scenario).collect() }
    }

    /// Bytes that the rank which sends most sends to others in one step, by kind.
    pub(crate) fn traffic(&self) -> Vec<(Traffic, Bytes)> {
        let kinds = Traffic::EACH.into_iter().filter(|kind| *kind != Traffic::Host);
        kinds.map(|kind| (kind, communication::bytes(&self.busiest, kind))).collect()
    }

    /// Their sum.
    pub(crate) fn sent(&self) -> Bytes {
        communication::between_ranks(&self.busiest)
    }

    /// What waits in host memory; `None` if nothing does.
    pub(crate) fn host(&self) -> Option<Host> {
        let moved = communication::bytes(&self.rank, Traffic::Host);
        if moved == Bytes::ZERO {
            return None;
        }
        let states = |scenario: &Checked| -> Bytes {
            let buckets = [Bucket::Weights, Bucket::KvCache].into_iter();
            buckets.map(|bucket| worked::total(|sink| bucket.terms(scenario, Phase::Forward, sink))).sum()
        };
        let waiting = host::of(&self.rank)
            .map_or_else(|| states(&self.rank.without_offload()) - states(&self.rank), |host| host.each);
        Some(Host { waiting, moved, seconds: cost::offload_seconds(&self.rank) })
    }
}
