//! What the page is told of a run, and what it is never told.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails may panic")]

use memory_wall_app::state::query;
use memory_wall_explain::Pile;
use serde_json::Value;

use super::Run;

const LOG: &str = "INFO [api.py:1] non-default args: {'host': '10.1.2.3', 'api_key': 'sk-secret', 'model': '/srv/alice/models/Llama-3.1-8B-Instruct'}\n\
INFO Initializing a V1 LLM engine (v0.19.0) with config: model='/srv/alice/models/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, max_seq_len=4096, kv_cache_dtype=auto\n\
INFO Model loading took 14.99 GiB memory and 3.2 seconds\n";

/// Hands files over as the worker does, first to the second program and then to this one.
fn answer(files: &[&[u8]]) -> Value {
    let (mut pile, mut run) = (Pile::new(), Run::new());
    for file in files {
        let (head, length) = (file.get(..64).unwrap_or(file), file.len() as f64);
        if pile.begin(head, length) == "text" {
            pile.text(file);
        } else {
            pile.whole(file);
        }
        pile.end();
        if run.begin(head, length) == "whole" {
            run.whole(file);
        }
        run.end();
    }
    pile.answer(true);
    serde_json::from_str(&run.answer(&pile.reports(), true)).unwrap()
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
