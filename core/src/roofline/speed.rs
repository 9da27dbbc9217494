//! Tokens a second, and how much of a GPU's peak a model uses: what follows from the time of a pass.

use super::latency::Estimate;
use super::{Pass, attention_rate, multiplies_in};
use crate::checked::Checked;
use crate::tables::gpus::Gpu;

/// Speeds that follow from a pass, as the ends of a range: the first is the slower one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Tokens a second for one sequence, written or, in prefill, read; in training for one replica.
    pub per_user: [f64; 2],
    /// Tokens a second for each GPU, all sequences together.
    pub per_gpu: [f64; 2],
    /// What share of the GPUs' peak the model's own FLOPs are.
    pub mfu: [f64; 2],
}

impl Estimate {
    /// Tokens a second and model FLOPs utilisation.
    ///
    /// # Formula
    /// Tokens of the pass / time: `batch` in decoding, `batch` × `seq_length` in prefill, times micro-batches in training; for each GPU divided by the GPUs of one replica.
    /// MFU = FLOPs of matrices and attention (the causal half, nothing recomputed) / (time × `peak` × GPUs).
    ///
    /// # Assumes
    /// In inference as many batches are under way as a pipeline has stages, so that all of them work. Where tokens are guessed ahead, a step of decoding writes
    /// all of them at the fast end and one at the slow end; MFU counts one.
    pub fn speed(&self, scenario: &Checked, gpu: &Gpu) -> Speed {
        let parallel = &scenario.parallel;
        let tokens = match self.pass {
            Pass::Decode => f64::from(scenario.batch),
            Pass::Prefill => scenario.tokens() as f64,
            Pass::Training => scenario.tokens() as f64 * f64::from(scenario.training.micro_batches),
        };
        let training = self.pass == Pass::Training;
        let stages = if training { f64::from(parallel.pp) } else { 1.0 };
        let gpus = f64::from(parallel.tp) * f64::from(parallel.cp) * stages;
        let users = if training { 1.0 } else { f64::from(scenario.batch) };
        // The faster of the two, where a cache in fp8 makes attention faster than 16-bit matrices.
        let [matrix, attention] = [multiplies_in(scenario, gpu).1, attention_rate(scenario, gpu)];
        let peak = matrix.0.max(attention.0);
        let both = |value: f64| [value / self.upper.0, value / self.lower.0];
        let step = if self.pass == Pass::Decode { f64::from(scenario.tokens_a_step()) } else { 1.0 };
        let written = |value: f64| {
            let [slow, fast] = both(value);
            [slow, fast * step]
        };
        Speed {
            per_user: written(tokens / users),
            per_gpu: written(tokens / gpus),
            mfu: both(self.model_flops as f64 / peak),
        }
    }
}
