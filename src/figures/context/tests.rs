use memory_wall_core::Mode;

use super::model::{DECADES, Decade, Sample, x};
use super::*;
use crate::figures::{self, Model as _};
use crate::live::Snapshot;
use crate::state::State;

fn of(state: &State) -> Model {
    Model::of(&Snapshot::of(*state))
}

fn said(state: &State, binding: Binding) -> String {
    figures::said::<Model>(&Snapshot::of(*state), binding)
}

#[test]
fn the_sentence_says_where_the_lines_cross() {
    assert_eq!(
        said(&State::default(), Binding::Sentence),
        "The KV cache passes the weights at 25,706 tokens; the total passes the GPU at 133,803 tokens."
    );
    let training = State { mode: Mode::Training, ..State::default() };
    assert_eq!(said(&training, Binding::Sentence), "Training keeps no KV cache; the GPU is too small at any length.");
}

#[test]
fn everything_drawn_lies_within_the_plot() {
    for (mode, batch, seq_length) in
        [(Mode::Inference, 1, 1), (Mode::Inference, 1_000_000, 10_000_000), (Mode::Training, 1_000_000, 1)]
    {
        let state = State { mode, batch, seq_length, ..State::default() };
        for binding in [
            Binding::WeightsAt,
            Binding::CapacityAt,
            Binding::TotalAt,
            Binding::KvCacheAt,
            Binding::TotalLabelAt,
            Binding::KvCacheLabelAt,
        ] {
            let at = said(&state, binding);
            let percent: f64 = at.strip_suffix('%').unwrap().parse().unwrap();
            assert!((0.0..=100.0).contains(&percent), "{binding:?}");
        }
        let model = of(&state);
        assert!(model.decade(Decade::ALL[0]).is_some());
        assert!(model.decade(Decade::ALL[DECADES - 1]).is_none(), "there is room for every decade");
        assert!(said(&state, Binding::TotalPoints).split(' ').count() > 40);
    }
}

#[test]
fn the_cache_is_a_straight_line_and_twice_the_tokens_are_one_octave_on() {
    let steps: Vec<f64> = [1_024, 2_048, 4_096, 8_192].map(x).windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-9));
    let model = of(&State::default());
    let height = |sample: &Sample| model.y(sample.kv_cache);
    let heights: Vec<f64> = model.samples.iter().step_by(4).map(height).collect();
    assert!(heights.windows(3).all(|h| ((h[0] - h[1]) - (h[1] - h[2])).abs() < 1e-9));
}
