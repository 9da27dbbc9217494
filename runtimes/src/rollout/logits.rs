//! Logits of completions, and what GRPO makes of them.

use memory_wall_core::scenario::sharding;
use memory_wall_core::{Checked, Loss, Mode, Recipe};

use crate::Span;

/// Tokens whose entropy is computed at once.
///
/// # Source
/// `entropy_from_logits(chunk_size=128)` of TRL's `trainer/utils.py`.
pub const ENTROPY_CHUNK: u128 = 128;

/// Sequences and tokens of the vocabulary that Liger's loss looks at at once.
///
/// # Source
/// `_SELECTIVE_LOGPROB_SEQ_CHUNK_SIZE` and `_SELECTIVE_LOGPROB_VOCAB_CHUNK_SIZE` of linkedin/Liger-Kernel at ead96b6 (2026-08-21), `chunked_loss/fused_linear_ppo.py`.
const LIGER: (u128, u128) = (2_048, 4_096);

/// Logits at three moments of a step.
///
/// # Formula
/// With B sequences, C tokens of a completion, V of the vocabulary, N = B·C·V, e bytes of a logit, r = 3·e·128·V (entropy of 128 tokens: log-softmax, exponential, product):
/// - log-probabilities without gradients: fp32 4·N + 4·C·V, at least 6·N where autocast's logits become fp32; 16 bits 2·N + 2·C·V, of several sequences 2·N + 4·C·V;
/// - when the forward pass of the loss ends: fp32 4·N, 16 bits 4·N (the logits and the log-softmax that is saved), + e·N for several sequences (a copy of the cut logits) + r;
///   of one sequence in fp32 at least 8·N; at least 6·N by autocast;
/// - when its backward pass begins: 4·e·N.
///
/// With Liger's loss ([`Loss::Chunked`]) log-probabilities without gradients are the same, since TRL computes them by the model; the loss takes the gradient of the head
/// twice in the precision w of the weights, in newer releases a third time in fp32, and e·B·C·h for that of its input.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// e is 4, as accelerate hands all outputs on in fp32 (`ConvertOutputsToFp32`; GRPO's `bf16` is on by default), and 2 with DeepSpeed, whose models it leaves as they are.
/// The model knows `logits_to_keep`, as those of transformers do: prompts have no logits.
///
/// # Source
/// `_get_per_token_logps_and_entropies`, `selective_log_softmax` and `entropy_from_logits` of TRL at f2cd577, run with PyTorch 2.15 on a CPU whose allocations were added up: 1, 2 and 4 sequences,
/// to 0.5%. Against a run on an H100 (huggingface/trl issue 3678, 2026-06-25: 2 sequences of 256 tokens, V 151,665; 902 MB at the peak, 44 MB before): 855 MB are
/// computed for the 858 MB that came on top, 0.4% less. Liger's: its code at ead96b6; no run backs it, so it is a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logits {
    /// Log-probabilities without gradients.
    pub scored: u128,
    /// The forward pass of the loss ends.
    pub forward: Span,
    /// Its backward pass begins.
    pub backward: Span,
    /// Bytes of a logit.
    pub bytes: u128,
}

impl Logits {
    /// Of a trainer's batch with completions of so many tokens.
    pub fn of(trainer: &Checked, completion: u32) -> Self {
        let (bytes, autocast) = written(trainer);
        Self::made(trainer, completion, bytes, autocast)
    }

    fn made(trainer: &Checked, completion: u32, bytes: u128, autocast: bool) -> Self {
        let (batch, completion) = (u128::from(trainer.batch), u128::from(completion));
        let vocab = u128::from(trainer.vocabulary());
        let row = completion * vocab;
        let all = batch * row;
        let wide = bytes == 4;
        let made = if autocast { 6 * all } else { 0 };
        let scored = if wide { (4 * all + 4 * row).max(made) } else { 2 * all + 2 * row * batch.min(2) };
        if trainer.training.loss == Loss::Chunked {
            let [forward, backward] = liger(trainer, completion);
            return Self { scored, forward, backward, bytes };
        }
        let copied = if batch > 1 { bytes * all } else { 0 };
        let entropy = 3 * bytes * (batch * completion).min(ENTROPY_CHUNK) * vocab;
        let forward = 4 * all + copied + entropy;
        let forward = if wide { forward.max(4 * all + 4 * row).max(made) } else { forward };
        Self { scored, forward: Span::exactly(forward), backward: Span::exactly(4 * bytes * all), bytes }
    }

    /// The largest of them.
    pub fn most(&self) -> u128 {
        self.scored.max(self.forward.high).max(self.backward.high)
    }
}

/// Bytes of a logit as the trainer gets it, and whether it was made by autocast.
fn written(trainer: &Checked) -> (u128, bool) {
    let by_deepspeed = sharding::deepspeed(trainer).is_some()
        || trainer.mode == Mode::Training
            && matches!(trainer.recipe(), Recipe::Mixed | Recipe::MixedFp32Gradients | Recipe::WithoutMaster);
    let whole = trainer.mode == Mode::Training && trainer.recipe() == Recipe::Fp32;
    (if by_deepspeed { 2 } else { 4 }, !by_deepspeed && !whole)
}

/// Liger's loss when its forward pass ends, which makes all gradients, and when the backward pass begins.
fn liger(trainer: &Checked, completion: u128) -> [Span; 2] {
    let hidden = u128::from(trainer.architecture.hidden_size);
    let head = u128::from(trainer.vocabulary()) * hidden;
    let full = trainer.mode == Mode::Training && matches!(trainer.recipe(), Recipe::Fp32 | Recipe::Autocast);
    let weight = if full { 4 } else { 2 };
    let input = 2 * u128::from(trainer.batch) * completion * hidden;
    let (tokens, words) = LIGER;
    let at_once = 3 * 4 * completion.min(tokens) * words;
    let kept = weight * head + input;
    [Span::new(kept + weight * head, kept + (weight + 4) * head + at_once), Span::exactly(kept)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::{Architecture, Scenario};

    /// N is 512 × 20,000 a sequence: what PyTorch 2.15 allocated, in thousandths of a byte for each.
    #[test]
    fn they_are_as_measured() {
        for (bytes, autocast, batch, scored, forward, backward) in [
            (4, true, 1, 8_008, 8_040, 16_048),
            (4, true, 2, 6_012, 9_525, 16_032),
            (4, true, 4, 6_012, 8_767, 16_025),
            (4, false, 1, 8_008, 8_008, 16_016),
            (4, false, 2, 6_008, 9_508, 16_016),
            (4, false, 4, 5_008, 8_758, 16_016),
            (2, false, 1, 4_004, 5_504, 8_008),
            (2, false, 2, 4_004, 6_754, 8_008),
            (2, false, 4, 3_004, 6_379, 8_008),
        ] {
            let shape = Architecture::llama([2, 8, 2, 2, 1, 4, 20_000]);
            let scenario = Scenario { mode: Mode::Training, batch, seq_length: 1_024, ..Scenario::new(shape) };
            let made = Logits::made(&scenario.check().unwrap(), 512, bytes, autocast);
            let all = u128::from(batch) * 512 * 20_000;
            for (computed, measured) in
                [(made.scored, scored), (made.forward.high, forward), (made.backward.high, backward)]
            {
                let measured = measured * all / 1_000;
                assert!(computed.abs_diff(measured) * 200 <= measured, "{batch} {bytes}: {computed} {measured}");
            }
        }
    }

    /// huggingface/trl issue 3678: 902 MB at the peak and 44 MB before, which are said in whole MB.
    #[test]
    fn a_published_pass_on_an_h100_is_within_half_a_percent() {
        let shape = Architecture::llama([2, 8, 2, 2, 1, 4, 151_665]);
        let scenario = Scenario { mode: Mode::Training, batch: 2, seq_length: 300, ..Scenario::new(shape) };
        let made = Logits::made(&scenario.check().unwrap(), 256, 4, true).forward.high;
        let published = 902_000_000_u128 - 44_000_000;
        assert!(made < published && (published - made) * 200 < published, "{made}");
    }
}
