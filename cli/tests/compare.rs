//! Plans side by side: the same figures as `estimate` gives for each plan alone, and what is different.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run, run_on, scratch};
use serde_json::Value;

const PLANS: [&str; 9] = [
    r#"{ "version": 1, "name": "fits", "model": "llama-3.1-8b", "gpu": "h100-sxm", "engine": "vllm", "seq": 8192, "batch": 16 }"#,
    r#"{ "version": 1, "name": "tight", "model": "llama-3.3-70b", "weights": "int4", "kv": "fp8", "gpu": "rtx4090", "tp": 2, "engine": "vllm", "seq": 8192 }"#,
    r#"{ "version": 1, "name": "queues", "model": "llama-3.1-8b", "gpu": "l4", "engine": "vllm", "weights": "fp8", "seq": 8192, "batch": 64, "dp": 2 }"#,
    r#"{ "version": 1, "name": "too large", "model": "llama-3.3-70b", "gpu": "h100-sxm", "seq": 8192 }"#,
    r#"{ "version": 1, "name": "trains", "model": "llama-3.1-8b", "gpu": "h100-sxm", "mode": "training", "dp": 8, "zero": 3, "seq": 4096 }"#,
    r#"{ "version": 1, "name": "no GPU", "model": "gpt2-xl" }"#,
    r#"{ "version": 1, "name": "config", "config": "llama-3.1-8b.json", "gpu": "rtx4090", "kv": "fp8" }"#,
    r#"{ "version": 1, "name": "stated memory", "model": "llama-3.1-8b", "gpu": "strix-halo", "gpu_memory": 60, "engine": "vllm", "seq": 8192, "batch": 2 }"#,
    r#"{ "version": 1, "name": "refused", "model": "llama-3.1-8b", "gpu": "h100-sxm", "tp": 7 }"#,
];

/// A file with these plans, beside the published configs.
fn file(name: &str, plans: &[&str]) -> String {
    scratch(name, format!("[{}]", plans.join(",\n")).as_bytes()).display().to_string()
}

#[test]
fn every_plan_has_the_figures_of_its_estimate() {
    let config = include_bytes!("configs/llama-3.1-8b.json");
    scratch("llama-3.1-8b.json", config);
    for (number, plans) in PLANS.chunks(4).enumerate() {
        let path = file(&format!("estimated{number}.json"), plans);
        let (code, compared) = json(&format!("compare --plan {path}"));
        let mut codes = Vec::new();
        for (plan, text) in compared["plans"].as_array().unwrap().iter().zip(plans) {
            let alone = run_on("estimate --plan - --json", text.as_bytes());
            codes.push(alone.code);
            if alone.code == 2 {
                assert!(alone.err.contains(plan["refusal"].as_str().unwrap()), "{plan}: {}", alone.err);
                assert_eq!([&plan["verdict"], &plan["buckets"], &plan["change"]], [&Value::Null; 3]);
                continue;
            }
            let alone: Value = serde_json::from_str(&alone.out).unwrap();
            assert!(plan["refusal"].is_null(), "{plan}");
            for figure in [
                "verdict",
                "gpus",
                "capacity_bytes",
                "margin_bytes",
                "max_seq",
                "max_batch_in_all",
                "buckets",
                "total_bytes",
            ] {
                assert_eq!(plan[figure], alone[figure], "{text}: {figure}");
            }
            let pool = &alone["serving"]["pool"];
            if pool.is_object() {
                let tokens = pool["tokens"].as_u64().unwrap() * pool["data_parallel_ranks"].as_u64().unwrap();
                assert_eq!(plan["pool_tokens"], serde_json::json!([tokens, tokens]), "{text}");
                let running = &pool["running_requests"];
                assert_eq!(plan["serving"]["running_requests"], *running, "{text}");
            } else {
                assert!(plan["pool_tokens"].is_null(), "{text}");
            }
        }
        // The worst plan decides.
        let worst = [2, 1, 3, 0].into_iter().find(|code| codes.contains(code)).unwrap();
        assert_eq!(code, worst, "{codes:?}");
    }
}

/// What the README shows is what the command says to the plans above it.
#[test]
fn the_readme_shows_what_is_said() {
    let readme = include_str!("../../README.md");
    let (before, after) = readme.split_once("compare --plan plans.json --price 2.5\n").unwrap();
    let plans = before.rsplit("```json\n").next().unwrap().split("```").next().unwrap();
    let shown = after.split_once("```text\n").unwrap().1.split("```").next().unwrap();
    let said = run_on("compare --plan - --price 2.5", plans.as_bytes());
    assert!(said.out.starts_with(shown), "{}{}", said.out, said.err);
}

#[test]
fn times_are_those_of_the_roofline() {
    let path = file("fast.json", &PLANS[..1]);
    let (_, compared) = json(&format!("compare --plan {path} --price 2"));
    let serving = &compared["plans"][0]["serving"];
    let (_, roofline) = json(&format!("roofline --plan {path}"));
    let passes = roofline.to_string();
    // The time of a decoding step, by its digits.
    for end in [0, 1] {
        assert!(passes.contains(&serving["tpot_seconds"][end].to_string()), "{serving}: {passes}");
    }
    let rate = compared["plans"][0]["tokens_per_second"][1].as_f64().unwrap();
    let price = serving["dollars_per_million_tokens"][0].as_f64().unwrap();
    assert!((price - 2.0 / 3_600.0 * 1e6 / rate).abs() < 1e-9, "{price} at {rate}");
}

#[test]
fn typical_times_stand_where_runs_back_them() {
    let plans = [
        r#"{ "version": 1, "name": "measured", "model": "llama-3.1-8b", "gpu": "rtx4090", "batch": 4 }"#,
        r#"{ "version": 1, "name": "not", "model": "llama-3.1-8b", "weights": "q6_k", "gpu": "rtx4090", "engine": "llamacpp", "batch": 1 }"#,
    ];
    let path = file("typical.json", &plans);
    let (_, compared) = json(&format!("compare --plan {path}"));
    let [measured, not] = [0, 1].map(|place| &compared["plans"][place]["serving"]);
    assert!(not["ttft_typical"].is_null() && not["tpot_typical"].is_null(), "{not}");
    let (_, roofline) = json(&format!("roofline --plan {path} --plan-name measured"));
    let passes = roofline.to_string();
    for figure in ["ttft", "tpot"] {
        let typical = &measured[format!("{figure}_typical")];
        let seconds = typical["seconds"].as_f64().unwrap();
        let [low, high] = [0, 1].map(|end| measured[format!("{figure}_seconds")][end].as_f64().unwrap());
        assert!((low..=high).contains(&seconds), "{measured}");
        assert_eq!(typical["runtime"], "tensorrt-llm");
        assert!(typical["runs"].as_u64().unwrap() > 1);
    }
    assert!(passes.contains(&measured["tpot_typical"]["seconds"].to_string()), "{measured}: {passes}");
    // Each of the four requests gets a token in that time.
    let rate = 4.0 / measured["tpot_typical"]["seconds"].as_f64().unwrap();
    let text = run(&format!("compare --plan {path}")).out;
    let row = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).map(str::to_owned);
    for name in ["TTFT, typically", "TPOT, typically"] {
        let row = row(name).unwrap();
        assert!(row.contains("s (tensorrt-llm)") && row.trim_end().ends_with('-'), "{row}");
    }
    let row = row("Tokens/s, typically").unwrap();
    let digits: String = row.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let shown: f64 = digits.trim_end_matches('.').parse().unwrap();
    assert!((shown / rate - 1.0).abs() < 0.05, "{row}: {rate}");
}

#[test]
fn what_is_different_stands_against_the_first_plan() {
    let path = file("different.json", &[PLANS[0], PLANS[1], PLANS[3], PLANS[8]]);
    let (code, compared) = json(&format!("compare --plan {path}"));
    assert_eq!(code, 2);
    let plans = compared["plans"].as_array().unwrap();
    assert!(plans[0]["change"].is_null() && plans[3]["change"].is_null());
    for plan in &plans[1..3] {
        for part in ["weights", "kv_cache"] {
            let [own, first] = [plan, &plans[0]].map(|it| it["buckets"][part].as_i64().unwrap());
            let change = &plan["change"]["buckets"][part];
            assert_eq!(change["bytes"], own - first, "{part}");
            let share = change["share"].as_f64().unwrap();
            assert!((share - (own - first) as f64 / first as f64).abs() < 1e-12, "{part}: {share}");
        }
    }
    let inputs = compared["differing_inputs"].as_array().unwrap();
    let of = |name: &str| inputs.iter().find(|input| input["option"] == name).map(|input| &input["values"]);
    assert_eq!(of("tp").unwrap(), &serde_json::json!(["1", "2", "1", "7"]));
    assert_eq!(of("mode"), None, "all serve");
    let text = run(&format!("compare --plan {path} --unit gib"));
    for part in
        ["Inputs that differ", "--tp ", "On the fullest GPU", "GiB (+", "refused: --tp 7 does not divide heads 32"]
    {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    assert!(!text.out.contains("--mode "), "{}", text.out);
}

#[test]
fn training_is_told_with_days_and_money() {
    let path = file("trained.json", &[PLANS[4]]);
    let (code, compared) = json(&format!("compare --plan {path} --price 2.5 --tokens 1T"));
    let run_of = &compared["plans"][0]["training"]["run"];
    let [hours, dollars] = ["gpu_hours", "dollars"].map(|figure| run_of[figure][1].as_f64().unwrap());
    assert_eq!((code, run_of["tokens"].as_u64()), (0, Some(1_000_000_000_000)));
    assert!((dollars - 2.5 * hours).abs() < 1e-6 * dollars, "{dollars} for {hours}");
    let text = run(&format!("compare --plan {path} --price $2.50 --tokens 1T"));
    for part in ["Tokens/s in training", "Days ", "Price of the run ", " to $"] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    // One plan differs from nothing.
    assert!(!text.out.contains("Inputs that differ"), "{}", text.out);
}

/// Plans of `SGLang`, TensorRT-LLM, Ollama and placed layers are answered by their own rules, never as another runtime.
#[test]
fn runtimes_of_the_command_answer_for_themselves() {
    let plans = [
        r#"{ "version": 1, "name": "sglang", "model": "mixtral-8x7b", "gpu": "h100-sxm", "engine": "sglang", "tp": 2, "ep": 2, "seq": 8192, "batch": 16 }"#,
        r#"{ "version": 1, "name": "trtllm", "model": "llama-3.1-8b", "gpu": "l4", "engine": "trtllm", "seq": 8192, "batch": 64 }"#,
        r#"{ "version": 1, "name": "ollama", "model": "llama-3.1-8b", "gpu": "strix-halo", "engine": "ollama", "weights": "q4_k" }"#,
        r#"{ "version": 1, "name": "layers", "model": "llama-3.3-70b", "gpu": "rtx4090", "engine": "llamacpp", "weights": "q4_k", "ngl": 30, "seq": 8192, "host_memory": 64, "host_bandwidth": 80 }"#,
    ];
    let path = file("runtimes.json", &plans);
    let (code, compared) = json(&format!("compare --plan {path}"));
    let mut codes = Vec::new();
    for (plan, text) in compared["plans"].as_array().unwrap().iter().zip(plans) {
        let alone = run_on("estimate --plan - --json", text.as_bytes());
        codes.push(alone.code);
        let alone: Value = serde_json::from_str(&alone.out).unwrap_or_else(|_| panic!("{text}: {}", alone.err));
        assert_eq!(plan["verdict"], alone["verdict"], "{text}");
        assert_eq!(plan["pool_tokens"], alone["tokens"], "{text}");
        assert!(plan["buckets"].is_null() && plan["serving"].is_null(), "{text}");
        if let Some(devices) = alone["devices"].as_array() {
            assert_eq!(plan["needed_bytes"], devices[0]["total_bytes"], "{text}");
            assert_eq!(plan["capacity_bytes"], devices[0]["capacity_bytes"], "{text}");
            let [room, needed] =
                [&devices[0]["room_bytes"], &devices[0]["total_bytes"][1]].map(|it| it.as_i64().unwrap());
            assert_eq!(plan["margin_bytes"], room - needed, "{text}");
            assert_eq!(plan["tokens_per_second"], alone["decode_tokens_per_second"], "{text}");
        }
    }
    assert_eq!(code, [2, 1, 3, 0].into_iter().find(|code| codes.contains(code)).unwrap(), "{codes:?}");
    let values = |option: &str| {
        let inputs = compared["differing_inputs"].as_array().unwrap();
        inputs.iter().find(|input| input["option"] == option).unwrap()["values"].clone()
    };
    assert_eq!(values("engine"), serde_json::json!(["sglang", "trtllm", "ollama", "llamacpp"]));
    assert_eq!(values("ep"), serde_json::json!(["2", "1", "1", "1"]));
}

/// What a server of the command refuses, it refuses here in the same words.
#[test]
fn a_server_refuses_as_in_its_estimate() {
    let plan =
        r#"{ "version": 1, "name": "none", "model": "gpt2-xl", "gpu": "h100-sxm", "engine": "sglang", "dp": 2 }"#;
    let path = file("refuses.json", &[plan, PLANS[0]]);
    let (code, compared) = json(&format!("compare --plan {path}"));
    let alone = run_on("estimate --plan - --json", plan.as_bytes());
    assert_eq!((code, alone.code), (2, 2));
    let refusal = compared["plans"][0]["refusal"].as_str().unwrap();
    assert_eq!(alone.err, format!("memory-wall: {refusal}\n"));
    assert_eq!(compared["plans"][1]["verdict"], "fits");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let path = file("said.json", &[PLANS[0]]);
    for (line, part) in [
        ("compare".to_owned(), "--plan FILE"),
        ("compare --plan no-such-file.json".to_owned(), "no-such-file.json"),
        (format!("compare --plan {path} --price cheap"), "--price takes a price"),
        (format!("compare --plan {path} --price 0"), "--price takes a price"),
        (format!("compare --plan {path} --price 1.2345"), "--price takes a price"),
        (format!("compare --plan {path} --tokens 0"), "--tokens"),
        (format!("compare --plan {path} --tokens many"), "--tokens"),
        (format!("compare --plan {path} --seq 4096"), "compare has no option"),
        (format!("compare --plan {path} --plan-name fits"), "compare has no option"),
    ] {
        let refused = run(&line);
        assert_eq!(refused.code, 2, "{line}");
        assert!(refused.err.contains(part) && refused.out.is_empty(), "{line}: {}{}", refused.err, refused.out);
    }
    let idle = run(&format!("compare --plan {path} --tokens 1T"));
    assert!(idle.err.contains("--tokens has no effect here"), "{}", idle.err);
    let noted =
        run_on("compare --plan -", br#"{ "version": 1, "name": "idle", "model": "gpt2-xl", "ngl": 3, "zero": 3 }"#);
    assert!(noted.err.contains("idle: --ngl has no effect without --engine llamacpp"), "{}", noted.err);
}
