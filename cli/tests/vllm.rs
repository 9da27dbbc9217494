//! `memory-wall` about vLLM: whether it starts, how many requests run at once, and what it refuses.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run};
use serde_json::Value;

const LARGE: &str = "--model llama-3.3-70b --weights int4 --kv fp8 --gpu rtx4090 --tp 2 --engine vllm";

/// One line, however the terminal wraps it.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Issue 18: "27.1 GB to be taken" of 25.8 GB was tight, exit code 0; `solve` said yes.
#[test]
fn a_share_that_leaves_no_room_does_not_fit() {
    for gpu in ["rtx4090", "t4", "l4"] {
        let line =
            format!("--model llama-3.2-1b --weights int4 --gpu {gpu} --engine vllm --gpu-memory-utilization 0.99");
        let (code, it) = json(&format!("estimate {line}"));
        assert_eq!((code, it["verdict"].as_str()), (1, Some("does_not_fit")), "{gpu}");
        assert!(it["limit_bytes"].as_u64() <= it["capacity_bytes"].as_u64(), "{gpu}");
        assert_eq!(it["serving"]["pool"]["starts"], false, "{gpu}");
        assert!(it["margin_bytes"].as_i64().unwrap() < 0, "{gpu}");
        for question in ["context", "batch", "weights", "model"] {
            let (code, it) = json(&format!("solve --for {question} {line}"));
            assert_eq!((code, &it["answer"]), (1, &Value::Null), "{gpu} {question}");
        }
        let text = flat(&run(&format!("solve --for context {line}")).out);
        assert!(text.contains("none: vLLM r") && text.contains(" is the largest that leaves room for them."), "{text}");
    }
}

/// Issue 18: with `--seq 32768` it said that "vLLM starts and lets the others wait".
#[test]
fn one_request_that_is_longer_than_the_pool_is_refused_as_vllm_does() {
    let run = run(&format!("estimate {LARGE} --gpu-memory-utilization 0.92 --seq 32768"));
    let text = flat(&run.out);
    assert_eq!(run.code, 1);
    for words in [
        "does not fit: vLLM refuses to start: one request of max_model_len 32,768 needs ",
        " of KV cache, more than the ",
        "the estimated maximum model length is ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("lets the others wait") && !text.contains("vLLM starts"), "{text}");
}

#[test]
fn the_cap_and_the_requests_are_two_things() {
    let line = "estimate --model llama-3.1-8b --gpu l4 --engine vllm --seq 2048 --batch 4";
    let pool = |line: &str| json(line).1["serving"]["pool"].clone();
    let alone = pool(line);
    assert_eq!((&alone["max_model_len"], &alone["starts"]), (&Value::from(2_048), &Value::from(true)));
    // vLLM's own limit, which the pool cannot hold, and the one that it says it can.
    let long = pool(&format!("{line} --max-model-len 131072"));
    assert_eq!((&long["starts"], &long["refusal"]["kind"]), (&Value::from(false), &Value::from("max_model_len")));
    assert_eq!(long["refusal"]["needed_bytes"], Value::from(1_u64 << 34));
    let estimated = long["refusal"]["estimated_max_model_len"].as_u64().unwrap();
    assert_eq!(Value::from(estimated), long["tokens"]);
    let fits = pool(&format!("{line} --max-model-len {estimated}"));
    assert_eq!((&fits["starts"], &fits["running_requests"]), (&Value::from(true), &Value::from(4)));
    assert!((1.0..1.01).contains(&fits["max_concurrency"].as_f64().unwrap()));
    // The assumption says what becomes of it without the option.
    let text = flat(&run(line).out);
    let default = format!(
        "Without the option vLLM takes the model's own 131,072 and would not start: the estimated maximum model length is {}",
        memory_wall_core::display::Grouped(estimated.into())
    );
    assert!(text.contains(&default), "{text}");
    // Longer than the cap is an error where it was given.
    let refused = run(&format!("{line} --max-model-len 1024"));
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--max-model-len 1024: a request of 2,048 tokens is longer"), "{}", refused.err);
}

#[test]
fn requests_beyond_the_pool_wait() {
    let line = "estimate --model llama-3.1-8b --weights fp8 --gpu l4 --engine vllm --seq 2048 --batch 100";
    let (code, it) = json(line);
    let pool = &it["serving"]["pool"];
    assert_eq!((code, &pool["starts"]), (1, &Value::from(true)));
    assert_eq!(pool["running_requests"], it["max_batch"]);
    assert_eq!(pool["running_requests"].as_u64().unwrap() + pool["waiting_requests"].as_u64().unwrap(), 100);
    let text = flat(&run(line).out);
    for words in
        ["of 100 requests at their full length; vLLM starts, and queues or preempts the others", " wait in the queue."]
    {
        assert!(text.contains(words), "{text}");
    }
    // Of those that the pool holds vLLM runs as many as it is told.
    let (code, it) = json(&format!("{line} --batch 30 --max-num-seqs 16").replace("--batch 100 ", ""));
    assert_eq!((code, &it["serving"]["pool"]["running_requests"]), (0, &Value::from(16)));
}

#[test]
fn a_batch_on_many_ranks_is_told_as_a_whole_first() {
    let line = "--model llama-3.1-8b --gpu rtx4090 --engine vllm --weights int4 --dp 8";
    let (_, solved) = json(&format!("solve --for batch {line}"));
    let each = solved["answer"]["value"].as_u64().unwrap();
    assert_eq!(solved["answer"]["in_all"].as_u64(), Some(8 * each));
    let words = format!("{} sequences in all, {each} on each of 8 data-parallel ranks", 8 * each);
    assert!(flat(&run(&format!("solve --for batch {line}")).out).contains(&format!("): {words}")));
    let (_, estimate) = json(&format!("estimate {line}"));
    assert_eq!((estimate["max_batch"].as_u64(), estimate["max_batch_in_all"].as_u64()), (Some(each), Some(8 * each)));
    let text = flat(&run(&format!("estimate {line}")).out);
    assert!(text.contains(&format!("Largest batch {words}")), "{text}");
    assert!(text.contains("8 requests in all, 1 on each of 8 data-parallel ranks run at once"), "{text}");
}

#[test]
fn expert_parallelism_is_over_all_ranks() {
    let line = "estimate --model qwen3-235b-a22b --weights fp8 --gpu h100-sxm --engine vllm";
    for cut in ["--tp 8 --ep 8", "--dp 8 --ep 8", "--tp 4 --dp 2 --ep 8"] {
        let (code, it) = json(&format!("{line} {cut}"));
        assert_eq!((code, &it["gpus"]), (0, &Value::from(8)), "{cut}");
        let text = flat(&run(&format!("{line} {cut}")).out);
        assert!(text.contains("Of the 128 experts of a layer 16 are on each GPU"), "{cut}: {text}");
    }
    let part = run(&format!("{line} --tp 8 --ep 4"));
    assert!(part.code == 2 && part.err.contains("--ep 4: vLLM spreads experts over all"), "{}", part.err);
    // Elsewhere experts are spread within the data-parallel ranks.
    let training = run("estimate --model qwen3-235b-a22b --mode training --tp 8 --ep 8");
    assert!(training.code == 2 && training.err.contains("--ep 8 does not divide dp 1"), "{}", training.err);
}

#[test]
fn what_a_runtime_cannot_run_is_refused_behind_its_option() {
    for (line, words) in [
        (
            "--model qwen3-235b-a22b --weights fp8-block --gpu h100-sxm --tp 8 --engine vllm",
            "--tp 8: vLLM refuses fp8-block weights whose part on a rank is no multiple of 128, the block that shares a scale: moe_intermediate_size 1,536 over 8 ranks is 192; --ep 8 (--enable-expert-parallel) keeps experts whole",
        ),
        ("--model llama-3.1-8b --weights nf4 --engine llamacpp", "--weights nf4: llama.cpp loads GGUF files"),
        ("--model llama-3.1-8b --weights q4_k --engine vllm", "--weights q4_k: vLLM loads GGUF files"),
        ("--model llama-3.1-8b --weights q4_k --engine hf", "--weights q4_k: transformers unpacks GGUF files"),
        (
            "--model llama-3.1-8b --weights bf16 --gpu t4 --engine vllm",
            "T4 has 7.5: use fp16, which takes the same bytes",
        ),
        ("--model llama-3.1-8b --weights fp8 --gpu v100-sxm2-32 --engine vllm", "V100 SXM2 32GB has 7.0"),
        ("--model llama-3.1-8b --weights fp8 --gpu a100-80-sxm --engine hf", "unpacks them to bf16 on older ones"),
        ("--model llama-3.1-8b --kv int8 --engine vllm", "--kv int8: vLLM has no KV cache in int8"),
        ("--model llama-3.1-8b --cp 2 --engine vllm", "--decode-context-parallel-size"),
        ("--model llama-3.1-8b --cp 2 --engine llamacpp", "--cp 2: llama.cpp does not cut a sequence over GPUs"),
        (
            "--model llama-3.1-8b --gpu m4max --engine vllm",
            "--engine vllm: vLLM on Apple M4 Max (40-core GPU) is not modelled",
        ),
    ] {
        let run = run(&format!("estimate {line}"));
        assert!(run.code == 2 && run.err.contains(words), "{line}: {}", run.err);
    }
    // What is not asked for by name is what vLLM takes by itself.
    let run = run("estimate --model llama-3.2-1b --gpu t4 --engine vllm");
    assert!(run.code == 0 && run.out.contains("fp16 weights"), "{}", run.out);
    assert!(run.err.contains("the weights are fp16, as its --dtype auto takes them there"), "{}", run.err);
}
