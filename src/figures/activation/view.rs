//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::Bucket;

use super::model::{Binding, LONGEST, Model, Row};
use crate::charts::wall::percent;
use crate::components::group;
use crate::figures::bound;
use crate::widgets::table::{self, Table};
use crate::words;

/// The textbook's constant, in multiples of `hidden_size`.
const TEXTBOOK: f64 = 34.0;

/// Height of a row, and of what stands above the first, in pixels.
const ROW: usize = 42;
const HEAD: usize = 24;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The figure.
pub fn view() -> AnyView {
    let rows = Row::ALL
        .into_iter()
        .enumerate()
        .map(|(place, row)| {
            let of = |binding: fn(Row) -> Binding| live(binding(row));
            let top = HEAD + ROW * place;
            let kind = if row == Row::Logits { Bucket::Logits } else { Bucket::Activations };
            let scores = (row == Row::Eager).then(|| {
                view! { <rect class="kept-scores" x=of(Binding::Bar) width=of(Binding::Scores) y=top + 21 height="12"></rect> }
            });
            view! {
                <g class=format!("kept segment-{}", kind.id()) data-cut=of(Binding::Cut)>
                    <text class="kept-name" x="0" y=top + 9>{words::activation_row(row)}</text>
                    <text class="kept-size kept-each" x="100%" dx="-68" y=top + 9>{of(Binding::Each)}</text>
                    <text class="kept-size" x="100%" y=top + 9>{of(Binding::Total)}</text>
                    <rect class="ground" x="0" width=of(Binding::Bar) y=top + 21 height="12"></rect>
                    {scores} <text class="kept-cut" x="100%" dx="-4" y=top + 27>"→"</text>
                </g>
            }
        })
        .collect_view();
    let mark = percent(TEXTBOOK / LONGEST * 100.0);
    let cells = Row::ALL
        .into_iter()
        .map(|row| {
            let of = |binding: fn(Row) -> Binding| live(binding(row));
            view! {
                <tr>
                    <th scope="row">{words::activation_row(row)}</th>
                    <td>{of(Binding::Each)}</td>
                    <td>{of(Binding::Total)}</td>
                    <td>{words::activation_row_about(row)}</td>
                </tr>
            }
        })
        .collect_view();
    let [least, stock, eager, loss] =
        [Row::Full, Row::Transformers, Row::Eager, Row::Logits].map(|row| live(Binding::Total(row)));
    let sentence = words::TrainKeptSentence { least: least.as_str(), stock: &stock, eager: &eager, loss: &loss }.text();
    let heads = [
        words::train_kept_table_code(),
        words::train_kept_table_each(),
        words::train_kept_table_total(),
        words::train_kept_table_about(),
    ];
    let table = Table {
        name: words::train_kept_table(),
        class: "train-table",
        caption: None,
        heads: table::heads(heads),
        rows: cells.into_any(),
        note: Some(words::train_kept_table_note().into()),
    };
    view! {
        <div class="activation">
            <p class="figure-title" id="kept-title">{words::train_kept_title()}</p>
            <svg class="drawing kept-bars" role="img" aria-labelledby="kept-title kept-sentence" height=HEAD + ROW * Row::ALL.len()>
                <line class="kept-mark" x1=mark.clone() x2=mark.clone() y1=HEAD - 8 y2="100%"></line>
                <text class="axis-title kept-textbook" x=mark y="7">{words::train_kept_mark()}</text>
                {rows}
            </svg>
            {group("activation", "kept-levers")}
            <details class="more">
                <summary>{words::control_more()}</summary>
                {group("activation-more", "kept-levers")}
            </details>
            <p class="summary" id="kept-sentence">{sentence}</p>
            {table.folded()}
        </div>
    }
    .into_any()
}
