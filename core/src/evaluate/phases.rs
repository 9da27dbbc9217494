//! The moments of a step, and what each bucket holds at each of them.

use crate::checked::Checked;
use crate::memory::{Bucket, activations, backward};
use crate::scenario::Mode;
use crate::units::Bytes;
use crate::worked;

choices! {
    /// A moment at which memory can be fullest.
    Phase {
        /// Inference: the prompt passes through, the cache is full.
        Forward = "forward";
        /// Training: the forward pass is done, and the loss is being computed.
        ForwardEnd = "forward_end";
        /// Training: the backward pass begins; everything saved is there, and the logits with their gradients.
        Loss = "loss";
        /// Training: deep in the backward pass; nearly all gradients exist, and with checkpointing a layer is computed again.
        Backward = "backward";
        /// Training: the optimizer takes its step.
        OptimizerStep = "optimizer_step";
        /// Training: the backward pass of the very first step begins; the optimizer has no states yet.
        FirstStep = "first_step";
    }
}

impl Phase {
    /// The phases of a training step, in order.
    const TRAINING: [Self; 5] = [Self::FirstStep, Self::ForwardEnd, Self::Loss, Self::Backward, Self::OptimizerStep];

    /// Whether the backward pass is still to come.
    const fn is_forward(self) -> bool {
        matches!(self, Self::Forward | Self::FirstStep | Self::ForwardEnd | Self::Loss)
    }

    /// Whether the optimizer's states are there, and nothing of its step.
    const fn has_states(self) -> bool {
        matches!(self, Self::ForwardEnd | Self::Loss | Self::Backward)
    }

    /// The phases that a mode passes through.
    pub const fn of(mode: Mode) -> &'static [Self] {
        match mode {
            Mode::Inference => &[Self::Forward],
            _ => &Self::TRAINING,
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
