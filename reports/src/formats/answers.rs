//! What servers answer when they are asked about themselves: JSON, and metrics in the form of Prometheus.
//!
//! Read in November 2026: `/metrics` of vLLM (`v1/metrics/loggers.py`), `SGLang` and llama.cpp; `/get_server_info` of `SGLang`
//! (`entrypoints/http_server.py`, sgl-project/sglang#11303), the checkpoints of its diffusion (sgl-project/sglang#18865), iteration statistics
//! of TensorRT-LLM (NVIDIA/TensorRT-LLM#3376), `/info` of TGI, `/props` and `/v1/models` of llama.cpp (`tools/server/README.md`), `/api/ps`
//! of Ollama (`docs/api.md`).

use super::line;
use crate::pattern::{Hole, Pattern, Says};
use crate::size::Unit;
use crate::what::{Kind, What};

/// Said only behind what names the program: other programs have the name too.
const fn within(kind: Kind, text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(kind, text, holes).saying(Says::Within)
}

const fn answer(kind: Kind, text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(kind, text, holes)
}

const SHARE: &[Hole] = &[Hole::Skip, Hole::Name(What::Model), Hole::Skip, Hole::Ratio(What::KvUsedShare)];
const TOKENS: &[Hole] = &[Hole::Skip, Hole::Count(What::KvTokens)];
const MODEL: &[Hole] = &[Hole::Pad, Hole::Name(What::Model)];

pub(super) const LINES: &[Pattern] = &[
    // The second name since vLLM 0.11.
    answer(Kind::Vllm, "vllm:gpu_cache_usage_perc{{}model_name=\"{}\"{}} {}", SHARE),
    answer(Kind::Vllm, "vllm:kv_cache_usage_perc{{}model_name=\"{}\"{}} {}", SHARE),
    answer(Kind::Sglang, "sglang:token_usage{{}model_name=\"{}\"{}} {}", SHARE),
    answer(Kind::Sglang, "sglang:max_total_num_tokens{{}} {}", TOKENS),
    answer(Kind::LlamaCpp, "llamacpp:kv_cache_usage_ratio {}", &[Hole::Ratio(What::KvUsedShare)]),
    answer(Kind::Sglang, "{\"model_path\":\"{}\",\"tokenizer_path\":", &[Hole::Name(What::Model)]),
    answer(Kind::Sglang, "\"mem_fraction_static\":{}", &[Hole::Ratio(What::Utilization)]),
    answer(Kind::Sglang, "\"max_total_num_tokens\":{}", &[Hole::Count(What::KvTokens)]),
    answer(Kind::Sglang, "\"memory_usage\":{\"weight\":{}", &[Hole::Of(What::Weights, Unit::GIB)]),
    within(Kind::Sglang, "\"kvcache\":{}", &[Hole::Of(What::KvCache, Unit::GIB)]),
    within(Kind::Sglang, "\"model_path\":{}\"{}\"", MODEL),
    within(Kind::Sglang, "\"tp_size\":{}", &[Hole::Count(What::TensorParallel)]),
    within(Kind::Sglang, "\"kv_cache_dtype\":{}\"{}\"", &[Hole::Pad, Hole::Name(What::KvDtype)]),
    answer(Kind::Sglang, "\"memory_checkpoints\":", &[]).saying(Says::Start),
    within(Kind::Sglang, "\"allocated_mb\":{}", &[Hole::Of(What::Allocated, Unit::MIB)]),
    within(Kind::Sglang, "\"reserved_mb\":{}", &[Hole::Of(What::Reserved, Unit::MIB)]),
    within(Kind::Sglang, "\"peak_allocated_mb\":{}", &[Hole::Of(What::PeakAllocated, Unit::MIB)]),
    within(Kind::Sglang, "\"peak_reserved_mb\":{}", &[Hole::Of(What::PeakReserved, Unit::MIB)]),
    answer(Kind::TensorRtLlm, "\"gpuMemUsage\":{}", &[Hole::Of(What::Used, Unit::BYTE)]),
    within(Kind::TensorRtLlm, "\"maxNumBlocks\":{}", &[Hole::Count(What::KvBlocks)]),
    within(Kind::TensorRtLlm, "\"tokensPerBlock\":{}", &[Hole::Count(What::BlockSize)]),
    within(Kind::TensorRtLlm, "\"usedNumBlocks\":{}", &[Hole::Count(What::KvUsedBlocks)]),
    answer(Kind::Tgi, "\"model_id\":\"{}\",\"model_sha\":", &[Hole::Name(What::Model)]),
    answer(Kind::Tgi, "\"max_batch_total_tokens\":{}", &[Hole::Count(What::KvTokens)]),
    within(Kind::Tgi, "\"max_total_tokens\":{}", &[Hole::Count(What::MaxModelLen)]),
    answer(Kind::LlamaCpp, "\"default_generation_settings\":", &[]).saying(Says::Start),
    within(Kind::LlamaCpp, "\"n_ctx\":{}", &[Hole::Count(What::Context)]),
    answer(Kind::LlamaCpp, "\"total_slots\":{}", &[Hole::Count(What::Parallel)]),
    within(Kind::LlamaCpp, "\"model_path\":{}\"{}\"", MODEL),
    answer(Kind::LlamaCpp, "\"n_ctx_train\":{}", &[Hole::Count(What::TrainedContext)]),
    within(Kind::LlamaCpp, "\"n_embd\":{}", &[Hole::Count(What::HiddenSize)]),
    answer(Kind::LlamaCpp, "\"n_params\":{}", &[Hole::Count(What::Parameters)]),
    within(
        Kind::LlamaCpp,
        "\"n_params\":{},{}\"size\":{}",
        &[Hole::Skip, Hole::Pad, Hole::Of(What::Checkpoint, Unit::BYTE)],
    ),
    answer(
        Kind::Ollama,
        "\"name\":\"{}\",{}\"size\":{},{}\"size_vram\":{}",
        &[
            Hole::Name(What::Model),
            Hole::Skip,
            Hole::Of(What::Total, Unit::BYTE),
            Hole::Skip,
            Hole::Of(What::Projected, Unit::BYTE),
        ],
    ),
];
