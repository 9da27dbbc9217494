//! How long so many GPUs train a model.

use super::{NODE, Size};
use crate::spending::{dense_peak, gpu_hours, training_flops};
use crate::tables::gpus::Gpu;

/// Training tokens for each parameter that are taken to be worth a model's size. Source: Hoffmann et al. 2022 ("Chinchilla").
pub const TOKENS_PER_PARAMETER: u64 = 20;

/// Share of the peak that the model's own arithmetic reaches in training (MFU), from and to, where `NVLink` or the like joins the GPUs of a computer.
///
/// # Source
/// Korthikanti et al. 2022 (arXiv 2205.05198): 530 billion parameters on 2,240 A100 reach 42.1% when every layer is recomputed, 54.2% otherwise.
/// The Llama 3 report (arXiv 2407.21783): 38% to 43%, which is 380 to 430 TFLOP/s of an H100. `torchtitan`'s public runs of Llama 3.1 8B on 8 H100: 32% to 42%.
pub const MFU: [f64; 2] = [0.30, 0.45];

/// The same where only PCIe joins the GPUs, within one computer.
///
/// # Source
/// `DeepSpeed` `ZeRO`-3 under `LLaMA-Factory` on four RTX 4090 (github.com/IST-DASLab/llmq at b77d969, `benchmarks/4090x4.md`): 2,630 tokens/s for Qwen2.5 14B
/// to 122,784 for 0.5B are 35% to 55%, each pass with up to 32 sequences of 1,024 tokens.
///
/// # Assumes
/// The low end is one sequence of 4,096 tokens a GPU, for which `ZeRO`-3 sends the weights three times: what is left where the link, at 20 of its 31.5 GB/s,
/// and arithmetic at 60% of the peak take turns (15% on an L40S, the least of the list).
pub const MFU_PCIE: [f64; 2] = [0.15, 0.55];

/// The share of the peak that so many GPUs reach; `None` where no public run says so: many computers whose GPUs only PCIe joins, or GPUs that nothing joins.
pub fn mfu(cards: u64, gpu: &Gpu) -> Option<[f64; 2]> {
    let linked = gpu.peer_link.is_some() && (cards <= 2 || !gpu.bridged());
    if cards <= 1 || linked { Some(MFU) } else { (gpu.host_link.is_some() && cards <= NODE.into()).then_some(MFU_PCIE) }
}

impl Size {
    /// Tokens that it is trained on.
    pub const fn training_tokens(self) -> u64 {
        self.parameters() * TOKENS_PER_PARAMETER
    }

    /// Seconds that so many GPUs train it, shortest first; `None` where the GPU's dense 16-bit rate is not published, or the share of it that they reach ([`mfu`]).
    ///
    /// # Formula
    /// 6 × parameters × tokens / (GPUs × dense peak × MFU).
    ///
    /// # Units
    /// Seconds.
    ///
    /// # Assumes
    /// 16-bit arithmetic, [`TOKENS_PER_PARAMETER`] and [`mfu`]; nothing fails on the way.
    ///
    /// # Source
    /// Kaplan et al. 2020 (6 FLOPs for each parameter and token).
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{scaling::Size, tables::gpus};
    /// let gpu = gpus::by_id("a100-80-sxm").unwrap();
    /// let years = Size::B70.training_seconds(16, gpu).unwrap().map(|seconds| (seconds / 31_557_600.0).round());
    /// assert_eq!(years, [8.0, 12.0]);
    /// ```
    pub fn training_seconds(self, cards: u64, gpu: &Gpu) -> Option<[f64; 2]> {
        let peak = dense_peak(gpu)?;
        let flops = training_flops(self.parameters(), self.training_tokens());
        let [low, high] = mfu(cards, gpu)?;
        Some([high, low].map(|mfu| gpu_hours(flops, peak, mfu) * 3_600.0 / cards.max(1) as f64))
    }
}
