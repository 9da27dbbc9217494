//! Files that measured a run: what they say of its settings, and their parts beside the estimate.

use alloc::vec::Vec;

use memory_wall_core::{Checked, Mode, Recipe, Scenario, WeightFormat};

use super::Note;
use crate::files::{File, Opened};
use crate::memory_report::{Held, MemoryReport, types};
use crate::snapshot::beside::Line;
#[cfg(feature = "snapshots")]
use crate::snapshot::beside::{Measured, beside};

/// The parts of a measured run beside the estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The file, as in [`Opened::source`].
    pub source: u16,
    /// Its parts.
    pub lines: Vec<Line>,
}

impl Parts {
    /// Of a snapshot or of a report of a step; nothing of other files, or of a run that a server did.
    pub(super) fn of(opened: &Opened, scenario: &Checked) -> Option<Self> {
        if scenario.runtime().is_some() {
            return None;
        }
        let lines = match &opened.file {
            #[cfg(feature = "snapshots")]
            File::Snapshot(snapshot) => {
                let device = snapshot.fullest().filter(|device| !device.trace.events.is_empty())?;
                beside(&Measured::at_peak(&device.trace, &device.totals, scenario), scenario)
            }
            File::Report(report) => report.beside(scenario),
            _ => return None,
        };
        let lines: Vec<Line> =
            lines.into_iter().filter(|line| line.measured.0 > 0 || line.estimate.is_some()).collect();
        Some(Self { source: opened.source, lines })
    }
}

/// The precisions of a measured step, and whether it ran on a processor.
pub(super) fn describe(report: &MemoryReport, scenario: &mut Scenario, notes: &mut Vec<Note>) {
    if scenario.mode != Mode::Training {
        return;
    }
    scenario.training.stock.cpu = report.device == "cpu";
    let held = |held: Held| {
        let types = report.phases.iter().flat_map(move |phase| types(&phase.bytes, held));
        types.filter(|(_, bytes)| *bytes > 0).map(|(dtype, _)| dtype)
    };
    let narrow = |dtype: &str| matches!(dtype, "bfloat16" | "float16");
    let mut weights = held(Held::Weights);
    let Some(first) = weights.next().filter(|first| weights.all(|dtype| dtype == *first)) else { return };
    (scenario.training.recipe, scenario.weights) = match first {
        "bfloat16" => (Recipe::Pure, WeightFormat::Bf16),
        "float16" => (Recipe::Pure, WeightFormat::Fp16),
        "float32" if held(Held::Saved).any(narrow) => (Recipe::Autocast, WeightFormat::Fp32),
        "float32" => (Recipe::Fp32, WeightFormat::Fp32),
        _ => return,
    };
    notes.retain(|note| *note != Note::RecipeAssumed);
}
