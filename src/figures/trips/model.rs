//! What the figure shows: one layer with the shapes of the chosen model, what travels to memory and back, and how long that takes.

use memory_wall_core::Bytes;
use memory_wall_core::display::{Duration, Figure, Percent};
use memory_wall_core::fusion::{Fusion, Kernel, Layer, Trip};

use crate::figures::{Answer, bindings, pick};
use crate::live::Snapshot;
use crate::state::State;
use crate::words;

/// How long the longest bar is, in percent: its size stands behind it.
const LONGEST: f64 = 70.0;

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    layer: Layer,
    /// Whether the result that the kernels hand on finds room on the chip, where that is known.
    stays: Option<bool>,
    /// The share of the time that the product takes.
    product: f64,
    /// What each cut moves, and its seconds.
    cuts: [(Bytes, f64); Fusion::EACH.len()],
    /// What each kernel moves, and its seconds.
    kernels: [(Trip, f64); Kernel::EACH.len()],
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// Tokens at once.
        Tokens,
        /// Width of what goes in.
        Inputs,
        /// Width of what comes out.
        Outputs,
        /// The result that the kernels hand on.
        Result,
        /// Whether that finds room on the chip.
        Room,
        /// The share of the time that the product takes.
        Product,
        /// The share that everything else takes.
        Rest,
        /// What a cut moves.
        Bytes(Fusion),
        /// How long it takes.
        Time(Fusion),
        /// How many times as fast as separate kernels it is.
        Gain(Fusion),
        /// What a kernel reads.
        Read(Kernel),
        /// What it writes.
        Written(Kernel),
        /// How long the bar of what it reads is.
        ReadBar(Kernel),
        /// How long the bar of what it writes is.
        WrittenBar(Kernel),
        /// How long it takes.
        KernelTime(Kernel),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "trips";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let (layer, gpu) = (layer(&snapshot.state), snapshot.state.gpu);
        Self {
            layer,
            stays: layer.stays_on_chip(gpu),
            product: layer.product_share(gpu),
            cuts: Fusion::EACH.map(|cut| (layer.total(cut).bytes(), layer.total_seconds(cut, gpu))),
            kernels: Kernel::EACH.map(|kernel| (layer.trip(kernel), layer.seconds(kernel, gpu))),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let cut = |cut: Fusion| pick(&self.cuts, cut as usize);
        let kernel = |kernel: Kernel| pick(&self.kernels, kernel as usize);
        let time = |seconds| Answer::Text(Duration(seconds).to_string());
        match binding {
            Binding::Tokens => Answer::Count(self.layer.tokens),
            Binding::Inputs => Answer::Count(self.layer.in_features.into()),
            Binding::Outputs => Answer::Count(self.layer.out_features.into()),
            Binding::Result => Answer::Size(self.layer.intermediate()),
            Binding::Room => {
                let said = match self.stays {
                    Some(true) => words::trip_room_stays(),
                    Some(false) => words::trip_room_leaves(),
                    None => words::trip_room_unknown(),
                };
                Answer::Text(said.into())
            }
            Binding::Product => Answer::Text(Percent(self.product).to_string()),
            Binding::Rest => Answer::Text(Percent(1.0 - self.product).to_string()),
            Binding::Bytes(own) => Answer::Size(cut(own).0),
            Binding::Time(own) => time(cut(own).1),
            Binding::Gain(own) => Answer::Text(Figure(cut(Fusion::Separate).1 / cut(own).1).to_string()),
            Binding::Read(own) => Answer::Size(kernel(own).0.read),
            Binding::Written(own) => Answer::Size(kernel(own).0.written),
            Binding::ReadBar(own) => self.bar(kernel(own).0.read),
            Binding::WrittenBar(own) => self.bar(kernel(own).0.written),
            Binding::KernelTime(own) => time(kernel(own).1),
        }
    }
}

impl Model {
    /// How long a bar is, beside the longest of all.
    fn bar(&self, bytes: Bytes) -> Answer {
        let longest = self.kernels.iter().flat_map(|(trip, _)| [trip.read, trip.written]).max();
        Answer::Percent(bytes.share_of(longest.unwrap_or_default()) * LONGEST)
    }
}

/// The first half of an MLP with the reader's sizes.
fn layer(state: &State) -> Layer {
    let scenario = state.scenario();
    Layer {
        tokens: scenario.tokens(),
        in_features: state.shape.hidden_size,
        out_features: state.shape.intermediate_size,
        // 2 or 4.
        bytes_per_value: u32::try_from(scenario.activation_bytes()).unwrap_or(2),
    }
}
