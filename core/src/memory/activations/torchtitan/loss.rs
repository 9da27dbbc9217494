//! The logits of torchtitan's loss, and those that a pipeline keeps.

use super::{Rank, Sink, product};
use crate::checked::Checked;
use crate::evaluate::Phase;
use crate::memory::logits;
use crate::training::Loss;
use crate::worked::{Factor, Item, Symbol};

/// Bytes of logits and loss at one phase.
///
/// # Formula
/// With T tokens, V = `vocab_size` and t tensor-parallel ranks, on the last stage: (c + z)·T·V/t.
/// In the loss c is 12 (fp32 log-softmax and two gradients), with t > 1 it is 16 (the logits of a cut vocabulary, a gradient, that with the exponential, a product),
/// compiled 4 (logits and gradient in 16 bits); when the forward pass ends, 8 and compiled 2.
/// z is 2 without a pipeline: the block of the 16-bit logits, which is too small for all that comes later. With one they are alive instead,
/// m·2·T·V/t for m micro-batches until the step ends. Chunked: the same for [`logits::CHUNK_TOKENS`] tokens without z, and 2·T·h.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Chunked losses, and compiled ones with t > 1, are derived.
///
/// # Source
/// `_nll_loss_and_log_softmax_backward` of PyTorch's loss parallelism; torchtitan's reports of the same run with and without a compiled loss.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Implementation, Mode, Phase, Scenario, memory::logits, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// (scenario.mode, scenario.training.implementation) = (Mode::Training, Implementation::Torchtitan);
/// let scenario = scenario.check().unwrap();
/// let bytes = worked::total(|sink| logits::terms(&scenario, Phase::Loss, sink));
/// assert_eq!(bytes, Bytes(14 * 2_048 * 128_256));
/// ```
pub fn terms(scenario: &Checked, phase: Phase, sink: Sink<'_>) {
    let rank = Rank::of(scenario);
    outputs(&rank, sink);
    let begins = match phase {
        Phase::Loss | Phase::FirstStep => true,
        Phase::ForwardEnd => false,
        Phase::Forward | Phase::Backward | Phase::OptimizerStep => return,
    };
    if !rank.local.head {
        return;
    }
    let loss = scenario.training.loss;
    let copies = match (loss, begins) {
        (Loss::Compiled, true) => 4,
        (Loss::Compiled, false) => 2,
        (Loss::Plain | Loss::Chunked, false) => 8,
        (Loss::Plain | Loss::Chunked, true) if rank.tp > 1 => 16,
        (Loss::Plain | Loss::Chunked, true) => 12,
    };
    let stranded = if rank.pipeline() || loss == Loss::Chunked { 0 } else { 2 };
    let [tokens, vocab] = logits::scores(scenario);
    let bytes = copies + stranded + logits::soft_cap(scenario);
    product(sink, Item::LossTensors, &[Factor::number(bytes), tokens, vocab]);
    if loss == Loss::Chunked {
        // The gradient of the head's input, which the chunks fill.
        product(sink, Item::LossTensors, &[Factor::number(2), rank.whole, rank.hidden]);
    }
}

/// The 16-bit logits of all micro-batches, which a pipeline keeps as its outputs until the step ends, and joins then.
pub(super) fn outputs(rank: &Rank<'_>, sink: Sink<'_>) {
    if rank.pipeline() && rank.local.head && rank.scenario.training.loss != Loss::Chunked {
        let vocab = Factor::new(Symbol::VocabSize, rank.local.vocab_size);
        product(sink, Item::StepLogits, &[Factor::number(2 * rank.micro_batches), rank.whole, vocab]);
    }
}
