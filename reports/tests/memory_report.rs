//! Reports that `public/memory_report.py` wrote on a processor with PyTorch 2.15 and transformers 5.24, read as what was measured.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use memory_wall_core::{Checkpointing, Mode, Recipe, Scenario, WeightFormat};
use memory_wall_reports::memory_report::{Held, MemoryReport, NoReport, SCHEMA, total};
use memory_wall_reports::snapshot::beside::{Part, Reason};

const BF16: &[u8] = include_bytes!("reports/llama_tiny_bf16.json");
const FP32: &[u8] = include_bytes!("reports/llama_tiny_fp32_checkpointing.json");
const PLAIN: &[u8] = include_bytes!("reports/plain.json");

/// Parameters of the small Llama: by hand, 2 × 1,000 × 128 for the tables, three layers and a norm.
const PARAMETERS: u64 = 256_000 + 3 * (128 * 128 * 2 + 2 * 128 * 32 + 3 * 128 * 344 + 2 * 128) + 128;

#[test]
fn a_report_holds_what_a_hand_calculation_says() {
    let report = MemoryReport::read(BF16).unwrap();
    assert_eq!((report.torch.as_str(), report.device.as_str(), report.gpu.is_none()), ("2.15.0+cu132", "cpu", true));
    assert_eq!(report.optimizer, "AdamW");
    assert_eq!(*report.shapes.get("input_ids").unwrap(), [2, 64]);
    assert_eq!(report.most(Held::Weights), 2 * PARAMETERS);
    assert_eq!(report.most(Held::Gradients), 2 * PARAMETERS);
    // Two states, and a counter of four bytes for each of 30 tensors.
    assert_eq!(report.most(Held::Optimizer), 4 * PARAMETERS + 30 * 4);
    assert_eq!(report.most(Held::Inputs), 2 * 2 * 64 * 8);
    let names: Vec<&str> = report.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["start", "after forward", "after backward", "after step"]);
    assert_eq!(total(&report.phases[2].bytes, Held::Saved), 0);
    let modules: u64 = report.modules.values().map(|table| total(table, Held::Saved)).sum();
    assert_eq!(modules, report.most(Held::Saved), "the modules add up to the phase");
}

#[test]
fn layers_gather_their_modules() {
    let report = MemoryReport::read(BF16).unwrap();
    let layers = report.layers();
    let names: Vec<&str> = layers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "",
            "lm_head",
            "model.embed_tokens",
            "model.layers.0",
            "model.layers.1",
            "model.layers.2",
            "model.norm",
            "model.rotary_emb"
        ]
    );
    let of = |name: &str| &layers.iter().find(|(layer, _)| layer == name).unwrap().1;
    assert_eq!(total(of("model.layers.1"), Held::Weights), 2 * (PARAMETERS - 256_128) / 3);
    assert_eq!(total(of("model.layers.1"), Held::Saved), total(of("model.layers.2"), Held::Saved));
    assert_eq!(total(of("lm_head"), Held::Weights), 256_000);
}

/// The scenario that the report's own config and shapes describe.
fn scenario(report: &MemoryReport, recipe: Recipe) -> Scenario {
    let shape = report.config.as_ref().unwrap().architecture.as_ref().copied().unwrap();
    assert_eq!(shape.parameters().total(), PARAMETERS);
    let mut scenario = Scenario::new(shape);
    scenario.mode = Mode::Training;
    (scenario.batch, scenario.seq_length) = (2, 64);
    scenario.training.recipe = recipe;
    scenario.training.stock.cpu = true;
    scenario
}

#[test]
fn the_engine_says_what_was_measured() {
    let report = MemoryReport::read(BF16).unwrap();
    let scenario = scenario(&report, Recipe::Pure).check().unwrap();
    let lines = report.beside(&scenario);
    let difference = |part: Part| {
        let line = lines.iter().find(|line| line.part == part).unwrap();
        line.measured.minus(line.estimate.unwrap()).0
    };
    assert_eq!([Part::Weights, Part::Gradients, Part::Activations].map(difference), [0, 0, 0]);
    // The counters of the steps.
    assert_eq!(difference(Part::Optimizer), 120);
    let loss = lines.iter().find(|line| line.part == Part::Logits).unwrap();
    // The logarithms of 128 rows of probabilities in fp32, their labels, and a sum of weights.
    assert_eq!((loss.measured.0, loss.estimate), (128 * 1_000 * 4 + 128 * 8 + 4, None));
    assert!(lines.iter().all(|line| line.reason.is_none()));
}

#[test]
fn checkpointing_is_seen_in_what_is_saved() {
    let report = MemoryReport::read(FP32).unwrap();
    let mut scenario = scenario(&report, Recipe::Fp32);
    (scenario.weights, scenario.checkpointing) = (WeightFormat::Fp32, Checkpointing::None);
    let activations = |scenario: Scenario| {
        let lines = report.beside(&scenario.check().unwrap());
        *lines.iter().find(|line| line.part == Part::Activations).unwrap()
    };
    let line = activations(scenario);
    assert_eq!((line.measured.0, line.reason), (393_728, Some(Reason::Checkpointing)));
    scenario.checkpointing = Checkpointing::Full;
    let line = activations(scenario);
    let off = line.measured.minus(line.estimate.unwrap()).magnitude().0;
    assert!(off * 20 < line.measured.0 && line.reason.is_none(), "{line:?}");
}

#[test]
fn a_program_without_a_config_is_measured_all_the_same() {
    let report = MemoryReport::read(PLAIN).unwrap();
    assert!(report.config.is_none());
    // Two linear layers of 16 to 32 to 4, and one state of SGD with momentum; ReLU saves its output.
    let parameters = 4 * (16 * 32 + 32 + 32 * 4 + 4);
    assert_eq!((report.most(Held::Weights), report.most(Held::Optimizer)), (parameters, parameters));
    assert_eq!(total(report.modules.get("1").unwrap(), Held::Saved), 5 * 32 * 4);
}

#[test]
fn other_files_are_refused_in_words() {
    assert_eq!(MemoryReport::read(b"{}").unwrap_err(), NoReport::Other);
    assert_eq!(MemoryReport::read(b"[]").unwrap_err(), NoReport::Other);
    let newer = MemoryReport::read(br#"{"schema": "memory-wall-report/2"}"#).unwrap_err();
    assert_eq!(newer.to_string(), "reports of memory-wall-report/2 are not read; memory-wall-report/1 is");
    assert!(MemoryReport::read(b"{\"schema\"").unwrap_err().to_string().starts_with("line 1"));
    let huge = br#"{"schema": "memory-wall-report/1", "modules": {"a": {"saved": {"x": 9223372036854775807}}}}"#;
    assert_eq!(MemoryReport::read(huge).unwrap_err(), NoReport::Sizes);
    let odd =
        br#"{"schema": "memory-wall-report/1", "phases": [3, {"bytes": {"saved": {"x": -1}, "y": {}}}], "config": 5}"#;
    assert_eq!(MemoryReport::read(odd).unwrap().most(Held::Saved), 0);
    for end in (0..BF16.len() - 1).step_by(13) {
        assert!(MemoryReport::read(&BF16[..end]).is_err(), "{end}");
    }
}

/// The script and its reader are two files: what one writes, the other asks for.
#[test]
fn the_script_writes_what_the_reader_asks_for() {
    let script = include_str!("../../public/memory_report.py");
    assert!(script.contains(&format!("\"schema\": \"{SCHEMA}\"")));
    for word in ["weights", "buffers", "inputs", "gradients", "optimizer", "saved", "after forward", "allocator"] {
        assert!(script.contains(&format!("\"{word}\"")), "{word}");
    }
}

/// With PyTorch the script itself is run, on a processor; without, this says so and proves nothing. `PYTHON` names another Python.
#[test]
fn the_script_measures_a_step_where_pytorch_is_installed() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let program = "
import json, sys
import torch
from memory_report import memory_report
net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
batch = {'x': torch.randn(5, 16)}
print(json.dumps(memory_report(net, optimizer, batch, loss=lambda model, batch: model(batch['x']).sum(), path=sys.argv[1])))
";
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/../public");
    let path = std::env::temp_dir().join(format!("memory-wall-report-{}.json", std::process::id()));
    let run = std::process::Command::new(&python).args(["-c", program]).arg(&path).env("PYTHONPATH", here).output();
    let output = match run {
        Ok(output) if output.status.success() => output,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("No module named 'torch'"), "{said}");
            return println!("skipped: {python} has no PyTorch");
        }
        Err(error) => return println!("skipped: {python}: {error}"),
    };
    let written = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let report = MemoryReport::read(&written).unwrap();
    let parameters = 4 * (16 * 32 + 32 + 32 * 4 + 4);
    let most =
        [Held::Weights, Held::Gradients, Held::Optimizer, Held::Inputs, Held::Saved].map(|held| report.most(held));
    assert_eq!(most, [parameters, parameters, parameters, 5 * 16 * 4, 5 * 32 * 4]);
    assert_eq!(MemoryReport::read(&output.stdout).unwrap().modules, report.modules);
}
