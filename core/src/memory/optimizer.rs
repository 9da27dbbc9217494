//! What the optimizer keeps between steps.

use crate::precision::Block;
use crate::scenario::{Mode, Optimizer, Scenario};
use crate::worked::{Factor, Item, Symbol, Term};

/// One fp32 value.
const FP32: Block = Block { values: 1, bytes: 4 };
/// One 8-bit value in blocks of 256 with an fp32 scale (bitsandbytes).
const EIGHT_BIT: Block = Block { values: 256, bytes: 260 };

/// Bytes of master weights and moments; nothing in inference.
///
/// # Formula
/// parameters × (4 for the fp32 master copy when weights have 16 bits + the moments: `AdamW` 4 + 4, 8-bit `AdamW` 2 × 260/256, momentum 4, plain SGD 0).
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Mixed precision with a master copy: 16 bytes a parameter in all with `AdamW` (2 weight + 2 gradient + 12 here).
/// Pure 16-bit training without a master copy is another recipe, not this one.
///
/// # Source
/// Rajbhandari et al. 2020 (`ZeRO`), section 3.1; Dettmers et al. 2022 for 8-bit blocks.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Mode, Scenario, memory::optimizer, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// assert_eq!(worked::total(|sink| optimizer::terms(&scenario, sink)), Bytes(84_000_000_000));
/// ```
pub fn terms(scenario: &Scenario, sink: &mut dyn FnMut(&Term<'_>)) {
    if scenario.mode == Mode::Inference {
        return;
    }
    let parameters = scenario.architecture.parameters().total();
    let mut state = |item, block: Block| {
        let symbol = if block.values == 1 { Symbol::BytesPerValue } else { Symbol::BytesPerBlock };
        sink(&Term {
            item,
            factors: &[Factor::new(Symbol::Parameters, parameters), Factor::new(symbol, block.bytes.into())],
            divisor: block.values,
        });
    };
    if scenario.weights.unquantised_bytes() < 4 {
        state(Item::MasterWeights, FP32);
    }
    match scenario.optimizer {
        Optimizer::AdamW => {
            state(Item::FirstMoment, FP32);
            state(Item::SecondMoment, FP32);
        }
        Optimizer::AdamW8bit => {
            state(Item::FirstMoment, EIGHT_BIT);
            state(Item::SecondMoment, EIGHT_BIT);
        }
        Optimizer::SgdMomentum => state(Item::FirstMoment, FP32),
        Optimizer::Sgd => {}
    }
}
