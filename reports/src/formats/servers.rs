//! `SGLang`, TensorRT-LLM and Text Generation Inference.
//!
//! Read in November 2026 in public logs (`SGLang` 0.4 to 0.5: sostrowsk/dgx-spark-local-llm, `shun8686/for_debug`; TensorRT-LLM 1.2: faradawn/bench3)
//! and in the code (`sglang/srt/model_executor/model_runner.py`, `sglang/srt/mem_cache/memory_pool.py`; `tensorrt_llm/_torch/pyexecutor/_util.py`; TGI 3.3:
//! `launcher/src/main.rs`, `backends/v3/src/lib.rs`, `server/text_generation_server/models/flash_causal_lm.py`).
//! What `SGLang` and TensorRT-LLM call GB is 2^30 bytes, and what TGI calls so is 10^9.

use super::{Settings, line};
use crate::pattern::{Hole, Pattern, Says};
use crate::settings::Key;
use crate::size::Unit;
use crate::what::{Kind, Refusal, What};

const fn sglang(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Sglang, text, holes)
}

pub(super) const SGLANG: &[Pattern] = &[
    sglang("Init torch distributed ends. {}mem usage={}", &[Hole::Skip, Hole::Size(What::NonTorch)]),
    sglang("Load weight begin. avail mem={}", &[Hole::Size(What::Free)]),
    // Class, precision and what is left are told in one line, whose parts differ from release to release.
    sglang("Load weight end.{}type={},", &[Hole::Skip, Hole::Name(What::Class)]),
    sglang("Load weight end.{}dtype={},", &[Hole::Skip, Hole::Name(What::Dtype)]),
    sglang("Load weight end.{}mem usage={}", &[Hole::Skip, Hole::Size(What::Weights)]),
    sglang("Load weight end.{}avail mem={}", &[Hole::Skip, Hole::Size(What::FreeAfterWeights)]),
    sglang("Using KV cache dtype: {}", &[Hole::Name(What::KvDtype)]),
    sglang("The available memory for KV cache is {}", &[Hole::Size(What::KvCache)]),
    sglang("KV Cache is allocated.{}dtype: {},", &[Hole::Skip, Hole::Name(What::KvDtype)]),
    sglang("KV Cache is allocated.{}#tokens: {}", &[Hole::Skip, Hole::Count(What::KvTokens)]),
    sglang(
        "KV Cache is allocated.{}K size: {}, V size: {}",
        &[Hole::Skip, Hole::Size(What::KeyCache), Hole::Size(What::ValueCache)],
    ),
    sglang("KV Cache is allocated.{}KV size: {}", &[Hole::Skip, Hole::Size(What::KvCache)]),
    // The states of layers that have no keys and values.
    sglang(
        "Mamba Cache is allocated. max_mamba_cache_size: {}, conv_state size: {}, ssm_state size: {}",
        &[Hole::Skip, Hole::Size(What::RecurrentState), Hole::Size(What::RecurrentState)],
    ),
    sglang("SWAKVPool mem usage: {}", &[Hole::Size(What::KvTotal)]),
    sglang("Memory pool end. avail mem={}", &[Hole::Size(What::FreeAfter)]),
    sglang("Capture cuda graph begin.{}avail mem={}", &[Hole::Skip, Hole::Size(What::FreeAfter)]),
    // What the graphs took and what is left stand in either order.
    sglang("Capture cuda graph end.{}mem usage={}", &[Hole::Skip, Hole::Size(What::Graphs)]),
    sglang("Capture cuda graph end.{}avail mem={}", &[Hole::Skip, Hole::Size(What::FreeAfter)]),
    // From 0.5.6 for each of several graphs: "Capture target prefill CUDA graph end."
    sglang("CUDA graph end.{}mem usage={}", &[Hole::Skip, Hole::Size(What::Graphs)]),
    sglang("CUDA graph end.{}avail mem={}", &[Hole::Skip, Hole::Size(What::FreeAfter)]),
    sglang("Capture npu graph end.{}mem usage={}", &[Hole::Skip, Hole::Size(What::Graphs)]),
    sglang("Capture npu graph end.{}avail mem={}", &[Hole::Skip, Hole::Size(What::FreeAfter)]),
    // Layers with a window have a pool of their own, which is told with the same words behind this.
    sglang(
        "Use sliding window memory pool. full_layer_tokens={}, swa_layer_tokens={}",
        &[Hole::Count(What::KvTokens), Hole::Count(What::WindowTokens)],
    ),
    sglang(
        "memory calculation: bytes_per_full_token={}, available_bytes={}, full_token={}",
        &[Hole::Of(What::KvPerToken, Unit::BYTE), Hole::Size(What::KvCache), Hole::Count(What::KvTokens)],
    ),
    sglang("The server is fired up and ready to roll", &[]).saying(Says::On(What::Ready)),
    sglang("max_total_num_tokens={}", &[Hole::Count(What::KvTokens)]),
    sglang("chunked_prefill_size={}, max_prefill_tokens", &[Hole::Count(What::MaxBatchedTokens)]),
    sglang("available_gpu_mem={}", &[Hole::Size(What::FreeAfter)]),
    sglang("max_running_requests={}, context_len={}", &[Hole::Count(What::MaxNumSeqs), Hole::Count(What::MaxModelLen)]),
    sglang("max_total_tokens={} is larger than the profiled value -{}", &[Hole::Count(What::TotalTokens), Hole::Skip])
        .saying(Says::Refuses(Refusal::StaticShare)),
    sglang("alloc_req_slots runs out of memory", &[]).saying(Says::Refuses(Refusal::RequestSlots)),
    sglang("Decode out of memory. Try to lower your batch size", &[]).saying(Says::Refuses(Refusal::TotalTokens)),
    sglang("Prefill out of memory. Try to lower your batch size", &[]).saying(Says::Refuses(Refusal::TotalTokens)),
    sglang("Not enough memory. Please try to increase --mem-fraction-static", &[])
        .saying(Says::Refuses(Refusal::StaticShare)),
    sglang("Not enough memory; increase --mem-fraction-static", &[]).saying(Says::Refuses(Refusal::StaticShare)),
    // From 0.5.10 on with the smallest share that leaves something.
    sglang(
        "Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static={}",
        &[Hole::Ratio(What::Utilization)],
    )
    .saying(Says::Refuses(Refusal::StaticShare)),
    sglang("--mem-fraction-static. Current value: {}={}", &[Hole::Skip, Hole::Ratio(What::Utilization)]),
];

const fn tensorrt(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::TensorRtLlm, text, holes)
}

pub(super) const TENSORRT_LLM: &[Pattern] = &[
    tensorrt("TensorRT LLM version: {}", &[Hole::Name(What::Version)]).saying(Says::Start),
    tensorrt("TensorRT-LLM version: {}", &[Hole::Name(What::Version)]).saying(Says::Start),
    tensorrt("Prefetching {} to memory", &[Hole::Name(What::Model)]),
    tensorrt("Loaded engine size: {}", &[Hole::Size(What::Weights)]),
    // What the engine holds, and else what the driver says.
    tensorrt(
        "[MemUsageChange] TensorRT-managed allocation {}now: CPU {}, GPU {} (MiB)",
        &[Hole::Skip, Hole::Skip, Hole::Of(What::ProgramAllocated, Unit::MIB)],
    ),
    tensorrt(
        "[MemUsageChange] Init {}now: CPU {}, GPU {} (MiB)",
        &[Hole::Skip, Hole::Skip, Hole::Of(What::Used, Unit::MIB)],
    ),
    tensorrt(
        "Requested amount of GPU memory ({} bytes) could not be allocated",
        &[Hole::Of(What::Requested, Unit::BYTE)],
    )
    .saying(Says::Refuses(Refusal::Buffer)),
    // The lines below it name the component, and how much memory was free.
    tensorrt("Executor creation failed due to insufficient GPU memory", &[]).saying(Says::Refuses(Refusal::Component)),
    tensorrt("component could not be created: KV cache", &[]).saying(Says::Refuses(Refusal::CacheBuffer)),
    tensorrt("Total GPU memory (GiB): {}", &[Hole::Of(What::Capacity, Unit::GIB)]),
    tensorrt("Free GPU memory before component creation attempt (GiB): {}", &[Hole::Of(What::Free, Unit::GIB)]),
    // Free before and after: the first is that of the model.
    tensorrt("Model: {} / {}", &[Hole::Of(What::Free, Unit::GIB), Hole::Of(What::FreeAfterWeights, Unit::GIB)])
        .saying(Says::Within),
    tensorrt("TRTGptModel maxNumSequences: {}", &[Hole::Count(What::MaxNumSeqs)]),
    tensorrt("TRTGptModel maxSequenceLen: {}", &[Hole::Count(What::MaxModelLen)]),
    tensorrt("TRTGptModel maxNumTokens: {}", &[Hole::Count(What::MaxBatchedTokens)]),
    tensorrt("Use {} for model weights", &[Hole::Size(What::Weights)]),
    tensorrt(
        "Memory used after loading model weights (inside torch) in memory usage profiling: {}",
        &[Hole::Size(What::Weights)],
    ),
    tensorrt(
        "Memory used after loading model weights (outside torch) in memory usage profiling: {}",
        &[Hole::Size(What::NonTorch)],
    ),
    tensorrt(
        "Memory dynamically allocated during inference (inside torch) in memory usage profiling: {}",
        &[Hole::Size(What::PeakActivation)],
    ),
    tensorrt(
        "Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage profiling: {}",
        &[Hole::Size(What::NonTorch)],
    ),
    tensorrt(
        "Peak memory during memory usage profiling (torch + non-torch): {}, available KV cache memory when calculating max tokens: {}, fraction is set {}, kv size is {}. device total memory {}",
        &[
            Hole::Size(What::NonKv),
            Hole::Size(What::KvCache),
            Hole::Ratio(What::Utilization),
            Hole::Of(What::KvPerToken, Unit::BYTE),
            Hole::Size(What::Capacity),
        ],
    ),
    // Up to 0.8 in bytes, and up to 0.17 the working space of the engine.
    tensorrt("Allocate {} bytes for k/v cache", &[Hole::Of(What::KvCache, Unit::BYTE)]),
    // Of its backend for Triton, up to 0.10.
    tensorrt(
        "Max tokens in paged KV cache: {}. Allocating {} bytes",
        &[Hole::Count(What::KvTokens), Hole::Of(What::KvCache, Unit::BYTE)],
    ),
    tensorrt("Using {} tokens in paged KV cache", &[Hole::Count(What::KvTokens)]),
    tensorrt("[MemUsageChange] Allocated {} for execution context memory", &[Hole::Size(What::ExecutionContext)]),
    tensorrt("Estimated max memory in KV cache : {}", &[Hole::Size(What::KvCache)]),
    tensorrt(
        "[MemUsageChange] Allocated {} for max tokens in paged KV cache ({})",
        &[Hole::Size(What::KvCache), Hole::Count(What::KvTokens)],
    ),
    tensorrt(
        "Memory usage when calculating max tokens in paged kv cache: total: {}, available: {}",
        &[Hole::Size(What::Capacity), Hole::Size(What::Free)],
    ),
    tensorrt("tokens per block={}, primary blocks={}", &[Hole::Count(What::BlockSize), Hole::Count(What::KvBlocks)]),
    tensorrt("Number of tokens per block: {}.", &[Hole::Count(What::BlockSize)]),
    tensorrt("secondary blocks={}, max sequence length={}", &[Hole::Skip, Hole::Count(What::MaxModelLen)]),
    // The pool is smaller than one request of the length that was asked for.
    tensorrt("to fit in kvCache. they are reduced to {}", &[Hole::Count(What::MaxModelLen)]),
    tensorrt(
        "Both free_gpu_memory_fraction and max_tokens are set (to {} and {}, respectively)",
        &[Hole::Ratio(What::Utilization), Hole::Skip],
    ),
    tensorrt("Number of blocks in KV cache primary pool: {}", &[Hole::Count(What::KvBlocks)]),
    // Up to 0.18 without the batch.
    tensorrt(
        "max_seq_len={}, max_num_requests={}, max_num_tokens={}",
        &[Hole::Count(What::MaxModelLen), Hole::Count(What::MaxNumSeqs), Hole::Count(What::MaxBatchedTokens)],
    ),
    tensorrt(
        "max_seq_len={}, max_num_requests={}, max_num_tokens={}, max_batch_size={}",
        &[
            Hole::Count(What::MaxModelLen),
            Hole::Skip,
            Hole::Count(What::MaxBatchedTokens),
            Hole::Count(What::MaxNumSeqs),
        ],
    ),
];

const fn tgi(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Tgi, text, holes)
}

pub(super) const TGI: &[Pattern] = &[
    tgi("Sharding model on {} processes", &[Hole::Count(What::TensorParallel)]),
    tgi("Default `max_batch_prefill_tokens` to {}", &[Hole::Count(What::MaxBatchedTokens)]),
    tgi("Free memory {} , (real: {}", &[Hole::Skip, Hole::Decimal(What::Free)]),
    tgi("KV-cache blocks: {}, size: {}", &[Hole::Count(What::KvBlocks), Hole::Count(What::BlockSize)]),
    tgi("Setting max batch total tokens to {}", &[Hole::Count(What::KvTokens)]),
    tgi("Inferred max batch total tokens: {}", &[Hole::Count(What::KvTokens)]),
    tgi("Free RAM after cuda graphs {}", &[Hole::Decimal(What::FreeAfter)]),
    tgi(
        "Not enough memory to handle {} total tokens with {} prefill tokens",
        &[Hole::Count(What::TotalTokens), Hole::Count(What::PrefillTokens)],
    )
    .saying(Says::Refuses(Refusal::TotalTokens)),
    tgi("Not enough memory to handle {} prefill tokens", &[Hole::Count(What::PrefillTokens)])
        .saying(Says::Refuses(Refusal::Prefill)),
    tgi("Not enough memory to handle `max_total_tokens={}`", &[Hole::Count(What::MaxModelLen)])
        .saying(Says::Refuses(Refusal::MaxTotalTokens)),
];

const SGLANG_KEYS: &[Key] = &[
    ("model_path", What::Model),
    ("model", What::Model),
    ("dtype", What::Dtype),
    ("quantization", What::Quantization),
    ("kv_cache_dtype", What::KvDtype),
    ("context_length", What::MaxModelLen),
    ("mem_fraction_static", What::Utilization),
    ("max_running_requests", What::MaxNumSeqs),
    ("chunked_prefill_size", What::MaxBatchedTokens),
    ("tp_size", What::TensorParallel),
    ("tensor_parallel_size", What::TensorParallel),
    ("tp", What::TensorParallel),
    ("pp_size", What::PipelineParallel),
    ("dp_size", What::DataParallel),
    ("dp", What::DataParallel),
    ("disable_cuda_graph", What::EnforceEager),
    ("speculative_draft_model_path", What::DraftModel),
];

const TGI_KEYS: &[Key] = &[
    ("model_id", What::Model),
    ("num_shard", What::TensorParallel),
    ("quantize", What::Quantization),
    ("dtype", What::Dtype),
    ("kv_cache_dtype", What::KvDtype),
    ("max_total_tokens", What::MaxModelLen),
    ("max_input_length", What::LongestPrompt),
    ("max_input_tokens", What::LongestPrompt),
    ("max_batch_prefill_tokens", What::MaxBatchedTokens),
    ("max_batch_size", What::MaxNumSeqs),
    ("cuda_memory_fraction", What::Utilization),
];

const fn turbomind(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Lmdeploy, text, holes)
}

pub(super) const LMDEPLOY: &[Pattern] =
    &[turbomind("`max_context_token_num` is not set, default to {}", &[Hole::Count(What::MaxModelLen)])];

const LMDEPLOY_KEYS: &[Key] = &[
    ("tp", What::TensorParallel),
    ("dp", What::DataParallel),
    ("session_len", What::MaxModelLen),
    ("max_batch_size", What::MaxNumSeqs),
    ("max_prefill_token_num", What::MaxBatchedTokens),
    ("cache_max_entry_count", What::FreeShare),
    ("cache_block_seq_len", What::BlockSize),
    ("model_format", What::Quantization),
    ("dtype", What::Dtype),
];

const TENSORRT_KEYS: &[Key] = &[
    ("model", What::Model),
    ("model_dir", What::Model),
    ("dtype", What::Dtype),
    ("tokens_per_block", What::BlockSize),
    ("tp_size", What::TensorParallel),
    ("pp_size", What::PipelineParallel),
    ("max_batch_size", What::MaxNumSeqs),
    ("max_num_tokens", What::MaxBatchedTokens),
    ("max_seq_len", What::MaxModelLen),
    ("max_input_len", What::LongestPrompt),
    ("max_output_len", What::LongestAnswer),
    ("world_size", What::GpuCount),
    ("kv_cache_free_gpu_memory_fraction", What::Utilization),
    ("free_gpu_memory_fraction", What::Utilization),
];

const fn settings(kind: Kind, mark: &'static str, keys: &'static [Key], starts: bool) -> Settings {
    Settings { mark, kind, keys, behind: true, starts }
}

pub(super) const SETTINGS: &[Settings] = &[
    settings(Kind::Sglang, "server_args=ServerArgs(", SGLANG_KEYS, true),
    settings(Kind::Sglang, "server_args={", SGLANG_KEYS, true),
    settings(Kind::Sglang, "sglang.launch_server ", SGLANG_KEYS, true),
    settings(Kind::Sglang, "sglang serve ", SGLANG_KEYS, true),
    settings(Kind::Tgi, "text-generation-launcher ", TGI_KEYS, true),
    // Its image, in the command of a container.
    settings(Kind::Tgi, "text-generation-inference:", TGI_KEYS, true),
    settings(Kind::Tgi, "text_generation_launcher: Args {", TGI_KEYS, true),
    settings(Kind::Tgi, "\"Args {", TGI_KEYS, true),
    // The same as a structure that was printed by itself.
    settings(Kind::Tgi, "{ model_id: ", TGI_KEYS, false),
    settings(Kind::TensorRtLlm, "trtllm-serve ", TENSORRT_KEYS, true),
    settings(Kind::TensorRtLlm, "trtllm-build ", TENSORRT_KEYS, true),
    settings(Kind::TensorRtLlm, "build.py --model_dir ", TENSORRT_KEYS, true),
    settings(Kind::TensorRtLlm, "convert_checkpoint.py ", TENSORRT_KEYS, true),
    settings(Kind::Lmdeploy, "TurbomindEngineConfig(", LMDEPLOY_KEYS, true),
    settings(Kind::Lmdeploy, "PytorchEngineConfig(", LMDEPLOY_KEYS, true),
    settings(Kind::Lmdeploy, "lmdeploy serve api_server ", LMDEPLOY_KEYS, true),
    // Engines of 0.5 to 0.7 were built by scripts with arguments of their own.
    Settings { behind: false, ..settings(Kind::TensorRtLlm, "--use_gpt_attention_plugin ", TENSORRT_KEYS, true) },
];
