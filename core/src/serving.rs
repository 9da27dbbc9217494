//! How a model is served: which program, and how much it is told to hold ready.

use crate::bounds::{self, OutOfBounds};
use crate::precision::{KvPrecision, WeightFormat};

choices! {
    /// The program that generates.
    Engine {
        /// No program: what the mathematics needs, and a plain working space.
        Exact = "exact";
        /// Hugging Face transformers.
        Hf = "hf";
        /// vLLM.
        Vllm = "vllm";
        /// llama.cpp.
        LlamaCpp = "llamacpp";
    }
}

impl Engine {
    /// The name to show.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Exact => "no program",
            Self::Hf => "Hugging Face transformers",
            Self::Vllm => "vLLM",
            Self::LlamaCpp => "llama.cpp",
        }
    }

    /// Whether the program loads weights in this format.
    ///
    /// # Source
    /// vLLM's table of quantisations (GGUF is an experiment there and not counted); the types that llama.cpp's files can have;
    /// transformers unpacks GGUF files when it loads them.
    pub const fn loads(self, weights: WeightFormat) -> bool {
        match self {
            Self::Exact => true,
            Self::Hf | Self::Vllm => !weights.is_gguf(),
            Self::LlamaCpp => weights.is_gguf() || weights.trainable() || matches!(weights, WeightFormat::Mxfp4),
        }
    }

    /// Whether the program can keep its cache in this format.
    ///
    /// # Source
    /// vLLM's `--kv-cache-dtype`; llama.cpp's `--cache-type-k`; the quantised caches of transformers.
    pub const fn caches(self, kv: KvPrecision) -> bool {
        match self {
            Self::Exact => true,
            Self::Hf | Self::LlamaCpp => !matches!(kv, KvPrecision::Fp8),
            Self::Vllm => !matches!(kv, KvPrecision::Int8 | KvPrecision::Int4),
        }
    }
}

/// What the program is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Serving {
    /// The program.
    pub engine: Engine,
    /// Sequences that vLLM prepares its sampler for.
    pub max_num_seqs: u32,
    /// Tokens that pass through the model at once.
    pub max_num_batched_tokens: u32,
    /// Percent of the GPU that vLLM takes for itself.
    pub utilization_percent: u32,
    /// The longest request that vLLM accepts, prompt and answer together; it starts only if its pool holds one of these.
    /// `None` is as long as the scenario's own sequences.
    pub max_model_len: Option<u32>,
}

impl Serving {
    /// No program; and for those who choose vLLM its own defaults on a large card.
    pub const DEFAULT: Self = Self {
        engine: Engine::Exact,
        max_num_seqs: 1_024,
        max_num_batched_tokens: 8_192,
        utilization_percent: 90,
        max_model_len: None,
    };

    /// Whether every number is in range.
    ///
    /// # Errors
    /// A setting that is outside its range.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        bounds::MAX_NUM_SEQS.check(self.max_num_seqs.into())?;
        bounds::MAX_NUM_BATCHED_TOKENS.check(self.max_num_batched_tokens.into())?;
        bounds::UTILIZATION.check(self.utilization_percent.into())?;
        if let Some(length) = self.max_model_len {
            bounds::MAX_MODEL_LEN.check(length.into())?;
        }
        Ok(())
    }
}
