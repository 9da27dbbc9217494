//! What the page is told, and what it is never told.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails may panic")]

use serde_json::Value;

use super::Pile;

const LOG: &str = "INFO [api.py:1] non-default args: {'host': '10.1.2.3', 'api_key': 'sk-secret', 'model': '/srv/alice/models/Llama-3.1-8B-Instruct'}\n\
INFO Initializing a V1 LLM engine (v0.19.0) with config: model='/srv/alice/models/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, max_seq_len=4096, kv_cache_dtype=auto\n\
INFO Model loading took 14.99 GiB memory and 3.2 seconds\n";

/// Hands files over as the worker does.
fn answer(files: &[&[u8]]) -> Value {
    let mut pile = Pile::new();
    for file in files {
        match pile.begin(file.get(..64).unwrap_or(file), file.len() as f64).as_str() {
            "text" => file.chunks(100).for_each(|piece| pile.text(piece)),
            // As the programs for files and for snapshots would say of these.
            "header" | "whole" | "snapshot" => pile.refuse("it would run code".into()),
            how => assert_eq!(how, "refused"),
        }
        pile.end();
    }
    serde_json::from_str(&pile.answer(true)).unwrap()
}

#[test]
fn a_log_tells_its_facts_and_no_secret() {
    let said = answer(&[LOG.as_bytes()]);
    assert_eq!(said["reports"][0]["what"], "log of vLLM 0.19.0");
    let facts = said["reports"][0]["facts"].as_array().unwrap();
    let weights = facts.iter().find(|fact| fact["name"] == "weights").unwrap();
    assert_eq!((&weights["value"], &weights["line"]), (&"15.0\u{202f}GiB".into(), &3.into()));
    let one = "GPU[0] : VRAM Total Memory (B): 206141652992\n";
    let name = |text: &str| answer(&[text.as_bytes()])["reports"][0]["facts"][0]["name"].clone();
    assert_eq!(name(one), "memory of the GPU");
    assert_eq!(name(&(one.to_owned() + &one.replace("[0]", "[1]"))), "memory of the GPU (GPU 0)");
    let text = said.to_string();
    for secret in ["alice", "/srv", "10.1.2.3", "sk-secret"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[test]
fn what_is_no_text_is_read_elsewhere_or_not_at_all() {
    let model = [&60_u64.to_le_bytes()[..], b"{\"test\": 1}"].concat();
    let files = [&model, &b"\x1f\x8b\x08\0\0"[..], b"\x80\x04cos\nsystem\n.", b"hello", b"{\"a\": 1}"];
    let mut pile = Pile::new();
    let hows: Vec<_> = files.iter().map(|file| pile.begin(file, 1_000.0)).collect();
    assert_eq!(hows, ["header", "refused", "snapshot", "text", "whole"]);
    let said = answer(&files[1..4]);
    let unread: Vec<_> = said["unread"].as_array().unwrap().iter().map(|it| it[0].as_u64()).collect();
    assert_eq!(unread, [Some(0), Some(1)]);
}

#[test]
fn a_report_of_another_program_stands_among_the_others_at_its_place() {
    let log = memory_wall_reports::read(LOG.as_bytes()).reports;
    let mut pile = Pile::new();
    for (file, how) in [(&b"{\"segments\": ["[..], "snapshot"), (b"\x80\x04]", "snapshot"), (b"hello", "text")] {
        assert_eq!(pile.begin(file, file.len() as f64), how);
        if how == "snapshot" && file[0] == 0x80 {
            pile.handed(&memory_wall_reports::handover::write(&log));
        }
        pile.end();
    }
    let said: Value = serde_json::from_str(&pile.answer(true)).unwrap();
    assert_eq!((&said["reports"][0]["text"], &said["reports"][0]["what"]), (&1.into(), &"log of vLLM 0.19.0".into()));
    // What is no encoding of a report adds nothing.
    let mut pile = Pile::new();
    pile.handed(&[0xFF; 9]);
    assert_eq!(serde_json::from_str::<Value>(&pile.answer(true)).unwrap()["reports"], Value::from(Vec::<u8>::new()));
}

#[test]
fn whatever_the_bytes_are_it_answers() {
    let lying = [&u64::MAX.to_le_bytes()[..], b"{\"a\""].concat();
    let deep = vec![b'['; 100_000];
    for bytes in
        [&b""[..], &[0; 64], &lying, &deep, b"GGUF\x03\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f", b"{", &[0xff; 1_000]]
    {
        let said = answer(&[bytes]);
        assert!(said["reports"].as_array().unwrap().is_empty(), "{said}");
    }
}
