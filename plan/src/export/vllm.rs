//! `vllm serve`.
//!
//! # Source
//! vLLM 0.33.0: `engine/arg_utils.py`, `config/cache.py` and `config/offload.py`. Read 2026-11-25.

use alloc::format;

use memory_wall_core::{KvPrecision, Speculation, WeightFormat};

use super::sheet::{Datum, Sheet};
use crate::hub;

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    let (serving, parallel) = (&scenario.serving, &scenario.parallel);
    sheet.command_with_model(&["vllm", "serve"]);
    if sheet.scenario.weights == WeightFormat::Nf4 && !sheet.as_published() {
        sheet.set("--quantization", "bitsandbytes", &["weights"]);
    } else {
        sheet.weights("vLLM reads such a checkpoint as it is stored, and makes none");
    }
    cache(sheet);
    sheet.degree("--tensor-parallel-size", parallel.tp, "tp");
    sheet.degree("--pipeline-parallel-size", parallel.pp, "pp");
    sheet.degree("--data-parallel-size", parallel.dp, "dp");
    if parallel.ep > 1 {
        sheet.set("--enable-expert-parallel", Datum::Switch, &["ep"]);
    }
    sheet.implied("ep");
    sheet.implied("cp");
    let lengths: &[&str] = if serving.max_model_len.is_some() { &["max_model_len", "seq"] } else { &["seq"] };
    sheet.set("--max-model-len", scenario.longest_request(), lengths);
    if !serving.usual_seqs {
        sheet.set("--max-num-seqs", serving.max_num_seqs, &["max_num_seqs"]);
    }
    if !serving.usual_batched_tokens {
        sheet.set("--max-num-batched-tokens", serving.max_num_batched_tokens, &["max_num_batched_tokens"]);
    }
    let share = Datum::share(serving.utilization());
    if sheet.says("gpu_memory_utilization") {
        sheet.set("--gpu-memory-utilization", share, &["gpu_memory_utilization"]);
    } else {
        let from = format!("what vLLM {} takes by itself, and what the plan is counted with", serving.version);
        sheet.because("--gpu-memory-utilization", share, from);
    }
    if serving.enforce_eager {
        sheet.set("--enforce-eager", Datum::Switch, &["enforce_eager"]);
    }
    if serving.language_model_only && scenario.architecture.tower.is_some() {
        sheet.set("--language-model-only", Datum::Switch, &["language_model_only"]);
    }
    if let Some(on) = serving.prefix_caching {
        let name = if on { "--enable-prefix-caching" } else { "--no-enable-prefix-caching" };
        sheet.set(name, Datum::Switch, &["prefix_caching"]);
    }
    if let Some(adapters) = serving.max_loras {
        sheet.set("--enable-lora", Datum::Switch, &["max_loras"]);
        sheet.set("--max-loras", adapters, &["max_loras"]);
        sheet.set("--max-lora-rank", serving.max_lora_rank, &["max_lora_rank"]);
    } else {
        sheet.implied("max_lora_rank");
    }
    let words = ["speculative", "num_speculative_tokens", "draft"];
    if serving.speculation == Speculation::None {
        for option in words {
            sheet.implied(option);
        }
    } else {
        let (method, tokens) = (serving.speculation.id(), serving.num_speculative_tokens);
        let draft = sheet.scenario.draft.and_then(|draft| {
            let repository =
                if draft.repository.is_empty() { hub::repository(draft.id) } else { Some(draft.repository) };
            repository.map(|repository| format!("\"model\": \"{repository}\", "))
        });
        let config =
            format!("{{\"method\": \"{method}\", {}\"num_speculative_tokens\": {tokens}}}", draft.unwrap_or_default());
        sheet.set("--speculative-config", config.as_str(), &words);
    }
    sheet.implied("attention");
    sheet.leave("batch", "vLLM takes requests as they come; --max-num-seqs bounds how many run at once");
    sheet.leave("engine_version", "the command is that of 0.33, and releases before may lack a word of it");
    sheet.leave(
        "offload",
        "--cpu-offload-gb takes the GiB of weights on each GPU that wait in host memory, and the plan says all",
    );
    sheet.counted_for("vllm");
}

/// The type of the KV cache, which is that of the model where nothing is said.
fn cache(sheet: &mut Sheet<'_>) {
    let (weights, kv) = (sheet.scenario.weights, sheet.scenario.kv);
    let own = match kv {
        KvPrecision::Fp8 => {
            sheet.set("--kv-cache-dtype", "fp8", &["kv"]);
            return;
        }
        KvPrecision::Fp16 => (WeightFormat::Fp16, "float16"),
        KvPrecision::Bf16 => (WeightFormat::Bf16, "bfloat16"),
        // vLLM has no other cache beside weights in 32 bits, and none of fewer bits.
        _ => {
            sheet.implied("kv");
            return;
        }
    };
    if own.0 != weights && weights.is_plain() && weights.trainable() {
        sheet.set("--kv-cache-dtype", own.1, &["kv"]);
    } else {
        sheet.implied("kv");
    }
}
