//! Which cuts leave each rank whole blocks of quantised weights: one rule for every server.

use super::{Blocks, LeftWide, Scenario};
use crate::architecture::Projection;
use crate::precision::{FP8_BLOCK, WeightFormat};

impl Blocks {
    /// The finest blocks that servers give experts.
    pub const FINEST: u64 = LEAST_GROUP;

    /// Whether every quantised matrix is a whole number of the groups that share a scale, and so is each rank's part of it:
    /// `experts` ranks cut the width of each expert, whose blocks are `of_experts` where the server takes others than those of the files.
    ///
    /// # Errors
    /// The first matrix of which a rank would have a broken block.
    ///
    /// # Source
    /// Blocks of fp8 lie both ways. Groups of AWQ and GPTQ lie along the input, which is cut in the output projection and the MLP's second matrix:
    /// "The input size is not aligned with the quantized weight shape" (`awq.py` of vLLM and of `SGLang`), "not divisible by `group_size`" (`marlin_utils.py`),
    /// "must be divisible by `group_size`" (`linear.py` of TensorRT-LLM). Read 2026-11-25. NVFP4: "Unsupported model when in features size is not multiple of 16" (`modelopt.py`
    /// of vLLM and of `SGLang`); vLLM issue 49949 is experts of Nemotron 3 Nano over 8 ranks, 232. Read 2026-11-26.
    /// A file whose last group is broken loads nowhere, however it is cut: AWQ makes none ("must be a multiple of `group_size`"), `AutoRound` does, as of the 704 of an expert of
    /// Gemma 4 26B, and vLLM drops its tail (`input_size // group_size` rows of scales; pull request 43227, open). Blocks of fp8 may be broken in the file. Read 2026-11-27.
    pub fn check(scenario: &Scenario, experts: u64, of_experts: Option<u64>) -> Result<(), Self> {
        let (format, block) = match scenario.weights {
            format @ WeightFormat::Fp8Block => (format, FP8_BLOCK),
            format @ WeightFormat::Int4 => (format, INT4_GROUP),
            format @ WeightFormat::Int4Group32 => (format, LEAST_GROUP),
            format @ WeightFormat::Nvfp4 => (format, NVFP4_GROUP),
            _ => return Ok(()),
        };
        let blocks = format == WeightFormat::Fp8Block;
        let shape = &scenario.architecture;
        let tp = u64::from(scenario.parallel.tp);
        let check = |what, width: u64, ranks: u64, taken: u64| {
            if !blocks && !width.is_multiple_of(block) {
                return Err(Self { format, block, what, width, ranks });
            }
            let whole = width.is_multiple_of(ranks * taken);
            if ranks == 1 || whole { Ok(()) } else { Err(Self { format, block: taken, what, width, ranks }) }
        };
        let heads = match shape.projection {
            Projection::Heads => shape.query_width(),
            Projection::Latent(latent) => u64::from(shape.heads) * u64::from(latent.v_dim),
        };
        let (wide, shared) = (scenario.left_wide(), scenario.left_wide() == Some(LeftWide::SharedExperts));
        let attention = wide.is_none() || shared;
        if !blocks {
            check("hidden_size", shape.hidden_size.into(), 1, block)?;
        }
        if attention {
            check("the width of all heads", heads, tp, block)?;
        }
        if blocks && shape.projection == Projection::Heads {
            // Copied where there are fewer heads than ranks.
            check("the width of all KV heads", shape.kv_width(), tp.min(shape.kv_heads.into()), block)?;
        }
        if shape.has_dense_mlp() {
            let own = shape.intermediate_size;
            let width = if blocks { own } else { padded(own) };
            check("intermediate_size", width.into(), tp, block)?;
        }
        if let Some(moe) = shape.moe {
            let of_experts = of_experts.filter(|_| block > NVFP4_GROUP).unwrap_or(block);
            check("moe_intermediate_size", moe.intermediate_size.into(), experts, of_experts)?;
            if wide.is_none() {
                check("the width of the shared experts", moe.shared_intermediate_size.into(), tp, block)?;
            }
        }
        Ok(())
    }
}

/// Values of a 4-bit matrix that share a scale.
const INT4_GROUP: u64 = 128;

/// The same of an NVFP4 matrix.
const NVFP4_GROUP: u64 = 16;

/// The same in the finest groups of 4-bit integers that are common.
const LEAST_GROUP: u64 = 32;

/// The `intermediate_size` that files in groups of 128 have for a model whose own is this.
///
/// # Source
/// Qwen pads that of its 72B models, 231 groups that no cut divides, to 29,696 before it quantises them (QwenLM/Qwen2-VL issues 230 and 231). Read 2026-11-24.
const fn padded(intermediate_size: u32) -> u32 {
    match intermediate_size {
        29_568 => 29_696,
        own => own,
    }
}
