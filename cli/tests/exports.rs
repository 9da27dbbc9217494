//! Runs as commands and files of other programs, and back: text, JSON, notes, refusals, exit codes.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run, run_on, scratch};

const SERVED: &str = "--model llama-3.1-8b --engine vllm --tp 2 --seq 32k --kv fp8 --gpu l4";

#[test]
fn a_command_comes_back_as_the_same_run() {
    let command = run(&format!("export --to vllm {SERVED}"));
    assert_eq!((command.code, command.err.as_str()), (0, ""));
    assert!(command.out.ends_with("--max-model-len 32768 \\\n  --gpu-memory-utilization 0.92\n"), "{}", command.out);
    let plan = run_on("import -", command.out.as_bytes());
    assert_eq!((plan.code, plan.err.lines().count()), (0, 1), "{}", plan.err);
    assert!(plan.err.contains("(every request is counted as long as the longest;"), "{}", plan.err);
    // The longest request and the share are said now, and are those that were taken before.
    let (_, before) = json(&format!("estimate {SERVED}"));
    let read = run_on("estimate --plan - --gpu l4 --json", plan.out.as_bytes());
    let after: serde_json::Value = serde_json::from_str(&read.out).unwrap();
    assert_eq!(after["total_bytes"], before["total_bytes"], "{}", read.err);
    assert!(after["total_bytes"].is_number(), "{after}");
}

#[test]
fn a_plan_of_a_file_keeps_its_name() {
    let plan = "{\"version\": 1, \"name\": \"it's \\\"mine\\\"; $(id)\", \"model\": \"gpt2-xl\", \"mode\": \"training\", \"zero\": \"3\", \"dp\": 8, \"recipe\": \"autocast\"}";
    let path = scratch("named-plan.json", plan.as_bytes());
    let text = run(&format!("export --to accelerate --plan {}", path.display()));
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(text.out.starts_with("# The plan \"it's \"mine\"; $(id)\" for accelerate"), "{}", text.out);
    assert!(text.out.contains("\nnum_processes: 8 # dp 8; tp 1, the default; cp 1, the default\n"), "{}", text.out);
    // A model in a file is the folder of its config.
    let text = run("export --to axolotl --config gpt2-xl.json --mode training");
    assert!(text.out.contains("\nbase_model: MODEL # config gpt2-xl.json\n"), "{}{}", text.out, text.err);
}

#[test]
fn files_without_comments_have_notes() {
    let line = "export --to deepspeed --model gpt2-xl --mode training --zero 3 --dp 8 --seq 512 --chunked-loss";
    let file = run(line);
    let text: serde_json::Value = serde_json::from_str(&file.out).unwrap();
    assert_eq!(text["zero_optimization"]["stage"], 3);
    assert!(file.err.contains("note: zero_optimization.stage 3: zero 3\n"), "{}", file.err);
    assert!(file.err.contains("note: not written: loss chunked: DeepSpeed has no setting for it\n"), "{}", file.err);
    let (code, answer) = json(line);
    assert_eq!((code, &answer["target"], &answer["file"]), (0, &"deepspeed".into(), &"deepspeed.json".into()));
    assert_eq!(answer["text"].as_str().unwrap(), file.out);
    assert!(answer["settings"].as_array().unwrap().iter().any(|it| it["setting"] == "zero_optimization.stage"));
}

#[test]
fn exit_codes_are_those_of_an_estimate() {
    for (line, code, note) in [
        ("--to vllm --model llama-3.1-70b --gpu l4", 1, "note: this does not fit on the GPU"),
        (
            "--to vllm --model llama-3.1-8b --engine vllm --seq 128k --batch 64 --gpu h100-sxm",
            3,
            "note: some requests will wait",
        ),
        ("--to llama-server --model llama-2-7b --weights q4_k --gpu l4", 0, ""),
        ("--model llama-3.1-8b", 2, "a program is missing: --to takes vllm, sglang"),
        ("--to vlm --model llama-3.1-8b", 2, "did you mean vllm?"),
        (
            "--to vllm --model llama-3.1-8b --mode training",
            2,
            "vLLM serves a model, and the plan trains one (mode training): a target for it is accelerate",
        ),
        (
            "--to torchtitan --model llama-3.1-8b --mode training --zero 1 --dp 2",
            2,
            "shards weights, gradients and states together",
        ),
        ("--to axolotl", 2, "a model is missing"),
    ] {
        let run = run(&format!("export {line}"));
        assert_eq!(run.code, code, "{line}: {}", run.err);
        assert!(run.err.contains(note), "{line}: {}", run.err);
    }
}

#[test]
fn an_import_says_what_it_took_for_granted() {
    let arguments = b"{\"output_dir\": \"out\", \"per_device_train_batch_size\": 4, \"bf16\": true}";
    let read = run_on("import -", arguments);
    let note = "note: line 1: bf16: weights fp32, recipe autocast (the code that loads the model decides";
    assert!(read.err.contains(note), "{}", read.err);
    // A full fine-tune of 8B by axolotl, which loads it in bf16, fits on a GPU of 80 GB.
    let axolotl = b"base_model: meta-llama/Llama-3.1-8B\nsequence_len: 8192\nmicro_batch_size: 1\nbf16: auto\noptimizer: paged_adamw_8bit\ngradient_checkpointing: true\n";
    let read = run_on("import -", axolotl);
    assert!(read.err.contains("(axolotl loads the weights in 16 bits"), "{}", read.err);
    let estimate = run_on("estimate --plan - --gpu a100-80-sxm --loss chunked", read.out.as_bytes());
    assert_eq!(estimate.code, 0, "{}{}", estimate.out, estimate.err);
}

#[test]
fn what_is_not_understood_is_listed() {
    let text = "vllm serve some/model -tp 2 \\\n  --speculative-model x --api-key sk-1\n";
    let read = run_on("import", text.as_bytes());
    assert_eq!(read.code, 0);
    let notes: Vec<&str> = read.err.lines().collect();
    assert_eq!(notes.len(), 3, "{}", read.err);
    assert!(
        notes[0]
            .starts_with("memory-wall: note: line 1: some/model: not understood: no model of the table has this id")
    );
    assert!(notes[1].starts_with("memory-wall: note: line 2: --speculative-model x: not understood"));
    assert!(notes[2].starts_with("memory-wall: note: no model is named"));
    let answer: serde_json::Value = serde_json::from_str(&run_on("import - --json", text.as_bytes()).out).unwrap();
    assert_eq!((&answer["source"], &answer["plan"]["tp"]), (&"vllm".into(), &"2".into()));
    let meanings: Vec<&str> =
        answer["settings"].as_array().unwrap().iter().map(|it| it["meaning"].as_str().unwrap()).collect();
    assert_eq!(meanings, ["not-understood", "says", "not-understood", "without-effect"]);
    assert!(!answer.to_string().contains("sk-1"), "{answer}");
    let path = scratch("run of mine.sh", b"llama-server -m x.gguf");
    assert!(
        run_on(&format!("import {}", path.display()).replace("run of mine.sh", "missing.sh"), b"")
            .err
            .contains("does not exist")
    );
    for (line, input, message) in [
        ("import -", "hello", "\"-\": line 1: this is no command or file that is read"),
        ("import a.sh b.sh", "", "import reads one command or file at a time, not \"b.sh\" as well"),
        ("import --seq 5", "", "import has no option \"--seq\""),
    ] {
        let run = run_on(line, input.as_bytes());
        assert_eq!(run.code, 2, "{line}");
        assert!(run.err.contains(message), "{line}: {}", run.err);
    }
}

/// What a runtime is told in its own words goes into its command, by the names that people write.
#[test]
fn a_runtimes_own_options_are_written() {
    let text = run("export --to llama-server --model llama-3.1-8b --engine llamacpp --weights q4_k --ngl 20 --device 4090,rtx3090 --tensor-split 3,1 --ubatch 256 --cache-type-k q8_0").out;
    for part in [
        "--n-gpu-layers 20 ",
        "--tensor-split 3,1 ",
        "--ubatch-size 256\n",
        "--cache-type-k q8_0 ",
        "--split-mode layer: device rtx4090,rtx3090\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // With a GPU or without one.
    for gpu in ["", " --gpu h100-sxm"] {
        let run =
            run(&format!("export --to sglang --model llama-3.1-8b --engine sglang --mem-fraction-static 0.85{gpu}"));
        assert_eq!(run.code, 0, "{}", run.err);
        for part in ["--mem-fraction-static 0.85", "engine sglang: as SGLang does by itself"] {
            assert!(run.out.contains(part), "{part}: {}", run.out);
        }
    }
}

#[test]
fn expert_parallel_ranks_of_a_server_with_a_pool_are_written() {
    const EXPERTS: &str = "--model qwen3-235b-a22b --weights fp8-block --tp 8 --ep 8 --seq 8192 --gpu h100-sxm";
    for (engine, target, flag) in [("sglang", "sglang", "--ep-size 8"), ("trtllm", "trtllm-serve", "--ep_size 8")] {
        let run = run(&format!("export --to {target} --engine {engine} {EXPERTS}"));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains(&format!("  {flag} \\\n")), "{}", run.out);
        assert!(!run.out.contains("ep 1"), "{}", run.out);
        // As many as the import says again.
        let plan =
            run_on("import -", run.out.replace("${QUANTISED_MODEL:?", "Qwen/Qwen3-235B-A22B-FP8 ${X:?").as_bytes());
        assert!(plan.out.contains("\"ep\": 8"), "{}{}", plan.out, plan.err);
    }
}
