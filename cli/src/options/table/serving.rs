//! The options of runtimes: those of the engine, and what only `SGLang`, TensorRT-LLM, Ollama or llama.cpp has.

use memory_wall_core::serving::Version;
use memory_wall_core::{KvPrecision, Serving};
use memory_wall_runtimes::llamacpp::CacheType;

use super::{Known, list, switch, value};

pub(super) fn serving() -> Vec<Known> {
    let Serving { max_num_seqs, max_num_batched_tokens, max_lora_rank, num_speculative_tokens, .. } = Serving::DEFAULT;
    vec![
        value(
            "--kv",
            "P",
            "a KV precision such as bf16 or fp8",
            format!("{}; default bf16", list(KvPrecision::ALL.iter().map(|format| format.id()))),
        ),
        value(
            "--engine",
            "NAME",
            "exact, hf, vllm, llamacpp, ollama, sglang or trtllm",
            format!(
                "the program: {}; default exact, which is none; ollama, sglang and trtllm are known to estimate and compare; solve finds context and batch for sglang and trtllm, and nothing for ollama",
                memory_wall_plan::engines().join(", ")
            ),
        ),
        value(
            "--engine-version",
            "V",
            "a release of vLLM such as 0.19",
            format!("vllm: its release, from {} on; default {} or newer", Version::OLDEST, Version::NEWEST),
        ),
        value(
            "--max-model-len",
            "N",
            "a whole number of tokens",
            "vllm: the longest request that it accepts, prompt and answer together; it starts only if its pool holds one; 32k is 32,768 as in --seq, where vLLM itself reads 32,000; default --seq",
        ),
        value(
            "--max-num-seqs",
            "N",
            "a whole number of sequences",
            format!("vllm: sequences at once at most; default vLLM's own for the GPU ({max_num_seqs} without one)"),
        ),
        value(
            "--max-num-batched-tokens",
            "N",
            "a whole number of tokens",
            format!(
                "vllm: tokens at once at most; default vLLM's own for the GPU ({max_num_batched_tokens} without one)"
            ),
        ),
        switch("--enforce-eager", "vllm: no CUDA graphs: their memory is not taken, and decoding is slower"),
        switch("--language-model-only", "vllm: leave out the vision tower: its weights and its image profile"),
        value(
            "--prefix-caching",
            "WHEN",
            "on or off",
            "vllm: on or off, as by --enable-prefix-caching and --no-enable-prefix-caching; default the release's own: off in 0.6 and 0.7, then on, and since 0.28 also for models with states (Qwen3-Next, Qwen3.5 to 3.8 and others), where a request takes a state more with it",
        ),
        value(
            "--max-loras",
            "N",
            "a whole number of adapters",
            "vllm: LoRA adapters that it holds ready on the GPU at once (--enable-lora); default none, the model alone",
        ),
        value(
            "--max-lora-rank",
            "N",
            "a rank such as 16",
            format!("vllm with --max-loras: the rank that each has room for; default {max_lora_rank}"),
        ),
        value(
            "--speculative",
            "METHOD",
            "none, ngram, mtp, eagle, eagle3 or draft_model",
            "vllm: how it guesses tokens ahead (--speculative-config, its method): none, ngram, mtp, with the layers that the model brings along, eagle or eagle3, with a head, or draft_model; default none",
        ),
        value(
            "--draft",
            "ID",
            "a head such as eagle3-llama-3.1-8b, or a model",
            "vllm with --speculative eagle3 or draft_model: the head or the model that guesses ahead",
        ),
        value("--draft-config", "FILE", "the config.json of a head or a model", "the same by its config.json"),
        value(
            "--num-speculative-tokens",
            "N",
            "a whole number of tokens",
            format!("vllm with --speculative: tokens guessed at a time; default {num_speculative_tokens}"),
        ),
        value(
            "--gpu-memory-utilization",
            "P",
            "percent of the GPU, such as 90 or 0.9",
            format!(
                "vllm: its share of the GPU, as 95, 92.5 or 0.925; default {}, before 0.21 {}",
                Version::NEWEST.utilization().in_percent(),
                Version::OLDEST.utilization().in_percent()
            ),
        ),
    ]
}

pub(super) fn pools() -> Vec<Known> {
    vec![
        value(
            "--mem-fraction-static",
            "P",
            "percent of the GPU, such as 85 or 0.85",
            "sglang: the share of the GPU for weights and pool; default SGLang's own, by the GPU, the ranks, the chunk and the graphs",
        ),
        value(
            "--chunked-prefill-size",
            "N",
            "a whole number of tokens",
            "sglang: tokens of a prompt at once; default by the GPU",
        ),
        value(
            "--max-running-requests",
            "N",
            "a whole number of requests",
            "sglang: requests at once at most; default 2,048 to 4,096, by the pool",
        ),
        value(
            "--context-length",
            "N",
            "a whole number of tokens",
            "sglang: the longest request; default what the model was made for",
        ),
        value("--max-total-tokens", "N", "a whole number of tokens", "sglang: tokens in the pool at most"),
        switch("--disable-cuda-graph", "sglang: no CUDA graphs, for which nothing is reserved then"),
        value(
            "--kv-cache-free-gpu-memory-fraction",
            "P",
            "percent of what is free, such as 90 or 0.9",
            "trtllm: the share of what a profiled pass leaves free for the pool; default 0.9",
        ),
        value("--max-batch-size", "N", "a whole number of requests", "trtllm: requests at once at most; default 2,048"),
        value("--max-num-tokens", "N", "a whole number of tokens", "trtllm: tokens at once at most; default 8,192"),
        value(
            "--max-seq-len",
            "N",
            "a whole number of tokens",
            "trtllm: the longest request; default what the model was made for, or what the pool holds",
        ),
    ]
}

pub(super) fn layers() -> Vec<Known> {
    let types = list(CacheType::ALL.iter().map(|format| format.id()));
    vec![
        value(
            "--ngl",
            "N",
            "a whole number of layers",
            "layers on the GPU, the last ones, the output layer counted as one; the others stay in host memory, where the CPU computes them; more than there are is all",
        ),
        switch(
            "--fit",
            "as many layers on the GPU as leave a GiB of it free, which llama.cpp finds by itself; of a mixture, experts go first",
        ),
        value(
            "--n-cpu-moe",
            "N",
            "a whole number of layers",
            "layers, from the first, whose routed experts stay in host memory",
        ),
        switch("--cpu-moe", "the routed experts of all layers stay in host memory"),
        value(
            "--device",
            "LIST",
            "ids that memory-wall gpus lists, with commas between",
            "the GPUs that layers are spread over, in their order, with commas between; one may stand there twice; default --gpu alone",
        ),
        value(
            "--tensor-split",
            "LIST",
            "whole numbers with commas between, one for each GPU",
            "the share of each GPU, as 3,1; default by their memory",
        ),
        value(
            "--ubatch",
            "N",
            "a whole number of tokens",
            "tokens that pass through the model at once (-ub); default 512",
        ),
        switch("--swa-full", "layers with a window keep the whole context"),
        switch("--kv-unified", "all sequences share one cache of --seq cells, in place of as many for each"),
        value(
            "--cache-type-k",
            "TYPE",
            "a type such as f16 or q8_0",
            format!("how keys are stored: {types}; default as --kv says"),
        ),
        value("--cache-type-v", "TYPE", "a type such as f16 or q8_0", "how values are stored, alike"),
        switch("--no-kv-offload", "the cache stays in host memory"),
        value(
            "--host-bandwidth",
            "GBS",
            "a whole number of GB/s",
            "bandwidth of that memory, by which decoding with layers on the CPU is estimated: 50 to 100 GB/s with two channels of DDR4 or DDR5",
        ),
    ]
}
