//! The logits of torchtitan's loss, and those that a pipeline keeps.

use super::{Rank, Sink, product};
use crate::checked::Checked;
use crate::memory::{Phase, logits};
use crate::training::Loss;
use crate::worked::{Factor, Item, Symbol};

/// Bytes of logits and loss at one phase.
///
/// # Formula
/// With T tokens, V = `vocab_size` and t tensor-parallel ranks, on the last stage: (c + z)·T·V/t.
/// In the loss c is 12 (fp32 log-softmax and two gradients), with t > 1 it is 16 (the logits of a cut vocabulary, a gradient, that with the exponential, a product),
/// compiled 4 (logits and gradient in 16 bits); when the forward pass ends, 8 and compiled 2.
/// z is 2 without a pipeline: the block of the 16-bit logits, which is too small for all that comes later. With one they are alive instead until
/// the micro-batch has run backward, 2·T·V/t; where the schedule keeps its outputs, m·2·T·V/t for all m micro-batches until the step ends. Chunked: the same for [`logits::CHUNK_TOKENS`] tokens without z, and 2·T·h.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Chunked losses, and compiled ones with t > 1, are derived.
///
/// # Source
/// `_nll_loss_and_log_softmax_backward` of PyTorch's loss parallelism; torchtitan's reports of the same run with and without a compiled loss.
/// Outputs: pull request 165822 of github.com/pytorch/pytorch and 1922 of github.com/pytorch/torchtitan (2025-10): releases since 0.2.1 pass
/// `return_outputs=False`; earlier ones keep them ([`crate::training::Stock::outputs_kept`]). Read 2026-11-23.
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
    outputs(&rank, phase, sink);
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

/// The 16-bit logits that the schedule of a pipeline holds: of one micro-batch until it has run backward, or of all until the step ends where it keeps
/// its outputs.
fn outputs(rank: &Rank<'_>, phase: Phase, sink: Sink<'_>) {
    if rank.keeps_outputs() {
        logits_of(rank, Item::PipelineOutputs, rank.micro_batches, sink);
    } else if rank.hands_out_logits() && phase != Phase::OptimizerStep {
        logits_of(rank, Item::PipelineOutputs, 1, sink);
    }
}

/// The kept outputs of all micro-batches in one tensor, into which the schedule copies them when the step ends.
pub(super) fn joined(rank: &Rank<'_>, sink: Sink<'_>) {
    if rank.keeps_outputs() {
        logits_of(rank, Item::JoinedOutputs, rank.micro_batches, sink);
    }
}

fn logits_of(rank: &Rank<'_>, item: Item, micro_batches: u64, sink: Sink<'_>) {
    let vocab = Factor::new(Symbol::VocabSize, rank.local.vocab_size);
    product(sink, item, &[Factor::number(2 * micro_batches), rank.whole, vocab]);
}

#[cfg(test)]
mod tests {
    use crate::memory::Bucket;
    use crate::tables::models;
    use crate::training::Implementation;
    use crate::worked::Item;
    use crate::{Mode, Parallelism, Phase, Scenario};

    /// Bytes of an item in both buckets that may hold it, on the last of four stages.
    fn bytes(item: Item, micro_batches: u32, outputs_kept: bool, phase: Phase) -> u128 {
        let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
        scenario.mode = Mode::Training;
        scenario.parallel = Parallelism { pp: 4, stage: 3, ..Parallelism::ONE };
        scenario.training.implementation = Implementation::Torchtitan;
        scenario.training.micro_batches = micro_batches;
        scenario.training.stock.outputs_kept = outputs_kept;
        let scenario = scenario.check().unwrap();
        let mut sum = 0;
        for bucket in [Bucket::Logits, Bucket::Activations] {
            bucket.terms(&scenario, phase, &mut |term| sum += if term.item == item { term.bytes().0 } else { 0 });
        }
        sum
    }

    #[test]
    fn a_pipeline_holds_the_logits_of_one_micro_batch_unless_it_keeps_its_outputs() {
        let one = 2 * 2_048 * 128_256;
        for phase in [Phase::FirstStep, Phase::Loss, Phase::Backward] {
            assert_eq!(bytes(Item::PipelineOutputs, 32, false, phase), one, "{phase:?}");
            assert_eq!(bytes(Item::PipelineOutputs, 32, true, phase), 32 * one, "{phase:?}");
            assert_eq!(bytes(Item::JoinedOutputs, 32, false, phase), 0, "{phase:?}");
        }
        assert_eq!(bytes(Item::PipelineOutputs, 32, false, Phase::OptimizerStep), 0);
        // Joining doubles what is kept for a moment, under a name of its own.
        assert_eq!(bytes(Item::JoinedOutputs, 32, true, Phase::Backward), 32 * one);
    }
}
