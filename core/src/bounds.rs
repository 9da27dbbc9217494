//! The legal range of every input, in one table; the same words appear in every message.

use core::fmt;

use crate::display::Grouped;

/// An inclusive range for one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// What the input is called: the field's own term, as in links and on the command line.
    pub name: &'static str,
    /// The smallest value allowed.
    pub min: u32,
    /// The largest value allowed.
    pub max: u32,
    /// What is counted, in the plural; empty for a bare number.
    pub unit: &'static str,
}

impl Bounds {
    /// The value, or an error that names it, its range and its unit.
    ///
    /// ```
    /// use memory_wall_core::bounds::SEQ_LENGTH;
    /// assert_eq!(SEQ_LENGTH.check(0).unwrap_err().to_string(), "seq_length 0 is outside 1 to 10,000,000 tokens");
    /// ```
    ///
    /// # Errors
    /// The value is outside the range.
    pub fn check(self, value: u64) -> Result<u32, OutOfBounds> {
        match u32::try_from(value) {
            Ok(small) if (self.min..=self.max).contains(&small) => Ok(small),
            _ => Err(OutOfBounds { bounds: self, value }),
        }
    }
}

macro_rules! bounds {
    ($($(#[$doc:meta])* $constant:ident = $name:literal, $min:literal, $max:literal, $unit:literal;)*) => {
        $($(#[$doc])* pub const $constant: Bounds = Bounds { name: $name, min: $min, max: $max, unit: $unit };)*
        /// Every range, for tests and documentation.
        pub const ALL: &[Bounds] = &[$($constant),*];
    };
}

bounds! {
    /// Tokens in one sequence.
    SEQ_LENGTH = "seq_length", 1, 10_000_000, "tokens";
    /// Sequences at the same time (in training: of one micro-batch on one GPU).
    BATCH = "batch", 1, 1_000_000, "sequences";
    /// Transformer blocks.
    LAYERS = "layers", 1, 1_024, "";
    /// Width of the residual stream.
    HIDDEN_SIZE = "hidden_size", 1, 1_000_000, "";
    /// Query heads.
    HEADS = "heads", 1, 4_096, "";
    /// Key and value heads.
    KV_HEADS = "kv_heads", 1, 4_096, "";
    /// Width of one head.
    HEAD_DIM = "head_dim", 1, 4_096, "";
    /// Width inside the MLP.
    INTERMEDIATE_SIZE = "intermediate_size", 1, 4_000_000, "";
    /// Entries of the vocabulary.
    VOCAB_SIZE = "vocab_size", 1, 10_000_000, "tokens";
    /// Tokens that a sliding attention window sees.
    SLIDING_WINDOW = "sliding_window", 1, 10_000_000, "tokens";
    /// Routed experts in a layer.
    EXPERTS = "experts", 1, 1_024, "";
    /// Routed experts that one token visits.
    EXPERTS_PER_TOKEN = "experts_per_token", 1, 1_024, "";
    /// Width of a compressed vector or of a part of a head.
    LATENT = "latent_width", 1, 65_536, "";
    /// Tokens that a short convolution sees.
    CONV_KERNEL = "conv_kernel", 1, 1_024, "tokens";
    /// What of a GPU's memory there is to be taken.
    GPU_MEMORY = "gpu_memory", 1, 2_048, "GiB";
    /// Data-parallel ranks.
    DP = "dp", 1, 1_000_000, "ranks";
    /// Tensor-parallel ranks.
    TP = "tp", 1, 4_096, "ranks";
    /// Pipeline stages.
    PP = "pp", 1, 1_024, "ranks";
    /// Context-parallel ranks.
    CP = "cp", 1, 65_536, "ranks";
    /// Expert-parallel ranks.
    EP = "ep", 1, 65_536, "ranks";
    /// Layer chunks of one pipeline rank.
    VIRTUAL_STAGES = "virtual_stages", 1, 1_024, "";
    /// Micro-batches of one optimizer step.
    MICRO_BATCHES = "micro_batches", 1, 1_000_000, "";
    /// Rank of an adapter.
    LORA_RANK = "lora_rank", 1, 65_536, "";
    /// Sequences that an engine serves at once.
    MAX_NUM_SEQS = "max_num_seqs", 1, 1_000_000, "sequences";
    /// Tokens that pass through an engine at once.
    MAX_NUM_BATCHED_TOKENS = "max_num_batched_tokens", 1, 10_000_000, "tokens";
    /// Tokens of the longest request that vLLM accepts.
    MAX_MODEL_LEN = "max_model_len", 1, 10_000_000, "tokens";
    /// Adapters that a server holds ready at once.
    MAX_LORAS = "max_loras", 1, 4_096, "adapters";
    /// Rank that a server makes room for.
    MAX_LORA_RANK = "max_lora_rank", 1, 512, "";
    /// Tokens that a server guesses ahead.
    NUM_SPECULATIVE_TOKENS = "num_speculative_tokens", 1, 64, "tokens";
    /// Share of a GPU that an engine takes.
    UTILIZATION = "gpu_memory_utilization", 1, 100, "percent";
    /// Requests that arrive at a server in a minute.
    ARRIVALS = "arrivals", 1, 1_200, "requests";
    /// Tokens of a prompt.
    PROMPT = "prompt", 1, 131_072, "tokens";
    /// Tokens of an answer.
    ANSWER = "answer", 1, 32_768, "tokens";
    /// Tokens at the beginning of every prompt that are the same in all.
    PREFIX = "prefix", 0, 131_072, "tokens";
    /// Tokens of a page of a KV cache.
    PAGE = "page", 1, 1_024, "tokens";
    /// Positions with a learned embedding of their own.
    POSITIONS = "max_position_embeddings", 1, 10_000_000, "tokens";
}

/// A value outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The range.
    pub bounds: Bounds,
    /// What was given.
    pub value: u64,
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { name, min, max, unit } = self.bounds;
        let (value, min, max) = (Grouped(self.value.into()), Grouped(min.into()), Grouped(max.into()));
        write!(f, "{name} {value} is outside {min} to {max}")?;
        if unit.is_empty() { Ok(()) } else { write!(f, " {unit}") }
    }
}

impl core::error::Error for OutOfBounds {}
