//! What a step of a server costs, from the engine's own times of prefill and decode.

use crate::checked::Checked;
use crate::precision::WeightFormat;
use crate::roofline::Pass;
use crate::roofline::efficiency::{Runtime, measured};
use crate::roofline::latency::{Counting, estimate};
use crate::scenario::{Attention, Mode};
use crate::tables::gpus::Gpu;

/// Picoseconds of a step: it takes what is longer of reading the weights and computing its tokens, and attention on top.
///
/// # Formula
/// max(`weights`, tokens × `token`) + sum over requests of max(tokens × context × `attention`, context × `cache`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Reading all weights once.
    pub weights: u64,
    /// The matrices for one token.
    pub token: u64,
    /// Reading the keys and values of one token.
    pub cache: u64,
    /// Attention of one token of a prompt to one before it.
    pub attention: u64,
}

/// Sequences of a step by which reading is measured: enough that every expert of a mixture is asked for.
const TOGETHER: u32 = 64;

/// Prompts by which computing is measured: both long enough that weights are no matter.
const PROMPTS: [u32; 2] = [2_048, 4_096];

impl Costs {
    /// The four of them.
    pub const fn numbers(&self) -> [u64; 4] {
        [self.weights, self.token, self.cache, self.attention]
    }

    /// What a step costs on a GPU.
    ///
    /// # Formula
    /// Differences of the bounds of [`estimate`]: decode of many sequences with one token and with `context` tokens, prefill of two prompts;
    /// each divided by the share of its bound that TensorRT-LLM typically reached.
    ///
    /// # Assumes
    /// Other servers, GPUs and formats reach the shares that were measured on NVIDIA's. In a mixture of experts every step reads all experts.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Scenario, server::Costs, tables::{gpus, models}};
    /// let scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture).check().unwrap();
    /// let costs = Costs::of(&scenario, gpus::by_id("a100-80-sxm").unwrap(), 2_048);
    /// // 13.2 GB of weights and 0.52 MB of a token, at 77% of 2,039 GB/s.
    /// assert_eq!((costs.weights / 10_000_000, costs.cache / 1_000), (844, 333));
    /// // 13.0 GFLOP a token at 67% of 312 TFLOP/s are 62 µs.
    /// assert_eq!(costs.token / 1_000_000, 62);
    /// ```
    pub fn of(scenario: &Checked, gpu: &Gpu, context: u32) -> Self {
        let served = scenario.with_batch(1).with(|it| {
            it.mode = Mode::Inference;
            it.attention = Attention::Flash;
        });
        let scenario = served.unwrap_or(*scenario);
        let counting = Counting::of(&scenario);
        let bound = |pass, batch, tokens| {
            let scenario = scenario.with_batch(batch).with_seq_length(tokens);
            estimate(&scenario, gpu, pass, counting).lower.0
        };
        let like = if scenario.weights.trainable() { WeightFormat::Fp16 } else { WeightFormat::Fp8 };
        let share = |pass| measured(Runtime::TensorRtLlm, pass, like).map_or(1.0, |row| row.share);

        let context = context.max(2);
        let weights = bound(Pass::Decode, TOGETHER, 1);
        let read = bound(Pass::Decode, TOGETHER, context) - weights;
        let cache = read / f64::from(TOGETHER) / f64::from(context - 1);
        let [short, long] = PROMPTS.map(|tokens| bound(Pass::Prefill, 1, tokens) / f64::from(tokens));
        let [from, to] = PROMPTS.map(f64::from);
        // The mean time of a token rises by half of a look back with every token of the prompt.
        let attention = 2.0 * (long - short) / (to - from);
        let token = short - attention * from / 2.0;
        let at = |seconds: f64, share: f64| picoseconds(seconds / share);
        Self {
            weights: at(weights, share(Pass::Decode)),
            token: at(token, share(Pass::Prefill)),
            cache: at(cache, share(Pass::Decode)),
            attention: at(attention, share(Pass::Prefill)),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and NaN is 0"
)]
fn picoseconds(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1e12) as u64
}
