//! How a training step keeps its states, computes its loss and takes its step: the choices that change its memory.

use crate::bounds::{self, OutOfBounds};
use crate::fp8::{Fp8, Moments};

choices! {
    /// In which precisions weights, gradients and optimizer states are kept.
    Recipe {
        /// 16-bit weights and gradients, fp32 master copy and states: 16 bytes a parameter with AdamW (ZeRO, Megatron, DeepSpeed).
        Mixed = "mixed";
        /// The same with fp32 gradients: 18 bytes (Megatron with fp32 accumulation).
        MixedFp32Gradients = "mixed-fp32-grads";
        /// 16-bit weights and gradients, fp32 states and no master copy: 12 bytes (Apex's `FusedAdam` without master weights).
        WithoutMaster = "without-master";
        /// Everything in the precision of the 16-bit weights, as PyTorch does with a model loaded in bf16: 8 bytes.
        Pure = "pure";
        /// Everything in fp32: 16 bytes.
        Fp32 = "fp32";
        /// fp32 weights, with 16-bit copies that autocast makes for each matrix multiplication: 16 bytes and 2 while the graph lives.
        Autocast = "autocast";
    }
}

choices! {
    /// Whether gradients stay allocated between two steps.
    Gradients {
        /// As the trainers behind the recipe do it: a mixed recipe keeps its buffers (Megatron-LM, DeepSpeed), the others free their gradients.
        ByRecipe = "by-recipe";
        /// Buffers that stay.
        Kept = "kept";
        /// Freed after each step, as PyTorch's `zero_grad` does since 2.0.
        Freed = "freed";
    }
}

choices! {
    /// In which precision adapters, their gradients and their optimizer states are kept.
    AdapterPrecision {
        /// fp32, the default of `peft` (`autocast_adapter_dtype=True`).
        Fp32 = "fp32";
        /// 16 bits, beside fp32 weights fp32: `autocast_adapter_dtype=False`, and TRL's QLoRA.
        Bf16 = "bf16";
    }
}

choices! {
    /// What the optimizer keeps for each parameter.
    Optimizer {
        /// Two moments.
        AdamW = "adamw";
        /// Two 8-bit moments with block scales: 2 bytes and a little.
        AdamW8bit = "adamw8bit";
        /// Two 8-bit moments that move to host memory where the GPU is full (bitsandbytes).
        PagedAdamW8bit = "paged-adamw8bit";
        /// Two fp32 moments that do so.
        PagedAdamW = "paged-adamw";
        /// Row and column sums in place of the second moment of each matrix, and no first moment.
        Adafactor = "adafactor";
        /// One moment.
        Lion = "lion";
        /// One moment for the matrices of the layers; two, as AdamW, for embeddings, head and vectors.
        Muon = "muon";
        /// One momentum.
        SgdMomentum = "sgd-momentum";
        /// Nothing.
        Sgd = "sgd";
    }
}

impl Optimizer {
    /// Whether it is one of bitsandbytes, whose kernels are CUDA's.
    pub const fn of_bitsandbytes(self) -> bool {
        matches!(self, Self::AdamW8bit | Self::PagedAdamW8bit | Self::PagedAdamW)
    }
}

choices! {
    /// How the optimizer's step runs.
    StepKernel {
        /// One kernel that reads and writes in place.
        Fused = "fused";
        /// PyTorch's default on CUDA: operations over lists of tensors, one of which makes a copy as large as all parameters.
        Foreach = "foreach";
    }
}

choices! {
    /// Which library shards the states of transformers' code over data-parallel ranks.
    Sharding {
        /// DeepSpeed in the mixed recipes, which have a master copy, and with ZeRO-1; FSDP in the others.
        ByRecipe = "by-recipe";
        /// PyTorch's FSDP2: states in the precision of the weights, and no copy of them.
        Fsdp = "fsdp";
        /// DeepSpeed's ZeRO, which clones a rank's part of the weights in any recipe.
        DeepSpeed = "deepspeed";
    }
}

choices! {
    /// What is computed a second time in the backward pass instead of being kept.
    Checkpointing {
        /// Everything is kept.
        None = "none";
        /// The attention scores are recomputed (Korthikanti et al. 2022); flash attention does that anyway. In Megatron-LM also other parts of a layer: [`RecomputedModule`].
        Selective = "selective";
        /// The outputs of attention and of every second matrix multiplication are kept, the rest is recomputed (torchtitan's default).
        PerOp = "per-op";
        /// Only the input of each layer is kept; one layer at a time is recomputed.
        Full = "full";
    }
}

choices! {
    /// A part of a layer that Megatron-LM can compute again with [`Checkpointing::Selective`] (`--recompute-modules`).
    ///
    /// # Source
    /// Megatron-LM at d98e8a6 (2026-08): `recompute_modules` in `megatron/core/transformer/transformer_config.py`, without those of `GatedDeltaNet`, `GatedDeltaProduct` and hyper-connections,
    /// which are not modelled. Read 2026-11-26.
    RecomputedModule {
        /// Attention itself, between queries and output projection.
        CoreAttention = "core_attn";
        /// The norms before attention and MLP, where they are no part of the matrix behind them.
        LayerNorm = "layernorm";
        /// Up projections and rotation of latent attention.
        MlaUpProjection = "mla_up_proj";
        /// The activation function of the experts.
        MoeActivation = "moe_act";
        /// Dense MLPs.
        Mlp = "mlp";
        /// Whole mixtures: router, routed and shared experts.
        Moe = "moe";
        /// Shared experts.
        SharedExperts = "shared_experts";
    }
}

/// Several of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecomputedModules(u8);

impl RecomputedModules {
    /// What is computed again where nothing is named.
    pub const CORE_ATTENTION: Self = Self(1 << RecomputedModule::CoreAttention as u8);

    /// Those of which something holds.
    pub fn of(holds: impl Fn(RecomputedModule) -> bool) -> Self {
        let chosen = RecomputedModule::ALL.iter().filter(|module| holds(**module));
        Self(chosen.fold(0, |all, module| all | (1 << *module as u8)))
    }

    /// Whether one is among them.
    pub const fn has(self, module: RecomputedModule) -> bool {
        (self.0 >> module as u8) & 1 == 1
    }
}

choices! {
    /// Whose modelling code runs: it decides which tensors are kept for the backward pass.
    Implementation {
        /// Stock PyTorch with Hugging Face transformers.
        Transformers = "transformers";
        /// Fused kernels as in Megatron-LM: the list behind the classic 34 bytes a token and channel.
        Megatron = "megatron";
        /// torchtitan: native PyTorch with FSDP2.
        Torchtitan = "torchtitan";
        /// LitGPT.
        Litgpt = "litgpt";
    }
}

choices! {
    /// How the loss over the vocabulary is computed.
    Loss {
        /// All logits at once, upcast to fp32.
        Plain = "plain";
        /// 1,024 tokens at a time: one chunk's logits exist at once.
        Chunked = "chunked";
        /// One compiled kernel: a single fp32 copy.
        Compiled = "compiled";
    }
}

/// Which linear layers carry an adapter.
#[expect(clippy::struct_excessive_bools, reason = "a set of layers")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoraTargets {
    /// Queries.
    pub q: bool,
    /// Keys.
    pub k: bool,
    /// Values.
    pub v: bool,
    /// The output projection of attention.
    pub o: bool,
    /// All matrices of the MLP.
    pub mlp: bool,
    /// The output head.
    pub head: bool,
}

impl LoraTargets {
    /// Queries and values, the paper's choice.
    pub const QV: Self = Self { q: true, k: false, v: true, o: false, mlp: false, head: false };
    /// Every matrix of the layers.
    pub const ALL_LINEAR: Self = Self { q: true, k: true, v: true, o: true, mlp: true, head: false };
    /// The four matrices of attention.
    pub const ATTENTION: Self = Self { mlp: false, ..Self::ALL_LINEAR };
}

choices! {
    /// Usual sets of layers that carry an adapter.
    TargetSet {
        /// [`LoraTargets::ALL_LINEAR`].
        All = "all";
        /// [`LoraTargets::ATTENTION`].
        Attention = "attention";
        /// [`LoraTargets::QV`].
        QueriesAndValues = "qv";
    }
}

impl TargetSet {
    /// Its layers.
    pub const fn targets(self) -> LoraTargets {
        match self {
            Self::All => LoraTargets::ALL_LINEAR,
            Self::Attention => LoraTargets::ATTENTION,
            Self::QueriesAndValues => LoraTargets::QV,
        }
    }
}

/// An adapter: two thin matrices beside each target, of `rank` rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lora {
    /// Rank of the update.
    pub rank: u32,
    /// Where the adapters are.
    pub targets: LoraTargets,
    /// The precision of the adapters in stock code.
    pub precision: AdapterPrecision,
    /// Whether `QLoRA` upcasts to fp32 what bitsandbytes leaves in 16 bits (`prepare_model_for_kbit_training` of `peft`).
    pub upcast: bool,
    /// Whether `QLoRA` quantises routed experts too, as Unsloth does on transformers 5; peft and bitsandbytes leave them in 16 bits.
    ///
    /// # Source
    /// Pull request 527 of github.com/unslothai/unsloth-zoo (merged 2026-03) and issue 4032 of github.com/unslothai/unsloth. Read 2026-11-23.
    pub experts: bool,
    /// Whether the adapters' inputs pass through dropout, which keeps a copy and a mask of each.
    pub dropout: bool,
}

/// The choices of a training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Training {
    /// Precisions of the states.
    pub recipe: Recipe,
    /// Whether gradients stay allocated between two steps.
    pub gradients: Gradients,
    /// In which precision `AdamW` keeps its moments (Megatron-LM).
    pub moments: Moments,
    /// What is multiplied and saved in fp8 (Megatron-LM, torchtitan).
    pub fp8: Fp8,
    /// How the optimizer's step runs.
    pub step: StepKernel,
    /// Whose code runs.
    pub implementation: Implementation,
    /// Which library shards the states.
    pub sharding: Sharding,
    /// What is computed again with [`Checkpointing::Selective`] (Megatron-LM).
    pub recompute: RecomputedModules,
    /// How the loss is computed.
    pub loss: Loss,
    /// Whether `torch.compile` fuses elementwise kernels.
    pub compile: bool,
    /// Whether tensor-parallel ranks exchange their parts piece by piece while they multiply, in memory outside the allocator (torchtitan).
    pub async_tp: bool,
    /// Whether FSDP gives the weights of a layer back after its forward pass; a pipeline never does (torchtitan).
    pub reshard_after_forward: bool,
    /// Micro-batches whose gradients are added up before a step (with a pipeline: that pass through it in one step).
    pub micro_batches: u32,
    /// The adapter, in the modes that learn one.
    pub lora: Lora,
    /// Habits of a stock PyTorch run.
    pub stock: Stock,
}

/// Details of a stock run that change what is kept; the defaults are those of a plain script on a CUDA GPU.
#[expect(clippy::struct_excessive_bools, reason = "a set of habits")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stock {
    /// On a processor instead of a GPU: other kernels keep other things.
    pub cpu: bool,
    /// Whether sequences are padded, which brings a mask.
    pub padding: bool,
    /// Whether the script keeps the model's outputs (and so its logits) alive during the backward pass; in a pipeline of torchtitan, those of all
    /// micro-batches of a step, as releases before 0.2.1 did.
    pub outputs_kept: bool,
    /// Whether fused attention runs in the memory-efficient kernel, called by its name with keys and values repeated, where PyTorch would choose another.
    pub efficient_kernel: bool,
    /// Whether a mixture of experts runs as one grouped multiplication instead of a loop over experts.
    pub grouped_experts: bool,
    /// Whether attention gets the fp32 values of a `QLoRA` run that upcasts, as in a script without autocast (`bf16=True`) and `FlashAttention` 2: for grouped queries PyTorch has no fused kernel then.
    pub wide_attention: bool,
    /// Whether checkpoints are re-entrant (`use_reentrant=True`) around FSDP's units: what transformers before 4.52 does by itself.
    pub reentrant: bool,
}

impl Training {
    /// Mixed precision with a fused step, plain loss, one micro-batch, transformers code.
    pub const DEFAULT: Self = Self {
        recipe: Recipe::Mixed,
        gradients: Gradients::ByRecipe,
        moments: Moments::ByRecipe,
        fp8: Fp8::NONE,
        step: StepKernel::Fused,
        implementation: Implementation::Transformers,
        sharding: Sharding::ByRecipe,
        recompute: RecomputedModules::CORE_ATTENTION,
        loss: Loss::Plain,
        compile: false,
        async_tp: false,
        reshard_after_forward: true,
        micro_batches: 1,
        lora: Lora {
            rank: 16,
            targets: LoraTargets::ALL_LINEAR,
            precision: AdapterPrecision::Fp32,
            upcast: true,
            experts: false,
            dropout: false,
        },
        stock: Stock {
            cpu: false,
            padding: false,
            outputs_kept: false,
            efficient_kernel: false,
            grouped_experts: true,
            wide_attention: false,
            reentrant: false,
        },
    };

    /// Whether every number is in range.
    ///
    /// # Errors
    /// A setting that is outside its range.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        bounds::MICRO_BATCHES.check(self.micro_batches.into())?;
        bounds::LORA_RANK.check(self.lora.rank.into())?;
        Ok(())
    }
}
