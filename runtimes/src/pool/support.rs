//! Which GPUs, formats and models a server with a pool runs.

use memory_wall_core::scenario::{Blocks, Tiles};
use memory_wall_core::tables::capability::{self, Capability};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{Checked, WeightFormat};

use super::{Refused, Server};

impl Server {
    /// The least compute capability that it starts on.
    ///
    /// # Source
    /// `SGLang`: `maybe_downgrade_dtype_for_legacy_gpu` of 0.5.23. TensorRT-LLM: the hardware of its support matrix, Ampere and newer.
    /// Read 2026-11-25.
    const fn needs(self) -> Capability {
        match self {
            Self::Sglang => Capability::new(7, 5),
            Self::TensorRtLlm => Capability::new(8, 0),
        }
    }

    /// Whether it has kernels for weights in a format that it loads, on a GPU of NVIDIA's.
    ///
    /// # Source
    /// `SGLang` 0.5.23: `get_min_capability` in `layers/quantization` (`fp8.py`, `mxfp4.py` and, for NVFP4, `modelopt_quant.py`: 80; Marlin's kernels where the GPU has no
    /// units). TensorRT-LLM: the hardware matrix in `docs/source/features/quantization.md`, where 12.0 has none for 4-bit integers and for blocks of fp8; MXFP4 also on
    /// Hopper (`examples/models/core/gpt_oss/README.md`). 12.1 counts as 12.0 (release notes
    /// of 1.2), and generations that the matrix doesn't name count as ones without. Read 2026-11-25. W8A8 in `SGLang`: `int8_scaled_mm` of `sgl-kernel`, which has kernels up to 9.0
    /// ("No implemented `int8_scaled_mm`" beyond), and on 7.5 for fp16 alone. Read 2026-11-27.
    fn multiplies(self, weights: WeightFormat, has: Capability) -> bool {
        use WeightFormat as W;
        match (self, weights) {
            (Self::Sglang, W::Fp8 | W::Fp8Block | W::Mxfp4 | W::Nvfp4) => has >= Capability::new(8, 0),
            (Self::Sglang, W::W8a8) => matches!(has.major, 8 | 9),
            (Self::TensorRtLlm, W::Fp8) => has >= Capability::new(8, 9),
            (Self::TensorRtLlm, W::Fp8Block) => matches!(has.major, 9 | 10),
            (Self::TensorRtLlm, W::Mxfp4) => matches!(has.major, 9 | 10 | 12),
            (Self::TensorRtLlm, W::Nvfp4) => matches!(has.major, 10 | 12),
            (Self::TensorRtLlm, W::Int4) => has.major <= 10,
            _ => true,
        }
    }
}

/// Whether a server runs on a GPU, with weights in a format.
///
/// # Errors
/// It isn't the maker's, or the generation is one without kernels.
pub(super) fn on_gpu(server: Server, weights: WeightFormat, gpu: &'static Gpu) -> Result<(), Refused> {
    let Some(has) = capability::of(gpu) else {
        if gpu.is_own() {
            return Err(Refused::OwnGpu(server));
        }
        let fp8 = matches!(weights, WeightFormat::Fp8 | WeightFormat::Fp8Block) && gpu.peaks.fp8.is_none();
        return if server == Server::TensorRtLlm || gpu.vendor != "AMD" || gpu.before_mi200() {
            Err(Refused::Gpu(server, gpu.name))
        } else if fp8 || matches!(weights, WeightFormat::Nvfp4 | WeightFormat::W8a8) {
            Err(Refused::Kernels(server, weights, gpu.name))
        } else {
            Ok(())
        };
    };
    let needs = server.needs();
    if has < needs {
        Err(Refused::TooOld { server, gpu: gpu.name, has, needs })
    } else if !server.multiplies(weights, has) {
        Err(Refused::Kernels(server, weights, gpu.name))
    } else {
        Ok(())
    }
}

/// Whether each rank has whole experts, or whole blocks of them.
///
/// # Errors
/// Broken blocks, and expert-parallel ranks that don't share out experts or ranks.
///
/// # Source
/// `SGLang`: `moe_tp_size` in `parallel_state.py`; `create_fp8_moe_weight_` and `validate_block_quant_shapes` in `fp8.py` (issue 5858), `awq.py`, `moe_wna16.py`, which takes
/// finer groups for experts. TensorRT-LLM: `Mapping`, where `moe_tp_size` times `moe_ep_size` is `tp_size`; `linear.py` (`W4A16_AWQ_LinearMethod`). That it cuts experts
/// inside a block isn't certain, and counts as refused. Read 2026-11-25.
pub(super) fn blocks(server: Server, scenario: &Checked, ep: u32) -> Result<(), Refused> {
    let tp = scenario.parallel.tp;
    if ep > 1 {
        let experts = scenario.architecture.moe.map_or(0, |moe| moe.experts);
        for (what, count) in [("experts", experts), ("tensor-parallel ranks", tp)] {
            if count == 0 || !count.is_multiple_of(ep) {
                return Err(Refused::Experts { server, ep, what, count });
            }
        }
    }
    let refines = server == Server::Sglang && scenario.weights != WeightFormat::Fp8Block;
    Blocks::check(scenario, u64::from(tp / ep), refines.then_some(Blocks::FINEST))
        .map_err(|blocks| Refused::Blocks(server, blocks))?;
    if server == Server::Sglang { without_fp8(scenario) } else { Ok(()) }
}

/// Whether the server gives experts that a cut leaves broken blocks of fp8 whole ones: `SGLang` does by AITER, on AMD's GPUs.
///
/// # Source
/// `create_fp8_moe_weight_`, `get_moe_weight_sizes` and `can_fuse_shared_expert` of `SGLang` 0.5.23 with `SGLANG_USE_AITER=1`, which AMD's images set: a shared expert as wide
/// as the others is one of them. Read 2026-11-26.
pub(super) fn pads(server: Server, scenario: &Checked) -> bool {
    let amd = scenario.gpu.is_some_and(|gpu| gpu.vendor == "AMD");
    server == Server::Sglang && amd && scenario.weights == WeightFormat::Fp8Block
}

/// Whether `SGLang` runs fp8 weights on a GPU without units for it.
///
/// # Errors
/// Experts, and matrices of which a rank has broken tiles.
///
/// # Source
/// sgl-project/sglang issue 12887 (8 A100, until 2026-04) and pull request 30681 (2026-07, open): experts stop in Triton's kernels; 0.5.23 has Marlin's for other matrices alone
/// (`marlin_utils_fp8.py`, which pads nothing), GLM-4.5-Air over 4 GPUs: zai-org/GLM-4.5 issue 23. Read 2026-11-26.
fn without_fp8(scenario: &Checked) -> Result<(), Refused> {
    let format = scenario.weights;
    let Some(gpu) = scenario.gpu.filter(|_| !scenario.multiplies_fp8()) else { return Ok(()) };
    match format {
        WeightFormat::Fp8 | WeightFormat::Fp8Block if scenario.architecture.moe.is_some() => {
            Err(Refused::OldExperts { server: Server::Sglang, format, gpu: gpu.name })
        }
        WeightFormat::Fp8 => Tiles::outside_experts(scenario).map_err(|tiles| Refused::Tiles(Server::Sglang, tiles)),
        _ => Ok(()),
    }
}

/// How a model is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family<'a> {
    /// By the id of a row of the table of models.
    Listed(&'a str),
    /// By the `model_type` of its language model.
    Config(&'a str),
}

/// Families for which TensorRT-LLM's backend in PyTorch has a class, each with how ids of its listed models begin. Ministral 3 goes through the class of
/// `Mistral3ForConditionalGeneration`, of which is not known for certain that it has its scaled positions, and is left out.
///
/// # Source
/// `MODEL_ARCH_TO_MODULE` in `tensorrt_llm/_torch/models/_arch_index.py` at 065ff9e (2026), by `architectures` of each model's `config.json`. What isn't there, such as
/// Granite and `SmolLM3`, another backend (`AutoDeploy`) may run, or none. Read 2026-11-25.
const TENSORRT_LLM: &[(&str, &[&str])] = &[
    ("deepseek_v3", &["deepseek-v3"]),
    ("deepseek_v32", &["deepseek-v3.2"]),
    ("exaone4", &["exaone-4.0-"]),
    ("gemma3_text", &["gemma-3-"]),
    ("gemma4_text", &["gemma-4-26b", "gemma-4-31b"]),
    ("gemma4_unified_text", &["gemma-4-12b"]),
    ("glm4_moe", &["glm-4.5", "glm-4.7"]),
    ("gpt_oss", &["gpt-oss-"]),
    ("hunyuan_v1_dense", &["hunyuan-0.5b", "hunyuan-1.8b", "hunyuan-4b"]),
    ("hunyuan_v1_moe", &["hunyuan-a13b"]),
    ("kimi_k2", &["kimi-k2"]),
    (
        "llama",
        &["llama-2-", "llama-3", "codellama-", "tinyllama-", "r1-distill-llama-", "falcon3-", "smollm2-", "yi-1.5-"],
    ),
    ("llama4_text", &["llama-4-"]),
    ("minimax_m2", &["minimax-m2"]),
    ("mistral", &["mistral-", "ministral-8b-2410"]),
    ("mixtral", &["mixtral-"]),
    ("nemotron_h", &["nemotron-"]),
    ("phi3", &["phi-3", "phi-4"]),
    ("qwen2", &["qwen2.5-", "qwq-", "r1-distill-qwen-"]),
    ("qwen2_5_vl_text", &["qwen2.5-vl-"]),
    ("qwen2_moe", &["qwen1.5-moe-"]),
    ("qwen3", &["qwen3-0", "qwen3-1", "qwen3-32b", "qwen3-4b", "qwen3-8b"]),
    ("qwen3_moe", &["qwen3-235b", "qwen3-30b", "qwen3-coder-"]),
    ("qwen3_vl_text", &["qwen3-vl-2b", "qwen3-vl-32b", "qwen3-vl-4b", "qwen3-vl-8b"]),
    ("qwen3_vl_moe_text", &["qwen3-vl-235b", "qwen3-vl-30b"]),
    ("qwen3_next", &["qwen3-next-"]),
    ("qwen3_5_text", &["qwen3.5-0.8b", "qwen3.5-2", "qwen3.5-4b", "qwen3.5-9b"]),
    ("qwen3_5_moe_text", &["qwen3.5-122b", "qwen3.5-35b", "qwen3.5-397b", "qwen3.8-2.4t"]),
    ("seed_oss", &["seed-oss-"]),
    ("starcoder2", &["starcoder2-"]),
];

/// Listed models that begin like ones with a class, and are of another family.
const OTHERS: &[&str] = &["glm-4.7-flash", "mistral-large-3", "mistral-medium-3.5", "mistral-small-4"];

/// Whether a server has a class for a model.
///
/// # Errors
/// TensorRT-LLM has none, or it isn't certain that it has one.
pub fn has_class(server: Server, family: Family<'_>) -> Result<(), Refused> {
    let known = match (server, family) {
        (Server::Sglang, _) => true,
        (Server::TensorRtLlm, Family::Config(family)) => TENSORRT_LLM.iter().any(|(known, _)| *known == family),
        (Server::TensorRtLlm, Family::Listed(id)) => {
            !OTHERS.contains(&id) && TENSORRT_LLM.iter().any(|(_, ids)| ids.iter().any(|begins| id.starts_with(begins)))
        }
    };
    if known { Ok(()) } else { Err(Refused::NoClass(server)) }
}
