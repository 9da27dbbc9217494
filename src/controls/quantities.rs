//! What is set with sliders: the sequence length and the batch.

use std::sync::OnceLock;

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::Grouped;
use memory_wall_core::{Bucket, Bytes};

use super::Stops;
use crate::charts::training;
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{fill, t};

/// A whole number with stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// `seq_length`.
    SeqLength,
    /// `batch`.
    Batch,
}

impl Quantity {
    /// What the slider with this name sets.
    pub fn by_control(control: &str) -> Option<Self> {
        Slider::by_control(control).map(|slider| slider.quantity)
    }

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
            Self::SeqLength => t("control.seq.unit"),
            Self::Batch => t("control.batch.unit"),
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

/// Every one on the page.
pub static SLIDERS: [Slider; 8] = [
    Slider { control: "seq", quantity: Quantity::SeqLength, consequence: memory },
    Slider { control: "batch", quantity: Quantity::Batch, consequence: memory },
    Slider { control: "roofline-seq", quantity: Quantity::SeqLength, consequence: speed },
    Slider { control: "roofline-batch", quantity: Quantity::Batch, consequence: speed },
    Slider { control: "kv-seq", quantity: Quantity::SeqLength, consequence: memory },
    Slider { control: "kv-batch", quantity: Quantity::Batch, consequence: memory },
    Slider { control: "training-seq", quantity: Quantity::SeqLength, consequence: training::consequence },
    Slider { control: "training-batch", quantity: Quantity::Batch, consequence: training::consequence },
];

fn memory(snapshot: &Snapshot) -> String {
    let evaluation = &snapshot.evaluation;
    let kv = evaluation.bytes(Bucket::KvCache);
    let verdict = evaluation.fit.map(|fit| snapshot.verdict(&fit));
    let [cache, total] = [kv, evaluation.total].map(|bytes| snapshot.size(bytes));
    let values = [("cache", cache.as_str()), ("total", &total), ("verdict", &verdict.unwrap_or_default())];
    let key = if kv == Bytes::ZERO { "control.consequence.training" } else { "control.consequence.inference" };
    fill(key, &values)
}

fn speed(snapshot: &Snapshot) -> String {
    snapshot.roofline().consequence()
}

impl Slider {
    /// The one with this name.
    pub fn by_control(control: &str) -> Option<&'static Self> {
        SLIDERS.iter().find(|slider| slider.control == control)
    }

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
        let spoken = |control| Slider::by_control(control).unwrap().spoken(&snapshot);
        assert_eq!(spoken("seq"), "2,048 tokens, KV cache 1.07\u{202f}GB, total 15.3\u{202f}GB. It fits");
        assert!(spoken("roofline-batch").starts_with("1 sequences, "), "{}", spoken("roofline-batch"));
        assert!(Slider::by_control("nonsense").is_none());
    }
}
