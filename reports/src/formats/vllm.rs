//! vLLM from 0.4 to 0.3x: what it prints of its memory while it starts, and why it refuses to.
//!
//! Read in vLLM's code (`worker/worker.py` of 0.4.2, 0.6.1, 0.6.4, 0.7 and 0.8.4, `v1/worker/gpu_worker.py` and `v1/core/kv_cache_utils.py` of
//! 0.8.4 to 0.30) and in public logs of 0.6 to 0.30, in November 2026. What it calls GB before 0.7 is 2^30 bytes.

use super::{Settings, line};
use crate::pattern::{Hole, Pattern, Says};
use crate::settings::Key;
use crate::size::Unit;
use crate::what::{Kind, Refusal, What};

const fn vllm(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Vllm, text, holes)
}

const fn gib(what: What) -> Hole {
    Hole::Of(what, Unit::GIB)
}

const fn refuses(text: &'static str, holes: &'static [Hole], why: Refusal) -> Pattern {
    vllm(text, holes).saying(Says::Refuses(why))
}

/// What any program may say.
const fn within(text: &'static str, holes: &'static [Hole]) -> Pattern {
    vllm(text, holes).saying(Says::Within)
}

const SHARE: &[Hole] = &[gib(What::Free), gib(What::Capacity), Hole::Ratio(What::Utilization), gib(What::Budget)];
const SHARE_OF: &[Hole] =
    &[Hole::Device, gib(What::Free), gib(What::Capacity), Hole::Ratio(What::Utilization), gib(What::Budget)];

const FREE: &[Hole] = &[gib(What::Free), gib(What::Capacity)];
const FREE_OF: &[Hole] = &[Hole::Device, gib(What::Free), gib(What::Capacity)];

pub(super) const LINES: &[Pattern] = &[
    vllm("Initializing a V1 LLM engine (v{})", &[Hole::Name(What::Version)]).saying(Says::Start),
    vllm("Initializing an LLM engine (v{})", &[Hole::Name(What::Version)]).saying(Says::Start),
    vllm("vLLM API server version {}", &[Hole::Name(What::Version)]).saying(Says::Start),
    vllm("vLLM server version {}", &[Hole::Name(What::Version)]).saying(Says::Start),
    // Of `collect_env.py`, of a list of packages, and of a wheel's name.
    vllm("vLLM Version{}: {}", &[Hole::Pad, Hole::Name(What::Version)]),
    vllm("[pip3] vllm=={}", &[Hole::Name(What::Version)]),
    vllm("vllm-{}-cp", &[Hole::Name(What::Version)]),
    vllm("Resolved architecture: {}", &[Hole::Name(What::Class)]),
    vllm("FlashInfer resolved query dtypes: {}kv_cache_dtype={},", &[Hole::Skip, Hole::Name(What::KvDtype)]),
    vllm("Chunked prefill is enabled with max_num_batched_tokens={}", &[Hole::Count(What::MaxBatchedTokens)]),
    vllm("Raising max_num_batched_tokens from {} to {} to", &[Hole::Skip, Hole::Count(What::MaxBatchedTokens)]),
    vllm("Using max model len {}", &[Hole::Count(What::MaxModelLen)]),
    // Of its plugin for Ascend, up to 0.12: what is left for the cache.
    vllm("Available memory: {}, total memory: {}", &[Hole::Size(What::KvCache), Hole::Size(What::Capacity)]),
    // Weights: 0.4 to 0.6, then 0.7 and later.
    vllm("Loading model weights took {}", &[Hole::Size(What::Weights)]),
    vllm("Model loading took {}", &[Hole::Size(What::Weights)]),
    vllm("Checkpoint size: {}", &[Hole::Size(What::Checkpoint)]),
    // The profiled pass: 0.6.2 to 0.6.4, 0.6.5 to 0.8, 0.9 and later.
    vllm(
        "Memory profiling results: total_gpu_memory={} initial_memory_usage={} peak_torch_memory={} memory_usage_post_profile={} non_torch_memory={} kv_cache_size={} gpu_memory_utilization={}",
        &[
            Hole::Size(What::Capacity),
            Hole::Size(What::Used),
            Hole::Size(What::PeakAllocated),
            Hole::Skip,
            Hole::Size(What::NonTorch),
            Hole::Size(What::KvCache),
            Hole::Ratio(What::Utilization),
        ],
    ),
    vllm(
        "the current vLLM instance can use total_gpu_memory ({}) x gpu_memory_utilization ({}) = {}",
        &[Hole::Size(What::Capacity), Hole::Ratio(What::Utilization), Hole::Size(What::Budget)],
    ),
    vllm("model weights take {}", &[Hole::Size(What::Weights)]),
    vllm("non_torch_memory takes {}", &[Hole::Size(What::NonTorch)]),
    vllm("PyTorch activation peak memory takes {}", &[Hole::Size(What::PeakActivation)]),
    vllm("the rest of the memory reserved for KV Cache is {}", &[Hole::Size(What::KvCache)]),
    vllm("Total non KV cache memory: {}", &[Hole::Size(What::NonKv)]),
    vllm("torch peak memory increase: {}", &[Hole::Size(What::PeakActivation)]),
    vllm("non-torch forward increase memory: {}", &[Hole::Size(What::NonTorch)]),
    vllm("total consumed (from mem_get_info): {}", &[Hole::Size(What::Consumed)]),
    vllm("weights memory: {}", &[Hole::Size(What::Weights)]),
    // From 0.10: what it came to.
    vllm("memory on device ({}/{} GiB) on startup. Desired GPU memory utilization is ({}, {} GiB)", SHARE),
    vllm("memory on device cuda:{} ({}/{} GiB) on startup. Desired GPU memory utilization is ({}, {} GiB)", SHARE_OF),
    vllm(
        "Actual usage is {} GiB for weight, {} GiB for peak activation, {} GiB for non-torch memory, and {} GiB for CUDAGraph memory",
        &[gib(What::Weights), gib(What::PeakActivation), gib(What::NonTorch), gib(What::Graphs)],
    ),
    vllm(
        "Actual usage is {} GiB for consumed memory (weights + non-torch), {} GiB for peak activation, and {} GiB for CUDAGraph memory",
        &[gib(What::Consumed), gib(What::PeakActivation), gib(What::Graphs)],
    ),
    // Its plugin for Ascend.
    vllm(
        "Actual usage: {} GiB for weights, {} GiB for peak activation, {} GiB for non-torch memory, {} GiB for",
        &[gib(What::Weights), gib(What::PeakActivation), gib(What::NonTorch), gib(What::Graphs)],
    ),
    vllm("Sleep mode freed {} memory, {} memory is still in use", &[Hole::Skip, Hole::Size(What::Used)]),
    vllm("Current kv cache memory in use is {}", &[Hole::Size(What::KvCache)]),
    // With a mark of code behind the number or without.
    vllm("--kv-cache-memory={}{}({} GiB) to fit", &[Hole::Of(What::KvSuggested, Unit::BYTE), Hole::Skip, Hole::Skip]),
    vllm("Available KV cache memory: {}", &[Hole::Size(What::KvCache)]),
    vllm("{} GiB, reserved {} GiB memory for KV Cache as specified", &[gib(What::Free), Hole::Skip]),
    vllm("reserved {} GiB memory for KV Cache as specified", &[gib(What::KvCache)]),
    vllm(
        "Initial free memory: {}; Requested memory: {} (util), {}",
        &[Hole::Size(What::Free), Hole::Ratio(What::Utilization), Hole::Size(What::Budget)],
    ),
    // Graphs.
    vllm("Graph capturing finished in {} secs, took {} GiB", &[Hole::Skip, gib(What::Graphs)]),
    vllm("Estimated CUDA graph memory: {} GiB total", &[gib(What::GraphsEstimated)]),
    vllm(
        "CUDA graph pool memory: {} GiB (actual), {} GiB (estimated)",
        &[gib(What::Graphs), gib(What::GraphsEstimated)],
    ),
    vllm(
        "The current --gpu-memory-utilization={} is equivalent to --gpu-memory-utilization={} without",
        &[Hole::Ratio(What::Utilization), Hole::Ratio(What::Equivalent)],
    ),
    // 0.17 and 0.18.
    vllm("increase --gpu-memory-utilization from {} to {} to maintain", &[Hole::Ratio(What::Utilization), Hole::Skip]),
    // The pool.
    // The old engine, whatever it calls the GPU, and the new one of 0.7.
    vllm("{}, # CPU blocks: {}", &[Hole::Count(What::KvBlocks), Hole::Count(What::HostKvBlocks)]),
    vllm("# GPU blocks: {}", &[Hole::Count(What::KvBlocks)]),
    vllm("GPU KV cache size: {} tokens", &[Hole::Count(What::KvTokens)]),
    vllm(
        "Maximum concurrency for {} tokens per request: {}x",
        &[Hole::Count(What::MaxModelLen), Hole::Ratio(What::Concurrency)],
    ),
    // Aphrodite, made from the old engine.
    vllm("GPU memory breakdown:", &[]),
    within("Total GPU memory: {}", &[Hole::Size(What::Capacity)]),
    within("Available for Aphrodite: {}", &[Hole::Size(What::Budget)]),
    within("Model weights: {}", &[Hole::Size(What::Weights)]),
    within("Reserved for KV cache: {}", &[Hole::Size(What::KvCache)]),
    within("KV cache for {} tokens: {}", &[Hole::Count(What::MaxModelLen), Hole::Size(What::KvNeeded)]),
    within("Peak activations memory: {}", &[Hole::Size(What::PeakActivation)]),
    within("Minimum concurrency: {}x", &[Hole::Ratio(What::Concurrency)]),
    vllm("Setting attention block size to {} tokens", &[Hole::Count(What::BlockSize)]),
    // Refusals: up to 0.8 with the old engine, then with the new one.
    refuses(
        "max seq len ({}) is larger than the maximum number of tokens that can be stored in KV cache ({})",
        &[Hole::Count(What::MaxModelLen), Hole::Count(What::KvTokens)],
        Refusal::Length,
    ),
    refuses(
        "max seq len ({}), ({} GiB KV cache is needed, which is larger than the available KV cache memory ({} GiB)",
        &[Hole::Count(What::MaxModelLen), gib(What::KvNeeded), gib(What::KvCache)],
        Refusal::Length,
    ),
    // As loggers that take the brackets away have it.
    refuses(
        "max seq len ({}), {} GiB KV cache is needed, which is larger than the available KV cache memory ({} GiB)",
        &[Hole::Count(What::MaxModelLen), gib(What::KvNeeded), gib(What::KvCache)],
        Refusal::Length,
    ),
    vllm("the estimated maximum model length is {}", &[Hole::Count(What::LongestPossible)]),
    refuses("No available memory for the cache blocks", &[], Refusal::NoBlocks),
    refuses(
        "memory on device ({}/{} GiB) on startup is less than desired GPU memory utilization ({}, {} GiB)",
        SHARE,
        Refusal::Share,
    ),
    // Copied without what it asks for. A title may begin in a small letter.
    refuses("memory on device ({}/{} GiB) on startup is less than", FREE, Refusal::Share),
    refuses("memory on device cuda:{} ({}/{} GiB) on startup is less than", FREE_OF, Refusal::Share),
    refuses(
        "memory on device cuda:{} ({}/{} GiB) on startup is less than desired GPU memory utilization ({}, {} GiB)",
        SHARE_OF,
        Refusal::Share,
    ),
    // Of `gpu_model_runner.py` around PyTorch's message (vLLM issue 40291, 0.19).
    refuses("Failed to load model - not enough GPU memory", &[], Refusal::Weights),
    refuses("Error in memory profiling.", &[], Refusal::Profiling),
    refuses(
        "CUDA out of memory occurred when warming up sampler with {} dummy requests",
        &[Hole::Count(What::WarmUpRequests)],
        Refusal::Sampler,
    ),
    refuses(
        "out of memory occurred when warming up pooler with {} dummy requests",
        &[Hole::Count(What::WarmUpRequests)],
        Refusal::Sampler,
    ),
    refuses(
        "max_num_seqs ({}) exceeds available Mamba cache blocks ({})",
        &[Hole::Count(What::MaxNumSeqs), Hole::Count(What::KvBlocks)],
        Refusal::StateBlocks,
    ),
];

pub(crate) const KEYS: &[Key] = &[
    ("model", What::Model),
    ("model_tag", What::Model),
    ("dtype", What::Dtype),
    ("quantization", What::Quantization),
    ("kv_cache_dtype", What::KvDtype),
    ("max_model_len", What::MaxModelLen),
    ("max_seq_len", What::MaxModelLen),
    ("max_num_seqs", What::MaxNumSeqs),
    ("max_num_batched_tokens", What::MaxBatchedTokens),
    ("gpu_memory_utilization", What::Utilization),
    ("block_size", What::BlockSize),
    ("cache_dtype", What::KvDtype),
    ("num_gpu_blocks", What::KvBlocks),
    ("num_cpu_blocks", What::HostKvBlocks),
    ("enforce_eager", What::EnforceEager),
    ("language_model_only", What::LanguageModelOnly),
    ("enable_prefix_caching", What::PrefixCaching),
    ("enable_lora", What::EnableLora),
    ("max_loras", What::MaxLoras),
    ("max_lora_rank", What::MaxLoraRank),
    ("max_cpu_loras", What::MaxCpuLoras),
    ("tensor_parallel_size", What::TensorParallel),
    // Options may be shortened.
    ("tensor_parallel", What::TensorParallel),
    ("gpu_memory_util", What::Utilization),
    ("-tp", What::TensorParallel),
    ("pipeline_parallel_size", What::PipelineParallel),
    ("-pp", What::PipelineParallel),
    ("data_parallel_size", What::DataParallel),
    ("-dp", What::DataParallel),
    ("enable_expert_parallel", What::ExpertParallel),
    ("speculative_model", What::DraftModel),
    ("num_speculative_tokens", What::SpeculativeTokens),
    ("num_spec_tokens", What::SpeculativeTokens),
    ("method", What::Speculation),
];

/// The call of vLLM in a script, whose name other libraries have too.
pub(crate) const CALL: &str = "LLM(";

const fn settings(mark: &'static str, starts: bool) -> Settings {
    Settings { mark, kind: Kind::Vllm, keys: KEYS, behind: true, starts }
}

pub(super) const SETTINGS: &[Settings] = &[
    // Of its metrics.
    settings("vllm:cache_config_info{", false),
    settings("non-default args: ", true),
    settings("LLM engine with config: ", true),
    settings(") with config: ", false),
    // The same settings, copied without the line above them.
    Settings { behind: false, ..settings(", speculative_config=", false) },
    settings("vllm engine args: AsyncEngineArgs(", true),
    settings("args: Namespace(", true),
    settings("vllm.entrypoints.openai.api_server ", true),
    settings("vllm serve ", true),
    Settings { behind: false, ..settings("--max-model-len", false) },
    // The calls of a script.
    settings(CALL, false),
    settings("AsyncEngineArgs(", false),
    settings("EngineArgs(", false),
    Settings { behind: false, ..settings("max_model_len=", false) },
];
