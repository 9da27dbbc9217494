//! One gradient for each parameter.

use crate::scenario::{Mode, Scenario};
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes of the gradients; nothing in inference.
///
/// # Formula
/// parameters × bytes, in the precision of the weights.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Gradients stay allocated from step to step, as frameworks with gradient buffers and gradient accumulation keep them.
///
/// # Source
/// Rajbhandari et al. 2020 (`ZeRO`), section 3.1: 2 bytes in mixed precision.
pub fn terms(scenario: &Scenario, sink: &mut dyn FnMut(&Term<'_>)) {
    if scenario.mode == Mode::Training {
        sink(&Term {
            item: Item::Gradients,
            factors: &[
                Factor::new(Symbol::Parameters, scenario.architecture.parameters().total()),
                Factor::new(Symbol::BytesPerValue, scenario.weights.unquantised_bytes().into()),
            ],
            divisor: 1,
        });
    }
}
