use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::tables::{gpus, models};

use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;
use crate::state::spending::Spending;

fn said(state: &State, binding: Binding) -> String {
    figures::said::<Model>(&Snapshot::of(*state), binding).replace(THIN_SPACE, " ")
}

#[test]
fn the_page_starts_with_the_run_of_llama_2() {
    for (binding, text) in [
        (Binding::Parameters, "6.74 B"),
        (Binding::Tokens, "2 T"),
        (Binding::Flops, "8.09 × 10²²"),
        (Binding::Share, "30% to 45%"),
        (Binding::Gpus, "8"),
        // 8.086e22 / (312e12 × 0.45 × 3,600), and at 0.3.
        (Binding::Hours, "160,000 to 240,000"),
        (Binding::Time, "2.28 to 3.42 years"),
        (Binding::Rate, "18,500 to 27,800"),
        (Binding::Price, "$320,000 to $480,000"),
        // 160,000 × 400 W × 76%, and 240,000 × 400 W.
        (Binding::Energy, "48.6 to 96.0 MWh"),
        (Binding::PublishedHours, "184,320"),
        (Binding::PublishedTime, "21.0 years"),
        (Binding::Stated, "38% to 43%"),
        (Binding::Whole, "35%"),
        (Binding::BandFrom, "50.00%"),
        (Binding::BandWidth, "25.00%"),
    ] {
        assert_eq!(said(&State::default(), binding), text, "{binding:?}");
    }
    assert_eq!((DIAL.answer)(), Some(184_320.0));
}

#[test]
fn more_gpus_take_less_time_for_the_same_money() {
    let with = |gpus| State { spending: Spending { gpus, ..Spending::default() }, ..State::default() };
    assert_eq!(said(&with(1_024), Binding::Time), "6.51 to 9.76 days");
    assert_eq!(said(&with(1_024), Binding::Price), said(&with(8), Binding::Price));
    let sentence = said(&with(1), Binding::Sentence);
    assert!(sentence.contains("at least 2 of these GPUs"), "{sentence}");
    assert!(!said(&with(8), Binding::Sentence).contains("at least"));
}

#[test]
fn what_is_not_known_is_said() {
    let slow = gpus::by_id("rtx4090").unwrap();
    let state = State { gpu: slow, spending: Spending { gpus: 64, ..Spending::default() }, ..State::default() };
    assert_eq!([Binding::Hours, Binding::Share, Binding::Energy].map(|of| said(&state, of)), ["not known"; 3]);
    assert!(said(&state, Binding::Sentence).contains("not known"));
    let own = State { spending: Spending { mfu: [20_000, 10_000], ..state.spending }, ..state };
    assert_eq!(said(&own, Binding::Share), "10% to 20%");
    assert!(said(&own, Binding::Sentence).contains("MWh"));
    let unpriced = State { spending: Spending { price: 0, ..Spending::default() }, ..State::default() };
    assert_eq!([Binding::PerHour, Binding::Price].map(|of| said(&unpriced, of)), ["–"; 2]);
    assert!(!said(&unpriced, Binding::Sentence).contains("costs"));
}

#[test]
fn a_mixture_counts_what_a_token_visits() {
    let mut state = State::default();
    state.choose_model(models::by_id("mixtral-8x7b").unwrap());
    assert_eq!(said(&state, Binding::Parameters), "12.9 B");
    assert!(
        said(&State { spending: Spending { tokens: 0, ..state.spending }, ..state }, Binding::Tokens).contains('B')
    );
}
