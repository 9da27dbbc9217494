//! `models`, `gpus`, `help` and `--version`, and readers that leave early.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{program, run};
use memory_wall_core::tables::{gpus::GPUS, models::MODELS};
use memory_wall_core::{Optimizer, Recipe};
use serde_json::Value;

fn rows(command: &str) -> Vec<Value> {
    let run = run(&format!("{command} --json"));
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn models_are_listed_in_full() {
    let rows = rows("models");
    assert_eq!(rows.len(), MODELS.len());
    for (row, model) in rows.iter().zip(MODELS) {
        assert_eq!(row["id"], model.id);
        assert_eq!(row["parameters"], model.parameters());
        assert_eq!(row["source"], model.source);
        assert!(row["active_parameters"].as_u64().unwrap() <= model.parameters(), "{}", model.id);
    }
    let llama = rows.iter().find(|row| row["id"] == "llama-3.1-8b").unwrap();
    let expected: Value = serde_json::from_str(
        r#"{"id": "llama-3.1-8b", "name": "Llama 3.1 8B", "family": "Llama", "parameters": 8030261248, "layers": 32,
            "hidden_size": 4096, "heads": 32, "kv_heads": 8, "head_dim": 128, "intermediate_size": 14336,
            "vocab_size": 128256, "context": 131072, "kv_bytes_per_token": 131072}"#,
    )
    .unwrap();
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&llama[field], value, "{field}");
    }
}

#[test]
fn gpus_are_listed_in_full() {
    let rows = rows("gpus");
    assert_eq!(rows.len(), GPUS.len());
    for (row, gpu) in rows.iter().zip(GPUS) {
        assert_eq!(row["id"], gpu.id);
        assert_eq!(row["capacity_bytes"].as_u64().map(u128::from), Some(gpu.capacity.0));
        assert_eq!(row["printed_gb"], gpu.printed_gb);
        assert_eq!(row["sources"].as_array().map(Vec::len), Some(gpu.sources().len()));
        // Rates come back as they were entered, without the noise of a conversion.
        assert!(row["bandwidth_gb_per_s"].to_string().len() <= 7, "{}", row["bandwidth_gb_per_s"]);
    }
    let v100 = rows.iter().find(|row| row["id"] == "v100-sxm2-16").unwrap();
    assert_eq!(v100["peak_tflops"]["fp16"], 125.0);
    assert_eq!(v100["peak_tflops"]["bf16"], Value::Null);
    assert_eq!(v100["capacity_basis"], "reported by PyTorch on the device");
    assert_eq!(v100["memory"], "HBM2");
}

#[test]
fn texts_have_a_row_for_each() {
    for (command, ids) in [
        ("models", MODELS.iter().map(|model| model.id).collect::<Vec<_>>()),
        ("gpus", GPUS.iter().map(|gpu| gpu.id).collect()),
    ] {
        let run = run(command);
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        for id in ids {
            assert!(run.out.lines().any(|line| line.split(' ').next() == Some(id)), "{id}");
        }
    }
}

#[test]
fn help_names_every_choice() {
    let help = run("help");
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for word in ["--model", "--config", "nf4-dq", "sgd-momentum", "selective", "eager", "gib", "qwen2", "10,000,000"] {
        assert!(help.out.contains(word), "{word}");
    }
    for id in Optimizer::ALL.iter().map(|it| it.id()).chain(Recipe::ALL.iter().map(|it| it.id())) {
        assert!(help.out.contains(id), "{id}");
    }
    for same in ["--help", "-h", "help help"] {
        let run = run(same);
        assert_eq!((run.code, run.out.as_str()), (0, help.out.as_str()), "{same}");
    }
}

#[test]
fn each_command_has_help_of_its_own() {
    for command in ["estimate", "solve", "advise", "compare", "explain", "accuracy", "models", "gpus"] {
        let help = run(&format!("help {command}"));
        assert_eq!((help.code, help.err.as_str()), (0, ""), "{command}");
        assert!(help.out.starts_with(&format!("memory-wall {command} ")), "{}", help.out);
        for same in [format!("{command} --help"), format!("{command} --model llama-2-7b --frobnicate -h")] {
            assert_eq!(run(&same).out, help.out, "{same}");
        }
    }
}

#[test]
fn examples_of_the_help_run() {
    let help = run("help").out.replace("\\\n", " ");
    let examples: Vec<&str> = help.split("Examples:").nth(1).unwrap().lines().collect();
    let lines = examples.iter().filter_map(|line| line.trim().strip_prefix("memory-wall "));
    let mut count = 0;
    for line in lines {
        let run = run(line);
        // An import says how it read the lengths; nothing else is to be said.
        let said =
            run.err.lines().all(|said| line.starts_with("import ") && said.contains("(every request is counted"));
        assert!(run.code < 2 && said, "{line}: {}", run.err);
        count += 1;
    }
    assert!(count > 5, "{count}");
}

#[test]
fn version_is_that_of_the_package() {
    for word in ["--version", "-V"] {
        let run = run(word);
        assert_eq!((run.code, run.out), (0, format!("memory-wall {}\n", env!("CARGO_PKG_VERSION"))));
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    for command in ["models", "gpus"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = program().arg(command).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{command}");
    }
}
