//! A snapshot's fullest moment beside the engine's estimate of the same moment, part by part, with the likeliest reason for each difference.

mod reasons;
mod step;

use alloc::vec::Vec;

use memory_wall_core::{Bucket, Bytes, Checked, Evaluation, Phase, Scenario, evaluate, worked};

pub use reasons::Reason;

use super::at_peak::AtPeak;
use super::peak::Moment;
use reasons::{BATCHES, CHANGES};

/// A part of the memory, as both sides can tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Parameters.
    Weights,
    /// Gradients.
    Gradients,
    /// States of the optimizer.
    Optimizer,
    /// Saved for the backward pass; in inference the KV cache too.
    Activations,
    /// Scores over the vocabulary, and what the loss makes of them.
    Logits,
    /// Gone soon; of the estimate what the optimizer's step copies.
    Temporary,
    /// What no rule explains.
    Other,
    /// Blocks are larger than what was asked for.
    Rounding,
    /// Reserved and not allocated.
    Unused,
}

/// All of them, in the order of the table.
pub const PARTS: [Part; 9] = [
    Part::Weights,
    Part::Gradients,
    Part::Optimizer,
    Part::Activations,
    Part::Logits,
    Part::Temporary,
    Part::Other,
    Part::Rounding,
    Part::Unused,
];

impl Part {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Gradients => "gradients",
            Self::Optimizer => "optimizer states",
            Self::Activations => "activations",
            Self::Logits => "logits and loss",
            Self::Temporary => "temporary",
            Self::Other => "other",
            Self::Rounding => "rounding to blocks",
            Self::Unused => "fragmentation and cache",
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The part.
    pub part: Part,
    /// What the engine says; nothing where it has no such part.
    pub estimate: Option<Bytes>,
    /// What the snapshot holds.
    pub measured: Bytes,
    /// Why they differ, where something explains it.
    pub reason: Option<Reason>,
}

/// What a snapshot holds at one moment, in the parts of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// What the program was doing.
    pub moment: Moment,
    /// Bytes of each part, in the order of [`PARTS`].
    pub parts: [u64; PARTS.len()],
    /// Whether the optimizer's states came later.
    pub states_come_later: bool,
    /// Whether they were there before recording began, among the weights.
    pub states_are_older: bool,
    /// Of what is reserved and not allocated at the snapshot's own moment, whether most lies in whole free segments.
    pub is_mostly_cached: bool,
}

impl Measured {
    /// A snapshot's fullest moment. Tensors as large as the scenario's logits are told from the other activations by their size.
    pub fn of(peak: &AtPeak, scenario: &Checked) -> Self {
        let local = scenario.local();
        let tokens = u64::from(scenario.batch).saturating_mul(local.seq_length);
        // The loss of a causal model leaves out one token of each sequence.
        let shifted = tokens.saturating_sub(scenario.batch.into());
        let is_logits = |size: u64| {
            let width = |tokens: u64, bytes: u64| tokens.saturating_mul(local.vocab_size).saturating_mul(bytes);
            [tokens, shifted]
                .iter()
                .any(|tokens| *tokens > 0 && [2, 4].iter().any(|bytes| width(*tokens, *bytes) == size))
        };
        let mut composition = peak.composition;
        let mut logits = 0_u64;
        for it in peak.large.iter().filter(|it| is_logits(it.size)) {
            if let Some(sum) = composition.get_mut(it.category.place()) {
                let bytes = it.size.saturating_mul(it.count).min(*sum);
                *sum -= bytes;
                logits = logits.saturating_add(bytes);
            }
        }
        let [weights, gradients, optimizer, activations, temporary, other] = composition;
        Self {
            moment: peak.moment,
            parts: [weights, gradients, optimizer, activations, logits, temporary, other, peak.rounding, peak.unused],
            states_come_later: peak.states_come_later,
            states_are_older: peak.states_are_older,
            is_mostly_cached: peak.is_mostly_cached,
        }
    }
}

/// The engine's phase for a moment of a run, and what each part takes then.
fn estimate(scenario: &Checked, evaluation: &Evaluation, moment: Moment) -> [Option<u128>; PARTS.len()] {
    let trains = scenario.mode.trains();
    let backward = matches!(evaluation.peak_phase, Phase::Loss | Phase::Backward | Phase::FirstStep);
    let phase = match moment {
        Moment::Forward if trains => Phase::ForwardEnd,
        Moment::Backward if trains && !backward => Phase::Loss,
        Moment::OptimizerStep if trains => Phase::OptimizerStep,
        _ => evaluation.peak_phase,
    };
    let at = |bucket: Bucket, phase: Phase| worked::total(|sink| bucket.terms(scenario, phase, sink)).0;
    let bytes =
        |bucket: Bucket| if phase == evaluation.peak_phase { evaluation.bytes(bucket).0 } else { at(bucket, phase) };
    // States stay; what the step itself takes is temporary.
    let states = if trains { at(Bucket::Optimizer, Phase::Loss) } else { 0 };
    let step = if phase == Phase::OptimizerStep { bytes(Bucket::Optimizer).saturating_sub(states) } else { 0 };
    [
        Some(bytes(Bucket::Weights)),
        Some(bytes(Bucket::Gradients)),
        Some(states),
        Some(bytes(Bucket::Activations) + bytes(Bucket::KvCache)),
        Some(bytes(Bucket::Logits)),
        (phase == Phase::OptimizerStep).then_some(step),
        None,
        None,
        None,
    ]
}

/// A difference smaller than one part in so many needs no explanation.
pub(crate) const CLOSE: u128 = 20;
/// Bytes of one workspace of cuBLAS.
const WORKSPACE: u128 = 33_554_432;

/// The snapshot's parts beside the engine's.
///
/// # Formula
/// The engine's buckets at the phase that the moment belongs to. A reason is the change of one setting that leaves at most a third of the difference
/// and the least of all; differences under 5% of the estimate have none.
///
/// # Assumes
/// One setting differs from what was estimated, for each part. Categories are guesses, so reasons are too.
///
/// # Source
/// The engine's own sums; what PyTorch's allocator does with what is free: `docs/source/notes/cuda.rst` of PyTorch.
pub fn beside(measured: &Measured, scenario: &Checked) -> Vec<Line> {
    let evaluation = evaluate(scenario);
    let estimates = estimate(scenario, &evaluation, measured.moment);
    let line = |((part, estimate), bytes): ((Part, Option<u128>), u64)| {
        let measured_bytes = u128::from(bytes);
        let reason = reason(part, estimate, measured_bytes, measured, scenario);
        Line { part, estimate: estimate.map(Bytes), measured: Bytes(measured_bytes), reason }
    };
    PARTS.into_iter().zip(estimates).zip(measured.parts).map(line).collect()
}

fn reason(part: Part, estimate: Option<u128>, bytes: u128, measured: &Measured, scenario: &Checked) -> Option<Reason> {
    let expected = estimate.unwrap_or(0);
    let gap = expected.abs_diff(bytes);
    match part {
        Part::Unused if bytes > 0 => {
            return Some(if measured.is_mostly_cached { Reason::Cached } else { Reason::Fragmented });
        }
        Part::Optimizer if gap > 0 && bytes == 0 && measured.states_come_later => return Some(Reason::StatesNotYet),
        Part::Optimizer if gap > 0 && bytes == 0 && measured.states_are_older => {
            return Some(Reason::StatesAmongWeights);
        }
        Part::Weights if bytes > expected && measured.states_are_older => return Some(Reason::StatesAmongWeights),
        Part::Other if bytes > 0 && bytes.is_multiple_of(WORKSPACE) => return Some(Reason::Workspace),
        Part::Weights if bytes > expected && gap <= expected / CLOSE && gap > 0 => {
            let rest = gap % WORKSPACE;
            return Some(if gap >= WORKSPACE && rest <= gap / 8 { Reason::Workspace } else { Reason::Buffers });
        }
        _ => {}
    }
    if gap <= expected / CLOSE || gap == 0 {
        return None;
    }
    let tried = |change: &dyn Fn(&mut Scenario)| {
        let changed = scenario.with(change).ok()?;
        let evaluation = evaluate(&changed);
        let place = PARTS.iter().position(|other| *other == part)?;
        let bytes_then = self::estimate(&changed, &evaluation, measured.moment).get(place).copied()??;
        (bytes_then != expected).then(|| bytes_then.abs_diff(bytes))
    };
    let settings = CHANGES.iter().filter(|(parts, _, _)| parts.contains(&part));
    let settings = settings.filter_map(|(_, reason, change)| Some((*reason, tried(change)?)));
    let grows = matches!(part, Part::Activations | Part::Logits);
    let batches = BATCHES.iter().filter(|_| grows).filter_map(|(reason, change)| Some((*reason, tried(change)?)));
    settings.chain(batches).filter(|(_, left)| *left <= gap / 3).min_by_key(|(_, left)| *left).map(|(reason, _)| reason)
}

#[cfg(test)]
mod tests;
