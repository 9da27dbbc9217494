//! What each bucket holds at each moment of a step.

use crate::checked::Checked;
use crate::engines;
use crate::memory::{Bucket, Phase, activations, backward, gradients, kv_cache, logits, optimizer, overhead, weights};
use crate::units::Bytes;
use crate::worked::{self, Term};

impl Bucket {
    /// The terms of this bucket at one phase of the step.
    pub fn terms(self, scenario: &Checked, phase: Phase, sink: &mut dyn FnMut(&Term<'_>)) {
        // A program that serves the model fills the buckets in its own way.
        if scenario.runtime().is_some() {
            return engines::terms(self, scenario, sink);
        }
        match self {
            Self::Weights => weights::terms(scenario, sink),
            Self::KvCache => kv_cache::terms(scenario, sink),
            Self::Activations => activations::terms(scenario, phase, sink),
            Self::Gradients => gradients::terms(scenario, phase, sink),
            Self::Optimizer => optimizer::terms(scenario, phase, sink),
            Self::Logits => logits::terms(scenario, phase, sink),
            Self::Overhead => overhead::terms(scenario, sink),
        }
    }
}

/// The sum at each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    pub(super) list: [Option<(Phase, Bytes)>; Phase::TRAINING.len()],
}

impl Phases {
    /// Each in turn.
    pub fn iter(&self) -> impl Iterator<Item = (Phase, Bytes)> + '_ {
        self.list.iter().flatten().copied()
    }
}

/// Bytes of each bucket.
pub(super) type Buckets = [(Bucket, Bytes); 7];

pub(super) fn bytes(bucket: Bucket, scenario: &Checked, phase: Phase) -> Bytes {
    worked::total(|sink| bucket.terms(scenario, phase, sink))
}

/// Bytes of each bucket at one phase, on the rank that is looked at; what the phase before has in common with it is not computed again.
pub(super) fn at(scenario: &Checked, phase: Phase, before: Option<(Phase, Buckets)>) -> Buckets {
    let known = |bucket| {
        let (before, buckets) = before?;
        let steady = match bucket {
            Bucket::Weights | Bucket::KvCache | Bucket::Overhead => true,
            Bucket::Activations => {
                phase.is_forward() && before.is_forward() && activations::same_until_backward(scenario)
            }
            Bucket::Gradients => phase.is_forward() && before.is_forward(),
            Bucket::Optimizer => phase.has_states() && before.has_states(),
            Bucket::Logits => false,
        };
        buckets.iter().find(|(name, _)| steady && *name == bucket).map(|(_, bytes)| *bytes)
    };
    // These two share a moment, which is found once.
    let backward = (phase == Phase::Backward).then(|| backward::fullest(scenario).1);
    Bucket::EACH.map(|bucket| match (bucket, backward) {
        (Bucket::Gradients, Some([gradients, _])) => (bucket, gradients),
        (Bucket::Activations, Some([_, activations])) => (bucket, activations),
        _ => (bucket, known(bucket).unwrap_or_else(|| bytes(bucket, scenario, phase))),
    })
}

/// The sum at one phase, on the rank that is looked at.
pub fn at_phase(scenario: &Checked, phase: Phase) -> Bytes {
    at(scenario, phase, None).iter().map(|(_, bytes)| *bytes).sum()
}
