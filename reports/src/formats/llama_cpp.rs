//! llama.cpp: what `llama-server`, `llama-cli` and programs around the library print while a model is loaded.
//!
//! Read in November 2026 in public logs of builds b3600 to b8854 (ghghang2/v1.6, MrSnowNB/nemoclaw-setup, jdavidrt/intelligent-database-interface,
//! DzKriMo/Aigis, 51wxfree/51wxfree.github.io) and in `src/llama-model.cpp`, `src/llama-context.cpp`, `src/llama-kv-cache.cpp`.

use super::{Settings, line};
use crate::pattern::{Hole, Pattern, Says};
use crate::settings::Key;
use crate::size::Unit;
use crate::what::{Kind, What};

const fn llama(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::LlamaCpp, text, holes)
}

const COMPUTE: &[Hole] = &[Hole::Buffer, Hole::Size(What::Compute)];
/// The line of a cache: its size, cells, layers, sequences, and keys and values with their types.
const CACHE: &[Hole] = &[
    Hole::Size(What::KvTotal),
    Hole::Count(What::Cells),
    Hole::Count(What::CachedLayers),
    Hole::Count(What::Parallel),
    Hole::Skip,
    Hole::Name(What::KvDtype),
    Hole::Size(What::KeyCache),
    Hole::Name(What::ValueDtype),
    Hole::Size(What::ValueCache),
];
/// The same before there were cells to be told.
const OLD_CACHE: &[Hole] = &[
    Hole::Size(What::KvTotal),
    Hole::Name(What::KvDtype),
    Hole::Size(What::KeyCache),
    Hole::Name(What::ValueDtype),
    Hole::Size(What::ValueCache),
];
const DEVICE: &[Hole] = &[Hole::Buffer, Hole::Name(What::Gpu), Hole::Size(What::Free)];
const DEVICE_ON_BUS: &[Hole] = &[Hole::Buffer, Hole::Name(What::Gpu), Hole::Skip, Hole::Size(What::Free)];

/// A device of its list: its name, all of its memory and what is free.
const LISTED: &[Hole] = &[
    Hole::Device,
    Hole::Pad,
    Hole::Name(What::Gpu),
    Hole::Of(What::Capacity, Unit::MIB),
    Hole::Of(What::Free, Unit::MIB),
];
const LISTED_WITH_DRIVER: &[Hole] = &[
    Hole::Device,
    Hole::Pad,
    Hole::Name(What::Gpu),
    Hole::Skip,
    Hole::Of(What::Capacity, Unit::MIB),
    Hole::Of(What::Free, Unit::MIB),
];

/// A row of the SYCL backend's list of devices: its name, and its memory.
const SYCL: &[Hole] = &[
    Hole::Device,
    Hole::Name(What::Gpu),
    Hole::Skip,
    Hole::Skip,
    Hole::Skip,
    Hole::Skip,
    Hole::Of(What::Capacity, Unit::MB),
];

/// A device's row of the table of all memory: total, free, and by what it is used.
const BREAKDOWN: &[Hole] = &[
    Hole::Buffer,
    Hole::Name(What::Gpu),
    Hole::Of(What::Capacity, Unit::MIB),
    Hole::Of(What::Free, Unit::MIB),
    Hole::Skip,
    Hole::Of(What::PlannedWeights, Unit::MIB),
    Hole::Of(What::PlannedCache, Unit::MIB),
    Hole::Of(What::PlannedCompute, Unit::MIB),
    Hole::Of(What::Unaccounted, Unit::MIB),
];
/// What a GPU has, and what the program would take of it.
const PROJECTION: &[Hole] =
    &[Hole::Buffer, Hole::Name(What::Gpu), Hole::Of(What::Capacity, Unit::MIB), Hole::Of(What::Placed, Unit::MIB)];
const SEQUENCE: &[Hole] = &[Hole::Count(What::MaxModelLen), Hole::Count(What::TrainedContext)];
/// That of the host, of which neither is told.
const HOST_BREAKDOWN: &[Hole] = &[
    Hole::Buffer,
    Hole::Skip,
    Hole::Of(What::PlannedWeights, Unit::MIB),
    Hole::Of(What::PlannedCache, Unit::MIB),
    Hole::Of(What::PlannedCompute, Unit::MIB),
];

/// The lines that describe the model, which the old and the new prefix share.
macro_rules! described {
    ($($prefix:literal),*) => {
        &[$(
            llama(concat!($prefix, " arch = {}"), &[Hole::Name(What::Class)]),
            llama(concat!($prefix, " n_ctx_train = {}"), &[Hole::Count(What::TrainedContext)]),
            llama(concat!($prefix, " n_embd = {}"), &[Hole::Count(What::HiddenSize)]),
            llama(concat!($prefix, " n_layer = {}"), &[Hole::Count(What::Layers)]),
            llama(concat!($prefix, " n_head = {}"), &[Hole::Count(What::Heads)]),
            llama(concat!($prefix, " n_head_kv = {}"), &[Hole::Count(What::KvHeads)]),
            llama(concat!($prefix, " n_embd_head_k = {}"), &[Hole::Count(What::HeadDim)]),
            llama(concat!($prefix, " n_ff = {}"), &[Hole::Count(What::IntermediateSize)]),
            llama(concat!($prefix, " n_vocab = {}"), &[Hole::Count(What::VocabSize)]),
            llama(concat!($prefix, " n_expert = {}"), &[Hole::Count(What::Experts)]),
            llama(concat!($prefix, " general.name = {}"), &[Hole::Name(What::Model)]),
        )*
        llama("llama_model_loader: loaded meta data with", &[]).saying(Says::Start),
        // A file's own type and size: "file type" today, "model ftype" before.
        llama("print_info: file type = {}", &[Hole::Name(What::FileType)]),
        llama("print_info: model params = {}", &[Hole::Letters(What::Parameters)]),
        llama("llm_load_print_meta: model params = {}", &[Hole::Letters(What::Parameters)]),
        llama("print_info: file size = {}", &[Hole::Size(What::Checkpoint)]),
        llama("llm_load_print_meta: model ftype = {}", &[Hole::Name(What::FileType)]),
        llama("llm_load_print_meta: model size = {}", &[Hole::Size(What::Checkpoint)]),
        llama("llama_model_load_from_file_impl: using device {} ({}) - {} free", DEVICE),
        llama("llama_model_load_from_file_impl: using device {} ({}) ({}) - {} free", DEVICE_ON_BUS),
        llama("llama_load_model_from_file: using device {} ({}) - {} free", DEVICE),
        // Its list of devices (`--list-devices`), and the same in its log since b9500.
        llama("CUDA{}{}: {} ({} MiB, {} MiB free)", LISTED),
        llama("ROCm{}{}: {} ({} MiB, {} MiB free)", LISTED),
        llama("Vulkan{}{}: {} ({} MiB, {} MiB free)", LISTED),
        llama("Vulkan{}{}: {} ({}) ({} MiB, {} MiB free)", LISTED_WITH_DRIVER),
        llama("SYCL{}{}: {} ({} MiB, {} MiB free)", LISTED),
        llama("MTL{}{}: {} ({} MiB, {} MiB free)", LISTED),
        llama(
            ": CPU ({} MiB, {} MiB free)",
            &[Hole::Of(What::HostCapacity, Unit::MIB), Hole::Of(What::HostFree, Unit::MIB)],
        ),
        llama("n_ctx_per_seq ({}) < n_ctx_train ({})", SEQUENCE),
        llama("n_ctx_seq ({}) < n_ctx_train ({})", SEQUENCE),
        // Some drivers don't say what is free.
        llama("llama_model_load_from_file_impl: using device {} ({}", &[Hole::Buffer, Hole::Name(What::Gpu)]),
        llama("| [level_zero:gpu:{}]| {}| {}| {}| {}| {}| {}M|", SYCL),
        // What was loaded, or could not be.
        llama("load_model: loading model '{}'", &[Hole::Name(What::Model)]),
        llama("load_model: loading draft model '{}'", &[Hole::Name(What::DraftModel)]),
        llama("failed to create context with model '{}'", &[Hole::Name(What::Model)]),
        llama("load_model: failed to load model, '{}'", &[Hole::Name(What::Model)]),
        // The keys of the file, as the loader and `gguf_dump.py` print them.
        llama("general.name str = {}", &[Hole::Name(What::Model)]),
        llama("general.name = '{}'", &[Hole::Name(What::Model)]),
        llama("general.architecture = '{}'", &[Hole::Name(What::Class)]),
        llama("general.architecture | '{}'", &[Hole::Name(What::Class)]),
        llama(".block_count u32 = {}", &[Hole::Count(What::Layers)]),
        llama(".context_length u32 = {}", &[Hole::Count(What::TrainedContext)]),
        llama(".embedding_length u32 = {}", &[Hole::Count(What::HiddenSize)]),
        llama(".attention.head_count u32 = {}", &[Hole::Count(What::Heads)]),
        llama(".attention.head_count_kv u32 = {}", &[Hole::Count(What::KvHeads)]),
        llama(".block_count = {}", &[Hole::Count(What::Layers)]),
        llama(".block_count | {}", &[Hole::Count(What::Layers)]),
        llama(".context_length = {}", &[Hole::Count(What::TrainedContext)]),
        llama(".context_length | {}", &[Hole::Count(What::TrainedContext)]),
        llama(".embedding_length = {}", &[Hole::Count(What::HiddenSize)]),
        llama(".embedding_length | {}", &[Hole::Count(What::HiddenSize)]),
        llama(".attention.head_count = {}", &[Hole::Count(What::Heads)]),
        llama(".attention.head_count | {}", &[Hole::Count(What::Heads)]),
        llama(".attention.head_count_kv = {}", &[Hole::Count(What::KvHeads)]),
        llama(".attention.head_count_kv | {}", &[Hole::Count(What::KvHeads)]),
        llama(".attention.key_length = {}", &[Hole::Count(What::HeadDim)]),
        llama(".feed_forward_length = {}", &[Hole::Count(What::IntermediateSize)]),
        llama("llama_prepare_model_devices: using device {} ({}) ({}) - {} free", DEVICE_ON_BUS),
        llama("llama_prepare_model_devices: using device {} ({}) - {} free", DEVICE),
        llama(
            "Device {}: {}, compute capability {}, VMM: {}, VRAM: {} MiB",
            &[Hole::Device, Hole::Name(What::Gpu), Hole::Skip, Hole::Skip, Hole::Of(What::Capacity, Unit::MIB)],
        ),
        llama(
            "Device {}: {}, gfx{}VRAM: {} MiB",
            &[Hole::Device, Hole::Name(What::Gpu), Hole::Skip, Hole::Of(What::Capacity, Unit::MIB)],
        ),
        llama("Device {}: {}, compute capability", &[Hole::Device, Hole::Name(What::Gpu)]),
        llama("Device {}: {}, gfx", &[Hole::Device, Hole::Name(What::Gpu)]),
        llama("recommendedMaxWorkingSetSize = {}", &[Hole::Decimal(What::Allowed)]),
        llama("build: {} (", &[Hole::Count(What::Build)]),
        llama("build_info: b{}-", &[Hole::Count(What::Build)]),
        // Weights.
        llama("{} model buffer size = {}", &[Hole::Buffer, Hole::Size(What::Weights)]),
        llama("llm_load_tensors: {} buffer size = {}", &[Hole::Buffer, Hole::Size(What::Weights)]),
        llama("offloaded {}/{} layers to GPU", &[Hole::Count(What::GpuLayers), Hole::Count(What::AllLayers)]),
        // Cache.
        llama("{} KV buffer size = {}", &[Hole::Buffer, Hole::Size(What::KvCache)]),
        llama("{} RS buffer size = {}", &[Hole::Buffer, Hole::Size(What::RecurrentState)]),
        llama("llama_kv_cache: size = {} ({} cells, {} layers, {}{}seqs), K ({}): {}, V ({}): {}", CACHE),
        llama("llama_kv_cache_unified: size = {} ({} cells, {} layers, {}{}seqs), K ({}): {}, V ({}): {}", CACHE),
        llama("llama_new_context_with_model: KV self size = {}, K ({}): {}, V ({}): {}", OLD_CACHE),
        llama("llama_init_from_model: KV self size = {}, K ({}): {}, V ({}): {}", OLD_CACHE),
        llama("llama_new_context_with_model: KV self size = {}, c^KV", &[Hole::Size(What::KvTotal)]),
        llama("llama_kv_cache_init: kv_size = {}, offload", &[Hole::Count(What::Cells)]),
        llama(
            "llama_memory_recurrent: size = {} ({} cells, {} layers,",
            &[Hole::Size(What::StateTotal), Hole::Skip, Hole::Skip],
        ),
        // Builds of 2023, before GGUF and behind it.
        llama("llama.cpp: loading model from {}", &[Hole::Name(What::Model)]),
        llama("llama_model_load_internal: n_ctx = {}", &[Hole::Count(What::Context)]),
        llama("llama_model_load_internal: n_embd = {}", &[Hole::Count(What::HiddenSize)]),
        llama("llama_model_load_internal: n_vocab = {}", &[Hole::Count(What::VocabSize)]),
        llama("llama_model_load_internal: n_layer = {}", &[Hole::Count(What::Layers)]),
        llama("llama_model_load_internal: mem required = {}", &[Hole::Size(What::HostWeights)]),
        llama("llama_model_load_internal: total VRAM used: {}", &[Hole::Size(What::Weights)]),
        llama("llama_new_context_with_model: kv self size = {}", &[Hole::Size(What::KvCache)]),
        llama("llama_new_context_with_model: compute buffer total size = {}", &[Hole::Size(What::Compute)]),
        llama("llm_load_tensors: mem required = {}", &[Hole::Size(What::HostWeights)]),
        llama("llm_load_tensors: VRAM used: {}", &[Hole::Size(What::Weights)]),
        llama("llama_kv_cache_init: VRAM kv self = {}", &[Hole::Size(What::KvCache)]),
        llama("ggml_metal_init: GPU name: {}", &[Hole::Name(What::Gpu)]),
        llama(
            "ggml_backend_metal_buffer_type_alloc_buffer: allocated buffer, size = {}, ( {} / {})",
            &[Hole::Skip, Hole::Of(What::Used, Unit::MIB), Hole::Of(What::Allowed, Unit::MIB)],
        ),
        llama("is greater than the recommended max working set size", &[])
            .saying(Says::On(What::OverWorkingSet)),
        // Working space: of the context, of the graph's scheduler, and of an encoder beside the model.
        llama("sched_reserve: {} compute buffer size = {}", COMPUTE),
        llama("llama_context: {} compute buffer size = {}", COMPUTE),
        llama("llama_new_context_with_model: {} compute buffer size = {}", COMPUTE),
        llama("llama_init_from_model: {} compute buffer size = {}", COMPUTE),
        llama("alloc_compute_meta: {} compute buffer size = {}", &[Hole::Buffer, Hole::Size(What::EncoderCompute)]),
        llama("{} output buffer size = {}", &[Hole::Buffer, Hole::Size(What::Output)]),
        // Settings of the context.
        llama("llama_context: n_ctx = {}", &[Hole::Count(What::Context)]),
        llama("create_memory: n_ctx = {} (padded)", &[Hole::Count(What::Context)]),
        llama("llama_context: n_seq_max = {}", &[Hole::Count(What::Parallel)]),
        llama("llama_context: n_ubatch = {}", &[Hole::Count(What::Ubatch)]),
        llama("llama_context: flash_attn = {}", &[Hole::Name(What::FlashAttention)]),
        llama("llama_context: kv_unified = {}", &[Hole::Name(What::Unified)]),
        llama("llama_new_context_with_model: n_ctx = {}", &[Hole::Count(What::Context)]),
        llama("llama_new_context_with_model: n_seq_max = {}", &[Hole::Count(What::Parallel)]),
        llama("llama_new_context_with_model: n_ubatch = {}", &[Hole::Count(What::Ubatch)]),
        llama("llama_new_context_with_model: flash_attn = {}", &[Hole::Name(What::FlashAttention)]),
        llama("llama_init_from_model: n_ctx = {}", &[Hole::Count(What::Context)]),
        llama("llama_init_from_model: n_ubatch = {}", &[Hole::Count(What::Ubatch)]),
        llama("llama_init_from_model: flash_attn = {}", &[Hole::Name(What::FlashAttention)]),
        // Host memory that could not be pinned: what is there is taken as it is, and the program goes on.
        llama("failed to allocate {} of pinned memory", &[Hole::Size(What::Unpinned)]),
        llama("ggml_vulkan: Failed to allocate pinned memory", &[]).saying(Says::On(What::Unpinned)),
        // The table of all memory: before the program loads, or at its end.
        llama("common_memory_breakdown_print: | - {} ({}) | {} = {} + ({} = {} + {} + {}) + {} |", BREAKDOWN),
        llama("llama_memory_breakdown_print: | - {} ({}) | {} = {} + ({} = {} + {} + {}) + {} |", BREAKDOWN),
        llama("common_memory_breakdown_print: | - {} | {} = {} + {} + {} |", HOST_BREAKDOWN),
        llama("llama_memory_breakdown_print: | - {} | {} = {} + {} + {} |", HOST_BREAKDOWN),
        // What else it expects, before it loads.
        llama("memory usage of mmproj is {}", &[Hole::Size(What::PlannedProjector)]),
        llama("[spec] estimated memory usage of {}is {}", &[Hole::Skip, Hole::Size(What::PlannedDraft)]),
        // What the program makes of the free memory before it loads.
        llama(
            "projected to use {} of device memory vs. {} of free device memory",
            &[Hole::Size(What::Projected), Hole::Size(What::Free)],
        ),
        llama(
            "projected to use {} of host memory vs. {} of total host memory",
            &[Hole::Size(What::ProjectedHost), Hole::Size(What::HostCapacity)],
        ),
        // Of each GPU, before it looks for what fits.
        llama("llama_params_fit_impl: - {} ({}): {} total, {} used,", PROJECTION),
        llama("common_params_fit_impl: - {} ({}): {} total, {} used,", PROJECTION),
        llama("need to use {} less in total", &[Hole::Size(What::Missing)]),
        llama(
            "cannot meet free memory target of {}, need to reduce device memory by {}",
            &[Hole::Skip, Hole::Size(What::Missing)],
        ),
        llama(
            "cannot fulfill margin of {}, need to reduce device memory by {}",
            &[Hole::Skip, Hole::Size(What::Missing)],
        ),
        ]
    };
}

pub(super) const LINES: &[Pattern] = described!["print_info:", "llm_load_print_meta:"];

pub(super) const KEYS: &[Key] = &[
    ("-m", What::Model),
    ("model", What::Model),
    ("-md", What::DraftModel),
    ("model_draft", What::DraftModel),
    ("-hf", What::Model),
    ("-hfr", What::Model),
    ("hf_repo", What::Model),
    ("-c", What::Context),
    ("ctx_size", What::Context),
    ("-ub", What::Ubatch),
    ("ubatch_size", What::Ubatch),
    ("-np", What::Parallel),
    ("parallel", What::Parallel),
    ("-ngl", What::GpuLayers),
    ("n_gpu_layers", What::GpuLayers),
    ("gpu_layers", What::GpuLayers),
    ("-ctk", What::KvDtype),
    ("cache_type_k", What::KvDtype),
    ("-ctv", What::ValueDtype),
    ("cache_type_v", What::ValueDtype),
    ("-fa", What::FlashAttention),
    ("flash_attn", What::FlashAttention),
    // KoboldCpp.
    ("model_param", What::Model),
    ("contextsize", What::Context),
    ("gpulayers", What::GpuLayers),
    ("flashattention", What::FlashAttention),
];

const fn command(mark: &'static str) -> Settings {
    Settings { mark, kind: Kind::LlamaCpp, keys: KEYS, behind: true, starts: true }
}

pub(super) const SETTINGS: &[Settings] = &[
    command("llama-server "),
    command("llama-server.exe "),
    command("llama-cli "),
    command("llama-fit-params "),
    command("llama-mtmd-cli "),
    command("llama-cli.exe "),
    command("llama-bench "),
    command("llama-bench.exe "),
    command("koboldcpp.exe "),
    command("koboldcpp.py "),
    command("koboldcpp-linux-x64 "),
    // A router prints them one in a line.
    command("spawning server instance with args:"),
    // What it prints of its arguments, wherever it was started.
    Settings { behind: false, starts: false, ..command("contextsize=") },
];
