//! The moments of a step.

use crate::scenario::Mode;

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
    pub(crate) const TRAINING: [Self; 5] =
        [Self::FirstStep, Self::ForwardEnd, Self::Loss, Self::Backward, Self::OptimizerStep];

    /// Whether the backward pass is still to come.
    pub(crate) const fn is_forward(self) -> bool {
        matches!(self, Self::Forward | Self::FirstStep | Self::ForwardEnd | Self::Loss)
    }

    /// Whether the optimizer's states are there, and nothing of its step.
    pub(crate) const fn has_states(self) -> bool {
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
