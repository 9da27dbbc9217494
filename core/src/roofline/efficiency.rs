//! What share of a roof real runtimes reach: named, and never mixed into a bound.

use super::Pass;
use crate::precision::WeightFormat;
use crate::scenario::{Attention, Mode, Scenario};
use crate::serving::Engine;
use crate::tables::gpus::Gpu;
use crate::training::{Implementation, Recipe};
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

    /// The same of training steps of mixtures of experts in programs made for many GPUs.
    pub const LEAST_OF_MIXTURES: Self = Self { compute: 0.25, bandwidth: 0.25 };

    /// The same of training steps in fp8, whose peak is twice as high while only the layers' matrices gain by it: nine of torchtitan's rows.
    pub const LEAST_IN_FP8: Self = Self { compute: 0.2, bandwidth: 0.35 };

    /// The same of mixtures: half of [`Efficiency::LEAST_OF_MIXTURES`], since those steps in fp8 are among its own and the peak is twice as high.
    pub const LEAST_OF_MIXTURES_IN_FP8: Self = Self { compute: 0.125, bandwidth: 0.25 };

    /// The same of inference on AMD's GPUs.
    pub const LEAST_ON_AMD: Self = Self { compute: 0.17, bandwidth: 0.23 };

    /// The same of mixtures there.
    pub const LEAST_OF_MIXTURES_ON_AMD: Self = Self { compute: 0.06, bandwidth: 0.23 };

    /// The same of inference on NVIDIA's GPUs whose memory is the computer's: of a dense model in 16 bits.
    pub const LEAST_ON_SHARED_MEMORY: Self = Self { compute: 0.3, bandwidth: 0.35 };

    /// The same of mixtures and of weights in fewer bits, whose printed peaks in fp8 and fp4 no kernel there comes near.
    pub const LEAST_OF_FEW_BITS_ON_SHARED_MEMORY: Self = Self { compute: 0.1, bandwidth: 0.35 };

    /// What nine of ten measured runs like the scenario's reached at least.
    ///
    /// # Assumes
    /// In inference the GPU decides: [`Efficiency::LEAST_ON_AMD`], [`Efficiency::LEAST_OF_MIXTURES_ON_AMD`], [`Efficiency::LEAST_ON_SHARED_MEMORY`], else [`Efficiency::LEAST`]. A training step of transformers or peft, whose kernels Python launches one by one: 0.25 of a dense model, 0.13 beside weights that bitsandbytes unpacks, 0.1 of a mixture of experts,
    /// 0.08 in fp32, which PyTorch multiplies without TF32 unless it is told to. 0.25 of a mixture in other programs; in fp8 [`Efficiency::LEAST_IN_FP8`] and its like. All else, and a dense model in 16 bits under `torch.compile`: [`Efficiency::LEAST`].
    ///
    /// # Source
    /// 82 steps on an H200 (set `one-gpu-steps-speed` of the crate `memory-wall-accuracy`). Mixtures in other programs: 176 of 183 steps of Megatron-LM in
    /// `docs/performance-summary.md` and `performance-summary-archive.md` of Megatron-Bridge at 067f987, on 8 to 1,024 GPUs, in bf16, fp8 and fp4.
    /// AMD: of 38 prompts that llama.cpp read on Strix Halo, all 28 with weights in fewer bits took this share of peak and bandwidth or more, and five of ten in bf16;
    /// of 113 decoding steps 106 reached 0.35 of the bandwidth and all 0.25
    /// (kyuz0/amd-strix-halo-toolboxes, `benchmark/results`); Llama 3.1 70B and 405B in fp8 on eight MI300X wrote 0.69 to 0.9 of what 0.35 of both would (vLLM 0.10.2 and 0.11.1, AMD's performance results).
    /// Mixtures there: eight prompts that builds of llama.cpp as released read on Strix Halo are within this share (fromthematrix.dev, build 8123;
    /// geerlingguy/ai-benchmarks issue 21); one by the first build that had the model (Qwen3-Next, pull request 16095) took a fifth more time.
    /// Shared memory: 76 prompts of 4,096 to 25,000 tokens in vLLM 0.26 on GB10: dense in bf16 0.33 to 0.75, mixtures in bf16 0.2 to 0.54, in fp8 and fp4 0.08 to 0.28; of as many decoding steps none was below 0.36
    /// (djangodevreng/dgx-spark-benchmarks, `results`). Read 2026-11-26.
    pub fn least_of(scenario: &Scenario) -> Self {
        let mixture = scenario.architecture.moe.is_some();
        if !scenario.mode.trains() {
            let plain = !mixture && matches!(scenario.weights, WeightFormat::Fp16 | WeightFormat::Bf16);
            return match scenario.gpu {
                Some(gpu) if gpu.vendor == "AMD" && mixture => Self::LEAST_OF_MIXTURES_ON_AMD,
                Some(gpu) if gpu.vendor == "AMD" => Self::LEAST_ON_AMD,
                Some(gpu) if gpu.vendor == "NVIDIA" && gpu.shares_memory() => {
                    if plain {
                        Self::LEAST_ON_SHARED_MEMORY
                    } else {
                        Self::LEAST_OF_FEW_BITS_ON_SHARED_MEMORY
                    }
                }
                _ => Self::LEAST,
            };
        }
        if scenario.training.implementation != Implementation::Transformers {
            return match (mixture, scenario.trains_in_fp8()) {
                (true, false) => Self::LEAST_OF_MIXTURES,
                (true, true) => Self::LEAST_OF_MIXTURES_IN_FP8,
                (false, false) => Self::LEAST,
                (false, true) => Self::LEAST_IN_FP8,
            };
        }
        let share = match (scenario.mode, scenario.recipe()) {
            _ if mixture => 0.1,
            (Mode::Qlora, _) => 0.13,
            (_, Recipe::Fp32) => 0.08,
            (Mode::Training, Recipe::Pure | Recipe::Autocast | Recipe::Mixed) if scenario.training.compile => {
                return Self::LEAST;
            }
            _ => 0.25,
        };
        Self { compute: share, bandwidth: share }
    }
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
        /// transformers, whose kernels Python launches one by one.
        Transformers = "transformers";
    }
}

impl Runtime {
    /// Its name, as its makers write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TensorRtLlm => "TensorRT-LLM",
            Self::GptFast | Self::LlamaCpp | Self::Transformers => self.id(),
        }
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
        (Runtime::Transformers, _) => "H200",
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
    typical(Runtime::Transformers, Pass::Training, WeightFormat::Bf16, 0.45, 37),
];

/// What runtimes like the scenario's reached with weights of as many bits, on one GPU of the same maker: llama.cpp for itself, transformers for a training step of a dense model, the others for everything else.
pub fn like(scenario: &Scenario, gpu: &Gpu, pass: Pass) -> impl Iterator<Item = &'static Typical> {
    let llama_cpp = scenario.serving.engine == Engine::LlamaCpp;
    let weights = scenario.weights;
    let comparable = scenario.parallel.ranks() == 1 && gpu.vendor == "NVIDIA";
    let sixteen = |format| matches!(format, WeightFormat::Fp16 | WeightFormat::Bf16);
    let plain = scenario.mode == Mode::Training
        && scenario.training.implementation == Implementation::Transformers
        && scenario.architecture.moe.is_none()
        && scenario.attention == Attention::Flash;
    TYPICAL.iter().filter(move |row| {
        let same = row.weights == weights || sixteen(row.weights) && sixteen(weights);
        let runtime = match row.runtime {
            Runtime::Transformers => plain,
            Runtime::LlamaCpp => llama_cpp,
            Runtime::GptFast | Runtime::TensorRtLlm => !llama_cpp,
        };
        comparable && row.pass == pass && same && runtime
    })
}

/// The share that was measured for this runtime, pass and format, if it was.
pub fn measured(runtime: Runtime, pass: Pass, weights: WeightFormat) -> Option<&'static Typical> {
    TYPICAL.iter().find(|row| (row.runtime, row.pass, row.weights) == (runtime, pass, weights))
}
