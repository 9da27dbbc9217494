//! Training that multiplies matrices in 8-bit floats: what is scaled by what, and how many bytes a weight or a saved value takes then.

use crate::precision::{Block, WeightFormat};

choices! {
    /// How the matrices of the layers are multiplied in fp8, by the names of Megatron-LM (`--fp8-recipe`) and torchao.
    ///
    /// # Source
    /// NVIDIA/TransformerEngine at d0067d0 (2026-08): `DelayedScaling`, `Float8CurrentScaling`, `Float8BlockScaling` and `MXFP8BlockScaling` of
    /// `transformer_engine/common/recipe/__init__.py`. pytorch/ao at 36027d8 (2026-08): `torchao/float8/config.py`. Read 2026-11-27.
    Fp8Recipe {
        /// 16 or 32 bits: no fp8.
        None = "none";
        /// One scale for a tensor, from the largest values of steps before (Transformer Engine). Its histories are a few kilobytes a matrix, which are not counted.
        Delayed = "delayed";
        /// One scale for a tensor, from the tensor itself.
        Tensorwise = "tensorwise";
        /// One scale for a row (torchao).
        Rowwise = "rowwise";
        /// One fp32 scale for 128 values of an activation and for 128 × 128 of a weight, as `DeepSeek-V3` was trained.
        Blockwise = "blockwise";
        /// One 8-bit exponent for 32 values: MXFP8, in Blackwell's units.
        Mxfp8 = "mxfp8";
    }
}

choices! {
    /// In which precision `AdamW` keeps its two moments (`--exp-avg-dtype` and `--exp-avg-sq-dtype` of Megatron-LM).
    Moments {
        /// That of the parameters which the step updates.
        ByRecipe = "by-recipe";
        /// 16 bits, as in the training of `DeepSeek-V3`.
        Bf16 = "bf16";
        /// 8 bits with one scale for a tensor.
        Fp8 = "fp8";
    }
}

/// One fp32 scale for 128 values.
const BLOCK_OF_128: Block = Block { values: 128, bytes: 132 };
/// One 8-bit exponent for 32 values.
const BLOCK_OF_32: Block = Block { values: 32, bytes: 33 };

impl Fp8Recipe {
    /// The layout of an activation that is saved as the input of a matrix, in the one direction that its backward pass reads.
    pub const fn saved(self) -> Block {
        match self {
            Self::None => Block::BF16,
            Self::Delayed | Self::Tensorwise | Self::Rowwise => WeightFormat::Fp8.block(),
            Self::Blockwise => BLOCK_OF_128,
            Self::Mxfp8 => BLOCK_OF_32,
        }
    }

    /// The layout of one copy of a weight.
    pub const fn weight(self) -> Block {
        match self {
            Self::Blockwise => WeightFormat::Fp8Block.block(),
            _ => self.saved(),
        }
    }
}

/// The choices of fp8 training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fp8 {
    /// By which scales matrices are multiplied.
    pub recipe: Fp8Recipe,
    /// Whether the model has its matrices in fp8 alone, beside the optimizer's fp32 copy (`--fp8-param-gather`).
    pub param_gather: bool,
    /// Whether the input of SwiGLU is saved in fp8 (`--activation-func-fp8-input-store`).
    pub input_store: bool,
}

impl Fp8 {
    /// No fp8 at all.
    pub const NONE: Self = Self { recipe: Fp8Recipe::None, param_gather: false, input_store: false };
}
