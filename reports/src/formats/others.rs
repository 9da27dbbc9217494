//! Programs that run other models than those of the table, or print little of their memory.
//!
//! Read in November 2026: `comfy/model_management.py` of `ComfyUI`, `modules/call_queue.py` of Stable Diffusion web UI and
//! `backend/memory_management.py` of its fork Forge, whose MB and GB are powers of 1,024; `mlc_llm/interface/compiler_flags` with
//! mlc-ai/mlc-llm#3221; `mlx/backend/metal/allocator.cpp` with ml-explore/mlx#3327 and cubist38/mlx-openai-server#188, and
//! `mlx_lm/generate.py`, whose GB are powers of 1,000, as LM Studio's are (lmstudio-ai/lmstudio-bug-tracker#1202);
//! `exllamav2/model.py`; `quantizers/quantizer_bnb_4bit.py` and `modeling_utils.py` of transformers and `utils/modeling.py` of accelerate;
//! `bfc_arena.cc` of ONNX Runtime; `auto_growth_best_fit_allocator` and `cuda_allocator.cc` of Paddle.

use super::line;
use crate::pattern::{Hole, Pattern, Says};
use crate::size::Unit;
use crate::what::{Kind, Refusal, What};

const fn comfy(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::ComfyUi, text, holes)
}

const fn mlc(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Mlc, text, holes)
}

const fn refuses(kind: Kind, text: &'static str, holes: &'static [Hole], why: Refusal) -> Pattern {
    line(kind, text, holes).saying(Says::Refuses(why))
}

/// stable-diffusion.cpp, whose MB are powers of 1,024.
const fn diffusion(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::StableDiffusionCpp, text, holes)
}

const PARAMETERS: &[Hole] = &[Hole::Size(What::Total), Hole::Size(What::Weights), Hole::Size(What::HostWeights)];
const PRESSURE: &[Hole] =
    &[Hole::Skip, Hole::Size(What::ProcessUsed), Hole::Skip, Hole::Skip, Hole::Size(What::Allowed)];
const ALL: &[Hole] =
    &[Hole::Size(What::Total), Hole::Size(What::Weights), Hole::Size(What::KvCache), Hole::Size(What::Temporaries)];

pub(super) const LINES: &[Pattern] = &[
    comfy(
        "Total VRAM {} MB, total RAM {} MB",
        &[Hole::Of(What::Capacity, Unit::MIB), Hole::Of(What::HostCapacity, Unit::MIB)],
    ),
    comfy("Device: cuda:{} {} : ", &[Hole::Device, Hole::Name(What::Gpu)]),
    // The devices of an error's report. What is free there counts what PyTorch has reserved and not allocated.
    comfy("**Name:** cuda:{} {} : ", &[Hole::Device, Hole::Name(What::Gpu)]),
    comfy("**VRAM Total:** {}", &[Hole::Of(What::Capacity, Unit::BYTE)]),
    comfy("**VRAM Free:** {}", &[Hole::Of(What::Available, Unit::BYTE)]),
    comfy("**Torch VRAM Total:** {}", &[Hole::Of(What::Reserved, Unit::BYTE)]),
    comfy("**Torch VRAM Free:** {}", &[Hole::Of(What::ReservedFree, Unit::BYTE)]),
    // What stands in front may be more than there is: a model that may take any memory.
    comfy("{} MB loaded, full load", &[Hole::Of(What::Weights, Unit::MIB)]),
    comfy(
        "loaded partially; {} MB usable, {} MB loaded, {} MB offloaded",
        &[
            Hole::Of(What::Available, Unit::MIB),
            Hole::Of(What::Weights, Unit::MIB),
            Hole::Of(What::HostWeights, Unit::MIB),
        ],
    ),
    comfy("Unloaded partially: {} MB freed, {} MB remains loaded", &[Hole::Skip, Hole::Of(What::Weights, Unit::MIB)]),
    line(
        Kind::WebUi,
        "{} GB, R: {} GB, Sys: {}/{} GB (",
        &[
            Hole::Of(What::PeakActive, Unit::GIB),
            Hole::Of(What::PeakReserved, Unit::GIB),
            Hole::Of(What::Used, Unit::GIB),
            Hole::Of(What::Capacity, Unit::GIB),
        ],
    ),
    line(
        Kind::WebUi,
        "Torch active/reserved: {}/{} MiB, Sys VRAM: {}/{} MiB",
        &[
            Hole::Of(What::PeakActive, Unit::MIB),
            Hole::Of(What::PeakReserved, Unit::MIB),
            Hole::Of(What::Used, Unit::MIB),
            Hole::Of(What::Capacity, Unit::MIB),
        ],
    ),
    line(
        Kind::WebUi,
        "[Memory Management] {}Free GPU: {} MB, Model Require: {} MB",
        &[Hole::Skip, Hole::Of(What::Free, Unit::MIB), Hole::Of(What::Weights, Unit::MIB)],
    ),
    // MLX. A size that was subtracted without a sign is read by none of these.
    line(
        Kind::Metal,
        // With `[metal::malloc]` in front from 0.13 on.
        "Attempting to allocate {} bytes which is greater than the maximum allowed buffer size of {} bytes",
        &[Hole::Of(What::Requested, Unit::BYTE), Hole::Of(What::OneAllocation, Unit::BYTE)],
    ),
    line(Kind::Metal, "[metal::malloc] Attempting to allocate", &[]),
    refuses(Kind::Metal, "[metal::malloc] Resource limit (", &[], Refusal::Resources),
    line(Kind::Mlx, "tokens-per-sec", &[]),
    line(Kind::Mlx, "Peak memory: {} GB", &[Hole::Of(What::PeakAllocated, Unit::GB)]).saying(Says::Within),
    line(Kind::Metal, "Command buffer execution failed: Insufficient Memory", &[]),
    // oMLX and mlx-serve, whose GB and MB are powers of 1,024.
    line(
        Kind::OutOfMemory,
        "Prefill would require ~{} peak (current {} + KV+SDPA {}) but {} ceiling is {}",
        &[
            Hole::Size(What::Need),
            Hole::Size(What::ProcessUsed),
            Hole::Size(What::Requested),
            Hole::Skip,
            Hole::Size(What::Allowed),
        ],
    ),
    line(
        Kind::OutOfMemory,
        "Memory limit exceeded during chunked prefill at {}: {} exceeds ceiling {}",
        &[Hole::Skip, Hole::Size(What::ProcessUsed), Hole::Size(What::Allowed)],
    ),
    line(Kind::Mlx, "Metal cap ({}, Apple", &[Hole::Size(What::Allowed)]),
    line(Kind::Mlx, "Process memory enforcer started ({}ceiling={},", &[Hole::Skip, Hole::Size(What::Allowed)]),
    line(Kind::Mlx, "Memory pressure level: {}(current={}, soft={}, hard={}, ceiling={})", PRESSURE),
    line(
        Kind::Mlx,
        "Chunked prefill above max_bytes at {}: {} > {}(ceiling: {})",
        &[Hole::Skip, Hole::Size(What::ProcessUsed), Hole::Skip, Hole::Size(What::Allowed)],
    ),
    line(
        Kind::Mlx,
        // In powers of 1,000, unlike its other lines.
        "resident {} exceeds the {} memory ceiling (mmap needs {})",
        &[Hole::Skip, Hole::Skip, Hole::Decimal(What::PlannedWeights)],
    ),
    line(Kind::Mlx, "omlx.engine_pool - {}Loading model: {}", &[Hole::Skip, Hole::Name(What::Model)]),
    line(Kind::Mlx, "[hot-cache] resident={} / {} MB", &[Hole::Of(What::KvCache, Unit::MIB), Hole::Skip]),
    line(Kind::Mlx, "[hot-cache] resident={} MB", &[Hole::Of(What::KvCache, Unit::MIB)]),
    refuses(Kind::LmStudio, "Model loading was stopped due to insufficient system resources", &[], Refusal::Guardrails),
    refuses(Kind::LmStudio, "Model loading aborted due to insufficient system resources", &[], Refusal::Guardrails),
    // Of 0.4, in its window.
    refuses(Kind::LmStudio, "Not enough resources to load the model", &[], Refusal::Guardrails),
    refuses(Kind::LmStudio, "not enough resources to run model", &[], Refusal::Guardrails),
    line(Kind::LmStudio, "requires approximately {} of memory", &[Hole::Decimal(What::Requested)]).saying(Says::Within),
    // LM Studio's own estimate, in powers of 1,000.
    line(
        Kind::LmStudio,
        "Model load size estimate with raw num offload layers {} and context length '{}'",
        &[Hole::Skip, Hole::Count(What::Context)],
    )
    .saying(Says::Start),
    line(Kind::LmStudio, "Model: {}", &[Hole::Decimal(What::PlannedWeights)]).saying(Says::Within),
    line(Kind::LmStudio, "Context: {}", &[Hole::Decimal(What::PlannedCache)]).saying(Says::Within),
    line(Kind::LmStudio, "Total: {}", &[Hole::Decimal(What::PlannedTotal)]).saying(Says::Within),
    // The report of its releases 0.2, in powers of 1,024, as people copy it (lmstudio-ai/lmstudio-bug-tracker#44).
    line(Kind::LmStudio, "\"ram_capacity\": \"{}\"", &[Hole::Size(What::HostCapacity)]),
    line(Kind::LmStudio, "\"ram_unused\": \"{}\"", &[Hole::Size(What::HostFree)]),
    line(Kind::LmStudio, "\"n_gpu_layers\": {}", &[Hole::Count(What::GpuLayers)]),
    line(Kind::LmStudio, "\"vram_recommended_capacity\": \"{}\"", &[Hole::Size(What::Capacity)]),
    line(Kind::LmStudio, "\"vram_unused\": \"{}\"", &[Hole::Size(What::Free)]),
    // Ollama of 2023 and 2024, which doesn't say how much.
    line(Kind::OutOfMemory, "you may not have enough available memory to run this model", &[]),
    // TabbyAPI, the server of ExLlama.
    line(Kind::Exllama, "exllamav3 version: {}", &[Hole::Name(What::Version)]).saying(Says::Start),
    line(Kind::Exllama, "exllamav2 version: {}", &[Hole::Name(What::Version)]).saying(Says::Start),
    line(Kind::Exllama, "Using configured max_seq_len: {} tokens", &[Hole::Count(What::MaxModelLen)]),
    line(Kind::Exllama, "Using configured cache_size: {} tokens", &[Hole::Count(What::KvTokens)]),
    line(Kind::Exllama, "Loading model: {}", &[Hole::Name(What::Model)]).saying(Says::Within),
    diffusion("total params memory size = {} (VRAM {}, RAM {})", PARAMETERS),
    diffusion("total params size = {} (", &[Hole::Size(What::Total)]),
    diffusion("params backend buffer size = {}(VRAM)", &[Hole::Size(What::PlannedWeights)]),
    diffusion("params backend buffer size = {}(RAM)", &[Hole::Size(What::HostWeights)]),
    diffusion("offload params ({}, {} tensors) to runtime", &[Hole::Size(What::PlannedWeights), Hole::Skip]),
    diffusion("graph cut max_vram={}", &[Hole::Size(What::Allowed)]),
    diffusion("compute buffer size: {}{}(VRAM)", &[Hole::Size(What::Compute), Hole::Pad]),
    diffusion("compute buffer size: {}{}(RAM)", &[Hole::Size(What::HostCompute), Hole::Pad]),
    refuses(Kind::Exllama, "Insufficient VRAM for model", &[], Refusal::ModelBuffer),
    refuses(Kind::Exllama, "Insufficient VRAM in split", &[], Refusal::ModelBuffer),
    refuses(Kind::Exllama, "Insufficient space in device allocation", &[], Refusal::ModelBuffer),
    refuses(Kind::Transformers, "Some modules are dispatched on the CPU or the disk", &[], Refusal::Offloaded),
    line(Kind::Transformers, "Some parameters are on the meta device", &[]).saying(Says::On(What::Offloaded)),
    line(
        Kind::Transformers,
        "Current model requires {} bytes of buffer for offloaded layers",
        &[Hole::Of(What::OffloadBuffer, Unit::BYTE)],
    ),
    line(
        Kind::OnnxRuntime,
        "Failed to allocate memory for requested buffer of size {}",
        &[Hole::Of(What::Requested, Unit::BYTE)],
    ),
    line(
        Kind::OnnxRuntime,
        "Available memory of {} is smaller than requested bytes of {}",
        &[Hole::Of(What::Free, Unit::BYTE), Hole::Of(What::Requested, Unit::BYTE)],
    ),
    line(
        Kind::Paddle,
        "Cannot allocate {} memory on GPU {}, {} memory has been allocated and available memory is only {}.",
        &[Hole::Size(What::Requested), Hole::Device, Hole::Size(What::ProgramAllocated), Hole::Size(What::Free)],
    ),
    // InvokeAI (`invocation_stats_common.py`), whose G are powers of 1,024; its table of nodes is read as a table.
    line(Kind::InvokeAi, "RAM used by InvokeAI process: {}", &[Hole::Size(What::HostUsed)]),
    line(Kind::InvokeAi, "RAM used to load models: {}", &[Hole::Size(What::HostWeights)]),
    line(Kind::InvokeAi, "VRAM in use: {}", &[Hole::Size(What::Allocated)]).saying(Says::Within),
    mlc(
        "Total memory usage without KV cache: {} (Parameters: {}. Temporary buffer: {})",
        &[Hole::Size(What::NonKv), Hole::Size(What::Weights), Hole::Size(What::Temporaries)],
    ),
    // Of its server, and of its command line before that.
    mlc("total single GPU memory usage: {} (Parameters: {}. KVCache: {}. Temporary buffer: {})", ALL),
    mlc("Total memory usage: {} (Parameters: {}. KVCache: {}. Temporary buffer: {})", ALL),
    mlc("\"max_total_sequence_length\": {}", &[Hole::Count(What::KvTokens)]),
    mlc("max KV cache token capacity will be set to {}", &[Hole::Count(What::KvTokens)]),
    mlc("{} per token in the context window", &[Hole::Size(What::KvPerToken)]),
    mlc("Total memory usage with a {} KV cache: {}", &[Hole::Skip, Hole::Size(What::Total)]),
];
