use super::*;
use memory_wall_core::advise::Rung;
use memory_wall_core::tables::gpus;
use memory_wall_core::{AdapterPrecision, TargetSet};

fn said(state: &State, name: &str) -> String {
    Snapshot::of(*state).value(&format!("train.{name}")).unwrap().replace(THIN_SPACE, " ")
}

fn seven() -> State {
    let mut state = State::default();
    state.choose_model(models::by_id("generic-7b").unwrap());
    state
}

#[test]
fn a_model_of_7_billion_takes_112_gb_of_states_by_the_usual_recipe() {
    let state = seven();
    for (column, each, terms, total) in [
        ("mixed", "16", "2 + 2 + 4 + 4 + 4", "112 GB"),
        ("mixed-fp32-grads", "18", "2 + 4 + 4 + 4 + 4", "126 GB"),
        ("without-master", "12", "2 + 2 + 4 + 4", "84.0 GB"),
        ("pure", "8", "2 + 2 + 2 + 2", "56.0 GB"),
        ("yours", "16", "2 + 2 + 4 + 4 + 4", "112 GB"),
    ] {
        assert_eq!(said(&state, &format!("{column}.each")), each);
        assert_eq!(said(&state, &format!("{column}.terms")), terms);
        assert_eq!(said(&state, &format!("{column}.total")), total);
    }
    // 84 GB in decimal units is less than the card has: the last GB are no room for activations.
    assert_eq!(said(&state, "without-master.left"), "1.20 GB left");
    assert_eq!(said(&state, "mixed.left"), "26.8 GB too much");
    assert!((STATES.answer)().is_some_and(|gb| (gb - 112.0).abs() < 1e-9));
}

#[test]
fn the_readers_choice_changes_its_own_column_only() {
    let state = State { optimizer: Optimizer::AdamW8bit, recipe: Recipe::Pure, ..State::default() };
    assert_eq!(said(&state, "yours.terms"), "2 + 2 + 1.02 + 1.02");
    assert_eq!(said(&state, "mixed.each"), "16");
    assert_eq!(said(&State { optimizer: Optimizer::Sgd, ..state }, "yours.terms"), "2 + 2");
}

#[test]
fn activations_are_not_one_constant() {
    let state = State::default();
    for (row, each, total) in [
        ("full", "2.00 h", "537 MB"),
        ("per-op", "15.4 h", "4.14 GB"),
        ("megatron", "32.1 h", "8.62 GB"),
        ("transformers", "45.5 h", "12.2 GB"),
        ("litgpt", "51.5 h", "13.8 GB"),
        ("autocast", "55.5 h", "14.9 GB"),
        ("eager", "142 h", "38.0 GB"),
        ("logits", "2.93 h", "786 MB"),
    ] {
        assert_eq!(said(&state, &format!("kept.{row}.each")), each, "{row}");
        assert_eq!(said(&state, &format!("kept.{row}.total")), total, "{row}");
    }
    let snapshot = Snapshot::of(state);
    assert_eq!((flag(&snapshot, "cut.eager"), flag(&snapshot, "cut.full")), (Some(true), Some(false)));
    // A vocabulary of 128k beside small layers.
    let mut small = State::default();
    small.choose_model(models::by_id("llama-3.2-1b").unwrap());
    assert_eq!(said(&small, "kept.logits.each"), "47.0 h");
}

#[test]
fn remedies_save_what_the_engine_says() {
    let state = State { batch: 8, ..State::default() };
    for (fix, saved) in [
        ("lora", "48.0 GB"),
        ("full-checkpointing", "93.5 GB"),
        ("8bit-optimizer", "40.2 GB"),
        ("smaller-micro-batch", "91.5 GB"),
        ("offload-optimizer", "80.9 GB"),
    ] {
        assert_eq!(said(&state, &format!("fix.{fix}.saved")), saved, "{fix}");
    }
    assert_eq!(said(&state, "fix.full-checkpointing.time"), "1.3×");
    assert_eq!(said(&State::default(), "fix.smaller-micro-batch.saved"), "nothing here");
    let pure = State { recipe: Recipe::Pure, ..state };
    assert!(said(&pure, "fix.lora.saved").ends_with("GB more"), "adapters in this code keep more than they free");
}

#[test]
fn what_lora_saves_follows_the_choice_of_adapters() {
    let state = State { batch: 8, ..State::default() };
    for (targets, adapters, saved) in [
        (TargetSet::All, AdapterPrecision::Fp32, "48.0 GB"),
        (TargetSet::QueriesAndValues, AdapterPrecision::Bf16, "119 GB"),
    ] {
        assert_eq!(said(&State { targets, adapters, ..state }, "fix.lora.saved"), saved);
    }
}

#[test]
fn mixed_precision_is_compared_with_fp32_that_treats_gradients_alike() {
    let state = State::default();
    let [before, after] = remedy(&state, "mixed-precision").unwrap();
    let [fp32, mixed] = [before, after].map(|scenario| evaluate::total(&scenario));
    // 16 bytes a parameter on both sides: with one sequence nothing worth mentioning is saved, and nothing is added.
    assert!(mixed <= fp32 && fp32.minus(mixed).0 < 1_000_000_000, "{fp32:?} {mixed:?}");
    // Eight sequences: half of the activations.
    let batch = State { batch: 8, ..state };
    assert_eq!(said(&batch, "fix.mixed-precision.saved"), "67.3 GB");
}

#[test]
fn a_remedy_changes_what_the_rung_of_its_name_changes() {
    for batch in [1, 8] {
        for recipe in Recipe::ALL {
            for optimizer in Optimizer::ALL {
                for checkpointing in Checkpointing::ALL {
                    let (recipe, optimizer, checkpointing) = (*recipe, *optimizer, *checkpointing);
                    let state = State { batch, optimizer, recipe, checkpointing, ..State::default() };
                    for id in FIXES {
                        let [before, after] = remedy(&state, id).unwrap();
                        let rung = Rung::from_id(id).unwrap().apply(&before);
                        assert_eq!(rung.unwrap_or(before), after, "{id} of {state:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn generating_and_training_stand_side_by_side_in_any_mode() {
    for mode in [Mode::Inference, Mode::Training, Mode::Qlora] {
        let state = State { mode, ..State::default() };
        for (name, text) in [
            ("weights.inference", "13.5 GB"),
            ("weights.training", "13.5 GB"),
            ("kv_cache.inference", "1.07 GB"),
            ("kv_cache.training", "none"),
            ("optimizer.inference", "none"),
            ("optimizer.training", "80.9 GB"),
            ("optimizer.training_bar", "32.63%"),
            ("total.training", "121 GB"),
        ] {
            assert_eq!(said(&state, &format!("side.{name}")), text, "{name}");
        }
    }
}

#[test]
fn every_name_has_an_answer_at_any_size_and_unknown_ones_have_none() {
    let columns = COLUMNS.iter().flat_map(|(id, _)| {
        let parts =
            StatePart::ALL.iter().flat_map(|part| ["top", "height"].map(|what| format!("{}.{what}", part.id())));
        parts.chain(["total", "left", "each"].map(String::from)).map(move |what| format!("{id}.{what}"))
    });
    let kept =
        KEPT.iter().flat_map(|(id, _)| ["bar", "scores", "each", "total"].map(|what| format!("kept.{id}.{what}")));
    let fixes = FIXES.iter().flat_map(|fix| ["saved", "total", "time", "left"].map(|what| format!("fix.{fix}.{what}")));
    let plain = ["line", "line_label", "has"].map(String::from);
    let names: Vec<String> = columns.chain(kept).chain(fixes).chain(plain).collect();
    for model in ["llama-3.2-1b", "llama-3.1-405b", "mixtral-8x7b", "gemma-2-2b"] {
        for (gpu, batch, seq_length) in [("t4", 1, 1), ("mi300x", 1_000_000, 10_000_000)] {
            let mut state = State { batch, seq_length, gpu: gpus::by_id(gpu).unwrap(), ..State::default() };
            state.choose_model(models::by_id(model).unwrap());
            let snapshot = Snapshot::of(state);
            for name in &names {
                let text = snapshot.value(&format!("train.{name}")).unwrap_or_default();
                assert!(
                    !text.is_empty() && !text.contains("NaN") && !text.starts_with("train."),
                    "{model} {name}: {text}"
                );
            }
            assert!(flag(&snapshot, "over.yours").is_some() && flag(&snapshot, "beyond").is_some());
        }
    }
    let snapshot = Snapshot::of(State::default());
    for name in
        ["", "x", "mixed", "mixed.x", "yours.first.x", "kept.x.bar", "kept.full.x", "fix.x.saved", "side.x.training"]
    {
        assert_eq!(snapshot.value(&format!("train.{name}")), None, "{name}");
    }
    assert_eq!((flag(&snapshot, "over.x"), flag(&snapshot, "cut.x")), (None, None));
}
