//! How the figure is drawn, once, when the page is built. Nothing in it follows the reader's settings.

use leptos::prelude::*;
use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::{Architecture, Bytes};

use crate::charts::wall::percent;
use crate::sections::masonry::kept_unit;
use crate::widgets::table::{self, Table};
use crate::words;

/// Bytes of a value in bf16.
const EACH: u64 = 2;

/// A step of the layer.
pub(super) struct Step {
    name: fn() -> &'static str,
    /// Rows and columns of its matrix, or the width of its vector and 1; nothing without weights.
    pub(super) weights: Option<[u64; 2]>,
    /// Values that come out for one token.
    result: u64,
    /// Whether they are stored in the KV cache.
    pub(super) stored: bool,
}

impl Step {
    pub(super) fn parameters(&self) -> u64 {
        self.weights.map_or(0, |[rows, columns]| rows * columns)
    }
}

pub(super) fn model() -> Option<&'static Model> {
    models::by_id("llama-2-7b")
}

/// The steps of a layer with a gated MLP, in order.
pub(super) fn steps(shape: &Architecture) -> [Step; 10] {
    let [hidden, inner] = [shape.hidden_size, shape.intermediate_size].map(u64::from);
    let [queries, keys] = [shape.heads, shape.kv_heads].map(|heads| u64::from(heads) * u64::from(shape.head_dim));
    let step = |name, weights, result| Step { name, weights, result, stored: false };
    let stored = |name| Step { stored: true, ..step(name, Some([hidden, keys]), keys) };
    let norm = || step(words::layer_step_norm, Some([hidden, 1]), hidden);
    [
        norm(),
        step(words::layer_step_queries, Some([hidden, queries]), queries),
        stored(words::layer_step_keys),
        stored(words::layer_step_values),
        step(words::layer_step_attention, None, queries),
        step(words::layer_step_output, Some([queries, hidden]), hidden),
        norm(),
        step(words::layer_step_gate, Some([hidden, inner]), inner),
        step(words::layer_step_up, Some([hidden, inner]), inner),
        step(words::layer_step_down, Some([inner, hidden]), hidden),
    ]
}

fn size(values: u64) -> String {
    Size::new(Bytes((values * EACH).into()), ByteUnit::Gb).to_string()
}

fn shaped(shape: [u64; 2]) -> String {
    let [rows, columns] = shape.map(|n| Grouped(n.into()).to_string());
    if shape[1] == 1 { rows } else { format!("{rows} × {columns}") }
}

/// The figure.
pub fn view() -> AnyView {
    let Some(model) = model() else { return ().into_any() };
    let steps = steps(&model.architecture);
    let largest = steps.iter().map(Step::parameters).max().unwrap_or(1) as f64;
    let row = |step: &Step| {
        let bar = step.parameters() as f64 / largest * 100.0;
        let weights = step.weights.map(|shape| {
            view! {
                {shaped(shape)}
                " "
                <b>{size(step.parameters())}</b>
                <svg class="drawing" aria-hidden="true">
                    <rect width=percent(bar) height="100%"></rect>
                </svg>
            }
        });
        view! {
            <tr data-stored=step.stored.then_some("")>
                <th scope="row">{(step.name)()}</th>
                <td>{weights}</td>
                <td>
                    {Grouped(step.result.into()).to_string()} " " <b>{size(step.result)}</b>
                    {step.stored.then(|| view! { " " <strong>{words::layer_stored()}</strong> })}
                </td>
            </tr>
        }
    };
    let rows = steps.iter().map(row).collect_view();
    let parameters: u64 = steps.iter().map(Step::parameters).sum();
    let kept: u64 = steps.iter().filter(|step| step.stored).map(|step| step.result).sum();
    let layers = model.architecture.layers.to_string();
    let weights = size(parameters);
    let all = size(parameters * u64::from(model.architecture.layers));
    let kept = size(kept);

    let table = Table {
        name: words::layer_table(),
        class: "layer-steps",
        caption: None,
        heads: table::heads([words::layer_head_step(), words::layer_head_weights(), words::layer_head_result()]),
        rows: rows.into_any(),
        note: None,
    };
    let sentence = words::LayerSentence { weights: &weights, layers: &layers, all: &all, kept: &kept }.text();
    view! {
        <div class="one-layer">
            <p class="figure-title">{words::LayerTitle { model: model.name }.text()}</p>
            {table.open()}
            <p class="summary">{sentence}</p>
            {kept_unit()}
        </div>
    }
    .into_any()
}
