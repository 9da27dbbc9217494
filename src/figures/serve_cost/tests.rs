use memory_wall_core::Mode;
use memory_wall_core::display::THIN_SPACE;

use super::model::BATCHES;
use super::*;
use crate::figures::{self, Nth};
use crate::live::Snapshot;
use crate::state::State;
use crate::state::spending::Spending;

fn said(state: &State, binding: Binding) -> String {
    figures::said::<Model>(&Snapshot::of(*state), binding).replace(THIN_SPACE, " ")
}

/// The two ends of a range without their unit.
fn ends(text: &str) -> [f64; 2] {
    let read = |part: &str| {
        let digits: String = part.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
        digits.parse().unwrap()
    };
    let (from, to) = text.split_once(" to ").unwrap();
    [read(from), read(to)]
}

#[test]
fn one_user_of_llama_2_on_an_a100_is_served_as_it_was_measured() {
    let [least, most] = ends(&said(&State::default(), Binding::Written));
    // gpt-fast writes 104.9 tokens a second, at a shorter context.
    assert!(least < 104.9 && 104.9 < most, "{least} to {most}");
    let [soonest, latest] = ends(&said(&State::default(), Binding::Ttft));
    // TensorRT-LLM answers after 120.5 ms.
    assert!(soonest < 120.5 && 120.5 < latest, "{soonest} to {latest} ms");
    // At 2 dollars an hour, a million tokens at 100 a second would cost 5.56.
    let [cheap, dear] = ends(&said(&State::default(), Binding::Out));
    assert!((cheap - 2e6 / 3_600.0 / most).abs() < 0.05 && (dear - 2e6 / 3_600.0 / least).abs() < 0.1);
    let [read, _] = ends(&said(&State::default(), Binding::In));
    assert!(read < cheap / 10.0, "reading is cheaper: {read} and {cheap}");
}

#[test]
fn a_batch_makes_tokens_cheap_until_it_does_not_fit() {
    let state = State::default();
    let price = |lane| ends(&said(&state, Binding::LanePrice(lane)))[0];
    for (less, more) in Nth::<{ BATCHES.len() }>::ALL.into_iter().zip(Nth::ALL.into_iter().skip(1)) {
        assert!(price(more) < price(less), "{more:?}");
    }
    // A sequence of 2,048 tokens has a cache of 1.07 GB, and beside the weights about 70 GB are free.
    let over: Vec<u32> = BATCHES
        .into_iter()
        .zip(Nth::ALL)
        .filter(|(_, lane)| !said(&state, Binding::Over(*lane)).is_empty())
        .map(|(batch, _)| batch)
        .collect();
    assert_eq!(over, [128]);
    assert!(said(&State { batch: 128, ..state }, Binding::Sentence).contains("do not fit"));
    assert_eq!(said(&state, Binding::LaneNote(Nth(7))), "does not fit");
}

#[test]
fn training_shows_how_the_same_model_is_served() {
    let trained = State { mode: Mode::Training, ..State::default() };
    assert_eq!(said(&trained, Binding::Sentence), said(&State::default(), Binding::Sentence));
    let unpriced = State { spending: Spending { price: 0, ..Spending::default() }, ..State::default() };
    assert_eq!(said(&unpriced, Binding::Out), "–");
    assert!(consequence(&Snapshot::of(State::default())).ends_with("tokens a second together"));
}
