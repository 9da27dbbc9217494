//! One layer as three kernels, as two and as one: each a round trip between the card's memory and its chip.

use leptos::prelude::*;
use memory_wall_core::fusion::{Fusion, Kernel};

use super::masonry::live;
use crate::widgets::table::{self, Table};
use crate::words::{self, fill_with, t};

/// Height of one kernel in the drawing, and of the line above the first, in pixels.
const ROW: usize = 60;
const TOP: usize = 4;

/// A kernel: what it reads leaves memory on the left, what it writes comes back.
fn trip(kernel: Kernel, place: usize) -> AnyView {
    let id = kernel.id();
    let of = |what: &str| live(&format!("trip.{id}.{what}"));
    let top = TOP + ROW * place;
    let (there, back) = (top + 27, top + 43);
    view! {
        <text class="trip-name" x="9" y=top + 10>{words::choice("kernel", id)}</text>
        <rect class="trip-read" x="0" y=there - 4 width=of("read_bar") height="8"></rect>
        <svg x=of("read_bar") y=there overflow="visible">
            <path class="trip-read" d="M0 -6.5L8 0L0 6.5Z"></path>
            <text class="trip-size" x="14" y="0">{of("read")}</text>
        </svg>
        <path class="trip-written" d=format!("M9 {}L1 {back}L9 {}Z", back as f64 - 6.5, back as f64 + 6.5)></path>
        <rect class="trip-written" x="8" y=back - 4 width=of("written_bar") height="8"></rect>
        <svg x=of("written_bar") y=back overflow="visible">
            <text class="trip-size" x="14" y="0">{of("written")}</text>
        </svg>
    }
    .into_any()
}

/// One way to cut the layer into kernels.
fn cut(fusion: Fusion) -> AnyView {
    let id = fusion.id();
    let of = |what: &str| live(&format!("trip.{id}.{what}"));
    let kernels = fusion.kernels();
    let trips = kernels.iter().enumerate().map(|(place, kernel)| trip(*kernel, place)).collect_view();
    let height = TOP + ROW * kernels.len();
    view! {
        <div class="cut" data-fusion=id>
            <p class="cut-name">
                {words::choice("fusion", id)}
                {(fusion != Fusion::Separate).then(|| view! { ", " <b>{of("gain")}</b> {t("trip.gain")} })}
            </p>
            <p class="cut-sum">
                <strong>{of("bytes")}</strong>
                " · "
                <strong>{of("time")}</strong>
            </p>
            <svg class="trip" height=height aria-hidden="true">
                {trips} <line class="trip-memory" x1="0" x2="0" y1="0" y2="100%"></line>
            </svg>
        </div>
    }
    .into_any()
}

fn table() -> AnyView {
    let rows = Fusion::ALL
        .iter()
        .map(|fusion| {
            let kernels = fusion.kernels().iter().map(|kernel| {
                let id = kernel.id();
                let of = |what: &str| live(&format!("trip.{id}.{what}"));
                view! {
                    <tr>
                        <th scope="row">{words::choice("kernel", id)}</th>
                        <td>{of("read")}</td>
                        <td>{of("written")}</td>
                        <td>{of("time")}</td>
                    </tr>
                }
            });
            let id = fusion.id();
            let of = |what: &str| live(&format!("trip.{id}.{what}"));
            view! {
                {kernels.collect_view()}
                <tr class="trip-sum">
                    <th scope="row">{words::choice("fusion", id)}</th>
                    <td colspan="2">{of("bytes")}</td>
                    <td>{of("time")}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = table::heads(&["trip.table.kernel", "trip.table.read", "trip.table.written", "trip.table.time"]);
    Table {
        name: t("trip.table"),
        class: "trip-table",
        caption: None,
        heads,
        rows: rows.into_any(),
        note: Some(t("trip.table.note").into()),
    }
    .folded()
}

/// The three cuts side by side, to one scale.
pub fn trips() -> AnyView {
    let sizes = [
        ("tokens", live("trip.tokens")),
        ("inputs", live("trip.inputs")),
        ("outputs", live("trip.outputs")),
        ("model", live("model")),
    ];
    let sums = [
        ("gpu", live("gpu")),
        ("separate", live("trip.separate.bytes")),
        ("separate_time", live("trip.separate.time")),
        ("pointwise", live("trip.pointwise.bytes")),
        ("pointwise_time", live("trip.pointwise.time")),
        ("epilogue", live("trip.epilogue.bytes")),
        ("epilogue_time", live("trip.epilogue.time")),
        ("gain", live("trip.epilogue.gain")),
    ];
    let shape = fill_with("trip.shape", &sizes);
    let sentence = fill_with("trip.sentence", &sums);
    view! {
        <div class="trips">
            <p class="figure-title">{t("trip.title")}</p>
            <p class="caption">{shape}</p>
            <div class="cuts" role="img" aria-labelledby="trip-sentence">
                {Fusion::ALL.iter().map(|fusion| cut(*fusion)).collect_view()}
            </div>
            <p class="caption trip-key">{t("trip.key")}</p>
            <p class="summary" id="trip-sentence">{sentence}</p>
            {table()}
        </div>
    }
    .into_any()
}
