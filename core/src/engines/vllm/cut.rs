//! What vLLM asks of a cut: expert parallelism over all ranks, and whole blocks on each.

use crate::architecture::Projection;
use crate::engines::Unsupported;
use crate::precision::WeightFormat;
use crate::scenario::Scenario;

/// Values along each side of a block of fp8 weights that share a scale.
pub const FP8_BLOCK: u64 = 128;

/// Whether vLLM accepts cut and lengths of a scenario that it serves.
///
/// # Errors
/// The first thing that it refuses.
///
/// # Source
/// vLLM: `ParallelConfig` and `FusedMoEParallelConfig.make` (experts over tensor × data-parallel ranks, with or without
/// `--enable-expert-parallel`), `validate_fp8_block_shape` and `Fp8MoEMethod.create_weights` (blocks; issue 17569).
pub(in crate::engines) fn supported(scenario: &Scenario) -> Result<(), Unsupported> {
    let parallel = &scenario.parallel;
    let all = u64::from(parallel.tp) * u64::from(parallel.dp);
    if parallel.ep > 1 && u64::from(parallel.ep) != all {
        return Err(Unsupported::ExpertRanks { ep: parallel.ep, all });
    }
    if let Some(moe) = scenario.architecture.moe
        && !u64::from(moe.intermediate_size).is_multiple_of(scenario.experts().width)
    {
        return Err(Unsupported::ExpertWidth { width: moe.intermediate_size, ranks: scenario.experts().width });
    }
    if scenario.weights == WeightFormat::Fp8Block {
        whole_blocks(scenario)?;
    }
    match scenario.serving.max_model_len {
        Some(max_model_len) if max_model_len < scenario.seq_length => {
            Err(Unsupported::TooLong { seq_length: scenario.seq_length, max_model_len })
        }
        _ => Ok(()),
    }
}

/// Whether each rank's part of every quantised matrix is a whole number of blocks, as far as the cut decides it.
fn whole_blocks(scenario: &Scenario) -> Result<(), Unsupported> {
    let shape = &scenario.architecture;
    let tp = u64::from(scenario.parallel.tp);
    let check = |what, width: u64, ranks: u64| {
        let whole = width.is_multiple_of(ranks * FP8_BLOCK);
        if ranks == 1 || whole { Ok(()) } else { Err(Unsupported::Blocks { what, width, ranks }) }
    };
    let heads = match shape.projection {
        Projection::Heads => shape.query_width(),
        Projection::Latent(latent) => u64::from(shape.heads) * u64::from(latent.v_dim),
    };
    check("the width of all heads", heads, tp)?;
    if shape.projection == Projection::Heads {
        // Copied where there are fewer heads than ranks.
        check("the width of all KV heads", shape.kv_width(), tp.min(shape.kv_heads.into()))?;
    }
    if shape.moe_layers() < shape.layers {
        check("intermediate_size", shape.intermediate_size.into(), tp)?;
    }
    if let Some(moe) = shape.moe {
        check("moe_intermediate_size", moe.intermediate_size.into(), scenario.experts().width)?;
        check("the width of the shared experts", moe.shared_intermediate_size.into(), tp)?;
    }
    Ok(())
}
