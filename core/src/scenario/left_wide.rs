//! Makers' own quantised files, which leave more in wider formats than their format says.

use super::Scenario;
use crate::architecture::{Architecture, LinearKind};
use crate::precision::WeightFormat;

/// Which of the layers' matrices are not in the format of the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftWide {
    /// Attention, and shared experts, in 16 bits.
    Attention,
    /// Attention, and all of the first and the last layer, in 16 bits.
    AttentionAndEnds,
    /// Linear attention, in 8 bits.
    LinearAttention,
}

/// Layers and `hidden_size` of Llama 3.1 405B.
const LLAMA_405B: (u32, u32) = (126, 16_384);
/// Those of the dense models of Gemma 4.
const GEMMA_4: [(u32, u32); 2] = [(60, 5_376), (48, 3_840)];

impl Scenario {
    /// What of the layers' matrices a quantised file leaves wider than its format.
    ///
    /// # Assumes
    /// Files like those that are most served; [`Scenario::others_leave_wide`] says where others are wider. torchao and bitsandbytes quantise all linear layers.
    ///
    /// # Source
    /// `quantization_config` of Qwen's GPTQ files of mixtures: `"dynamic": {"-:.*attn.*", "-:.*shared_expert.*", "-:.*mtp.*", "-:.*visual.*"}`.
    /// `modules_to_not_convert` of meta-llama/Llama-3.1-405B-Instruct-FP8, and section 6.2 of "The Llama 3 Herd of Models" (arXiv 2407.21783); a log of vllm-project/vllm issue 6746
    /// says 57.75 GiB on each of 8 GPUs, 1 GiB of it KV heads that the first files held twice. nvidia/Gemma-4-31B-IT-NVFP4 keeps attention in 16 bits: 31.04 GiB in a log, and out of memory
    /// on 31.35 GiB (vllm issue 40291). NVFP4 files of Qwen3.5 to 3.8 27B are 20.4 to 24.6 GiB (vllm-project/recipes pull request 810). Read 2026-11-25.
    pub fn left_wide(&self) -> Option<LeftWide> {
        let shape = &self.architecture;
        let (size, mixture) = ((shape.layers, shape.hidden_size), shape.moe.is_some());
        match self.weights {
            WeightFormat::Int4 if mixture && has_delta(shape) => Some(LeftWide::Attention),
            WeightFormat::Nvfp4 if !mixture && has_delta(shape) => Some(LeftWide::LinearAttention),
            WeightFormat::Nvfp4 if GEMMA_4.contains(&size) && shape.keys_as_values => Some(LeftWide::Attention),
            WeightFormat::Fp8 if size == LLAMA_405B => Some(LeftWide::AttentionAndEnds),
            _ => None,
        }
    }

    /// Whether other published files of this model in this format leave more in 16 bits: of a dense model with gated delta nets all attention in 4-bit integers, or linear attention in NVFP4.
    ///
    /// # Source
    /// Qwen/Qwen3.5-27B-GPTQ-Int4 has 30 GB with its vision tower and the layer for drafts; `AutoRound`'s and AWQ's files of all linear layers 17.7 GB (noonghunna/club-3090,
    /// `docs/FAQ.md`). NVFP4: see [`Scenario::left_wide`]. Read 2026-11-25.
    pub fn others_leave_wide(&self) -> bool {
        let shape = &self.architecture;
        matches!(self.weights, WeightFormat::Int4 | WeightFormat::Nvfp4) && shape.moe.is_none() && has_delta(shape)
    }
}

fn has_delta(shape: &Architecture) -> bool {
    shape.linear_attention.is_some_and(|it| it.kind == LinearKind::GatedDelta)
}
