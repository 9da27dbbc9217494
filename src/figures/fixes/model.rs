//! What the figure shows: training the reader's model, whatever the calculator is set to.

use memory_wall_core::display::{ByteUnit, Size};
use memory_wall_core::{
    Bytes, Checked, Checkpointing, Gradients, Mode, Optimizer, Recipe, WeightFormat, ZeroStage, bounds, evaluate,
};

use crate::figures::{Answer, bindings, dash, pick, training};
use crate::live::Snapshot;
use crate::state::State;
use crate::words;

/// A fix, by the name of the engine's own. What it changes stands in `Fix::applied`, which a test holds against the
/// engine: its whole list with its reasons would double what the figure adds to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    Lora,
    FullCheckpointing,
    EightBitOptimizer,
    SmallerMicroBatch,
    MixedPrecision,
    OffloadOptimizer,
}

impl Fix {
    /// Every fix, in the order of the table.
    pub const ALL: [Self; 6] = [
        Self::Lora,
        Self::FullCheckpointing,
        Self::EightBitOptimizer,
        Self::SmallerMicroBatch,
        Self::MixedPrecision,
        Self::OffloadOptimizer,
    ];

    /// Its name among the words and in the prose.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Lora => "lora",
            Self::FullCheckpointing => "full-checkpointing",
            Self::EightBitOptimizer => "8bit-optimizer",
            Self::SmallerMicroBatch => "smaller-micro-batch",
            Self::MixedPrecision => "mixed-precision",
            Self::OffloadOptimizer => "offload-optimizer",
        }
    }

    /// Training without it and with it; the same twice where it changes nothing.
    pub(super) fn applied(self, state: &State) -> Option<[Checked; 2]> {
        let mut before = *training::own(state);
        if self == Self::MixedPrecision {
            (before.weights, before.training.recipe) = (WeightFormat::Fp32, Recipe::Fp32);
        }
        let mut after = before;
        match self {
            Self::Lora => after.mode = Mode::Lora,
            Self::FullCheckpointing => after.checkpointing = Checkpointing::Full,
            Self::EightBitOptimizer if before.optimizer == Optimizer::AdamW => {
                after.optimizer = Optimizer::AdamW8bit;
            }
            Self::EightBitOptimizer => {}
            Self::SmallerMicroBatch => {
                (after.training.micro_batches, after.batch) = (before.batch.min(bounds::MICRO_BATCHES.max), 1);
            }
            Self::MixedPrecision => {
                (after.weights, after.training.recipe) = (WeightFormat::Bf16, Recipe::Mixed);
                // As before it: what becomes of gradients between two steps is no matter of precision.
                after.training.gradients = Gradients::Freed;
            }
            // ZeRO-Offload, whose gradients wait there too.
            Self::OffloadOptimizer => (after.offload.optimizer, after.parallel.zero) = (true, ZeroStage::Gradients),
        }
        Some([before.check().ok()?, after.check().ok()?])
    }

    /// Bytes saved, negative where it takes more, and what training takes then; nothing where it changes nothing.
    fn saved(self, state: &State) -> Option<(i128, Bytes)> {
        let [before, after] = self.applied(state)?;
        let total = evaluate::total(&after);
        let saved = evaluate::total(&before).minus(total).0;
        (saved != 0).then_some((saved, total))
    }
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    capacity: Bytes,
    saved: [Option<(i128, Bytes)>; Fix::ALL.len()],
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// What a fix saves.
        Saved(Fix),
        /// What training takes with it.
        Total(Fix),
        /// What that leaves of the GPU's memory.
        Left(Fix),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "fixes";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        Self { unit: state.unit, capacity: state.gpu.capacity, saved: Fix::ALL.map(|fix| fix.saved(state)) }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let (Binding::Saved(fix) | Binding::Total(fix) | Binding::Left(fix)) = binding;
        let size = |bytes| Size::new(bytes, self.unit).to_string();
        let text = match (binding, pick(&self.saved, fix as usize)) {
            (Binding::Saved(_), None) => words::train_nothing().into(),
            (_, None) => dash().into(),
            (Binding::Saved(_), Some((saved, _))) => {
                let bytes = size(Bytes(saved.unsigned_abs()));
                if saved < 0 { words::TrainMore { n: &bytes }.text() } else { bytes }
            }
            (Binding::Total(_), Some((_, total))) => size(total),
            (Binding::Left(_), Some((_, total))) => training::left(self.capacity, total, self.unit),
        };
        Answer::Text(text)
    }
}
