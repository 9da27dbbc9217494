//! Adapters: two thin matrices beside each chosen linear layer, which learn while the model is frozen.

pub use crate::checked::adapters::parameters;

use crate::checked::Checked;
use crate::parallelism::ZeroStage;
use crate::training::{AdapterPrecision, Implementation};
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes of the adapters themselves, a part of the weights; nothing where none learn.
///
/// # Formula
/// [`parameters`] × [`bytes_each`]; ZeRO-3 (FSDP) divides them by the data-parallel ranks.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// See [`bytes_each`].
///
/// # Source
/// Hu et al. 2021 (arXiv 2106.09685).
pub fn terms(scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    if !scenario.mode.adapts() {
        return;
    }
    let shards = scenario.parallel.shards_from(ZeroStage::Weights);
    sink(&Term {
        item: Item::AdapterWeights,
        factors: &[
            Factor::new(Symbol::Parameters, parameters(scenario).div_ceil(shards)),
            Factor::new(Symbol::BytesPerValue, bytes_each(scenario)),
        ],
        divisor: 1,
    });
}

/// Bytes of one parameter of an adapter, of its gradient and of each moment.
///
/// # Formula
/// In stock code as [`AdapterPrecision`] says: 4, since `peft` upcasts adapters to fp32 unless told otherwise, or 2. Elsewhere 2. Beside fp32 weights always 4.
///
/// # Units
/// Bytes.
///
/// # Source
/// `autocast_adapter_dtype` of `peft` 0.12 and later, true by default; beside quantised weights adapters are made in fp32 and trainers such as TRL cast them to
/// 16 bits (huggingface/peft issue 2889 and `trl/trainer/sft_trainer.py` at 00313f2, read 2026-11-23). LitGPT makes adapters in the precision of the model.
pub fn bytes_each(scenario: &Checked) -> u64 {
    match (scenario.training.implementation, scenario.training.lora.precision) {
        (Implementation::Transformers, AdapterPrecision::Fp32) => 4,
        _ => scenario.weights.unquantised_bytes().into(),
    }
}
