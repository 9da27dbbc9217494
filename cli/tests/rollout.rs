//! `estimate --rl grpo`: the question that people ask, as text and as JSON, and what is refused.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Run, assert_refused, json, run, run_on};

const SEVEN: &str =
    "estimate --model qwen2.5-7b --mode training --dp 8 --zero 3 --seq 1024 --batch 4 --gpu h100-sxm --rl grpo";

/// Text without the breaks of its lines.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn lines_say_what_lies_on_a_gpu_when_and_what_helps() {
    let Run { code, out, err } = run(SEVEN);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let text = flat(&out);
    for said in [
        "8 completions of each prompt, of up to 512 tokens behind a prompt of up to 512; 32 completions generated at once over all GPUs; vLLM on the same GPUs with 0.30 of each; no reference model (beta 0)",
        "checkpointing full",
        "vLLM generates",
        "vLLM gets new weights",
        "Peak: in the training step",
        "Logits of 2,048 tokens of completions",
        "Longest completion",
        "num_generations does not change the memory",
        "--vllm-enable-sleep-mode",
        "huggingface/trl issue 3678",
        "131,072 is assumed, as the model of the table has it",
    ] {
        assert!(text.contains(said), "{said}\n{out}");
    }
    assert!(!text.contains("cross-entropy"), "{out}");
    let Run { code, out, .. } = run(&SEVEN.replace("qwen2.5-7b", "llama-3.1-8b"));
    let text = flat(&out);
    assert_eq!(code, 1);
    assert!(text.contains("one request of vllm_max_model_length 131,072 needs"), "{out}");
    assert!(text.contains("--vllm-max-model-length 1024"), "{out}");
}

#[test]
fn json_has_the_same_in_bytes() {
    let (code, it) = json(SEVEN);
    assert_eq!((code, &it["rl"]["algorithm"], &it["rl"]["vllm_mode"]), (0, &"grpo".into(), &"colocate".into()));
    let moments = it["moments"].as_array().unwrap();
    let high = |at: &serde_json::Value, key: &str| at[key][1].as_u64().unwrap();
    for at in moments {
        let parts = ["trainer_bytes", "reference_bytes", "vllm_bytes", "work_bytes"].map(|key| high(at, key));
        assert_eq!(parts.iter().sum::<u64>(), high(at, "total_bytes"));
    }
    let most = moments.iter().map(|at| high(at, "total_bytes")).max().unwrap();
    assert_eq!((high(&it, "peak_bytes"), &it["peak_moment"]), (most, &"step".into()));
    assert_eq!(
        it["margin_bytes"].as_i64().unwrap(),
        it["limit_bytes"].as_i64().unwrap() - i64::try_from(most).unwrap()
    );
    // The largest batch is an answer of its own.
    let batch = it["max_batch"].as_u64().unwrap();
    let verdict = |batch: u64| json(&SEVEN.replace("--batch 4", &format!("--batch {batch}"))).1["verdict"].clone();
    assert!(["fits", "tight"].contains(&verdict(batch).as_str().unwrap()));
    assert_eq!(verdict(batch + 1), "does_not_fit");
    // A sleeping vLLM leaves room.
    let (_, asleep) = json(&format!("{SEVEN} --vllm-enable-sleep-mode"));
    assert!(asleep["max_batch"].as_u64().unwrap() > batch);
}

#[test]
fn what_is_not_modelled_or_contradicts_itself_is_refused() {
    for (more, message) in [
        (
            "--rl ppo",
            "--rl ppo is not modelled: it trains a value model and keeps a reward model beside the policy; grpo is",
        ),
        ("--rl GRPO2", "--rl takes grpo, not \"grpo2\""),
        ("--rl grpo --num-generations 1", "--num-generations 1 is outside 2 to 65,536 completions"),
        (
            "--rl grpo --num-generations 5",
            "TRL refuses incomplete groups: the generation batch of 32 (batch × GPUs × steps_per_generation) is not a multiple of num_generations 5",
        ),
        (
            "--rl grpo --vllm-mode server --vllm-enable-sleep-mode",
            "--vllm-enable-sleep-mode needs --vllm-mode colocate: on a server's GPUs sleeping frees nothing for the trainer",
        ),
        (
            "--rl grpo --max-completion-length 1024",
            "--seq 1024 is prompt and completion together, and a completion of 1,024 leaves no prompt: say --max-completion-length or a larger --seq",
        ),
        (
            "--rl grpo --beta 0.04",
            "--beta of TRL is not modelled: it weights the KL penalty, and any value above 0 needs a reference model: say --reference resident",
        ),
    ] {
        let line = SEVEN.replace("--rl grpo", more);
        assert_refused(&run(&line), message, &line);
    }
    let line = "estimate --model qwen2.5-7b --rl grpo --gpu h100-sxm";
    assert_refused(&run(line), "--rl grpo trains a policy: say --mode training, lora or qlora", line);
    let Run { err, .. } = run("estimate --model qwen2.5-7b --reference resident");
    assert_eq!(err, "memory-wall: note: --reference has no effect without --rl grpo\n");
}

/// A plan says what its options say: to every command that knows them, and to the others that it is not for them.
#[test]
fn plans_say_what_options_say() {
    let plan = |more: &str| {
        format!(
            r#"{{ "version": 1, "name": "learns{}", "model": "qwen2.5-7b", "mode": "training", "batch": 4, "seq": 1024, "gpu": "h100-sxm", "dp": 8, "zero": "3"{more} }}"#,
            more.len()
        )
    };
    let grpo = plan(
        r#", "rl": "grpo", "vllm_gpu_memory_utilization": 40, "vllm_enable_sleep_mode": true, "num_generations": 16, "reference": "resident""#,
    );
    let typed = format!(
        "{SEVEN} --vllm-gpu-memory-utilization 0.4 --vllm-enable-sleep-mode --num-generations 16 --reference resident"
    );
    let (planned, typed) = (run_on("estimate --plan -", grpo.as_bytes()), run(&typed));
    assert_eq!((planned.code, &planned.out, &planned.err), (typed.code, &typed.out, &typed.err));
    assert!(planned.out.contains("asleep during the training step"), "{}", planned.out);
    for command in ["advise", "solve --for batch", "roofline"] {
        let refused = run_on(&format!("{command} --plan -"), grpo.as_bytes());
        assert_eq!(refused.code, 2, "{command}: {}", refused.out);
        assert!(refused.err.contains("rl is an option of estimate, compare and export"), "{command}: {}", refused.err);
    }
    let both = format!("[{grpo}, {}]", plan(""));
    let Run { code, out, err } = run_on("compare --plan -", both.as_bytes());
    let text = flat(&out);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for said in [
        "Fullest moment vLLM generates -",
        "fits, with more than a",
        "--rl grpo -",
        "--num-generations 16 -",
        "layers in host memory or GRPO",
    ] {
        assert!(text.contains(said), "{said}\n{out}");
    }
    // Programs read the same there as of one plan.
    let read = |line: &str, text: &str| -> serde_json::Value {
        serde_json::from_str(&run_on(line, text.as_bytes()).out).unwrap()
    };
    let (compared, alone) = (read("compare --plan - --json", &both), read("estimate --plan - --json", &grpo));
    assert_eq!(compared["plans"][0]["peak_moment"], alone["peak_moment"]);
    assert_eq!(compared["plans"][0]["max_completion_length"], alone["max_completion_length"]);
    assert!(alone["max_completion_length"].is_u64() && alone["peak_moment"].is_string(), "{alone}");
    let longest = alone["max_completion_length"].as_u64().unwrap();
    let grouped = format!("{},{:03}", longest / 1_000, longest % 1_000);
    assert!(longest > 999 && text.contains(&format!("Longest completion {grouped} -")), "{longest}\n{out}");
    assert!(compared["plans"][1]["peak_moment"].is_null() && compared["plans"][1]["max_completion_length"].is_null());
    let written = run_on("export --to accelerate --plan -", grpo.as_bytes());
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(flat(&written.out).contains("rl grpo: it is what TRL's GRPOTrainer does"), "{}", written.out);
    // What a plan that serves says of training changes nothing.
    let serves = r#"{ "version": 1, "model": "qwen2.5-7b", "gpu": "h100-sxm", "rl": "grpo", "reference": "resident" }"#;
    let (planned, typed) =
        (run_on("estimate --plan -", serves.as_bytes()), run("estimate --model qwen2.5-7b --gpu h100-sxm"));
    assert_eq!((planned.code, planned.out, planned.err), (typed.code, typed.out, typed.err));
    // The mode that is typed decides.
    for mode in ["inference", "Inference"] {
        let there = run_on(&format!("estimate --plan - --mode {mode}"), grpo.as_bytes());
        assert!(there.code != 2 && !there.err.contains("rl"), "{mode}: {} {}", there.code, there.err);
        assert!(!there.out.contains("vLLM generates"), "{mode}: {}", there.out);
    }
    let trains = run_on("estimate --plan - --mode lora --batch 8", serves.as_bytes());
    assert!(trains.out.contains("vLLM generates"), "{} {}", trains.out, trains.err);
    // And what a plan says of generating changes nothing where nothing generates.
    let options = plan(r#", "num_generations": 16, "reference": "resident""#);
    for command in ["advise", "solve --for batch", "roofline"] {
        let [said, without] =
            [&options, &plan("")].map(|text| run_on(&format!("{command} --plan - --json"), text.as_bytes()));
        assert_ne!(said.code, 2, "{command}: {}", said.err);
        assert_eq!((said.code, said.out, said.err), (without.code, without.out, without.err), "{command}");
    }
    let Run { err, .. } = run(&format!("{SEVEN} --vllm-mode server --vllm-tensor-parallel-size 2"));
    assert_eq!(err, "memory-wall: note: --vllm-tensor-parallel-size has no effect with --vllm-mode server\n");
}

/// What the README shows is what the command says.
#[test]
fn the_readme_shows_what_is_said() {
    let readme = include_str!("../../README.md");
    let (_, part) = readme.split_once("### Reinforcement learning\n").unwrap();
    let line = part.split_once("memory-wall-cli -- ").unwrap().1.split_once('\n').unwrap().0;
    let shown = part.split_once("```text\n").unwrap().1.split("```").next().unwrap();
    let said = run(line);
    assert!(said.out.contains(shown), "{}{}", said.out, said.err);
}

#[test]
fn a_vllm_without_room_for_a_cache_is_told_so() {
    let line = "estimate --model qwen3-14b --mode qlora --gpu rtx4090 --rl grpo --batch 4 --seq 2048 --max-completion-length 1024 --num-generations 4";
    let text = flat(&run(line).out);
    assert!(
        text.contains("vLLM may take 7.57 GB: weights of 10.0 GB and what it computes with leave nothing"),
        "{text}"
    );
    assert!(text.contains("Largest batch none fits with completions of 1,024 tokens"), "{text}");
    assert!(text.contains("Longest completion none fits behind the same prompt"), "{text}");
}
