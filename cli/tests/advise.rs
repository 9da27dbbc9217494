//! `memory-wall advise`: the ladder, and the least slow combination that fits.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run};
use memory_wall_core::advise::Rung;
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
            Rung::ALL.iter().map(|it| it.id()).collect::<Vec<_>>()
        );
        for rung in rungs {
            assert!(rung["risk"].is_string() && rung["effort"].is_string(), "{rung}");
            if rung["applies"] == true {
                assert!(rung["slowdown"].as_f64().unwrap() > 0.0 && rung.get("because").is_none(), "{rung}");
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
            assert_eq!(it["plan"]["fits"], true, "{scenario}");
            assert!(it["plan"]["lossy"].is_boolean() && it["plan"]["slowdown"].is_number());
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
        let row = run_it.out.lines().find(|row| row.split(' ').next() == Some(name)).unwrap();
        assert_eq!(row.contains("does nothing here: "), rung["applies"] == false, "{row}");
        if rung["applies"] == true {
            let words: Vec<&str> = row.split_whitespace().collect();
            assert!(words.contains(&format!("x{:.2}", rung["slowdown"].as_f64().unwrap()).as_str()), "{row}");
            assert_eq!(words.last(), Some(&if rung["fits"] == true { "yes" } else { "no" }), "{row}");
        }
    }
    let plan: Vec<&str> = it["plan"]["options"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    // A long line goes on behind two spaces.
    let squeezed = run_it.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = format!("Least slow combination that fits and leaves results as they are: {}", plan.join(" "));
    assert!(squeezed.contains(&said), "{}", run_it.out);
    for line in run_it.out.lines() {
        assert!(line.chars().count() <= 100 && line.trim_end() == line, "{line}");
    }
}

#[test]
fn what_fits_and_what_never_does_is_said() {
    let fits = run("advise --model gpt2-small --gpu t4");
    assert!(fits.out.contains("It fits as it is"), "{}", fits.out);
    let never = run("advise --model llama-3.1-405b --mode training --gpu t4");
    assert!(never.out.contains("\nNo combination of these fixes fits on the same cards: "), "{}", never.out);
    let nowhere = run("advise --model llama-3.1-405b");
    assert!(nowhere.out.contains("; with --gpu it is said what fits.\n"), "{}", nowhere.out);
    assert!(!nowhere.out.contains("combination"));
    let noted = run("advise --model llama-2-7b --optimizer sgd --gpu t4");
    assert_eq!(noted.err, "memory-wall: note: --optimizer has no effect in inference\n");
}
