//! The roof of a GPU as the prose names it, often with the settings of a link.

use memory_wall_core::display::{Duration, Figure, Grouped, Percent, THIN_SPACE};
use memory_wall_core::roofline::latency::{self, Counting, Estimate};
use memory_wall_core::roofline::{Pass, Roof, crossover, roof_of};
use memory_wall_core::units::{ByteRate, FlopRate, Intensity};
use memory_wall_core::{Bytes, Mode};

use crate::figures::sort::{self, Operation};
use crate::figures::{Answer, bindings, dash};
use crate::live::Snapshot;
use crate::words;

/// The round numbers of textbooks: 312 TFLOP/s and 2.0 TB/s.
pub(super) const TEXTBOOK: Roof =
    Roof { peak: FlopRate::from_tflops(312.0), bandwidth: ByteRate::from_gb_per_s(2_000.0) };
/// The intensity that stands for much of what a model does.
pub(super) const LOW: Intensity = Intensity(3.0);

/// What the reader's settings say, as if they were to decode.
#[derive(PartialEq)]
struct Decoding {
    roof: Roof,
    /// The batch from which on a step is compute-bound.
    batch: Option<u32>,
    step: Estimate,
}

/// What the figure shows. There is nothing where the settings cannot be computed.
#[derive(PartialEq)]
pub struct Model(Option<Decoding>);

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// The GPU's peak.
        Peak,
        /// Its bandwidth.
        Bandwidth,
        /// Its ridge.
        FlopPerByte,
        /// The share of a textbook's peak that a low intensity reaches.
        LowShare,
        /// The share of the peak that a matrix reaches which meets one token.
        Alone,
        /// How many times as much compute the second GPU of the sorted operations has as the first.
        LeapCompute,
        /// How many times as much bandwidth.
        LeapBandwidth,
        /// The batch from which on a step is compute-bound.
        Batch,
        /// Weights that a step reads.
        StepRead,
        /// How long a step takes at least.
        StepLower,
        /// How long a step takes at most.
        StepUpper,
        /// What a larger batch does, in words.
        Sentence,
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "worked_roofline";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let gpu = snapshot.state.gpu;
        let scenario = snapshot.state.scenario().with(|it| it.mode = Mode::Inference);
        Self(scenario.ok().map(|scenario| Decoding {
            roof: roof_of(&scenario, gpu),
            batch: crossover::batch(&scenario, gpu),
            step: latency::estimate(&scenario, gpu, Pass::Decode, Counting::of(&scenario)),
        }))
    }

    fn answer(&self, binding: Binding) -> Answer {
        let text = match (binding, &self.0) {
            (Binding::LowShare, _) => Percent(TEXTBOOK.attainable(LOW).0 / TEXTBOOK.peak.0).to_string(),
            (Binding::LeapCompute, _) => leap(|roof| roof.peak.0),
            (Binding::LeapBandwidth, _) => leap(|roof| roof.bandwidth.0),
            (Binding::StepRead, own) => return Answer::size(own.as_ref().map(|own| Bytes(own.step.weights))),
            (_, None) => dash().into(),
            (Binding::Peak, Some(own)) => format!("{}{THIN_SPACE}TFLOP/s", Figure(own.roof.peak.as_tflops())),
            (Binding::Bandwidth, Some(own)) => {
                format!("{}{THIN_SPACE}GB/s", Figure(own.roof.bandwidth.as_gb_per_s()))
            }
            (Binding::FlopPerByte, Some(own)) => Figure(own.roof.ridge().0).to_string(),
            (Binding::Alone, Some(own)) => Percent(Operation::Token.intensity() / own.roof.ridge().0).to_string(),
            (Binding::Batch, Some(own)) => {
                own.batch.map_or_else(|| words::ridge_never().into(), |batch| Grouped(batch.into()).to_string())
            }
            (Binding::StepLower, Some(own)) => Duration(own.step.lower.0).to_string(),
            (Binding::StepUpper, Some(own)) => Duration(own.step.upper.0).to_string(),
            (Binding::Sentence, Some(own)) => match own.batch {
                Some(batch) => words::RidgeCrosses { n: &Grouped(batch.into()).to_string() }.text(),
                None => words::ridge_stays().into(),
            },
        };
        Answer::Text(text)
    }
}

/// How many times as much of something the second GPU of the sorted operations has as the first.
fn leap(what: fn(Roof) -> f64) -> String {
    let [from, to] = sort::COMPARED.map(|gpu| sort::roof(gpu).map_or(0.0, what));
    Figure(to / from).to_string()
}
