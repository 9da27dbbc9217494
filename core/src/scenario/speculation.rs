//! Tokens that vLLM guesses ahead, and which of that is modelled.

use core::fmt;

use super::Scenario;
use crate::architecture::LinearKind;
use crate::serving::{Engine, Speculation, Version};

/// Why guessing tokens ahead is not modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSpeculation {
    /// The release is older than those whose code was read.
    Release,
    /// The model has no layers for it that are known.
    Layers,
    /// The pipeline has several stages.
    Pipeline,
    /// Layers with a window, with a state that is not a gated delta net, with another layer's cache, or that do not attend at all.
    Kinds,
}

impl fmt::Display for NoSpeculation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Release => "guessing tokens ahead is modelled from vLLM 0.11 on",
            Self::Layers => {
                "the model brings no layers for guessing ahead (MTP) that are known: DeepSeek V3, GLM-4.5 to 4.7, Qwen3-Next and Qwen3.5 to 3.8 have them"
            }
            Self::Pipeline => "guessing tokens ahead on several pipeline stages is not modelled",
            Self::Kinds => {
                "what guesses ahead take where layers have a sliding window, a shared cache, or a state other than a gated delta net is not modelled"
            }
        })
    }
}

impl Scenario {
    /// Tokens that the server guesses ahead of each sequence at a time.
    pub fn guessed_tokens(&self) -> u32 {
        let guesses = self.runtime() == Some(Engine::Vllm) && self.serving.speculation != Speculation::None;
        if guesses { self.serving.num_speculative_tokens } else { 0 }
    }

    /// Layers of the model's own that it guesses with, beside all others; each sees the whole context and has a cache of its own.
    pub(crate) fn guessing_layers(&self) -> u32 {
        let guesses = self.runtime() == Some(Engine::Vllm) && self.serving.speculation == Speculation::Mtp;
        if guesses { self.architecture.prediction_layers } else { 0 }
    }
}

/// Whether what guessing ahead takes is modelled.
///
/// # Errors
/// Why it is not.
///
/// # Source
/// vLLM 0.11 to 0.25, `config/speculative.py`, `v1/spec_decode/` and `MambaStateShapeCalculator.gated_delta_net_state_shape` (`num_spec`). Read 2026-11-25.
pub(super) fn supported(scenario: &Scenario) -> Result<(), NoSpeculation> {
    let shape = &scenario.architecture;
    if scenario.guessed_tokens() == 0 {
        return Ok(());
    }
    if scenario.serving.version < (Version { major: 0, minor: 11 }) {
        return Err(NoSpeculation::Release);
    }
    if scenario.serving.speculation == Speculation::Mtp && shape.prediction_layers == 0 {
        return Err(NoSpeculation::Layers);
    }
    if scenario.parallel.pp > 1 {
        return Err(NoSpeculation::Pipeline);
    }
    let other_states = shape.linear_attention.is_some_and(|it| it.kind != LinearKind::GatedDelta);
    let uneven = shape.sliding_window.is_some() || shape.mlp_layers > 0 || shape.shared_cache_layers > 0;
    if other_states || uneven || shape.states_beside_attention { Err(NoSpeculation::Kinds) } else { Ok(()) }
}
