//! Files of every kind, explained together with each other and with texts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails may panic, and the sizes here are small"
)]

mod made;

use made::headers::{F32, GgufHeader};
use made::training::SMALL;
use memory_wall_core::{Mode, Recipe};
use memory_wall_reports::explain::{Contradiction, Explanation, Known, Stated, explain};
use memory_wall_reports::files::{File, Kind, read, recognise};
use memory_wall_reports::files::{Opened, add};
use memory_wall_reports::model_files;
use memory_wall_reports::snapshot::beside::Part;
use memory_wall_reports::{Found, Reader, What};

const REPORT: &[u8] = include_bytes!("reports/llama_tiny_bf16.json");
const LLAMA: &str = include_str!("../../core/tests/configs/llama-3.1-8b.json");

fn open(bytes: &[u8]) -> File {
    match recognise(bytes, bytes.len() as u64) {
        Some(Kind::Model) => File::Header(Box::new(model_files::read(bytes).unwrap())),
        Some(Kind::Pickle | Kind::Json) => read(bytes).unwrap().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Files and a text behind them, together.
fn together(files: &[&[u8]], text: &str, mode: Option<Mode>) -> (Found, Vec<Opened>, Explanation) {
    let opened: Vec<Opened> =
        files.iter().zip(0..).map(|(bytes, source)| Opened { source, file: open(bytes) }).collect();
    let mut reader = Reader::new();
    for _ in &opened {
        reader.next_source();
    }
    reader.feed(text.as_bytes());
    let mut found = reader.finish();
    add(&mut found, &opened);
    let stated = Stated { model: None, gpu: None, mode, adjust: &|_| (), sizes: false };
    let explanation = explain(&found, &opened, &stated);
    (found, opened, explanation)
}

fn safetensors(shape: &str, bytes: u64) -> Vec<u8> {
    let header = format!(
        "{{\"model.layers.0.self_attn.q_proj.weight\":{{\"dtype\":\"BF16\",\"shape\":{shape},\"data_offsets\":[0,{bytes}]}}}}"
    );
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat()
}

#[test]
fn a_report_of_a_step_describes_its_run() {
    let (found, opened, explanation) = together(&[REPORT], "", None);
    assert_eq!(found.reports[0].count(What::SeqLength), Some(64));
    let scenario = explanation.scenario.unwrap().unwrap();
    assert_eq!((scenario.mode, scenario.batch, scenario.training.recipe), (Mode::Training, 2, Recipe::Pure));
    assert!(explanation.notes.is_empty(), "{:?}", explanation.notes);
    assert_eq!(explanation.model.unwrap().known, Known::File);
    let lines = &explanation.parts[0].lines;
    for part in [Part::Weights, Part::Gradients, Part::Activations] {
        let line = lines.iter().find(|line| line.part == part).unwrap();
        assert_eq!(Some(line.measured), line.estimate, "{part:?}");
    }
    let layers = opened[0].file.holdings().pop().unwrap();
    assert_eq!(layers.title, "By layer, at the most");
    assert!(layers.rows.iter().any(|row| row.name == "model.layers.1"), "{layers:?}");
}

#[test]
fn a_snapshot_stands_beside_the_report_of_its_run() {
    let (snapshot, _) = SMALL.pickle(4);
    let (found, opened, explanation) = together(&[&snapshot, REPORT], "", None);
    let device = match &opened[0].file {
        File::Snapshot(snapshot) => snapshot.fullest().unwrap(),
        other => panic!("{other:?}"),
    };
    let report = &found.reports[0];
    assert_eq!(report.size(What::Reserved).unwrap().bytes, i64::try_from(device.totals.reserved).unwrap());
    assert_eq!(explanation.about.len(), 2);
    assert_eq!(explanation.parts.iter().map(|parts| parts.source).collect::<Vec<_>>(), [0, 1]);
    let held = &opened[0].file.holdings()[0];
    let sum: u64 = held.rows[..4].iter().filter_map(|row| row.bytes).sum();
    assert_eq!(Some(sum), held.rows[4].bytes, "the parts add up to what is reserved");
    let peak: u64 = opened[0].file.holdings()[1].rows.iter().filter_map(|row| row.bytes).sum();
    assert_eq!(peak, device.trace.peak().bytes);
}

#[test]
fn a_header_is_held_against_the_model_of_the_config() {
    let small = safetensors("[4096,4096]", 2 * 4_096 * 4_096);
    let (_, opened, explanation) = together(&[LLAMA.as_bytes(), &small], "", None);
    assert_eq!(explanation.model.unwrap().known, Known::Config);
    // One of several files holds less than the model has.
    assert_eq!(explanation.contradictions, []);
    let remarks = opened[1].file.remarks();
    assert_eq!(remarks, ["The file is not complete: 33554432 bytes of its data are missing."]);
    let large = safetensors("[1000000,100000]", 200_000_000_000);
    let (.., explanation) = together(&[LLAMA.as_bytes(), &large], "", None);
    let [Contradiction::Parameters { files, model }] = explanation.contradictions[..] else {
        panic!("{:?}", explanation.contradictions)
    };
    assert_eq!((files, model), (100_000_000_000, 8_030_261_248));
}

#[test]
fn a_gguf_header_that_is_no_model_says_so() {
    let mut header = GgufHeader::default();
    header.string("general.type", "adapter").string("general.architecture", "llama");
    header.key("adapter.lora.alpha", F32, &16_f32.to_le_bytes());
    header.tensor("blk.0.attn_q.weight.lora_a", &[64, 8], 0, (1, 4));
    let (found, opened, explanation) = together(&[&header.bytes()], "", Some(Mode::Inference));
    assert_eq!(found.reports[0].kind.id(), "gguf");
    assert!(opened[0].file.remarks()[0].starts_with("It is no model by itself, but "));
    assert!(explanation.model.is_none() && explanation.scenario.is_none());
}

#[test]
fn a_config_of_another_model_than_the_log_is_named() {
    let log = "INFO Initializing a V1 LLM engine (v0.19.0) with config: model='Qwen/Qwen2.5-7B', dtype=torch.bfloat16, max_seq_len=4096\n";
    let (.., explanation) = together(&[LLAMA.as_bytes()], log, None);
    let models = |it: &Contradiction| matches!(it, Contradiction::Models(..));
    assert!(explanation.contradictions.iter().any(models), "{:?}", explanation.contradictions);
    assert_eq!(explanation.about.len(), 2);
}
