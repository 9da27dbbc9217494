//! The figures of `memory-wall estimate`, read back from its JSON and from its text.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{run, run_on};
use memory_wall_core::bounds;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
struct Estimate {
    model: String,
    parameters: u64,
    buckets: BTreeMap<String, u128>,
    total_bytes: u128,
    kv_bytes_per_token: u128,
    peak_phase: String,
    gpu: Option<String>,
    capacity_bytes: Option<u128>,
    verdict: Option<String>,
    margin_bytes: Option<i128>,
    max_seq: Option<u32>,
    max_batch: Option<u32>,
    assumptions: Vec<String>,
    formulas: BTreeMap<String, Vec<Formula>>,
}

#[derive(Debug, Deserialize)]
struct Formula {
    bytes: u128,
}

const SCENARIOS: [&str; 16] = [
    "--model llama-2-7b --seq 128000 --gpu a100-80-sxm",
    "--model llama-2-7b --gpu a100-80-sxm",
    "--model llama-2-7b --seq 128000 --gpu a100-80-sxm --attention eager",
    "--model llama-2-7b --mode training --gpu a100-80-sxm",
    "--model llama-3.1-8b --mode training --checkpointing full --optimizer adamw8bit --batch 4 --gpu b200",
    "--model gpt2-xl --mode training --optimizer sgd --attention eager --checkpointing selective --gpu rtx4090",
    "--model mistral-7b-v0.1 --seq 30_000 --batch 8 --weights nf4-dq --kv int4 --gpu l4",
    "--model llama-3.1-405b --weights int4 --kv fp8 --gpu mi325x",
    "--model generic-7b --weights fp32 --gpu t4",
    "--model llama-3.1-8b --mode training --dp 4 --zero 3 --micro-batches 2 --gpu h100-sxm",
    "--model llama-3.1-70b --mode training --tp 8 --pp 4 --dp 2 --zero 1 --sequence-parallel --implementation megatron --gpu h100-sxm",
    "--model llama-3.1-8b --mode lora --lora-rank 64 --lora-dropout --checkpointing per-op --gpu l4",
    "--model llama-2-7b --mode qlora --lora-targets q,v,head --offload optimizer --gpu rtx4090",
    "--model llama-3.2-1b --mode training --recipe pure --step foreach --chunked-loss --optimizer muon --gpu t4",
    "--model llama-3.1-70b --tp 4 --cp 2 --seq 100_000 --offload kv --gpu a100-80-sxm",
    "--model llama-2-13b --engine llamacpp --weights q4_k --seq 4096 --gpu rtx4090",
];

fn estimate(options: &str) -> (i32, Estimate) {
    let run = run(&format!("estimate {options} --json"));
    (run.code, serde_json::from_str(&run.out).unwrap())
}

#[test]
fn the_exercise_comes_out_to_the_byte() {
    let (code, short) = estimate("--model llama-2-7b --seq 2048");
    assert_eq!(code, 0);
    assert_eq!(short.model, "llama-2-7b");
    assert_eq!(short.parameters, 6_738_415_616);
    assert_eq!(short.buckets["weights"], 13_476_831_232);
    assert_eq!(short.buckets["kv_cache"], 1_073_741_824);
    assert_eq!(short.kv_bytes_per_token, 524_288);
    assert_eq!(short.peak_phase, "forward");
    assert!(short.gpu.is_none() && short.max_seq.is_none() && short.max_batch.is_none());
    let (_, long) = estimate("--model llama-2-7b --seq 128000");
    assert_eq!(long.buckets["kv_cache"], 67_108_864_000);
    assert_eq!(long.buckets["weights"], short.buckets["weights"]);
}

#[test]
fn published_configs_give_the_published_counts() {
    for (file, preset, parameters) in [
        ("llama-3.1-8b.json", "llama-3.1-8b", 8_030_261_248),
        ("gpt2-xl.json", "gpt2-xl", 1_557_611_200),
        ("mistral-7b-v0.1.json", "mistral-7b-v0.1", 7_241_732_096),
        ("qwen2.5-7b.json", "qwen2.5-7b", 7_615_616_512),
    ] {
        let (code, read) = estimate(&format!("--config {file}"));
        let (_, known) = estimate(&format!("--model {preset}"));
        assert_eq!((code, read.parameters), (0, parameters), "{file}");
        assert_eq!(read.model, file);
        assert_eq!((read.buckets, read.total_bytes), (known.buckets, known.total_bytes), "{file}");
    }
}

#[test]
fn a_config_is_read_from_standard_input() {
    let run = run_on("estimate --config - --json", include_bytes!("configs/llama-3.1-8b.json"));
    let read: Estimate = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, read.model.as_str(), read.parameters), (0, "standard input", 8_030_261_248));
}

#[test]
fn sums_hold() {
    for scenario in SCENARIOS {
        let (code, it) = estimate(scenario);
        assert_eq!(it.buckets.values().sum::<u128>(), it.total_bytes, "{scenario}");
        for (bucket, terms) in &it.formulas {
            assert_eq!(terms.iter().map(|term| term.bytes).sum::<u128>(), it.buckets[bucket], "{scenario}: {bucket}");
        }
        let capacity = i128::try_from(it.capacity_bytes.unwrap()).unwrap();
        let total = i128::try_from(it.total_bytes).unwrap();
        assert_eq!(it.margin_bytes, Some(capacity - total), "{scenario}");
        let verdict = match capacity - total {
            ..0 => "does_not_fit",
            margin if margin * 10 < capacity => "tight",
            _ => "fits",
        };
        assert_eq!(it.verdict.as_deref(), Some(verdict), "{scenario}");
        assert_eq!(code, i32::from(verdict == "does_not_fit"), "{scenario}");
        assert!(!it.assumptions.is_empty());
    }
}

#[test]
fn every_verdict_is_among_the_scenarios() {
    let verdicts: Vec<_> = SCENARIOS.iter().filter_map(|scenario| estimate(scenario).1.verdict).collect();
    for verdict in ["fits", "tight", "does_not_fit"] {
        assert!(verdicts.iter().any(|it| it == verdict), "{verdict} in {verdicts:?}");
    }
}

/// The same options with another value for one of them.
fn with(scenario: &str, option: &str, value: u32) -> String {
    let mut words: Vec<&str> = scenario.split(' ').collect();
    if let Some(place) = words.iter().position(|word| *word == option) {
        words.drain(place..place + 2);
    }
    format!("{} {option} {value}", words.join(" "))
}

#[test]
fn answers_to_inverse_questions_fit_and_one_more_does_not() {
    for scenario in SCENARIOS {
        let (_, it) = estimate(scenario);
        for (option, most, bound) in
            [("--seq", it.max_seq.unwrap(), bounds::SEQ_LENGTH), ("--batch", it.max_batch.unwrap(), bounds::BATCH)]
        {
            let code = |value| run(&format!("estimate {}", with(scenario, option, value))).code;
            if most > 0 {
                assert_eq!(code(most), 0, "{scenario} {option} {most}");
            }
            // With a sliding window memory stops growing, so that everything that may be asked for fits; GPT-2 reads 1,024 tokens.
            let table = option == "--seq" && scenario.contains("gpt2") && most == 1_024;
            let beyond = if most == bound.max || table { 2 } else { 1 };
            // Eight ranks with sequence parallelism share a sequence in equal parts.
            let parts = option == "--seq" && scenario.contains("--tp 8 --pp 4 --dp 2 --zero 1 --sequence-parallel");
            let step = if parts { 8 } else { 1 };
            assert_eq!(code(most + step), beyond, "{scenario} {option} {most} + {step}");
        }
    }
}

#[test]
fn bytes_past_64_bits_are_exact() {
    let line =
        "--model llama-3.1-405b --mode training --attention eager --batch 1_000_000 --seq 10_000_000 --gpu h200-sxm";
    let (code, it) = estimate(line);
    assert_eq!(code, 1);
    assert!(it.total_bytes > u128::from(u64::MAX));
    assert_eq!(it.buckets.values().sum::<u128>(), it.total_bytes);
    assert_eq!(it.margin_bytes.map(i128::unsigned_abs), Some(it.total_bytes - it.capacity_bytes.unwrap()));
}

#[test]
fn fields_stand_in_the_promised_order() {
    let json = run("estimate --model llama-2-7b --gpu t4 --json").out;
    let mut rest = json.as_str();
    for field in [
        "model",
        "parameters",
        "active_parameters",
        "scenario",
        "mode",
        "batch",
        "seq_length",
        "weights",
        "kv",
        "optimizer",
        "checkpointing",
        "attention",
        "recipe",
        "step",
        "implementation",
        "loss",
        "compile",
        "async_tp",
        "reshard_after_forward",
        "micro_batches",
        "lora",
        "rank",
        "targets",
        "dropout",
        "engine",
        "max_num_seqs",
        "max_num_batched_tokens",
        "gpu_memory_utilization",
        "parallel",
        "dp",
        "tp",
        "pp",
        "ep",
        "cp",
        "zero",
        "shard",
        "virtual_stages",
        "sequence_parallel",
        "offload",
        "gpus",
        "buckets",
        "weights",
        "kv_cache",
        "activations",
        "gradients",
        "optimizer",
        "logits",
        "overhead",
        "total_bytes",
        "kv_bytes_per_token",
        "peak_phase",
        "phases",
        "largest_tensors",
        "stage",
        "per_rank",
        "communication_bytes",
        "data_parallel",
        "tensor_parallel",
        "pipeline_parallel",
        "context_parallel",
        "expert_parallel",
        "total",
        "offload_bytes",
        "offload_host_bytes",
        "offload_seconds",
        "serving",
        "gpu",
        "capacity_bytes",
        "verdict",
        "margin_bytes",
        "max_seq",
        "max_batch",
        "assumptions",
        "formulas",
        "weights",
        "item",
        "formula",
        "numbers",
        "bytes",
    ] {
        let place = rest.find(&format!("\"{field}\":"));
        assert!(place.is_some(), "{field} is missing or out of order");
        rest = &rest[place.unwrap() + 1..];
    }
}

#[test]
fn the_default_context_is_that_of_learned_positions() {
    let seq = |model: &str| {
        let json: serde_json::Value =
            serde_json::from_str(&run(&format!("estimate --model {model} --json")).out).unwrap();
        json["scenario"]["seq_length"].as_u64()
    };
    assert_eq!(seq("gpt2-xl"), Some(1_024));
    assert_eq!(seq("llama-2-7b"), Some(2_048));
}

#[test]
fn a_quantised_checkpoint_is_remarked_on_unless_weights_are_given() {
    let remark = "The checkpoint is stored quantised (gptq): int4 weights, as --weights is not given.";
    let (_, it) = estimate("--config llama-2-7b-gptq.json");
    assert!(it.assumptions.iter().any(|sentence| sentence == remark), "{:?}", it.assumptions);
    let (_, it) = estimate("--config llama-2-7b-gptq.json --weights int4");
    assert!(it.assumptions.iter().all(|sentence| sentence != remark));
    let text = run("estimate --config llama-2-7b-gptq.json");
    assert_eq!((text.code, text.err), (0, format!("memory-wall: note: {remark}\n")));
    assert_eq!(run("estimate --config llama-2-7b-gptq.json --weights int4").err, "");
}

#[test]
fn options_without_effect_are_noted() {
    let notes = run("estimate --model llama-2-7b --optimizer sgd --checkpointing full --json --unit gib");
    assert_eq!(notes.code, 0);
    assert_eq!(
        notes.err,
        "memory-wall: note: --optimizer has no effect in inference\n\
         memory-wall: note: --checkpointing has no effect in inference\n\
         memory-wall: note: --unit has no effect on JSON, which counts in bytes\n"
    );
    let notes = run("estimate --model llama-2-7b --mode training --kv fp8");
    assert_eq!((notes.code, notes.err.as_str()), (0, "memory-wall: note: --kv has no effect in training\n"));
}

#[test]
fn the_text_says_what_the_json_says() {
    let text = run("estimate --model llama-2-7b --seq 128000 --gpu a100-80-sxm");
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    let (_, it) = estimate("--model llama-2-7b --seq 128000 --gpu a100-80-sxm");
    for line in [
        "Llama 2 7B (llama-2-7b): 6,738,415,616 parameters",
        "inference, batch 1, seq_length 128,000, bf16 weights, bf16 KV cache, flash attention",
        "Bucket              Size  Share           Bytes",
        "Weights          13.5 GB    16%  13,476,831,232",
        "KV cache         67.1 GB    82%  67,108,864,000",
        "Overhead          537 MB   0.7%     536,870,912",
        "Total            81.9 GB   100%  81,932,258,816",
        "GPU              A100 SXM4 80GB (a100-80-sxm)",
        "Capacity         85.0 GB = 84,974,239,744 bytes, reported by PyTorch on the device (79.14 to 79.35",
        "Verdict          tight: fits by calculation, with less to spare than fragmentation can take",
        "Margin           +3.04 GB = +3,041,980,928 bytes",
        "Largest batch    1 sequence at seq_length 128,000",
        "Assumptions:",
        "- This model was made for 4,096 tokens: the memory is right, the answers may not be.",
    ] {
        assert!(text.out.lines().any(|it| it == line), "{line:?} is not in\n{}", text.out);
    }
    let longest = text.out.lines().find_map(|line| line.strip_prefix("Longest context  ")).unwrap();
    let digits: String = longest.split(' ').next().unwrap().replace(',', "");
    assert_eq!(digits.parse().ok(), it.max_seq);
}

#[test]
fn what_autocast_would_spare_beside_k_bit_preparation_is_named_as_not_modelled() {
    let text = run("estimate --model llama-2-7b --mode qlora --weights nf4-dq");
    // 32 layers × (32 + 32 heads) × 128 values × 2 tensors × 2 bytes.
    let words = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("(bf16=True) is not modelled") && words.contains("about 1,048,576 bytes a token less"),
        "{words}"
    );
}

#[test]
fn text_counts_in_gib_where_asked() {
    let text = run("estimate --model llama-2-7b --unit gib --gpu t4");
    assert!(text.out.contains("\nKV cache         1.00 GiB "), "{}", text.out);
    assert!(!text.out.contains(" GB "), "{}", text.out);
}

#[test]
fn text_names_the_ends_of_the_search() {
    let nothing = run("estimate --model llama-3.1-405b --gpu t4");
    assert_eq!(nothing.code, 1);
    assert!(nothing.out.contains("\nVerdict          does not fit\nMargin           -"), "{}", nothing.out);
    assert!(nothing.out.contains("\nLongest context  none fits at batch 1\n"), "{}", nothing.out);
    let tiny = br#"{"model_type":"llama","hidden_size":8,"intermediate_size":8,"num_attention_heads":1,"num_hidden_layers":1,"vocab_size":8}"#;
    let everything = run_on("estimate --config - --gpu mi355x", tiny);
    let line = "at least 10,000,000 tokens, the largest that is asked about, at batch 1";
    assert!(everything.out.contains(line), "{}", everything.out);
}

#[test]
fn text_is_at_most_a_hundred_columns_wide() {
    let lines = SCENARIOS.iter().map(|scenario| format!("estimate {scenario}"));
    for line in lines.chain(["models", "gpus", "help"].map(String::from)) {
        for text in run(&line).out.lines() {
            assert!(text.chars().count() <= 100, "{line}: {text}");
            assert_eq!(text.trim_end(), text, "{line}");
        }
    }
}

/// peft turns gradient checkpointing on with `prepare_model_for_kbit_training`: a 7B model trains on a T4.
#[test]
fn adapters_beside_quantised_weights_come_with_checkpointing() {
    let code = |more: &str| run(&format!("estimate --model llama-2-7b --mode qlora --seq 2048 --gpu t4{more}")).code;
    assert_eq!([code(""), code(" --checkpointing full"), code(" --checkpointing none")], [0, 0, 1]);
}
