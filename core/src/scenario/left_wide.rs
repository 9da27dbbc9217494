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
    /// Attention of both kinds, in 8 bits; the output head is in the format of the weights.
    EightBits,
    /// Shared experts, in 16 bits.
    SharedExperts,
    /// The projections onto the short vectors of latent attention, in 16 bits; every rank has them whole.
    Latents,
}

/// Which of the layers' matrices of a mixture are in the format of its routed experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NarrowBeside {
    /// All.
    All,
    /// Shared experts, and so many of all layers of linear attention.
    SharedAndLinear(u32),
}

/// Layers and `hidden_size` of Nemotron 3 Nano 30B.
const NEMOTRON_3_NANO: (u32, u32) = (52, 2_688);
/// Those of Gemma 4 26B A4B.
const GEMMA_4_MIXTURE: (u32, u32) = (30, 2_816);
/// Those of Qwen3.5 and 3.6 35B A3B.
const QWEN_35B: (u32, u32) = (40, 2_048);
/// Those of GLM-4.5 to 4.7.
const GLM_4: (u32, u32) = (92, 5_120);
/// Layers and `hidden_size` of Llama 3.1 405B.
const LLAMA_405B: (u32, u32) = (126, 16_384);
/// Layers, `hidden_size` and experts of Mistral Large 3.
const MISTRAL_LARGE_3: ((u32, u32), u32) = ((61, 7_168), 128);
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
    /// on 31.35 GiB (vllm issue 40291). `quantization_config` of mistralai/Mistral-Large-3-675B-Instruct-2512 ignores `q_a_proj` and `kv_a_proj_with_mqa` (unslothai/unsloth, its
    /// `params.json` quoted in `tests/`). QuantTrio/GLM-4.6-AWQ, in groups of 128, runs over 8 ranks, on each of which are 192 of a shared expert (vLLM pull request 30210), and over all of them with whole
    /// experts in a release before (nlzy/vllm-gfx906 issue 29): no group is cut, so shared experts are in none. NVFP4 files of Qwen3.5 to 3.8 27B are 20.4 to 24.6 GiB (vllm-project/recipes pull request 810); that of NVIDIA and that of 3.8 by the same recipe, 21.93 and 21.95 GB with tower and layer for drafts, have MLPs and
    /// output head in NVFP4, 193 groups, and the large projections of attention in fp8, 208 (NVIDIA/Model-Optimizer pull request 2363; noonghunna/club-3090,
    /// `scripts/lib/profiles/models/qwen3.8-27b.yml`). NVIDIA's of 35B A3B, 23.4 GB, has 161 and 130 (`qwen3.6-35b-a3b.yml` there; sgl-project/sglang pull request 27906). Read 2026-11-27.
    pub fn left_wide(&self) -> Option<LeftWide> {
        let shape = &self.architecture;
        let (size, mixture) = ((shape.layers, shape.hidden_size), shape.moe.is_some());
        match self.weights {
            WeightFormat::Int4 if mixture && has_delta(shape) => Some(LeftWide::Attention),
            WeightFormat::Int4 if mixture && size == GLM_4 => Some(LeftWide::SharedExperts),
            WeightFormat::Nvfp4 if has_delta(shape) && (!mixture || size == QWEN_35B) => Some(LeftWide::EightBits),
            WeightFormat::Nvfp4 if GEMMA_4.contains(&size) && shape.keys_as_values => Some(LeftWide::Attention),
            WeightFormat::Fp8Block if shape.moe.is_some_and(|moe| (size, moe.experts) == MISTRAL_LARGE_3) => {
                Some(LeftWide::Latents)
            }
            WeightFormat::Fp8 if size == LLAMA_405B => Some(LeftWide::AttentionAndEnds),
            _ => None,
        }
    }

    /// Which of the layers' matrices of a mixture an NVFP4 file holds in 4 bits beside the routed experts; `None`: none of them.
    ///
    /// # Source
    /// nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4: attention and the Mamba layers in front of it stay in 16 bits, the other layers are in NVFP4 (model card; arXiv 2512.20848,
    /// section 4: 17 of 23 Mamba layers, shared experts with the routed ones). A file of Gemma 4 26B A4B is 15.88 GiB in a log, as with all linear layers in 4 bits
    /// (sostrowsk/dgx-spark-local-llm at 4b54864, `gemma4-nvfp4.log`). Read 2026-11-26.
    pub fn narrow_beside_experts(&self) -> Option<NarrowBeside> {
        let shape = &self.architecture;
        if self.weights != WeightFormat::Nvfp4 || shape.moe.is_none() {
            return None;
        }
        match (shape.layers, shape.hidden_size) {
            NEMOTRON_3_NANO => Some(NarrowBeside::SharedAndLinear(17)),
            GEMMA_4_MIXTURE => Some(NarrowBeside::All),
            _ => None,
        }
    }

    /// Whether other published files of this model in this format leave more in 16 bits: of a dense model with gated delta nets all attention in 4-bit integers, or linear attention in NVFP4; of a mixture in NVFP4 all but the routed experts.
    ///
    /// # Source
    /// Qwen/Qwen3.5-27B-GPTQ-Int4 has 30 GB with its vision tower and the layer for drafts; `AutoRound`'s and AWQ's files of all linear layers 17.7 GB (noonghunna/club-3090,
    /// `docs/FAQ.md`). NVFP4: see [`Scenario::left_wide`]. Read 2026-11-25.
    pub fn others_leave_wide(&self) -> bool {
        let shape = &self.architecture;
        self.weights == WeightFormat::Int4 && shape.moe.is_none() && has_delta(shape)
            || self.left_wide() == Some(LeftWide::EightBits)
            || self.narrow_beside_experts().is_some()
    }
}

fn has_delta(shape: &Architecture) -> bool {
    shape.linear_attention.is_some_and(|it| it.kind == LinearKind::GatedDelta)
}
