//! `memory-wall roofline`: roofs, operations and models, as text and as JSON.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Run, json, run};
use serde_json::Value;

fn near(value: &Value, wanted: f64) -> bool {
    (value.as_f64().unwrap() / wanted - 1.0).abs() < 5e-3
}

#[test]
fn the_ridges_of_a_gpu_are_those_of_its_dense_peaks() {
    let (_, it) = json("roofline --gpu h100-sxm");
    let ridge = |precision: &str| {
        let roofs = it["roofs"].as_array().unwrap();
        roofs.iter().find(|roof| roof["precision"] == precision).unwrap()["ridge"].clone()
    };
    assert!(near(&ridge("bf16"), 295.3) && near(&ridge("fp8"), 590.7));
    let Run { out: text, .. } = run("roofline --gpu a100-80-sxm");
    assert!(text.contains("bf16        312 TFLOP/s   153 FLOP/byte") && !text.contains("fp8"), "{text}");
}

#[test]
fn a_large_multiplication_computes_and_a_slow_operation_waits() {
    let (code, it) = json("roofline --gpu a100-80-sxm --gemm 4096,4096,4096");
    assert_eq!((code, it["bound"].as_str()), (0, Some("compute")));
    assert!(near(&it["intensity"], 1_365.333) && near(&it["ridge"], 153.0));
    assert!(near(&it["attainable_flops"], 312e12) && near(&it["time_lower_s"], 440.5e-6));
    assert!(near(&it["time_upper_s"], 440.5e-6 / 0.35));
    // Who counts the inputs alone finds 2,048.
    let (_, it) = json("roofline --gpu a100-80-sxm --gemm 4096,4096,4096 --accounting reads-only");
    assert!(near(&it["intensity"], 2_048.0));
    let (_, it) = json("roofline --gpu a100-80-sxm --flops 3e12 --bytes 1e12 --precision bf16");
    assert_eq!(it["bound"], "memory");
    assert!(near(&it["intensity"], 3.0) && near(&it["attainable_flops"], 6.117e12));
    let (_, it) = json("roofline --gpu h100-sxm --gemm 4096,4096,4096 --precision fp8 --efficiency 0.5,0.8");
    assert!(near(&it["intensity"], 2_048.0) && near(&it["peak_flops"], 1_978.9e12));
    assert!(near(&it["time_upper_s"], it["time_lower_s"].as_f64().unwrap() * 2.0));
}

#[test]
fn a_model_reads_its_weights_for_each_token() {
    let (code, it) = json("roofline --gpu h100-sxm --model llama-3.1-8b --batch 1 --seq 1");
    assert_eq!(code, 0);
    for (key, wanted) in [("pass", "decode"), ("bound", "memory"), ("bound_by", "weights"), ("precision", "bf16")] {
        assert_eq!(it[key], wanted, "{key}");
    }
    assert!(near(&it["time_lower_s"], 4.48e-3) && near(&it["weights_bytes"], 15.01e9));
    let passes: Vec<&str> =
        it["passes"].as_array().unwrap().iter().map(|pass| pass["pass"].as_str().unwrap()).collect();
    assert_eq!(passes, ["prefill", "decode"]);
    let operations = it["operations"].as_array().unwrap();
    let sum: f64 = operations.iter().map(|row| row["time_lower_s"].as_f64().unwrap()).sum();
    assert!((sum / it["time_lower_s"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(it["crossover_batch"], 297);
    let [slow, fast] = [0, 1].map(|end| it["tokens_per_s_per_user"][end].as_f64().unwrap());
    assert!(slow < fast && (fast - 223.2).abs() < 0.5);
    assert!(it["time_to_first_token_lower_s"].is_number());
}

#[test]
fn a_mixture_has_a_floor_of_its_own() {
    let (_, it) = json("roofline --gpu h100-sxm --model mixtral-8x7b --batch 16 --seq 1");
    assert!(it["time_floor_s"].as_f64().unwrap() < it["time_lower_s"].as_f64().unwrap() / 2.0);
    let Run { out: text, .. } = run("roofline --gpu h100-sxm --model mixtral-8x7b --batch 16 --seq 1");
    assert!(text.contains("if all choose the same"), "{text}");
}

#[test]
fn a_training_step_has_a_time_and_a_use_of_the_gpu() {
    let (_, it) = json(
        "roofline --gpu h100-sxm --model llama-3.1-8b --mode training --batch 2 --seq 8192 --checkpointing full --dp 8 --zero 3 --compile",
    );
    assert_eq!((it["pass"].as_str(), it["kernels"].as_str()), (Some("training"), Some("fused")));
    assert!(it["time_to_first_token_lower_s"].is_null() && it["crossover_batch"].is_null());
    let [slow, fast] = [0, 1].map(|end| it["mfu"][end].as_f64().unwrap());
    assert!(slow > 0.2 && fast < 1.0 && slow < fast);
    let Run { err: notes, .. } = run("roofline --gpu h100-sxm --model llama-3.1-8b --mode training --compile");
    assert!(!notes.contains("--compile"), "it fuses kernels here: {notes}");
}

#[test]
fn what_does_not_fit_has_no_tokens_a_second_and_says_so() {
    let none = ("does_not_fit", "does not fit");
    for (line, word, (verdict, words)) in [
        ("--gpu rtx4090 --model llama-3.1-70b", "decode", none),
        ("--gpu h100-sxm --model llama-3.1-8b --mode training --batch 4 --seq 8192", "training", none),
        // vLLM starts there, and never runs all of them at once.
        (
            "--gpu h100-sxm --model llama-3.1-8b --engine vllm --batch 100 --seq 100000",
            "decode",
            ("queues", "the others wait"),
        ),
    ] {
        let (_, it) = json(&format!("roofline {line}"));
        assert_eq!((&it["verdict"], &it["pass"]), (&verdict.into(), &word.into()), "{line}");
        for pass in it["passes"].as_array().unwrap().iter().chain([&it]) {
            for rate in ["tokens_per_s_per_user", "tokens_per_s_per_card", "mfu"] {
                assert!(pass[rate].is_null(), "{line} {rate}");
            }
            assert!(pass["time_lower_s"].as_f64().unwrap() > 0.0, "{line}");
        }
        // The same as what estimate says.
        let (_, estimate) = json(&format!("estimate {line}"));
        for key in ["verdict", "total_bytes", "limit_bytes"] {
            assert_eq!(it[key], estimate[key], "{line} {key}");
        }
        let Run { out: text, .. } = run(&format!("roofline {line}"));
        assert!(text.contains("\nMemory: needs ") && text.contains(words), "{text}");
        assert!(
            text.contains("The times below are for a GPU of the same speed with enough memory")
                && !text.contains(" tokens/s for"),
            "{text}"
        );
    }
    let Run { out: text, .. } = run("roofline --gpu h100-sxm --model llama-3.1-8b");
    assert!(text.contains(" tokens/s for each") && text.contains("of 84.9 GB: fits"), "{text}");
    let (_, it) = json("roofline --gpu a100-80-sxm --model llama-2-7b --seq 128000");
    assert_eq!(it["verdict"], "tight");
    assert!(it["tokens_per_s_per_user"].is_array());
}

#[test]
fn weights_in_fewer_bits_are_named_by_their_precision() {
    let time = |options: &str| {
        let (_, it) = json(&format!("roofline --gpu h100-sxm --model llama-3.1-8b {options}"));
        it["time_lower_s"].as_f64().unwrap()
    };
    assert!((time("--precision fp8") / time("--weights fp8") - 1.0).abs() < 1e-12);
    assert!(time("--precision fp8") < 0.6 * time(""));
}

#[test]
fn what_cannot_be_used_is_said_in_one_line() {
    for (options, wanted) in [
        ("", "a GPU is missing"),
        ("--gpu a100-80-sxm --precision fp8 --gemm 1,1,1", "has no such units"),
        ("--gpu h100-sxm --gemm 1,2", "--gemm takes three whole numbers"),
        ("--gpu h100-sxm --gemm 0,1,1", "--gemm takes three whole numbers"),
        ("--gpu h100-sxm --flops 3", "--flops needs --bytes"),
        ("--gpu h100-sxm --bytes 3", "--bytes needs --flops"),
        ("--gpu h100-sxm --flops 3 --bytes 0", "at least one byte"),
        ("--gpu h100-sxm --flops NaN --bytes 1", "--flops takes a number"),
        ("--gpu h100-sxm --flops 1e999 --bytes 1", "--flops takes a number"),
        ("--gpu h100-sxm --gemm 1,1,1 --flops 1 --bytes 1", "goes without --flops"),
        ("--gpu h100-sxm --gemm 1,1,1 --model llama-2-7b", "both given"),
        ("--gpu h100-sxm --gemm 1,1,1 --efficiency 0", "--efficiency takes a share"),
        ("--gpu h100-sxm --model llama-2-7b --precision bf61", "--precision takes"),
        ("--gpu h100-sxm --model llama-2-7b --precision fp8 --weights bf16", "both given"),
    ] {
        let Run { code, out: output, err: line } = run(&format!("roofline {options}"));
        assert_eq!((code, output.as_str()), (2, ""), "{options}");
        assert!(line.contains(wanted) && line.lines().count() == 1, "{options}: {line}");
    }
    let Run { code, err: note, .. } = run("roofline --gpu h100-sxm --gemm 1,1,1 --batch 3");
    assert!(code == 0 && note.contains("--batch has no effect without a model"), "{note}");
}

/// Issue 18: rows of communication beside a total that does not count them.
#[test]
fn a_time_says_what_it_includes() {
    for (options, words) in [
        ("--model llama-3.3-70b --tp 4", &["of kernels", "over links between GPUs (the rows bound by links)"][..]),
        (
            "--model llama-3.1-8b --mode training --dp 8 --zero 3",
            &["of kernels", "that has no row (gradients and sharded states)"],
        ),
        ("--model llama-3.1-8b --tp 2 --offload kv", &["links)", "that has no row (offloaded states)"]),
        (
            "--model llama-3.3-70b --pp 2",
            &["The rows are those of the first of 2 stages; the time above is that of all stages"],
        ),
    ] {
        let text = run(&format!("roofline --gpu h100-sxm {options}")).out.replace("\n  ", " ");
        assert!(words.iter().all(|words| text.contains(words)), "{options}: {text}");
        let (_, it) = json(&format!("roofline --gpu h100-sxm {options}"));
        for pass in it["passes"].as_array().unwrap() {
            let time = |key: &str| pass[key].as_f64().unwrap();
            let parts = [time("kernels_time_s"), time("links_time_s"), time("traffic_time_s")];
            let longest = parts.into_iter().fold(0.0, f64::max);
            assert!(
                (longest / time("time_lower_s") - 1.0).abs() < 1e-9 && parts[1] + parts[2] > 0.0,
                "{options}: {pass}"
            );
        }
    }
    // One GPU has nothing but kernels.
    let alone = run("roofline --gpu h100-sxm --model llama-3.1-8b").out;
    assert!(!alone.contains("side by side") && !alone.contains("The rows are"), "{alone}");
}

#[test]
fn nothing_that_is_shown_is_not_a_number() {
    for options in [
        "--flops 0 --bytes 1",
        "--flops 1e30 --bytes 1",
        "--flops 1 --bytes 1e30",
        "--model gpt2-small --batch 1 --seq 1",
        "--model deepseek-v3 --batch 1000000 --seq 10000000",
        "--model llama-3.1-405b --mode training --tp 8 --pp 16 --micro-batches 16 --batch 1 --seq 131072 --checkpointing full --implementation torchtitan",
    ] {
        let Run { code, out: output, err: line } = run(&format!("roofline --gpu b200 {options}"));
        assert_eq!(code, 0, "{options}: {line}");
        assert!(!output.contains("NaN") && !output.contains("inf "), "{output}");
    }
}

#[test]
fn a_step_of_a_mixture_names_the_runs_behind_its_slow_end() {
    let slow_end = |arguments: &str| {
        let text = run(&format!("roofline --mode training --zero 1 --gpu h100-sxm --dp 8 {arguments}")).out;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mixture = slow_end("--implementation megatron --model qwen3-30b-a3b --ep 8");
    assert!(mixture.contains(
        "25% of peak and bandwidth, which nine of ten published steps of mixtures of experts in Megatron-LM"
    ));
    assert!(slow_end("--implementation megatron --model llama-3.1-8b").contains("35% of peak and bandwidth"));
    assert!(slow_end("--model qwen3-30b-a3b --ep 8").contains("nine of ten steps of transformers"));
}

#[test]
fn tokens_that_are_guessed_ahead_count_at_the_fast_end() {
    let one = "roofline --model qwen3.5-27b --weights int4 --gpu gb10 --engine vllm --seq 1024 --max-model-len 32768 --gpu-memory-utilization 0.8";
    let fast = |it: &Value| it["passes"][1]["tokens_per_s_per_user"][1].as_f64().unwrap();
    let four = format!("{one} --speculative mtp --num-speculative-tokens 3");
    let [plain, guessing] = [one, &four].map(|line| fast(&json(line).1));
    assert!((guessing / plain / 4.0 - 1.0).abs() < 0.001, "{plain} {guessing}");
    let text = run(&four).out;
    assert!(text.contains("each step of all sequences") && text.contains("writes 1 to 4 tokens"), "{text}");
    assert!(!run(one).out.contains("A decoding step writes"));
}

#[test]
fn what_the_server_takes_and_the_shares_of_the_gpu_are_said() {
    let flat = |line: &str| run(line).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = flat("roofline --gpu h200-sxm --model qwen2.5-0.5b --engine vllm --seq 195");
    assert!(text.contains("It adds 50.0 ms and 5.00 ms that vLLM takes at most beside its kernels"), "{text}");
    let text = flat("roofline --gpu strix-halo --model llama-2-7b --weights q4_0 --engine llamacpp --seq 512");
    assert!(
        text.contains("at 17% of the peak and 23% of the bandwidth") && text.contains("measured on such GPUs"),
        "{text}"
    );
    assert!(!text.contains("vLLM takes"), "{text}");
}
