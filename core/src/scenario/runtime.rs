//! What a runtime cannot run, however much memory there is: formats that it does not load, GPUs that are too old, cuts that it does not know.

use super::{Attention, Mode, Scenario, Unsupported, llamacpp, vllm};
use crate::architecture::Projection;
use crate::precision::{KvPrecision, WeightFormat};
use crate::serving::{Engine, Version};
use crate::tables::capability::{self, Capability};
use crate::tables::classes::Class;
use crate::tables::gpus::Gpu;
use crate::training::Implementation;

/// Whether the runtime that serves a scenario can run it, memory apart. Without one, and in training, everything passes that bitsandbytes
/// and an indexer have no part in.
///
/// # Errors
/// The first thing that the runtime cannot do.
pub fn supported(scenario: &Scenario) -> Result<(), Unsupported> {
    let engine = scenario.serving.engine;
    if let Some(gpu) = scenario.gpu {
        has_backend(scenario, gpu)?;
    }
    let untrained = scenario.architecture.untrained().filter(|_| scenario.mode.trains());
    if let Some(part) = untrained {
        return Err(Unsupported::Untrained(part));
    }
    if let Some(part) = scenario.architecture.unserved() {
        if matches!(engine, Engine::Hf | Engine::LlamaCpp) {
            return Err(Unsupported::Unserved(engine, part));
        }
    } else if scenario.architecture.indexer.is_some() {
        if scenario.mode.trains() && scenario.training.implementation != Implementation::Transformers {
            return Err(Unsupported::Indexer(None));
        } else if engine == Engine::LlamaCpp {
            return Err(Unsupported::Indexer(Some(engine)));
        }
    }
    if scenario.mode != Mode::Inference || engine == Engine::Exact {
        return Ok(());
    }
    if !engine.loads(scenario.weights) {
        return Err(Unsupported::Weights(engine, scenario.weights));
    }
    if !engine.caches(scenario.kv) {
        return Err(Unsupported::Cache(engine, scenario.kv));
    }
    attends(scenario, engine)?;
    if let Some(end) = scenario.architecture.end_of_table().filter(|end| *end < scenario.longest_request()) {
        return Err(Unsupported::BeyondTable { seq_length: scenario.longest_request(), end });
    }
    if scenario.parallel.cp > 1 {
        return Err(Unsupported::ContextParallel(engine));
    }
    if scenario.parallel.ep > 1 && engine != Engine::Vllm {
        return Err(Unsupported::ExpertParallel(engine));
    }
    cuts_matrices(scenario, engine)?;
    if let Some(gpu) = scenario.gpu {
        if engine == Engine::Vllm {
            vllm::supports_gpu(scenario, gpu)?;
        }
        on_gpu(engine, scenario.serving.version, scenario.weights, gpu)?;
    }
    if engine == Engine::Vllm { vllm::supported(scenario) } else { Ok(()) }
}

/// Whether the runtime cuts the model's matrices over so many ranks.
///
/// # Source
/// transformers issue 48307 (2026-08, open): more ranks than KV heads fail in the forward pass, "shape is invalid"; copies of heads are pull request 47811, open.
/// Read 2026-11-25.
fn cuts_matrices(scenario: &Scenario, engine: Engine) -> Result<(), Unsupported> {
    let (shape, tp) = (&scenario.architecture, scenario.parallel.tp);
    match engine {
        Engine::LlamaCpp => llamacpp::splits(scenario).map_err(Unsupported::TensorSplit),
        Engine::Hf if matches!(shape.projection, Projection::Heads) && !shape.kv_heads.is_multiple_of(tp) => {
            Err(Unsupported::KvHeads { tp, kv_heads: shape.kv_heads })
        }
        _ => Ok(()),
    }
}

/// Whether the runtime has the chosen attention, and beside it the chosen formats.
///
/// # Source
/// vLLM's attention backends, which are all fused; llama.cpp, `llama-context.cpp` (issues 10378 and 28524); vLLM, `CacheDType` of `config/cache.py`;
/// transformers, `integrations/mxfp4.py`, which replaces the experts of gpt-oss. Read 2026-11-24.
fn attends(scenario: &Scenario, engine: Engine) -> Result<(), Unsupported> {
    let eager = scenario.attention == Attention::Eager;
    let narrow = scenario.kv.block().bits_per_value() < 16.0;
    match engine {
        Engine::Vllm if eager => Err(Unsupported::NoEager(engine)),
        Engine::Vllm if scenario.kv == KvPrecision::Fp32 && scenario.weights != WeightFormat::Fp32 => {
            Err(Unsupported::WideCache)
        }
        Engine::Vllm if scenario.architecture.compression.is_some() && scenario.kv != KvPrecision::Fp8 => {
            Err(Unsupported::Fp8CacheAlone)
        }
        Engine::LlamaCpp if eager && narrow => Err(Unsupported::CacheNeedsFlash(scenario.kv)),
        Engine::Hf if scenario.weights == WeightFormat::Mxfp4 && scenario.architecture.moe.is_none() => {
            Err(Unsupported::NoDenseMxfp4)
        }
        _ => Ok(()),
    }
}

/// Whether there can be so many of an accelerator, and whether llama.cpp and bitsandbytes, where the scenario needs one of them, run on it at all.
///
/// # Source
/// llama.cpp, `docs/build.md` (no backend for TPU or Gaudi); bitsandbytes, `README.md` at 95f9af3 (2026-08): no TPU; on Gaudi `LLM.int8` and in part 4 bits, but no
/// 8-bit optimizers; on Apple's GPUs both, and 8-bit optimizers planned. Read 2026-11-23. Apple: "only single GPU of `mps` device type can be used", without a backend of
/// `torch.distributed` (transformers pull request 28016, pytorch issue 160732); llama.cpp's RPC over computers is not modelled.
fn has_backend(scenario: &Scenario, gpu: &'static Gpu) -> Result<(), Unsupported> {
    if gpu.vendor == "Apple" && scenario.parallel.ranks() > 1 {
        return Err(Unsupported::OneGpu(gpu.name));
    }
    let accelerator = gpu.class() == Class::Accelerator;
    let quantised = scenario.by_bitsandbytes();
    let by_bitsandbytes = scenario.optimizer.of_bitsandbytes();
    if accelerator && scenario.runtime() == Some(Engine::LlamaCpp) {
        Err(Unsupported::NoBackend(Engine::LlamaCpp, gpu.name))
    } else if quantised && gpu.vendor == "Google" {
        Err(Unsupported::NoBitsandbytes { gpu: gpu.name, weights: Some(scenario.weights) })
    } else if scenario.mode.trains() && by_bitsandbytes && (accelerator || gpu.vendor == "Apple") {
        Err(Unsupported::NoBitsandbytes { gpu: gpu.name, weights: None })
    } else {
        Ok(())
    }
}

/// Whether a runtime has kernels for a weight format on a GPU.
fn on_gpu(engine: Engine, release: Version, format: WeightFormat, gpu: &'static Gpu) -> Result<(), Unsupported> {
    let Some(needs) = least(engine, release, format) else { return Ok(()) };
    match capability::of(gpu) {
        // Of W8A8 the kernels end with compute capability 9.0.
        Some(has) if format == WeightFormat::W8a8 && has >= capability::BLACKWELL => {
            Err(Unsupported::NoKernels { engine, format, gpu: gpu.name })
        }
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
/// vLLM: bf16 from 8.0 (`CudaPlatform.supported_dtypes`); fp8 and NVFP4 as weights alone through Marlin where the GPU has no units for them,
/// from 8.0 (`docs/features/quantization/fp8.md`), and from 7.5 since 0.14 (pull requests 29901 and 33076, 2025-12 and 2026-01); MXFP4 not
/// before 8.0 since its kernel needs bf16 (29901). W8A8: `get_min_capability` of `compressed_tensors_w8a8_int8.py`, and "Int8 not supported on SM" from 10.0 on in
/// `cutlass_w8a8/c3x/scaled_mm_helper.hpp`, for `CutlassInt8ScaledMMLinearKernel` is taken on any of NVIDIA's GPUs (issue 54311). Read 2026-11-27.
/// transformers: fp8 from 8.9, unpacked to bf16 below (`quantizer_finegrained_fp8.py`); MXFP4 from 7.5 (`quantizer_mxfp4.py`), unpacked below too.
fn least(engine: Engine, release: Version, format: WeightFormat) -> Option<Capability> {
    match (engine, format) {
        (Engine::Vllm, WeightFormat::Bf16 | WeightFormat::Mxfp4) => Some(Capability::new(8, 0)),
        (Engine::Vllm, WeightFormat::Fp8 | WeightFormat::Fp8Block | WeightFormat::Nvfp4) => {
            Some(if release < MARLIN_ON_TURING { Capability::new(8, 0) } else { Capability::new(7, 5) })
        }
        (Engine::Vllm, WeightFormat::W8a8) | (Engine::Hf, WeightFormat::Mxfp4) => Some(Capability::new(7, 5)),
        (Engine::Hf, WeightFormat::Fp8 | WeightFormat::Fp8Block) => Some(Capability::new(8, 9)),
        _ => None,
    }
}

/// The first release of vLLM whose Marlin kernels run on compute capability 7.5.
const MARLIN_ON_TURING: Version = Version { major: 0, minor: 14 };

/// The 16-bit format in which a model runs on a GPU, served by a runtime or by none: bf16, and fp16 where the GPU or the runtime on it has no bf16
/// (vLLM's `--dtype auto` falls back by itself).
pub fn sixteen_bits(engine: Option<Engine>, gpu: Option<&'static Gpu>) -> WeightFormat {
    let Some(gpu) = gpu else { return WeightFormat::Bf16 };
    let refused = |engine| {
        matches!(on_gpu(engine, Version::NEWEST, WeightFormat::Bf16, gpu), Err(Unsupported::Generation { .. }))
    };
    let units = gpu.multiplies(WeightFormat::Bf16) || !gpu.multiplies(WeightFormat::Fp16);
    if units && !engine.is_some_and(refused) { WeightFormat::Bf16 } else { WeightFormat::Fp16 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::ScenarioError;
    use crate::tables::{gpus, models};
    use crate::training::Optimizer;

    #[test]
    fn programs_without_a_backend_are_refused_by_name() {
        let llama = models::by_id("llama-3.1-8b").unwrap().architecture;
        let told = |gpu: &str, change: &dyn Fn(&mut Scenario)| {
            let mut scenario = Scenario { gpu: gpus::by_id(gpu), ..Scenario::new(llama) };
            change(&mut scenario);
            match scenario.check() {
                Err(ScenarioError::Runtime(error)) => Some(error),
                other => other.map(|_| None).unwrap(),
            }
        };
        let llamacpp = |it: &mut Scenario| (it.serving.engine, it.weights) = (Engine::LlamaCpp, WeightFormat::Q4K);
        for id in ["tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7x", "gaudi2", "gaudi3"] {
            let gpu = gpus::by_id(id).unwrap();
            assert_eq!(told(id, &llamacpp), Some(Unsupported::NoBackend(Engine::LlamaCpp, gpu.name)), "{id}");
            let small = |it: &mut Scenario| (it.mode, it.optimizer) = (Mode::Training, Optimizer::AdamW8bit);
            assert_eq!(told(id, &small), Some(Unsupported::NoBitsandbytes { gpu: gpu.name, weights: None }), "{id}");
            for weights in [WeightFormat::Nf4, WeightFormat::Nf4Dq, WeightFormat::Int8] {
                let refused = Some(Unsupported::NoBitsandbytes { gpu: gpu.name, weights: Some(weights) });
                let refused = refused.filter(|_| gpu.vendor == "Google");
                assert_eq!(told(id, &|it| (it.mode, it.weights) = (Mode::Qlora, weights)), refused, "{id}");
                assert_eq!(told(id, &|it| (it.serving.engine, it.weights) = (Engine::Hf, weights)), refused, "{id}");
            }
            assert_eq!(told(id, &|it| it.serving.engine = Engine::Hf), None, "{id}: 16 bits");
        }
        for id in ["rtx4090", "mi300x", "arc-b580", "m3max"] {
            assert_eq!(told(id, &llamacpp), None, "{id}");
        }
    }
}
