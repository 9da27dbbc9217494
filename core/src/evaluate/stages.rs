//! The stages of a pipeline: which of them is fullest, and what the ranks of each hold.

use super::peak::Peak;
use super::phases::Buckets;
use crate::checked::Checked;
use crate::memory::{Phase, full_stages};
use crate::parameters::Parameters;
use crate::units::Bytes;

/// The scenario as the fullest rank sees it; of equals the first.
pub(super) fn fullest(scenario: &Checked) -> Checked {
    let mut stages = full_stages(scenario).map(|stage| scenario.at_stage(stage));
    let mut best = stages.next().unwrap_or(*scenario);
    let mut most = None;
    for rank in stages {
        let before = *most.get_or_insert_with(|| Peak::of(&best).total);
        let total = Peak::of(&rank).total;
        if total > before {
            (best, most) = (rank, Some(total));
        }
    }
    best
}

/// What the ranks of one pipeline stage hold at their own peak; all ranks of a stage hold the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageRanks {
    /// The stage, from 0.
    pub stage: u32,
    /// How many ranks it has.
    pub ranks: u64,
    /// Layers that each of them holds.
    pub layers: u64,
    /// Those of them that predict further tokens (MTP).
    pub predicting: u32,
    /// Parameters that each of them holds before sharding over data-parallel ranks.
    pub parameters: Parameters,
    /// The moment of their peak.
    pub peak_phase: Phase,
    /// Bytes of each bucket then.
    pub buckets: Buckets,
    /// Their sum.
    pub total: Bytes,
}

/// The ranks of each pipeline stage in turn.
pub fn per_rank(scenario: &Checked) -> impl Iterator<Item = StageRanks> {
    let scenario = *scenario;
    (0..scenario.parallel.pp).map(move |stage| {
        let on_stage = scenario.at_stage(stage);
        let Peak { phase, buckets, total, .. } = Peak::of(&on_stage);
        StageRanks {
            stage,
            ranks: scenario.parallel.ranks() / u64::from(scenario.parallel.pp),
            layers: on_stage.local().layers,
            predicting: on_stage.predicting_here(),
            parameters: on_stage.local_parameters(),
            peak_phase: phase,
            buckets,
            total,
        }
    })
}
