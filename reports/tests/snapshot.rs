//! Snapshots of a run whose numbers are known: every reader of a snapshot finds them, whatever wrote it.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that fails may panic, and the sizes here are small"
)]

mod made;

use made::training::{Expected, SMALL, Training};
use memory_wall_reports::snapshot::{
    Action, BlockState, CATEGORIES, Category, Device, Flame, Moment, Node, Remark, Snapshot, leaks,
};

fn read(bytes: &[u8]) -> Snapshot {
    Snapshot::read(bytes).unwrap_or_else(|refused| panic!("{refused}"))
}

fn bytes(device: &Device, event: Option<u32>, category: Category) -> u64 {
    device.trace.timeline.composition(event)[category.place()]
}

fn holds(snapshot: &Snapshot, expected: &Expected) {
    let [device] = &snapshot.devices[..] else { panic!("{} devices", snapshot.devices.len()) };
    let (totals, trace) = (&device.totals, &device.trace);
    assert_eq!(trace.events.len() as u64, expected.events);
    assert_eq!(
        (totals.requested, totals.allocated, totals.reserved),
        (expected.requested, expected.allocated, expected.reserved)
    );
    assert_eq!(totals.active, totals.allocated);
    let end = trace.timeline.len().checked_sub(1);
    assert_eq!(bytes(device, end, Category::Weights), expected.weights);
    assert_eq!(bytes(device, end, Category::Gradients), expected.gradients);
    assert_eq!(bytes(device, end, Category::Optimizer), expected.optimizer);
    assert_eq!(bytes(device, end, Category::Activations), 0);
    assert_eq!(bytes(device, end, Category::Temporary), 0);
    assert_eq!(bytes(device, end, Category::Other), expected.leaked);
    assert_eq!(trace.peak().bytes, expected.peak);
    assert!(!trace.fit.is_incomplete(), "{:?}", trace.fit);
    assert!(trace.has_stacks && !trace.states_are_older && snapshot.has_requests);
}

#[test]
fn pickles_of_every_protocol_and_json_hold_the_same_run() {
    for leaks in [false, true] {
        let run = Training { leaks, ..SMALL };
        for protocol in 2..=5 {
            let (pickle, expected) = run.pickle(protocol);
            holds(&read(&pickle), &expected);
        }
        let (json, expected) = run.json();
        holds(&read(json.as_bytes()), &expected);
    }
}

/// By hand: 4 layers of 40,000 bytes, 3 tensors of 100,000 saved in each.
#[test]
fn the_numbers_of_the_run_are_those_of_a_hand_calculation() {
    let (pickle, _) = SMALL.pickle(4);
    let snapshot = read(&pickle);
    let device = &snapshot.devices[0];
    let peak = device.trace.peak();
    // Weights, two states, all activations, and the half-size temporary tensor of the last layer.
    assert_eq!(peak.bytes, 160_000 + 320_000 + 1_200_000 + 50_000);
    assert_eq!(peak.composition, [160_000, 0, 320_000, 1_200_000, 50_000, 0]);
    assert_eq!(peak.moment, Moment::Forward);
    // 40,000 bytes lie in blocks of 40,448, 100,000 in 100,352, and 50,000 in 50,176.
    assert_eq!(peak.rounded, 12 * 40_448 + 12 * 100_352 + 50_176);
    assert_eq!(device.totals.rounding(), 16 * 448);
    let free = (1 << 21) - 40_448;
    assert_eq!((device.totals.largest_free, device.totals.cached), (1 << 21, 1 << 21));
    assert_eq!(device.totals.fragmented, 16 * free);
    assert_eq!((device.totals.segments, device.totals.used_segments), (17, 16));
    let states = device.segments.iter().flat_map(|segment| &segment.blocks).map(|block| block.state);
    assert_eq!(states.filter(|state| *state == BlockState::Allocated).count(), 16);
    assert_eq!(snapshot.settings.len(), 4);
    assert!(snapshot.settings.contains(&("max_split_size".into(), "-1".into())));
}

#[test]
fn the_largest_at_the_peak_come_with_their_line() {
    let (pickle, _) = SMALL.pickle(5);
    let snapshot = read(&pickle);
    let trace = &snapshot.devices[0].trace;
    let top = trace.top(&snapshot.frames, trace.peak().event, 3);
    let shown: Vec<_> = top
        .iter()
        .map(|top| (top.bytes, top.count, top.category, top.line.map(|line| snapshot.frames.place(line))))
        .collect();
    assert_eq!(
        shown,
        [
            (1_200_000, 12, Category::Activations, Some("project/model.py:12".into())),
            (320_000, 8, Category::Optimizer, Some("project/train.py:30".into())),
            (160_000, 4, Category::Weights, None),
        ]
    );
}

#[test]
fn the_flame_graph_adds_up_and_stands_on_its_callers() {
    let (pickle, _) = SMALL.pickle(4);
    let snapshot = read(&pickle);
    let trace = &snapshot.devices[0].trace;
    for python_only in [false, true] {
        let peak = trace.peak();
        let flame = Flame::of(trace, &snapshot.frames, peak.event, python_only);
        let [root, nodes @ ..] = &flame.nodes[..] else { panic!() };
        assert_eq!((root.bytes, root.depth), (peak.bytes, 0));
        for node in nodes {
            let parent = flame.nodes[node.parent as usize];
            assert_eq!(node.depth, parent.depth + 1);
            assert!(node.start >= parent.start && node.start + node.bytes <= parent.start + parent.bytes);
        }
        let below: u64 = nodes.iter().filter(|node| node.depth == 1).map(|node| node.bytes).sum();
        assert_eq!(below, root.bytes);
        for (category, bytes) in CATEGORIES.into_iter().zip(peak.composition).filter(|(_, bytes)| *bytes > 0) {
            let node = nodes.iter().find(|it| it.node == Node::Category(category)).unwrap();
            assert_eq!((node.bytes, node.depth), (bytes, 1), "{category:?}");
        }
        let frames = nodes.iter().filter_map(|it| if let Node::Frame(frame) = it.node { Some(frame) } else { None });
        let names: Vec<String> = frames.map(|frame| snapshot.frames.name(frame)).collect();
        assert_eq!(names.iter().filter(|name| *name == "forward").count(), 2, "two lines of one function");
        assert_eq!(names.iter().any(|name| name.contains("malloc")), !python_only);
    }
}

#[test]
fn what_each_step_leaves_behind_is_a_leak_and_nothing_else_is() {
    let (pickle, expected) = Training { leaks: true, ..SMALL }.pickle(4);
    let snapshot = read(&pickle);
    let found = leaks(&snapshot.devices[0].trace, &snapshot.frames);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].bytes, found[0].count), (expected.leaked, 5));
    assert_eq!((found[0].growth, found[0].by_step), ([4, 8], false));
    assert_eq!(found[0].line.map(|line| snapshot.frames.place(line)), Some("project/train.py:41".into()));
    let (pickle, _) = SMALL.pickle(4);
    let snapshot = read(&pickle);
    assert!(leaks(&snapshot.devices[0].trace, &snapshot.frames).is_empty());
}

#[test]
fn a_trace_that_lost_its_beginning_still_knows_what_was_there() {
    let (json, expected) = SMALL.json();
    let mut dump: serde_json::Value = serde_json::from_str(&json).unwrap();
    let events = dump["device_traces"][0].as_array_mut().unwrap();
    // The ring buffer keeps the last two hundred.
    let lost = events.len() - 200;
    events.drain(..lost);
    let first_free = events.iter().filter(|event| event["action"] == "free_requested").count();
    assert!(first_free > 0);
    let snapshot = read(dump.to_string().as_bytes());
    let device = &snapshot.devices[0];
    let end = device.trace.timeline.len().checked_sub(1);
    assert_eq!(device.trace.timeline.allocated(end), expected.requested);
    // The states came in the part that is lost: what was there before cannot be told apart.
    assert_eq!(bytes(device, end, Category::Weights) + bytes(device, end, Category::Gradients), expected.requested);
    assert!(device.trace.peak().bytes <= expected.peak);
    assert!(!device.trace.fit.is_incomplete());
    dump["allocator_settings"]["trace_alloc_overflowed"] = true.into();
    let trace = &read(dump.to_string().as_bytes()).devices[0].trace;
    assert!(trace.fit.is_incomplete());
    assert_eq!(trace.remarks()[0], Remark::Overflowed);
}

#[test]
fn a_trace_that_does_not_fit_the_segments_is_not_believed() {
    let (json, _) = SMALL.json();
    let dump: serde_json::Value = serde_json::from_str(&json).unwrap();
    let fit = |dump: &serde_json::Value| read(dump.to_string().as_bytes()).devices[0].trace.fit;
    // An event in the middle is gone: what it freed lives on, in no block.
    let mut gone = dump.clone();
    let events = gone["device_traces"][0].as_array_mut().unwrap();
    let place = events.iter().position(|event| event["action"] == "free_requested").unwrap();
    events.drain(place..place + 2);
    let found = fit(&gone);
    assert!(found.is_incomplete() && found.strangers + found.repeated > 0, "{found:?}");
    // More is allocated than was ever reserved.
    let mut large = dump.clone();
    for event in large["device_traces"][0].as_array_mut().unwrap() {
        let size = event["size"].as_u64().unwrap();
        event["size"] = (size * 100).into();
    }
    assert!(fit(&large).above_reserved.is_some());
    let remarks = read(large.to_string().as_bytes()).devices[0].trace.remarks();
    assert!(remarks[0].to_string().starts_with("Trace incomplete: after event "), "{remarks:?}");
    // A refusal is counted.
    let mut refused = dump;
    let events = refused["device_traces"][0].as_array_mut().unwrap();
    events.push(serde_json::json!({"action": "oom", "device_free": 10, "size": 1 << 30, "stream": 0, "frames": []}));
    assert_eq!(fit(&refused).refusals, 1);
}

#[test]
fn without_a_trace_the_segments_are_told_all_the_same() {
    let (json, expected) = SMALL.json();
    let dump: serde_json::Value = serde_json::from_str(&json).unwrap();
    // `memory_snapshot()` writes the segments alone.
    let snapshot = read(dump["segments"].to_string().as_bytes());
    assert_eq!(snapshot.devices[0].totals.allocated, expected.allocated);
    let trace = &snapshot.devices[0].trace;
    assert!(trace.events.is_empty() && !trace.has_stacks);
    assert_eq!(trace.remarks(), [Remark::NoTrace]);
    assert_eq!((trace.peak().event, trace.peak().bytes), (None, expected.requested));
    assert!(trace.timeline.columns(0, u32::MAX, 100).is_empty());
}

#[test]
fn the_oldest_files_have_sizes_alone() {
    let old = r#"[{"device": 0, "address": 4096, "total_size": 2097152, "allocated_size": 1024, "active_size": 1024, "stream": 0,
        "segment_type": "small", "blocks": [
        {"size": 512, "state": "active_allocated", "history": [{"addr": 4096, "real_size": 100, "frames": []}]},
        {"size": 512, "state": "active_allocated"}, {"size": 512, "state": "active_awaiting_free"},
        {"size": 2095616, "state": "inactive"}]}]"#;
    let snapshot = read(old.as_bytes());
    let device = &snapshot.devices[0];
    let addresses: Vec<u64> = device.segments[0].blocks.iter().map(|block| block.address).collect();
    assert_eq!(addresses, [4_096, 4_608, 5_120, 5_632]);
    assert_eq!((device.totals.requested, device.totals.allocated, device.totals.active), (612, 1_024, 1_536));
    assert!(!snapshot.has_requests, "the second block does not say what was asked for");
}

#[test]
fn columns_show_every_event_and_their_composition_adds_up() {
    let (pickle, _) = SMALL.pickle(4);
    let snapshot = read(&pickle);
    let timeline = &snapshot.devices[0].trace.timeline;
    let columns = timeline.columns(0, timeline.len(), 50);
    assert_eq!(columns.len(), 50);
    assert_eq!(columns.iter().map(|column| column.most).max(), Some(timeline.peak().1));
    for column in columns {
        assert_eq!(column.composition.iter().sum::<u64>(), column.most);
        assert_eq!(timeline.allocated(Some(column.at)), column.most);
    }
    assert_eq!(CATEGORIES.len(), 6);
    // The run's clock starts at its first event and goes on by a microsecond each.
    let trace = &snapshot.devices[0].trace;
    let start = 1_700_000_000_000_001;
    assert_eq!([start - 1, start, start + 9].map(|time| trace.event_at(time)), [None, Some(0), Some(9)]);
    assert_eq!(trace.remarks(), [Remark::Guessed]);
}

#[test]
fn several_devices_are_kept_apart() {
    let (json, expected) = SMALL.json();
    let mut dump: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut second = dump["segments"].clone();
    for segment in second.as_array_mut().unwrap() {
        segment["device"] = 1.into();
    }
    let second = second.as_array().unwrap().clone();
    dump["segments"].as_array_mut().unwrap().extend(second);
    dump["device_traces"].as_array_mut().unwrap().push(serde_json::json!([]));
    let snapshot = read(dump.to_string().as_bytes());
    let [first, second] = &snapshot.devices[..] else { panic!() };
    assert_eq!((first.number, second.number), (0, 1));
    assert_eq!(first.totals, second.totals);
    assert_eq!(first.trace.events.len() as u64, expected.events);
    assert!(second.trace.events.is_empty());
    assert_eq!(first.trace.events[0].action, Action::Alloc);
    assert_eq!(snapshot.fullest().unwrap().number, 0);
}
