//! The one input of the engine: which model, doing what, stored how, on which GPU.

mod blocks;
mod both_ways;
mod demand;
mod eight_bits;
mod error;
mod left_wide;
mod llamacpp;
mod offload;
mod own_gpu;
mod releases;
mod runtime;
pub mod sharding;
mod speculation;
mod tiles;
mod trainer;
mod unsupported;
mod vllm;

pub use both_ways::BothWays;
pub use demand::Demand;
pub use eight_bits::NoFp8;
pub use error::ScenarioError;
pub use left_wide::{LeftWide, NarrowBeside};
pub use llamacpp::TensorSplit;
pub use offload::{Offload, OffloadError};
pub use own_gpu::NotStated;
pub use releases::Newer;
pub use runtime::{sixteen_bits, supported};
pub use speculation::NoSpeculation;
pub use tiles::Tiles;
pub use trainer::{CutError, TrainerOption};
pub use unsupported::{Blocks, Unsupported};
pub(crate) use vllm::{WITH_BF16, by_flashinfer, finer_blocks};

use crate::architecture::Architecture;
use crate::bounds;
use crate::parallelism::{ExpertCut, ParallelError, Parallelism, ZeroStage};
use crate::precision::{KvPrecision, WeightFormat};
use crate::serving::{Engine, Serving};
use crate::tables::drafts::Draft;
use crate::tables::gpus::{CapacityBasis, Gpu};
use crate::training::{Checkpointing, Implementation, Optimizer, Recipe, RecomputedModule, Sharding, Training};
use crate::units::{Bytes, GIB};

choices! {
    /// What the model is doing.
    Mode {
        /// Generating text: weights, KV cache, a little working space.
        Inference = "inference";
        /// Learning with every parameter: gradients, optimizer states and activations come on top.
        Training = "training";
        /// Learning two thin matrices beside each chosen linear layer; the model itself is frozen in 16 bits.
        Lora = "lora";
        /// The same beside a model frozen in 4 bits.
        Qlora = "qlora";
    }
}

impl Mode {
    /// Whether anything is learned.
    pub const fn trains(self) -> bool {
        !matches!(self, Self::Inference)
    }

    /// Whether adapters are learned and the model is frozen.
    pub const fn adapts(self) -> bool {
        matches!(self, Self::Lora | Self::Qlora)
    }

    /// Whether the mode can use weights of this format: 16 and 32 bits to train and to carry the adapters of `LoRA`; what `QLoRA` can freeze;
    /// and everything in inference, where [`Engine::loads`] says what a runtime can read.
    ///
    /// # Source
    /// The files under `src/peft/tuners/lora` of github.com/huggingface/peft, listed on 2026-11-23: bitsandbytes in 8 and 4 bits, GPTQ, AWQ,
    /// HQQ and torchao. Weights stored in fp8 have one for Intel's Gaudi only (`inc.py`), which is not counted; MXFP4, NVFP4 and GGUF have none
    /// (`is_trainable` in transformers' `quantizer_mxfp4.py`, read on the same day).
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Mode, WeightFormat};
    /// assert!(Mode::Qlora.takes(WeightFormat::Nf4) && Mode::Inference.takes(WeightFormat::Fp8));
    /// assert!(!Mode::Qlora.takes(WeightFormat::Fp8) && !Mode::Qlora.takes(WeightFormat::Bf16));
    /// ```
    pub const fn takes(self, weights: WeightFormat) -> bool {
        match self {
            Self::Inference => true,
            Self::Training | Self::Lora => weights.trainable(),
            Self::Qlora => matches!(
                weights,
                WeightFormat::Int8
                    | WeightFormat::Int4
                    | WeightFormat::Int4Group32
                    | WeightFormat::Nf4
                    | WeightFormat::Nf4Dq
            ),
        }
    }

    /// What code recomputes in the mode where it is told nothing: peft's `prepare_model_for_kbit_training` turns gradient checkpointing on.
    ///
    /// # Source
    /// `use_gradient_checkpointing=True` of that function (huggingface/peft, `src/peft/utils/other.py` at 5d602fd); `gradient_checkpointing` of TRL's `SFTConfig`, which is
    /// true by itself. `LitGPT`'s adapters come without. Read 2026-11-25.
    pub const fn usual_checkpointing(self, implementation: Implementation) -> Checkpointing {
        match (self, implementation) {
            (Self::Qlora, Implementation::Transformers) => Checkpointing::Full,
            _ => Checkpointing::None,
        }
    }

    /// The chosen format where the mode takes it, and otherwise the one that it usually has: bf16, or double quantised NF4 in `QLoRA`.
    pub const fn nearest(self, chosen: WeightFormat) -> WeightFormat {
        match self {
            _ if self.takes(chosen) => chosen,
            Self::Qlora => WeightFormat::Nf4Dq,
            _ => WeightFormat::Bf16,
        }
    }
}

choices! {
    /// How attention is computed.
    Attention {
        /// One fused kernel that never writes the s × s scores to memory.
        Flash = "flash";
        /// Separate kernels that write scores and probabilities.
        Eager = "eager";
    }
}

/// Rows to a multiple of which vLLM pads a vocabulary.
const VLLM_ROWS: u32 = 64;

/// The same of Megatron-LM, on each tensor-parallel rank.
const MEGATRON_ROWS: u32 = 128;

/// What the engine evaluates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// The model's shape.
    pub architecture: Architecture,
    /// Inference or training.
    pub mode: Mode,
    /// Sequences at the same time; in training those of one micro-batch on one GPU.
    pub batch: u32,
    /// Tokens in each sequence: prompt and answer together.
    pub seq_length: u32,
    /// How weights are stored.
    pub weights: WeightFormat,
    /// How the KV cache is stored (inference).
    pub kv: KvPrecision,
    /// The optimizer (training).
    pub optimizer: Optimizer,
    /// What is recomputed (training).
    pub checkpointing: Checkpointing,
    /// How attention is computed.
    pub attention: Attention,
    /// The finer choices of a training step.
    pub training: Training,
    /// How it is served (inference).
    pub serving: Serving,
    /// What guesses tokens ahead, where the server is told to let a head or a model of its own do so.
    pub draft: Option<Draft>,
    /// How it is cut over GPUs.
    pub parallel: Parallelism,
    /// What waits in host memory.
    pub offload: Offload,
    /// The GPU to hold it against, if any.
    pub gpu: Option<&'static Gpu>,
    /// As much of its memory as is there to be taken, where that is known better than by the table: beside what the system or other programs hold, or as much as
    /// the system was told to lend.
    pub gpu_memory: Option<Bytes>,
    /// GiB of host memory that the run may take on each computer, where that is known (training).
    pub host_memory: Option<u32>,
}

impl Scenario {
    /// bf16 inference of one sequence of 2,048 tokens, the starting point of the page, without a GPU.
    pub const fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            mode: Mode::Inference,
            batch: 1,
            seq_length: 2_048,
            weights: WeightFormat::Bf16,
            kv: KvPrecision::Bf16,
            optimizer: Optimizer::AdamW,
            checkpointing: Checkpointing::None,
            attention: Attention::Flash,
            training: Training::DEFAULT,
            serving: Serving::DEFAULT,
            draft: None,
            parallel: Parallelism::ONE,
            offload: Offload { optimizer: false, parameters: false, kv_cache: false },
            gpu: None,
            gpu_memory: None,
            host_memory: None,
        }
    }

    /// The memory of its GPU: as the table has it, or where the system lends a part of the computer's, as much of it as was stated.
    ///
    /// ```
    /// use memory_wall_core::{Bytes, Scenario, tables::{gpus, models}};
    /// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
    /// (scenario.gpu, scenario.gpu_memory) = (gpus::by_id("strix-halo"), Some(Bytes(110 << 30)));
    /// assert_eq!(scenario.capacity(), Some(Bytes(110 << 30)));
    /// ```
    pub fn capacity(&self) -> Option<Bytes> {
        let gpu = self.gpu?;
        let lent = self.gpu_memory.filter(|_| gpu.capacity_basis == CapacityBasis::Limit);
        Some(lent.unwrap_or(gpu.capacity))
    }

    /// What a newer macOS lends its GPU, where it lends more and nothing is stated.
    pub fn newer_lends(&self) -> Option<Bytes> {
        self.gpu.filter(|_| self.gpu_memory.is_none())?.newer_lends()
    }

    /// Whether selective checkpointing computes a part of a layer again.
    pub fn recomputes(&self, module: RecomputedModule) -> bool {
        self.checkpointing == Checkpointing::Selective && self.training.recompute.has(module)
    }

    /// Whether its GPU has as much memory as is stated to be there.
    fn has_memory(&self) -> Result<(), ScenarioError> {
        let Some(stated) = self.gpu_memory else { return Ok(()) };
        for gib in [stated.0 / GIB, stated.0.div_ceil(GIB)] {
            bounds::GPU_MEMORY.check(u64::try_from(gib).unwrap_or(u64::MAX))?;
        }
        let Some(gpu) = self.gpu else { return Ok(()) };
        let most = match gpu.capacity_basis {
            CapacityBasis::Limit => Bytes(u128::from(gpu.printed_gb) * GIB),
            _ => gpu.capacity_most,
        };
        if stated > most {
            return Err(ScenarioError::GpuMemory { stated, gpu: gpu.name, most });
        }
        Ok(())
    }

    /// Whether every part is in range and the parts go together: all of [`Scenario::check`] that needs no formula.
    pub(crate) fn parts(&self) -> Result<(), ScenarioError> {
        self.architecture.check()?;
        bounds::BATCH.check(self.batch.into())?;
        bounds::SEQ_LENGTH.check(self.seq_length.into())?;
        self.training.check()?;
        self.serving.check()?;
        self.has_memory()?;
        self.states_own_gpu()?;
        self.divides()?;
        bounds::EP.check(self.parallel.ep.into())?;
        supported(self)?;
        trainer::cuts(self)?;
        if !self.mode.takes(self.weights) {
            return Err(match self.mode {
                Mode::Qlora => ScenarioError::NotFrozen(self.weights),
                _ => ScenarioError::NotTrainable(self.weights),
            });
        }
        Offload::check(self)?;
        Ok(())
    }

    /// Whether the cut goes with the model as the code that runs it holds it.
    pub(crate) fn divides(&self) -> Result<(), ParallelError> {
        // Expert parallelism in vLLM has rules of its own.
        let vllm = self.runtime() == Some(Engine::Vllm) && self.architecture.moe.is_some();
        let megatron = self.mode.trains() && self.training.implementation == Implementation::Megatron;
        if megatron {
            self.parallel.spreads_in_megatron(&self.architecture)?;
        }
        let cut = Parallelism { ep: if vllm || megatron { 1 } else { self.parallel.ep }, ..self.parallel };
        cut.check(&Architecture { vocab_size: self.vocabulary(), ..self.architecture })
    }

    /// Rows of the embedding table and of the head, with those that the code which runs the model adds: vLLM pads to a multiple of 64, Megatron-LM to one of
    /// 128 on each tensor-parallel rank.
    ///
    /// # Source
    /// vLLM: `DEFAULT_VOCAB_PADDING_SIZE` in `vocab_parallel_embedding.py`, whose `divide` refuses ranks that do not divide the padded rows. Megatron-LM at
    /// d98e8a6: `vocab_size_with_padding`, `--make-vocab-size-divisible-by` 128. Read 2026-11-25.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Engine, Implementation, Mode, Scenario, tables::models};
    /// let mut gpt2 = Scenario::new(models::by_id("gpt2-small").unwrap().architecture);
    /// assert_eq!(gpt2.vocabulary(), 50_257);
    /// gpt2.serving.engine = Engine::Vllm;
    /// assert_eq!(gpt2.vocabulary(), 50_304);
    /// (gpt2.mode, gpt2.training.implementation, gpt2.parallel.tp) = (Mode::Training, Implementation::Megatron, 2);
    /// assert_eq!(gpt2.vocabulary(), 50_432);
    /// ```
    pub fn vocabulary(&self) -> u32 {
        let own = self.architecture.vocab_size;
        let multiple = if self.runtime() == Some(Engine::Vllm) {
            VLLM_ROWS
        } else if self.mode.trains() && self.training.implementation == Implementation::Megatron {
            MEGATRON_ROWS.saturating_mul(self.parallel.tp.max(1))
        } else {
            1
        };
        own.checked_next_multiple_of(multiple).unwrap_or(own)
    }

    /// The recipe that the code trains by where it is told nothing: in which precisions it keeps weights, gradients and states. Adapters have none of their own.
    ///
    /// # Assumes
    /// bf16 in Megatron-LM: with `--fp16` gradients stay in 16 bits.
    ///
    /// # Source
    /// Megatron-LM at d98e8a6 (2026-08): `validate_args` sets `accumulate_allreduce_grads_in_fp32` with `--bf16`, unless `--grad-reduce-in-bf16` is given. torchtitan 0.3.0:
    /// `mixed_precision_param` bfloat16 and `mixed_precision_reduce` float32 over fp32 shards.
    /// accelerate at 16cb6eb (2026-07): `utils/fsdp_utils.py` upcasts what FSDP trains to fp32. Otherwise
    /// transformers stands for `DeepSpeed`, which adds gradients up in the precision of the model (`get_data_types` of 0.19.8). Read 2026-11-25.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Implementation, Mode, Recipe, Scenario, Training, tables::models};
    /// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
    /// scenario.mode = Mode::Training;
    /// assert_eq!(scenario.usual_recipe(), Training::DEFAULT.recipe);
    /// scenario.training.implementation = Implementation::Megatron;
    /// assert_eq!(scenario.usual_recipe(), Recipe::MixedFp32Gradients);
    /// ```
    pub const fn usual_recipe(&self) -> Recipe {
        match (self.mode, self.training.implementation) {
            // fp32 weights leave no 16-bit recipe.
            _ if matches!(self.weights, WeightFormat::Fp32) => Recipe::Mixed,
            (Mode::Training, Implementation::Megatron) => Recipe::MixedFp32Gradients,
            (Mode::Training, Implementation::Torchtitan) => Recipe::Autocast,
            (Mode::Training, Implementation::Transformers) if matches!(self.training.sharding, Sharding::Fsdp) => {
                Recipe::Autocast
            }
            _ => Recipe::Mixed,
        }
    }

    /// The recipe in use: fp32 weights leave no 16-bit one.
    pub fn recipe(&self) -> Recipe {
        match (self.training.recipe, self.weights) {
            (Recipe::Autocast, _) => Recipe::Autocast,
            (Recipe::Fp32, _) | (_, WeightFormat::Fp32) => Recipe::Fp32,
            (recipe, _) => recipe,
        }
    }

    /// Whether the output head is the embedding table: LitGPT trains a head of its own, whatever the published model does.
    pub fn ties(&self) -> bool {
        let litgpt = self.mode.trains() && self.training.implementation == Implementation::Litgpt;
        self.architecture.tied_embeddings && !litgpt
    }

    /// The runtime that serves the scenario, if one does.
    pub fn runtime(&self) -> Option<Engine> {
        (self.mode == Mode::Inference && self.serving.engine != Engine::Exact).then_some(self.serving.engine)
    }

    /// How the routed experts of a layer are cut.
    pub fn experts(&self) -> ExpertCut {
        match self.runtime() {
            Some(Engine::Vllm) => self.parallel.experts_in_vllm(),
            _ => self.parallel.experts(),
        }
    }

    /// The scenario on another GPU: where that has no bf16, 16-bit weights and cache are fp16, or fp32 where vLLM refuses fp16 for the model; and what vLLM takes by itself is what it takes there.
    #[must_use]
    pub fn on(&self, gpu: &'static Gpu) -> Self {
        // What is known of one GPU is not known of another.
        let gpu_memory = self.gpu_memory.filter(|_| self.gpu.is_some_and(|own| own.id == gpu.id));
        let there = Self { serving: self.serving.on(gpu), gpu: Some(gpu), gpu_memory, ..*self };
        let own = sixteen_bits(there.runtime(), Some(gpu));
        let only_fp32 = own == WeightFormat::Fp16 && !there.has_fp16();
        let weights = match self.weights {
            WeightFormat::Bf16 | WeightFormat::Fp16 if only_fp32 => WeightFormat::Fp32,
            WeightFormat::Bf16 => own,
            weights => weights,
        };
        let kv = match self.kv {
            KvPrecision::Bf16 | KvPrecision::Fp16 if only_fp32 && weights == WeightFormat::Fp32 => KvPrecision::Fp32,
            KvPrecision::Bf16 if own == WeightFormat::Fp16 => KvPrecision::Fp16,
            kv => kv,
        };
        Self { weights, kv, ..there }
    }

    /// Whether the model computes in fp16 where it runs: vLLM refuses it where the model is unstable in it.
    pub fn has_fp16(&self) -> bool {
        !(self.architecture.unstable_in_fp16 && self.runtime() == Some(Engine::Vllm))
    }

    /// Tokens of the longest request that a server has to be ready for.
    pub fn longest_request(&self) -> u32 {
        self.serving.max_model_len.unwrap_or(self.seq_length).max(self.seq_length)
    }

    /// Tokens that pass through the model at once in vLLM, see [`Serving::batched_tokens`].
    pub fn batched_tokens(&self) -> u32 {
        self.serving.batched_tokens(self.longest_request(), self.gpu)
    }

    /// Whether torchtitan trains.
    pub fn torchtitan(&self) -> bool {
        self.mode.trains() && self.training.implementation == Implementation::Torchtitan
    }

    /// Whether embedding and head are one table on the rank that is looked at.
    pub fn tied_here(&self) -> bool {
        self.ties() && self.parallel.pp == 1
    }

    /// `batch × seq_length`.
    pub fn tokens(&self) -> u64 {
        u64::from(self.batch) * u64::from(self.seq_length)
    }

    /// Whether what bitsandbytes leaves in 16 bits is upcast to fp32 before training, which hidden states and logits follow.
    ///
    /// # Source
    /// `prepare_model_for_kbit_training` of `peft` (`src/peft/utils/other.py` at 5d602fd, read 2026-11-23): all 16-bit parameters outside 4-bit matrices are upcast,
    /// unless GPTQ, AQLM, EETQ, HQQ or torchao quantised the model. FSDP, which flattens a layer into one tensor, refuses layers of two precisions
    /// (`_validate_tensors_to_flatten` in `torch/distributed/fsdp/_flat_param.py`, read 2026-11-25), so that trainers leave it out there.
    pub fn upcasts(&self) -> bool {
        matches!(self.mode, Mode::Qlora)
            && self.training.lora.upcast
            && matches!(self.training.implementation, Implementation::Transformers)
            && matches!(self.weights, WeightFormat::Nf4 | WeightFormat::Nf4Dq | WeightFormat::Int8)
            && !self.frozen_by_fsdp()
    }

    /// Whether FSDP shards a frozen model in transformers' code: each decoder layer is one FSDP unit, and each adapter in it another.
    ///
    /// # Source
    /// `fsdp_auto_wrap_policy` of peft (`src/peft/utils/other.py`), which accelerate and TRL use. Read 2026-11-25.
    pub fn frozen_by_fsdp(&self) -> bool {
        self.mode.adapts()
            && self.training.implementation == Implementation::Transformers
            && self.parallel.zero == ZeroStage::Weights
            && self.parallel.shard_ranks() > 1
    }

    /// Whether bitsandbytes holds the weights: in `QLoRA`, and where transformers serves them.
    pub(crate) fn by_bitsandbytes(&self) -> bool {
        let quantises = match self.mode {
            Mode::Inference => self.serving.engine == Engine::Hf,
            Mode::Qlora => true,
            Mode::Training | Mode::Lora => false,
        };
        quantises && matches!(self.weights, WeightFormat::Nf4 | WeightFormat::Nf4Dq | WeightFormat::Int8)
    }

    /// Whether it does so on a GPU of Apple's.
    ///
    /// # Source
    /// bitsandbytes pull request 1983 (merged 2026-07-01, in 0.50.0) and `backends/mps/ops.py` of 0.50.2. Read 2026-11-25.
    pub(crate) fn quantises_on_metal(&self) -> bool {
        self.by_bitsandbytes() && self.gpu.is_some_and(|gpu| gpu.vendor == "Apple")
    }

    /// Whether routed experts stay in 16 bits beside matrices of the layers in 8 or 4: those who quantise a loaded model replace modules `nn.Linear`,
    /// and transformers since 5.0 holds the experts of a layer as two tensors of three dimensions. The experts of `LitGPT` are linear layers,
    /// and tools with a conversion of their own quantise them ([`crate::training::Lora::experts`]).
    ///
    /// # Source
    /// bitsandbytes issue 1849 (2026-01) and pull request 1965 (2026-06), both open; torchao: `param_needs_quantization` of transformers'
    /// `quantizer_torchao.py`. Read 2026-11-23.
    pub const fn leaves_experts(&self) -> bool {
        let linear_only = matches!(
            self.weights,
            WeightFormat::Nf4 | WeightFormat::Nf4Dq | WeightFormat::Int8 | WeightFormat::Int4Group32
        );
        let fused = match self.mode {
            Mode::Inference => matches!(self.serving.engine, Engine::Hf),
            Mode::Qlora => {
                !matches!(self.training.implementation, Implementation::Litgpt) && !self.training.lora.experts
            }
            Mode::Training | Mode::Lora => false,
        };
        linear_only && fused && self.architecture.moe.is_some()
    }

    /// Bytes of one value between operations: 4 in fp32 and behind tables and norms that are upcast to it, otherwise 2.
    pub fn value_bytes(&self) -> u64 {
        if self.upcasts() { 4 } else { self.activation_bytes() }
    }

    /// Bytes of one value in a matrix multiplication: 4 in fp32, otherwise 2.
    pub fn activation_bytes(&self) -> u64 {
        match (self.mode, self.recipe()) {
            (Mode::Training, Recipe::Fp32) => 4,
            (Mode::Training, _) => 2,
            _ => self.weights.unquantised_bytes().into(),
        }
    }
}
