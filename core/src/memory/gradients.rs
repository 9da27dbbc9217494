//! One gradient for each parameter that learns.

use crate::evaluate::Phase;
use crate::parallelism::ZeroStage;
use crate::scenario::{Mode, Scenario};
use crate::training::Recipe;
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes of the gradients; nothing in inference.
///
/// # Formula
/// parameters × bytes: 2 in mixed and pure 16-bit training, 4 in fp32, autocast and where fp32 gradients are kept.
/// ZeRO-2 and 3 divide them by the data-parallel ranks. With adapters: the adapters' parameters only.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Mixed precision keeps its gradient buffers from step to step, as Megatron-LM and DeepSpeed do. Elsewhere gradients are
/// freed after each step (PyTorch's `zero_grad` since 2.0), so that none exist when backward begins, unless micro-batches add theirs up.
///
/// # Source
/// Rajbhandari et al. 2020 (`ZeRO`), section 3.1; measured steps of PyTorch 2.15 (gradient bytes equal parameter bytes in 157 of 157).
pub fn terms(scenario: &Scenario, phase: Phase, sink: &mut dyn FnMut(&Term<'_>)) {
    if !scenario.mode.trains() || !exist(scenario, phase) {
        return;
    }
    let shards = scenario.parallel.shards_from(ZeroStage::Gradients);
    sink(&Term {
        item: Item::Gradients,
        factors: &[
            Factor::new(Symbol::Parameters, scenario.trained_parameters().div_ceil(shards)),
            Factor::new(Symbol::BytesPerValue, bytes_each(scenario)),
        ],
        divisor: 1,
    });
}

/// Bytes of one gradient.
pub fn bytes_each(scenario: &Scenario) -> u64 {
    match (scenario.mode, scenario.recipe()) {
        (Mode::Training, Recipe::Mixed | Recipe::Pure) => 2,
        (Mode::Training, _) => 4,
        _ => scenario.weights.unquantised_bytes().into(),
    }
}

/// Whether gradients of the whole model exist at `phase`.
fn exist(scenario: &Scenario, phase: Phase) -> bool {
    let buffers =
        scenario.mode == Mode::Training && matches!(scenario.recipe(), Recipe::Mixed | Recipe::MixedFp32Gradients);
    match phase {
        Phase::Backward | Phase::OptimizerStep => true,
        Phase::Forward | Phase::FirstStep | Phase::ForwardEnd | Phase::Loss => {
            buffers || scenario.training.micro_batches > 1
        }
    }
}
