//! What the pictures are told, and what they are never told.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test that fails may panic, and the numbers here are small and whole"
)]

#[path = "../../reports/tests/made"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod made {
    pub(super) mod training;
    mod written;
}

use made::training::{SMALL, Training};
use memory_wall_reports::handover;
use serde_json::Value;

use super::{Views, flame, timeline};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn opened(bytes: &[u8]) -> (Views, Value) {
    let mut views = Views::new(false);
    let said = json(&views.open(bytes, 3));
    (views, said)
}

fn run() -> (Views, made::training::Expected) {
    let (pickle, expected) = Training { leaks: true, ..SMALL }.pickle(4);
    let (views, said) = opened(&pickle);
    assert_eq!(said["tables"][0]["text"], 3);
    assert!(said["notes"][0].as_str().unwrap().starts_with("Categories are guessed"));
    (views, expected)
}

#[test]
fn columns_cover_all_events_and_stack_up_to_what_was_allocated() {
    let (views, expected) = run();
    let summary = json(&views.summary());
    assert_eq!((&summary["events"], &summary["peak"]["bytes"]), (&expected.events.into(), &expected.peak.into()));
    assert_eq!(summary["categories"].as_array().unwrap().len() + 6, timeline::WIDTH);
    let events = expected.events as u32;
    let numbers = views.columns(0, events, 50);
    let columns: Vec<&[f64]> = numbers.chunks(timeline::WIDTH).collect();
    assert_eq!(columns.len(), 50);
    assert_eq!((columns[0][0], columns[49][1]), (0.0, f64::from(events)));
    for column in &columns {
        let sum: f64 = column[6..].iter().sum();
        assert!((sum - column[3]).abs() < 0.5 && column[2] <= column[3] && column[3] <= column[4], "{column:?}");
        assert!(column[0] <= column[5] && column[5] < column[1]);
    }
    let most = columns.iter().map(|column| column[3]).fold(0.0, f64::max);
    assert!((most - expected.peak as f64).abs() < 0.5);
    // Any stretch, and none.
    assert_eq!(views.columns(10, 14, 2_560).len(), 4 * timeline::WIDTH);
    assert!(views.columns(7, 7, 100).is_empty() && views.columns(u32::MAX, 0, u32::MAX).is_empty());
    assert_eq!(summary["stretches"].as_array().unwrap().len(), 12);
}

#[test]
fn a_moment_is_said_in_words_and_its_parts_add_up() {
    let (views, expected) = run();
    let peak = json(&views.summary())["peak"]["event"].as_f64().unwrap();
    let moment = json(&views.moment(peak));
    assert_eq!((&moment["phase"], &moment["place"]), (&"forward pass".into(), &peak.to_string().into()));
    assert_eq!(moment["time"], format!("{peak}\u{202f}µs"), "an event takes a microsecond there");
    let activations = moment["parts"].as_array().unwrap().iter().find(|part| part[0] == "Activations").unwrap();
    let saved = SMALL.layers * SMALL.saved_tensors * SMALL.saved;
    assert_eq!(activations[1], format!("{}\u{202f}MB", saved as f64 / 1e6).replace("1.2\u{202f}", "1.20\u{202f}"));
    let before = json(&views.moment(-1.0));
    assert_eq!((&before["event"], &before["size"]), (&(-1).into(), &"160\u{202f}kB".into()));
    // Beyond the end it is the end.
    for event in [1e300, f64::INFINITY] {
        assert_eq!(json(&views.moment(event))["event"], expected.events - 1);
    }
    assert_eq!(json(&views.moment(f64::NAN))["event"], -1);
}

#[test]
fn a_flame_graph_has_categories_and_functions_without_directories() {
    let (mut views, expected) = run();
    let peak = json(&views.summary())["peak"]["event"].as_f64().unwrap();
    let numbers = views.flame(peak, true);
    let names = json(&views.names());
    assert_eq!(names["cut"], false);
    let names: Vec<&str> = names["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let nodes: Vec<&[f64]> = numbers.chunks(flame::WIDTH).collect();
    assert_eq!((nodes[0][2], nodes[0][4]), (expected.peak as f64, -2.0));
    let name = |node: &[f64]| names[node[4] as usize];
    for node in nodes.iter().filter(|node| node[0] == 1.0) {
        assert!(["Weights", "Activations", "Temporary", "Optimizer states", "Other"].contains(&name(node)));
    }
    assert!(names.contains(&"forward (model.py:12)") && names.contains(&"main (train.py:30)"), "{names:?}");
    let keep = nodes.iter().position(|node| node[4] >= 0.0 && name(node) == "forward (model.py:12)").unwrap();
    let said = json(&views.node(keep as u32));
    assert_eq!(said["size"], "1.20\u{202f}MB");
    let top = json(&views.top(peak));
    assert_eq!(top["rows"][0][0], "forward (model.py:12)");
    let backward = json(&views.top(f64::from(u32::MAX)));
    let gradients = backward["rows"].as_array().unwrap().iter().find(|row| row[1] == "Gradients").unwrap();
    assert_eq!(gradients[0], "torch::autograd::Engine::evaluate_function(Node*)");
    for text in [names.join(" "), top.to_string(), views.summary()] {
        assert!(!text.contains("someone") && !text.contains("/data"), "{text}");
    }
}

#[test]
fn segments_are_mapped_to_the_byte_with_the_most_fragmented_first() {
    let (views, expected) = run();
    let numbers = views.map();
    let (mut at, mut sum, mut allocated, mut count) = (0, 0.0, 0.0, 0_u64);
    while let [size, runs, rest @ ..] = &numbers[at..] {
        let runs = &rest[..2 * *runs as usize];
        assert!((runs.chunks(2).map(|run| run[1]).sum::<f64>() - size).abs() < 0.5);
        allocated += runs.chunks(2).filter(|run| run[0] == 0.0).map(|run| run[1]).sum::<f64>();
        sum += size;
        count += 1;
        at += 2 + runs.len();
    }
    assert_eq!((sum as u64, allocated as u64), (expected.reserved, expected.allocated));
    let summary = json(&views.summary());
    assert_eq!(summary["segments"]["count"], count);
    // The table has room for 40 rows, and there are fewer.
    assert_eq!(summary["segments"]["rows"].as_array().unwrap().len() as u64, count.min(41));
    let first = json(&views.segment(0));
    assert_eq!(
        (&first["cells"][0], &first["cells"][1], &first["cached"]),
        (&"1".into(), &"large".into(), &false.into())
    );
    // Without a tensor it comes last.
    assert_eq!(json(&views.segment(count as u32 - 1))["cached"], true);
    assert_eq!(views.segment(u32::MAX), "{}");
}

#[test]
fn what_only_grows_is_named_with_its_growth() {
    let (views, _) = run();
    let leaks = json(&views.summary())["leaks"].clone();
    assert_eq!(leaks.as_array().unwrap().len(), 1);
    let leak = &leaks[0];
    assert_eq!((&leak["line"], &leak["stays"]), (&"keep (train.py:41)".into(), &"20\u{202f}B".into()));
    assert_eq!((&leak["growth"], &leak["steps"]), (&"4\u{202f}B–8\u{202f}B".into(), &false.into()));
    let (pickle, _) = SMALL.pickle(5);
    assert_eq!(json(&opened(&pickle).0.summary())["leaks"], Value::from(Vec::<u8>::new()));
}

#[test]
fn the_report_is_handed_over() {
    let (views, expected) = run();
    let reports = handover::read(&views.report()).unwrap();
    let allocated = reports[0].size(memory_wall_reports::What::Allocated).unwrap();
    assert_eq!(allocated.bytes as u64, expected.allocated);
}

#[test]
fn what_is_no_snapshot_is_answered_in_words_and_draws_nothing() {
    for (bytes, says) in
        [(&b"\x80\x04cos\nsystem\n."[..], "system"), (b"\x80\x04\x95", "end"), (b"\x80\x04]\x94.", "segments")]
    {
        let (mut views, said) = opened(bytes);
        assert!(said["refused"].as_str().unwrap().contains(says), "{said}");
        assert_eq!([views.summary(), views.moment(5.0), views.names(), views.node(0)], ["null"; 4]);
        assert!(views.columns(0, 9, 9).is_empty() && views.flame(0.0, true).is_empty());
        assert!(views.map().is_empty() && views.report().is_empty());
    }
    // JSON that names the word and is no snapshot is for others to read.
    assert_eq!(opened(br#"{"total_size": 5}"#).1, Value::Null);
    // Hostile numbers: everything is asked of what is read all the same.
    let most = u64::MAX;
    let text = format!(
        r#"{{"segments": [{{"device": 0, "address": {most}, "total_size": {most}, "blocks": [{{"address": 1, "size": {most}, "state": "active_pending_free"}}]}}], "device_traces": [[{{"action": "alloc", "addr": {most}, "size": {most}, "time_us": {most}, "frames": []}}]]}}"#
    );
    let (mut views, said) = opened(text.as_bytes());
    assert!(said.is_object(), "{said}");
    for event in [-1.0, 0.0, 1e9] {
        let _ = (views.moment(event), views.flame(event, false), views.names(), views.top(event));
    }
    let _ = (views.summary(), views.map(), views.segment(0), views.columns(0, most as u32, 10), views.node(9));
}
