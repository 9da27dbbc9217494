//! Which code trains in fp8, on which GPUs, and what goes with it.

use core::fmt;

use super::{Mode, Scenario};
use crate::architecture::Mlp;
use crate::fp8::{Fp8, Fp8Recipe, Moments};
use crate::parallelism::ZeroStage;
use crate::precision::{Block, WeightFormat};
use crate::tables::capability::{self, BLACKWELL, Capability, NATIVE_FP8};
use crate::training::{Implementation, Optimizer, Recipe, RecomputedModule};

/// Why training does not run in fp8 so, or keeps no moments in fewer bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFp8 {
    /// The code has no fp8 that is modelled.
    Code,
    /// The code has other recipes.
    Recipe(Implementation),
    /// Adapters beside a frozen model.
    Adapters,
    /// Something other than bf16 is multiplied beside it.
    Wide,
    /// torchtitan without `torch.compile`.
    Uncompiled,
    /// torchtitan's experts.
    Experts,
    /// The GPU's generation.
    Generation {
        /// Its name.
        gpu: &'static str,
        /// What the recipe asks for.
        needs: &'static str,
    },
    /// The same for torchtitan.
    NoUnits(&'static str),
    /// Another maker's GPU.
    Maker(&'static str),
    /// Sharded gradients or weights in Megatron-LM.
    Sharded(ZeroStage),
    /// Parts of a layer that are not computed again with delayed scaling.
    Recompute(RecomputedModule),
    /// Weights in fp8 without matrices that are multiplied in it by Megatron-LM.
    GatherAlone,
    /// Weights in fp8 without the distributed optimizer.
    GatherWhole,
    /// Weights in fp8 beside states in host memory.
    GatherOffload,
    /// SwiGLU's input in fp8, where there is none or the code lacks it.
    InputStore,
    /// The same of `GeGLU`.
    InputOfGelu,
    /// Moments in fewer bits in other code, of another optimizer or recipe.
    Moments,
    /// The same without the distributed optimizer.
    MomentsWhole,
    /// The same beside states in host memory, or beside weights in fp8 with delayed scaling.
    MomentsBeside,
}

impl NoFp8 {
    /// The name of the option of a plan that is to be changed.
    pub const fn option(self) -> &'static str {
        match self {
            Self::GatherAlone | Self::GatherWhole | Self::GatherOffload => "fp8_param_gather",
            Self::InputStore | Self::InputOfGelu => "activation_func_fp8_input_store",
            Self::Moments | Self::MomentsWhole | Self::MomentsBeside => "moments",
            Self::Recompute(_) => "recompute_modules",
            _ => "fp8_recipe",
        }
    }
}

impl fmt::Display for NoFp8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::Code => {
                "fp8 training is modelled for Megatron-LM (Transformer Engine) and torchtitan (torchao): accelerate's and DeepSpeed's ways to it are not"
            }
            Self::Recipe(Implementation::Torchtitan) => "torchtitan multiplies in fp8 by rowwise scales, and until mid-2025 by tensorwise ones",
            Self::Recipe(_) => "Megatron-LM multiplies in fp8 by delayed, tensorwise, blockwise or mxfp8 scales",
            Self::Adapters => "fp8 is modelled where all parameters learn (--mode training)",
            Self::Wide => {
                "fp8 is modelled beside bf16: weights bf16 with the recipe mixed or mixed-fp32-grads in Megatron-LM, autocast or pure in torchtitan"
            }
            Self::Uncompiled => "torchtitan's fp8 is modelled with torch.compile alone, which fuses its casts (--compile)",
            Self::Experts => "torchao multiplies experts in fp8 as a prototype, which is not modelled: Megatron-LM's are",
            Self::NoUnits(gpu) => {
                return write!(f, "torchao multiplies in fp8 from compute capability 8.9 on and on AMD's GPUs with fp8 units: {gpu} has none");
            }
            Self::Generation { gpu, needs } => return write!(f, "Transformer Engine {needs}, which {gpu} does not have"),
            Self::Maker(vendor) => return write!(f, "fp8 training by Transformer Engine on GPUs of {vendor} is not modelled"),
            Self::Sharded(zero) => {
                return write!(f, "ZeRO-{} beside fp8 is not modelled for Megatron-LM, whose FSDP has other buffers: ZeRO-1 is", zero.id());
            }
            Self::Recompute(module) => {
                return write!(f, "Megatron-LM does not compute {} again with delayed scales: other fp8 recipes do", module.id());
            }
            Self::GatherAlone => "weights in fp8 are Megatron-LM's, with an fp8 recipe",
            Self::GatherWhole => "Megatron-LM has weights in fp8 with its distributed optimizer alone (--zero 1)",
            Self::GatherOffload => "Megatron-LM has weights in fp8 beside states in host memory with the delayed recipe alone",
            Self::InputStore => "Megatron-LM saves the input of SwiGLU in fp8, and other code or another MLP does not",
            Self::InputOfGelu => "Megatron-LM saves the input of the activation in fp8 for SiLU alone, and this model's is a GELU",
            Self::Moments => {
                "Megatron-LM keeps moments in fewer bits for AdamW, with the recipe mixed or mixed-fp32-grads; for other code --optimizer adamw8bit has 8 bits"
            }
            Self::MomentsWhole => "Megatron-LM keeps moments in fewer bits with its distributed optimizer alone (--zero 1)",
            Self::MomentsBeside => {
                "moments in fewer bits are not modelled beside states in host memory, nor beside weights in fp8 with delayed scales"
            }
        })
    }
}

/// What follows the recipe where Transformer Engine runs it: the least capability, its sentence, and the first that has no such kernels.
const fn asks(recipe: Fp8Recipe) -> (Capability, &'static str, Option<Capability>) {
    match recipe {
        Fp8Recipe::Blockwise => (Capability::new(9, 0), "scales blocks from compute capability 9.0 on", None),
        Fp8Recipe::Mxfp8 => (BLACKWELL, "runs MXFP8 on compute capability 10.0 to 11.x", Some(Capability::new(12, 0))),
        _ => (NATIVE_FP8, "runs fp8 from compute capability 8.9 on", None),
    }
}

/// Whether training runs in fp8 as it is told to, and keeps its moments so.
///
/// # Source
/// NVIDIA/Megatron-LM at d98e8a6 (2026-08): `TransformerConfig.__post_init__`, `validate_args` of `megatron/training/arguments.py`, `OptimizerConfig`.
/// NVIDIA/TransformerEngine at d0067d0: `_compute_fp8_support` and its like in `transformer_engine/pytorch/quantization.py`. pytorch/torchtitan at b5bcd76: `torchtitan/components/quantization/float8.md`. Read 2026-11-27.
pub(super) fn check(scenario: &Scenario) -> Result<(), NoFp8> {
    let (training, parallel) = (&scenario.training, &scenario.parallel);
    let Fp8 { recipe, param_gather, input_store } = training.fp8;
    let [megatron, titan] =
        [Implementation::Megatron, Implementation::Torchtitan].map(|code| training.implementation == code);
    let sixteen = matches!(scenario.recipe(), Recipe::Mixed | Recipe::MixedFp32Gradients);
    let whole = parallel.zero == ZeroStage::None && parallel.shard_ranks() > 1;
    let fp8 = recipe != Fp8Recipe::None;
    let known = match recipe {
        Fp8Recipe::None => true,
        Fp8Recipe::Tensorwise => megatron || titan,
        Fp8Recipe::Rowwise => titan,
        Fp8Recipe::Delayed | Fp8Recipe::Blockwise | Fp8Recipe::Mxfp8 => megatron,
    };
    let beside = match scenario.recipe() {
        Recipe::Mixed | Recipe::MixedFp32Gradients => megatron,
        Recipe::Autocast | Recipe::Pure => titan,
        Recipe::Fp32 | Recipe::WithoutMaster => false,
    };
    let again =
        [RecomputedModule::MoeActivation, RecomputedModule::LayerNorm].into_iter().find(|it| scenario.recomputes(*it));
    let few = training.moments != Moments::ByRecipe;
    let delayed = recipe == Fp8Recipe::Delayed;
    let sharded = matches!(parallel.zero, ZeroStage::Gradients | ZeroStage::Weights) && parallel.shard_ranks() > 1;
    let refused = [
        (fp8 && !megatron && !titan, NoFp8::Code),
        (!known, NoFp8::Recipe(training.implementation)),
        (fp8 && scenario.mode != Mode::Training, NoFp8::Adapters),
        (fp8 && !(beside && scenario.weights == WeightFormat::Bf16), NoFp8::Wide),
        (fp8 && titan && !training.compile, NoFp8::Uncompiled),
        (fp8 && titan && scenario.architecture.moe.is_some(), NoFp8::Experts),
        (fp8 && megatron && sharded, NoFp8::Sharded(parallel.zero)),
        (delayed && again.is_some(), NoFp8::Recompute(again.unwrap_or(RecomputedModule::LayerNorm))),
        (param_gather && !(fp8 && megatron), NoFp8::GatherAlone),
        (param_gather && whole, NoFp8::GatherWhole),
        (param_gather && scenario.offload.optimizer && !delayed, NoFp8::GatherOffload),
        (input_store && !(megatron && scenario.architecture.mlp == Mlp::Gated), NoFp8::InputStore),
        (input_store && scenario.architecture.gates_by_gelu(), NoFp8::InputOfGelu),
        (few && !(megatron && sixteen && scenario.optimizer == Optimizer::AdamW), NoFp8::Moments),
        (few && (whole || sharded), NoFp8::MomentsWhole),
        (few && (scenario.offload.optimizer || delayed && param_gather), NoFp8::MomentsBeside),
    ];
    match refused.into_iter().find(|(refused, _)| *refused) {
        Some((_, why)) => Err(why),
        None => on_gpu(scenario, recipe),
    }
}

/// Whether the GPU has the recipe's units.
fn on_gpu(scenario: &Scenario, recipe: Fp8Recipe) -> Result<(), NoFp8> {
    let Some(gpu) = scenario.gpu.filter(|_| recipe != Fp8Recipe::None) else { return Ok(()) };
    if gpu.vendor != "NVIDIA" && scenario.training.implementation == Implementation::Megatron {
        return Err(NoFp8::Maker(gpu.vendor));
    }
    let (least, needs, end) = asks(recipe);
    let refused = match scenario.training.implementation {
        Implementation::Torchtitan => NoFp8::NoUnits(gpu.name),
        _ => NoFp8::Generation { gpu: gpu.name, needs },
    };
    match capability::of(gpu) {
        Some(has) if has < least || end.is_some_and(|end| has >= end) => Err(refused),
        None if gpu.vendor != "NVIDIA" && gpu.peaks.fp8.is_none() => Err(refused),
        _ => Ok(()),
    }
}

impl Scenario {
    /// Whether a training step multiplies the matrices of the layers in fp8; the head and attention are in 16 bits.
    pub fn trains_in_fp8(&self) -> bool {
        self.mode == Mode::Training && self.training.fp8.recipe != Fp8Recipe::None
    }

    /// The fp8 recipe by which Transformer Engine multiplies, which decides what Megatron-LM keeps. torchao casts what is in 16 bits each time that it multiplies.
    pub fn transformer_engine(&self) -> Fp8Recipe {
        let engine = self.mode == Mode::Training && self.training.implementation == Implementation::Megatron;
        if engine { self.training.fp8.recipe } else { Fp8Recipe::None }
    }

    /// The layout of all fp8 copies of a weight together, where Megatron-LM keeps any.
    ///
    /// # Formula
    /// Two copies: one is read along its rows in the forward pass, the other along its columns in the backward pass. With one scale for a tensor Blackwell's units read one copy both ways.
    ///
    /// # Assumes
    /// Without a GPU, two copies. Copies stay from micro-batch to micro-batch, as Megatron-LM tells Transformer Engine which is the first.
    ///
    /// # Source
    /// NVIDIA/TransformerEngine at d0067d0: `nvte_is_non_tn_fp8_gemm_supported` (10.0 to 11.x) in `transformer_engine/common/transformer_engine.cpp`, `quantize_weight` of `transformer_engine/pytorch/module/linear.py`, and
    /// `docs/features/low_precision_training` ("Handling transposes"; blocks of 128 × 128 are transposed on Hopper and emulated with MXFP8 on Blackwell; MXFP8 keeps both directions).
    /// verl-project/verl issue 7232: weights of "2 bytes in total, essentially the same as BF16". Read 2026-11-27.
    pub(crate) fn fp8_weights(&self) -> Option<Block> {
        let recipe = self.transformer_engine();
        let tensor = matches!(recipe, Fp8Recipe::Delayed | Fp8Recipe::Tensorwise);
        let both_ways =
            self.gpu.and_then(capability::of).is_some_and(|has| has >= BLACKWELL && has < Capability::new(12, 0));
        let copies = if tensor && both_ways { 1 } else { 2 };
        let Block { values, bytes } = recipe.weight();
        (recipe != Fp8Recipe::None).then_some(Block { values, bytes: copies * bytes })
    }
}
