//! What must hold of any bytes as a snapshot, whatever is asked of it. The fuzzer asks the same.

use memory_wall_views::Views;
use serde_json::Value;

/// Bytes of a question: which one, and two numbers.
pub(crate) const QUESTION: usize = 17;
/// Numbers of a picture, and letters of an answer in words, at most.
const MOST: usize = 1 << 20;

/// The first byte says how many questions follow; behind them is the snapshot. Whether it was read as one.
pub(crate) fn ask_views(bytes: &[u8]) -> bool {
    let Some((count, rest)) = bytes.split_first() else { return false };
    let (questions, snapshot) = rest.split_at((usize::from(*count) * QUESTION).min(rest.len()));
    let mut views = Views::new(count % 2 == 1);
    let opened = json(&views.open(snapshot, 7));
    let is_read = opened.get("tables").is_some();
    if let Some(why) = opened.get("refused") {
        let why = why.as_str().unwrap_or_default();
        assert!(!why.is_empty() && why.len() < 1_000, "{why}");
    }
    assert_eq!(views.report().is_empty(), !is_read);
    let summary = json(&views.summary());
    assert!(is_read || summary.is_null());
    // What the page asks by itself, and then anything.
    let peak = summary["peak"]["event"].as_f64().unwrap_or(-1.0);
    for kind in 0..8 {
        ask(&mut views, kind, peak.to_bits(), 600);
    }
    for question in questions.chunks_exact(QUESTION) {
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| question[at + byte]));
        ask(&mut views, question[0], number(1), number(9));
    }
    is_read
}

/// One question, and what holds of its answer.
fn ask(views: &mut Views, kind: u8, first: u64, second: u64) {
    let [low, high] = [second, second >> 32].map(|number| (number & u64::from(u32::MAX)) as u32);
    let event = f64::from_bits(first);
    match kind % 8 {
        0 => {
            let (from, count) = (first as u32, high);
            let columns = views.columns(from, low, count);
            numbers(&columns);
            assert!(columns.len() <= 12 * count as usize && columns.len().is_multiple_of(12));
        }
        1 => drop(json(&views.moment(event))),
        2 => {
            let nodes = views.flame(event, second.is_multiple_of(2));
            numbers(&nodes);
            assert!(nodes.len() <= MOST && nodes.len().is_multiple_of(5));
            let names = json(&views.names());
            let names = names["names"].as_array().map_or(0, Vec::len);
            for node in nodes.chunks_exact(5) {
                assert!(node[4] < names as f64, "{node:?} of {names}");
            }
        }
        3 => drop(json(&views.names())),
        4 => drop(json(&views.node(low))),
        5 => drop(json(&views.top(event))),
        6 => {
            let map = views.map();
            numbers(&map);
            assert!(map.len() <= MOST);
        }
        _ => drop(json(&views.segment(low))),
    }
}

fn numbers(numbers: &[f64]) {
    assert!(numbers.iter().all(|number| number.is_finite()));
}

/// An answer in JSON, of a length that a page can show.
fn json(text: &str) -> Value {
    assert!(text.len() < MOST, "{} bytes", text.len());
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
