//! How the figure is drawn, once, when the page is built. Nothing in it follows the reader's settings.

use leptos::prelude::*;
use memory_wall_core::display::{ByteUnit, Figure, Grouped, Size};
use memory_wall_core::memory::activations;
use memory_wall_core::memory::backward::Moment;
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::worked::Item;
use memory_wall_core::{Bytes, Checkpointing, Mode, Scenario, cost};

use crate::sections::masonry::kept_unit;
use crate::words;

/// A layer in the drawing: from one to the next, how wide it is, and how high one with all its tensors.
const STEP: u32 = 10;
const WIDTH: u32 = 8;
const TALL: f64 = 100.0;

/// Training the tutorial's model on one sequence.
pub(super) struct Run {
    model: &'static Model,
    tokens: u32,
    /// What a layer saves where nothing is computed again, and where everything is.
    pub(super) layer: [Bytes; 2],
    /// What all layers save.
    pub(super) all: [Bytes; 2],
    /// What the layer at work has of tensors that were computed again, in backward.
    pub(super) again: Bytes,
    /// How much longer a step takes.
    time: f64,
}

impl Run {
    pub(super) fn new() -> Option<Self> {
        let model = models::by_id("llama-2-7b")?;
        let scenario = Scenario { mode: Mode::Training, ..Scenario::new(model.architecture) };
        let run = |checkpointing| Scenario { checkpointing, ..scenario }.check().ok();
        let [none, full] = [run(Checkpointing::None)?, run(Checkpointing::Full)?];
        let all = [&none, &full].map(|run| activations::in_layers(run).0);
        let layers = u128::from(model.architecture.layers.max(1));
        let mut again = Bytes::ZERO;
        activations::in_backward(&full, Moment::LastLayer, &mut |term| {
            if term.item == Item::RecomputedLayer {
                again += term.bytes();
            }
        });
        Some(Self {
            model,
            tokens: scenario.seq_length,
            layer: all.map(|all| Bytes(all.0 / layers)),
            all,
            again,
            time: cost::time_ratio(&none, &full),
        })
    }

    /// The most that checkpointing holds: the inputs of all layers, and one layer that was computed again.
    pub(super) fn peak(&self) -> Bytes {
        let [_, inputs] = self.all;
        Bytes(inputs.0 + self.again.0)
    }

    /// A box for each layer, as high as what it saves: a dashed line as wide as the boxes are high.
    fn layers(&self, of: usize) -> AnyView {
        let [tallest, _] = self.layer;
        let tall = self.layer.get(of).map_or(0.0, |bytes| bytes.share_of(tallest) * TALL);
        let across = STEP * self.model.architecture.layers;
        let path = format!("M0 {:.1}h{across}", TALL - tall / 2.0);
        let dashes = format!("{WIDTH} {}", STEP - WIDTH);
        view! { <path class="layer-saved" stroke-width=format!("{tall:.1}") stroke-dasharray=dashes d=path></path> }
            .into_any()
    }
}

/// A strip of layers, with its name and its bytes.
fn strip(name: &'static str, bytes: Bytes, across: u32, paths: AnyView) -> AnyView {
    view! {
        <li>
            <p>
                {name} " "
                <b>{Size::new(bytes, ByteUnit::Gb).to_string()}</b>
            </p>
            <svg class="drawing" viewBox=format!("0 0 {across} {TALL}") preserveAspectRatio="none" aria-hidden="true">
                {paths}
            </svg>
        </li>
    }
    .into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let Some(run) = Run::new() else { return ().into_any() };
    let size = |bytes: Bytes| Size::new(bytes, ByteUnit::Gb).to_string();
    let count = run.model.architecture.layers;
    let across = STEP * count;
    let [layer, input] = run.layer;
    let model = run.model.name;
    let tokens = Grouped(run.tokens.into()).to_string();
    let layers = count.to_string();
    let layer = size(layer);
    let input = size(input);
    let peak = size(run.peak());
    let time = Figure(run.time).to_string();

    let again = view! {
        {run.layers(1)}
        <rect class="layer-again" x=across - STEP width=WIDTH height="100%"></rect>
    };
    let sentence = words::RecomputeSentence { layer: &layer, input: &input, peak: &peak, time: &time }.text();
    view! {
        <div class="recompute">
            <p class="figure-title">{words::RecomputeTitle { layers: &layers, model, tokens: &tokens }.text()}</p>
            <ul class="layer-strips">
                {strip(words::recompute_none(), run.all[0], across, run.layers(0))}
                {strip(words::recompute_full(), run.all[1], across, run.layers(1))}
                {strip(words::recompute_peak(), run.peak(), across, again.into_any())}
            </ul>
            <p class="layer-ends" aria-hidden="true">
                <span>{words::recompute_first()}</span>
                <span>{words::RecomputeLast { layers: &layers }.text()}</span>
            </p>
            <p class="summary">{sentence}</p>
            {kept_unit()}
        </div>
    }
    .into_any()
}
