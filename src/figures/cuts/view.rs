//! How the figure is drawn, once, when the page is built. Nothing in it follows the reader's settings.

use leptos::prelude::*;
use memory_wall_core::communication::{self, Traffic};
use memory_wall_core::display::{ByteUnit, Duration, Grouped, Size};
use memory_wall_core::memory::activations::megatron;
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::units::ByteRate;
use memory_wall_core::{Bucket, Bytes, Checked, Implementation, Mode, Scenario, evaluate, worked};

use crate::sections::masonry::kept_unit;
use crate::widgets::table::{self, Table};
use crate::words;

/// GPUs that share the sequence, one node.
pub(super) const GPUS: u32 = 8;
/// Tokens of the sequence.
pub(super) const TOKENS: u32 = 32_768;

/// A way to divide the work on one sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// One GPU does all of it.
    None,
    /// Every matrix is divided.
    Tensor,
    /// Every matrix, and what lies between them along the sequence.
    Sequence,
    /// The sequence is divided.
    Context,
}

impl Cut {
    pub(super) const ALL: [Self; 4] = [Self::None, Self::Tensor, Self::Sequence, Self::Context];

    fn name(self) -> &'static str {
        match self {
            Self::None => words::cuts_none(),
            Self::Tensor => words::cuts_tensor(),
            Self::Sequence => words::cuts_sequence(),
            Self::Context => words::cuts_context(),
        }
    }

    /// A training step of a model on the one sequence.
    pub(super) fn over(self, model: &Model) -> Option<Checked> {
        let mut run = Scenario { mode: Mode::Training, seq_length: TOKENS, ..Scenario::new(model.architecture) };
        run.training.implementation = Implementation::Megatron;
        match self {
            Self::None => {}
            Self::Tensor => run.parallel.tp = GPUS,
            Self::Sequence => (run.parallel.tp, run.parallel.sequence_parallel) = (GPUS, true),
            Self::Context => run.parallel.cp = GPUS,
        }
        run.check().ok()
    }
}

/// What a GPU holds of the weights.
pub(super) fn weights(run: &Checked) -> Bytes {
    let held = evaluate(run).buckets.into_iter();
    held.filter(|(bucket, _)| *bucket == Bucket::Weights).map(|(_, bytes)| bytes).sum()
}

/// What its layers save for backward.
pub(super) fn saved(run: &Checked) -> Bytes {
    worked::total(|sink| megatron::layers(run, run.architecture.layers.into(), sink))
}

/// What it sends in a layer for each token of the sequence, beside the gradients.
pub(super) fn sent(run: &Checked) -> Bytes {
    let sent = [Traffic::Tensor, Traffic::Context].map(|traffic| communication::bytes(run, traffic).0);
    let tokens = u128::from(TOKENS) * u128::from(run.architecture.layers.max(1));
    Bytes((sent.into_iter().sum::<u128>() + tokens / 2) / tokens)
}

/// The shortest time in which a GPU does its share of the arithmetic of a layer for a token: two FLOPs a weight forward, four backward.
fn arithmetic(model: &Model, gpu: &Gpu) -> Option<f64> {
    let shape = &model.architecture;
    let layer = shape.parameters().matrices as f64 / f64::from(shape.layers.max(1));
    Some(6.0 * layer / f64::from(GPUS) / (gpu.peaks.bf16?.tflops() * 1e12))
}

fn size(bytes: Bytes) -> String {
    Size::new(bytes, ByteUnit::Gb).to_string()
}

/// The figure.
pub fn view() -> AnyView {
    drawn().unwrap_or_else(|| ().into_any())
}

fn drawn() -> Option<AnyView> {
    let (model, sibling) = (models::by_id("llama-2-7b")?, models::by_id("llama-3.1-8b")?);
    let gpu = gpus::by_id("a100-80-sxm")?;
    let rows = Cut::ALL.map(|cut| {
        let cells = cut.over(model).map(|run| [weights(&run), saved(&run), sent(&run)].map(size));
        table::texts(cut.name().to_owned(), cells.unwrap_or_default())
    });
    let over = |link: Option<ByteRate>, bytes: Bytes| Some(Duration(bytes.0 as f64 / link?.0).to_string());
    let [tensor, context] = [Cut::Tensor, Cut::Context].map(|cut| cut.over(model).map(|run| sent(&run)));
    let sentence = words::CutsSentence {
        arithmetic: &Duration(arithmetic(model, gpu)?).to_string(),
        tensor: &over(gpu.peer_link, tensor?)?,
        pcie: &over(gpu.host_link, tensor?)?,
        context: &over(gpu.peer_link, context?)?,
        sibling: sibling.name,
        less: &size(sent(&Cut::Context.over(sibling)?)),
    };
    let [tokens, gpus] = [TOKENS, GPUS].map(|n| Grouped(n.into()).to_string());
    let table = Table {
        name: words::cuts_table(),
        class: "one-sequence-table",
        caption: None,
        heads: table::heads([words::cuts_way(), words::cuts_weights(), words::cuts_saved(), words::cuts_sent()]),
        rows: rows.into_iter().collect_view().into_any(),
        note: None,
    };
    let title = words::CutsTitle { model: model.name, tokens: &tokens, gpus: &gpus, gpu: gpu.name }.text();
    Some(
        view! {
            <div class="one-sequence">
                <p class="figure-title">{title}</p>
                {table.open()}
                <p class="summary">{sentence.text()}</p>
                {kept_unit()}
            </div>
        }
        .into_any(),
    )
}
