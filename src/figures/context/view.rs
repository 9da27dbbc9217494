//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::Bucket;
use memory_wall_core::display::Grouped;

use super::model::{Binding, Decade, Model, ROWS, Row, label_x, x};
use crate::charts::wall::percent;
use crate::figures::bound;
use crate::widgets::table::{self, Table};
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The plot: lines and names in percent of its box, curves in a square that is stretched over it.
fn plot() -> AnyView {
    let columns = [(1 << 10, "1k"), (1 << 13, "8k"), (1 << 16, "64k"), (1 << 20, "1M")]
        .map(|(tokens, text)| {
            let x = percent(x(tokens));
            view! {
                <line class="grid" x1=x.clone() x2=x.clone() y1="0" y2="100%"></line>
                <text class="tick-label plot-x" x=x y="100%" dy="18">{text}</text>
            }
        })
        .into_iter()
        .collect_view();
    let rows = Decade::ALL
        .into_iter()
        .map(|decade| {
            let y = live(Binding::DecadeAt(decade));
            view! {
                <line class="grid" x1="0" x2="100%" y1=y.clone() y2=y.clone()></line>
                <text class="tick-label" x="0" dx="-6" y=y>{live(Binding::DecadeLabel(decade))}</text>
            }
        })
        .collect_view();
    let here = live(Binding::Here);
    let [total_x, kv_cache_x] = label_x().map(percent);
    view! {
        <div class="plot-frame">
            <svg class="drawing plot" role="img" aria-label=live(Binding::Sentence)>
                {columns} {rows}
                <line class="plot-weights" x1="0" x2="100%" y1=live(Binding::WeightsAt) y2=live(Binding::WeightsAt)></line>
                <line class="capacity" x1="0" x2="100%" y1=live(Binding::CapacityAt) y2=live(Binding::CapacityAt)></line>
                <line class="plot-here" x1=here.clone() x2=here.clone() y1="0" y2="100%"></line>
                <svg viewBox="0 0 10000 10000" preserveAspectRatio="none" width="100%" height="100%">
                    <polyline class="plot-total" points=live(Binding::TotalPoints)></polyline>
                    <polyline class="plot-kv_cache" points=live(Binding::KvCachePoints)></polyline>
                </svg>
                <g data-empty=live(Binding::NoCache) class="layer">
                    <circle class="plot-dot-kv_cache" cx=here.clone() cy=live(Binding::KvCacheAt) r="5"></circle>
                    <text class="plot-name name-kv_cache" x=kv_cache_x y=live(Binding::KvCacheLabelAt) dx="10" dy="12">
                        {words::bucket(memory_wall_core::Bucket::KvCache)}
                    </text>
                </g>
                <circle class="plot-dot-total" cx=here cy=live(Binding::TotalAt) r="5"></circle>
                <text class="plot-name name-total" x=total_x y=live(Binding::TotalLabelAt) dx="-8" dy="-10">{words::context_total()}</text>
                <text class="plot-name name-weights" x="100%" y=live(Binding::WeightsAt) dy="14">{words::bucket(memory_wall_core::Bucket::Weights)}</text>
                <text class="plot-name name-capacity" x="8" y=live(Binding::CapacityAt) dy="-9">{live(Binding::CapacityLabel)}</text>
                <text class="axis-title" x="0" dx="-60" y="0" dy="-14">{words::context_y()}</text>
                <text class="axis-title plot-x-title" x="100%" y="100%" dy="38">{words::context_x()}</text>
            </svg>
        </div>
    }
    .into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let rows = Row::ALL
        .into_iter()
        .zip(ROWS)
        .map(|(row, tokens)| {
            let of = |binding: fn(Row) -> Binding| live(binding(row));
            view! {
                <tr data-verdict=of(Binding::Verdict)>
                    <th scope="row">{Grouped(tokens.into()).to_string()}</th>
                    <td>{of(Binding::KvCache)}</td>
                    <td>{of(Binding::Total)}</td>
                    <td>{of(Binding::Fits)}</td>
                </tr>
            }
        })
        .collect_view();
    let table = Table {
        name: words::context_table(),
        class: "context-table",
        caption: None,
        heads: table::heads([
            words::context_table_seq(),
            words::bucket(Bucket::KvCache),
            words::table_total(),
            words::context_table_fits(),
        ]),
        rows: rows.into_any(),
        note: None,
    };
    view! {
        <div class="context-plot">
            <p class="figure-title">{words::context_title()}</p>
            {plot()}
            <p class="summary">{live(Binding::Sentence)}</p>
            {table.folded()}
        </div>
    }
    .into_any()
}
