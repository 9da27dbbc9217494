//! Which cuts leave each rank whole tiles of Marlin's kernels, which run weights in 8 and 4 bits where a GPU has no units for them: one rule for every server.

use core::fmt;

use super::Scenario;
use crate::architecture::LinearKind;
use crate::display::Grouped;
use crate::tables::capability;

/// A matrix of which a rank has no whole number of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// What is cut.
    pub what: &'static str,
    /// Columns on a rank.
    pub columns: u64,
    /// Rows on a rank.
    pub rows: u64,
}

impl fmt::Display for Tiles {
    /// What a server refuses, behind its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, columns, rows } = *self;
        write!(
            f,
            "runs these weights by Marlin's kernels on a GPU without units for their format, and refuses {what} whose matrix on a rank, {} x {}, is no multiple of 64 by 128",
            Grouped(columns.into()),
            Grouped(rows.into())
        )
    }
}

impl Tiles {
    /// Whether each rank has whole tiles of the matrices that are not in routed experts.
    ///
    /// # Errors
    /// The first broken one.
    ///
    /// # Assumes
    /// Mamba-2 is in fp8 where the weights are in NVFP4, as in NVIDIA's files.
    ///
    /// # Source
    /// `marlin_padded_nk` and `marlin.cu` of vLLM 0.33. "`size_n` = 5472 is not divisible by `tile_n_size` = 64": GLM-4.5V in fp8 on 4 A6000 with vLLM 0.10.2 (zai-org/GLM-V issue 178),
    /// GLM-4.5-Air with `SGLang` (zai-org/GLM-4.5 issue 23); `size_n` = 2736 on 8 RTX 3090 (issue 94); "Invalid thread config" for 672 rows (vLLM pull request 36807). Read 2026-11-26.
    pub fn outside_experts(scenario: &Scenario) -> Result<(), Self> {
        let shape = &scenario.architecture;
        let tp = u64::from(scenario.parallel.tp.max(1));
        if shape.has_dense_mlp() {
            Self::mlp(scenario, "the MLP", shape.intermediate_size, tp, shape.hidden_size)?;
        }
        if let Some(moe) = shape.moe {
            Self::mlp(scenario, "the shared experts", moe.shared_intermediate_size, tp, shape.hidden_size)?;
        }
        match shape.linear_attention {
            Some(states) if states.kind == LinearKind::Mamba2 && !scenario.multiplies_fp8() => {
                let (channels, _) = states.state(scenario.parallel.tp);
                let heads = u64::from(states.value_heads) / tp;
                let columns = channels + heads * u64::from(states.value_dim) + heads;
                Self::check("Mamba-2", columns, shape.hidden_size.into())
            }
            _ => Ok(()),
        }
    }

    /// The same of routed experts.
    ///
    /// # Errors
    /// The first broken one.
    pub fn of_experts(scenario: &Scenario) -> Result<(), Self> {
        let shape = &scenario.architecture;
        let Some(moe) = shape.moe else { return Ok(()) };
        let outer = moe.outer_width(shape.hidden_size);
        Self::mlp(scenario, "an expert", moe.intermediate_size, scenario.experts().width, outer)
    }

    /// Gate and up side by side, and down.
    fn mlp(scenario: &Scenario, what: &'static str, inner: u32, ranks: u64, outer: u32) -> Result<(), Self> {
        let (inner, outer) = (u64::from(inner) / ranks.max(1), u64::from(outer));
        Self::check(what, (scenario.architecture.mlp.matrices() - 1) * inner, outer)?;
        Self::check(what, outer, inner)
    }

    fn check(what: &'static str, columns: u64, rows: u64) -> Result<(), Self> {
        let whole = |narrow: u64, wide: u64| narrow.is_multiple_of(TILE) && wide.is_multiple_of(2 * TILE);
        if whole(columns, rows) || whole(rows, columns) { Ok(()) } else { Err(Self { what, columns, rows }) }
    }
}

/// Columns or rows that Marlin's kernels take together.
const TILE: u64 = 64;

impl Scenario {
    /// Whether the scenario's GPU has units for fp8, which Triton's kernels ask for; Marlin's run fp8 as weights alone elsewhere. No GPU of AMD's without them gets here.
    pub fn multiplies_fp8(&self) -> bool {
        self.gpu.and_then(capability::of).is_none_or(|has| has >= capability::NATIVE_FP8)
    }
}
