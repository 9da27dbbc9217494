//! What the figure shows.

use memory_wall_core::display::{ByteUnit, Size};
use memory_wall_core::{Bucket, Bytes, Mode, evaluate};

use crate::figures::{Answer, bindings, pick};
use crate::live::Snapshot;
use crate::state::State;
use crate::words;

/// How wide either side is, in percent of the drawing.
pub(super) const WING: f64 = 49.0;

/// What is set side by side.
pub static SIDES: [Bucket; 6] =
    [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer, Bucket::KvCache, Bucket::Activations, Bucket::Logits];

/// What a mode takes.
#[derive(PartialEq)]
struct Side {
    total: Bytes,
    buckets: [Bytes; Bucket::EACH.len()],
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    generating: Side,
    training: Side,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// What generating takes in all.
        GeneratingTotal,
        /// What training takes in all.
        TrainingTotal,
        /// A bucket of generating.
        Generating(Bucket),
        /// Where its bar begins.
        GeneratingFrom(Bucket),
        /// How long its bar is.
        GeneratingBar(Bucket),
        /// A bucket of training.
        Training(Bucket),
        /// How long its bar is.
        TrainingBar(Bucket),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "sides";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let [generating, training] =
            [Mode::Inference, Mode::Training].map(|mode| Side::of(&State { mode, ..snapshot.state }));
        Self { unit: snapshot.state.unit, generating, training }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let Self { generating, training, .. } = self;
        match binding {
            Binding::GeneratingTotal => Answer::Size(generating.total),
            Binding::TrainingTotal => Answer::Size(training.total),
            Binding::Generating(bucket) => self.size(generating.bytes(bucket)),
            Binding::GeneratingFrom(bucket) => Answer::Percent(WING - self.bar(generating.bytes(bucket))),
            Binding::GeneratingBar(bucket) => Answer::Percent(self.bar(generating.bytes(bucket))),
            Binding::Training(bucket) => self.size(training.bytes(bucket)),
            Binding::TrainingBar(bucket) => Answer::Percent(self.bar(training.bytes(bucket))),
        }
    }
}

impl Model {
    /// A size, or that there is none.
    fn size(&self, bytes: Bytes) -> Answer {
        let none = bytes == Bytes::ZERO;
        Answer::Text(if none { words::train_none().into() } else { Size::new(bytes, self.unit).to_string() })
    }

    /// How long a bar is: the larger total would fill a side.
    fn bar(&self, bytes: Bytes) -> f64 {
        bytes.share_of(self.generating.total.max(self.training.total)) * WING
    }
}

impl Side {
    fn of(state: &State) -> Self {
        let evaluation = evaluate(&state.scenario());
        Self { total: evaluation.total, buckets: Bucket::EACH.map(|bucket| evaluation.bytes(bucket)) }
    }

    fn bytes(&self, bucket: Bucket) -> Bytes {
        pick(&self.buckets, bucket as usize)
    }
}
