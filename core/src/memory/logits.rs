//! Scores over the whole vocabulary, and what the loss makes of them: the bucket most calculators forget.

use crate::checked::Checked;
use crate::memory::Phase;
use crate::memory::activations::{litgpt, torchtitan};
use crate::scenario::Mode;
use crate::training::{Implementation, Loss};
use crate::worked::{Factor, Item, Symbol, Term};

/// Tokens whose logits exist at once under [`Loss::Chunked`].
pub const CHUNK_TOKENS: u64 = 1_024;

type Sink<'a> = &'a mut dyn FnMut(&Term<'_>);

/// Bytes of logits and loss at one phase.
///
/// # Formula
/// With T = tokens, V = `vocab_size`, e = bytes of a logit (2; 4 in fp32 and behind the fp32 head of a model prepared for `QLoRA`) and c = e for soft-capped logits (Gemma 2), otherwise 0:
/// when the forward pass ends, (10 + c)·T·V in 16 bits (logits, their fp32 copy, the log-softmax) and (8 + c)·T·V in fp32, with the labels;
/// when the backward pass starts, (12 + c)·T·V (log-softmax, gradient of the loss, gradient of log-softmax, each fp32)
/// plus 8 bytes, the loss and its gradient; the labels are gone by then. A script that keeps the model's outputs adds e·T·V.
/// Later in the backward pass: nothing. In between, see [`kept`]. Only on the pipeline stage that has the head.
/// Chunked: the same for [`CHUNK_TOKENS`] tokens, and the gradient of the head's input, e·T·h, which the chunks fill.
/// Compiled: 4·T·V, one fp32 copy. Native PyTorch adds 4·T·V where tensor parallelism cuts the vocabulary.
/// Where a layout of Megatron-LM places MTP layers, once more for each of them. torchtitan ([`torchtitan::loss`]) and LitGPT ([`litgpt::loss`]) have a loss of their own. Inference: 6 × `batch` × `vocab_size`, the last token's logits in bf16 and fp32.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Plain: the loss of `transformers` as it comes, logits upcast to fp32. Chunked: each chunk's logits are computed again for its backward pass, as in
/// torchtune and Liger. Tensor-parallel ranks compute the loss of their own part of the vocabulary. Prefill computes the head for the last token only.
///
/// # Source
/// Measured with PyTorch 2.15 and transformers 5.23, to the byte (set `logits-and-loss` of the crate `memory-wall-accuracy`). Chunked is derived;
/// compiled: torchtitan's reports of the same runs with and without, one copy in place of three.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Mode, Phase, Scenario, memory::logits, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// let scenario = scenario.check().unwrap();
/// let bytes = worked::total(|sink| logits::terms(&scenario, Phase::Loss, sink));
/// assert_eq!(bytes, Bytes(12 * 2_048 * 128_256 + 8));
/// let forward = worked::total(|sink| logits::terms(&scenario, Phase::ForwardEnd, sink));
/// assert_eq!(forward, Bytes(10 * 2_048 * 128_256 + 8 * 2_048 + 16));
/// ```
pub fn terms(scenario: &Checked, phase: Phase, sink: Sink<'_>) {
    if scenario.mode.trains() && scenario.training.implementation == Implementation::Litgpt {
        return litgpt::loss(scenario, phase, sink);
    }
    match (scenario.mode, phase) {
        (Mode::Inference, _) => {
            let vocab = Factor::new(Symbol::VocabSize, scenario.architecture.vocab_size.into());
            let batch = Factor::new(Symbol::Batch, scenario.batch.into());
            sink(&Term { item: Item::LastLogits, factors: &[Factor::number(6), batch, vocab], divisor: 1 });
        }
        (_, phase) if scenario.torchtitan() => torchtitan::loss::terms(scenario, phase, sink),
        (_, Phase::ForwardEnd | Phase::Loss | Phase::FirstStep) => loss(scenario, phase, sink),
        (_, Phase::Forward | Phase::Backward | Phase::OptimizerStep) => {}
    }
}

/// The tokens whose logits exist at once on this rank, and the part of the vocabulary that it scores.
pub(crate) fn scores(scenario: &Checked) -> [Factor; 2] {
    let local = scenario.local();
    let tokens = u64::from(scenario.batch) * local.seq_length;
    let tokens = match scenario.training.loss {
        Loss::Chunked => Factor::new(Symbol::ChunkTokens, tokens.min(CHUNK_TOKENS)),
        Loss::Plain | Loss::Compiled => Factor::new(Symbol::Tokens, tokens),
    };
    [tokens, Factor::new(Symbol::VocabSize, local.vocab_size)]
}

fn loss(scenario: &Checked, phase: Phase, sink: Sink<'_>) {
    if !scenario.local().head {
        return;
    }
    let [tokens, vocab] = scores(scenario);
    let mut product = |factors: &[Factor]| sink(&Term { item: Item::LossTensors, factors, divisor: 1 });
    let e = scenario.value_bytes();
    let kept = scenario.training.stock.outputs_kept;
    let bytes = match (scenario.training.loss, phase) {
        (Loss::Compiled, _) => 4,
        // The fp32 copy of fp32 logits is the logits themselves.
        (_, Phase::ForwardEnd) => {
            if e == 4 {
                8
            } else {
                8 + e
            }
        }
        _ => 12 + if kept { e } else { 0 },
    };
    let bytes = bytes + cut_loss(scenario, phase) + soft_cap(scenario);
    product(&[Factor::number(bytes * u64::from(1 + scenario.predictions())), tokens, vocab]);
    if phase == Phase::ForwardEnd {
        shifted_labels(scenario, &mut product);
        // The loss and the sum of its weights.
        product(&[Factor::number(8)]);
        return;
    }
    if scenario.training.loss == Loss::Chunked {
        let all = Factor::new(Symbol::Tokens, u64::from(scenario.batch) * scenario.local().seq_length);
        let hidden = Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into());
        product(&[Factor::number(e), all, hidden]);
    }
    product(&[Factor::number(8)]);
}

/// What native PyTorch adds where it cuts the vocabulary over ranks.
fn cut_loss(scenario: &Checked, phase: Phase) -> u64 {
    let training = &scenario.training;
    let backward = phase != Phase::ForwardEnd;
    // The loss of a cut vocabulary makes the exponential of its log-softmax anew: four fp32 copies instead of three.
    let cut =
        scenario.parallel.tp > 1 && training.implementation != Implementation::Megatron && training.loss == Loss::Plain;
    if backward && cut { 4 } else { 0 }
}

/// Soft-capped logits keep the hyperbolic tangent.
pub(crate) fn soft_cap(scenario: &Checked) -> u64 {
    if scenario.architecture.soft_capped { scenario.value_bytes() } else { 0 }
}

/// Labels in 64 bits, padded by one a sequence and shifted: of one sequence the shifted ones are a view of the padded ones.
fn shifted_labels(scenario: &Checked, product: &mut dyn FnMut(&[Factor])) {
    let batch = Factor::new(Symbol::Batch, scenario.batch.into());
    let seq = Factor::new(Symbol::SeqLength, scenario.local().seq_length);
    product(&[Factor::number(if scenario.batch == 1 { 8 } else { 16 }), batch, seq]);
    product(&[Factor::number(8), batch]);
}

/// What the plain loss keeps from the forward to the backward pass.
///
/// # Formula
/// (4 + c)·T·V for the log-softmax and, of soft-capped logits, the hyperbolic tangent; the shifted labels 8·T, of one sequence 8 more;
/// 4 bytes each for the loss and the sum of its weights. A script that keeps the model's outputs adds e·T·V.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Mode, Scenario, memory::logits, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// let scenario = scenario.check().unwrap();
/// assert_eq!(worked::total(|sink| logits::kept(&scenario, sink)), Bytes((4 * 128_256 + 8) * 2_048 + 16));
/// ```
pub fn kept(scenario: &Checked, sink: Sink<'_>) {
    if !scenario.mode.trains() || !scenario.local().head {
        return;
    }
    let [tokens, vocab] = scores(scenario);
    let mut product = |factors: &[Factor]| sink(&Term { item: Item::LossTensors, factors, divisor: 1 });
    let outputs = if scenario.training.stock.outputs_kept { scenario.value_bytes() } else { 0 };
    let bytes = 4 + soft_cap(scenario) + outputs;
    product(&[Factor::number(bytes * u64::from(1 + scenario.predictions())), tokens, vocab]);
    product(&[Factor::number(8), tokens]);
    product(&[Factor::number(if scenario.batch == 1 { 16 } else { 8 })]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallelism::Parallelism;
    use crate::scenario::Scenario;
    use crate::training::{Recipe, Stock};
    use crate::{Architecture, WeightFormat, worked};

    const T: u128 = 64;
    const V: u128 = 32_000;

    fn scenario(weights: WeightFormat, soft_capped: bool, outputs_kept: bool) -> Scenario {
        let shape = Architecture { soft_capped, ..Architecture::llama([2, 8, 2, 2, 1, 2, 32_000]) };
        let mut scenario = Scenario { mode: Mode::Training, weights, seq_length: 64, ..Scenario::new(shape) };
        scenario.training.recipe = Recipe::Pure;
        scenario.training.stock = Stock { outputs_kept, ..scenario.training.stock };
        scenario
    }

    fn at(scenario: &Checked, phase: Phase) -> u128 {
        worked::total(|sink| terms(scenario, phase, sink)).0
    }

    #[test]
    fn bytes_a_token_and_entry_as_measured() {
        use WeightFormat::{Bf16, Fp32};
        for (weights, capped, outputs, forward, between, backward) in [
            (Bf16, false, false, 10, 4, 12),
            (Bf16, false, true, 10, 6, 14),
            (Bf16, true, false, 12, 6, 14),
            (Bf16, true, true, 12, 8, 16),
            (Fp32, false, false, 8, 4, 12),
            (Fp32, false, true, 8, 8, 16),
            (Fp32, true, false, 12, 8, 16),
            (Fp32, true, true, 12, 12, 20),
        ] {
            let scenario = scenario(weights, capped, outputs);
            assert_eq!(at(&scenario.check().unwrap(), Phase::ForwardEnd), forward * T * V + 8 * T + 16);
            assert_eq!(worked::total(|sink| kept(&scenario.check().unwrap(), sink)).0, between * T * V + 8 * T + 16);
            assert_eq!(at(&scenario.check().unwrap(), Phase::Loss), backward * T * V + 8);
            assert_eq!(at(&scenario.check().unwrap(), Phase::Backward), 0);
        }
    }

    #[test]
    fn other_losses_need_less() {
        let mut scenario = Scenario { batch: 100, ..scenario(WeightFormat::Bf16, false, false) };
        scenario.training.loss = Loss::Compiled;
        assert_eq!(at(&scenario.check().unwrap(), Phase::Loss), 4 * 100 * T * V + 8);
        scenario.training.loss = Loss::Chunked;
        assert_eq!(
            at(&scenario.check().unwrap(), Phase::Loss),
            12 * u128::from(CHUNK_TOKENS) * V + 2 * 100 * T * 8 + 8
        );
    }

    #[test]
    fn only_the_last_stage_has_scores_and_ranks_share_the_vocabulary() {
        let mut scenario = scenario(WeightFormat::Bf16, false, false);
        scenario.parallel = Parallelism { tp: 2, ..Parallelism::ONE };
        // A cut vocabulary needs a fourth fp32 copy of what is left of it.
        assert_eq!(at(&scenario.check().unwrap(), Phase::Loss), 16 * T * V / 2 + 8);
        scenario.training.implementation = Implementation::Megatron;
        scenario.parallel = Parallelism { pp: 2, ..Parallelism::ONE };
        assert_eq!(at(&scenario.check().unwrap(), Phase::Loss), 0);
    }
}
