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
    /// Whether the program runs weights in this format with a cache in that one.
    ///
    /// # Source
    /// vLLM's table of quantisations and KV cache data types (GGUF is an experiment there and not counted); the types that llama.cpp's files and
    /// its options for the cache can have; transformers unpacks GGUF files when it loads them.
    pub const fn offers(self, weights: WeightFormat, kv: KvPrecision) -> bool {
        let wide = matches!(kv, KvPrecision::Fp32 | KvPrecision::Fp16 | KvPrecision::Bf16);
        match self {
            Self::Exact => true,
            Self::Hf => !weights.is_gguf(),
            Self::Vllm => !weights.is_gguf() && (wide || matches!(kv, KvPrecision::Fp8)),
            Self::LlamaCpp => {
                (weights.is_gguf() || weights.trainable() || matches!(weights, WeightFormat::Mxfp4))
                    && !matches!(kv, KvPrecision::Fp8)
            }
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
    /// Percent of the card that vLLM takes for itself.
    pub utilization_percent: u32,
}

impl Serving {
    /// No program; and for those who choose vLLM its own defaults on a large card.
    pub const DEFAULT: Self =
        Self { engine: Engine::Exact, max_num_seqs: 1_024, max_num_batched_tokens: 8_192, utilization_percent: 90 };

    /// Whether every number is in range.
    ///
    /// # Errors
    /// A setting that is outside its range.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        bounds::MAX_NUM_SEQS.check(self.max_num_seqs.into())?;
        bounds::MAX_NUM_BATCHED_TOKENS.check(self.max_num_batched_tokens.into())?;
        bounds::UTILIZATION.check(self.utilization_percent.into())?;
        Ok(())
    }
}
