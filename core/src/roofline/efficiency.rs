//! What share of a roof real runtimes reach: named, and never mixed into a bound.

use super::Pass;
use crate::precision::WeightFormat;
use crate::scenario::Scenario;
use crate::serving::Engine;
use crate::tables::gpus::Gpu;
use crate::units::Seconds;

/// Shares of a GPU's rates that are reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiency {
    /// Of the dense peak.
    pub compute: f64,
    /// Of the bandwidth, of memory and of links.
    pub bandwidth: f64,
}

impl Typical {
    /// The time that the runtime typically takes where the bound is `lower`.
    pub fn seconds(&self, lower: Seconds) -> Seconds {
        Seconds(lower.0 / self.share)
    }
}

impl Efficiency {
    /// What nine of ten measured runs on one GPU reached at least: it makes the upper end of a range.
    ///
    /// The crate `memory-wall-accuracy` counts how many of its rows do.
    pub const LEAST: Self = Self { compute: 0.35, bandwidth: 0.35 };
}

choices! {
    /// Programs whose speed was measured.
    Runtime {
        /// gpt-fast: native PyTorch under `torch.compile`, one sequence at a time.
        GptFast = "gpt-fast";
        /// TensorRT-LLM.
        TensorRtLlm = "tensorrt-llm";
        /// llama.cpp with CUDA.
        LlamaCpp = "llama.cpp";
    }
}

/// The share of its lower bound that a runtime typically reaches: lower bound divided by measured time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typical {
    /// The runtime.
    pub runtime: Runtime,
    /// The pass.
    pub pass: Pass,
    /// The weights' format in those runs.
    pub weights: WeightFormat,
    /// Lower bound by measured time.
    pub share: f64,
    /// Measured runs that it was fitted to.
    pub runs: u32,
    /// The GPUs of those runs.
    pub gpus: &'static str,
}

const fn typical(runtime: Runtime, pass: Pass, weights: WeightFormat, share: f64, runs: u32) -> Typical {
    let gpus = match (runtime, weights) {
        (Runtime::GptFast, WeightFormat::Int4Group32) | (Runtime::TensorRtLlm, WeightFormat::Fp16) => "A100",
        (Runtime::GptFast, _) => "A100, MI250X",
        (Runtime::TensorRtLlm, _) => "H100, L40S",
        (Runtime::LlamaCpp, _) => "GB10",
    };
    Typical { runtime, pass, weights, share, runs, gpus }
}

/// One share for each runtime, pass and format, with the number of runs, fitted to the rows of `accuracy/data/speed.csv` on one GPU, whose errors are published with them.
pub static TYPICAL: &[Typical] = &[
    typical(Runtime::GptFast, Pass::Decode, WeightFormat::Bf16, 0.68, 3),
    typical(Runtime::GptFast, Pass::Decode, WeightFormat::Int8, 0.63, 4),
    typical(Runtime::GptFast, Pass::Decode, WeightFormat::Int4Group32, 0.53, 2),
    typical(Runtime::TensorRtLlm, Pass::Prefill, WeightFormat::Fp16, 0.67, 4),
    typical(Runtime::TensorRtLlm, Pass::Decode, WeightFormat::Fp16, 0.77, 5),
    typical(Runtime::TensorRtLlm, Pass::Prefill, WeightFormat::Fp8, 0.68, 10),
    typical(Runtime::TensorRtLlm, Pass::Decode, WeightFormat::Fp8, 0.68, 10),
    typical(Runtime::LlamaCpp, Pass::Prefill, WeightFormat::Q8Zero, 0.48, 9),
    typical(Runtime::LlamaCpp, Pass::Decode, WeightFormat::Q8Zero, 0.75, 19),
    typical(Runtime::LlamaCpp, Pass::Prefill, WeightFormat::Q4Zero, 0.42, 4),
    typical(Runtime::LlamaCpp, Pass::Decode, WeightFormat::Q4Zero, 0.66, 6),
    typical(Runtime::LlamaCpp, Pass::Prefill, WeightFormat::Mxfp4, 0.41, 11),
    typical(Runtime::LlamaCpp, Pass::Decode, WeightFormat::Mxfp4, 0.8, 17),
];

/// What runtimes like the scenario's reached with weights of as many bits, on one GPU of the same maker: llama.cpp for itself, the others for everything else.
pub fn like(scenario: &Scenario, gpu: &Gpu, pass: Pass) -> impl Iterator<Item = &'static Typical> {
    let llama_cpp = scenario.serving.engine == Engine::LlamaCpp;
    let weights = scenario.weights;
    let comparable = scenario.parallel.ranks() == 1 && gpu.vendor == "NVIDIA";
    let sixteen = |format| matches!(format, WeightFormat::Fp16 | WeightFormat::Bf16);
    TYPICAL.iter().filter(move |row| {
        let same = row.weights == weights || sixteen(row.weights) && sixteen(weights);
        comparable && row.pass == pass && same && (row.runtime == Runtime::LlamaCpp) == llama_cpp
    })
}

/// The share that was measured for this runtime, pass and format, if it was.
pub fn measured(runtime: Runtime, pass: Pass, weights: WeightFormat) -> Option<&'static Typical> {
    TYPICAL.iter().find(|row| (row.runtime, row.pass, row.weights) == (runtime, pass, weights))
}
