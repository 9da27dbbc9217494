use memory_wall_core::advise::Mitigation;
use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{AdapterPrecision, Checkpointing, Optimizer, Recipe, TargetSet, evaluate};

use super::view::time;
use super::*;
use crate::figures::{self, Bindings as _};
use crate::live::Snapshot;
use crate::state::State;

fn said(state: &State, binding: Binding) -> String {
    figures::said::<Model>(&Snapshot::of(*state), binding).replace(THIN_SPACE, " ")
}

#[test]
fn fixes_save_what_the_engine_says() {
    let state = State { batch: 8, ..State::default() };
    for (fix, saved) in [
        (Fix::Lora, "48.0 GB"),
        (Fix::FullCheckpointing, "93.5 GB"),
        (Fix::EightBitOptimizer, "40.2 GB"),
        (Fix::SmallerMicroBatch, "91.5 GB"),
        // 12 bytes a parameter of states and 2 of gradients, less room for the largest of these.
        (Fix::OffloadOptimizer, "94.1 GB"),
    ] {
        assert_eq!(said(&state, Binding::Saved(fix)), saved, "{fix:?}");
    }
    assert_eq!(time(Fix::FullCheckpointing, &state), "1.3×");
    assert_eq!(said(&State::default(), Binding::Saved(Fix::SmallerMicroBatch)), "nothing here");
    let pure = State { recipe: Recipe::Pure, ..state };
    let more = said(&pure, Binding::Saved(Fix::Lora));
    assert!(more.ends_with("GB more"), "adapters in this code keep more than they free: {more}");
}

#[test]
fn what_lora_saves_follows_the_choice_of_adapters() {
    let state = State { batch: 8, ..State::default() };
    for (targets, adapters, saved) in [
        (TargetSet::All, AdapterPrecision::Fp32, "48.0 GB"),
        (TargetSet::QueriesAndValues, AdapterPrecision::Bf16, "119 GB"),
    ] {
        assert_eq!(said(&State { targets, adapters, ..state }, Binding::Saved(Fix::Lora)), saved);
    }
}

#[test]
fn mixed_precision_is_compared_with_fp32_that_treats_gradients_alike() {
    let state = State::default();
    let [before, after] = Fix::MixedPrecision.applied(&state).unwrap();
    let [fp32, mixed] = [before, after].map(|scenario| evaluate::total(&scenario));
    // 16 bytes a parameter on both sides: with one sequence nothing worth mentioning is saved, and nothing is added.
    assert!(mixed <= fp32 && fp32.minus(mixed).0 < 1_000_000_000, "{fp32:?} {mixed:?}");
    // Eight sequences: half of the activations.
    let batch = State { batch: 8, ..state };
    assert_eq!(said(&batch, Binding::Saved(Fix::MixedPrecision)), "67.3 GB");
}

#[test]
fn a_fix_changes_what_the_engines_own_of_its_name_changes() {
    for batch in [1, 8] {
        for recipe in Recipe::ALL {
            for optimizer in Optimizer::ALL {
                for checkpointing in Checkpointing::ALL {
                    let (recipe, optimizer, checkpointing) = (*recipe, *optimizer, *checkpointing);
                    let state = State { batch, optimizer, recipe, checkpointing, ..State::default() };
                    for fix in Fix::ALL {
                        let Some([before, after]) = fix.applied(&state) else {
                            // bitsandbytes takes no step on the CPU.
                            assert!(
                                fix == Fix::OffloadOptimizer && optimizer.of_bitsandbytes(),
                                "{fix:?} of {state:?}"
                            );
                            continue;
                        };
                        let rung = Mitigation::from_id(fix.id()).unwrap().apply(&before);
                        assert_eq!(rung.unwrap_or(before), after, "{fix:?} of {state:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn everything_is_said_at_any_size() {
    for model in ["llama-3.2-1b", "llama-3.1-405b", "mixtral-8x7b", "gemma-2-2b"] {
        for (gpu, batch, seq_length) in [("t4", 1, 1), ("mi300x", 1_000_000, 10_000_000)] {
            let mut state = State { batch, seq_length, gpu: gpus::by_id(gpu).unwrap(), ..State::default() };
            state.choose_model(models::by_id(model).unwrap());
            for binding in Binding::ALL {
                assert!(!said(&state, *binding).is_empty(), "{model} {binding:?}");
            }
            for fix in Fix::ALL {
                let text = time(fix, &state);
                assert!(text.ends_with('×') && !text.contains("NaN"), "{model} {fix:?}: {text}");
            }
        }
    }
}
