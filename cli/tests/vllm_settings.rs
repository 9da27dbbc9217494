//! `memory-wall` about what vLLM is told: precisions, sequences and tokens at once, and a stated `max_model_len`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run};
use serde_json::Value;

/// One line, however the terminal wraps it.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// vLLM refuses fp16 for these models (`_FLOAT16_NOT_SUPPORTED_MODELS`), and GPUs below compute capability 8.0 have no bf16.
#[test]
fn a_model_without_fp16_is_served_in_fp32_where_there_is_no_bf16() {
    for (model, gpu) in [
        ("gemma-2-9b", "v100-sxm2-32"),
        ("gemma-3-27b-text", "t4"),
        ("gemma-3-12b", "v100-sxm2-32"),
        ("glm-4-9b-0414", "v100-sxm2-32"),
    ] {
        let line = format!("estimate --model {model} --engine vllm --engine-version 0.19 --gpu {gpu} --seq 4k");
        let (code, it) = json(&line);
        assert_eq!((code, it["verdict"].as_str()), (1, Some("does_not_fit")), "{line}");
        let said = &it["scenario"];
        assert_eq!((said["weights"].as_str(), said["kv"].as_str()), (Some("fp32"), Some("fp32")), "{line}");
        let run = run(&line);
        assert!(
            flat(&run.err).contains("has no bf16, and vLLM refuses fp16 for this model: weights and cache are fp32")
        );
    }
    // A small one goes in, with four bytes a value of weights, cache and activations.
    let (code, it) =
        json("estimate --model gemma-3-1b --engine vllm --engine-version 0.19 --gpu v100-sxm2-32 --seq 4k");
    let (_, half) = json("estimate --model gemma-3-1b --engine vllm --engine-version 0.19 --gpu l4 --seq 4k");
    assert_eq!((code, it["scenario"]["weights"].as_str()), (0, Some("fp32")));
    let weights = |it: &Value| it["buckets"]["weights"].as_u64().unwrap();
    assert!(10 * weights(&it) > 19 * weights(&half), "{} {}", weights(&it), weights(&half));
    // Other models keep fp16, and on newer GPUs these keep bf16.
    let other = "estimate --model llama-3.2-1b --engine vllm --engine-version 0.19 --gpu t4";
    assert_eq!(json(other).1["scenario"]["weights"].as_str(), Some("fp16"));
    assert_eq!(half["scenario"]["weights"].as_str(), Some("bf16"));
}

#[test]
fn what_fp32_alone_could_compute_is_refused_by_name() {
    for (line, words) in [
        ("--model gemma-2-27b --gpu t4 --weights int4", "--weights int4: T4 has compute capability 7.5 and no bf16"),
        ("--model gemma-2-27b --gpu t4 --weights fp16", "use fp32 weights"),
        ("--model gemma-2-27b --gpu t4 --weights fp32 --kv fp16", "--kv fp16: T4 has compute capability 7.5"),
        ("--model gemma-2-9b --gpu t4", "--gpu t4: below compute capability 8.0 vLLM's attention is that of Triton"),
        (
            "--model deepseek-v2-lite --gpu t4 --tp 4",
            "--gpu t4: vLLM reads the prompts of models with latent attention",
        ),
        ("--model gemma-3-1b --gpu l4 --weights fp16", "--weights fp16: vLLM refuses fp16 for this model"),
    ] {
        let run = run(&format!("estimate {line} --engine vllm --seq 4k"));
        assert!(run.code == 2 && run.err.contains(words), "{line}: {}", run.err);
    }
    // The cache of a model in fp32 is in fp32 too.
    let (_, it) = json("estimate --model llama-3.2-1b --gpu l4 --weights fp32 --engine vllm");
    assert_eq!(it["scenario"]["kv"].as_str(), Some("fp32"));
    // transformers runs it, and what comes out may be no number.
    let text = flat(&run("estimate --model gemma-3-1b --gpu t4 --engine hf").out);
    assert!(text.contains("overflows in fp16") && text.contains("transformers#36822"), "{text}");
    let text = flat(&run("estimate --model gemma-3-1b --gpu l4 --engine hf").out);
    assert!(!text.contains("overflows in fp16"), "{text}");
}

/// vLLM raises a `ValueError` in `SchedulerConfig.verify_max_model_len`.
#[test]
fn there_are_no_more_sequences_than_tokens_at_once() {
    let line = "estimate --model llama-3.1-8b --gpu h100-sxm --engine vllm";
    let both = run(&format!("{line} --max-num-batched-tokens 100 --max-num-seqs 256"));
    assert_eq!(both.code, 2, "{}", both.out);
    let words = "--max-num-batched-tokens 100: vLLM refuses to start: max_num_batched_tokens (100) must be greater than or equal to max_num_seqs (256)";
    assert!(both.err.contains(words), "{}", both.err);
    let many = run(&format!("{line} --max-num-seqs 10000"));
    assert!(many.code == 2 && many.err.contains("--max-num-seqs 10000: vLLM refuses to start"), "{}", many.err);
    // By itself vLLM takes no more sequences than tokens, with a GPU and without.
    for line in [line, "estimate --model llama-3.1-8b --engine vllm"] {
        let (code, it) = json(&format!("{line} --max-num-batched-tokens 100"));
        assert_eq!((code, it["scenario"]["max_num_seqs"].as_u64()), (0, Some(100)));
    }
}

/// "results stay as they are" with `--max-model-len 2048` in place of the 131,072 that were asked for.
#[test]
fn a_stated_length_is_not_lowered() {
    let line = "advise --model gpt-oss-120b --weights mxfp4 --gpu h100-sxm --engine vllm --max-model-len 131072";
    let text = flat(&run(line).out);
    assert!(!text.contains("--max-model-len"), "{text}");
    let (_, it) = json("advise --model llama-3.1-8b --gpu l4 --engine vllm --seq 2048 --max-model-len 131072");
    assert!(!it.to_string().contains("--max-model-len"), "{it}");
}

/// Since 0.21 "GPU KV cache size" is `int(max_concurrency * max_model_len)`, vllm#43308.
#[test]
fn the_size_of_the_cache_is_what_the_release_prints() {
    for model in ["gemma-3-27b-text", "qwen3-next-80b-a3b", "gpt-oss-20b"] {
        let line = format!("estimate --model {model} --gpu h200-sxm --engine vllm --seq 32k --weights fp8");
        let line = if model == "gpt-oss-20b" { line.replace("fp8", "mxfp4") } else { line };
        let pool = |release: &str| json(&format!("{line} --engine-version {release}")).1["serving"]["pool"].clone();
        let product =
            |pool: &Value| pool["max_concurrency"].as_f64().unwrap() * pool["max_model_len"].as_f64().unwrap();
        let new = pool("0.21");
        assert_eq!(new["tokens"].as_f64(), Some(product(&new).trunc()), "{model}");
        let old = pool("0.20");
        assert!((old["tokens"].as_f64().unwrap() / product(&old) - 1.0).abs() > 0.01, "{model} {old}");
    }
}

/// A server with a queue is no failed start: exit code 1 and "does not fit" for a pool that held 39 of 100.
#[test]
fn a_server_that_starts_and_queues_has_a_verdict_of_its_own() {
    let line = "--model llama-3.1-8b --weights fp8 --gpu l4 --engine vllm --seq 2048 --batch 100";
    let (code, it) = json(&format!("estimate {line}"));
    let pool = &it["serving"]["pool"];
    let running = pool["running_requests"].as_u64().unwrap();
    assert_eq!((code, it["verdict"].as_str(), pool["starts"].as_bool()), (3, Some("queues"), Some(true)));
    assert!((1..100).contains(&running) && pool["held_requests"].as_u64() == Some(running), "{pool}");
    let text = flat(&run(&format!("estimate {line}")).out);
    assert!(text.contains(&format!("starts; {running} of 100 requests run at once, the others wait")), "{text}");
    // What runs at once fits, and one more queues.
    let at = |batch: u64| json(&format!("estimate {line} --batch {batch}").replace("--batch 100 ", ""));
    assert_eq!(
        (at(running).1["verdict"].as_str(), at(running + 1).1["verdict"].as_str()),
        (Some("tight"), Some("queues"))
    );
    let (code, it) = json(&format!("solve --for batch {line}").replace(" --batch 100", ""));
    assert_eq!((code, it["answer"]["value"].as_u64()), (0, Some(running)));
    // Advice has the same verdict, and its exit code is that of what it recommends.
    let (code, it) = json(&format!("advise {line}"));
    assert_eq!((code, it["verdict"].as_str(), it["fits"].as_bool()), (0, Some("queues"), Some(false)));
    let (code, it) =
        json("advise --model llama-3.1-8b --gpu l4 --engine vllm --seq 32k --batch 10000 --max-num-seqs 16");
    assert_eq!((code, it["verdict"].as_str()), (3, Some("queues")), "{it}");
    assert!(run("help").out.contains("  3  vLLM starts, but its pool holds fewer requests at once than asked for:"));
}

/// "1 request runs at once" where one was asked for and the pool held many.
#[test]
fn what_the_pool_holds_is_said_whatever_was_asked_for() {
    let line = "estimate --model llama-3.1-8b --weights fp8 --gpu l4 --engine vllm --seq 2048";
    let (_, it) = json(line);
    let held = it["serving"]["pool"]["held_requests"].as_u64().unwrap();
    assert!(held > 30 && it["max_batch"].as_u64() == Some(held), "{it}");
    let text = flat(&run(line).out);
    assert!(
        text.contains(&format!("Of 2,048 tokens each the pool holds {held} requests at their full length.")),
        "{text}"
    );
    assert!(text.contains("1 request runs at once, as asked for."), "{text}");
    let text = flat(&run(&format!("{line} --max-num-seqs 16")).out);
    assert!(text.contains("at their full length, of which max_num_seqs lets 16 requests run at once."), "{text}");
}

/// "Longest context: none" stood beside an estimated maximum length.
#[test]
fn the_longest_context_is_the_one_of_a_shorter_cap() {
    let line = "estimate --model llama-3.1-8b --gpu l4 --engine vllm --seq 2048";
    let (code, it) = json(&format!("{line} --max-model-len 131072"));
    let refusal = &it["serving"]["pool"]["refusal"];
    assert_eq!((code, it["verdict"].as_str()), (1, Some("does_not_fit")));
    assert_eq!(it["max_seq"], refusal["estimated_max_model_len"]);
    assert_eq!(json(line).1["max_seq"], it["max_seq"]);
    let text = flat(&run(&format!("{line} --max-model-len 131072")).out);
    assert!(text.contains("tokens at batch 1, with --max-model-len no longer than that"), "{text}");
}

/// "Longest context 6 tokens" stood beside a pool of 0 tokens.
#[test]
fn a_context_that_fits_beside_an_empty_pool_is_one_of_another_start() {
    let line = "estimate --model kimi-k2 --weights fp8-block --gpu h200-sxm --tp 8 --engine vllm --gpu-memory-utilization 0.92";
    let text = flat(&run(line).out);
    assert!(text.contains("GPU KV cache size: 0 tokens."), "{text}");
    assert!(
        text.contains("tokens at batch 1, with --max-model-len no longer than that: vLLM then sizes its pool by a pass of fewer tokens"),
        "{text}"
    );
    assert!(!flat(&run(&format!("{line} --max-num-seqs 64")).out).contains("no longer than that"));
}

#[test]
fn the_tower_of_a_preset_is_told_and_counted() {
    let words = "language model and its vision tower of 423 million parameters are counted";
    let said = |line: &str| flat(&run(line).err).contains(words);
    for command in ["estimate", "advise"] {
        assert!(said(&format!("{command} --model gemma-3-27b-text --gpu h100-sxm --engine vllm")), "{command}");
    }
    assert!(!said("estimate --model gemma-3-27b-text --gpu h100-sxm"));
    let (_, it) = json("estimate --model qwen3.5-27b --gpu h100-sxm --engine vllm");
    assert!(it["assumptions"].to_string().contains("vision tower of 460 million"), "{it}");
    // Of a tower whose size is not known this is said.
    let alone = "only the language model is counted; what sees and projects images, or hears, comes on top";
    let run = run("estimate --model kimi-k2.5 --gpu h200-sxm --tp 8 --engine vllm");
    assert!(flat(&run.err).contains(alone), "{}", run.err);
}

#[test]
fn without_graphs_the_pool_is_larger_and_decoding_slower() {
    let line = "--model llama-3.1-8b --gpu l4 --engine vllm --weights fp8 --seq 2048";
    let graphs = |it: &Value| {
        let parts = it["serving"]["parts"].as_array().unwrap();
        parts
            .iter()
            .filter(|part| part["item"] == "cuda_graphs")
            .map(|part| part["bytes"].as_u64().unwrap())
            .sum::<u64>()
    };
    for release in ["0.19", "0.21"] {
        let [with, without] =
            ["", " --enforce-eager"].map(|eager| json(&format!("estimate {line} --engine-version {release}{eager}")).1);
        assert!(graphs(&with) > 0 && graphs(&without) == 0, "{release}");
        let left = |it: &Value| {
            it["serving"]["pool"]["pool_bytes"].as_i64().unwrap()
                + it["serving"]["pool"]["beside_bytes"].as_i64().unwrap()
        };
        // Since 0.21 what is compiled takes 0.35 GiB more beside PyTorch too, on GPUs over PCIe.
        let compiled = if release == "0.21" { 35 * (1 << 30) / 100 } else { 0 };
        let more = left(&without) - left(&with) - i64::try_from(graphs(&with)).unwrap();
        assert!((more - compiled).abs() <= 1, "{release}: {more}");
    }
    let [with, without] = ["", " --enforce-eager"].map(|eager| json(&format!("roofline {line}{eager}")).1);
    assert_eq!(with["time_lower_s"], without["time_lower_s"]);
    let upper = |it: &Value| it["time_upper_s"].as_f64().unwrap();
    let waits = |it: &Value| it["waits_time_s"].as_f64().unwrap();
    assert!((upper(&without) - upper(&with) - (waits(&without) - waits(&with))).abs() < 1e-9);
    // With graphs the server's own time alone.
    assert!(waits(&without) > 0.02 && (waits(&with) - 0.005).abs() < 1e-9);
    let text = flat(&run(&format!("roofline {line} --enforce-eager")).out);
    assert!(text.contains("no CUDA graphs") && text.contains("where the host launches each kernel"), "{text}");
    let idle = run("estimate --model llama-3.1-8b --enforce-eager");
    assert!(idle.err.contains("--enforce-eager has no effect without --engine vllm"), "{}", idle.err);
}

/// A trial found "none fits" and a margin of -18.6 GB where 256 sequences fit.
#[test]
fn a_setting_that_starts_is_named_where_vllm_refuses() {
    for (line, change, cause) in [
        (
            "--model qwen3.5-122b-a10b --weights fp8-block --gpu h100-sxm --tp 2 --engine vllm --seq 8192",
            // The pool has about 270 blocks for states, too near to 256.
            "--max-num-seqs 64",
            "bytes for the states of 1,024 sequences",
        ),
        (
            "--model llama-3.1-8b --gpu gb10 --engine vllm --gpu-memory-utilization 0.97",
            "--gpu-memory-utilization 0.82",
            "the system holds 10.8 GiB",
        ),
    ] {
        let text = flat(&run(&format!("estimate {line}")).out);
        assert!(text.contains(&format!("Instead {change}: fits, with a longest context of")), "{text}");
        assert!(text.contains(cause), "{text}");
        let there = run(&format!("estimate {} {change}", line.replace(" --gpu-memory-utilization 0.97", "")));
        assert!(there.code == 0 && !there.out.contains("Instead"), "{}", there.out);
        // What changes nothing else comes before fixes that round weights.
        let advice = flat(&run(&format!("advise {line}")).out);
        let (first, single) = advice.split_once("Each fix by itself:").unwrap();
        assert!(first.contains(&format!("leaves results as they are: {change}")), "{first}");
        assert!(!first.contains("int4") && single.contains("int4"), "{single}");
    }
    // Where nothing of the kind helps, nothing is named.
    let text = run("estimate --model llama-3.1-70b --gpu l4 --engine vllm").out;
    assert!(text.contains("does not fit") && !text.contains("Instead"), "{text}");
}

#[test]
fn a_pool_of_windows_says_what_its_tokens_count() {
    let said = |model: &str| {
        flat(&run(&format!("estimate --model {model} --gpu h100-sxm --engine vllm")).out)
            .contains("so one request can be longer than the pool has tokens")
    };
    assert!(said("gpt-oss-20b") && said("qwen3-next-80b-a3b --weights int4") && !said("llama-3.1-8b"));
}

/// A k is the same in every count, whatever vLLM makes of its own options.
#[test]
fn one_k_is_read_in_lengths_and_bounds() {
    for k in ["32k", "32K"] {
        let (code, told) = json(&format!(
            "estimate --model llama-3.1-8b --gpu h100-sxm --engine vllm --seq {k} --max-model-len {k} --max-num-batched-tokens 8{}",
            &k[2..]
        ));
        assert_eq!(code, 0, "{told}");
        assert_eq!(told["scenario"]["max_model_len"], 32_768, "{told}");
        assert_eq!(told["scenario"]["max_num_batched_tokens"], 8_192, "{told}");
    }
}
