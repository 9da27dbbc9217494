//! LitGPT's loss: logits that Lightning Fabric widens to fp32, and a head that runs in chunks while the model is frozen.

use super::Sink;
use crate::checked::Checked;
use crate::memory::Phase;
use crate::memory::activations::litgpt::shards;
use crate::scenario::Mode;
use crate::worked::{Factor, Item, Symbol, Term};

/// Tokens of one sequence for which head and loss run at once.
pub const CHUNK_TOKENS: u64 = 128;

/// Bytes of logits and loss at one phase.
///
/// # Formula
/// With T = tokens, V = `vocab_size`, h = `hidden_size`, c = the tokens of one chunk of each sequence, at most [`CHUNK_TOKENS`] × `batch`.
/// Frozen model, when the backward pass begins: 8·V·T for the fp32 logits and their log-softmax, 8·V·c for two gradients of one chunk;
/// quantised 6·V·T + 4·V·h if that is more, while the head's backward pass unpacks it in fp16 and in bf16.
/// When a further forward pass ends: 4·V·T, the logits before, and 6·V·T, those in 16 bits and in fp32 (quantised: 2·V·T + 4·V·h, if more).
/// Every parameter learns: 12·V·T when the backward pass begins, 6·V·T when the forward pass ends; with FSDP 4·V·T stay to its end.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// The outputs of a step stay referenced until the next forward pass is done.
///
/// # Source
/// `chunked_cross_entropy` and the `finetune` scripts of LitGPT, `convert_output` of Lightning Fabric, bitsandbytes 0.42.
///
/// # Example
/// ```
/// use memory_wall_core::memory::activations::litgpt;
/// use memory_wall_core::{Architecture, Bytes, Checked, Mode, Phase, Scenario, worked::total};
/// let llama = Architecture::llama([32, 4_096, 32, 32, 128, 11_008, 32_000]);
/// let mut scenario = Scenario { mode: Mode::Lora, seq_length: 1_304, ..Scenario::new(llama) };
/// let bytes = |scenario: &Checked| total(|sink| litgpt::loss(scenario, Phase::Loss, sink));
/// assert_eq!(bytes(&scenario.check().unwrap()), Bytes(8 * 32_000 * (1_304 + 128)));
/// scenario.mode = Mode::Training;
/// assert_eq!(bytes(&scenario.check().unwrap()), Bytes(12 * 32_000 * 1_304));
/// ```
pub fn terms(scenario: &Checked, phase: Phase, sink: Sink<'_>) {
    let local = scenario.local();
    if !scenario.mode.trains() || !local.head {
        return;
    }
    let batch = u64::from(scenario.batch);
    let tokens = Factor::new(Symbol::Tokens, batch * local.seq_length);
    let chunk = Factor::new(Symbol::ChunkTokens, batch * local.seq_length.min(CHUNK_TOKENS));
    let vocab = Factor::new(Symbol::VocabSize, local.vocab_size);
    let hidden = Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into());
    let quantised = scenario.mode == Mode::Qlora;
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    let mut logits = |bytes: u64, tokens: Factor| product(Item::LossTensors, &[Factor::number(bytes), tokens, vocab]);
    // Which of two moments is fuller is decided for one entry of the vocabulary: both grow with it.
    let [t, c, h] = [tokens, chunk, hidden].map(|factor| u128::from(factor.value));
    let unpacked = match (scenario.mode, phase) {
        (Mode::Training, Phase::Loss | Phase::FirstStep) => return logits(12, tokens),
        (Mode::Training, Phase::ForwardEnd) => return logits(6, tokens),
        (Mode::Training, Phase::Backward) if shards::over_ranks(scenario) => return logits(4, tokens),
        (_, Phase::Loss | Phase::FirstStep) => {
            let unpacked = quantised && 6 * t + 4 * h > 8 * (t + c);
            if unpacked {
                logits(6, tokens);
            } else {
                logits(8, tokens);
                logits(8, chunk);
            }
            unpacked
        }
        (_, Phase::ForwardEnd) => {
            let unpacked = quantised && 4 * h > 4 * t;
            logits(4, tokens);
            logits(if unpacked { 2 } else { 6 }, tokens);
            unpacked
        }
        (_, Phase::Forward | Phase::Backward | Phase::OptimizerStep) => false,
    };
    if unpacked {
        product(Item::DequantizedWeights, &[Factor::number(4), vocab, hidden]);
    }
}
