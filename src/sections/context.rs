//! The same question for every context length: a plot, a sentence and a table.

use leptos::prelude::*;
use memory_wall_core::display::Grouped;
use memory_wall_core::{Bytes, Verdict};

use crate::charts::context::{Chart, Row};
use crate::charts::plot::Plot;
use crate::rig::Rig;
use crate::widgets::bind::{text, view};
use crate::words::t;

/// Whether a row fits, in a word.
fn fits(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fits => t("context.table.yes"),
        Verdict::Tight => t("context.table.tight"),
        Verdict::DoesNotFit => t("context.table.no"),
    }
}

/// Memory against context length.
#[component]
pub fn ContextPlot(rig: Rig) -> impl IntoView {
    let chart = Memo::new(move |_| Chart::of(&rig.state().scenario()));
    let unit = Signal::derive(move || rig.state().unit);
    let rows = view(move || {
        chart.with(|chart| {
            let row = |row: &Row| {
                let cache = (row.kv_cache > Bytes::ZERO).then(|| rig.size(row.kv_cache));
                view! {
                    <tr data-verdict=row.verdict.map(Verdict::id)>
                        <th scope="row">{Grouped(row.seq_length.into()).to_string()}</th>
                        <td>{cache.unwrap_or_else(|| "–".into())}</td>
                        <td>{rig.size(row.total)}</td>
                        <td>{row.verdict.map(fits)}</td>
                    </tr>
                }
            };
            chart.rows.iter().map(row).collect_view().into_any()
        })
    });
    view! {
        <div class="context-plot">
            <p class="figure-title">{t("context.title")}</p>
            <Plot chart unit />
            <p class="summary">{text(move || chart.with(Chart::sentence))}</p>
            <details class="plot-table">
                <summary>{t("context.table")}</summary>
                <div class="table-scroll">
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">{t("context.table.seq")}</th>
                                <th scope="col">{t("bucket.kv_cache")}</th>
                                <th scope="col">{t("table.total")}</th>
                                <th scope="col">{t("context.table.fits")}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </details>
        </div>
    }
}
