//! The fullest moment of a run, and what takes most then.

use super::phases::{Buckets, Phases, at, bytes};
use crate::checked::Checked;
use crate::memory::{Bucket, Phase, activations, backward, full_stages};
use crate::units::Bytes;
use crate::worked::Item;

/// The fullest moment of one rank.
pub(super) struct Peak {
    pub(super) phase: Phase,
    pub(super) buckets: Buckets,
    pub(super) total: Bytes,
    /// The sum at each phase.
    pub(super) phases: Phases,
}

impl Peak {
    pub(super) fn of(scenario: &Checked) -> Self {
        let mut phases = Phases::default();
        let mut best = Self {
            phase: Phase::Forward,
            buckets: Bucket::EACH.map(|bucket| (bucket, Bytes::ZERO)),
            total: Bytes::ZERO,
            phases,
        };
        let mut before = None;
        for (slot, &phase) in phases.list.iter_mut().zip(Phase::of(scenario.mode)) {
            let buckets = at(scenario, phase, before);
            let total = buckets.iter().map(|(_, bytes)| *bytes).sum();
            *slot = Some((phase, total));
            before = Some((phase, buckets));
            // A peak that every step has is not the first step's.
            if total > best.total || (total == best.total && best.phase == Phase::FirstStep) {
                best = Self { phase, buckets, total, ..best };
            }
        }
        Self { phases, ..best }
    }
}

/// The peak alone, on the fullest rank.
pub fn total(scenario: &Checked) -> Bytes {
    Totals::of(scenario).at(scenario.batch, scenario.seq_length)
}

/// The peak alone, for other batches and lengths: what inverse questions ask again and again.
pub struct Totals {
    scenario: Checked,
    stages: [Option<(u32, Steady)>; Self::KEPT],
}

/// What depends neither on batch nor on length.
#[derive(Clone, Copy)]
struct Steady {
    weights: Bytes,
    states: Bytes,
    /// Gradients before the backward pass.
    gradients: Bytes,
    /// Gradients and states in the optimizer's step.
    step: Bytes,
}

impl Totals {
    /// Stages whose figures are kept; those of more are computed each time.
    const KEPT: usize = 8;

    /// For scenarios that differ from this one in batch and length alone.
    pub fn of(scenario: &Checked) -> Self {
        let mut stages = [None; Self::KEPT];
        for (place, stage) in stages.iter_mut().zip(full_stages(scenario)) {
            *place = Some((stage, Steady::of(&scenario.at_stage(stage))));
        }
        Self { scenario: *scenario, stages }
    }

    /// The peak with this batch and this length.
    pub fn at(&self, batch: u32, seq_length: u32) -> Bytes {
        let asked = self.scenario.with_batch(batch).with_seq_length(seq_length);
        let kept = self.stages.iter().flatten().map(|(stage, steady)| steady.peak(&asked.at_stage(*stage)));
        let more = self.stages.iter().all(Option::is_some);
        let others = more.then(|| full_stages(&self.scenario).skip(Self::KEPT)).into_iter().flatten();
        let others = others.map(|stage| {
            let rank = asked.at_stage(stage);
            Steady::of(&rank).peak(&rank)
        });
        kept.chain(others).max().unwrap_or_default()
    }
}

impl Steady {
    fn of(scenario: &Checked) -> Self {
        let at = |bucket, phase| bytes(bucket, scenario, phase);
        if !scenario.mode.trains() {
            let weights = at(Bucket::Weights, Phase::Forward);
            return Self { weights, states: Bytes::ZERO, gradients: Bytes::ZERO, step: Bytes::ZERO };
        }
        Self {
            weights: at(Bucket::Weights, Phase::Loss),
            states: at(Bucket::Optimizer, Phase::Loss),
            gradients: at(Bucket::Gradients, Phase::Loss),
            step: at(Bucket::Gradients, Phase::OptimizerStep) + at(Bucket::Optimizer, Phase::OptimizerStep),
        }
    }

    /// The largest sum of [`Peak::of`]; the first step, whose states are still to come, is never fuller than the later ones.
    fn peak(&self, scenario: &Checked) -> Bytes {
        let at = |bucket, phase| bytes(bucket, scenario, phase);
        let always = self.weights + at(Bucket::Overhead, Phase::Loss);
        if !scenario.mode.trains() {
            let forward =
                [Bucket::KvCache, Bucket::Activations, Bucket::Logits].map(|bucket| at(bucket, Phase::Forward));
            return always + forward.into_iter().sum();
        }
        let begin = at(Bucket::Activations, Phase::Loss);
        let end =
            if activations::same_until_backward(scenario) { begin } else { at(Bucket::Activations, Phase::ForwardEnd) };
        let forward_end = end + at(Bucket::Logits, Phase::ForwardEnd) + self.gradients;
        let loss = begin + at(Bucket::Logits, Phase::Loss) + self.gradients;
        let backward = backward::fullest(scenario).1.into_iter().sum::<Bytes>() + at(Bucket::Logits, Phase::Backward);
        let step = self.step + at(Bucket::Activations, Phase::OptimizerStep) + at(Bucket::Logits, Phase::OptimizerStep);
        always + step.max(self.states + forward_end.max(loss).max(backward))
    }
}

/// The three items that take most at one phase, largest first.
pub(super) fn largest_items(scenario: &Checked, phase: Phase) -> [Option<(Item, Bytes)>; 3] {
    let mut largest = [None::<(Item, Bytes)>; 3];
    let mut place = |item: Item, bytes: Bytes| {
        let mut carried = Some((item, bytes));
        for slot in &mut largest {
            if carried.map(|(_, bytes)| bytes) > slot.map(|(_, bytes)| bytes) {
                core::mem::swap(slot, &mut carried);
            }
        }
    };
    for bucket in Bucket::EACH {
        // A place for every item there is, so none is left out.
        let mut sums = Item::EACH.map(|item| (item, Bytes::ZERO));
        bucket.terms(scenario, phase, &mut |term| {
            for (item, sum) in &mut sums {
                if *item == term.item {
                    *sum += term.bytes();
                }
            }
        });
        for (item, bytes) in sums {
            if bytes > Bytes::ZERO {
                place(item, bytes);
            }
        }
    }
    largest
}
