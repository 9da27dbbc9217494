//! The backward pass frees activations and fills gradients, so it can be fullest where it begins, where it ends or behind it.

use crate::checked::Checked;
use crate::memory::activations::transformers::backward::holds_done_layers;
use crate::memory::{activations, gradients};
use crate::units::Bytes;
use crate::worked;

/// A moment of the backward pass. In between, memory rises or falls evenly from layer to layer, so that none is fuller than both its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// In the last layer, whose turn is first: nearly all activations are there, and the gradients of the head.
    LastLayer,
    /// In the first layer, whose turn is last: of the activations only its own, of the gradients all but its own and the embedding's.
    FirstLayer,
    /// At the end: all gradients, and what the last operations add.
    End,
}

impl Moment {
    /// Every moment, in order.
    pub const ALL: [Self; 3] = [Self::LastLayer, Self::FirstLayer, Self::End];
}

/// Bytes of gradients and activations at one moment.
pub fn bytes(scenario: &Checked, moment: Moment) -> [Bytes; 2] {
    [
        worked::total(|sink| gradients::in_backward(scenario, moment, sink)),
        worked::total(|sink| activations::in_backward(scenario, moment, sink)),
    ]
}

/// The fullest moment of the backward pass, and its bytes of gradients and activations.
pub fn fullest(scenario: &Checked) -> (Moment, [Bytes; 2]) {
    let mut best = (Moment::End, [Bytes::ZERO; 2]);
    let in_place = gradients::before_backward(scenario);
    for moment in Moment::ALL {
        // Where all gradients are there from the start, nothing grows on the way to the first layer, unless what is done stays.
        if in_place && moment == Moment::FirstLayer && !holds_done_layers(scenario) {
            continue;
        }
        let parts = bytes(scenario, moment);
        if parts.iter().copied().sum::<Bytes>() > best.1.iter().copied().sum() {
            best = (moment, parts);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::training::Recipe;
    use crate::{Checkpointing, Mode, tables::models};

    fn moment(id: &str, seq_length: u32, checkpointing: Checkpointing, recipe: Recipe) -> Moment {
        let model = models::by_id(id).map(|model| model.architecture).unwrap();
        let mut scenario = Scenario { mode: Mode::Training, seq_length, checkpointing, ..Scenario::new(model) };
        scenario.training.recipe = recipe;
        fullest(&scenario.check().unwrap()).0
    }

    #[test]
    fn the_fullest_moment_moves_with_the_length() {
        let full = |seq_length, recipe| moment("llama-3.1-8b", seq_length, Checkpointing::Full, recipe);
        // Short: all gradients and little else. Longer: a layer computed again outweighs the gradients still to come.
        assert_eq!(full(512, Recipe::Pure), Moment::End);
        assert_eq!(full(8_192, Recipe::Pure), Moment::FirstLayer);
        // A checkpoint of each layer weighs more than its gradients.
        assert_eq!(full(131_072, Recipe::Pure), Moment::LastLayer);
        // Gradient buffers are there from the start.
        assert_eq!(full(8_192, Recipe::Mixed), Moment::LastLayer);
        assert_eq!(moment("llama-2-7b", 4_096, Checkpointing::None, Recipe::Mixed), Moment::LastLayer);
    }

    #[test]
    fn tied_tables_end_with_two_gradients_more() {
        let llama = models::by_id("llama-3.2-1b").unwrap().architecture;
        let mut scenario = Scenario { mode: Mode::Training, seq_length: 128, ..Scenario::new(llama) };
        scenario.training.recipe = Recipe::Pure;
        let [gradients, activations] = bytes(&scenario.check().unwrap(), Moment::End);
        assert_eq!(gradients, Bytes(2 * (1_235_814_400 + 2 * 128_256 * 2_048)));
        assert_eq!(activations, Bytes::ZERO);
    }
}
