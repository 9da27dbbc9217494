//! Models that llama.cpp cuts by tensors (`--split-mode tensor`).

use core::fmt;

use super::{Attention, Scenario};
use crate::architecture::{LinearKind, Projection};

/// Why llama.cpp doesn't cut a scenario's matrices over GPUs, or not as it is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorSplit {
    /// There is one split mode, by layers or by tensors.
    BesideLayers,
    /// It has no implementation for the model's architecture.
    NotImplemented,
    /// It has one for architectures of the kind, or for some of them, and what a GPU then holds is not modelled.
    NotModelled(&'static str),
    /// It needs flash attention.
    Eager,
    /// Ranks do not divide the KV heads.
    KvHeads {
        /// Tensor-parallel ranks.
        tp: u32,
        /// KV heads.
        kv_heads: u32,
    },
}

impl fmt::Display for TensorSplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BesideLayers => f.write_str(
                "llama.cpp has one --split-mode, by layers (pp) or by tensors (tp), and not both: use pp alone",
            ),
            Self::NotImplemented => f.write_str(
                "llama.cpp cuts no matrices of this model over GPUs (\"LLAMA_SPLIT_MODE_TENSOR not implemented for architecture\"): it cuts the model by layers, which is pp",
            ),
            Self::NotModelled(what) => write!(
                f,
                "llama.cpp's --split-mode tensor, an experiment, is not modelled for models with {what}: its usual split over GPUs is by layers, which is pp"
            ),
            Self::Eager => f.write_str(
                "llama.cpp cuts matrices over GPUs with flash attention alone (\"SPLIT_MODE_TENSOR requires flash_attn to be enabled\"): use attention flash, or pp",
            ),
            Self::KvHeads { tp, kv_heads } => write!(
                f,
                "llama.cpp's --split-mode tensor gives {tp} GPUs unequal parts of {kv_heads} KV heads, which is not modelled: its usual split is by layers, which is pp"
            ),
        }
    }
}

/// Whether llama.cpp cuts the scenario's matrices over GPUs as it is modelled.
///
/// # Errors
/// What keeps it from that.
///
/// # Source
/// llama.cpp, `docs/multi-gpu.md` at 5815cb8 (2026) with the architectures that are left out (`llm_arch_supports_sm_tensor`): all with latent attention, Mamba and its hybrids,
/// `OLMo` 2 and `MiniMax` M2, whose norm runs over all heads, and some mixtures. The older `row` mode cut dense matrices alone and is gone. A quantised cache goes with it since
/// pull request 23792 (2026-06). Read 2026-11-25.
pub(super) fn splits(scenario: &Scenario) -> Result<(), TensorSplit> {
    let (parallel, shape) = (&scenario.parallel, &scenario.architecture);
    if parallel.tp == 1 {
        return Ok(());
    }
    if parallel.pp > 1 {
        return Err(TensorSplit::BesideLayers);
    }
    let mamba = shape
        .linear_attention
        .is_some_and(|it| matches!(it.kind, LinearKind::Mamba2 | LinearKind::PlainMamba2 | LinearKind::Mamba1 { .. }));
    if matches!(shape.projection, Projection::Latent(_)) || mamba || shape.wide_qk_norm {
        return Err(TensorSplit::NotImplemented);
    }
    let kinds = [
        (shape.moe.is_some(), "experts"),
        (shape.linear_attention.is_some(), "layers that have a state in place of a cache"),
        (shape.sliding_window.is_some(), "a sliding window"),
        (shape.shared_cache_layers > 0, "layers that share a cache"),
    ];
    if let Some((_, what)) = kinds.into_iter().find(|(has, _)| *has) {
        return Err(TensorSplit::NotModelled(what));
    }
    if scenario.attention == Attention::Eager {
        return Err(TensorSplit::Eager);
    }
    if !shape.kv_heads.is_multiple_of(parallel.tp) {
        return Err(TensorSplit::KvHeads { tp: parallel.tp, kv_heads: shape.kv_heads });
    }
    Ok(())
}
