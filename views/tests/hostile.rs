//! Snapshots that nobody should write, and questions that no picture asks: answers within bounds, or words. Nothing panics.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that fails may panic, and the numbers here are cut on purpose"
)]

#[path = "common/hostile.rs"]
mod hostile;
#[path = "../../reports/tests/made"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod made {
    pub(super) mod training;
    mod written;
}

use hostile::{QUESTION, ask_views};
use made::training::{SMALL, Training};
use proptest::prelude::*;

const RUN: Training = Training { layers: 2, steps: 2, leaks: true, ..SMALL };

/// The questions in front of a snapshot, as the fuzzer has them.
fn asked(questions: &[(u8, u64, u64)], snapshot: &[u8]) -> Vec<u8> {
    let mut bytes = vec![questions.len() as u8];
    for (kind, first, second) in questions {
        bytes.push(*kind);
        bytes.extend(first.to_le_bytes());
        bytes.extend(second.to_le_bytes());
        assert_eq!(bytes.len() % QUESTION, 1);
    }
    bytes.extend(snapshot);
    bytes
}

#[test]
fn a_snapshot_is_read_behind_its_questions() {
    let (pickle, _) = RUN.pickle(4);
    let ends =
        [0, 1, 1 << 31, u64::from(u32::MAX), u64::MAX, f64::NAN.to_bits(), (-1.0_f64).to_bits(), 7e9_f64.to_bits()];
    let pairs = ends.iter().flat_map(|first| ends.map(|second| (*first, second)));
    for kind in 0..8 {
        let questions: Vec<(u8, u64, u64)> = pairs.clone().map(|(first, second)| (kind, first, second)).collect();
        assert!(ask_views(&asked(&questions, &pickle)));
    }
    assert!(ask_views(&asked(&[], &pickle)) && ask_views(&asked(&[], RUN.json().0.as_bytes())));
    assert!(!ask_views(&[]) && !ask_views(&[200]) && !ask_views(&asked(&[(3, 0, 0)], b"{}")));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn noise_is_answered(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        ask_views(&bytes);
        ask_views(&asked(&[(2, 0, 0)], &[&[0x80, 4][..], &bytes].concat()));
    }

    #[test]
    fn mutated_snapshots_are_answered(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        questions in prop::collection::vec((any::<u8>(), any::<u64>(), any::<u64>()), 0..8),
    ) {
        let (mut pickle, mut json) = (RUN.pickle(4).0, RUN.json().0.into_bytes());
        for (place, byte) in places {
            let (one, two) = (place.index(pickle.len()), place.index(json.len()));
            (pickle[one], json[two]) = (byte, byte);
        }
        ask_views(&asked(&questions, &pickle));
        ask_views(&asked(&questions, &json));
    }

    /// Events in any order and of any size, and segments that overlap.
    #[test]
    fn any_order_of_events_is_drawn(
        events in prop::collection::vec((0..6_usize, 0..8_u64, 0..1_000_u64), 0..100),
        segments in prop::collection::vec((0..8_u64, 0..1_000_u64, 0..1_000_u64), 0..20),
        questions in prop::collection::vec((any::<u8>(), any::<u64>(), any::<u64>()), 0..8),
    ) {
        let actions = ["alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "oom"];
        let events: Vec<_> = events
            .iter()
            .map(|(action, address, size)| serde_json::json!({"action": actions[*action], "addr": address, "size": size}))
            .collect();
        let segments: Vec<_> = segments
            .iter()
            .map(|(address, size, block)| {
                let block = block.min(size);
                serde_json::json!({"address": address, "total_size": size, "blocks": [{"size": block, "state": "active_allocated"}]})
            })
            .collect();
        let text = serde_json::json!({"segments": segments, "device_traces": [events]}).to_string();
        ask_views(&asked(&questions, text.as_bytes()));
    }
}
