//! What a training step holds for each parameter, part by part: where the 16 bytes come from.

use crate::checked::Checked;
use crate::memory::backward::Moment;
use crate::memory::{Phase, gradients, optimizer, weights};
use crate::units::Bytes;
use crate::worked::{self, Item};

choices! {
    /// One part of what is kept from step to step.
    StatePart {
        /// The parameters themselves.
        Weight = "weight";
        /// One gradient for each parameter that learns.
        Gradient = "gradient";
        /// The fp32 copy that the optimizer updates.
        Master = "master";
        /// The running mean of the gradient.
        First = "first";
        /// The running mean of its square.
        Second = "second";
    }
}

/// Bytes of each part, in the order of [`StatePart::ALL`], when the backward pass ends and every gradient exists.
///
/// # Formula
/// Weights, gradients and optimizer states as their buckets count them; what a step copies for a moment is none of them.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// What the buckets assume. In inference only the weights are there.
///
/// # Source
/// Rajbhandari et al. 2020 (`ZeRO`), section 3.1.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Mode, Recipe, Scenario, memory::states, tables::models};
/// let mut scenario = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// // 2 + 2 + 4 + 4 + 4 bytes for each of 7 billion.
/// assert_eq!(states(&scenario.check().unwrap()), [14, 14, 28, 28, 28].map(|gb| Bytes(gb * 1_000_000_000)));
/// scenario.training.recipe = Recipe::WithoutMaster;
/// assert_eq!(states(&scenario.check().unwrap()).into_iter().sum::<Bytes>(), Bytes(84_000_000_000));
/// ```
pub fn states(scenario: &Checked) -> [Bytes; 5] {
    let [mut master, mut first, mut second] = [Bytes::ZERO; 3];
    optimizer::terms(scenario, Phase::OptimizerStep, &mut |term| {
        let part = match term.item {
            Item::MasterWeights => &mut master,
            Item::FirstMoment => &mut first,
            Item::SecondMoment => &mut second,
            _ => return,
        };
        part.0 += term.bytes().0;
    });
    let weights = worked::total(|sink| weights::terms(scenario, sink));
    let mut gradients = Bytes::ZERO;
    gradients::in_backward(scenario, Moment::End, &mut |term| {
        if term.item == Item::Gradients {
            gradients += term.bytes();
        }
    });
    [weights, gradients, master, first, second]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Bucket;
    use crate::scenario::Scenario;
    use crate::tables::models;
    use crate::training::{Optimizer, Recipe, StepKernel};
    use crate::{Mode, Offload};

    fn training(recipe: Recipe) -> Scenario {
        let mut scenario = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
        (scenario.mode, scenario.training.recipe) = (Mode::Training, recipe);
        scenario
    }

    #[test]
    fn every_recipe_has_its_bytes_a_parameter() {
        for (recipe, bytes) in [
            (Recipe::MixedFp32Gradients, [2, 4, 4, 4, 4]),
            (Recipe::Mixed, [2, 2, 4, 4, 4]),
            (Recipe::WithoutMaster, [2, 2, 0, 4, 4]),
            (Recipe::Pure, [2, 2, 0, 2, 2]),
            (Recipe::Fp32, [4, 4, 0, 4, 4]),
            (Recipe::Autocast, [4, 4, 0, 4, 4]),
        ] {
            assert_eq!(
                states(&training(recipe).check().unwrap()),
                bytes.map(|each| Bytes(each * 7_000_000_000)),
                "{}",
                recipe.id()
            );
        }
    }

    #[test]
    fn the_parts_are_those_of_the_buckets() {
        for optimizer in Optimizer::ALL {
            let scenario = Scenario { optimizer: *optimizer, ..training(Recipe::Mixed) };
            let buckets = [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer].map(|bucket| {
                worked::total(|sink| {
                    bucket.terms(&scenario.check().unwrap(), Phase::OptimizerStep, &mut |term| {
                        if term.item != Item::StepTemporary {
                            sink(term);
                        }
                    });
                })
            });
            assert_eq!(
                states(&scenario.check().unwrap()).into_iter().sum::<Bytes>(),
                buckets.into_iter().sum(),
                "{}",
                optimizer.id()
            );
        }
    }

    #[test]
    fn a_copy_of_a_moment_is_no_state_and_what_waits_elsewhere_is_not_here() {
        let mut scenario = training(Recipe::Pure);
        let before = states(&scenario.check().unwrap());
        scenario.training.step = StepKernel::Foreach;
        assert_eq!(states(&scenario.check().unwrap()), before);
        scenario.offload = Offload { optimizer: true, parameters: false, kv_cache: false };
        assert_eq!(states(&scenario.check().unwrap())[2..], [Bytes::ZERO; 3]);
        scenario.mode = Mode::Inference;
        assert_eq!(states(&scenario.check().unwrap()).map(|bytes| bytes.0), [14_000_000_000, 0, 0, 0, 0]);
    }
}
