//! What a runtime cannot run, however much memory there is: formats that it does not load, GPUs that are too old, cuts that it does not know.

use core::fmt;

use super::vllm;
use crate::display::Grouped;
use crate::precision::{KvPrecision, WeightFormat};
use crate::scenario::{Mode, Scenario};
use crate::serving::Engine;
use crate::tables::capability::{self, Capability};
use crate::tables::gpus::Gpu;

/// Why a runtime cannot run a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The runtime does not load weights in this format.
    Weights(Engine, WeightFormat),
    /// The runtime has no KV cache in this format.
    Cache(Engine, KvPrecision),
    /// The GPU's generation is too old for the format.
    Generation {
        /// The runtime.
        engine: Engine,
        /// The format of the weights.
        format: WeightFormat,
        /// The GPU's name.
        gpu: &'static str,
        /// Its compute capability.
        has: Capability,
        /// The least that the runtime asks for.
        needs: Capability,
    },
    /// The runtime has no kernels for the format on this GPU, which is not NVIDIA's.
    NoKernels {
        /// The runtime.
        engine: Engine,
        /// The format of the weights.
        format: WeightFormat,
        /// The GPU's name.
        gpu: &'static str,
    },
    /// How the runtime uses this maker's accelerators is not modelled.
    Maker(Engine, &'static str),
    /// The runtime cuts no sequence over GPUs of their own.
    ContextParallel(Engine),
    /// vLLM spreads experts over all tensor- and data-parallel ranks or over none.
    ExpertRanks {
        /// The ranks that were asked for.
        ep: u32,
        /// The ranks that there are: tensor-parallel × data-parallel.
        all: u64,
    },
    /// Without expert parallelism vLLM cuts every expert over all tensor- and data-parallel ranks, which do not divide its width.
    ExpertWidth {
        /// Width inside an expert.
        width: u32,
        /// The ranks.
        ranks: u64,
    },
    /// A rank's part of a matrix is no whole number of the blocks that share a scale.
    Blocks {
        /// What is cut, by the name of the width.
        what: &'static str,
        /// The width.
        width: u64,
        /// Ranks over which it is cut.
        ranks: u64,
    },
    /// Requests are longer than `max_model_len`.
    TooLong {
        /// Tokens of a request.
        seq_length: u32,
        /// The most that vLLM accepts.
        max_model_len: u32,
    },
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Weights(Engine::LlamaCpp, format) => {
                let near = if format.block().bits_per_value() > 6.0 { "q8_0" } else { "q4_k or q4_0" };
                write!(f, "llama.cpp loads GGUF files, which hold no {} weights: the nearest GGUF format is {near}", format.id())
            }
            Self::Weights(Engine::Hf, format) => write!(
                f,
                "transformers unpacks GGUF files such as {} to 16 bits when it loads them: what it then holds are bf16 weights",
                format.id()
            ),
            Self::Weights(engine, format) => write!(
                f,
                "{} loads GGUF files such as {} only as an experiment, which is not modelled: use int4 (AWQ, GPTQ), fp8 or 16 bits",
                engine.label(),
                format.id()
            ),
            Self::Cache(engine, format) => {
                let formats = match engine {
                    Engine::Vllm => "16 bits or fp8",
                    Engine::LlamaCpp => "16 bits, int8 (q8_0) or int4 (q4_0)",
                    _ => "16 bits, int8 or int4",
                };
                write!(f, "{} has no KV cache in {}: it keeps one in {formats}", engine.label(), format.id())
            }
            Self::Generation { engine: Engine::Hf, format, gpu, has, needs } => write!(
                f,
                "transformers runs {} weights on GPUs of compute capability {needs} or newer and unpacks them to bf16 on older ones; {gpu} has {has}: use bf16 weights",
                format.id()
            ),
            Self::Generation { engine, format, gpu, has, needs } => write!(
                f,
                "{} runs {} weights on GPUs of compute capability {needs} or newer, and {gpu} has {has}{}",
                engine.label(),
                format.id(),
                if format == WeightFormat::Bf16 { ": use fp16, which takes the same bytes" } else { "" }
            ),
            Self::NoKernels { engine, format, gpu } => {
                write!(f, "{} has no kernels for {} weights on {gpu}", engine.label(), format.id())
            }
            Self::Maker(engine, gpu) => write!(
                f,
                "{} on {gpu} is not modelled: what it takes there is another program's, a plugin's, and no log of it was found",
                engine.label()
            ),
            Self::ContextParallel(Engine::Vllm) => f.write_str(
                "vLLM adds no GPUs for context parallelism that the cache is cut over: its decode context parallelism (--decode-context-parallel-size) cuts the cache over the tensor-parallel ranks, and is not modelled",
            ),
            Self::ContextParallel(engine) => {
                write!(f, "{} does not cut a sequence over GPUs: context parallelism is for training", engine.label())
            }
            Self::ExpertRanks { ep, all } => write!(
                f,
                "vLLM spreads experts over all tensor- and data-parallel ranks (--enable-expert-parallel) or over none: ep is {} or 1, not {}",
                Grouped(all.into()),
                Grouped(ep.into())
            ),
            Self::ExpertWidth { width, ranks } => write!(
                f,
                "without expert parallelism vLLM cuts every expert over all {} tensor- and data-parallel ranks, which do not divide moe_intermediate_size {}",
                Grouped(ranks.into()),
                Grouped(width.into())
            ),
            Self::Blocks { what, width, ranks } => write!(
                f,
                "vLLM refuses fp8-block weights whose part on a rank is no multiple of {}, the block that shares a scale: {what} {} over {} ranks is {}",
                vllm::FP8_BLOCK,
                Grouped(width.into()),
                Grouped(ranks.into()),
                Share { width, ranks }
            ),
            Self::TooLong { seq_length, max_model_len } => write!(
                f,
                "a request of {} tokens is longer than max_model_len {}: vLLM answers it with an error",
                Grouped(seq_length.into()),
                Grouped(max_model_len.into())
            ),
        }
    }
}

/// A part of a width: `192`, or `1,536 / 5` where it is no whole number.
struct Share {
    width: u64,
    ranks: u64,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width.checked_rem(self.ranks) {
            Some(0) => Grouped((self.width / self.ranks).into()).fmt(f),
            _ => write!(f, "{} / {}", Grouped(self.width.into()), Grouped(self.ranks.into())),
        }
    }
}

impl core::error::Error for Unsupported {}

/// Whether the runtime that serves a scenario can run it, memory apart. Everything passes without one, and in training.
///
/// # Errors
/// The first thing that the runtime cannot do.
pub fn supported(scenario: &Scenario) -> Result<(), Unsupported> {
    let engine = scenario.serving.engine;
    if scenario.mode != Mode::Inference || engine == Engine::Exact {
        return Ok(());
    }
    if !engine.loads(scenario.weights) {
        return Err(Unsupported::Weights(engine, scenario.weights));
    }
    if !engine.caches(scenario.kv) {
        return Err(Unsupported::Cache(engine, scenario.kv));
    }
    if scenario.parallel.cp > 1 {
        return Err(Unsupported::ContextParallel(engine));
    }
    if let Some(gpu) = scenario.gpu {
        on_gpu(engine, scenario.weights, gpu)?;
    }
    if engine == Engine::Vllm { vllm::supported(scenario) } else { Ok(()) }
}

/// Whether a runtime has kernels for a weight format on a GPU.
fn on_gpu(engine: Engine, format: WeightFormat, gpu: &'static Gpu) -> Result<(), Unsupported> {
    if engine == Engine::Vllm && matches!(gpu.vendor, "Google" | "Intel" | "Apple") {
        return Err(Unsupported::Maker(engine, gpu.name));
    }
    let Some(needs) = least(engine, format) else { return Ok(()) };
    match capability::of(gpu) {
        Some(has) if has < needs => Err(Unsupported::Generation { engine, format, gpu: gpu.name, has, needs }),
        Some(_) => Ok(()),
        None => {
            let fp8 = matches!(format, WeightFormat::Fp8 | WeightFormat::Fp8Block) && gpu.peaks.fp8.is_none();
            let nvfp4 = format == WeightFormat::Nvfp4;
            if fp8 || nvfp4 { Err(Unsupported::NoKernels { engine, format, gpu: gpu.name }) } else { Ok(()) }
        }
    }
}

/// The least compute capability on which a runtime has kernels for a weight format; `None` if any NVIDIA GPU of the table does.
///
/// # Source
/// vLLM: bf16 from 8.0 (`CudaPlatform.supported_dtypes`); fp8 and NVFP4 from 7.5 since 0.14, as weights alone through Marlin where the GPU has
/// no units for them (pull requests 29901 and 33076, 2025-12 and 2026-01), MXFP4 not before 8.0 since its kernel needs bf16 (29901).
/// transformers: fp8 from 8.9, unpacked to bf16 below (`quantizer_finegrained_fp8.py`); MXFP4 from 7.5 (`quantizer_mxfp4.py`), unpacked below too.
fn least(engine: Engine, format: WeightFormat) -> Option<Capability> {
    match (engine, format) {
        (Engine::Vllm, WeightFormat::Bf16 | WeightFormat::Mxfp4) => Some(Capability::new(8, 0)),
        (Engine::Vllm, WeightFormat::Fp8 | WeightFormat::Fp8Block | WeightFormat::Nvfp4)
        | (Engine::Hf, WeightFormat::Mxfp4) => Some(Capability::new(7, 5)),
        (Engine::Hf, WeightFormat::Fp8 | WeightFormat::Fp8Block) => Some(Capability::new(8, 9)),
        _ => None,
    }
}

/// The 16-bit format that a runtime takes by itself on the scenario's GPU: vLLM's `--dtype auto` falls back to fp16 where it has no bf16.
pub fn sixteen_bits(engine: Engine, gpu: Option<&'static Gpu>) -> WeightFormat {
    match gpu.map(|gpu| on_gpu(engine, WeightFormat::Bf16, gpu)) {
        Some(Err(Unsupported::Generation { .. })) => WeightFormat::Fp16,
        _ => WeightFormat::Bf16,
    }
}
