//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::Bucket;

use super::model::{Binding, Model, SIDES, WING};
use crate::charts::wall::pattern;
use crate::charts::wall::percent;
use crate::figures::bound;
use crate::widgets::table::{self, Table};
use crate::words;

/// Height of a row, and of what stands above the first, in pixels.
const ROW: usize = 42;
const HEAD: usize = 24;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The figure: generating to the left, training to the right.
pub fn view() -> AnyView {
    let rows = SIDES
        .iter()
        .enumerate()
        .map(|(place, bucket)| {
            let of = |binding: fn(Bucket) -> Binding| live(binding(*bucket));
            let top = HEAD + 14 + ROW * place;
            let bar = |x: String, width: String, of: Bucket| {
                view! {
                    <g class=format!("segment segment-{}", of.id())>
                        <rect class="ground" x=x.clone() width=width.clone() y=top + 20 height="14"></rect>
                        <rect x=x width=width y=top + 20 height="14" fill=format!("url(#masonry-{})", pattern(of))></rect>
                    </g>
                }
            };
            view! {
                <line class="tier-rule" x1="0" x2="100%" y1=top - 4 y2=top - 4></line>
                <text class="side-name" x="50%" y=top + 8>{words::bucket(*bucket)}</text>
                <text x="0" y=top + 8>{of(Binding::Generating)}</text>
                <text class="side-right" x="100%" y=top + 8>{of(Binding::Training)}</text>
                {bar(of(Binding::GeneratingFrom), of(Binding::GeneratingBar), *bucket)}
                {bar(percent(100.0 - WING), of(Binding::TrainingBar), *bucket)}
            }
        })
        .collect_view();
    let cells = SIDES
        .iter()
        .map(|bucket| {
            let id = bucket.id();
            let [infer, learn] = [Binding::Generating, Binding::Training].map(|of| live(of(*bucket)));
            view! {
                <tr>
                    <th scope="row">{words::bucket(*bucket)}</th>
                    <td>{infer}</td>
                    <td>{learn}</td>
                    <td>{words::TRAIN_SIDE.of(id)}</td>
                </tr>
            }
        })
        .collect_view();
    let [infer, learn] = [Binding::GeneratingTotal, Binding::TrainingTotal].map(live);
    let sentence = words::TrainSidesSentence { infer: &infer, train: &learn }.text();
    let heads = [
        words::train_sides_part(),
        words::train_sides_inference(),
        words::train_sides_training(),
        words::train_sides_why(),
    ];
    let table = Table {
        name: words::train_sides_table(),
        class: "train-table",
        caption: None,
        heads: table::heads(heads),
        rows: cells.into_any(),
        note: None,
    };
    view! {
        <div class="sides">
            <p class="figure-title" id="sides-title">{words::train_sides_title()}</p>
            <svg class="drawing side-bars" role="img" aria-labelledby="sides-title sides-sentence" height=HEAD + 14 + ROW * SIDES.len()>
                <text x="0" y="9"><tspan class="side-mode">{words::train_sides_inference()}</tspan> <tspan dx="5">{infer}</tspan></text>
                <text class="side-right" x="100%" y="9"><tspan class="side-mode">{words::train_sides_training()}</tspan> <tspan dx="5">{learn}</tspan></text>
                {rows}
            </svg>
            <p class="summary" id="sides-sentence">{sentence}</p>
            {table.folded()}
        </div>
    }
    .into_any()
}
