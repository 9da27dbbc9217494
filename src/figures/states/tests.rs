use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::tables::models;
use memory_wall_core::{Optimizer, Recipe};

use super::view::terms;
use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;

fn said(state: &State, binding: Binding) -> String {
    figures::said::<Model>(&Snapshot::of(*state), binding).replace(THIN_SPACE, " ")
}

fn written(state: &State, column: Column) -> String {
    terms(&column.run(state).unwrap())
}

#[test]
fn a_model_of_7_billion_takes_112_gb_of_states_by_the_usual_recipe() {
    let mut state = State::default();
    state.choose_model(models::by_id("generic-7b").unwrap());
    for (column, each, terms, total) in [
        (Column::Mixed, "16", "2 + 2 + 4 + 4 + 4", "112 GB"),
        (Column::MixedFp32Grads, "18", "2 + 4 + 4 + 4 + 4", "126 GB"),
        (Column::WithoutMaster, "12", "2 + 2 + 4 + 4", "84.0 GB"),
        (Column::Pure, "8", "2 + 2 + 2 + 2", "56.0 GB"),
        (Column::Yours, "16", "2 + 2 + 4 + 4 + 4", "112 GB"),
    ] {
        assert_eq!(said(&state, Binding::Each(column)), each);
        assert_eq!(written(&state, column), terms);
        assert_eq!(said(&state, Binding::Total(column)), total);
    }
    // 84 GB in decimal units is less than the GPU has: the last GB is no room for activations.
    assert_eq!(said(&state, Binding::Left(Column::WithoutMaster)), "974 MB left");
    assert_eq!(said(&state, Binding::Left(Column::Mixed)), "27.0 GB too much");
    assert!((DIAL.answer)().is_some_and(|gb| (gb - 112.0).abs() < 1e-9));
}

#[test]
fn the_readers_choice_changes_its_own_column_only() {
    let state = State { optimizer: Optimizer::AdamW8bit, recipe: Recipe::Pure, ..State::default() };
    assert_eq!(written(&state, Column::Yours), "2 + 2 + 1.02 + 1.02");
    assert_eq!(said(&state, Binding::Each(Column::Mixed)), "16");
    assert_eq!(written(&State { optimizer: Optimizer::Sgd, ..state }, Column::Yours), "2 + 2");
}
