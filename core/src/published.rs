//! Published runs: what of the peak training runs have reached, and how fast models were served.

use crate::precision::WeightFormat;
use crate::roofline::Pass;
use crate::spending::{dense_peak, mfu, training_flops};
use crate::tables::gpus;

/// How long a run took, as its source says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Took {
    /// GPU hours of the whole run.
    Hours(f64),
    /// Tokens a second on each GPU while it ran well.
    Rate(f64),
    /// Only its MFU is said.
    Unsaid,
}

/// A training run that its makers have reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The model.
    pub name: &'static str,
    /// Parameters that a token visits.
    pub parameters: u64,
    /// Tokens that it was trained on.
    pub tokens: u64,
    /// The id of the GPU, or of the one with the same arithmetic.
    pub gpu: &'static str,
    /// What it is called.
    pub gpu_name: &'static str,
    /// How long it took.
    pub took: Took,
    /// The MFU that the source itself says, least and most.
    pub stated: Option<[f64; 2]>,
    /// The source's name.
    pub source: &'static str,
    /// Where it is.
    pub address: &'static str,
}

impl Run {
    /// Its MFU from hours or rate: what is said of it, by [`mfu`]. `None` where neither is said.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::published::RUNS;
    /// let run = RUNS.iter().find(|run| run.name == "Llama 2 7B").unwrap();
    /// assert_eq!((run.mfu().unwrap() * 1_000.0).round(), 391.0);
    /// ```
    pub fn mfu(&self) -> Option<f64> {
        let peak = dense_peak(gpus::by_id(self.gpu)?)?;
        match self.took {
            Took::Hours(hours) => Some(mfu(training_flops(self.parameters, self.tokens), hours, peak)),
            Took::Rate(rate) => Some(training_flops(self.parameters, 1) * rate / peak.0),
            Took::Unsaid => None,
        }
    }

    /// From the least to the most of what was worked out and what was stated.
    pub fn range(&self) -> [f64; 2] {
        let own = self.mfu();
        let [least, most] = self.stated.unwrap_or([own.unwrap_or(0.0); 2]);
        own.map_or([least, most], |own| [least.min(own), most.max(own)])
    }
}

/// The runs, best known first. Their figures were read in their sources on 2026-11-23.
pub static RUNS: &[Run] = &[
    Run {
        name: "Llama 2 7B",
        parameters: 6_738_415_616,
        tokens: 2_000_000_000_000,
        gpu: "a100-80-sxm",
        gpu_name: "A100 80 GB",
        took: Took::Hours(184_320.0),
        stated: None,
        source: "Meta's model card",
        address: "https://github.com/meta-llama/llama/blob/main/MODEL_CARD.md",
    },
    Run {
        name: "Llama 2 70B",
        parameters: 68_976_648_192,
        tokens: 2_000_000_000_000,
        gpu: "a100-80-sxm",
        gpu_name: "A100 80 GB",
        took: Took::Hours(1_720_320.0),
        stated: None,
        source: "Meta's model card",
        address: "https://github.com/meta-llama/llama/blob/main/MODEL_CARD.md",
    },
    Run {
        name: "Llama 3.1 8B",
        parameters: 8_030_261_248,
        tokens: 15_000_000_000_000,
        gpu: "h100-sxm",
        gpu_name: "H100",
        took: Took::Hours(1_460_000.0),
        stated: None,
        source: "Meta's model card",
        address: "https://github.com/meta-llama/llama-models/blob/main/models/llama3_1/MODEL_CARD.md",
    },
    Run {
        name: "Llama 3.1 70B",
        parameters: 70_553_706_496,
        tokens: 15_000_000_000_000,
        gpu: "h100-sxm",
        gpu_name: "H100",
        took: Took::Hours(7_000_000.0),
        stated: None,
        source: "Meta's model card",
        address: "https://github.com/meta-llama/llama-models/blob/main/models/llama3_1/MODEL_CARD.md",
    },
    Run {
        name: "Llama 3.1 405B",
        parameters: 405_853_388_800,
        tokens: 15_600_000_000_000,
        gpu: "h100-sxm",
        gpu_name: "H100",
        took: Took::Hours(30_840_000.0),
        stated: Some([0.38, 0.43]),
        source: "The Llama 3 herd of models",
        address: "https://arxiv.org/abs/2407.21783",
    },
    Run {
        name: "DeepSeek-V3",
        parameters: 37_000_000_000,
        tokens: 14_800_000_000_000,
        // NVIDIA's H800 has the arithmetic of an H100. Most of this run multiplied in fp8, whose peak is twice as high.
        gpu: "h100-sxm",
        gpu_name: "H800",
        took: Took::Hours(2_664_000.0),
        stated: None,
        source: "DeepSeek-V3 report",
        address: "https://arxiv.org/abs/2412.19437",
    },
    Run {
        name: "Olmo 3 7B",
        parameters: 7_298_011_136,
        tokens: 5_930_000_000_000,
        gpu: "h100-sxm",
        gpu_name: "H100",
        took: Took::Rate(7_700.0),
        stated: None,
        source: "Ai2",
        address: "https://allenai.org/blog/olmo3",
    },
    Run {
        name: "MPT-7B",
        parameters: 6_700_000_000,
        tokens: 1_000_000_000_000,
        gpu: "a100-40-sxm",
        gpu_name: "A100 40 GB",
        // 440 GPUs for 9.5 days.
        took: Took::Hours(100_320.0),
        stated: None,
        source: "MosaicML",
        address: "https://www.databricks.com/blog/mpt-7b",
    },
    Run {
        name: "BLOOM 176B",
        parameters: 176_247_271_424,
        tokens: 366_000_000_000,
        gpu: "a100-80-sxm",
        gpu_name: "A100 80 GB",
        took: Took::Hours(1_082_990.0),
        stated: None,
        source: "BLOOM report",
        address: "https://arxiv.org/abs/2211.05100",
    },
    Run {
        name: "TinyLlama 1.1B",
        parameters: 1_100_048_384,
        tokens: 3_000_000_000_000,
        gpu: "a100-40-sxm",
        gpu_name: "A100 40 GB",
        took: Took::Rate(24_000.0),
        // It counts attention too.
        stated: Some([0.56, 0.56]),
        source: "TinyLlama",
        address: "https://github.com/jzhang38/TinyLlama",
    },
    Run {
        name: "PaLM 540B",
        parameters: 540_350_000_000,
        tokens: 780_000_000_000,
        gpu: "tpu-v4",
        gpu_name: "TPU v4",
        took: Took::Unsaid,
        stated: Some([0.462, 0.462]),
        source: "PaLM report",
        address: "https://arxiv.org/abs/2204.02311",
    },
];

/// A speed that was measured on one GPU, one sequence at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// The line of `accuracy/data/speed.csv` that it is copied from; a test of that crate compares them.
    pub row: &'static str,
    /// The id of the model.
    pub model: &'static str,
    /// The id of the GPU.
    pub gpu: &'static str,
    /// The format of the weights.
    pub weights: WeightFormat,
    /// Prefill, of which the milliseconds until the first token are given, or decode, of which the tokens a second are.
    pub pass: Pass,
    /// Tokens of the prompt, or of the context on average.
    pub tokens: u32,
    /// What was measured.
    pub measured: f64,
    /// The program.
    pub runtime: &'static str,
}

/// Some of the measured speeds that the engine is held against.
pub static SPEEDS: &[Speed] = &[
    Speed {
        row: "S043",
        model: "llama-2-7b",
        gpu: "a100-80-sxm",
        weights: WeightFormat::Fp16,
        pass: Pass::Prefill,
        tokens: 2_048,
        measured: 120.5,
        runtime: "TensorRT-LLM",
    },
    Speed {
        row: "S042",
        model: "llama-2-7b",
        gpu: "a100-80-sxm",
        weights: WeightFormat::Fp16,
        pass: Pass::Prefill,
        tokens: 128,
        measured: 16.1,
        runtime: "TensorRT-LLM",
    },
    Speed {
        row: "S001",
        model: "llama-2-7b",
        gpu: "a100-80-sxm",
        weights: WeightFormat::Bf16,
        pass: Pass::Decode,
        tokens: 105,
        measured: 104.9,
        runtime: "gpt-fast",
    },
    Speed {
        row: "S016",
        model: "llama-3.1-8b",
        gpu: "a100-80-sxm",
        weights: WeightFormat::Bf16,
        pass: Pass::Decode,
        tokens: 105,
        measured: 93.83,
        runtime: "gpt-fast",
    },
    Speed {
        row: "S029",
        model: "llama-2-7b",
        gpu: "mi250x",
        weights: WeightFormat::Bf16,
        pass: Pass::Decode,
        tokens: 105,
        measured: 76.33,
        runtime: "gpt-fast",
    },
];

impl Speed {
    /// The engine's range for it in the same unit, least first; `None` where a row names what the tables do not have.
    pub fn range(&self) -> Option<[f64; 2]> {
        let model = crate::tables::models::by_id(self.model)?;
        let mut scenario = crate::Scenario::new(model.architecture);
        (scenario.weights, scenario.seq_length) = (self.weights, self.tokens);
        let service = crate::spending::service(&scenario.check().ok()?, gpus::by_id(self.gpu)?)?;
        let [written, first] = [service.written, service.ttft.map(crate::units::Seconds::as_ms)];
        Some(if self.pass == Pass::Prefill { first } else { [written[1], written[0]] })
    }
}
