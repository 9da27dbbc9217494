//! What vLLM asks of a cut, of lengths and of a GPU: expert parallelism over all ranks, whole blocks on each, no more than the model was made for.

use super::{Blocks, Scenario, Tiles, Unsupported, releases, speculation};
use crate::architecture::{LinearKind, Projection};
use crate::precision::{FP8_BLOCK, KvPrecision, WeightFormat};
use crate::serving::{Engine, Serving, Version};
use crate::tables::capability::{self, BLACKWELL, Capability, NATIVE_FP8};
use crate::tables::classes::Class;
use crate::tables::gpus::Gpu;

/// Whether vLLM accepts cut and lengths of a scenario that it serves.
///
/// # Errors
/// The first thing that it refuses.
///
/// # Source
/// vLLM: `ParallelConfig` and `FusedMoEParallelConfig.make` (experts over tensor × data-parallel ranks, with or without
/// `--enable-expert-parallel`), `validate_fp8_block_shape` and `Fp8MoEMethod.create_weights` (blocks; issue 17569),
/// `ModelConfig.get_and_verify_max_len` (lengths; pull request 7080), `SchedulerConfig.verify_max_model_len` (tokens and sequences at once).
pub(super) fn supported(scenario: &Scenario) -> Result<(), Unsupported> {
    releases::supported(scenario)?;
    if scenario.architecture.dual_chunks && scenario.serving.version >= WITH_DUAL_CHUNKS {
        return Err(Unsupported::DualChunks);
    }
    let parallel = &scenario.parallel;
    let all = u64::from(parallel.tp) * u64::from(parallel.dp);
    if parallel.ep > 1 && u64::from(parallel.ep) != all {
        return Err(Unsupported::ExpertRanks { ep: parallel.ep, all });
    }
    if let Some(moe) = scenario.architecture.moe
        && parallel.ep > moe.experts
    {
        return Err(Unsupported::TooFewExperts { ep: parallel.ep, experts: moe.experts });
    }
    if let Some(moe) = scenario.architecture.moe
        && !u64::from(moe.intermediate_size).is_multiple_of(scenario.experts().width)
    {
        return Err(Unsupported::ExpertWidth { width: moe.intermediate_size, ranks: scenario.experts().width });
    }
    whole_blocks(scenario)?;
    whole_tiles(scenario).map_err(Unsupported::Tiles)?;
    let by_bitsandbytes = matches!(scenario.weights, WeightFormat::Nf4 | WeightFormat::Nf4Dq | WeightFormat::Int8);
    if scenario.architecture.attention_sinks && scenario.architecture.moe.is_some() && by_bitsandbytes {
        return Err(Unsupported::NoBitsandbytesExperts(scenario.weights));
    }
    adapters(scenario)?;
    speculation::supported(scenario).map_err(Unsupported::Speculation)?;
    if keeps_a_state_per_page(scenario) {
        return Err(Unsupported::Unserved(
            Engine::Vllm,
            "prefix caching beside Mamba layers or short convolutions before 0.28",
        ));
    }
    scheduled(scenario)?;
    precision(scenario)?;
    let longest = scenario.longest_request();
    match (scenario.serving.max_model_len, scenario.architecture.trained_context) {
        (Some(max_model_len), _) if max_model_len < scenario.seq_length => {
            Err(Unsupported::TooLong { seq_length: scenario.seq_length, max_model_len })
        }
        (_, Some(derived)) if derived < longest => Err(Unsupported::BeyondModel { max_model_len: longest, derived }),
        _ => Ok(()),
    }
}

/// Whether prefixes are to be cached in the mode "all", which keeps a state for each page of a sequence and has pages of its own size.
///
/// # Source
/// vLLM 0.16 to 0.27, `MambaModelConfig.verify_and_update_config`: models whose class has `supports_mamba_prefix_caching`, which those with gated delta nets and Kimi Linear lack. Read 2026-11-27.
fn keeps_a_state_per_page(scenario: &Scenario) -> bool {
    let mamba = scenario
        .architecture
        .linear_attention
        .is_some_and(|it| !matches!(it.kind, LinearKind::GatedDelta | LinearKind::Kda));
    mamba
        && scenario.serving.prefix_caching == Some(true)
        && scenario.serving.version < (Version { major: 0, minor: 28 })
}

/// The first release that reads `dual_chunk_attention_config`; those before ignore it. Its backend was for the engine of then, and went with that in 0.11.
///
/// # Source
/// vLLM pull request 11844 (merged 2025-05); issues 21452, 24048 and 33470 (a `TypeError` from 0.9 to 2026). Read 2026-11-25.
const WITH_DUAL_CHUNKS: Version = Version { major: 0, minor: 9 };

/// The ranks of adapters that vLLM makes slots for.
const RANKS: [u32; 9] = [1, 8, 16, 32, 64, 128, 256, 320, 512];

/// Whether the slots for adapters are known: those of attention by heads and plain MLPs are.
///
/// # Errors
/// A rank that vLLM has no slots for, its first engine, or a model whose slots are not modelled.
///
/// # Source
/// vLLM, `config/lora.py`: `MaxLoRARanks`; issue 14450: the first engine counts its blocks before it makes the slots. Read 2026-11-25.
fn adapters(scenario: &Scenario) -> Result<(), Unsupported> {
    let (serving, shape) = (&scenario.serving, &scenario.architecture);
    let plain = shape.moe.is_none() && shape.linear_attention.is_none() && shape.mlp_layers == 0;
    let by_heads = plain && shape.projection == Projection::Heads;
    match serving.max_loras {
        Some(_) if !RANKS.contains(&serving.max_lora_rank) => Err(Unsupported::LoraRank(serving.max_lora_rank)),
        Some(_) if serving.version.first_engine(scenario.gpu) => Err(Unsupported::LoraSlots { first_engine: true }),
        Some(_) if !by_heads => Err(Unsupported::LoraSlots { first_engine: false }),
        _ => Ok(()),
    }
}

/// Whether the scheduler takes so many tokens and sequences at once.
///
/// # Errors
/// Fewer tokens than sequences, or than a prompt that is read as a whole.
///
/// # Source
/// vLLM, `SchedulerConfig.verify_max_model_len`; 0.7.3, `SchedulerConfig.__post_init__` ("`max_num_batched_tokens` (2048) is smaller than
/// `max_model_len`"), with chunks only where `max_model_len` is above 32,768. By itself vLLM takes no more sequences than tokens since 0.11
/// (`_set_default_args`); before, 256 or 1,024. Read 2026-11-25.
fn scheduled(scenario: &Scenario) -> Result<(), Unsupported> {
    let serving = &scenario.serving;
    let Serving { max_num_batched_tokens: tokens, max_num_seqs: sequences, .. } = *serving;
    let own = serving.usual_seqs && serving.version < (Version { major: 0, minor: 11 });
    let sequences = if own { sequences.max(LEAST_OWN_SEQUENCES) } else { sequences };
    if tokens < sequences {
        return Err(Unsupported::FewTokens { tokens, sequences });
    }
    let longest = scenario.longest_request();
    let whole = longest <= Serving::LONGEST_WHOLE && serving.version.first_engine(scenario.gpu);
    if whole && !serving.usual_batched_tokens && tokens < longest {
        return Err(Unsupported::WholePrompt { tokens, longest });
    }
    Ok(())
}

/// Sequences at once that releases before 0.11 take by themselves at least.
const LEAST_OWN_SEQUENCES: u32 = 256;

/// Whether vLLM has a precision for the model on the scenario's GPU, and weights and cache are in it.
///
/// # Errors
/// The model is unstable in fp16 and is asked for in fp16, or in what fp32 alone could compute.
///
/// # Source
/// vLLM, `config/model.py`: `_FLOAT16_NOT_SUPPORTED_MODELS` (gemma2, gemma3, `gemma3_text`, plamo2, glm4) and `_resolve_auto_dtype`, which takes the first
/// precision that both GPU and model have; below compute capability 8.0 a GPU has fp16 and fp32 (`CudaPlatformBase.supported_dtypes`).
/// AWQ, GPTQ, fp8 and their kin compute in 16 bits alone. Read 2026-11-23.
fn precision(scenario: &Scenario) -> Result<(), Unsupported> {
    if !scenario.architecture.unstable_in_fp16 {
        return Ok(());
    }
    let half = scenario.weights == WeightFormat::Fp16;
    let old = scenario.gpu.and_then(|gpu| Some((gpu.name, capability::of(gpu).filter(|has| *has < WITH_BF16)?)));
    let Some((gpu, has)) = old else { return if half { Err(Unsupported::NoFp16) } else { Ok(()) } };
    let weights = (scenario.weights != WeightFormat::Fp32).then_some(scenario.weights);
    if weights.is_some() || scenario.kv != KvPrecision::Fp32 {
        return Err(Unsupported::OnlyFp32 { gpu, has, weights });
    }
    Ok(())
}

/// The first generation with bf16.
pub(crate) const WITH_BF16: Capability = Capability::new(8, 0);

/// Whether vLLM runs on a GPU at all, and keeps a cache in the scenario's format there.
///
/// # Errors
/// The GPU is another maker's that is not modelled, or too old.
///
/// # Source
/// vLLM, `docs/getting_started/installation/gpu.md`: compute capability 7.0; pull request 39878 (0.20 comes with CUDA 13, whose kernels begin at compute capability 7.5); 43914 (Triton's attention refuses an fp8 cache
/// below 8.9; before, it failed as in issue 26431), and `docs/design/attention_backends.md` (`FlashInfer`: heads of 64, 128 and 256, no sinks; with
/// latent attention Triton alone below 9.0). That `FlashInfer` runs one on 8.6: noonghunna/club-3090, `docs/DTYPE_MATRIX.md`, vLLM 0.24 on RTX 3090.
/// No log of 7.5 was found. Read 2026-11-23.
pub(super) fn supports_gpu(scenario: &Scenario, gpu: &'static Gpu) -> Result<(), Unsupported> {
    if matches!(gpu.vendor, "Google" | "Intel" | "Apple") {
        return Err(Unsupported::Maker(Engine::Vllm, gpu.name));
    }
    let Some(has) = capability::of(gpu) else { return on_amd(scenario, gpu) };
    let needs = Capability::new(7, if has.major < 7 || scenario.serving.version < WITH_CUDA_13 { 0 } else { 5 });
    if has < needs {
        return Err(Unsupported::TooOld { engine: Engine::Vllm, gpu: gpu.name, has, needs });
    }
    mixed_files(scenario, gpu.name, has)?;
    let old = has < NATIVE_FP8 && scenario.kv == KvPrecision::Fp8;
    let flashinfer = Capability::new(if scenario.serving.version == FLASHINFER_ON_TURING { 7 } else { 8 }, 0);
    if old && !(has >= flashinfer && flashinfer_heads(scenario)) {
        return Err(Unsupported::OldCache { gpu: gpu.name, has });
    }
    if scenario.architecture.indexer.is_some() && !scenario.architecture.picks_blocks() && has < SPARSE {
        return Err(Unsupported::OldAttention { gpu: gpu.name, has, head_dim: None });
    }
    if has < WITH_BF16 { old_attention(scenario, gpu.name, has) } else { Ok(()) }
}

/// The oldest GPUs that vLLM has kernels of sparse attention for.
///
/// # Assumes
/// Kernels in Triton for older ones, which newer development versions have, are not counted.
///
/// # Source
/// `supports_compute_capability` of `flashmla_sparse.py` and `flashinfer_mla_sparse.py`: 9 and 10. Blocks are picked in Triton's kernels (`MiniMaxM3IndexerTritonImpl`). Read 2026-11-26.
const SPARSE: Capability = Capability::new(9, 0);

/// Whether vLLM loads a file that mixes NVFP4 with fp8, as that of Nemotron 3 Super, on a GPU.
///
/// # Errors
/// Releases before 0.24 ask for compute capability 8.9.
///
/// # Source
/// `ModelOptMixedPrecisionConfig.get_min_capability` of 0.17.1 to 0.23.0 (89) and of 0.24.0 (75); vLLM pull request 38985. Read 2026-11-26.
fn mixed_files(scenario: &Scenario, gpu: &'static str, has: Capability) -> Result<(), Unsupported> {
    let format = scenario.weights;
    let mixed = format == WeightFormat::Nvfp4 && scenario.architecture.moe.is_some_and(|moe| moe.latent_size.is_some());
    if mixed && has < NATIVE_FP8 && scenario.serving.version < PADS_TILES {
        return Err(Unsupported::Generation { engine: Engine::Vllm, format, gpu, has, needs: NATIVE_FP8 });
    }
    Ok(())
}

/// Whether vLLM has attention kernels for the model on a GPU older than compute capability 8.0.
///
/// # Errors
/// Latent attention, and heads that are too wide.
///
/// # Source
/// Latent attention: prompts are read by `FlashAttention` 2, the fallback of `MLACommonImpl` (`docs/design/attention_backends.md`), which begins with 8.0; vLLM issue
/// 14016 is a 2080 Ti. Heads of 512: issue 57712 (vLLM 0.26) asks for 96 KiB of shared memory where 7.5 has 64, pull request 39018 is open; of 256 in fp32: issue 36802 asks
/// for 80 KiB. Compute capability 7.0 has 96 KiB, and no run of heads of 512 on it was found. Read 2026-11-25.
fn old_attention(scenario: &Scenario, gpu: &'static str, has: Capability) -> Result<(), Unsupported> {
    let shape = &scenario.architecture;
    if matches!(shape.projection, Projection::Latent(_)) {
        return Err(Unsupported::OldAttention { gpu, has, head_dim: None });
    }
    let [_, windowed] = shape.cached_heads(shape.sliding_window);
    let head_dim = shape.head_dim.max(windowed);
    let small = has >= Capability::new(7, 5) && scenario.serving.version >= TRITON_ALONE;
    let fp32 = scenario.weights == WeightFormat::Fp32 || shape.unstable_in_fp16;
    let most = if fp32 && small { 128 } else { 256 };
    if head_dim > most { Err(Unsupported::OldAttention { gpu, has, head_dim: Some(head_dim) }) } else { Ok(()) }
}

/// The first release without the older engine, whose kernels were those of xFormers on old GPUs (pull request 25351).
const TRITON_ALONE: Version = Version { major: 0, minor: 11 };

/// Whether vLLM runs on a GPU of AMD's, and the scenario's experts in MXFP4 on one that is not of the Instinct line.
///
/// # Source
/// vLLM, `docs/getting_started/installation/gpu.md`: MI200 (gfx90a) and newer, Radeon RX 7900 and RX 9000. vLLM issue 33143 (kernels that stop on gfx1100, 2026-01), 40301 (0.19 asks for less than gfx11); pull request 37826 (tried on gfx1201) lets gfx11 and gfx12 in
/// (`_triton_kernel_moe_supports_current_device`). It was merged after 0.19, and 0.21 is the first release that has it for certain. Read 2026-11-25.
fn on_amd(scenario: &Scenario, gpu: &'static Gpu) -> Result<(), Unsupported> {
    if gpu.before_mi200() {
        return Err(Unsupported::BeforeMi200(gpu.name));
    }
    let radeon = gpu.vendor == "AMD" && gpu.class() != Class::DataCentre;
    if radeon && scenario.weights == WeightFormat::Mxfp4 && scenario.serving.version < MXFP4_ON_RADEON {
        return Err(Unsupported::NoKernels { engine: Engine::Vllm, format: scenario.weights, gpu: gpu.name });
    }
    Ok(())
}

/// The first release that surely lets Radeon GPUs run MXFP4.
const MXFP4_ON_RADEON: Version = Version { major: 0, minor: 21 };

/// The release whose `FlashInfer` runs on compute capability 7.5, with an fp8 cache too: issue 47549 and pull request 47949, by which the next one does not.
const FLASHINFER_ON_TURING: Version = Version { major: 0, minor: 23 };

/// The first release whose packages come with CUDA 13.
const WITH_CUDA_13: Version = Version { major: 0, minor: 20 };

/// Whether `FlashInfer`'s kernels, and they alone, keep the scenario's fp8 cache on its GPU.
pub(crate) fn by_flashinfer(scenario: &Scenario) -> bool {
    scenario.kv == KvPrecision::Fp8 && scenario.gpu.and_then(capability::of).is_some_and(|has| has < NATIVE_FP8)
}

/// Whether `FlashInfer` has kernels for the model's heads.
fn flashinfer_heads(scenario: &Scenario) -> bool {
    let shape = &scenario.architecture;
    let of = |width: u32| matches!(width, 64 | 128 | 256);
    let window = shape.sliding_window.and_then(|window| window.head_dim).unwrap_or(shape.head_dim);
    shape.projection == Projection::Heads && !shape.attention_sinks && of(shape.head_dim) && of(window)
}

/// Whether each rank has whole blocks in vLLM.
///
/// # Source
/// vLLM issues 2699, 5675 and 21695. Experts take finer groups of 4-bit integers where need be, down to 32 (`moe_wna16.py`); until pull request 30210 (merged 2025-12-09,
/// after 0.12.0 of 2025-12-03) the first request then stopped with "`size_k` must divisible by `BLOCK_SIZE_K`", which is 128 at least (issue 17604: Qwen3 235B and 30B with parts of 192),
/// and Marlin's kernels took parts that are multiples of 64 and of the group (`check_moe_marlin_supports_layer`). Since 0.29 finer blocks of fp8: pull
/// request 53896 (merged 2026-08-31 after
/// 0.28.0, `Fp8MoEMethod.weight_scale_refine`), whose tests cut 640 over 2 and 4 ranks into blocks of 64 and 32. Of the kernels for experts in 0.29 to 0.33 Triton's alone take
/// such blocks, from compute capability 8.9 on; Marlin's, which run below it, know 128 × 128 alone (`TritonExperts` and `MarlinExperts`, `_supports_quant_scheme`). Read 2026-11-25.
fn whole_blocks(scenario: &Scenario) -> Result<(), Unsupported> {
    let native = scenario.multiplies_fp8();
    let version = scenario.serving.version;
    let of_experts = match scenario.weights {
        WeightFormat::Fp8Block => (version >= REFINES_BLOCKS && native).then_some(Blocks::FINEST),
        WeightFormat::Int4Group32 if version < REFINES_GROUPS => Some(MARLIN_PART),
        _ => (version >= REFINES_GROUPS).then_some(Blocks::FINEST),
    };
    Blocks::check(scenario, scenario.experts().width, of_experts)
        .map_err(|blocks| Unsupported::Blocks { blocks, marlin: !native })
}

/// Whether each rank has whole tiles of Marlin's kernels, where they run the weights.
///
/// # Errors
/// A broken tile.
///
/// # Source
/// NVFP4: Nemotron 3 on 4 A100, 4 H100 and two GPUs (vLLM pull requests 43908, 41947 and 37296). Padded since pull requests 45295 (0.24) and 45703 (0.25, experts in fp8), as the sources of
/// 0.23.0, 0.24.0 and 0.25.0 show; experts in fp8 without a gate still fail (pull request 50568, open; the source of 0.33.0). Read 2026-11-26.
fn whole_tiles(scenario: &Scenario) -> Result<(), Tiles> {
    let version = scenario.serving.version;
    let nvfp4 = scenario.weights == WeightFormat::Nvfp4;
    let by_marlin = match scenario.weights {
        WeightFormat::Fp8 => !scenario.multiplies_fp8(),
        WeightFormat::Nvfp4 => scenario.gpu.and_then(capability::of).is_some_and(|has| has < BLACKWELL),
        _ => false,
    };
    if by_marlin && version < PADS_TILES {
        Tiles::outside_experts(scenario)?;
    }
    let gated = scenario.architecture.mlp.matrices() == 3;
    let pads = if nvfp4 { version >= PADS_TILES } else { version >= PADS_EXPERTS && gated };
    if by_marlin && !pads { Tiles::of_experts(scenario) } else { Ok(()) }
}

/// The first release that pads what is no whole number of tiles, and the first that pads experts in fp8.
const PADS_TILES: Version = Version { major: 0, minor: 24 };
const PADS_EXPERTS: Version = Version { major: 0, minor: 25 };

/// The first release that runs experts in finer groups of 4-bit integers than the files have.
const REFINES_GROUPS: Version = Version { major: 0, minor: 13 };

/// Marlin's kernels take parts of an expert that are multiples of this.
const MARLIN_PART: u64 = 64;

/// The first release that gives experts whose part on a rank is no whole block of fp8 finer blocks, of 32 at least.
const REFINES_BLOCKS: Version = Version { major: 0, minor: 29 };

/// The part of an expert on a rank where vLLM gives it finer blocks of fp8 than the files have, and their width.
pub(crate) fn finer_blocks(scenario: &Scenario) -> Option<(u64, u64)> {
    let moe = scenario.architecture.moe?;
    let served = scenario.runtime() == Some(Engine::Vllm) && scenario.weights == WeightFormat::Fp8Block;
    let inside = u64::from(moe.intermediate_size).div_ceil(scenario.experts().width);
    // The largest power of two that divides it.
    let block = 1_u64.checked_shl(inside.trailing_zeros()).unwrap_or(FP8_BLOCK);
    (served && block < FP8_BLOCK).then_some((inside, block))
}
