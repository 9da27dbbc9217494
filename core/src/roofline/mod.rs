//! The roofline: how fast work can run on a GPU, from how much it computes for each byte that it moves.
//!
//! [`Roof`] is the GPU, [`Work`] what is to be done, [`Kernel`] the common operations by their shapes,
//! [`operations`] those of a model, and [`latency`] their times together.

pub mod crossover;
pub mod efficiency;
pub mod kernel;
pub mod latency;
mod layers;
mod lister;
pub mod operations;
pub mod rates;
pub mod speed;
mod step;
pub mod tasks;
pub mod waits;
mod work;

pub use efficiency::Efficiency;
pub use kernel::Kernel;
pub use operations::{Operation, Pass, Task};
pub use work::{Accounting, Work};

use crate::fp8::Fp8;
use crate::precision::{ComputePrecision, KvPrecision, WeightFormat};
use crate::scenario::{Mode, Scenario};
use crate::serving::Engine;
use crate::tables::gpus::Gpu;
use crate::training::Training;
use crate::units::{ByteRate, FlopRate, Intensity, Seconds};

choices! {
    /// What holds work back.
    Bound {
        /// Bytes: the work waits for memory.
        Memory = "memory";
        /// Arithmetic: the units are full.
        Compute = "compute";
        /// The wire between GPUs, or to host memory.
        Link = "link";
    }
}

impl Bound {
    /// The place in a list of all three.
    const fn place(self) -> usize {
        match self {
            Self::Memory => 0,
            Self::Compute => 1,
            Self::Link => 2,
        }
    }
}

/// A GPU as the roofline sees it: how fast it computes at one precision, and how fast it is fed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roof {
    /// Dense peak rate.
    pub peak: FlopRate,
    /// Bandwidth of the GPU's own memory.
    pub bandwidth: ByteRate,
}

impl Roof {
    /// A GPU's roof at one precision, from its dense peak; `None` where the GPU does not have it, or no figure is published.
    ///
    /// Rates with sparsity are not in the table, so they can never be mixed in.
    pub fn of(gpu: &Gpu, precision: ComputePrecision) -> Option<Self> {
        Some(Self { peak: gpu.peaks.at(precision)?, bandwidth: gpu.bandwidth })
    }

    /// The intensity at which the two limits meet.
    ///
    /// # Formula
    /// `peak / bandwidth`
    ///
    /// # Units
    /// FLOP per byte.
    ///
    /// # Source
    /// Williams, Waterman and Patterson 2009, Roofline.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{precision::ComputePrecision, roofline::Roof, tables::gpus};
    /// let ridge = |id| Roof::of(gpus::by_id(id).unwrap(), ComputePrecision::Bf16).unwrap().ridge().0;
    /// assert_eq!(ridge("a100-80-sxm").round(), 153.0);
    /// assert_eq!(ridge("h100-sxm").round(), 295.0);
    /// ```
    pub fn ridge(self) -> Intensity {
        Intensity(self.peak.0 / self.bandwidth.0)
    }

    /// The rate that work of this intensity can reach: min(`peak`, `bandwidth` × `intensity`).
    pub fn attainable(self, intensity: Intensity) -> FlopRate {
        FlopRate(self.peak.0.min(self.bandwidth.0 * intensity.0))
    }

    /// What holds work of this intensity back; at the ridge itself both do, and it counts as computing.
    pub fn bound(self, intensity: Intensity) -> Bound {
        if intensity < self.ridge() { Bound::Memory } else { Bound::Compute }
    }

    /// The same GPU at a share of its rates.
    #[must_use]
    pub fn at(self, efficiency: Efficiency) -> Self {
        Self {
            peak: FlopRate(self.peak.0 * efficiency.compute),
            bandwidth: ByteRate(self.bandwidth.0 * efficiency.bandwidth),
        }
    }

    /// The least time for so much arithmetic and so many bytes: the longer of the two, since they overlap.
    pub fn seconds(self, flops: u128, bytes: u128) -> Seconds {
        Seconds((flops as f64 / self.peak.0).max(bytes as f64 / self.bandwidth.0))
    }
}

/// The precision in which a scenario's matrices are multiplied on a GPU, and its rate; never one that the GPU does not have.
///
/// 16 bits for weights that are stored in fewer, since they are unpacked first; 8 bits where weights and activations are fp8 or W8A8 and the GPU has the units, in training by the recipe,
/// and for MXFP4 on GPUs with 4-bit units, which multiply it with 8-bit activations; 4 bits for NVFP4.
/// Sums are kept in fp32, so that GPUs for games, which are twice as fast with 16-bit sums, can beat a bound made from it.
/// llama.cpp is that exception: it multiplies its own formats as 8-bit integers and adds 16-bit ones up in 16 bits. Each block of 32 integer products is
/// scaled by vector instructions, so that half of the integer rate is taken to be its limit, which is also the rate of 16-bit sums on GPUs for games:
/// a figure from counting instructions, not from a data sheet.
/// fp32 runs as TF32 where there is such a unit. GPUs without a published rate are taken to compute 100 FLOPs for each byte that they read.
pub fn multiplies_in(scenario: &Scenario, gpu: &Gpu) -> (ComputePrecision, FlopRate) {
    use ComputePrecision::{Bf16, Fp4, Fp8, Fp16, Fp32, Int8, Tf32};
    let wanted: &[ComputePrecision] = match (scenario.mode, scenario.weights) {
        _ if scenario.activation_bytes() == 4 => &[Tf32, Fp32],
        _ if scenario.trains_in_fp8() => &[Fp8, Bf16, Fp16, Fp32],
        (Mode::Inference, WeightFormat::Fp8 | WeightFormat::Fp8Block) => &[Fp8, Bf16, Fp16, Fp32],
        (Mode::Inference, WeightFormat::W8a8) => &[Int8, Bf16, Fp16, Fp32],
        (Mode::Inference, WeightFormat::Nvfp4) => &[Fp4, Bf16, Fp16, Fp32],
        (Mode::Inference, WeightFormat::Mxfp4) if gpu.peaks.at(Fp4).is_some() && !llama_cpp(scenario) => {
            &[Fp8, Bf16, Fp16, Fp32]
        }
        (_, WeightFormat::Fp16) => &[Fp16, Bf16, Fp32],
        _ => &[Bf16, Fp16, Fp32],
    };
    let known = wanted.iter().find_map(|&precision| Some((precision, gpu.peaks.at(precision)?)));
    let (precision, rate) = known.unwrap_or((Bf16, FlopRate(gpu.bandwidth.0 * 100.0)));
    if llama_cpp(scenario) {
        let halved = gpu.peaks.at(Int8).map(|peak| FlopRate(peak.0 / 2.0));
        if let Some(halved) = halved.filter(|halved| *halved > rate) {
            return (Int8, halved);
        }
    }
    (precision, rate)
}

fn llama_cpp(scenario: &Scenario) -> bool {
    scenario.mode == Mode::Inference
        && scenario.serving.engine == Engine::LlamaCpp
        && scenario.weights != WeightFormat::Fp32
}

/// The rate of matrices that a format below 16 bits leaves wide.
pub fn wide_rate(scenario: &Scenario, gpu: &Gpu) -> FlopRate {
    let weights = if scenario.activation_bytes() == 4 { WeightFormat::Fp32 } else { WeightFormat::Bf16 };
    let training = Training { fp8: Fp8::NONE, ..scenario.training };
    multiplies_in(&Scenario { weights, training, ..*scenario }, gpu).1
}

/// The rate of attention: in fp8 where the cache is and the GPU has the units, otherwise as of wide matrices.
pub fn attention_rate(scenario: &Scenario, gpu: &Gpu) -> FlopRate {
    let wide = wide_rate(scenario, gpu);
    let narrow = scenario.mode == Mode::Inference && scenario.kv == KvPrecision::Fp8;
    gpu.peaks.at(ComputePrecision::Fp8).filter(|rate| narrow && *rate > wide).unwrap_or(wide)
}

/// The roof under which a scenario's matrices are multiplied on its GPU.
pub fn roof_of(scenario: &Scenario, gpu: &Gpu) -> Roof {
    Roof { peak: multiplies_in(scenario, gpu).1, bandwidth: gpu.bandwidth }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::gpus::{self, GPUS};

    #[test]
    fn the_worked_example_of_the_textbook() {
        let a100 = Roof { peak: FlopRate::from_tflops(312.0), bandwidth: ByteRate::from_gb_per_s(2_000.0) };
        assert!((a100.ridge().0 - 156.0).abs() < 1e-9);
        let slow = a100.attainable(Intensity(3.0));
        assert!((slow.as_tflops() - 6.0).abs() < 1e-9);
        assert!((slow.0 / a100.peak.0 - 0.019_23).abs() < 1e-5);
        assert_eq!(a100.bound(Intensity(155.9)), Bound::Memory);
        assert_eq!(a100.bound(Intensity(156.0)), Bound::Compute);
    }

    #[test]
    fn every_gpu_has_a_roof_for_its_weights() {
        let llama = crate::tables::models::by_id("llama-3.1-8b").expect("a model");
        for gpu in GPUS {
            for &weights in WeightFormat::ALL {
                let scenario = Scenario { weights, ..Scenario::new(llama.architecture) };
                let (precision, rate) = multiplies_in(&scenario, gpu);
                assert!(rate.0 > 1e12 && rate.0.is_finite(), "{} {weights}", gpu.id);
                assert!(gpu.peaks.at(precision).is_none_or(|peak| rate <= peak), "{} {weights}", gpu.id);
            }
        }
    }

    #[test]
    fn an_a100_has_no_fp8_units() {
        let a100 = gpus::by_id("a100-80-sxm").expect("a GPU");
        assert_eq!(Roof::of(a100, ComputePrecision::Fp8), None);
    }
}
