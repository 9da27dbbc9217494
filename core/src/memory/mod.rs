//! What fills the memory, one file a bucket. Each hands out its terms; [`crate::worked::total`] adds them up.

pub mod activations;
pub mod adapters;
pub mod backward;
pub mod gradients;
pub mod kinds;
pub mod kv_cache;
pub mod logits;
pub mod optimizer;
pub mod overhead;
pub mod paging;
mod states;
pub mod weights;

pub use states::{StatePart, states};

use crate::checked::Checked;
use crate::engines;
use crate::evaluate::Phase;
use crate::worked::Term;

choices! {
    /// A kind of content, in the order in which the wall is built: what stays first, what comes and goes on top.
    Bucket {
        /// The model's parameters.
        Weights = "weights";
        /// One gradient for each parameter.
        Gradients = "gradients";
        /// What the optimizer keeps.
        Optimizer = "optimizer";
        /// Keys and values of all tokens so far.
        KvCache = "kv_cache";
        /// Tensors kept for the backward pass, or the working space of a forward pass.
        Activations = "activations";
        /// Scores over the vocabulary and what the loss makes of them.
        Logits = "logits";
        /// CUDA context and libraries.
        Overhead = "overhead";
    }
}

impl Bucket {
    /// The terms of this bucket at one phase of the step.
    pub fn terms(self, scenario: &Checked, phase: Phase, sink: &mut dyn FnMut(&Term<'_>)) {
        // A program that serves the model fills the buckets in its own way.
        if engines::serving(scenario).is_some() {
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
