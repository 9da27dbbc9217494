//! `memory-wall advise`: the ladder, and the gentlest combination that fits with room to spare.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run};
use memory_wall_core::advise::Mitigation;
use serde_json::Value;

const SCENARIOS: [&str; 7] = [
    "--model llama-3.1-8b --mode training --batch 8 --gpu h100-sxm",
    "--model llama-3.1-8b --mode training --attention eager --weights fp32 --gpu rtx4090",
    "--model llama-3.1-70b --mode training --dp 8 --zero 1 --gpu h100-sxm",
    "--model llama-2-7b --mode lora --seq 8k --gpu l4",
    "--model llama-2-7b --seq 128k --gpu rtx4090",
    "--model gpt2-small --gpu t4",
    "--model llama-3.1-70b --kv fp32",
];

/// The command line with other values for some of its options.
fn with(line: &str, options: &Value) -> String {
    let options: Vec<&str> = options.as_array().unwrap().iter().map(|option| option.as_str().unwrap()).collect();
    let mut words: Vec<&str> = line.split(' ').collect();
    for option in &options {
        let name = option.split(' ').next().unwrap();
        if let Some(place) = words.iter().position(|word| *word == name) {
            words.drain(place..place + 2);
        }
    }
    format!("{} {}", words.join(" "), options.join(" "))
}

#[test]
fn every_rung_is_there_with_figures_or_a_reason() {
    for scenario in SCENARIOS {
        let (_, it) = json(&format!("advise {scenario}"));
        let rungs = it["ladder"].as_array().unwrap();
        assert_eq!(
            rungs.iter().map(|rung| rung["rung"].as_str().unwrap()).collect::<Vec<_>>(),
            Mitigation::ALL.iter().map(|it| it.id()).collect::<Vec<_>>()
        );
        for rung in rungs {
            assert!(rung["risk"].is_string() && rung["effort"].is_string(), "{rung}");
            if rung["applies"] == true {
                assert!(rung["time_ratio"].as_f64().unwrap() > 0.0 && rung.get("because").is_none(), "{rung}");
                let saved = it["total_bytes"].as_i64().unwrap() - rung["total_bytes"].as_i64().unwrap();
                assert_eq!(rung["saved_bytes"].as_i64(), Some(saved), "{scenario}: {rung}");
            } else {
                assert!(rung["because"].is_string() && rung.get("total_bytes").is_none(), "{rung}");
            }
        }
    }
}

#[test]
fn options_of_each_fix_lead_to_its_figures() {
    for scenario in SCENARIOS {
        let (_, it) = json(&format!("advise {scenario}"));
        let plan = Some(&it["plan"]).filter(|plan| !plan.is_null());
        for change in it["ladder"].as_array().unwrap().iter().filter(|rung| rung["applies"] == true).chain(plan) {
            let line = with(&format!("estimate {scenario}"), &change["options"]);
            let (code, estimate) = json(&line);
            assert_eq!(estimate["total_bytes"], change["total_bytes"], "{scenario}: {line}");
            assert_eq!(estimate["gpus"], change["gpus"], "{scenario}: {line}");
            if let Some(fits) = change["fits"].as_bool() {
                assert_eq!(code, i32::from(!fits), "{line}");
            }
        }
    }
}

#[test]
fn the_exit_code_says_whether_there_is_a_way() {
    for (scenario, fits, plan) in [
        ("--model gpt2-small --gpu t4", Some(true), true),
        ("--model llama-3.1-8b --mode training --batch 8 --gpu h100-sxm", Some(false), true),
        ("--model llama-3.1-405b --mode training --gpu t4", Some(false), false),
        ("--model llama-3.1-405b", None, false),
    ] {
        let (code, it) = json(&format!("advise {scenario}"));
        assert_eq!(it["fits"].as_bool(), fits, "{scenario}");
        assert_eq!(!it["plan"].is_null(), plan, "{scenario}");
        assert_eq!(code, i32::from(fits == Some(false) && !plan), "{scenario}");
        if plan {
            assert_eq!(it["plan"]["verdict"], "fits", "{scenario}");
            assert!(it["plan"]["lossy"].is_boolean() && it["plan"]["time_ratio"].is_number());
        }
        assert_eq!(it["capacity_bytes"].is_null(), fits.is_none());
    }
}

#[test]
fn the_text_says_what_the_json_says() {
    let line = "advise --model llama-3.1-8b --mode training --batch 8 --gpu h100-sxm";
    let run_it = run(line);
    let (_, it) = json(line);
    assert_eq!((run_it.code, run_it.err.as_str()), (0, ""));
    for rung in it["ladder"].as_array().unwrap() {
        let name = rung["rung"].as_str().unwrap();
        let row = run_it.out.lines().find(|row| row.split(' ').next() == Some(name));
        assert_eq!(row.is_some(), rung["applies"] == true, "{name}");
        if let Some(row) = row {
            let words: Vec<&str> = row.split_whitespace().collect();
            assert!(words.contains(&format!("x{:.2}", rung["time_ratio"].as_f64().unwrap()).as_str()), "{row}");
            let fits = match rung["verdict"].as_str().unwrap() {
                "fits" => "yes",
                "tight" => "tight",
                _ => "no",
            };
            assert_eq!(words.last(), Some(&fits), "{row}");
        }
    }
    // What does nothing is one line, which may be long.
    let idle: Vec<&str> = it["ladder"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|rung| rung["applies"] == false)
        .map(|rung| rung["rung"].as_str().unwrap())
        .collect();
    let folded = format!("No effect here (--json says why): {}", idle.join(", "));
    let plan: Vec<&str> = it["plan"]["options"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    // A long line goes on behind two spaces.
    let squeezed = run_it.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = format!("Gentlest combination that fits and leaves results as they are: {}", plan.join(" "));
    assert!(squeezed.contains(&said) && squeezed.contains(&folded), "{}", run_it.out);
    for line in run_it.out.lines() {
        assert!(line.chars().count() <= 100 && line.trim_end() == line, "{line}");
    }
}

#[test]
fn what_fits_and_what_never_does_is_said() {
    let fits = run("advise --model gpt2-small --gpu t4");
    assert!(fits.out.contains("It fits as it is"), "{}", fits.out);
    let never = run("advise --model llama-3.1-405b --mode training --gpu t4");
    assert!(never.out.contains("\nNo combination of these fixes fits on the same GPUs with room"), "{}", never.out);
    let nowhere = run("advise --model llama-3.1-405b");
    assert!(nowhere.out.contains("; with --gpu it is said what fits.\n"), "{}", nowhere.out);
    assert!(!nowhere.out.contains("combination"));
    let noted = run("advise --model llama-2-7b --optimizer sgd --gpu l4");
    assert_eq!(noted.err, "memory-wall: note: --optimizer has no effect in inference\n");
}

/// What the recommendation comes to, in one line.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_only_tight_is_not_recommended() {
    // 127,000 tokens leave 4% of the GPU: it starts, and may fail later.
    let line = "advise --model llama-2-7b --seq 127k --gpu a100-80-sxm";
    let (code, it) = json(line);
    assert_eq!((code, &it["verdict"]), (0, &"tight".into()));
    assert!(it["plan"].is_null() || it["plan"]["verdict"] == "fits");
    let text = squeezed(&run(line).out);
    assert!(text.contains("It is tight as it is: fragmentation may still make it fail."), "{text}");
}

#[test]
fn a_way_that_is_only_tight_is_listed_apart() {
    let line = "advise --model llama-3.1-70b --weights q4_k --engine llamacpp --seq 8k --batch 9 --gpu rtxa6000";
    let (code, it) = json(line);
    assert_eq!((&it["verdict"], &it["plan"]), (&"does_not_fit".into(), &Value::Null), "{it}");
    assert_eq!((code, &it["tight_plan"]["verdict"]), (1, &"tight".into()), "{it}");
    let text = squeezed(&run(line).out);
    assert!(text.contains("fits on the same GPUs with room to spare: what is left are"), "{text}");
    assert!(text.contains("Tight, may fail by fragmentation: --"), "{text}");
}

#[test]
fn llama_cpp_gets_no_time_for_what_it_computes_on_the_cpu() {
    let line = "--model llama-3.1-70b --engine llamacpp --weights q8_0 --gpu rtx4090";
    let (_, it) = json(&format!("advise {line}"));
    let rung = it["ladder"].as_array().unwrap().iter().find(|rung| rung["rung"] == "offload-parameters").unwrap();
    assert_eq!(rung["applies"], false);
    assert!(rung["because"].as_str().unwrap().contains("computes on the CPU"), "{rung}");
    assert!(!run(&format!("advise {line}")).out.contains("--offload"));
    for command in ["estimate", "roofline"] {
        let refused = run(&format!("{command} {line} --offload parameters"));
        assert_eq!(refused.code, 2);
        assert!(
            refused.err.contains("--offload: llama.cpp computes layers that are left in host memory"),
            "{}",
            refused.err
        );
    }
    let refused = run("estimate --model llama-3.1-70b --offload parameters --gpu m3max");
    assert!(refused.code == 2 && refused.err.contains("shares its memory with the CPU"), "{}", refused.err);
}

#[test]
fn less_time_is_called_time() {
    let line = "advise --model llama-3.1-8b --mode training --dp 8 --zero 3 --attention eager --seq 16k --gpu h100-sxm";
    let (_, it) = json(line);
    assert!(it["plan"]["time_ratio"].as_f64().unwrap() < 0.99, "{it}");
    let text = squeezed(&run(line).out);
    assert!(text.contains("With an offloaded optimizer the CPU takes the step, as in ZeRO-Offload"), "{text}");
    assert!(text.contains(" of the time on 8 GPUs") && !text.to_lowercase().contains("slow"), "{text}");
}

#[test]
fn what_takes_far_too_long_is_listed_apart() {
    let line = "advise --model llama-3.1-70b --engine hf --gpu rtx4090";
    let (code, it) = json(line);
    assert_eq!((&it["plan"], &it["slow_plan"]["verdict"]), (&Value::Null, &"fits".into()), "{it}");
    assert!(it["slow_plan"]["time_ratio"].as_f64().unwrap() > 4.0);
    assert_eq!(code, 1, "nothing is recommended");
    let text = squeezed(&run(line).out);
    assert!(
        text.contains("with room to spare, in less than four times the time: what is left are more GPUs"),
        "{text}"
    );
    assert!(text.contains("Fits, too slow for most uses: --"), "{text}");
}

/// Issue 18: plans that nobody would run, and those that everybody runs.
#[test]
fn the_usual_plan_is_named() {
    // Adapters of 70 billion parameters on one GPU: frozen in 4 bits, not fetched from host memory layer by layer.
    let lora = run("advise --model llama-3.3-70b --mode lora --gpu h100-sxm");
    let quicker = lora.out.split("Quicker, with results that may change a little: ").nth(1).unwrap();
    assert!(quicker.starts_with("--mode qlora --weights nf4-dq --checkpointing"), "{}", lora.out);
    // llama.cpp leaves layers to the CPU.
    let partial = run("advise --model llama-3.3-70b --weights q4_k_m --engine llamacpp --gpu rtx4090");
    assert!(
        squeezed(&partial.out).contains("memory-wall solve --for ngl and --for n-cpu-moe say how many"),
        "{}",
        partial.out
    );
    // vLLM's sampler is prepared for 256 sequences where one is asked for: told of fewer, with a larger share, it starts, and by the largest figures of the logs barely.
    let long = "advise --model llama-3.3-70b --weights int4 --kv fp8 --gpu rtx4090 --tp 2 --engine vllm --seq";
    let told = squeezed(&run(&format!("{long} 32768")).out);
    let fewer = "Tight, may fail by fragmentation: --gpu-memory-utilization 0.95 --max-num-seqs 64";
    assert!(told.contains(fewer) && told.contains("it takes as long on 2 GPUs"), "{told}");
    // What is tight and as slow as what fits is no help.
    let slow = run(&format!("{long} 65536"));
    assert!(slow.out.contains("Fits, too slow") && !slow.out.contains("Tight, may fail"), "{}", slow.out);
}

/// llama.cpp splits by layers unless it is told otherwise, and two GPUs that cut matrices took 0.70 to 0.76 of the time of one.
#[test]
fn the_split_of_llama_cpp_is_named_and_timed() {
    let line = "--model llama-3.1-70b --weights q4_k --gpu rtx4090 --engine llamacpp --seq 8192";
    let text = run(&format!("advise {line}")).out;
    assert!(text.contains("By itself llama.cpp splits a model over GPUs by layers"), "{text}");
    let (_, it) = json(&format!("advise {line}"));
    let time = |rung: &str| {
        let rungs = it["ladder"].as_array().unwrap();
        rungs.iter().find(|it| it["rung"] == rung).unwrap()["time_ratio"].as_f64().unwrap()
    };
    assert!((0.70..0.76).contains(&time("tensor-parallel")), "{}", time("tensor-parallel"));
    assert!((0.95..1.05).contains(&time("pipeline-parallel")));
    let said = |line: &str| run(&format!("estimate {line}")).out.contains("is --split-mode tensor, an experiment");
    assert!(said(&format!("{line} --tp 2")) && !said(&format!("{line} --pp 2")));
}

#[test]
fn what_waits_in_host_memory_is_counted() {
    let plan = "--model llama-3.1-70b --mode training --gpu h100-sxm --seq 8192";
    let text = squeezed(&run(&format!("advise {plan}")).out);
    let there =
        run(&format!("estimate {plan} --checkpointing full --offload optimizer,parameters --host-memory 1000")).out;
    assert!(squeezed(&there).contains("the processes of 1 GPU keep 1.41 TB there"), "{there}");
    assert!(text.contains("the processes of 1 GPU keep 1.41 TB in host memory"), "{text}");
}

#[test]
fn what_goes_together_alone_is_not_called_idle() {
    let line = "advise --model llama-3.1-8b --mode training --zero 3 --sharding fsdp --dp 4 --gpu a100-40-sxm --seq 8k --checkpointing full";
    let text = squeezed(&run(line).out);
    assert!(text.contains("--offload optimizer,parameters"), "{text}");
    assert!(text.contains("Only together here (--json says why): offload-optimizer, offload-parameters"), "{text}");
    let idle = text.split("No effect here").nth(1).unwrap();
    assert!(!idle.split("Only together").next().unwrap().contains("offload-optimizer"), "{text}");
}

#[test]
fn no_optimizer_of_bitsandbytes_is_stepped_on_the_cpu() {
    let plan = "--model qwen2.5-7b --mode training --zero 2 --offload optimizer --host-memory 128 --checkpointing full --gpu rtx4090";
    let text = run(&format!("advise {plan}")).out;
    assert!(text.contains("offload-parameters") && !text.contains("adamw8bit"), "{text}");
    for optimizer in ["adamw8bit", "paged-adamw8bit", "paged-adamw"] {
        let refused = run(&format!("estimate {plan} --optimizer {optimizer}"));
        let why = format!("--offload: bitsandbytes takes the step of {optimizer} on the GPU");
        assert!(refused.code == 2 && refused.err.contains(&why), "{}", refused.err);
        let idle = json(&format!("advise --model qwen2.5-7b --mode training --gpu rtx4090 --optimizer {optimizer}")).1;
        let rung = idle["ladder"].as_array().unwrap().iter().find(|rung| rung["rung"] == "offload-optimizer").unwrap();
        assert_eq!(rung["because"], "bitsandbytes takes the step of such an optimizer on the GPU", "{rung}");
    }
}
