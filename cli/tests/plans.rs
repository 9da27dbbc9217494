//! Plans as files: options from a file, overridden on the command line, and files that are none.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod common;

use std::path::PathBuf;

use common::{Run, program, run, run_on, scratch};

const SERVED: &str = r#"{
  "version": 1,
  "name": "chat",
  "model": "llama-3.1-8b",
  "mode": "inference",
  "batch": 16,
  "seq": 8192,
  "weights": "fp8",
  "engine": "vllm",
  "max_num_seqs": 64,
  "gpu_memory_utilization": 90,
  "gpu": "l4"
}
"#;

fn file(name: &str, text: &str) -> PathBuf {
    scratch(name, text.as_bytes())
}

#[test]
fn a_plan_says_what_its_options_say() {
    let path = file("served.json", SERVED);
    let options = "--model llama-3.1-8b --mode inference --batch 16 --seq 8192 --weights fp8 --engine vllm --max-num-seqs 64 --gpu-memory-utilization 90% --gpu l4";
    for command in ["estimate", "advise", "solve --for context", "roofline"] {
        // The roofline takes a share of the options, as without a plan.
        let (planned, typed) =
            (run(&format!("{command} --plan {}", path.display())), run(&format!("{command} {options}")));
        assert_eq!((planned.code, &planned.out, &planned.err), (typed.code, &typed.out, &typed.err), "{command}");
        assert!(command == "roofline" || !planned.out.is_empty(), "{command}: {}", planned.err);
    }
    assert_eq!(run_on("estimate --plan -", SERVED.as_bytes()).out, run(&format!("estimate {options}")).out);
}

#[test]
fn options_override_a_plan() {
    let path = file("overridden.json", SERVED);
    let planned = run(&format!("estimate --plan {} --batch 2 --model qwen3-8b --kv fp8", path.display()));
    let typed = run(
        "estimate --model qwen3-8b --batch 2 --kv fp8 --seq 8192 --weights fp8 --engine vllm --max-num-seqs 64 --gpu-memory-utilization 90% --gpu l4",
    );
    assert_eq!((planned.code, planned.out), (typed.code, typed.out), "{}", planned.err);
    // A config takes the place of the plan's model.
    let planned = run(&format!("estimate --plan {} --config llama-3.1-8b.json", path.display()));
    assert!(planned.out.starts_with("llama-3.1-8b.json"), "{}{}", planned.out, planned.err);
    let loss =
        file("loss.json", "{\"version\": 1, \"model\": \"gpt2-xl\", \"mode\": \"training\", \"loss\": \"compiled\"}");
    let planned = run(&format!("estimate --plan {} --chunked-loss", loss.display()));
    let typed = run("estimate --model gpt2-xl --mode training --chunked-loss");
    assert_eq!((planned.code, planned.out), (typed.code, typed.out), "{}", planned.err);
}

/// Megatron-LM with `--bf16` adds gradients up in fp32, torchtitan keeps fp32 weights: unless a recipe is stated.
#[test]
fn each_code_trains_by_a_recipe_of_its_own() {
    let shape = "--model llama-3.1-8b --mode training --dp 8 --zero 1";
    for (code, recipe, sentence) in [
        ("transformers", "mixed", "16-bit weights and gradients have an fp32 master copy"),
        ("megatron", "mixed-fp32-grads", "an fp32 master copy and fp32 gradients"),
        ("torchtitan", "autocast", "FSDP2 gathers weights in 16 bits and reduces gradients in fp32"),
        ("litgpt", "mixed", "LitGPT itself keeps gradients like the weights"),
    ] {
        // FSDP2 shards the weights with the states, or nothing.
        let zero = if code == "torchtitan" { 3 } else { 1 };
        let shape = format!("--model llama-3.1-8b --mode training --dp 8 --zero {zero}");
        let plan = file(
            &format!("{code}.json"),
            &format!(
                "{{\"version\": 1, \"model\": \"llama-3.1-8b\", \"mode\": \"training\", \"dp\": 8, \"zero\": {zero}, \"implementation\": \"{code}\"}}"
            ),
        );
        let own = run(&format!("estimate {shape} --implementation {code} --json"));
        assert_eq!(run(&format!("estimate --plan {} --json", plan.display())).out, own.out, "{code}");
        assert_eq!(
            run(&format!("estimate {shape} --implementation {code} --recipe {recipe} --json")).out,
            own.out,
            "{code}"
        );
        assert!(own.out.contains(sentence), "{code}: {}", own.out);
    }
    let megatron = |more: &str| run(&format!("estimate {shape} --implementation megatron {more}")).out;
    assert!(
        megatron("").lines().any(|line| line.starts_with("Gradients") && line.contains("32.1 GB")),
        "{}",
        megatron("")
    );
    let stated = megatron("--recipe mixed");
    assert!(
        stated.lines().any(|line| line.starts_with("Gradients") && line.contains("16.1 GB"))
            && stated.contains("--grad-reduce-in-bf16"),
        "{stated}"
    );
    // Adapters have no recipe, and fp32 weights leave none.
    let adapters = run("estimate --model llama-3.1-8b --mode lora --implementation torchtitan --json").out;
    assert!(adapters.contains("\"recipe\": \"mixed\""), "{adapters}");
    let wide = run("estimate --model llama-3.1-8b --mode training --implementation torchtitan --weights fp32").out;
    assert!(wide.contains("all kept in fp32"), "{wide}");
}

#[test]
fn a_model_is_served_as_it_is_published() {
    let own = run("estimate --model gpt-oss-20b --gpu rtx4090 --engine vllm");
    assert!(own.out.contains("mxfp4 weights"), "{}", own.out);
    assert!(own.err.contains("stored quantised (mxfp4): mxfp4 weights, as --weights is not given"), "{}", own.err);
    let plan = file(
        "published.json",
        "{\"version\": 1, \"model\": \"gpt-oss-20b\", \"gpu\": \"rtx4090\", \"engine\": \"vllm\"}",
    );
    assert_eq!(run(&format!("estimate --plan {}", plan.display())).out, own.out);
    for (options, weights) in [
        ("--model gpt-oss-120b --weights bf16", "bf16"),
        ("--model gpt-oss-120b --mode lora", "bf16"),
        ("--model gpt-oss-120b --mode qlora", "nf4, double quantised"),
        ("--model deepseek-v3", "fp8 (block 128)"),
        ("--model deepseek-v3 --engine llamacpp", "bf16"),
        ("--model llama-3.1-8b", "bf16"),
    ] {
        let said = run(&format!("estimate {options}")).out;
        assert!(said.contains(&format!("{weights} weights")), "{options}: {said}");
    }
}

#[test]
fn a_config_lies_where_its_plan_does() {
    let config = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/configs/gpt2-xl.json")).unwrap();
    scratch("shape.json", &config);
    let path = file("with-config.json", "{\"version\": 1, \"config\": \"shape.json\", \"seq\": 512}");
    let planned = run(&format!("estimate --plan {}", path.display()));
    assert_eq!(planned.code, 0, "{}", planned.err);
    assert!(planned.out.starts_with("shape.json: 1,557,611,200 parameters"), "{}", planned.out);
}

#[test]
fn one_of_several_plans_is_named() {
    let other = SERVED.replace("chat", "batch jobs").replace("\"l4\"", "\"a100-80-sxm\"");
    let path = file("several.json", &format!("[{SERVED}, {other}]"));
    let path = path.display();
    let refused = run(&format!("estimate --plan {path}"));
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.ends_with("has 2 plans, \"chat\", \"batch jobs\": --plan-name says which one\n"),
        "{}",
        refused.err
    );
    let chosen = run(&format!("estimate --plan {path} --plan-name chat"));
    assert!(chosen.out.contains("L4"), "{}{}", chosen.out, chosen.err);
    let unknown = run(&format!("estimate --plan {path} --plan-name x"));
    assert!(
        unknown.err.ends_with("--plan-name \"x\": the file has the plans \"chat\", \"batch jobs\"\n"),
        "{}",
        unknown.err
    );
    assert!(run("estimate --plan-name x").err.contains("--plan-name needs --plan FILE"));
}

#[test]
fn a_file_that_is_no_plan_is_refused_where_it_stands() {
    for (name, text, message) in [
        (
            "unknown.json",
            "{\"version\": 1,\n\n  \"sequences\": 2}",
            "line 3: a plan has no option \"sequences\", did you mean seq?",
        ),
        (
            "slip.json",
            "{\"version\": 1,\n \"weight\": \"fp8\"}",
            "line 2: a plan has no option \"weight\", did you mean weights?",
        ),
        ("range.json", "{\"version\": 1, \"tp\": 5000}", "line 1: tp is 5,000, which is outside 1 to 4,096 ranks"),
        ("deep.json", &"[".repeat(200_000), "line 1: values stand in one another more than 32 deep"),
    ] {
        let path = file(name, text);
        let refused = run(&format!("estimate --plan {}", path.display()));
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{name}");
        assert!(refused.err.trim_end().ends_with(message), "{name}: {}", refused.err);
    }
    let large = file("large.json", &" ".repeat((1 << 20) + 1));
    assert!(
        run(&format!("estimate --plan {}", large.display())).err.contains("is larger than 1 MiB, which no plan is")
    );
    assert!(run("estimate --plan .").err.contains("is a directory, not a plan"));
    assert!(run("estimate --plan nowhere.json").err.contains("--plan \"nowhere.json\" does not exist"));
}

#[test]
fn the_plans_of_the_readme_are_read() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let (_, plans) = readme.split_once("### Plans as files").unwrap();
    let (_, plans) = plans.split_once("```json\n").unwrap();
    let (plans, _) = plans.split_once("```").unwrap();
    let path = file("readme.json", plans);
    for (name, options) in [
        ("two RTX 4090", "--model llama-3.3-70b --weights int4 --kv fp8 --gpu rtx4090 --tp 2 --engine vllm --seq 8192"),
        ("one H100", "--model llama-3.3-70b --weights fp8 --gpu h100-sxm --engine vllm --seq 8192"),
    ] {
        let plan = path.display().to_string();
        let planned = Run::from(program().args(["estimate", "--plan", &plan, "--plan-name", name]).output().unwrap());
        let typed = run(&format!("estimate {options}"));
        assert_eq!((planned.code, planned.out), (typed.code, typed.out), "{}", planned.err);
    }
}

#[test]
fn memory_that_is_there_is_an_option() {
    let line = "estimate --model llama-3.1-70b --weights q4_k --engine llamacpp --gpu strix-halo";
    let [usual, told] = [run(line), run(&format!("{line} --gpu-memory 110"))];
    assert!(
        usual.out.contains("Capacity         67.1 GB") && told.out.contains("Capacity         118 GB"),
        "{}",
        told.out
    );
    assert!(told.out.contains("as stated"), "{}", told.out);
    let plan = file(
        "gtt.json",
        "{\"version\": 1, \"model\": \"llama-3.1-70b\", \"weights\": \"q4_k\", \"engine\": \"llamacpp\", \"gpu\": \"strix-halo\", \"gpu_memory\": 110}",
    );
    assert_eq!(run(&format!("estimate --plan {}", plan.display())).out, told.out);
    let refused = run("estimate --model llama-3.1-8b --gpu rtx4090 --gpu-memory 30");
    assert!(
        refused.err.contains("--gpu-memory 30: GeForce RTX 4090 has 23.7 GiB at most, and not 30.0 GiB"),
        "{}",
        refused.err
    );
    // Decimals and units, to the byte.
    let capacity = |size: &str| run(&format!("{line} --gpu-memory {size}")).out;
    for (size, bytes) in [("22.49GiB", "24,148,453,621"), ("25.4GB", "25,400,000,000"), ("31.35", "33,661,806,182")] {
        assert!(capacity(size).contains(bytes), "{size}: {}", capacity(size));
    }
    for size in ["25.4G", "twenty", "0.5", "4096"] {
        let refused = run(&format!("{line} --gpu-memory {size}"));
        let words = format!("--gpu-memory takes 1 to 2,048 GiB, written as 110, 22.49 or \"25.4 GB\", not \"{size}\"");
        assert!(refused.err.contains(&words) && refused.code == 2, "{}", refused.err);
    }
    assert!(
        run("estimate --model llama-3.1-8b --gpu-memory 30").err.contains("--gpu-memory has no effect without --gpu")
    );
}
