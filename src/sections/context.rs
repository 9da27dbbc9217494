//! The same question for every context length: a plot, a sentence and a table.

use leptos::prelude::*;
use memory_wall_core::display::Grouped;

use super::masonry::live;
use crate::charts::context::{Chart, DECADES, ROWS};
use crate::charts::wall::percent;
use crate::live::bucket_name;
use crate::widgets::table::{self, Table};
use crate::words::t;

/// The plot: lines and names in percent of its box, curves in a square that is stretched over it.
fn plot() -> AnyView {
    let columns = [(1 << 10, "1k"), (1 << 13, "8k"), (1 << 16, "64k"), (1 << 20, "1M")]
        .map(|(tokens, text)| {
            let x = percent(Chart::x(tokens));
            view! {
                <line class="grid" x1=x.clone() x2=x.clone() y1="0" y2="100%"></line>
                <text class="tick-label plot-x" x=x y="100%" dy="18">{text}</text>
            }
        })
        .into_iter()
        .collect_view();
    let rows = (0..DECADES)
        .map(|place| {
            let y = live(&format!("plot.decade.{place}.y"));
            view! {
                <line class="grid" x1="0" x2="100%" y1=y.clone() y2=y.clone()></line>
                <text class="tick-label" x="0" dx="-6" y=y>{live(&format!("plot.decade.{place}.label"))}</text>
            }
        })
        .collect_view();
    let height = |name: &str| live(&format!("plot.y.{name}"));
    let here = live("plot.x.here");
    view! {
        <div class="plot-frame">
            <svg class="plot" role="img" aria-label=live("context_sentence")>
                {columns} {rows}
                <line class="plot-weights" x1="0" x2="100%" y1=height("weights") y2=height("weights")></line>
                <line class="capacity" x1="0" x2="100%" y1=height("capacity") y2=height("capacity")></line>
                <line class="plot-here" x1=here.clone() x2=here.clone() y1="0" y2="100%"></line>
                <svg viewBox="0 0 10000 10000" preserveAspectRatio="none" width="100%" height="100%">
                    <polyline class="plot-total" points=live("plot.points.total")></polyline>
                    <polyline class="plot-kv_cache" points=live("plot.points.kv_cache")></polyline>
                </svg>
                <g data-empty="{{flag empty.kv_cache}}" class="layer">
                    <circle class="plot-dot-kv_cache" cx=here.clone() cy=height("kv_cache") r="5"></circle>
                    <text class="plot-name name-kv_cache" x=percent(Chart::label_x("kv_cache")) y=height("kv_cache_label") dx="10" dy="12">
                        {bucket_name(memory_wall_core::Bucket::KvCache)}
                    </text>
                </g>
                <circle class="plot-dot-total" cx=here cy=height("total") r="5"></circle>
                <text class="plot-name name-total" x=percent(Chart::label_x("total")) y=height("total_label") dx="-8" dy="-10">{t("context.total")}</text>
                <text class="plot-name name-weights" x="100%" y=height("weights") dy="14">{bucket_name(memory_wall_core::Bucket::Weights)}</text>
                <text class="plot-name name-capacity" x="8" y=height("capacity") dy="-9">{live("line_label")}</text>
                <text class="axis-title" x="0" dx="-60" y="0" dy="-14">{t("context.y")}</text>
                <text class="axis-title plot-x-title" x="100%" y="100%" dy="38">{t("context.x")}</text>
            </svg>
        </div>
    }
    .into_any()
}

/// Memory against context length.
pub fn context() -> AnyView {
    let rows = ROWS
        .iter()
        .enumerate()
        .map(|(place, tokens)| {
            let of = |what: &str| live(&format!("context.{place}.{what}"));
            view! {
                <tr data-verdict=of("verdict")>
                    <th scope="row">{Grouped((*tokens).into()).to_string()}</th>
                    <td>{of("kv_cache")}</td>
                    <td>{of("total")}</td>
                    <td>{of("fits")}</td>
                </tr>
            }
        })
        .collect_view();
    let table = Table {
        name: t("context.table"),
        class: "context-table",
        caption: None,
        heads: table::heads(&["context.table.seq", "bucket.kv_cache", "table.total", "context.table.fits"]),
        rows: rows.into_any(),
        note: None,
    };
    view! {
        <div class="context-plot">
            <p class="figure-title">{t("context.title")}</p>
            {plot()}
            <p class="summary">{live("context_sentence")}</p>
            {table.folded()}
        </div>
    }
    .into_any()
}
