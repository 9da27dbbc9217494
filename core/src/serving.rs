//! How a model is served: which program, and how much it is told to hold ready.

use crate::bounds::{self, OutOfBounds};

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
    pub fn check(&self) -> Result<(), OutOfBounds> {
        bounds::MAX_NUM_SEQS.check(self.max_num_seqs.into())?;
        bounds::MAX_NUM_BATCHED_TOKENS.check(self.max_num_batched_tokens.into())?;
        bounds::UTILIZATION.check(self.utilization_percent.into())?;
        Ok(())
    }
}
