//! What the page is told of a run, and what it is never told.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails may panic")]

use memory_wall_app::state::query;
use memory_wall_explain::Pile;
use serde_json::Value;

use memory_wall_views::Views;

use super::{Run, model_names};

#[path = "../../reports/tests/made"]
#[allow(dead_code, unreachable_pub, clippy::cast_possible_truncation, reason = "other tests use the rest of it")]
mod made {
    pub(super) mod training;
    mod written;
}

use made::training::{SMALL, Training};

const LOG: &str = "INFO [api.py:1] non-default args: {'host': '10.1.2.3', 'api_key': 'sk-secret', 'model': '/srv/alice/models/Llama-3.1-8B-Instruct'}\n\
INFO Initializing a V1 LLM engine (v0.19.0) with config: model='/srv/alice/models/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, max_seq_len=4096, kv_cache_dtype=auto\n\
INFO Model loading took 14.99 GiB memory and 3.2 seconds\n";

/// Hands files over as the worker does, first to the second program and then to this one.
fn answer(files: &[&[u8]]) -> Value {
    chosen(files, ("", 0, 0))
}

/// The same, with what a reader chooses.
fn chosen(files: &[&[u8]], (model, batch, seq_length): (&str, u32, u32)) -> Value {
    let (_, said) = handed(files, (model, batch, seq_length));
    said
}

/// What the second program says, with the tables and notes of files, and what follows.
fn handed(files: &[&[u8]], (model, batch, seq_length): (&str, u32, u32)) -> (Value, Value) {
    let (mut pile, mut run) = (Pile::new(), Run::new());
    let mut held = Vec::new();
    run.state(model, batch, seq_length);
    for (source, file) in (0..).zip(files) {
        let (beginning, length) = (file.get(..64).unwrap_or(file), file.len() as f64);
        let how = pile.begin(beginning, length);
        run.at(source);
        match how.as_str() {
            "text" => pile.text(file),
            "snapshot" => {
                let mut views = Views::new(true);
                views.open(file, 0);
                pile.handed(&views.report());
                run.peak(&views.peak());
            }
            "header" | "whole" => {
                if how == "header" {
                    run.header(beginning, length);
                    while let [start, end] = run.wants()[..] {
                        #[expect(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "places in a small file"
                        )]
                        let (start, end) = (start as usize, end as usize);
                        run.give(&file[start.min(file.len())..end.min(file.len())]);
                    }
                } else {
                    run.whole(file);
                }
                let said: Value = serde_json::from_str(&run.end(true)).unwrap();
                if said["tables"].is_array() {
                    pile.handed(&run.report());
                    held.push(said);
                } else {
                    assert!(run.report().is_empty());
                    if let Some(why) = said["refused"].as_str() {
                        pile.refuse(why.into());
                    }
                    if how == "whole" {
                        pile.text(file);
                    }
                }
            }
            how => assert_eq!(how, "refused"),
        }
        pile.end();
    }
    let mut read: Value = serde_json::from_str(&pile.answer(true)).unwrap();
    read["files"] = held.into();
    (read, serde_json::from_str(&run.answer(&pile.reports(), true)).unwrap())
}

#[test]
fn files_say_what_they_hold_or_why_they_are_not_read() {
    let header = br#"{"model.embed_tokens.weight":{"dtype":"BF16","shape":[4,8],"data_offsets":[0,64]}}"#;
    let model = [&(header.len() as u64).to_le_bytes()[..], header, &[0; 64]].concat();
    let report = include_bytes!("../../reports/tests/reports/llama_tiny_bf16.json");
    let log = b"{\"level\": \"info\"}\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
    let broken = [&u64::MAX.to_le_bytes()[..], b"{\"a\""].concat();
    let files =
        [&model[..], b"\x1f\x8b\x08\0\0", b"hello", report, log, b"{\"schema\": \"memory-wall-report/7\"}", &broken];
    let (said, _) = handed(&files, ("", 0, 0));
    assert_eq!(said["files"][0]["tables"][0]["rows"][0], Value::from(vec!["Embedding, BF16", "1", "64\u{202f}B"]));
    assert_eq!(said["files"][0]["tables"][0]["text"], 0);
    let reports = said["reports"].as_array().unwrap();
    let told: Vec<_> = reports.iter().map(|it| (it["text"].as_u64().unwrap(), it["what"].as_str().unwrap())).collect();
    // What is no file of a model after all is a text, at its place.
    assert_eq!(
        told,
        [
            (0, "header of a safetensors file"),
            (3, "report of memory_report.py 2.15.0+cu132"),
            (4, "PyTorch ran out of GPU memory"),
        ]
    );
    let unread: Vec<_> = said["unread"].as_array().unwrap().iter().map(|it| it[0].as_u64().unwrap()).collect();
    assert_eq!(unread[..2], [1, 5], "{said}");
}

#[test]
fn a_config_has_its_table_and_its_remarks_once() {
    let config = br#"{"model_type": "llama", "hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 128, "tie_word_embeddings": false, "max_position_embeddings": 64}"#;
    let (read, said) = handed(&[config], ("", 0, 0));
    let file = &read["files"][0];
    assert_eq!(
        file["tables"][0]["rows"][0][1],
        memory_wall_core::display::Grouped(PARAMETERS.into()).to_string(),
        "{file}"
    );
    for note in file["notes"].as_array().unwrap() {
        assert!(!said["notes"].as_array().unwrap().contains(note), "{note}");
    }
}

#[test]
fn a_log_fills_the_calculator_in_and_has_an_estimate_beside_its_terms() {
    let said = answer(&[LOG.as_bytes()]);
    let decoded = query::decode(said["query"].as_str().unwrap());
    assert_eq!(decoded.notices, Vec::<String>::new());
    assert_eq!((decoded.state.model.id, decoded.state.seq_length), ("llama-3.1-8b", 4_096));
    assert_eq!(said["run"][0], "Model: Llama 3.1 8B.");
    let terms = said["estimates"][0]["rows"].as_array().unwrap();
    let weights = terms.iter().find(|row| row[0] == "Weights").unwrap();
    assert_eq!((&weights[1], &weights[2]), (&"15.0\u{202f}GiB".into(), &"15.0\u{202f}GiB".into()));
    let text = said.to_string();
    for secret in ["alice", "/srv", "10.1.2.3", "sk-secret"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[test]
fn a_config_is_read_and_a_measured_step_stands_beside_its_estimate() {
    let config = br#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": false}"#;
    assert_eq!(answer(&[config])["run"][0], "Model: the model of the config.");
    let report = include_bytes!("../../reports/tests/reports/llama_tiny_bf16.json");
    let said = answer(&[report]);
    let tables = said["estimates"].as_array().unwrap();
    let parts = tables.iter().find(|table| table["title"] == "Parts").unwrap();
    assert_eq!(parts["rows"][0][0], "Weights");
}

/// A tiny model: 2 × 128 × 64 values of tables, 4 matrices of 64 × 64 and 3 of 64 × 160 in each of 2 layers, and 5 norms of 64.
const TINY: &[u8] = br#"{"model_type": "llama", "hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 128, "tie_word_embeddings": false}"#;
const PARAMETERS: u64 = 2 * 128 * 64 + 2 * (4 * 64 * 64 + 3 * 64 * 160) + 5 * 64;

#[test]
fn a_snapshot_stands_beside_the_estimate_once_the_model_is_known() {
    // Weights in bf16, and gradients and states as large as the weights.
    let run = Training { layers: 2, parameters: PARAMETERS, ..SMALL };
    let (pickle, _) = run.pickle(4);
    let row = |said: &Value, part: &str| {
        let rows = said["beside"][0]["rows"].as_array().unwrap();
        rows.iter().find(|row| row[0] == part).cloned().unwrap_or_else(|| panic!("{part} in {said}"))
    };
    // Nobody names the model.
    let said = answer(&[&pickle]);
    let beside = &said["beside"][0];
    assert_eq!((&beside["source"], &beside["model"], &beside["sized"]), (&0.into(), &"".into(), &false.into()));
    assert!(beside["said"][0].as_str().unwrap().starts_with("The model is not known. Hand over its config.json"));
    assert_eq!(beside["rows"], Value::from(Vec::<u8>::new()));
    // A config says the states, and not how many tokens a step has.
    let said = answer(&[&pickle, TINY]);
    let weights = row(&said, "Weights");
    let kib = |bytes: u64| format!("{:.0}\u{202f}KiB", bytes as f64 / 1_024.0);
    // Two layers hold twice the parameters of one in the made run.
    assert_eq!((&weights[1], &weights[2]), (&kib(2 * PARAMETERS).into(), &kib(2 * PARAMETERS).into()));
    assert_eq!((&weights[3], &weights[4]), (&"same".into(), &"".into()));
    assert_eq!(row(&said, "Activations")[2], "");
    let sentences = |said: &Value| said["beside"][0]["said"].to_string();
    assert!(sentences(&said).contains("Batch and sequence length are not known"), "{said}");
    assert!(said["estimates"].as_array().unwrap().iter().all(|table| table["title"] != "Parts"), "{said}");
    // With the sizes there is an estimate of all of it.
    let said = chosen(&[&pickle, TINY], ("", 2, 16));
    assert_eq!(said["beside"][0]["sized"], true);
    assert!(!row(&said, "Activations")[2].as_str().unwrap().is_empty());
    assert!(sentences(&said).contains("At the peak (backward pass) tensors took"), "{said}");
    assert!(sentences(&said).contains("The largest difference is in"), "{said}");
    // A model can be chosen.
    let names: Vec<[String; 2]> = serde_json::from_str(&model_names()).unwrap();
    assert!(names.contains(&["llama-3.2-1b".into(), "Llama 3.2 1B".into()]));
    let said = chosen(&[&pickle], ("llama-3.2-1b", 1, 16));
    assert_eq!(said["beside"][0]["model"], "Llama 3.2 1B");
    let weights = row(&said, "Weights");
    assert!(weights[3].as_str().unwrap().starts_with('−'), "{weights}");
    // What is no model and no moment is passed over.
    let mut run = Run::new();
    run.at(0);
    run.peak(&[0xFF; 9]);
    run.state("no-such-model", u32::MAX, u32::MAX);
    assert!(run.answer(&[], false).contains("nothing names it"));
}

#[test]
fn a_model_with_dimensions_of_its_own_is_carried_by_the_link() {
    let own = |layers: u32, hidden: u32, kv_heads: u32, more: &str| {
        let config = format!(
            r#"{{"model_type": "llama", "hidden_size": {hidden}, "intermediate_size": 5632, "num_hidden_layers": {layers},
            "num_attention_heads": 32, "num_key_value_heads": {kv_heads}, "head_dim": 64, "vocab_size": 50000, "tie_word_embeddings": false{more}}}"#
        );
        answer(&[config.as_bytes()])["query"].clone()
    };
    let query = own(20, 2_048, 8, "");
    let decoded = query::decode(query.as_str().unwrap_or_else(|| panic!("{query}")));
    assert_eq!(decoded.notices, Vec::<String>::new());
    let shape = decoded.state.shape;
    assert_eq!((shape.layers, shape.hidden_size, shape.kv_heads, shape.vocab_size), (20, 2_048, 8, 50_000));
    assert!(!shape.tied_embeddings && shape.moe.is_none());
    let parameters =
        2 * 50_000 * 2_048 + 20 * (2 * 2_048 * 2_048 + 2 * 2_048 * 512 + 3 * 2_048 * 5_632 + 2 * 2_048) + 2_048;
    assert_eq!(shape.parameters().total(), parameters);
    // A config that is a model of the table has nothing of its own.
    let whole = br#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": false, "max_position_embeddings": 131072}"#;
    let query = answer(&[whole])["query"].as_str().unwrap().to_owned();
    assert!(!query.contains("layers=") && query.starts_with("v=1&model=llama-3"), "{query}");
    // A shape that no change of dimensions makes is in no link: nobody has published such biases.
    let odd = own(20, 2_048, 8, r#", "attention_bias": true, "mlp_bias": true"#);
    assert!(odd.is_null(), "{odd}");
}

#[test]
fn what_lies_outside_pytorch_is_said_once() {
    let message = |free: &str, allocated: &str| {
        format!(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which {free} GiB is free. Including non-PyTorch memory, this process has 79.00 GiB memory in use. Of the allocated memory {allocated} GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated."
        )
    };
    for (allocated, times) in [("72.00", 1), ("77.50", 1), ("78.00", 0)] {
        let text = answer(&[message("0.11", allocated).as_bytes()]).to_string().to_lowercase();
        assert_eq!(text.matches("outside pytorch").count(), times, "{allocated}: {text}");
    }
}

#[test]
fn whatever_the_bytes_are_it_answers() {
    for bytes in [&b""[..], b"{", b"{\"model_type\": 5}", &[0xFF; 100]] {
        assert!(answer(&[bytes])["causes"].as_array().unwrap().is_empty());
        assert!(Run::new().answer(bytes, false).contains("nothing names it"));
    }
}
