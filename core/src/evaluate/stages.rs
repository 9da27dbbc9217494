//! The stages of a pipeline: which of them can be fullest, and what the ranks of each hold.

use super::peak::Peak;
use super::phases::{Buckets, Phase};
use crate::architecture::LayerKinds;
use crate::checked::Checked;
use crate::parameters::Parameters;
use crate::units::Bytes;

/// Stages that are looked at for the fullest one.
pub(super) const STAGES: usize = 6;

/// The stages that can be fullest, each once. Inner ones hold less than the first: fewer micro-batches, no table.
///
/// Unless they hold more of something: torchtitan gives the first stage a layer less; a mixture has its dense layers first, and layers
/// with a long cache or a large state are not spread to the layer. Of stages with equally many, those in front hold more micro-batches.
pub(super) fn full_stages(scenario: &Checked) -> [Option<u32>; STAGES] {
    let last = scenario.parallel.pp - 1;
    let mut stages = [None; STAGES];
    let mut add = |stage: u32| {
        let slot = stages.iter_mut().find(|slot| slot.is_none_or(|known| known == stage));
        if let Some(slot) = slot {
            *slot = Some(stage);
        }
    };
    add(0);
    if last > 0 {
        add(last);
        if scenario.torchtitan() {
            add(1);
        }
        let shape = &scenario.architecture;
        let cut = |stage| scenario.at_stage(stage).layers_here();
        if shape.moe.is_some_and(|moe| moe.dense_layers > 0) {
            let dense = shape.layers - shape.moe_layers();
            add((0..last).find(|&stage| cut(stage).0 >= dense).unwrap_or(last));
        }
        if shape.sliding_window.is_some() || shape.linear_attention.is_some() {
            let kinds = |stage| {
                let (start, end) = cut(stage);
                shape.kinds_between(start, end)
            };
            for count in [|kinds: LayerKinds| kinds.full, |kinds: LayerKinds| kinds.sliding + kinds.linear] {
                // Of equals the first.
                let most = (0..=last).rev().max_by_key(|&stage| count(kinds(stage)));
                add(most.unwrap_or(last));
            }
        }
    }
    stages
}

/// The scenario as the fullest rank sees it; of equals the first.
pub(super) fn fullest(scenario: &Checked) -> Checked {
    let mut stages = full_stages(scenario).into_iter().flatten().map(|stage| scenario.at_stage(stage));
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
            parameters: on_stage.local_parameters(),
            peak_phase: phase,
            buckets,
            total,
        }
    })
}
