//! What the reader has chosen, for the bar and for all figures that name it.

use memory_wall_core::display::{ByteUnit, Size, THIN_SPACE};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{Bytes, Verdict};

use crate::figures::{Answer, bindings};
use crate::live::Snapshot;
use crate::words;

/// What the reader has chosen.
#[derive(PartialEq)]
pub struct Model {
    /// The name of the model.
    name: String,
    gpu: &'static Gpu,
    line: String,
    total: Bytes,
    capacity: Bytes,
    /// There is none while the reader's dimensions do not go together.
    verdict: Option<Verdict>,
    unit: ByteUnit,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// The name of the model.
        Model,
        /// The name of the GPU.
        Gpu,
        /// What is printed on its box, whatever unit the reader has chosen.
        PrintedCapacity,
        /// What is computed and for which GPU, in one line.
        Line,
        /// What it takes, of what the GPU has.
        Total,
        /// The verdict.
        Verdict,
        /// The same, as the style sheet knows it.
        VerdictId,
        /// Whether sizes are in GB.
        InGb,
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "rig";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        Self {
            name: state.model_name(),
            gpu: state.gpu,
            line: snapshot.rig_line(),
            total: snapshot.evaluation.total,
            capacity: state.gpu.capacity,
            verdict: snapshot.evaluation.fit.map(|fit| fit.verdict).filter(|_| state.draft.is_none()),
            unit: state.unit,
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        match binding {
            Binding::Model => Answer::Text(self.name.clone()),
            Binding::Gpu => Answer::Text(self.gpu.name.into()),
            Binding::PrintedCapacity => Answer::Text(format!("{}{THIN_SPACE}GB", self.gpu.printed_gb)),
            Binding::Line => Answer::Text(self.line.clone()),
            Binding::Total => {
                let [total, capacity] =
                    [self.total, self.capacity].map(|bytes| Size::new(bytes, self.unit).to_string());
                Answer::Text(words::RigTotal { total: &total, capacity: &capacity }.text())
            }
            Binding::Verdict => Answer::Text(self.verdict.map_or_else(words::verdict_waits, words::verdict).into()),
            Binding::InGb => Answer::Flag(self.unit == ByteUnit::Gb),
            Binding::VerdictId => Answer::Text(self.verdict.map_or("waits", Verdict::id).into()),
        }
    }
}
