//! Files that nobody should write: each is answered in words, soon, and without a deep stack or much memory.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that fails may panic, and the sizes here are small"
)]

mod made;

use std::time::{Duration, Instant};

use made::headers::{GgufHeader, llama_1b, safetensors, text};
use made::hostile::{ask_model_file, ask_snapshot};
use made::training::{SMALL, Training};
use memory_wall_reports::model_files::{ModelFile, read};
use proptest::prelude::*;

/// What a hostile file may take; tests are compiled for the finder of mistakes and run beside others, so it is ten times what a reader waits.
const SOON: Duration = Duration::from_secs(1);

fn soon<T>(ask: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let answer = ask();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    answer
}

fn refused_model(bytes: &[u8], words: &str) {
    let said = soon(|| ask_model_file(bytes)).unwrap_or_default();
    assert!(said.contains(words), "{said:?} and not {words:?}");
}

fn refused_snapshot(bytes: &[u8], words: &str) {
    let said = soon(|| ask_snapshot(bytes)).unwrap_or_default();
    assert!(said.contains(words), "{said:?} and not {words:?}");
}

#[test]
fn lengths_of_half_of_all_numbers_are_refused() {
    let huge = 1_u64 << 63;
    let head = |tensors: u64, keys: u64| {
        [&b"GGUF"[..], &3_u32.to_le_bytes(), &tensors.to_le_bytes(), &keys.to_le_bytes()].concat()
    };
    refused_model(&head(huge, 0), "tensors are more than the 1048576 that are read");
    refused_model(&head(0, huge), "keys are more than the 65536 that are read");
    refused_model(&head(1, 1), "was cut short");
    refused_model(&[head(0, 1), huge.to_le_bytes().to_vec()].concat(), "a key of 9223372036854775808 bytes");
    let key = |kind: u32, value: &[u8]| [head(0, 1), text("k"), kind.to_le_bytes().to_vec(), value.to_vec()].concat();
    refused_model(&key(8, &huge.to_le_bytes()), "a value of 9223372036854775808 bytes");
    let list = |inner: u32, count: u64| [&inner.to_le_bytes()[..], &count.to_le_bytes()].concat();
    refused_model(&key(9, &list(4, huge)), "longer than the file");
    refused_model(&key(9, &list(10, huge)), "longer than the file");
    refused_model(&key(9, &list(8, huge)), "strings in a list are more than");
    refused_model(&key(9, &list(8, 5)), "was cut short");
    refused_model(&key(9, &[list(8, 1), huge.to_le_bytes().to_vec()].concat()), "a string of 9223372036854775808");
    refused_model(&key(9, &list(9, 1)), "the type of key k is 9");
    refused_model(&key(99, &[]), "the type of key k is 99");
    refused_model(&[&huge.to_le_bytes()[..], b"{}"].concat(), "bytes of header are more than the 100000000");
    refused_model(&[&90_000_000_u64.to_le_bytes()[..], b"{}"].concat(), "a header of 90000000 bytes is longer");
}

#[test]
fn tensors_that_cannot_be_are_refused_by_name() {
    let gguf = |shape: &[u64], kind: u32| {
        let mut header = GgufHeader::default();
        header.tensor("t", shape, kind, (1, 0));
        header.bytes()
    };
    refused_model(&gguf(&[1 << 40, 1 << 40], 0), "tensor t: ");
    refused_model(&gguf(&[100], 12), "no whole number of blocks");
    refused_model(&gguf(&[128, 2], 12), "no whole number of blocks");
    refused_model(&gguf(&[1, 1, 1, 1, 1], 0), "5 dimensions");
    refused_model(&gguf(&[32], 4), "the type of tensor t is 4");
    refused_model(&gguf(&[32], 31), "the type of tensor t is 31");
    let mut twice = GgufHeader::default();
    twice.tensor("t", &[8], 0, (1, 4)).tensor("t", &[8], 0, (1, 4));
    refused_model(&twice.bytes(), "tensor t is there twice");
    let mut moved = GgufHeader::default();
    // The second begins where a smaller first one would end.
    moved.tensor("a", &[64], 0, (1, 2)).tensor("b", &[8], 0, (1, 4));
    refused_model(&moved.bytes(), "tensor b: its data begins at 128 and should begin at 256");
    let mut keys = GgufHeader::default();
    keys.number("k", 1).number("k", 2);
    refused_model(&keys.bytes(), "key k is there twice");
    let mut alignment = GgufHeader::default();
    alignment.number("general.alignment", 24).tensor("t", &[8], 0, (1, 4));
    refused_model(&alignment.bytes(), "general.alignment: it is no power of two");
    let json = |json: &str| safetensors(json, 16);
    for (header, words) in [
        (
            r#"{"t":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"t":{"dtype":"F32","shape":[0],"data_offsets":[16,16]}}"#,
            "tensor t is there twice",
        ),
        (r#"{"t":{"dtype":"F33","shape":[4],"data_offsets":[0,16]}}"#, "its type F33 is not known"),
        (r#"{"t":{"dtype":"F32","shape":[5],"data_offsets":[0,16]}}"#, "its shape takes 20 bytes"),
        (r#"{"t":{"dtype":"F32","shape":[9223372036854775808,4],"data_offsets":[0,16]}}"#, "no whole number of bytes"),
        (r#"{"t":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}}"#, "no whole number of bytes"),
        (r#"{"t":{"dtype":"F32","shape":[-4],"data_offsets":[0,16]}}"#, "no list of numbers"),
        (r#"{"t":{"dtype":"F32","shape":[4],"data_offsets":[16,0]}}"#, "data_offsets are 16 and 0"),
        (r#"{"t":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}"#, "begins at byte 8"),
        (r#"{"t":{"dtype":"F32","shape":[4]}}"#, "is missing"),
        (r#"{"t":5}"#, "it is a whole number"),
        (r#"{"t":"#, "the header is no JSON"),
        ("[]", "neither"),
    ] {
        let said = ask_model_file(&json(header)).unwrap_or_else(|| "neither".into());
        assert!(said.contains(words), "{said} and not {words}");
    }
}

/// Found by the fuzzer: what a file says of itself reached a message as it stood.
#[test]
fn what_a_file_says_of_itself_is_shown_as_text() {
    let mut header = GgufHeader::default();
    header.string("general.architecture", "\0\x1b[31mred").tensor("t", &[8], 0, (1, 4));
    assert_eq!(ask_model_file(&header.bytes()), None);
    let Ok(ModelFile::Gguf(file)) = read(&header.bytes()) else { panic!() };
    assert_eq!(file.architecture().unwrap_err().to_string(), "the architecture ??[31mred is not read from GGUF files");
    let json = r#"{"\n\r":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
    refused_model(&safetensors(json, 8), "tensor ??: its data begins at byte 4");
    assert_eq!(ask_model_file(br#"{"model_type": "\u001b[31mred"}"#), None);
}

#[test]
fn a_header_cut_at_any_byte_is_said_to_be_cut() {
    let mut header = GgufHeader::default();
    header
        .string("general.architecture", "llama")
        .numbers("llama.list", &[1, 2, 3])
        .strings("tokenizer.ggml.tokens", 5)
        .tensor("token_embd.weight", &[32, 2], 8, (32, 34))
        .tensor("output.weight", &[32, 2], 8, (32, 34));
    let whole = header.bytes();
    for end in 4..whole.len() {
        let said = ask_model_file(&whole[..end]).unwrap_or_default();
        assert!(said.contains("cut short") || said.contains("longer than the file"), "{end}: {said}");
    }
    assert_eq!(ask_model_file(&whole), None);
    let file = safetensors(r#"{"t":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}"#, 16);
    let header = file.len() - 16;
    for end in 9..header {
        let said = ask_model_file(&file[..end]).unwrap_or_default();
        assert!(said.contains("longer than the file"), "{end}: {said}");
    }
}

#[test]
fn a_snapshot_cut_at_any_byte_is_refused_in_words() {
    let (pickle, _) = Training { layers: 2, steps: 2, ..SMALL }.pickle(4);
    for end in 0..pickle.len() {
        assert!(ask_snapshot(&pickle[..end]).is_some(), "{end}");
    }
    let (json, _) = Training { layers: 1, steps: 1, ..SMALL }.json();
    for end in (0..json.len()).step_by(7) {
        assert!(ask_snapshot(&json.as_bytes()[..end]).is_some(), "{end}");
    }
}

#[test]
fn what_is_no_snapshot_is_told_what_it_is() {
    for (bytes, words) in [
        (&b"\x1f\x8b\x08\x00"[..], "packed with gzip"),
        (b"PK\x03\x04", "torch.save"),
        (b"SQLite format 3\0", "a database"),
        (b"", "line 1"),
        (b"{}", "neither the segments nor the traces"),
        (b"[]", "neither the segments nor the traces"),
        (b"[1]", "segments[0] should be an object and is a whole number"),
        (b"[{}]", "neither the segments nor the traces"),
        (b"3", "neither the segments nor the traces"),
        (br#"{"segments": 3}"#, "segments should be a list and is a whole number"),
        (br#"{"segments": [], "device_traces": [[3]]}"#, "device_traces[0][0] should be an event"),
        (br#"{"segments": [{"total_size": -5}]}"#, "segments[0].total_size should be a number of bytes"),
        (br#"{"segments": [{"total_size": 5, "blocks": [{"size": "x"}]}]}"#, "segments[0].blocks[0].size should be a number"),
        (br#"{"segments": [{"total_size": 5, "blocks": [{"size": 9}]}]}"#, "no larger together than the segment"),
        (
            br#"{"segments": [{"total_size": 9223372036854775807}], "device_traces": [[{"action": "alloc", "addr": 1, "size": 9223372036854775807}]]}"#,
            "larger than any memory",
        ),
    ] {
        refused_snapshot(bytes, words);
    }
}

#[test]
fn lists_that_are_shared_are_walked_once() {
    // A trace of 30,000 names of the same trace of 30,000 events.
    let mut shared = vec![0x80, 4, b'}', b'('];
    let name = |bytes: &mut Vec<u8>, name: &str| {
        bytes.extend([0x8c, name.len() as u8]);
        bytes.extend(name.bytes());
    };
    name(&mut shared, "device_traces");
    // The event, value 0 of the memo, and the list of it, value 1.
    shared.extend([b']', b'(', b'}', 0x94, b'(']);
    for (field, number) in [("addr", 1), ("size", 2)] {
        name(&mut shared, field);
        shared.extend([b'K', number]);
    }
    name(&mut shared, "action");
    name(&mut shared, "alloc");
    shared.extend([b'u', b'0']);
    refused_snapshot(&shared, "POP is not an opcode");
    shared.pop();
    shared.pop();
    shared.push(b'u');
    let mut laughs = shared.clone();
    laughs.extend([b'h', 0].repeat(30_000));
    laughs.extend(b"eu.");
    refused_snapshot(&laughs, "device_traces[0] should be a list");
    // Segments whose list of blocks is one and the same.
    let mut segments = vec![0x80, 4, b'}', b'('];
    name(&mut segments, "segments");
    segments.extend([b']', b'(', b'}', 0x94, b'(']);
    name(&mut segments, "total_size");
    segments.extend([b'K', 0]);
    name(&mut segments, "blocks");
    segments.extend([b']', b'(', b'}', 0x94, b'(']);
    name(&mut segments, "size");
    segments.extend([b'K', 0, b'u']);
    segments.extend([b'h', 1].repeat(30_000));
    segments.extend(b"eu");
    segments.extend([b'h', 0].repeat(30_000));
    segments.extend(b"eu.");
    refused_snapshot(&segments, "repeats entries that it holds already");
}

#[test]
fn a_trace_that_names_an_event_twice_is_refused() {
    let mut pickle = vec![0x80, 4, b'}', b'(', 0x8c, 13];
    pickle.extend(b"device_traces");
    pickle.extend(b"](](}\x94(\x8c\x04addrK\x01\x8c\x04sizeK\x02\x8c\x06action\x8c\x05allocu");
    pickle.extend([b'h', 0].repeat(1_000));
    pickle.extend(b"eeu.");
    refused_snapshot(&pickle, "device_traces repeats entries");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_is_answered(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        ask_model_file(&bytes);
        ask_snapshot(&bytes);
        ask_snapshot(&[&[0x80, 4][..], &bytes].concat());
        ask_model_file(&[b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0", &bytes[..]].concat());
    }

    #[test]
    fn mutated_headers_are_answered(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = llama_1b().bytes();
        for (place, byte) in &places {
            let place = place.index(bytes.len());
            bytes[place] = *byte;
        }
        ask_model_file(&bytes);
        let mut bytes = safetensors(r#"{"__metadata__":{"a":"b"},"t.norm":{"dtype":"BF16","shape":[2,4],"data_offsets":[0,16]}}"#, 16);
        for (place, byte) in places {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        ask_model_file(&bytes);
    }

    #[test]
    fn mutated_snapshots_are_answered(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let run = Training { layers: 2, steps: 2, ..SMALL };
        let mut pickle = run.pickle(4).0;
        let mut json = run.json().0.into_bytes();
        for (place, byte) in places {
            let (one, two) = (place.index(pickle.len()), place.index(json.len()));
            pickle[one] = byte;
            json[two] = byte;
        }
        ask_snapshot(&pickle);
        ask_snapshot(&json);
    }

    /// Events in any order and of any size, as long as they are events: sums are those of the events.
    #[test]
    fn any_order_of_events_is_told(events in prop::collection::vec((0..6_usize, 0..8_u64, 0..1_000_u64), 0..300)) {
        let actions = ["alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "oom"];
        let list: Vec<_> = events
            .iter()
            .map(|(action, address, size)| serde_json::json!({"action": actions[*action], "addr": address, "size": size}))
            .collect();
        let text = serde_json::json!({"segments": [], "device_traces": [list]}).to_string();
        prop_assert_eq!(ask_snapshot(text.as_bytes()), None);
    }
}
