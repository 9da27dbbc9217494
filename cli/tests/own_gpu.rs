//! A GPU of the reader's own, by its numbers.

mod common;

use common::{json, run, run_on};

const MODEL: &str = "--model llama-3.1-8b --seq 8192";
const OWN: &str = "--gpu own --gpu-memory 23.6 --gpu-capability 8.9 --gpu-bandwidth 1008 --gpu-tflops 165 --gpu-tflops-fp8 330 --gpu-link 32 --gpu-host-link 32";

#[test]
fn its_capacity_is_the_number_that_was_given() {
    let run = run(&format!("estimate {MODEL} {OWN} --engine vllm"));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("a GPU of your own (own)"), "{}", run.out);
    assert!(run.out.contains("as stated for a GPU of your own"), "{}", run.out);
    assert!(!run.err.contains("No speed"), "{}", run.err);
    let (_, own) = json(&format!("estimate {MODEL} {OWN} --engine vllm"));
    assert_eq!(own["capacity_bytes"], 25_340_307_046_u64, "{own}");
}

/// With the numbers of a GPU of the table it is that GPU.
#[test]
fn with_the_same_numbers_it_takes_the_same_memory() {
    for (engine, more) in
        [("exact", ""), ("vllm", ""), ("hf", ""), ("llamacpp", " --weights q4_k"), ("vllm", " --tp 2")]
    {
        let line = |gpu: &str| format!("estimate {MODEL} --engine {engine}{more} {gpu}");
        let (_, table) = json(&line("--gpu rtx4090"));
        let (_, own) = json(&line(&format!("{} --gpu-memory 23.49", OWN.replace(" --gpu-memory 23.6", ""))));
        for bucket in ["weights", "kv_cache"] {
            assert_eq!(own["buckets"][bucket], table["buckets"][bucket], "{engine}{more} {bucket}");
        }
        // The number of its multiprocessors is not asked for: the largest stands in.
        let total = |it: &serde_json::Value| it["total_bytes"].as_f64().unwrap_or_else(|| panic!("{it}"));
        assert!(total(&own) >= total(&table), "{engine}{more}");
    }
}

#[test]
fn what_is_not_stated_is_asked_for_or_left_out() {
    for (options, wanted) in [
        ("--gpu own", "--gpu-memory is missing"),
        ("--gpu own --gpu-memory 24 --engine vllm", "--gpu-capability is missing: vLLM"),
        ("--gpu own --gpu-memory 24 --engine llamacpp --weights q4_k", "--gpu-capability is missing: llama.cpp"),
        ("--gpu own --gpu-memory 24 --engine sglang", "its compute capability"),
        ("--gpu own --gpu-memory 24 --mode qlora", "--gpu-capability is missing: bitsandbytes"),
        ("--gpu own --gpu-memory 24 --gpu-capability 8.9 --engine vllm --tp 2", "--gpu-link is missing"),
        ("--gpu own --gpu-memory 24 --gpu-capability 5.2", "--gpu-capability"),
        ("--gpu own --gpu-memory 24 --gpu-bandwidth 0", "outside 1 to 1,000,000 GB/s"),
        (
            "--gpu own --gpu-memory 24 --gpu-capability 7.5 --engine vllm --engine-version 0.12 --weights fp8",
            "a GPU of your own has 7.5",
        ),
    ] {
        let run = run(&format!("estimate {MODEL} {options}"));
        assert_eq!(run.code, 2, "{options}: {}", run.out);
        assert!(run.err.contains(wanted), "{options}: {}", run.err);
    }
    let bare = run(&format!("estimate {MODEL} --gpu own --gpu-memory 24"));
    assert!(bare.err.contains("No speed is said of a GPU of your own without --gpu-bandwidth"), "{}", bare.err);
    let idle = run(&format!("estimate {MODEL} --gpu l4 --gpu-bandwidth 900"));
    assert!(idle.err.contains("--gpu-bandwidth has no effect without --gpu own"), "{}", idle.err);
    for command in ["explain -", "roofline"] {
        let run = run_on(&format!("{command} --gpu own"), b"");
        assert_eq!(run.code, 2, "{command}: {}", run.out);
    }
}

/// The numbers of a GPU of the table bound a run as that GPU does, in options and in a plan.
#[test]
fn roofline_takes_its_numbers() {
    let text = |options: &str| {
        let run = run(&format!("roofline {MODEL} {options}"));
        assert_eq!(run.code, 0, "{options}: {}", run.err);
        run.out
    };
    let (own, table) = (text(OWN), text("--gpu rtx4090"));
    let speeds = |out: &str| {
        let line = out.lines().find(|line| line.contains("tokens/s")).unwrap_or_else(|| panic!("{out}"));
        line.split_whitespace().filter_map(|word| word.replace(',', "").parse::<f64>().ok()).collect::<Vec<_>>()
    };
    let ([mine, its], true) = ([speeds(&own), speeds(&table)], own.contains("a GPU of your own")) else {
        panic!("{own}")
    };
    assert!(!mine.is_empty() && mine.len() == its.len(), "{own}{table}");
    assert!(mine.iter().zip(&its).all(|(one, other)| (one / other - 1.0).abs() < 0.01), "{mine:?} {its:?}");
    let plan = br#"{ "version": 1, "model": "llama-3.1-8b", "gpu": "own", "gpu_memory": "24 GiB", "gpu_tflops": 165, "gpu_bandwidth": 1008 }"#;
    let planned = run_on("roofline --plan -", plan);
    assert_eq!(planned.code, 0, "{}", planned.err);
    for (options, wanted) in [
        (format!("{MODEL} --gpu own --gpu-memory 24"), "--gpu-bandwidth is missing: without it no speed is said"),
        (format!("{MODEL} --gpu own --gpu-memory 24 --gpu-bandwidth 900"), "--gpu-tflops is missing"),
        (OWN.to_owned(), "--gpu own is looked at with a model"),
    ] {
        let run = run(&format!("roofline {options}"));
        assert!(run.code == 2 && run.err.contains(wanted), "{options}: {}", run.err);
    }
    let help = run("help explain");
    assert!(!help.out.contains("own for a"), "{}", help.out);
}

#[test]
fn a_plan_says_it_and_its_speed_follows_its_numbers() {
    let plan = |bandwidth: &str| {
        format!(
            r#"{{ "version": 1, "model": "llama-3.1-8b", "weights": "q4_k", "engine": "llamacpp", "gpu": "own",
                "gpu_memory": "24 GiB", "gpu_capability": 8.9, "gpu_tflops": 165{bandwidth} }}"#
        )
    };
    let column = |text: &str| {
        let run = run_on("compare --plan - --json", text.as_bytes());
        let value: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
        value["plans"][0].clone()
    };
    let [slow, fast] = ["500", "1000"].map(|rate| {
        let it = column(&plan(&format!(r#", "gpu_bandwidth": {rate}"#)));
        it["serving"]["tpot_seconds"][0].as_f64().unwrap_or_else(|| panic!("{it}"))
    });
    assert!((slow / fast - 2.0).abs() < 0.02, "{slow} {fast}");
    let without = column(&plan(""));
    assert!(without["serving"].is_null() && without["verdict"] == "fits", "{without}");
}
