//! What lists and rows of buttons offer.

use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::tables::models::MODELS;
use memory_wall_core::{AdapterPrecision, Optimizer, Recipe, TargetSet, WeightFormat};

use crate::state::State;
use crate::words::labels;

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its short name, as in links.
    pub id: &'static str,
    /// Its words.
    pub label: String,
    /// The heading it stands under; empty for none.
    pub group: &'static str,
}

impl Choice {
    /// A choice that is called by its name.
    pub fn plain(id: &'static str, label: &str) -> Self {
        Self { id, label: label.into(), group: "" }
    }
}

/// Choices of an enumeration, each by its id and its word.
pub fn worded<T: Copy>(all: &[T], id: fn(T) -> &'static str, word: fn(T) -> &'static str) -> Vec<Choice> {
    all.iter().map(|one| Choice::plain(id(*one), word(*one))).collect()
}

/// Every model.
pub fn models() -> Vec<Choice> {
    MODELS.iter().map(|one| Choice { id: one.id, label: one.name.into(), group: one.family }).collect()
}

/// Every GPU.
pub fn gpus() -> Vec<Choice> {
    GPUS.iter().map(|one| Choice { id: one.id, label: one.name.into(), group: one.vendor }).collect()
}

/// Every format of the weights.
pub fn formats() -> Vec<Choice> {
    WeightFormat::ALL.iter().map(|one| Choice::plain(one.id(), one.label())).collect()
}

/// Whether the mode can use a format of the weights.
pub fn takes(state: &State, format: &str) -> bool {
    WeightFormat::from_id(format).is_some_and(|format| state.mode.takes(format))
}

/// Every optimizer.
pub fn optimizers() -> Vec<Choice> {
    worded(Optimizer::ALL, Optimizer::id, labels::optimizer)
}

/// How the states of training can be kept.
pub fn recipes() -> Vec<Choice> {
    worded(Recipe::ALL, Recipe::id, labels::recipe)
}

/// The layers that carry an adapter.
pub fn targets() -> Vec<Choice> {
    worded(TargetSet::ALL, TargetSet::id, labels::targets)
}

/// The precisions of adapters.
pub fn adapters() -> Vec<Choice> {
    worded(AdapterPrecision::ALL, AdapterPrecision::id, labels::adapters)
}
