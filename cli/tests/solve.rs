//! `memory-wall solve`: the answer fits, and one step further does not.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run};
use serde_json::Value;

const SCENARIOS: [&str; 11] = [
    "--model llama-3.1-8b --gpu rtx4090 --kv fp8",
    "--model llama-3.1-70b --gpu h100-sxm",
    "--model llama-3.1-70b --gpu h100-sxm --engine vllm --seq 8k",
    "--model gpt2-xl --mode training --gpu t4",
    "--model llama-3.1-8b --mode training --gpu h100-sxm --checkpointing full",
    "--model llama-2-7b --mode qlora --gpu l4 --batch 2",
    "--model mistral-7b-v0.1 --gpu b200 --engine llamacpp",
    // Its compute buffer, of which a part is in doubt, grows with the context.
    "--model gemma-3-27b-text --weights q4_k --gpu rtx4090 --engine llamacpp",
    "--model mistral-small-3.1-24b --weights q8_0 --kv int8 --gpu h200-sxm --engine llamacpp",
    "--model llama-3.1-8b --mode training --implementation torchtitan --gpu rtx4090",
    "--model mixtral-8x7b --mode training --implementation megatron --gpu h100-sxm",
];
const QUESTIONS: [&str; 6] = ["context", "batch", "gpus", "gpu", "model", "weights"];

/// The command line with other values for some of its options.
fn with(line: &str, options: &[String]) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for option in options {
        let name = option.split(' ').next().unwrap();
        if let Some(place) = words.iter().position(|word| *word == name) {
            words.drain(place..place + 2);
        }
    }
    format!("{} {}", words.join(" "), options.join(" "))
}

fn options(step: &Value) -> Vec<String> {
    step["options"].as_array().unwrap().iter().map(|option| option.as_str().unwrap().to_owned()).collect()
}

#[test]
fn estimate_says_the_same_of_each_step() {
    for scenario in SCENARIOS {
        for question in QUESTIONS {
            let (code, it) = json(&format!("solve --for {question} {scenario}"));
            assert_eq!(it["for"], question);
            assert_eq!(code, i32::from(it["answer"].is_null()), "{question} {scenario}");
            for step in ["answer", "next"] {
                if it[step].is_null() {
                    continue;
                }
                let fits = it[step]["verdict"] != "does_not_fit";
                assert_eq!(it[step]["fits"], fits, "{question} {scenario} {step}");
                // GPUs on which the run is only tight are not the answer, and the next smaller step may be that.
                let enough = if question.starts_with("gpu") { it[step]["verdict"] == "fits" } else { fits };
                assert_eq!(enough, step == "answer", "{question} {scenario} {step}");
                let options = options(&it[step]);
                let (code, estimate) = json(&with(&format!("estimate {scenario}"), &options));
                assert_eq!(code, i32::from(!fits), "{question} {scenario} {step} {options:?}");
                for key in ["total_bytes", "capacity_bytes", "margin_bytes", "verdict"] {
                    assert_eq!(estimate[key], it[step][key], "{question} {scenario} {step} {key}");
                }
            }
        }
    }
}

#[test]
fn the_longest_context_is_that_of_estimate() {
    let (_, estimate) = json("estimate --model llama-3.1-8b --gpu rtx4090");
    let (_, it) = json("solve --for context --model llama-3.1-8b --gpu rtx4090");
    assert_eq!(it["answer"]["value"], estimate["max_seq"]);
    assert_eq!(it["next"]["value"].as_u64(), estimate["max_seq"].as_u64().map(|tokens| tokens + 1));
    assert_eq!((&it["model"], &it["gpu"]), (&"llama-3.1-8b".into(), &"rtx4090".into()));
    let (_, batch) = json("solve --for batch --model llama-3.1-8b --gpu rtx4090");
    assert_eq!(batch["answer"]["value"], estimate["max_batch"]);
}

#[test]
fn the_longest_context_is_one_that_the_code_cuts_into_equal_parts() {
    let run =
        "--model llama-3.1-8b --mode training --implementation torchtitan --tp 8 --dp 8 --cp 2 --zero 3 --gpu h100-sxm";
    let (_, it) = json(&format!("solve --for context {run}"));
    let [answer, next] = ["answer", "next"].map(|step| it[step]["value"].as_u64().unwrap());
    assert!(answer.is_multiple_of(32) && next == answer + 32, "{answer} {next}");
    assert_eq!(json(&format!("estimate {run} --seq {answer}")).0, 0);
    assert_eq!(json(&format!("estimate {run} --seq {next}")).0, 1);
}

#[test]
fn pipelines_of_torchtitan_come_with_their_micro_batches() {
    let (_, it) =
        json("solve --for gpus --model llama-3.1-405b --mode training --gpu h100-sxm --implementation torchtitan");
    let pp = it["answer"]["parallel"]["pp"].as_u64().unwrap();
    assert!(pp > 1, "{pp}");
    assert!(options(&it["answer"]).contains(&format!("--micro-batches {pp}")), "{it}");
}

#[test]
fn gpus_come_with_their_cut() {
    let (_, it) = json("solve --for gpus --model llama-3.1-70b --gpu h100-sxm");
    let answer = &it["answer"];
    assert_eq!(answer["value"], 2);
    assert_eq!(answer["parallel"]["tp"].as_u64().unwrap() * answer["parallel"]["pp"].as_u64().unwrap(), 2);
    assert_eq!(it["next"]["value"], 1);
    let (_, it) = json("solve --for gpus --model llama-3.1-8b --gpu h100-sxm");
    assert_eq!((&it["answer"]["value"], &it["next"]), (&1.into(), &Value::Null));
    let (_, it) = json("solve --for gpus --mode training --model llama-3.1-8b --gpu h100-sxm");
    assert!(it["answer"]["value"].as_u64() > it["next"]["value"].as_u64());
}

#[test]
fn the_text_shows_the_answer_and_the_next_step() {
    for (line, parts) in [
        (
            "--for context --model llama-2-7b --gpu a100-80-sxm",
            &[
                "Longest context on A100 SXM4 80GB (a100-80-sxm): 133,802 tokens; the model was made for 4,096",
                "133,802 tokens  85.0 GB  85.0 GB",
                "133,803 tokens  85.0 GB  85.0 GB",
            ][..],
        ),
        ("--for batch --model llama-2-7b --gpu a100-80-sxm --seq 2048", &["Largest batch on ", " sequences"]),
        (
            "--for gpus --model llama-3.1-70b --gpu h100-sxm",
            &["Fewest GPUs on H100 SXM5 80GB (h100-sxm): 2 GPUs: ", "\n1 GPU ", "\nAs options: --"],
        ),
        ("--for gpus --model llama-3.1-8b --gpu h100-sxm", &[": 1 GPU\n", "\nOne GPU is enough.\n"]),
        ("--for gpu --model llama-3.1-8b", &["Smallest GPU for servers and desktops: ", "\nGPU "]),
        (
            "--for gpu --model qwen2.5-32b --weights int4 --engine vllm --gpu rtx4090",
            &["Smallest GPU like GeForce RTX 4090 (NVIDIA, desktop or workstation): "],
        ),
        (
            "--for gpu --model gpt2-small",
            &["Smallest GPU for servers and desktops: ", "\nNo GPU of these is smaller. Those without units"],
        ),
        ("--for model --gpu rtx4090", &["The models of the list\n", "Largest model on GeForce RTX 4090 (rtx4090): "]),
        ("--for weights --model llama-3.1-70b --gpu h100-sxm", &["Widest weights on ", "\nfp16 "]),
        ("--for weights --model gpt2-small --gpu b200", &["fp32\n", "\nNo wider format goes with this mode.\n"]),
    ] {
        let run = run(&format!("solve {line}"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{line}");
        for part in parts {
            assert!(run.out.contains(part), "{line}: {part} is not in\n{}", run.out);
        }
        for text in run.out.lines() {
            assert!(text.chars().count() <= 100 && text.trim_end() == text, "{line}: {text}");
        }
    }
}

#[test]
fn what_is_looked_for_is_not_among_the_inputs() {
    for (question, word) in [("context", "seq_length"), ("batch", "batch "), ("weights", "bf16 weights")] {
        let text = run(&format!("solve --for {question} --model llama-2-7b --gpu t4")).out;
        assert!(!text.lines().nth(1).unwrap().contains(word), "{text}");
    }
}

#[test]
fn models_that_the_code_does_not_train_so_are_told() {
    let line = "solve --for model --mode training --implementation megatron --tp 8 --gpu h100-sxm";
    let alone = run(line);
    assert!(alone.code == 0 && alone.err.contains("models with experts are left out"), "{}", alone.err);
    assert_eq!(run(&format!("{line} --sequence-parallel")).err, "");
}

/// A newer macOS lends a GPU more, and what only that holds is tight: the answer is the last of these.
#[test]
fn on_apple_chips_the_answer_is_the_last_that_is_no_worse_than_tight() {
    for (line, answer) in [
        ("--for batch --model kimi-linear-48b-a3b --gpu m5pro --engine exact --weights fp8-block --seq 2048", "batch"),
        ("--for batch --model llama-3.1-70b --gpu m3ultra --engine llamacpp --weights q8_0 --seq 16384", "batch"),
        ("--for context --model glm-4-9b-0414 --gpu m2ultra --mode training --checkpointing full", "seq_length"),
    ] {
        let (code, it) = json(&format!("solve {line}"));
        let verdict = |step: &str| it[step]["verdict"].as_str().map(str::to_owned);
        let found = (code, verdict("answer"), verdict("next"));
        assert_eq!(found, (0, Some("tight".to_owned()), Some("does_not_fit".to_owned())), "{line} {answer}: {it}");
    }
}

#[test]
fn nothing_that_fits_is_a_no() {
    for (line, found) in [
        ("--for context --model llama-3.1-405b --gpu t4 --weights fp16", "none: not even the shortest request fits."),
        (
            "--for context --model llama-3.1-70b --mode training --implementation megatron --tp 8 --cp 2 --sequence-parallel --gpu a100-40-sxm",
            "none: 32 tokens, the fewest that the code cuts into equal parts, do not fit.",
        ),
        ("--for batch --model llama-3.1-405b --gpu t4 --weights fp16", "none: a single sequence does not fit."),
        ("--for gpu --model llama-3.1-405b", "none holds it with room to spare."),
        (
            "--for weights --model llama-3.1-405b --gpu t4",
            "none: the narrowest of the formats here that go with this mode does not fit.",
        ),
        ("--for model --mode training --batch 10000 --seq 1M --gpu t4", "none: the smallest of the list does not fit."),
        (
            "--for gpus --model llama-3.1-405b --batch 1000000 --seq 1M --gpu t4 --weights fp16",
            "none of the cuts that are tried fits",
        ),
    ] {
        let run = run(&format!("solve {line}"));
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{line}");
        assert!(run.out.replace("\n  ", " ").contains(found), "{line}: {}", run.out);
        let (code, it) = json(&format!("solve {line}"));
        assert_eq!((code, &it["answer"]), (1, &Value::Null), "{line}");
        assert!(it["next"].is_null() || it["next"]["fits"] == false);
    }
}

#[test]
fn the_end_of_the_search_is_said() {
    // With a window memory stops growing.
    let run = run("solve --for context --model mistral-7b-v0.1 --gpu mi355x");
    assert_eq!(run.code, 0);
    assert!(run.out.contains(": at least 10,000,000 tokens; the model was made for"), "{}", run.out);
    assert!(run.out.ends_with("\nThis is the largest that is asked about.\n"), "{}", run.out);
}

#[test]
fn options_that_are_looked_for_get_a_note() {
    for (line, notes) in [
        ("--for context --seq 5", &["--seq has no effect: solve --for context looks for it"][..]),
        ("--for batch --batch 5", &["--batch has no effect: solve --for batch looks for it"]),
        (
            "--for gpus --tp 3 --zero 3",
            &[
                "--tp has no effect: solve --for gpus looks for it",
                "--zero has no effect: solve --for gpus looks for it",
            ],
        ),
        // A named GPU says of which maker and class the answer is.
        ("--for gpu", &[]),
        ("--for model", &["--model has no effect: solve --for model looks for it"]),
        ("--for weights --weights fp32", &["--weights has no effect: solve --for weights looks for it"]),
    ] {
        let run = run(&format!("solve --model llama-2-7b --gpu h100-sxm {line}"));
        let said: Vec<&str> = run.err.lines().filter_map(|line| line.strip_prefix("memory-wall: note: ")).collect();
        assert_eq!((run.code, said.as_slice()), (0, notes), "{line}");
    }
}

#[test]
fn the_smallest_gpu_is_one_that_the_run_can_move_to() {
    let vendor = |id: &Value| memory_wall_core::tables::gpus::by_id(id.as_str().unwrap()).unwrap().vendor;
    for (line, wanted) in [
        ("--model llama-3.1-70b --gpu mi300x", "AMD"),
        ("--model llama-3.1-8b --gpu tpu-v4", "Google"),
        ("--model llama-3.1-70b --gpu m3max --weights q4_k --engine llamacpp", "Apple"),
    ] {
        let (code, it) = json(&format!("solve --for gpu {line}"));
        assert_eq!((code, vendor(&it["answer"]["value"])), (0, wanted), "{line}");
        assert_eq!(it["answer"]["verdict"], "fits", "{line}");
    }
    // A TPU v4 has a little less memory than an RTX 5090, and runs no AWQ in vLLM.
    for seq in ["2k", "4k", "8k", "16k", "32k"] {
        let (_, it) = json(&format!("solve --for gpu --model qwen2.5-32b --weights int4 --engine vllm --seq {seq}"));
        assert!(["NVIDIA", "AMD"].contains(&vendor(&it["answer"]["value"])), "{seq}: {it}");
    }
    // 13.5 GB of weights and 1.3 GB of cache: tight on 16.7 GB, which is shown as such.
    let (_, it) = json("solve --for gpu --model llama-2-7b --gpu rtx4080 --weights fp16 --seq 2500");
    assert_eq!((&it["answer"]["value"], &it["next"]["verdict"]), (&"rtx4000ada".into(), &"tight".into()));
    let text = run("solve --for gpu --model llama-2-7b --gpu rtx4080 --weights fp16 --seq 2500").out;
    assert!(text.lines().any(|line| line.contains("rtxa4000") && line.ends_with(" tight")), "{text}");
}

#[test]
fn gpus_that_leave_too_little_room_are_named_apart() {
    // 65,536 tokens leave two of them less than a tenth.
    let line = "--for gpus --model llama-3.1-70b --gpu h100-sxm --seq 64k";
    let (code, it) = json(&format!("solve {line}"));
    assert_eq!((code, &it["answer"]["value"], &it["answer"]["verdict"]), (0, &3.into(), &"fits".into()), "{it}");
    assert_eq!((&it["tight"]["value"], &it["tight"]["verdict"]), (&2.into(), &"tight".into()), "{it}");
    let text = run(&format!("solve {line}")).out;
    assert!(text.contains("Tight, may fail by fragmentation: 2 GPUs: tp 2, --tp 2\n"), "{text}");
}

#[test]
fn the_fewest_gpus_are_a_cut_that_the_code_runs() {
    for (options, uncut) in [("", "pp"), ("--implementation litgpt", "tp"), ("--implementation megatron", "")] {
        let line = format!(
            "solve --for gpus --model llama-3.1-70b --mode training --checkpointing full --gpu h100-sxm {options}"
        );
        let (code, it) = json(&line);
        let parallel = &it["answer"]["parallel"];
        assert_eq!((code, &it["answer"]["verdict"]), (0, &"fits".into()), "{line}");
        assert!(uncut.is_empty() || parallel[uncut] == 1, "{line}: {parallel}");
        let sharded = parallel["zero"].as_u64().unwrap() > 1 && parallel["dp"] != 1;
        assert!(!sharded || parallel["pp"] == 1, "{line}: {parallel}");
    }
}

/// accelerate cuts sequences beside FSDP2 alone, so ZeRO-3 is part of such an answer.
#[test]
fn sequences_are_cut_as_the_code_cuts_them() {
    let line = "--model qwen2.5-32b --mode lora --gpu rtx4090 --seq 4096";
    let (code, it) = json(&format!("solve --for gpus {line}"));
    assert_eq!(
        (code, &it["answer"]["parallel"]["cp"], &it["answer"]["parallel"]["zero"]),
        (0, &8.into(), &3.into()),
        "{it}"
    );
    assert_eq!(run(&with(&format!("estimate {line}"), &options(&it["answer"]))).code, 0);
}

/// 405B was cut along sequences of 2,048 tokens, where full checkpointing does with fewer GPUs and no such cut, or alone fits.
#[test]
fn fewer_gpus_with_full_checkpointing_are_said() {
    let line = "--model llama-3.1-405b --mode training --seq 4096 --gpu h100-sxm";
    let (_, it) = json(&format!("solve --for gpus {line}"));
    let full = &it["checkpointed"];
    assert!(
        full["value"].as_u64().is_some_and(|full| it["answer"]["value"].as_u64().is_none_or(|uncut| full < uncut)),
        "{it}"
    );
    let options: Vec<String> = options(full);
    assert!(options.contains(&"--checkpointing full".to_owned()), "{options:?}");
    assert!(!options.iter().any(|option| option.starts_with("--cp")), "{options:?}");
    assert_eq!(run(&with(&format!("estimate {line}"), &options)).code, 0, "{options:?}");
    assert!(run(&format!("solve --for gpus {line}")).out.contains("\nWith full checkpointing: "));
    assert!(json(&format!("solve --for gpus {line} --checkpointing full")).1.get("checkpointed").is_none());
    assert!(json("solve --for gpus --model llama-3.1-405b --gpu h100-sxm").1.get("checkpointed").is_none());
}

#[test]
fn what_a_larger_share_gives_is_said() {
    let served = "--model llama-3.1-8b --engine vllm --gpu rtx4090";
    for question in ["context", "batch"] {
        let (_, it) = json(&format!("solve --for {question} {served}"));
        let more = &it["larger_share"];
        assert!(more["value"].as_u64() > it["answer"]["value"].as_u64(), "{it}");
        let options: Vec<String> = options(more);
        let (code, estimate) = json(&with(&format!("estimate {served}"), &options));
        assert_eq!((code, &estimate["verdict"]), (0, &it["answer"]["verdict"]), "{options:?}");
        let text = run(&format!("solve --for {question} {served}")).out;
        assert!(text.contains("\nWith --gpu-memory-utilization 0.9"), "{text}");
    }
    // Issue 18: where no GPU is named, each is asked with its own largest share.
    let served = "--model llama-2-13b --engine vllm";
    let (_, it) = json(&format!("solve --for gpu {served}"));
    let more = &it["larger_share"];
    assert!(more["capacity_bytes"].as_u64() < it["answer"]["capacity_bytes"].as_u64(), "{it}");
    let (code, estimate) = json(&with(&format!("estimate {served}"), &options(more)));
    assert_eq!((code, &estimate["verdict"]), (0, &"fits".into()), "{more}");
    // Without a server there is no share.
    let (_, it) = json("solve --for context --model llama-3.1-8b --gpu h100-sxm");
    assert!(it.get("larger_share").is_none());
}

#[test]
fn the_smallest_gpu_is_asked_with_what_is_usual_on_it() {
    // 256 sequences and 2,048 tokens on an L4; fp16 on a T4, which has no bf16.
    let (_, it) = json("solve --for gpu --model llama-3.2-1b --engine vllm");
    let (answer, gpu) = (&it["answer"], it["answer"]["value"].as_str().unwrap());
    let (_, estimate) = json(&format!("estimate --model llama-3.2-1b --engine vllm --gpu {gpu}"));
    assert_eq!(estimate["total_bytes"], answer["total_bytes"], "{gpu}");
    let chosen = json("solve --for gpu --model llama-3.2-1b --engine vllm --max-num-batched-tokens 16k").1;
    assert!(chosen["answer"]["capacity_bytes"].as_u64() > answer["capacity_bytes"].as_u64(), "{chosen}");
    let t4 = run("solve --for gpu --model llama-3.2-3b --gpu t4 --engine vllm");
    assert!(t4.out.contains("fp16 weights, fp16 KV cache"), "{}", t4.out);
    let v100 = run("solve --for gpu --model llama-3.1-8b --gpu v100-sxm2-16 --engine hf --seq 128").out;
    assert!(v100.contains(", fp16"), "{v100}");
}

#[test]
fn gpus_are_cut_as_somebody_would_run_them_and_counted_as_they_are_sold() {
    for line in [
        "--model deepseek-v3 --engine vllm --weights fp8",
        "--model llama-3.1-405b --engine vllm",
        "--model deepseek-v3",
        "--model mixtral-8x22b --mode training",
        "--model deepseek-v3 --mode training --checkpointing full",
    ] {
        let (code, it) = json(&format!("solve --for gpus --gpu h100-sxm {line}"));
        assert_eq!((code, &it["answer"]["verdict"]), (0, &"fits".into()), "{line}: {it}");
        let whole = &it["whole_computers"];
        for plan in [&it["answer"], whole].into_iter().filter(|plan| !plan.is_null()) {
            let [tp, pp, cp] = ["tp", "pp", "cp"].map(|degree| plan["parallel"][degree].as_u64().unwrap());
            assert!(tp.is_power_of_two() && cp == 1, "{line}: {plan}");
            assert!(tp == 8 || [1, 2, 3, 4, 6, 8].contains(&pp), "{line}: {plan}");
        }
        let gpus = it["answer"]["value"].as_u64().unwrap();
        assert_eq!(whole.is_null(), gpus.is_multiple_of(8), "{line}: {gpus}");
        if let Some(more) = whole["value"].as_u64() {
            assert!(more > gpus && more.is_multiple_of(8) && whole["verdict"] == "fits", "{line}: {whole}");
        }
    }
    // Layers of 256 experts are too wide to be gathered whole.
    let (_, it) = json("solve --for gpus --gpu h100-sxm --model deepseek-v3 --mode training --checkpointing full");
    assert!(it["answer"]["parallel"]["ep"].as_u64() > Some(1), "{it}");
    let text = run("solve --for gpus --gpu h100-sxm --model llama-3.1-405b --engine vllm").out;
    assert!(text.contains("\nIn whole computers of 8 GPUs: 16 GPUs: tp 8 × pp 2, --tp 8 --pp 2\n"), "{text}");
}

/// Nobody runs Megatron-LM with ZeRO-3 unasked: its distributed optimizer shares out what ZeRO-1 does.
#[test]
fn megatron_shares_out_the_optimizer_unless_a_plan_says_more() {
    let line =
        "solve --for gpus --model llama-3.1-70b --mode training --implementation megatron --gpu h100-sxm --seq 4096";
    let (code, it) = json(line);
    assert_eq!((code, &it["answer"]["parallel"]["zero"]), (0, &1.into()), "{it}");
    let by_plan = format!("{line} --zero 3");
    let (code, it) = json(&by_plan);
    assert_eq!((code, &it["answer"]["parallel"]["zero"]), (0, &3.into()), "{it}");
    assert_eq!(run(&by_plan).err, "");
    for options in ["--zero 1", "--zero 3 --fp8-recipe tensorwise", "--zero 3 --moments bf16"] {
        assert!(run(&format!("{line} {options}")).err.contains("--zero has no effect"), "{options}");
    }
    let (_, it) = json(&line.replace("--implementation megatron", ""));
    assert_eq!(it["answer"]["parallel"]["zero"], 3, "{it}");
}

#[test]
fn options_of_llama_cpp_are_not_taken_for_layers() {
    let typed =
        run("solve --for context --model qwen3-8b --weights q4_k --engine llamacpp --gpu rtx3090 --cache-type-k q8_0");
    assert!(typed.code == 2 && typed.err.contains("--kv int8 is a cache in q8_0"), "{}", typed.err);
    assert_eq!(
        run("solve --for context --model qwen3-8b --weights q4_k --engine llamacpp --gpu rtx3090 --kv int8").code,
        0
    );
}

/// The upper end of llama.cpp's buffers is counted, so that the last length that may go in says more than there is.
#[test]
fn a_length_that_only_the_lower_end_lets_in_says_so() {
    let line = "solve --for context --model qwen3-14b --weights q4_k --engine llamacpp --gpu";
    let doubtful = run(&format!("{line} rtx4070tisuper")).out;
    assert!(doubtful.contains("+0  tight") && doubtful.contains("Tight by the lower end"), "{doubtful}");
    let sure = run("solve --for batch --model qwen3-14b --weights bf16 --gpu a100-80-sxm").out;
    assert!(!sure.contains("lower end"), "{sure}");
}

/// More requests than `--max-num-seqs` wait at any length, and an answer says so as an estimate of it does.
#[test]
fn a_length_for_requests_that_wait_is_no_plain_yes() {
    let plan = "--model deepseek-v2-lite --gpu rtx4070 --engine vllm --weights fp8 --kv fp8 --tp 2 --max-num-seqs 8";
    let found = run(&format!("solve --for context {plan} --batch 64"));
    assert_eq!(found.code, 3, "{}", found.out);
    assert!(found.out.contains("vLLM runs 8 sequences at once on each"), "{}", found.out);
    assert_eq!(run(&format!("estimate {plan} --batch 64 --seq 2048")).code, 3);
    let all = run(&format!("solve --for context {plan} --batch 8"));
    assert!(all.code == 0 && !all.out.contains("vLLM runs"), "{}", all.out);
}
