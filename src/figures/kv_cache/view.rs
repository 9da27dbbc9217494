//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::Bucket;
use memory_wall_core::architecture::Projection;
use memory_wall_core::display::Grouped;
use memory_wall_core::memory::kinds::Kind;

use super::model::{Binding, DECADES, Model, Row, x};
use crate::charts::wall::percent;
use crate::components::group;
use crate::figures::{bound, buckets, rig};
use crate::widgets::table::{self, Table};
use crate::words;

/// Height of one row in the drawing, and of what stands above the first, in pixels.
const ROW: usize = 46;
const TOP: usize = 34;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The name of a row.
fn name(row: Row) -> String {
    match row {
        Row::Yours => bound::<rig::Model>(rig::Binding::Model),
        Row::Kind(kind) => words::cache_kind(kind).into(),
    }
}

/// What the figures in the table stand for, with the shapes of the engine.
fn note() -> String {
    let window = Kind::Sliding.shape().sliding_window.map_or(0, |sliding| sliding.window);
    let [latent, position] = match Kind::Latent.shape().projection {
        Projection::Latent(latent) => [latent.kv_lora_rank, latent.rope_dim],
        Projection::Heads => [0, 0],
    };
    let [window, latent, position] = [window, latent, position].map(|n| Grouped(n.into()).to_string());
    words::CacheTableNote { window: &window, latent: &latent, position: &position }.text()
}

/// One kind: its name, its cache in 16 bits in figures, and a mark for each format.
fn strip(place: usize, row: Row) -> AnyView {
    let of = |binding: fn(Row) -> Binding| live(binding(row));
    let top = TOP + ROW * place;
    let line = top + 33;
    view! {
        <g class="cache-row" data-row=row.id()>
            <line class="cache-axis" x1="0" x2="100%" y1=line y2=line></line>
            <line class="cache-span" x1=of(Binding::AtInt4) x2=of(Binding::AtBf16) y1=line y2=line></line>
            <circle class="cache-dot" cx=of(Binding::AtBf16) cy=line r="6.5"></circle>
            <circle class="cache-dot" cx=of(Binding::AtInt8) cy=line r="5"></circle>
            <circle class="cache-dot" cx=of(Binding::AtInt4) cy=line r="3.5"></circle>
            <text class="cache-name" x="0" y=top + 14>{name(row)}</text>
            <text class="cache-size" x="100%" y=top + 14>{of(Binding::Bf16)}</text>
        </g>
    }
    .into_any()
}

fn drawing() -> AnyView {
    let labels = ["1 MB", "10 MB", "100 MB", "1 GB", "10 GB", "100 GB", "1 TB", "10 TB"];
    let grid = (DECADES.0..=DECADES.1)
        .zip(labels)
        .enumerate()
        .map(|(place, (power, label))| {
            let at = percent(x(libm::pow(10.0, power.into())));
            let class = match place {
                0 => "cache-tick cache-tick-first",
                7 => "cache-tick cache-tick-last",
                // Left out where there is little room.
                1 | 3 | 5 | 6 => "cache-tick cache-tick-odd",
                _ => "cache-tick",
            };
            view! {
                <line class="grid" x1=at.clone() x2=at.clone() y1=TOP y2="100%"></line>
                <text class=class x=at y=TOP - 10>
                    {label}
                </text>
            }
        })
        .collect_view();
    let room = live(Binding::Room);
    let strips = Row::ALL.into_iter().enumerate().map(|(place, row)| strip(place, row)).collect_view();
    view! {
        <svg class="drawing cache-kinds" role="img" aria-labelledby="cache-title cache-sentence" height=TOP + ROW * Row::ALL.len()>
            {grid} <line class="cache-room" x1=room.clone() x2=room y1=TOP y2="100%"></line> {strips}
        </svg>
    }
    .into_any()
}

fn table() -> AnyView {
    let body = Row::ALL
        .into_iter()
        .map(|row| {
            let of = |binding: fn(Row) -> Binding| live(binding(row));
            let sizes = [Binding::Bf16, Binding::Int8, Binding::Int4].map(|format| view! { <td>{of(format)}</td> });
            view! {
                <tr data-row=row.id()>
                    <th scope="row">{name(row)}</th>
                    <td>{of(Binding::Token)}</td>
                    {sizes.into_iter().collect_view()}
                    <td>{of(Binding::Fits)}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = table::heads([
        words::cache_table_kind(),
        words::cache_table_token(),
        words::cache_table_16(),
        words::cache_table_8(),
        words::cache_table_4(),
        words::cache_table_fits(),
    ]);
    Table {
        name: words::cache_table(),
        class: "cache-table",
        caption: None,
        heads,
        rows: body.into_any(),
        note: Some(note()),
    }
    .folded()
}

/// What the sizes of the marks mean.
fn key() -> AnyView {
    let mark = |class: &'static str, said: &'static str| {
        view! {
            <span class="cache-mark">
                <i class=class aria-hidden="true"></i>
                {said}
            </span>
        }
    };
    view! {
        <p class="caption cache-marks">
            {mark("mark-16", words::cache_bits_16())} {mark("mark-8", words::cache_bits_8())} {mark("mark-4", words::cache_bits_4())}
        </p>
    }
    .into_any()
}

/// Five kinds of attention and the reader's model, for the reader's tokens.
pub fn view() -> AnyView {
    view! {
        <div class="cache-figure">
            <p class="figure-title" id="cache-title">{words::cache_title()}</p>
            <p class="caption cache-key">{words::cache_key()} " " <span class="cache-room-key">{live(Binding::RoomLabel)}</span></p>
            {key()} {drawing()} <p class="summary cache-sentence" id="cache-sentence">{live(Binding::Sentence)}</p>
            <div class="cache-formula">{bound::<buckets::Model>(buckets::Binding::First(Bucket::KvCache))}</div>
            {group("kv_cache", "cache-levers")}
            {table()}
        </div>
    }
    .into_any()
}
