//! The table beside hand calculations.

use super::reasons::Change;
use super::*;
use memory_wall_core::{Attention, Checkpointing, Mode, Recipe, tables::models};

const P: u64 = 1_235_814_400;

fn llama(recipe: Recipe) -> Checked {
    let mut scenario = Scenario::new(models::by_id("llama-3.2-1b").unwrap().architecture);
    (scenario.mode, scenario.batch, scenario.seq_length) = (Mode::Training, 4, 2_048);
    scenario.training.recipe = recipe;
    scenario.check().unwrap()
}

fn measured(moment: Moment, parts: [u64; 9]) -> Measured {
    Measured { moment, parts, states_come_later: false, states_are_older: false, is_mostly_cached: false }
}

fn line(lines: &[Line], part: Part) -> Line {
    *lines.iter().find(|line| line.part == part).unwrap()
}

/// Bytes a parameter by hand: mixed precision keeps 2 + 2 + 12, a model in bf16 2 + 2 + 4.
#[test]
fn states_of_a_third_are_those_of_a_model_in_bf16() {
    let found = measured(Moment::OptimizerStep, [2 * P, 2 * P, 4 * P, 0, 0, 0, 0, 1_000, 5_000_000]);
    let lines = beside(&found, &llama(Recipe::Mixed));
    let optimizer = line(&lines, Part::Optimizer);
    assert_eq!(optimizer.estimate, Some(Bytes(u128::from(12 * P))));
    assert_eq!(optimizer.reason, Some(Reason::SixteenBits));
    assert_eq!(line(&lines, Part::Weights).reason, None);
    assert_eq!(line(&lines, Part::Unused).reason, Some(Reason::Fragmented));
    let same = beside(&found, &llama(Recipe::Pure));
    assert_eq!(
        line(&same, Part::Optimizer),
        Line { estimate: Some(Bytes(u128::from(4 * P))), reason: None, ..optimizer }
    );
}

#[test]
fn a_little_more_than_the_weights_is_named() {
    let scenario = llama(Recipe::Fp32).with(|it| it.weights = memory_wall_core::WeightFormat::Fp32).unwrap();
    let with = |more: u64| {
        let lines = beside(&measured(Moment::OptimizerStep, [4 * P + more, 0, 0, 0, 0, 0, 0, 0, 0]), &scenario);
        line(&lines, Part::Weights).reason
    };
    assert_eq!(with(0), None);
    assert_eq!(with(1_048_576 + 65_536), Some(Reason::Buffers));
    assert_eq!(with(2 * 33_554_432 + 65_536), Some(Reason::Workspace));
}

#[test]
fn states_that_are_not_there_are_explained_by_when_it_was() {
    let found = measured(Moment::Backward, [2 * P, 0, 0, 0, 0, 0, 67_108_864, 0, 0]);
    let reason = |found: &Measured, part| line(&beside(found, &llama(Recipe::Pure)), part).reason;
    assert_eq!(reason(&Measured { states_come_later: true, ..found }, Part::Optimizer), Some(Reason::StatesNotYet));
    let older = Measured { states_are_older: true, ..found };
    assert_eq!(reason(&older, Part::Optimizer), Some(Reason::StatesAmongWeights));
    assert_eq!(reason(&found, Part::Other), Some(Reason::Workspace));
}

#[test]
fn activations_of_another_setting_are_told_by_it() {
    let scenario = llama(Recipe::Pure);
    for (reason, change) in [
        (Reason::Checkpointing, (|it| it.checkpointing = Checkpointing::Full) as Change),
        (Reason::EagerAttention, |it| it.attention = Attention::Eager),
        (Reason::DoubleBatch, |it| it.batch = 8),
    ] {
        let other = scenario.with(change).unwrap();
        let lines = beside(&measured(Moment::Forward, [0; 9]), &other);
        let bytes = u64::try_from(line(&lines, Part::Activations).estimate.unwrap().0).unwrap();
        let mut parts = [0; 9];
        parts[3] = bytes;
        let lines = beside(&measured(Moment::Forward, parts), &scenario);
        assert_eq!(line(&lines, Part::Activations).reason, Some(reason));
    }
}

/// 4 × 2,048 × 128,256 × 2 and × 4 bytes.
#[test]
fn logits_are_told_by_their_size() {
    let scenario = llama(Recipe::Pure);
    let bf16 = 2_101_346_304_u64;
    let dump = alloc::format!(
        r#"{{"segments": [], "device_traces": [[
        {{"action": "alloc", "addr": 1, "size": {bf16}}}, {{"action": "alloc", "addr": 2, "size": {}}}, {{"action": "alloc", "addr": 3, "size": 77}}]]}}"#,
        2 * bf16
    );
    let snapshot = crate::snapshot::Snapshot::read(dump.as_bytes()).unwrap();
    let found = Measured::of(&AtPeak::of(&snapshot.devices[0]).unwrap(), &scenario);
    assert_eq!(found.parts, [0, 0, 0, 0, 3 * bf16, 0, 77, 2 * 512 - 77 - 512, 0]);
}
