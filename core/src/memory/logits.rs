//! Scores over the whole vocabulary, and what the loss makes of them: the bucket most calculators forget.

use crate::evaluate::Phase;
use crate::scenario::{Mode, Scenario};
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes of logits and loss at one phase.
///
/// # Formula
/// Training, when the backward pass starts: 12 × tokens × `vocab_size` (log-softmax, gradient of the loss, gradient of log-softmax, each fp32)
/// plus 8 bytes, the loss and its gradient; the shifted labels are gone by then. Later in the backward pass: nothing. Inference: 6 × `batch` × `vocab_size`, the last token's logits in bf16 and fp32.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// The loss of `transformers` as it comes: logits upcast to fp32, not chunked, not fused. Prefill computes the head for the last token only.
///
/// # Source
/// Measured with PyTorch 2.15 and transformers 5.23: the peak is 12.0 bytes for each token and vocabulary entry in bf16 and fp32.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Mode, Phase, Scenario, memory::logits, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// let bytes = worked::total(|sink| logits::terms(&scenario, Phase::Loss, sink));
/// assert_eq!(bytes, Bytes(12 * 2_048 * 128_256 + 8));
/// ```
pub fn terms(scenario: &Scenario, phase: Phase, sink: &mut dyn FnMut(&Term<'_>)) {
    let vocab = Factor::new(Symbol::VocabSize, scenario.architecture.vocab_size.into());
    match (scenario.mode, phase) {
        (Mode::Inference, _) => sink(&Term {
            item: Item::LastLogits,
            factors: &[Factor::number(6), Factor::new(Symbol::Batch, scenario.batch.into()), vocab],
            divisor: 1,
        }),
        (_, Phase::Loss) => {
            let tokens = Factor::new(Symbol::Tokens, scenario.tokens());
            sink(&Term { item: Item::LossTensors, factors: &[Factor::number(12), tokens, vocab], divisor: 1 });
            sink(&Term { item: Item::LossTensors, factors: &[Factor::number(8)], divisor: 1 });
        }
        _ => {}
    }
}
