use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::fusion::Fusion;
use memory_wall_core::tables::gpus::{self, GPUS};

use super::*;
use crate::figures::{self, Bindings as _};
use crate::live::Snapshot;
use crate::state::State;

fn said(state: &State, binding: Binding) -> String {
    figures::said::<Model>(&Snapshot::of(*state), binding).replace(THIN_SPACE, " ")
}

#[test]
fn it_says_what_is_saved_and_when_it_is_not() {
    let state = State::default();
    for (binding, text) in [
        (Binding::Tokens, "2,048"),
        (Binding::Bytes(Fusion::Separate), "355 MB"),
        (Binding::Time(Fusion::Separate), "691 µs"),
        (Binding::Time(Fusion::Pointwise), "647 µs"),
        (Binding::Bytes(Fusion::Epilogue), "175 MB"),
        (Binding::Time(Fusion::Epilogue), "592 µs"),
        (Binding::Gain(Fusion::Epilogue), "1.17"),
        (Binding::Result, "45.1 MB"),
        (Binding::Room, "does not fit into"),
        (Binding::Product, "86%"),
        (Binding::Rest, "14%"),
    ] {
        assert_eq!(said(&state, binding), text, "{binding:?}");
    }
    assert_eq!(said(&State { seq_length: 1_024, ..state }, Binding::Room), "fits into");
    let apple = State { gpu: gpus::by_id("m4max").unwrap(), ..state };
    assert_eq!(said(&apple, Binding::Room), "may fit into");
}

#[test]
fn everything_is_said_at_any_size() {
    for gpu in GPUS {
        for (batch, seq_length) in [(1, 1), (1_000_000, 10_000_000)] {
            let state = State { batch, seq_length, gpu, ..State::default() };
            for binding in Binding::ALL {
                assert!(!said(&state, *binding).is_empty(), "{binding:?} on {}", gpu.id);
            }
        }
    }
}
