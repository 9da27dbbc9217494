//! Makers' own quantised files, which leave more in 16 bits than their format says.

use super::Scenario;
use crate::architecture::LinearKind;
use crate::precision::WeightFormat;

/// Which of the layers' matrices stay in 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftWide {
    /// Attention, and shared experts.
    Attention,
    /// Attention, and all of the first and the last layer.
    AttentionAndEnds,
}

/// Layers and `hidden_size` of Llama 3.1 405B.
const LLAMA_405B: (u32, u32) = (126, 16_384);

impl Scenario {
    /// What of the layers' matrices a quantised file leaves in 16 bits.
    ///
    /// # Assumes
    /// Files like the maker's own. Those that quantise attention too are smaller, by a third in a dense model; torchao and bitsandbytes quantise all linear layers.
    ///
    /// # Source
    /// `quantization_config` of Qwen/Qwen3.5-27B-GPTQ-Int4 and its kin: `"dynamic": {"-:.*attn.*", "-:.*shared_expert.*", "-:.*mtp.*", "-:.*visual.*"}`; model cards of
    /// btbtyler09/Qwen3-Coder-Next-GPTQ-4bit and 88plug/Qwen3.6-27B-W4A16. `modules_to_not_convert` of meta-llama/Llama-3.1-405B-Instruct-FP8, and section 6.2 of "The Llama 3
    /// Herd of Models" (arXiv 2407.21783); a log of vllm-project/vllm issue 6746 says 57.75 GiB on each of 8 GPUs, 1 GiB of it KV heads that the first files held twice. Read 2026-11-25.
    pub fn left_wide(&self) -> Option<LeftWide> {
        let shape = &self.architecture;
        let delta = shape.linear_attention.is_some_and(|it| it.kind == LinearKind::GatedDelta);
        match self.weights {
            WeightFormat::Int4 if delta => Some(LeftWide::Attention),
            WeightFormat::Fp8 if (shape.layers, shape.hidden_size) == LLAMA_405B => Some(LeftWide::AttentionAndEnds),
            _ => None,
        }
    }
}
