//! How a model is served: which program, and how much it is told to hold ready.

use core::fmt;

use crate::bounds::{self, OutOfBounds};
use crate::precision::{KvPrecision, WeightFormat};
use crate::share::Share;
use crate::tables::capability::{self, Capability};
use crate::tables::classes::Class;
use crate::tables::gpus::Gpu;
use crate::units::{Bytes, GIB};

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

choices! {
    /// How a server guesses tokens ahead, all of which the model then checks in one pass (speculative decoding).
    Speculation {
        /// It guesses nothing.
        None = "none";
        /// By what followed the same words earlier in the text.
        Ngram = "ngram";
        /// With the layers that the model brings along for it (multi-token prediction).
        Mtp = "mtp";
        /// With an EAGLE head, which reads the model's last hidden states.
        Eagle = "eagle";
        /// With an EAGLE-3 head, which reads the hidden states of three layers.
        Eagle3 = "eagle3";
        /// With a small model of its own.
        DraftModel = "draft_model";
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
            Self::Hf => !weights.is_gguf() && !matches!(weights, WeightFormat::W8a8),
            Self::Vllm => !weights.is_gguf(),
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

/// The first two numbers of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first.
    pub major: u32,
    /// The second.
    pub minor: u32,
}

impl Version {
    /// The oldest release that is modelled.
    pub const OLDEST: Self = Self { major: 0, minor: 6 };
    /// The newest release whose logs were measured.
    pub const MEASURED: Self = Self { major: 0, minor: 19 };
    /// The newest release that changed what is modelled, which a scenario is served by where it names none.
    pub const NEWEST: Self = Self { major: 0, minor: 29 };

    /// The share of a GPU that the release takes where it is told nothing.
    ///
    /// # Source
    /// vLLM, `CacheConfig.gpu_memory_utilization`: 0.9, and 0.92 since pull request 38284, by which the graphs are counted inside the share.
    /// Read 2026-11-23.
    pub fn utilization(self) -> Share {
        Share::percent(if self >= (Self { major: 0, minor: 21 }) { 92 } else { 90 })
    }

    /// Whether vLLM serves by its first engine ("V0"), which reads whole prompts: up to 0.7, and up to 0.10 on GPUs below compute capability 8.0.
    ///
    /// # Source
    /// vLLM 0.8.5 to 0.10.0, `EngineArgs._is_v1_supported_oracle`. Read 2026-11-24.
    pub fn first_engine(self, gpu: Option<&'static Gpu>) -> bool {
        let until = |minor| self < (Self { major: 0, minor });
        until(8) || until(11) && gpu.and_then(capability::of).is_some_and(|has| has < Capability::new(8, 0))
    }

    /// Reads "0.19.0"; what follows the second number does not matter.
    ///
    /// ```
    /// use memory_wall_core::serving::Version;
    /// assert_eq!(Version::read("0.19.0"), Some(Version::MEASURED));
    /// assert_eq!(Version::read("latest"), None);
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        let mut numbers = text.trim().trim_start_matches('v').split('.');
        Some(Self { major: numbers.next()?.parse().ok()?, minor: numbers.next()?.parse().ok()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What the program is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "options that are on or off")]
pub struct Serving {
    /// The program.
    pub engine: Engine,
    /// Sequences that vLLM prepares its sampler for.
    pub max_num_seqs: u32,
    /// Tokens that pass through the model at once.
    pub max_num_batched_tokens: u32,
    /// Whether `max_num_seqs` is what vLLM takes by itself, and so another number on another GPU.
    pub usual_seqs: bool,
    /// The same of `max_num_batched_tokens`.
    pub usual_batched_tokens: bool,
    /// Whether vLLM records no graphs (`--enforce-eager`): their memory is not taken, and each kernel is launched by the host.
    pub enforce_eager: bool,
    /// Whether vLLM serves a multimodal model as text only (`--language-model-only`): it neither loads nor profiles the tower.
    pub language_model_only: bool,
    /// Whether vLLM is told to keep the caches of prompts for later ones (`--enable-prefix-caching`, `--no-enable-prefix-caching`);
    /// `None` is what the release does by itself. It changes how many pages a request takes where layers keep a state.
    pub prefix_caching: Option<bool>,
    /// The share of the GPU that vLLM is told to take for itself (`--gpu-memory-utilization`).
    /// `None` is what the release takes by itself, see [`Serving::utilization`].
    pub gpu_memory_utilization: Option<Share>,
    /// The longest request that vLLM accepts, prompt and answer together; it starts only if its pool holds one of these.
    /// `None` is as long as the scenario's own sequences.
    pub max_model_len: Option<u32>,
    /// Adapters that vLLM holds ready on the GPU at once (`--enable-lora --max-loras`); `None` where it serves the model alone.
    pub max_loras: Option<u32>,
    /// The rank that each of them has room for (`--max-lora-rank`).
    pub max_lora_rank: u32,
    /// How tokens are guessed ahead (`--speculative-config`, its `method`).
    pub speculation: Speculation,
    /// How many are guessed at a time (`num_speculative_tokens`).
    pub num_speculative_tokens: u32,
    /// The release of vLLM.
    pub version: Version,
}

impl Serving {
    /// No program; and for those who choose vLLM its own defaults on a large GPU.
    pub const DEFAULT: Self = Self {
        engine: Engine::Exact,
        max_num_seqs: 1_024,
        max_num_batched_tokens: 8_192,
        usual_seqs: true,
        usual_batched_tokens: true,
        enforce_eager: false,
        language_model_only: false,
        prefix_caching: None,
        gpu_memory_utilization: None,
        max_model_len: None,
        max_loras: None,
        max_lora_rank: 16,
        speculation: Speculation::None,
        num_speculative_tokens: 1,
        version: Version::NEWEST,
    };

    /// Tokens of the longest prompt that the first engine reads whole by itself.
    pub(crate) const LONGEST_WHOLE: u32 = 32_768;

    /// The same on a GPU: what vLLM takes by itself is what it takes there.
    #[must_use]
    pub fn on(self, gpu: &Gpu) -> Self {
        self.with_usual(default_batch(self.version, gpu.capacity, Some(gpu)))
    }

    /// The same without a GPU: what vLLM takes by itself is what it takes on a large one.
    #[must_use]
    pub fn on_any(self) -> Self {
        self.with_usual((Self::DEFAULT.max_num_seqs, Self::DEFAULT.max_num_batched_tokens))
    }

    /// With vLLM's own numbers where none are stated. It takes no more sequences by itself than tokens at once.
    ///
    /// # Source
    /// vLLM, `EngineArgs._set_default_max_num_seqs_and_batched_tokens_args` (0.11: `_set_default_args`): `min(max_num_seqs, max_num_batched_tokens)`
    /// where `max_num_seqs` is not given. Read 2026-11-23.
    fn with_usual(self, (sequences, tokens): (u32, u32)) -> Self {
        let max_num_batched_tokens = if self.usual_batched_tokens { tokens } else { self.max_num_batched_tokens };
        let max_num_seqs = if self.usual_seqs { sequences.min(max_num_batched_tokens) } else { self.max_num_seqs };
        Self { max_num_seqs, max_num_batched_tokens, ..self }
    }

    /// Tokens that pass through the model at once where the longest request has `longest` of them: what vLLM is told,
    /// or what it takes by itself and no more than its sequences can have. The first engine takes a whole prompt of up to 32,768 tokens.
    ///
    /// # Source
    /// vLLM, `EngineArgs._set_default_max_num_seqs_and_batched_tokens_args`: `min(max_num_seqs * max_model_len, max_num_batched_tokens)`
    /// where `max_num_batched_tokens` is not given. Read 2026-11-23. vLLM 0.7.3, `SchedulerConfig.__post_init__` and
    /// `EngineArgs.create_engine_config`. Read 2026-11-24.
    pub fn batched_tokens(&self, longest: u32, gpu: Option<&'static Gpu>) -> u32 {
        let tokens = self.max_num_batched_tokens;
        if !self.usual_batched_tokens {
            tokens
        } else if longest <= Self::LONGEST_WHOLE && self.version.first_engine(gpu) {
            tokens.max(longest)
        } else {
            tokens.min(self.max_num_seqs.saturating_mul(longest))
        }
    }

    /// The share of the GPU that vLLM takes for itself: what it is told, or else what its release takes by itself.
    ///
    /// ```
    /// use memory_wall_core::{Share, serving::{Serving, Version}};
    /// assert_eq!(Serving::DEFAULT.utilization(), Share::percent(92));
    /// assert_eq!(Serving { version: Version::MEASURED, ..Serving::DEFAULT }.utilization(), Share::percent(90));
    /// ```
    #[must_use]
    pub fn utilization(&self) -> Share {
        self.gpu_memory_utilization.unwrap_or_else(|| self.version.utilization())
    }

    /// Whether every number is in range.
    ///
    /// # Errors
    /// A setting that is outside its range.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        bounds::MAX_NUM_SEQS.check(self.max_num_seqs.into())?;
        bounds::MAX_NUM_BATCHED_TOKENS.check(self.max_num_batched_tokens.into())?;
        self.utilization().check()?;
        if let Some(length) = self.max_model_len {
            bounds::MAX_MODEL_LEN.check(length.into())?;
        }
        if let Some(adapters) = self.max_loras {
            bounds::MAX_LORAS.check(adapters.into())?;
        }
        bounds::MAX_LORA_RANK.check(self.max_lora_rank.into())?;
        bounds::NUM_SPECULATIVE_TOKENS.check(self.num_speculative_tokens.into())?;
        Ok(())
    }
}

/// Sequences and batched tokens that vLLM's server takes by itself on a GPU of `total` bytes: 1,024 and 8,192 from 70 GiB on
/// other than A100, 256 and 2,048 elsewhere; from 0.28 on 16,384 tokens from 160 GiB on.
///
/// # Source
/// vLLM 0.7.3, 0.8.5, 0.9.2, 0.19.0 and 0.28.0, `EngineArgs.get_batch_defaults` and its forerunners: up to 0.7 always 256 and 2,048, in 0.8 A100 like others
/// (0.8.0 to 0.8.4: 1,024 sequences everywhere). On unified memory NVML says nothing of its size, and vLLM takes the small numbers
/// (logs of GB10 in sostrowsk/dgx-spark-local-llm and jethac/dgx-spark-hijinks; unsloth issue 10283). Read 2026-11-24.
pub fn default_batch(release: Version, total: Bytes, gpu: Option<&Gpu>) -> (u32, u32) {
    let since = |minor| release >= Version { major: 0, minor };
    let small = gpu.is_some_and(|gpu| gpu.class() == Class::Unified || since(9) && gpu.id.starts_with("a100"));
    if since(28) && total.0 >= 160 * GIB {
        (1_024, 16_384)
    } else if since(8) && total.0 >= 70 * GIB && !small {
        (1_024, 8_192)
    } else {
        (256, 2_048)
    }
}
