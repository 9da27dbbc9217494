//! What is set with sliders: the sequence length and the batch.

use std::sync::OnceLock;

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::Grouped;
use memory_wall_core::{Bucket, Bytes};

use super::Stops;
use crate::figures::{activation, serve_cost};
use crate::live::Snapshot;
use crate::state::State;
use crate::words;

/// A whole number with stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// `seq_length`.
    SeqLength,
    /// `batch`.
    Batch,
}

impl Quantity {
    /// The legal range.
    pub const fn bounds(self) -> Bounds {
        match self {
            Self::SeqLength => bounds::SEQ_LENGTH,
            Self::Batch => bounds::BATCH,
        }
    }

    /// Its value.
    pub const fn of(self, state: &State) -> u32 {
        match self {
            Self::SeqLength => state.seq_length,
            Self::Batch => state.batch,
        }
    }

    /// Sets it, kept in range.
    pub fn set(self, state: &mut State, value: u32) {
        match self {
            Self::SeqLength => state.set_seq_length(value),
            Self::Batch => state.set_batch(value),
        }
    }

    /// Where its sliders stop.
    pub fn stops(self) -> &'static Stops {
        static SEQ_LENGTH: OnceLock<Stops> = OnceLock::new();
        static BATCH: OnceLock<Stops> = OnceLock::new();
        match self {
            Self::SeqLength => SEQ_LENGTH.get_or_init(Stops::seq_length),
            Self::Batch => BATCH.get_or_init(Stops::batch),
        }
    }

    /// What is counted, in the plural.
    pub fn unit(self) -> &'static str {
        match self {
            Self::SeqLength => words::control_seq_unit(),
            Self::Batch => words::control_batch_unit(),
        }
    }
}

/// A slider: the same quantity may have one in more than one figure.
pub struct Slider {
    /// Its name in the page.
    pub control: &'static str,
    /// What it sets.
    pub quantity: Quantity,
    /// What the value means, read out with it.
    consequence: fn(&Snapshot) -> String,
}

/// The sequence length, in the calculator.
pub const SEQ: Slider = Slider { control: "seq", quantity: Quantity::SeqLength, consequence: memory };
/// The batch, in the calculator.
pub const BATCH: Slider = Slider { control: "batch", quantity: Quantity::Batch, consequence: memory };
/// The sequence length, beside the roofline.
pub const ROOFLINE_SEQ: Slider = Slider { control: "roofline-seq", consequence: speed, ..SEQ };
/// The batch, beside the roofline.
pub const ROOFLINE_BATCH: Slider = Slider { control: "roofline-batch", consequence: speed, ..BATCH };
/// The sequence length, under the KV cache.
pub const KV_SEQ: Slider = Slider { control: "kv-seq", ..SEQ };
/// The batch, under the KV cache.
pub const KV_BATCH: Slider = Slider { control: "kv-batch", ..BATCH };
/// The batch, where the model is served and paid for.
pub const SERVE_BATCH: Slider = Slider { control: "serve-batch", consequence: serve_cost::consequence, ..BATCH };
/// The sequence length, under what is saved for backward.
pub const TRAINING_SEQ: Slider = Slider { control: "training-seq", consequence: activation::consequence, ..SEQ };
/// The batch there.
pub const TRAINING_BATCH: Slider = Slider { control: "training-batch", consequence: activation::consequence, ..BATCH };

fn memory(snapshot: &Snapshot) -> String {
    let evaluation = &snapshot.evaluation;
    let kv = evaluation.bytes(Bucket::KvCache);
    let verdict = evaluation.fit.map(|fit| snapshot.verdict(&fit));
    let [cache, total] = [kv, evaluation.total].map(|bytes| snapshot.size(bytes));
    let verdict = verdict.unwrap_or_default();
    if kv == Bytes::ZERO {
        words::ControlConsequenceTraining { total: &total, verdict }.text()
    } else {
        words::ControlConsequenceInference { cache: &cache, total: &total, verdict }.text()
    }
}

fn speed(snapshot: &Snapshot) -> String {
    crate::far::apart();
    snapshot.roofline().consequence()
}

impl Slider {
    /// The stop it stands at.
    pub fn place(&self, state: &State) -> usize {
        self.quantity.stops().place(self.quantity.of(state))
    }

    /// The value and what it means, for those who do not see the figure.
    pub fn spoken(&self, snapshot: &Snapshot) -> String {
        let value = Grouped(self.quantity.of(&snapshot.state).into());
        format!("{value} {}, {}", self.quantity.unit(), (self.consequence)(snapshot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_says_value_unit_and_consequence() {
        let snapshot = Snapshot::of(State::default());
        let spoken = SEQ.spoken(&snapshot);
        assert_eq!(spoken, "2,048 tokens, KV cache 1.07\u{202f}GB, total 15.3\u{202f}GB. It fits");
        let spoken = ROOFLINE_BATCH.spoken(&snapshot);
        assert!(spoken.starts_with("1 sequences, "), "{spoken}");
    }
}
