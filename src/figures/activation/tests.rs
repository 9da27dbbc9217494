use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::tables::models;

use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;

fn said(state: &State, binding: Binding) -> String {
    figures::said::<Model>(&Snapshot::of(*state), binding).replace(THIN_SPACE, " ")
}

#[test]
fn activations_are_not_one_constant() {
    let state = State::default();
    for (row, each, total) in [
        (Row::Full, "2.00 h", "537 MB"),
        (Row::PerOp, "15.4 h", "4.14 GB"),
        (Row::Megatron, "32.1 h", "8.62 GB"),
        (Row::Transformers, "45.5 h", "12.2 GB"),
        (Row::Litgpt, "51.5 h", "13.8 GB"),
        (Row::Autocast, "55.5 h", "14.9 GB"),
        (Row::Eager, "142 h", "38.0 GB"),
        (Row::Logits, "2.93 h", "786 MB"),
    ] {
        assert_eq!(said(&state, Binding::Each(row)), each, "{row:?}");
        assert_eq!(said(&state, Binding::Total(row)), total, "{row:?}");
    }
    assert_eq!([Row::Eager, Row::Full].map(|row| said(&state, Binding::Cut(row))), ["1", ""]);
    // A vocabulary of 128k beside small layers.
    let mut small = State::default();
    small.choose_model(models::by_id("llama-3.2-1b").unwrap());
    assert_eq!(said(&small, Binding::Each(Row::Logits)), "47.0 h");
}

#[test]
fn a_slider_says_what_stock_code_saves() {
    let said = consequence(&Snapshot::of(State::default())).replace(THIN_SPACE, " ");
    assert!(said.contains("12.2 GB"), "{said}");
}
