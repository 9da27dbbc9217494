//! What servers answer about themselves, in the shape of public answers and with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, only};
use memory_wall_reports::{Kind, What, read};

/// vllm-project/production-stack#318, `v1/metrics/loggers.py`.
#[test]
fn metrics_of_vllm() {
    let text = "# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig\n\
        vllm:cache_config_info{block_size=\"16\",cache_dtype=\"auto\",gpu_memory_utilization=\"0.9\",num_cpu_blocks=\"None\",num_gpu_blocks=\"27700\",swap_space=\"4\"} 1.0\n\
        vllm:num_requests_running{model_name=\"Qwen/Qwen2.5-Coder-32B-Instruct\"} 8.0\n\
        # HELP vllm:gpu_cache_usage_perc GPU KV-cache usage. 1 means 100 percent usage.\n\
        vllm:gpu_cache_usage_perc{model_name=\"Qwen/Qwen2.5-Coder-32B-Instruct\"} 0.25\n";
    assert_told(
        Kind::Vllm,
        text,
        &[
            "2: block_size 16",
            "2: kv_dtype auto",
            "2: utilization 0.9",
            "2: kv_blocks 27700",
            "5: model Qwen2.5-Coder-32B-Instruct",
            "5: kv_used_share 0.25",
        ],
    );
    let newer = "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"Qwen/Qwen3-32B\"} 0.5";
    assert_told(Kind::Vllm, newer, &["1: model Qwen3-32B", "1: kv_used_share 0.5"]);
}

/// sgl-project/sglang#11303: as one line, and printed with a line for each field.
#[test]
fn answers_of_sglang() {
    let line = "{\"model_path\":\"meta-llama/Llama-3.1-8B-Instruct\",\"tokenizer_path\":\"x\",\"mem_fraction_static\":0.88,\"max_total_tokens\":null,\"tp_size\":2,\"kv_cache_dtype\":\"fp8_e5m2\",\"max_total_num_tokens\":444500,\"memory_usage\":{\"weight\":14.5,\"kvcache\":54.25,\"token_capacity\":444500}}";
    let facts = [
        "1: model Llama-3.1-8B-Instruct",
        "1: utilization 0.88",
        "1: tensor_parallel 2",
        "1: kv_dtype fp8_e5m2",
        "1: kv_tokens 444500",
    ];
    let report = only(Kind::Sglang, line);
    assert_eq!(common::told(&report)[..5], facts);
    assert_eq!(report.size(What::Weights).unwrap().bytes, 29 << 29);
    assert_eq!(report.size(What::KvCache).unwrap().bytes, 217 << 28);
    let lines = "{\n  \"server_args\": {\n    \"mem_fraction_static\": 0.86,\n    \"model_path\": \"/srv/models/Llama-3.1-8B-Instruct\",\n    \"tp_size\": 1\n  },\n  \"max_total_num_tokens\": 414000\n}\n";
    assert_told(
        Kind::Sglang,
        lines,
        &["3: utilization 0.86", "4: model Llama-3.1-8B-Instruct", "5: tensor_parallel 1", "7: kv_tokens 414000"],
    );
    let metrics = "sglang:token_usage{engine_type=\"unified\",model_name=\"Qwen/Qwen3-8B\"} 0.25\nsglang:max_total_num_tokens{model_name=\"Qwen/Qwen3-8B\"} 1000\n";
    assert_told(Kind::Sglang, metrics, &["1: model Qwen3-8B", "1: kv_used_share 0.25", "2: kv_tokens 1000"]);
}

/// sgl-project/sglang#18865: its diffusion.
#[test]
fn checkpoints_of_sglangs_diffusion() {
    let text = "  \"memory_checkpoints\": {\n    \"before_forward\": {\n      \"allocated_mb\": 1024.5,\n      \"reserved_mb\": 2048.0,\n      \"peak_allocated_mb\": 1024.5,\n      \"peak_reserved_mb\": 4096.0\n    }";
    assert_told(
        Kind::Sglang,
        text,
        &[
            "3: allocated 1074266112~104857",
            "4: reserved 2147483648~104857",
            "5: peak_allocated 1074266112~104857",
            "6: peak_reserved 4294967296~104857",
        ],
    );
    assert!(read(b"{\"allocated_mb\": 5}").reports.is_empty());
}

/// NVIDIA/TensorRT-LLM#3376.
#[test]
fn iteration_statistics_of_tensorrt_llm() {
    let text = "[{\"cpuMemUsage\":3400,\"gpuMemUsage\":25330000000,\"iter\":0,\"kvCacheStats\":{\"freeNumBlocks\":1740,\"maxNumBlocks\":7240,\"tokensPerBlock\":64,\"usedNumBlocks\":5500},\"maxBatchSizeRuntime\":16}]";
    assert_told(
        Kind::TensorRtLlm,
        text,
        &["1: used 25330000000", "1: kv_blocks 7240", "1: block_size 64", "1: kv_used_blocks 5500"],
    );
}

/// `/info` of TGI.
#[test]
fn answers_of_tgi() {
    let text = "{\"model_id\":\"mistralai/Mistral-7B-Instruct-v0.2\",\"model_sha\":\"41b6\",\"max_input_length\":1024,\"max_batch_total_tokens\":449000,\"max_total_tokens\":2048,\"version\":\"1.4.0\"}";
    assert_told(
        Kind::Tgi,
        text,
        &["1: model Mistral-7B-Instruct-v0.2", "1: kv_tokens 449000", "1: max_model_len 2048"],
    );
}

/// `tools/server/README.md` of llama.cpp: `/props`, `/v1/models` and `/metrics`.
#[test]
fn answers_of_llama_cpp() {
    let props = "{\"default_generation_settings\":{\"id\":0,\"n_ctx\":4096,\"speculative\":false},\"total_slots\":4,\"model_path\":\"../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf\"}";
    assert_told(
        Kind::LlamaCpp,
        props,
        &["1: context 4096", "1: parallel 4", "1: model Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf"],
    );
    let models = "{\"data\":[{\"id\":\"x.gguf\",\"meta\":{\"vocab_type\":2,\"n_vocab\":128256,\"n_ctx_train\":131072,\"n_embd\":4096,\"n_params\":8030000000,\"size\":4912000000}}]}";
    assert_told(
        Kind::LlamaCpp,
        models,
        &["1: trained_context 131072", "1: hidden_size 4096", "1: parameters 8030000000", "1: checkpoint 4912000000"],
    );
    let metrics = "# HELP llamacpp:kv_cache_usage_ratio KV-cache usage. 1 means 100 percent usage.\n# TYPE llamacpp:kv_cache_usage_ratio gauge\nllamacpp:kv_cache_usage_ratio 0.0402\n";
    assert_told(Kind::LlamaCpp, metrics, &["3: kv_used_share 0.0402"]);
}

/// `/api/ps` of Ollama, and its table as in ollama/ollama#11676; before 0.11 without the context.
#[test]
fn models_that_ollama_has_loaded() {
    let json = "{\"models\":[{\"name\":\"mistral:latest\",\"model\":\"mistral:latest\",\"size\":5137000000,\"digest\":\"2ae6\",\"details\":{\"format\":\"gguf\"},\"size_vram\":4137000000}]}";
    assert_told(Kind::Ollama, json, &["1: model mistral:latest", "1: total 5137000000", "1: projected 4137000000"]);
    let table = "root@box:/# ollama ps\nNAME             ID              SIZE      PROCESSOR          CONTEXT    UNTIL\nllama4:16x17b    bf31604e25c2    159 GB    52%/48% CPU/GPU    128000     Forever\nqwen3:8b         af31604e25c2    6.5 GB    100% CPU           4096       4 minutes from now\n";
    assert_told(
        Kind::Ollama,
        table,
        &[
            "3: model llama4:16x17b",
            "3: total 159000000000~1000000000",
            "3: gpu_share 0.48",
            "3: context 128000",
            "4: model qwen3:8b",
            "4: total 6500000000~100000000",
            "4: gpu_share 0",
            "4: context 4096",
        ],
    );
    let before = "NAME        ID              SIZE    PROCESSOR       UNTIL\nllama3:70b  bcfb190ca3a7    42 GB   100% GPU        4 minutes from now\n";
    assert_told(Kind::Ollama, before, &["2: model llama3:70b", "2: total 42000000000~1000000000", "2: gpu_share 1"]);
}
