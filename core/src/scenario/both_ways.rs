//! What a pipeline asks for whose micro-batches start at both ends, or turn back.

use core::fmt;

use crate::display::Grouped;
use crate::parallelism::{Parallelism, PipelineSchedule};

/// What such a pipeline asks for and does not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothWays {
    /// Other stages than so many.
    Stages(u32),
    /// The schedule needs this many chunks of layers on each rank.
    Chunks(u32),
    /// More micro-batches, or an even number of them.
    MicroBatches {
        /// The fewest.
        least: u32,
        /// Ranks of the pipeline.
        pp: u32,
    },
}

impl BothWays {
    /// Whether a cut is one of such a schedule.
    ///
    /// # Source
    /// `DualPipe.step` and `DualPipeV.step` of github.com/deepseek-ai/DualPipe at 3da1bbe (2025-03), by their assertions: two micro-batches a rank or more, and as many for
    /// each end of `DualPipe`. Megatron-LM has neither: issue 1524, and pull request 5254, closed without a merge. torchtitan has `ScheduleDualPipeV` of PyTorch alone. Read 2026-11-27.
    pub(super) fn check(parallel: &Parallelism, micro_batches: u32) -> Result<(), Self> {
        let (pp, copies) = (parallel.pp, parallel.copies());
        let least = pp.saturating_mul(2);
        if pp == 1 || !pp.is_multiple_of(copies) {
            Err(Self::Stages(pp))
        } else if parallel.virtual_stages > parallel.turns() {
            Err(Self::Chunks(parallel.virtual_stages))
        } else if micro_batches < least || !micro_batches.is_multiple_of(copies) {
            Err(Self::MicroBatches { least, pp })
        } else {
            Ok(())
        }
    }

    /// In words, of one of the schedules.
    pub(super) fn say(self, schedule: PipelineSchedule, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |count: u32| Grouped(count.into());
        let (name, whole) = (schedule.name(), schedule == PipelineSchedule::DualPipe);
        let pick = |dual: &'static str, half: &'static str| if whole { dual } else { half };
        match self {
            Self::Stages(pp) => {
                let takes = pick("an even number of stages", "a pipeline of two ranks or more");
                write!(f, "{name} takes {takes}, not {}", number(pp))
            }
            Self::Chunks(chunks) => {
                let takes = pick("one chunk of layers for each stage", "two chunks of layers on each rank");
                write!(f, "{name} takes {takes}, not {}", number(chunks))
            }
            Self::MicroBatches { least, pp } => {
                let (even, what) = (pick("an even number of micro-batches, ", ""), pick("", " micro-batches"));
                let ranks = pick("stages", "ranks");
                write!(f, "{name} takes {even}at least {}{what} for {} {ranks}", number(least), number(pp))
            }
        }
    }
}
