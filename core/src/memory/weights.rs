//! The parameters of the model.

use crate::scenario::Scenario;
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes of the weights, by kind of tensor.
///
/// # Formula
/// matrices × `block_bytes` / `block_values` + (embedding + head + positions + norms and biases) × 2 (4 for fp32).
///
/// # Units
/// Bytes; each kind of tensor is rounded up to a whole byte.
///
/// # Assumes
/// Below 16 bits only the matrices of the layers are quantised. Two tied tables are stored once.
///
/// # Source
/// Storage layouts: see [`crate::WeightFormat`]. Which tensors stay in 16 bits: defaults of GPTQ, AWQ, bitsandbytes and of fp8 checkpoints.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Scenario, memory::weights, tables::models, worked};
/// let scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// assert_eq!(worked::total(|sink| weights::terms(&scenario, sink)), Bytes(13_476_831_232));
/// ```
pub fn terms(scenario: &Scenario, sink: &mut dyn FnMut(&Term<'_>)) {
    let parameters = scenario.architecture.parameters();
    let block = scenario.weights.block();
    let matrix_symbol = if block.values == 1 { Symbol::BytesPerValue } else { Symbol::BytesPerBlock };
    sink(&Term {
        item: Item::LayerMatrices,
        factors: &[
            Factor::new(Symbol::Parameters, parameters.matrices),
            Factor::new(matrix_symbol, block.bytes.into()),
        ],
        divisor: block.values,
    });
    for (item, count) in [
        (Item::EmbeddingTable, parameters.embedding),
        (Item::OutputHead, parameters.head),
        (Item::PositionTable, parameters.positions),
        (Item::NormsAndBiases, parameters.vectors),
    ] {
        if count > 0 {
            sink(&Term {
                item,
                factors: &[
                    Factor::new(Symbol::Parameters, count),
                    Factor::new(Symbol::BytesPerValue, scenario.weights.unquantised_bytes().into()),
                ],
                divisor: 1,
            });
        }
    }
}
