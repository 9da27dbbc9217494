//! What a run takes: FLOPs, hours, money and energy; and how fast a server answers, at which price.
//!
//! Training is a rule of thumb with one unknown, the MFU. Serving is the range of [`roofline::latency`](crate::roofline::latency).
//! Neither is a forecast: what no measurement backs is a range, and prices are the reader's own.

use crate::checked::Checked;
use crate::precision::ComputePrecision;
use crate::roofline::Pass;
use crate::roofline::latency::{Counting, estimate};
use crate::tables::gpus::Gpu;
use crate::units::{FlopRate, Seconds};

/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

/// The share of its board power that a GPU draws in training on average, least and most.
///
/// # Source
/// Newkirk et al. 2025 (arXiv 2506.14551): nodes of eight H100 trained at 76% of what they are rated for. Olmo 3 (Ai2): 146 megawatt-hours in 234,000 hours of
/// H100 for 7B, 681 in 1,050,000 hours for 32B, which is 89% and 93% of 700 W. The upper end is the limit of the board.
pub const POWER_SHARE: [f64; 2] = [0.76, 1.0];

/// FLOPs of a training run.
///
/// # Formula
/// 6 × parameters × tokens: two for forward, since each weight is multiplied and added once, and twice that for backward.
///
/// # Assumes
/// Of a mixture of experts, the parameters that one token visits. Attention scores are left out, which are a few percent at the lengths of pretraining.
///
/// # Source
/// Kaplan et al. 2020, section 2.1.
///
/// # Example
/// ```
/// use memory_wall_core::spending::training_flops;
/// // Llama 3.1 405B on 15.6 T tokens: the report says 3.8 × 10²⁵.
/// assert_eq!((training_flops(405_853_388_800, 15_600_000_000_000) / 1e24).round(), 38.0);
/// ```
pub fn training_flops(parameters: u64, tokens: u64) -> f64 {
    6.0 * parameters as f64 * tokens as f64
}

/// The dense rate of 16-bit matrices, against which an MFU is counted; `None` where it is not published.
pub fn dense_peak(gpu: &Gpu) -> Option<FlopRate> {
    gpu.peaks.at(ComputePrecision::Bf16).or(gpu.peaks.at(ComputePrecision::Fp16))
}

/// Hours that one GPU would compute.
///
/// # Formula
/// flops / (peak × MFU × 3,600).
///
/// # Units
/// GPU hours: twice as many GPUs need half the hours each, at the same MFU.
///
/// # Example
/// ```
/// use memory_wall_core::{spending::{dense_peak, gpu_hours, training_flops}, tables::gpus};
/// let peak = dense_peak(gpus::by_id("a100-80-sxm").unwrap()).unwrap();
/// // Llama 2 7B on 2 T tokens at 39% of an A100: Meta says 184,320 hours.
/// let hours = gpu_hours(training_flops(6_738_415_616, 2_000_000_000_000), peak, 0.3906);
/// assert_eq!((hours / 100.0).round(), 1_843.0);
/// ```
pub fn gpu_hours(flops: f64, peak: FlopRate, mfu: f64) -> f64 {
    flops / (peak.0 * mfu * HOUR)
}

/// The share of the peak that a run reached (MFU), from its GPU hours.
///
/// # Formula
/// flops / (GPU hours × 3,600 × peak).
///
/// # Assumes
/// All hours count, with restarts and waiting, so it lies below the MFU of a step that runs well.
///
/// # Source
/// Chowdhery et al. 2022 (`PaLM`), which introduced the measure.
pub fn mfu(flops: f64, hours: f64, peak: FlopRate) -> f64 {
    flops / (hours * HOUR * peak.0)
}

/// Tokens a second that a training run learns from, on all GPUs.
///
/// # Formula
/// GPUs × peak × MFU / (6 × parameters).
pub fn training_rate(parameters: u64, gpus: u64, peak: FlopRate, mfu: f64) -> f64 {
    gpus as f64 * peak.0 * mfu / training_flops(parameters, 1)
}

/// The price of a million tokens, in the currency of the price of a GPU and hour.
///
/// # Formula
/// 10⁶ / tokens a second × GPUs × price an hour / 3,600.
///
/// # Example
/// ```
/// use memory_wall_core::spending::price_per_million;
/// // 100 tokens a second on one GPU for $2 an hour.
/// assert!((price_per_million(100.0, 1, 2.0) - 5.5556).abs() < 1e-4);
/// ```
pub fn price_per_million(tokens_per_second: f64, gpus: u64, price_per_hour: f64) -> f64 {
    1e6 / tokens_per_second * gpus as f64 * price_per_hour / HOUR
}

/// Energy of so many GPU hours in watt-hours, least and most.
///
/// # Formula
/// GPU hours × board power × [`POWER_SHARE`].
///
/// # Assumes
/// The boards alone: processors, network and cooling come on top.
pub fn energy(hours: [f64; 2], watts: u32) -> [f64; 2] {
    let [least, most] = hours;
    [least * POWER_SHARE[0], most * POWER_SHARE[1]].map(|full| full * f64::from(watts))
}

/// The limit of a GPU's power in watts, as its maker prints it; `None` where no source for it is at hand.
///
/// # Source
/// NVIDIA, AMD and Intel data sheets as listed in github.com/canncupiscent/dc-liquid-cooling-calculator (`Hardware_spec.md`) and
/// github.com/giacomo-brunetta/MLPerf_per_Watt, the A100 as in Meta's model card of Llama 2, the A40 in NVIDIA's product brief PB-09976-001,
/// the RTX 4090 on notebookcheck.com; B200 again at glennklockwood.com, the MI300X in AMD's own submission to `MLPerf` inference 4.1. Checked on 2026-11-23.
pub fn board_watts(gpu: &Gpu) -> Option<u32> {
    Some(match gpu.id {
        "a100-40-sxm" | "a100-80-sxm" => 400,
        "h100-sxm" | "h200-sxm" => 700,
        "h100-pcie" | "l40s" => 350,
        "a40" | "l40" | "mi210" => 300,
        "b200" => 1_000,
        "l4" => 72,
        "rtx4090" => 450,
        "mi300x" => 750,
        "mi355x" => 1_400,
        "gaudi2" => 600,
        "gaudi3" => 900,
        _ => return None,
    })
}

/// How fast one GPU serves a model: ranges, the best end first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Service {
    /// Time to the first token (TTFT) of a prompt that waits for nobody.
    pub ttft: [Seconds; 2],
    /// Time for each further token (TPOT).
    pub tpot: [Seconds; 2],
    /// Tokens of prompts that are read in a second.
    pub read: [f64; 2],
    /// Tokens that all sequences together write in a second.
    pub written: [f64; 2],
}

/// How fast a GPU serves; `None` where the scenario trains, and on a GPU of the reader's own of which too little is stated.
///
/// # Formula
/// TTFT = time of a prefill of one prompt, TPOT = time of a decoding step of the batch, at best for all tokens that were guessed ahead too. Read = tokens of the prompt / TTFT; written = batch / TPOT.
///
/// # Units
/// Seconds, and tokens a second.
///
/// # Assumes
/// Prompts and contexts are as long as the sequence length, no request waits in a queue, and prefill and decoding do not disturb each other:
/// a busy server has a longer TTFT and lies below both rates. The range is that of [`estimate`].
///
/// # Example
/// ```
/// use memory_wall_core::{Scenario, spending::service, tables::{gpus, models}};
/// let scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture).check().unwrap();
/// let service = service(&scenario, gpus::by_id("a100-80-sxm").unwrap()).unwrap();
/// // TensorRT-LLM answers such a prompt after 120.5 ms, and gpt-fast writes 104.9 tokens a second.
/// assert!(service.ttft[0].as_ms() < 120.5 && service.ttft[1].as_ms() > 120.5);
/// assert!(service.written[0] > 104.9 && service.written[1] < 104.9);
/// ```
pub fn service(scenario: &Checked, gpu: &Gpu) -> Option<Service> {
    if scenario.mode.trains() || scenario.untimed().is_some() {
        return None;
    }
    let counting = Counting::of(scenario);
    let one = scenario.with_batch(1);
    let [first, next] = [(&one, Pass::Prefill), (scenario, Pass::Decode)].map(|(scenario, pass)| {
        let time = estimate(scenario, gpu, pass, counting);
        [time.floor, time.upper]
    });
    let tokens = f64::from(scenario.seq_length);
    let batch = f64::from(scenario.batch);
    let [best, worst] = next;
    let next = [Seconds(best.0 / f64::from(scenario.tokens_a_step())), worst];
    Some(Service {
        ttft: first,
        tpot: next,
        read: first.map(|time| tokens / time.0),
        written: next.map(|time| batch / time.0),
    })
}
