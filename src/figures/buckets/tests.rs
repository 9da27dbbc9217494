use memory_wall_core::Bucket;
use memory_wall_core::display::THIN_SPACE;

use super::*;
use crate::figures::said;
use crate::live::Snapshot;
use crate::state::State;

fn at(state: &State, binding: Binding) -> String {
    said::<Model>(&Snapshot::of(*state), binding).replace(THIN_SPACE, " ")
}

#[test]
fn the_exercise_reads_as_the_prose_promises() {
    let long = |seq_length| State { seq_length, ..State::default() };
    assert_eq!(at(&long(2_048), Binding::Size(Bucket::KvCache)), "1.07 GB");
    assert_eq!(at(&long(128_000), Binding::Size(Bucket::KvCache)), "67.1 GB");
    assert_eq!(at(&long(128_000), Binding::Size(Bucket::Weights)), "13.5 GB");
    assert_eq!(at(&long(128_000), Binding::Bytes(Bucket::KvCache)), "67108864000");
    assert!(at(&long(128_000), Binding::Summary).ends_with("Largest part: KV cache, 82%."));
    assert_eq!(at(&long(4_096), Binding::MaxBatch), "32");
}

#[test]
fn every_share_and_size_of_a_state_is_written_without_nan() {
    for (batch, seq_length) in [(1, 1), (1_000_000, 10_000_000)] {
        for binding in [
            Binding::Summary,
            Binding::Share(Bucket::KvCache),
            Binding::Top(Bucket::KvCache),
            Binding::Line,
            Binding::Margin,
            Binding::AnswerContext,
        ] {
            let text = at(&State { batch, seq_length, ..State::default() }, binding);
            assert!(!text.is_empty() && !text.contains("NaN") && !text.contains("inf"), "{binding:?}: {text}");
        }
    }
}
