//! A report of `memory_report.py` beside the engine's estimate of the same step.

use alloc::vec::Vec;

use memory_wall_core::{Bytes, Checked};

use super::{Line, Measured, PARTS, Part, beside};
use crate::memory_report::{Held, MemoryReport, total};
use crate::snapshot::Moment;

impl MemoryReport {
    /// What was measured beside the engine's estimate: each part at the moment when the step has most of it.
    ///
    /// What the model itself saves, outside its modules, is the loss. It has no estimate.
    pub fn beside(&self, scenario: &Checked) -> Vec<Line> {
        let loss = self.modules.get("").map_or(0, |model| total(model, Held::Saved));
        let measured = |moment: Moment| {
            let bytes = |part: &Part| match part {
                Part::Weights => self.most(Held::Weights),
                Part::Gradients => self.most(Held::Gradients),
                Part::Optimizer => self.most(Held::Optimizer),
                Part::Activations => self.most(Held::Saved).saturating_sub(loss),
                _ => 0,
            };
            let parts = PARTS.map(|part| bytes(&part));
            Measured { moment, parts, states_come_later: false, states_are_older: false, is_mostly_cached: false }
        };
        let [forward, step] =
            [Moment::Forward, Moment::OptimizerStep].map(|moment| beside(&measured(moment), scenario));
        let row = |lines: &[Line], part: Part| lines.iter().find(|line| line.part == part).copied();
        let mut lines: Vec<Line> =
            [Part::Weights, Part::Gradients, Part::Optimizer].into_iter().filter_map(|part| row(&step, part)).collect();
        lines.extend(row(&forward, Part::Activations));
        // The engine counts the logits themselves too, which are no part of what is saved.
        lines.push(Line { part: Part::Logits, estimate: None, measured: Bytes(loss.into()), reason: None });
        lines
    }
}
