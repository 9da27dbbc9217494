//! Files that measured a run: what they say of its settings, and their parts beside the estimate.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use memory_wall_core::{Bytes, Checked, Mode, Recipe, Scenario, WeightFormat};

use super::{Note, Shown};
use crate::capital;
use crate::files::{File, Opened};
use crate::memory_report::{Held, MemoryReport, types};
#[cfg(feature = "snapshots")]
use crate::snapshot::AtPeak;
use crate::snapshot::Moment;
use crate::snapshot::beside::{CLOSE, Line, Measured, Part, beside};

/// The parts of a measured run beside the estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The file, as in [`Opened::source`].
    pub source: u16,
    /// Of a snapshot, what the program was doing at its peak, which is the moment that all parts are of.
    pub moment: Option<Moment>,
    /// Its parts.
    pub lines: Vec<Line>,
    /// Whether the batch and the length of a step are known, without which there are no activations to estimate.
    pub sized: bool,
}

impl Parts {
    /// Of a snapshot or of a report of a step; nothing of other files, or of a run that a server did.
    pub(super) fn of(opened: &Opened, scenario: &Checked, sized: bool) -> Option<Self> {
        if scenario.runtime().is_some() {
            return None;
        }
        let (moment, mut lines) = match &opened.file {
            #[cfg(feature = "snapshots")]
            File::Snapshot(snapshot) => {
                let peak = AtPeak::of(snapshot.fullest()?)?;
                (Some(peak.moment), beside(&Measured::of(&peak, scenario), scenario))
            }
            File::Peak(peak) => (Some(peak.moment), beside(&Measured::of(peak, scenario), scenario)),
            File::Report(report) => (None, report.beside(scenario)),
            _ => return None,
        };
        for line in lines.iter_mut().filter(|line| !sized && line.part.grows_with_tokens()) {
            (line.estimate, line.reason) = (None, None);
        }
        lines.retain(|line| line.measured.0 > 0 || line.estimate.is_some());
        Some(Self { source: opened.source, moment, lines, sized })
    }

    /// What the table comes to, in sentences.
    pub fn said(&self, shown: Shown) -> Vec<String> {
        let estimated = || self.lines.iter().filter_map(|line| Some((line, line.estimate?)));
        let mut said = Vec::new();
        if let (Some(moment), true) = (self.moment, self.sized) {
            let allocated = self.lines.iter().filter(|line| line.part.is_allocated());
            said.push(format!(
                "At the peak ({}) tensors took {}; the estimate of that moment is {}.",
                moment.name(),
                shown.size(allocated.map(|line| line.measured).sum()),
                shown.size(estimated().map(|(_, bytes)| bytes).sum()),
            ));
        }
        let gap = |line: &Line, bytes: Bytes| line.measured.0.abs_diff(bytes.0);
        let far = estimated().filter(|(line, bytes)| gap(line, *bytes) > bytes.0 / CLOSE);
        said.push(match far.max_by_key(|(line, bytes)| gap(line, *bytes)) {
            Some((line, bytes)) => format!(
                "The largest difference is in {}: {} measured and {} estimated{}.",
                line.part.name(),
                shown.size(line.measured),
                shown.size(bytes),
                line.reason.map(|reason| format!(". Most likely {reason}")).unwrap_or_default(),
            ),
            None => "No part with an estimate is more than 5% away from it.".into(),
        });
        if !self.sized {
            said.push(
                "Batch and sequence length are not known, so activations and logits have no estimate. Settings, a log or a report of memory_report.py of the same run, handed over together with this file, say them."
                    .into(),
            );
        }
        said
    }
}

impl Line {
    /// The cells of its row: the part, measured, estimated, the difference, and the likeliest reason.
    pub fn cells(&self, shown: Shown) -> [String; 5] {
        let estimate = self.estimate.map(|bytes| shown.size(bytes)).unwrap_or_default();
        let difference = self.estimate.map(|bytes| shown.difference(self.measured, bytes)).unwrap_or_default();
        let reason = self.reason.map(|reason| reason.to_string()).unwrap_or_default();
        [capital(self.part.name()).to_string(), shown.size(self.measured), estimate, difference, reason]
    }
}

impl Part {
    /// Whether it hangs on the batch and the length.
    const fn grows_with_tokens(self) -> bool {
        matches!(self, Self::Activations | Self::Logits)
    }

    /// Whether it is a part of what tensors took.
    const fn is_allocated(self) -> bool {
        !matches!(self, Self::Rounding | Self::Unused)
    }
}

/// Whether a file holds what only a training run has.
pub(super) fn trains(files: &[Opened]) -> bool {
    files.iter().any(|opened| match &opened.file {
        #[cfg(feature = "snapshots")]
        File::Snapshot(snapshot) => snapshot.fullest().and_then(AtPeak::of).is_some_and(|peak| peak.trains()),
        File::Peak(peak) => peak.trains(),
        _ => false,
    })
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
