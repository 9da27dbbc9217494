//! The reader's model in training, which several figures show whatever the calculator is set to.

use memory_wall_core::display::{ByteUnit, Size};
use memory_wall_core::{Bytes, Checked, Mode, Optimizer, Recipe, Scenario, WeightFormat};

use crate::state::State;
use crate::words;

/// As the reader has chosen.
pub fn own(state: &State) -> Checked {
    State { mode: Mode::Training, ..*state }.scenario()
}

/// With a recipe and `AdamW`, from 16-bit weights.
pub fn with(state: &State, recipe: Recipe) -> Option<Checked> {
    let plain = |it: &mut Scenario| {
        (it.weights, it.training.recipe, it.optimizer) = (WeightFormat::Bf16, recipe, Optimizer::AdamW);
    };
    own(state).with(plain).ok()
}

/// What so many bytes leave of the GPU's memory, or by how much they exceed it.
pub fn left(capacity: Bytes, bytes: Bytes, unit: ByteUnit) -> String {
    let margin = capacity.minus(bytes);
    let n = &Size::new(margin.magnitude(), unit).to_string();
    if margin.0 < 0 { words::TrainOver { n }.text() } else { words::TrainLeft { n }.text() }
}
