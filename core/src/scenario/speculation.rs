//! Tokens that vLLM guesses ahead, and which of that is modelled.

use core::fmt;

use super::Scenario;
use crate::architecture::{LinearKind, Projection};
use crate::display::Grouped;
use crate::serving::{Engine, Speculation, Version};
use crate::tables::drafts::Draft;

/// Why guessing tokens ahead is not modelled, or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSpeculation {
    /// The release is older than those whose code was read.
    Release,
    /// The release is older than draft models in vLLM's second engine.
    DraftRelease,
    /// The model has no layers for it that are known.
    Layers,
    /// The pipeline has several stages.
    Pipeline,
    /// Layers with a window, with a state that is not a gated delta net, with another layer's cache, or that do not attend at all.
    Kinds,
    /// A head or a draft model is asked for, and none is named.
    NoDraft,
    /// A head is named for a draft model, or the other way round.
    Method,
    /// The draft is no stack of dense layers with plain attention.
    Shape,
    /// The head was trained for a model of another width.
    Width {
        /// What it reads.
        reads: u32,
        /// The model's hidden size.
        hidden_size: u32,
    },
    /// The draft has another vocabulary.
    Vocabulary {
        /// That of the draft.
        draft: u32,
        /// That of the model.
        model: u32,
    },
    /// The draft's heads cannot be cut over so many ranks.
    Ranks {
        /// Query heads of the draft.
        heads: u32,
        /// Tensor-parallel ranks.
        tp: u32,
    },
}

impl fmt::Display for NoSpeculation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Release => "guessing tokens ahead is modelled from vLLM 0.11 on",
            Self::DraftRelease => "draft models of their own are modelled from vLLM 0.15 on",
            Self::Layers => {
                "the model brings no layers for guessing ahead (MTP) that are known: DeepSeek V3, GLM-4.5 to 4.7, Qwen3-Next and Qwen3.5 to 3.8 have them"
            }
            Self::Pipeline => "guessing tokens ahead on several pipeline stages is not modelled",
            Self::Kinds => {
                "what guesses ahead take where layers have a sliding window, a shared cache, or a state other than a gated delta net is not modelled"
            }
            Self::NoDraft => "the head or the model that guesses ahead is not named (draft)",
            Self::Method => {
                "an EAGLE head goes with the methods eagle and eagle3, and a model of its own with draft_model"
            }
            Self::Shape => "only drafts of dense layers with plain attention over the whole context are modelled",
            Self::Width { reads, hidden_size } => {
                return write!(
                    f,
                    "the head reads states {} wide, and those of the model are {} wide: it was trained for another model",
                    Grouped((*reads).into()),
                    Grouped((*hidden_size).into())
                );
            }
            Self::Vocabulary { draft, model } => {
                return write!(
                    f,
                    "the draft knows {} tokens and the model {}: vLLM asks for one vocabulary",
                    Grouped((*draft).into()),
                    Grouped((*model).into())
                );
            }
            Self::Ranks { heads, tp } => {
                return write!(f, "the {heads} heads of the draft cannot be cut over {tp} tensor-parallel ranks");
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

    /// Tokens of each sequence that one decoding step writes at most: one, and those that were guessed ahead.
    pub fn tokens_a_step(&self) -> u32 {
        1 + self.guessed_tokens()
    }

    /// Layers of the model's own that it guesses with, beside all others; each sees the whole context and has a cache of its own.
    pub(crate) fn guessing_layers(&self) -> u32 {
        let guesses = self.runtime() == Some(Engine::Vllm) && self.serving.speculation == Speculation::Mtp;
        if guesses { self.architecture.prediction_layers } else { 0 }
    }

    /// The head or the model that guesses ahead, where one does.
    pub(crate) fn drafting(&self) -> Option<&Draft> {
        let drafts =
            matches!(self.serving.speculation, Speculation::Eagle | Speculation::Eagle3 | Speculation::DraftModel);
        self.draft.as_ref().filter(|_| drafts && self.guessed_tokens() > 0)
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
    let uneven = shape.mlp_layers > 0 || shape.shared_cache_layers > 0 || shape.states_beside_attention;
    if matches!(scenario.serving.speculation, Speculation::Eagle | Speculation::Eagle3 | Speculation::DraftModel) {
        drafted(scenario)?;
    } else if shape.sliding_window.is_some() {
        return Err(NoSpeculation::Kinds);
    }
    if other_states || uneven { Err(NoSpeculation::Kinds) } else { Ok(()) }
}

/// Whether what a head or a draft model takes beside the scenario's model is modelled.
///
/// # Errors
/// Why it is not.
///
/// # Source
/// vLLM 0.15 to 0.29: `SpeculativeConfig` (one vocabulary; the tensor parallelism of the model), `v1/spec_decode/draft_model.py` (pull request 24322, January 2026, after 0.14), `models/llama_eagle.py`
/// and `llama_eagle3.py`. Pages of one size: `get_kv_cache_groups`; a head beside layers with a window is one full layer more (gpt-oss). Read 2026-11-26.
fn drafted(scenario: &Scenario) -> Result<(), NoSpeculation> {
    let shape = &scenario.architecture;
    let Some(draft) = &scenario.draft else { return Err(NoSpeculation::NoDraft) };
    let own = scenario.serving.speculation == Speculation::DraftModel;
    if own == draft.reads.is_some() {
        return Err(NoSpeculation::Method);
    }
    if own && scenario.serving.version < (Version { major: 0, minor: 15 }) {
        return Err(NoSpeculation::DraftRelease);
    }
    let Draft { shape: small, .. } = draft;
    let plain = small.projection == Projection::Heads && small.full_layers() == small.layers && small.moe.is_none();
    if !plain || small.shared_cache_layers > 0 || small.linear_attention.is_some() {
        return Err(NoSpeculation::Shape);
    }
    if let Some(reads) = draft.reads.filter(|reads| *reads != shape.hidden_size) {
        return Err(NoSpeculation::Width { reads, hidden_size: shape.hidden_size });
    }
    if small.vocab_size != shape.vocab_size {
        return Err(NoSpeculation::Vocabulary { draft: small.vocab_size, model: shape.vocab_size });
    }
    let tp = scenario.parallel.tp;
    let cut = |heads: u32| heads.is_multiple_of(tp.max(1)) || tp.is_multiple_of(heads.max(1));
    if !small.heads.is_multiple_of(tp.max(1)) || !cut(small.kv_heads) {
        return Err(NoSpeculation::Ranks { heads: small.heads, tp });
    }
    // Layers of several kinds share one size of pages, and one more of the model's own width is a full layer more.
    let alike = [small.kv_heads, small.head_dim] == [shape.kv_heads, shape.head_dim];
    let kinds = shape.sliding_window.is_some() || shape.linear_attention.is_some();
    let latent = matches!(shape.projection, Projection::Latent(_));
    if latent || kinds && (own || !alike) { Err(NoSpeculation::Kinds) } else { Ok(()) }
}
