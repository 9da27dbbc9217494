//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::fusion::{Fusion, Kernel};

use super::model::{Binding, Model};
use crate::figures::{bound, rig};
use crate::widgets::table::{self, Table};
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// Height of one kernel in the drawing, and of the line above the first, in pixels.
const ROW: usize = 60;
const TOP: usize = 4;

/// A kernel: what it reads leaves memory on the left, what it writes comes back.
fn trip(kernel: Kernel, place: usize) -> AnyView {
    let of = |binding: fn(Kernel) -> Binding| live(binding(kernel));
    let top = TOP + ROW * place;
    let (there, back) = (top + 27, top + 43);
    view! {
        <text class="trip-name" x="9" y=top + 10>{words::kernel(kernel)}</text>
        <rect class="trip-read" x="0" y=there - 4 width=of(Binding::ReadBar) height="8"></rect>
        <svg x=of(Binding::ReadBar) y=there overflow="visible">
            <path class="trip-read" d="M0 -6.5L8 0L0 6.5Z"></path>
            <text class="trip-size" x="14" y="0">{of(Binding::Read)}</text>
        </svg>
        <path class="trip-written" d=format!("M9 {}L1 {back}L9 {}Z", back as f64 - 6.5, back as f64 + 6.5)></path>
        <rect class="trip-written" x="8" y=back - 4 width=of(Binding::WrittenBar) height="8"></rect>
        <svg x=of(Binding::WrittenBar) y=back overflow="visible">
            <text class="trip-size" x="14" y="0">{of(Binding::Written)}</text>
        </svg>
    }
    .into_any()
}

/// One way to cut the layer into kernels.
fn cut(fusion: Fusion) -> AnyView {
    let id = fusion.id();
    let of = |binding: fn(Fusion) -> Binding| live(binding(fusion));
    let kernels = fusion.kernels();
    let trips = kernels.iter().enumerate().map(|(place, kernel)| trip(*kernel, place)).collect_view();
    let height = TOP + ROW * kernels.len();
    view! {
        <div class="cut" data-fusion=id>
            <p class="cut-name">
                {words::fusion(fusion)}
                {(fusion != Fusion::Separate).then(|| view! { ", " <b>{of(Binding::Gain)}</b> {words::trip_gain()} })}
            </p>
            <p class="cut-sum">
                <strong>{of(Binding::Bytes)}</strong>
                " · "
                <strong>{of(Binding::Time)}</strong>
            </p>
            <svg class="drawing trip" height=height aria-hidden="true">
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
                let of = |binding: fn(Kernel) -> Binding| live(binding(*kernel));
                view! {
                    <tr>
                        <th scope="row">{words::kernel(*kernel)}</th>
                        <td>{of(Binding::Read)}</td>
                        <td>{of(Binding::Written)}</td>
                        <td>{of(Binding::KernelTime)}</td>
                    </tr>
                }
            });
            let of = |binding: fn(Fusion) -> Binding| live(binding(*fusion));
            view! {
                {kernels.collect_view()}
                <tr class="trip-sum">
                    <th scope="row">{words::fusion(*fusion)}</th>
                    <td colspan="2">{of(Binding::Bytes)}</td>
                    <td>{of(Binding::Time)}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = table::heads([
        words::trip_table_kernel(),
        words::trip_table_read(),
        words::trip_table_written(),
        words::trip_table_time(),
    ]);
    Table {
        name: words::trip_table(),
        class: "trip-table",
        caption: None,
        heads,
        rows: rows.into_any(),
        note: Some(words::trip_table_note().into()),
    }
    .folded()
}

/// The figure: the three cuts side by side, to one scale.
pub fn view() -> AnyView {
    let shape = words::TripShape {
        tokens: &live(Binding::Tokens),
        inputs: &live(Binding::Inputs),
        outputs: &live(Binding::Outputs),
        model: &bound::<rig::Model>(rig::Binding::Model),
    }
    .text();
    let sentence = words::TripSentence {
        gpu: &bound::<rig::Model>(rig::Binding::Gpu),
        separate: &live(Binding::Bytes(Fusion::Separate)),
        separate_time: &live(Binding::Time(Fusion::Separate)),
        pointwise: &live(Binding::Bytes(Fusion::Pointwise)),
        pointwise_time: &live(Binding::Time(Fusion::Pointwise)),
        epilogue: &live(Binding::Bytes(Fusion::Epilogue)),
        epilogue_time: &live(Binding::Time(Fusion::Epilogue)),
        gain: &live(Binding::Gain(Fusion::Epilogue)),
    }
    .text();
    view! {
        <div class="trips">
            <p class="figure-title">{words::trip_title()}</p>
            <p class="caption">{shape}</p>
            <div class="cuts" role="img" aria-labelledby="trip-sentence">
                {Fusion::ALL.iter().map(|fusion| cut(*fusion)).collect_view()}
            </div>
            <p class="caption trip-key">{words::trip_key()}</p>
            <p class="summary" id="trip-sentence">{sentence}</p>
            {table()}
        </div>
    }
    .into_any()
}
