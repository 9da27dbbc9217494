//! Every option of a scenario: what it changes, and the note where it changes nothing.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run};
use serde_json::{Value, json as literal};

const TRAINING: &str = "estimate --model llama-3.1-8b --mode training";
const INFERENCE: &str = "estimate --model llama-3.1-8b";
const LORA: &str = "estimate --model llama-3.1-8b --mode lora";
const QLORA: &str = "estimate --model llama-3.1-8b --mode qlora";

/// The scenario that a command line describes, at a pointer such as `/lora/rank`.
fn input(line: &str, pointer: &str) -> Value {
    json(line).1["scenario"].pointer(pointer).cloned().unwrap_or_else(|| panic!("{line}: {pointer}"))
}

fn total(line: &str) -> u64 {
    json(line).1["total_bytes"].as_u64().unwrap()
}

#[test]
fn every_option_arrives() {
    for (start, option, pointer, value) in [
        (INFERENCE, "--mode lora", "/mode", literal!("lora")),
        (INFERENCE, "--mode qlora", "/weights", literal!("nf4-dq")),
        (INFERENCE, "--engine hf", "/engine", literal!("hf")),
        (INFERENCE, "--engine vllm --engine-version 0.19.1", "/engine_version", literal!("0.18 to 0.20")),
        (INFERENCE, "--engine vllm --max-model-len 8k", "/max_model_len", literal!(8_192)),
        (INFERENCE, "--engine vllm --enforce-eager", "/enforce_eager", literal!(true)),
        ("estimate --model qwen3-vl-8b", "--engine vllm --language-model-only", "/language_model_only", literal!(true)),
        (INFERENCE, "--engine vllm --prefix-caching on", "/prefix_caching", literal!(true)),
        (INFERENCE, "--engine vllm --prefix-caching off", "/prefix_caching", literal!(false)),
        (INFERENCE, "--engine vllm --max-loras 4", "/max_loras", literal!(4)),
        (INFERENCE, "--engine vllm --speculative ngram", "/speculative", literal!("ngram")),
        (
            INFERENCE,
            "--engine vllm --speculative ngram --num-speculative-tokens 5",
            "/num_speculative_tokens",
            literal!(5),
        ),
        (INFERENCE, "--engine vllm --speculative draft_model --draft llama-3.2-1b", "/draft", literal!("llama-3.2-1b")),
        (INFERENCE, "--engine vllm --max-loras 4 --max-lora-rank 64", "/max_lora_rank", literal!(64)),
        (INFERENCE, "--engine vllm --max-num-seqs 64", "/max_num_seqs", literal!(64)),
        (INFERENCE, "--engine vllm --max-num-batched-tokens 4k", "/max_num_batched_tokens", literal!(4_096)),
        (
            INFERENCE,
            "--engine vllm --gpu h100-sxm --gpu-memory-utilization 0.95",
            "/gpu_memory_utilization",
            literal!(0.95),
        ),
        (INFERENCE, "--offload kv,parameters", "/offload", literal!(["parameters", "kv"])),
        (INFERENCE, "--cp 4", "/parallel/cp", literal!(4)),
        (INFERENCE, "--weights q4_k", "/weights", literal!("q4_k")),
        (TRAINING, "--recipe mixed-fp32-grads", "/recipe", literal!("mixed-fp32-grads")),
        (TRAINING, "--optimizer adafactor", "/optimizer", literal!("adafactor")),
        (TRAINING, "--implementation megatron --moments bf16", "/moments", literal!("bf16")),
        (TRAINING, "--implementation megatron --fp8-recipe blockwise", "/fp8_recipe", literal!("blockwise")),
        (
            TRAINING,
            "--implementation megatron --fp8-recipe mxfp8 --fp8-param-gather",
            "/fp8_param_gather",
            literal!(true),
        ),
        (
            TRAINING,
            "--implementation megatron --activation-func-fp8-input-store",
            "/activation_func_fp8_input_store",
            literal!(true),
        ),
        (TRAINING, "--step foreach", "/step", literal!("foreach")),
        (TRAINING, "--implementation torchtitan", "/implementation", literal!("torchtitan")),
        (TRAINING, "--sharding deepspeed --recipe pure --dp 2 --zero 3", "/sharding", literal!("deepspeed")),
        (TRAINING, "--checkpointing per-op", "/checkpointing", literal!("per-op")),
        (
            TRAINING,
            "--implementation megatron --checkpointing selective --recompute-modules mlp,layernorm",
            "/recompute_modules",
            literal!(["layernorm", "mlp"]),
        ),
        (
            TRAINING,
            "--implementation megatron --checkpointing selective",
            "/recompute_modules",
            literal!(["core_attn"]),
        ),
        (TRAINING, "--attention eager", "/attention", literal!("eager")),
        (TRAINING, "--loss compiled", "/loss", literal!("compiled")),
        (TRAINING, "--chunked-loss", "/loss", literal!("chunked")),
        (TRAINING, "--chunked-loss --loss chunked", "/loss", literal!("chunked")),
        (TRAINING, "--compile --implementation torchtitan", "/compile", literal!(true)),
        (TRAINING, "--implementation torchtitan --tp 2 --async-tp --compile", "/async_tp", literal!(true)),
        (
            TRAINING,
            "--implementation torchtitan --dp 2 --zero 3 --no-reshard-after-forward",
            "/reshard_after_forward",
            literal!(false),
        ),
        (TRAINING, "--micro-batches 16", "/micro_batches", literal!(16)),
        (
            "estimate --model qwen3-30b-a3b --mode training",
            "--implementation megatron --tp 2 --sequence-parallel --dp 8 --ep 8 --etp 1",
            "/parallel/etp",
            literal!(1),
        ),
        (TRAINING, "--dp 8", "/parallel/dp", literal!(8)),
        (TRAINING, "--tp 2", "/parallel/tp", literal!(2)),
        (TRAINING, "--pp 4 --implementation megatron", "/parallel/pp", literal!(4)),
        (TRAINING, "--dp 8 --zero 2", "/parallel/zero", literal!(2)),
        (TRAINING, "--dp 8 --zero 3 --shard 4", "/parallel/shard", literal!(4)),
        (TRAINING, "--dp 8 --zero 3", "/parallel/shard", Value::Null),
        (
            TRAINING,
            "--pp 4 --virtual-stages 2 --micro-batches 4 --implementation megatron",
            "/parallel/virtual_stages",
            literal!(2),
        ),
        (
            TRAINING,
            "--pp 4 --pipeline-schedule dualpipe --micro-batches 8 --implementation megatron",
            "/parallel/pipeline_schedule",
            literal!("dualpipe"),
        ),
        (TRAINING, "--tp 2 --sequence-parallel", "/parallel/sequence_parallel", literal!(true)),
        (TRAINING, "--offload optimizer", "/offload", literal!(["optimizer"])),
        (LORA, "--lora-rank 64", "/lora/rank", literal!(64)),
        (LORA, "--lora-targets v,q", "/lora/targets", literal!(["q", "v"])),
        (LORA, "--lora-targets all", "/lora/targets", literal!(["q", "k", "v", "o", "mlp"])),
        (LORA, "--lora-targets all,head", "/lora/targets", literal!(["q", "k", "v", "o", "mlp", "head"])),
        (LORA, "--lora-targets attention", "/lora/targets", literal!(["q", "k", "v", "o"])),
        (LORA, "--lora-dtype bf16", "/lora/dtype", literal!("bf16")),
        (LORA, "--lora-dropout", "/lora/dropout", literal!(true)),
        (
            LORA,
            "--dp 2 --zero 3 --checkpointing full --reentrant-checkpointing",
            "/lora/reentrant_checkpointing",
            literal!(true),
        ),
        (QLORA, "--no-kbit-upcast", "/lora/kbit_upcast", literal!(false)),
        (
            "estimate --model mixtral-8x7b --mode qlora",
            "--quantised-experts",
            "/lora/quantised_experts",
            literal!(true),
        ),
        (TRAINING, "--gradients freed", "/gradients", literal!("freed")),
    ] {
        let line = format!("{start} {option}");
        assert_eq!(input(&line, pointer), value, "{line}");
        assert_eq!(run(&line).err, "", "{line}");
        assert_eq!(run(&line).code, 0, "{line}");
    }
}

#[test]
fn experts_are_shared_out_over_ranks() {
    let mixture = "estimate --model mixtral-8x7b --dp 8";
    let cut = format!("{mixture} --ep 8");
    assert_eq!(input(&cut, "/parallel/ep"), 8);
    assert!(total(&cut) < total(mixture));
    assert!(json(&cut).1["communication_bytes"]["expert_parallel"].as_u64() > Some(0));
    let text = run(&cut).out;
    for part in [" of them active\n", "8 GPUs: dp 8, experts over 8 ranks\n", "\nTokens to experts and back "] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn options_change_what_they_are_about() {
    for (start, option) in [
        (INFERENCE, "--engine hf"),
        (INFERENCE, "--engine vllm"),
        (INFERENCE, "--offload parameters"),
        (INFERENCE, "--offload kv"),
        (INFERENCE, "--tp 2"),
        (INFERENCE, "--pp 2"),
        (INFERENCE, "--cp 2"),
        (TRAINING, "--recipe pure"),
        (TRAINING, "--optimizer lion"),
        (TRAINING, "--implementation megatron"),
        (TRAINING, "--checkpointing per-op"),
        (TRAINING, "--dp 8 --zero 1"),
        (TRAINING, "--dp 8 --zero 3"),
        (TRAINING, "--tp 2"),
        (TRAINING, "--pp 2 --implementation megatron"),
        (TRAINING, "--offload optimizer"),
        (LORA, "--lora-rank 256"),
        (LORA, "--lora-targets q"),
        (LORA, "--lora-dtype bf16"),
        (QLORA, "--no-kbit-upcast"),
        ("estimate --model mixtral-8x7b --mode qlora", "--quantised-experts"),
        (TRAINING, "--gradients freed"),
    ] {
        assert_ne!(total(start), total(&format!("{start} {option}")), "{start} {option}");
    }
    let titan = format!("{TRAINING} --implementation torchtitan --dp 8 --zero 3");
    assert_ne!(total(&titan), total(&format!("{titan} --cp 2")));
    assert!(total(&format!("{titan} --no-reshard-after-forward")) > total(&titan));
    let pipeline = "estimate --model llama-3.1-8b --mode training --pp 4 --micro-batches 8 --implementation megatron";
    assert!(total(&format!("{pipeline} --virtual-stages 2")) > total(pipeline));
    // Eight ranks that share all states, or four of them.
    let sharded = format!("{TRAINING} --dp 8 --zero 3");
    assert!(total(&format!("{sharded} --shard 4")) > total(&sharded));
}

#[test]
fn the_share_of_a_gpu_is_read_in_percent_or_as_a_fraction() {
    for (text, share) in [
        ("90", 0.9),
        ("90%", 0.9),
        ("0.9", 0.9),
        (".9", 0.9),
        ("0.90", 0.9),
        ("0.95", 0.95),
        ("1.0", 1.0),
        ("1%", 0.01),
        ("92.5", 0.925),
        ("0.925", 0.925),
        ("84.17%", 0.8417),
        (".8417", 0.8417),
    ] {
        let line = format!("{INFERENCE} --engine vllm --gpu l4 --gpu-memory-utilization {text}");
        assert_eq!(input(&line, "/gpu_memory_utilization"), share, "{text}");
    }
}

#[test]
fn vllm_takes_its_own_defaults_on_each_gpu() {
    for (gpu, sequences, tokens) in [("l4", 256, 2_048), ("h100-sxm", 1_024, 8_192), ("a100-80-sxm", 256, 2_048)] {
        let line = format!("{INFERENCE} --engine vllm --gpu {gpu}");
        assert_eq!(input(&line, "/max_num_seqs"), sequences, "{gpu}");
        assert_eq!(input(&line, "/max_num_batched_tokens"), tokens, "{gpu}");
    }
    assert_eq!(input(&format!("{INFERENCE} --engine vllm --max-num-seqs 7 --gpu l4"), "/max_num_seqs"), 7);
}

#[test]
fn a_program_says_what_it_sets_aside() {
    let (_, it) = json(&format!("{INFERENCE} --engine vllm --gpu h100-sxm"));
    let serving = &it["serving"];
    assert_eq!(serving["engine"], "vllm");
    let bytes = |pointer: &str| serving.pointer(pointer).and_then(Value::as_u64).unwrap();
    assert!(bytes("/cache/reserved_bytes") >= bytes("/cache/exact_bytes"));
    assert!(bytes("/pool/tokens") > 100_000 && bytes("/pool/pool_bytes") < bytes("/pool/requested_bytes"));
    assert!(!serving["parts"].as_array().unwrap().is_empty());
    for key in ["version", "source"] {
        assert!(serving[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    for part in serving["parts"].as_array().unwrap() {
        assert!(part["bytes"].is_u64() && part["item"].is_string() && part["basis"].is_string(), "{part}");
    }
    assert_eq!(json(INFERENCE).1["serving"], Value::Null);
    let text = run(&format!("{INFERENCE} --engine vllm --gpu h100-sxm")).out;
    for part in [
        "served by vLLM 0.29 or newer: requests of up to ",
        "at most 1,024 sequences and 8,192",
        "\nCache: ",
        "GPU KV cache size: ",
        "Maximum concurrency for ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(run(&format!("{INFERENCE} --engine llamacpp")).out.contains("served by llama.cpp"));
}

#[test]
fn options_without_effect_get_a_note() {
    for (line, notes) in [
        (
            "--recipe pure --step foreach",
            &["--recipe has no effect in inference", "--step has no effect in inference"][..],
        ),
        (
            "--optimizer sgd --implementation litgpt --checkpointing full",
            &[
                "--optimizer has no effect in inference",
                "--implementation has no effect in inference",
                "--checkpointing has no effect in inference",
            ],
        ),
        (
            "--loss plain --chunked-loss --compile --micro-batches 2",
            // The two name the loss, and contradict each other.
            &[],
        ),
        (
            "--loss chunked --chunked-loss --compile --micro-batches 2",
            &[
                "--loss has no effect in inference",
                "--chunked-loss has no effect in inference",
                "--compile has no effect in inference",
                "--micro-batches has no effect in inference",
            ],
        ),
        (
            "--pp 8 --account-for-loss-in-pipeline-split",
            &["--account-for-loss-in-pipeline-split has no effect in inference"],
        ),
        ("--dp 8 --zero 3 --shard 4", &["--zero has no effect in inference", "--shard has no effect in inference"]),
        ("--offload optimizer,kv", &["--offload has no effect on optimizer in inference"]),
        ("--mode training --offload optimizer,kv", &["--offload has no effect on kv in training"]),
        (
            "--mode training --kv fp8 --engine hf --max-num-seqs 1 --max-num-batched-tokens 1 --gpu-memory-utilization 90",
            &[
                "--kv has no effect in training",
                "--engine has no effect in training",
                "--max-num-seqs has no effect in training",
                "--max-num-batched-tokens has no effect in training",
                "--gpu-memory-utilization has no effect in training",
            ],
        ),
        (
            "--max-model-len 4k --max-num-seqs 1 --max-num-batched-tokens 1 --gpu-memory-utilization 90",
            &[
                "--max-model-len has no effect without --engine vllm",
                "--max-num-seqs has no effect without --engine vllm",
                "--max-num-batched-tokens has no effect without --engine vllm",
                "--gpu-memory-utilization has no effect without --engine vllm",
            ],
        ),
        ("--engine vllm --gpu-memory-utilization 90", &["--gpu-memory-utilization has no effect without --gpu"]),
        (
            "--lora-rank 8 --lora-targets q --lora-dropout",
            &[
                "--lora-rank has no effect in inference",
                "--lora-targets has no effect in inference",
                "--lora-dropout has no effect in inference",
            ],
        ),
        ("--async-tp", &["--async-tp has no effect in inference"]),
        ("--fp8-recipe delayed", &["--fp8-recipe has no effect in inference"]),
        ("--mode training --lora-rank 8", &["--lora-rank has no effect in training"]),
        (
            "--mode training --implementation megatron --recompute-modules mlp",
            &["--recompute-modules has no effect without --checkpointing selective"],
        ),
        ("--gradients kept", &["--gradients has no effect in inference"]),
        ("--mode lora --quantised-experts", &["--quantised-experts has no effect without --mode qlora"]),
        (
            "--mode qlora --weights int4 --quantised-experts",
            &["--quantised-experts has no effect here: the model has no routed experts"],
        ),
        (
            "--mode qlora --quantised-experts",
            &["--quantised-experts has no effect here: the model has no routed experts"],
        ),
        (
            "--mode lora --dp 2 --zero 3 --reentrant-checkpointing",
            &[
                "--reentrant-checkpointing has no effect here: it counts where FSDP (--dp and --zero 3) shards a frozen model, with --checkpointing full",
            ],
        ),
        (
            "--mode qlora --dp 2 --zero 3 --no-kbit-upcast",
            &["--no-kbit-upcast has no effect here: FSDP takes no layers of two precisions, so nothing is upcast"],
        ),
        (
            "--mode lora --no-kbit-upcast",
            &[
                "--no-kbit-upcast has no effect here: peft upcasts only beside weights that bitsandbytes quantised, in mode qlora",
            ],
        ),
        (
            "--mode lora --implementation litgpt --lora-dtype bf16",
            &[
                "--lora-dtype has no effect without --implementation transformers: other code keeps adapters in the model's precision",
            ],
        ),
        ("--mode training --compile", &["--compile has no effect without --implementation torchtitan"]),
        // FSDP has nothing to shard on one GPU. DeepSpeed has buckets there too, and offload.
        ("--mode training --recipe autocast --zero 3", &["--zero has no effect without --dp"]),
        ("--mode training --zero 2 --offload optimizer", &[]),
        ("--mode training --dp 8 --shard 4", &["--shard has no effect without --zero"]),
        ("--mode training --sequence-parallel", &["--sequence-parallel has no effect without --tp"]),
        (
            "--virtual-stages 2 --sequence-parallel --pipeline-schedule dualpipe",
            &[
                "--sequence-parallel has no effect in inference",
                "--virtual-stages has no effect in inference",
                "--pipeline-schedule has no effect in inference",
            ],
        ),
        ("--mode training --recipe autocast --cp 2 --zero 3", &[]),
        ("--mode training --zero 0 --virtual-stages 1", &[]),
    ] {
        let run = run(&format!("{INFERENCE} {line}"));
        if run.code == 2 {
            assert!(notes.is_empty() && run.err.contains("contradict"), "{line}: {}", run.err);
            continue;
        }
        let said: Vec<&str> = run.err.lines().filter_map(|line| line.strip_prefix("memory-wall: note: ")).collect();
        assert_eq!(said, notes, "{line}");
        assert_eq!(run.err.lines().count(), notes.len(), "{line}");
    }
}

#[test]
fn the_text_names_what_is_not_usual() {
    for (line, parts) in [
        (
            format!("{LORA} --lora-rank 64 --lora-targets q,v --lora-dropout"),
            &["adapters of rank 64 on q, v, with dropout"][..],
        ),
        (
            format!("{QLORA} --lora-targets attention --lora-dtype bf16 --no-kbit-upcast"),
            &["adapters of rank 16 in 16 bits on q, k, v, o, tables and norms not upcast"],
        ),
        (format!("{QLORA} --lora-targets q,v"), &["prepare_model_for_kbit_training"]),
        (
            format!("{TRAINING} --gradients freed"),
            &["gradients freed between steps", "Gradients are freed after each step"],
        ),
        (
            format!(
                "{TRAINING} --recipe pure --step foreach --implementation torchtitan --chunked-loss --compile --micro-batches 4"
            ),
            &["recipe pure, foreach step, torchtitan code, chunked loss, torch.compile, 4 micro-batches"],
        ),
        (
            format!(
                "{TRAINING} --dp 8 --tp 2 --pp 2 --cp 2 --zero 3 --shard 4 --sequence-parallel --virtual-stages 2 --implementation torchtitan"
            ),
            &[
                "64 GPUs: dp 8 × tp 2 × pp 2 × cp 2, ZeRO-3 over 8 ranks, sequence parallel, 2 chunks a stage",
                "on a GPU of stage 1 of 2, counted from 0.",
                "\nStage  GPUs  Layers  Parameters of each",
                "\nSent by the busiest GPU in a step ",
            ],
        ),
        (
            format!("{INFERENCE} --offload parameters,kv --gpu h100-sxm"),
            &[
                "in host memory: parameters, kv",
                "\nOffloaded: ",
                " travel in each decoding step: ",
                " of the link, if nothing",
            ],
        ),
        (format!("{INFERENCE} --offload kv"), &["; how long that takes depends on the GPU: see --gpu.\n"]),
        (TRAINING.to_owned(), &["\nPhase  ", "\nFirst backward begins ", "\nOptimizer step ", "\nLargest tensors "]),
        (format!("{INFERENCE} --tp 2 --gpu t4"), &["\nGPU              2 × T4 (t4)\n", "in a decoding step"]),
    ] {
        let text = run(&line).out;
        for part in parts {
            assert!(
                text.replace("\n  ", " ").contains(part.trim_start_matches(' ')),
                "{line}: {part} is not in\n{text}"
            );
        }
    }
    let plain = run(INFERENCE).out;
    for part in ["\nPhase", "Stage", "Sent", "Offloaded", "GPUs: ", "served"] {
        assert!(!plain.contains(part), "{part} is in\n{plain}");
    }
}

#[test]
fn a_model_without_a_tower_has_none_to_leave_out() {
    let run = run("estimate --model llama-3.1-8b --engine vllm --language-model-only");
    assert!(run.err.contains("--language-model-only has no effect here"), "{}", run.err);
    assert!(!run.out.contains("the language model alone"), "{}", run.out);
}
