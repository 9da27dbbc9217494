//! Section 5: the price of context. Kinds of attention on one scale, and what is set aside beside what is used.

use leptos::prelude::*;
use memory_wall_core::architecture::Projection;
use memory_wall_core::display::{Grouped, Percent};
use memory_wall_core::memory::kinds::Kind;
use memory_wall_core::memory::paging::EXAMPLE;

use super::levers::lever;
use super::masonry::live;
use crate::charts::kv_cache::{DECADES, FORMATS, PROGRAMS, YOURS, x};
use crate::charts::vllm_pool::SHARES;
use crate::charts::wall::percent;
use crate::widgets::table::{self, Table};
use crate::words::{self, fill, fill_with, t};

/// Height of one row in the drawing, and of what stands above the first, in pixels.
const ROW: usize = 46;
const TOP: usize = 34;
/// The rows: the kinds, and the reader's model.
const ROWS: usize = Kind::ALL.len() + 1;

/// The name of a row.
fn name(row: &str) -> String {
    if row == YOURS { live("model") } else { words::choice("cache.kind", row) }
}

fn rows() -> impl Iterator<Item = &'static str> {
    std::iter::once(YOURS).chain(Kind::ALL.iter().map(|kind| kind.id()))
}

/// What the figures in the table stand for, with the shapes of the engine.
fn note() -> String {
    let window = Kind::Sliding.shape().sliding_window.map_or(0, |sliding| sliding.window);
    let [latent, position] = match Kind::Latent.shape().projection {
        Projection::Latent(latent) => [latent.kv_lora_rank, latent.rope_dim],
        Projection::Heads => [0, 0],
    };
    let [window, latent, position] = [window, latent, position].map(|n| Grouped(n.into()).to_string());
    fill("cache.table.note", &[("window", &window), ("latent", &latent), ("position", &position)])
}

/// One kind: its name, its cache in 16 bits in figures, and a mark for each format.
fn strip(place: usize, row: &'static str) -> AnyView {
    let of = |what: &str| live(&format!("cache.{row}.{what}"));
    let at = |format: &str| of(&format!("x.{format}"));
    let top = TOP + ROW * place;
    let line = top + 33;
    view! {
        <g class="cache-row" data-row=row>
            <line class="cache-axis" x1="0" x2="100%" y1=line y2=line></line>
            <line class="cache-span" x1=at("int4") x2=at("bf16") y1=line y2=line></line>
            <circle class="cache-dot" cx=at("bf16") cy=line r="6.5"></circle>
            <circle class="cache-dot" cx=at("int8") cy=line r="5"></circle>
            <circle class="cache-dot" cx=at("int4") cy=line r="3.5"></circle>
            <text class="cache-name" x="0" y=top + 14>{name(row)}</text>
            <text class="cache-size" x="100%" y=top + 14>{of("bf16")}</text>
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
    let room = live("cache.room");
    let strips = rows().enumerate().map(|(place, row)| strip(place, row)).collect_view();
    view! {
        <svg class="cache-kinds" role="img" aria-labelledby="cache-title cache-sentence" height=TOP + ROW * ROWS>
            {grid} <line class="cache-room" x1=room.clone() x2=room y1=TOP y2="100%"></line> {strips}
        </svg>
    }
    .into_any()
}

fn table() -> AnyView {
    let body = rows()
        .map(|row| {
            let of = |what: &str| live(&format!("cache.{row}.{what}"));
            let sizes = FORMATS.map(|format| view! { <td>{of(format.id())}</td> });
            view! {
                <tr data-row=row>
                    <th scope="row">{name(row)}</th>
                    <td>{of("token")}</td>
                    {sizes.into_iter().collect_view()}
                    <td>{of("fits")}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = table::heads(&[
        "cache.table.kind",
        "cache.table.token",
        "cache.table.16",
        "cache.table.8",
        "cache.table.4",
        "cache.table.fits",
    ]);
    Table {
        name: t("cache.table"),
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
    let mark = |class: &'static str, key| {
        view! {
            <span class="cache-mark">
                <i class=class aria-hidden="true"></i>
                {t(key)}
            </span>
        }
    };
    view! {
        <p class="caption cache-marks">
            {mark("mark-16", "cache.bits.16")} {mark("mark-8", "cache.bits.8")} {mark("mark-4", "cache.bits.4")}
        </p>
    }
    .into_any()
}

/// Five kinds of attention and the reader's model, for the reader's tokens.
pub fn kv_cache() -> AnyView {
    view! {
        <div class="cache-figure">
            <p class="figure-title" id="cache-title">{t("cache.title")}</p>
            <p class="caption cache-key">{t("cache.key")} " " <span class="cache-room-key">{live("cache.room_label")}</span></p>
            {key()} {drawing()} <p class="summary cache-sentence" id="cache-sentence">{live("cache.sentence")}</p>
            <div class="cache-formula">{live("terms.first.kv_cache")}</div>
            <div class="cache-levers">{lever("kv-seq")} {lever("kv-batch")}</div>
            {table()}
        </div>
    }
    .into_any()
}

/// Height of a line of memory, and the distance from one to the next, in pixels.
const LINE: usize = 13;
const STEP: usize = 18;

/// A stretch of memory from one token to another, over as many lines as it takes; each line is one slot long.
fn stretch(class: &'static str, from: u64, to: u64) -> AnyView {
    let slot = u64::from(EXAMPLE.longest);
    let pieces = (from / slot..=to.saturating_sub(1) / slot)
        .map(|line| {
            let start = from.max(line * slot) - line * slot;
            let end = to.min((line + 1) * slot) - line * slot;
            let part = |tokens: u64| percent(tokens as f64 / slot as f64 * 100.0);
            // No more lines than there are sequences.
            let y = usize::try_from(line).unwrap_or_default() * STEP;
            let rect = |fill| {
                view! { <rect x=part(start) width=part(end - start) y=y height=LINE fill=fill></rect> }
            };
            view! {
                <g class=class>
                    {rect(None)} {(class == "page-prefix").then(|| rect(Some("url(#masonry-brick)")))}
                    <rect class="page-end" x=part(end) width="1.5" y=y height=LINE></rect>
                </g>
            }
        })
        .collect_view();
    view! { {pieces} }.into_any()
}

/// What is filled of the memory in one way of setting it aside: stretches of common beginnings and of what follows.
fn filled(way: &str) -> AnyView {
    let slot = u64::from(EXAMPLE.longest);
    let prefix = EXAMPLE.prefix();
    let mut at = 0;
    let stretches = EXAMPLE
        .tokens
        .iter()
        .enumerate()
        .map(|(place, tokens)| {
            let tokens = u64::from(*tokens);
            let from = if way == "slots" { place as u64 * slot } else { at };
            let first = if way == "shared" && place > 0 { 0 } else { prefix };
            let own = if way == "slots" {
                tokens - prefix
            } else {
                let page = u64::from(EXAMPLE.page);
                tokens.div_ceil(page) * page - prefix
            };
            at = from + first + own;
            view! {
                {(first > 0).then(|| stretch("page-prefix", from, from + first))}
                {stretch("page-own", from + first, at)}
            }
        })
        .collect_view();
    view! { {stretches} }.into_any()
}

fn way(id: &'static str, set_aside: u64) -> AnyView {
    let slots = EXAMPLE.tokens.len();
    let lines = (0..slots)
        .map(|line| {
            let reserved = if id == "slots" { "page-line page-reserved" } else { "page-line" };
            view! { <rect class=reserved x="0" width="100%" y=line * STEP height=LINE></rect> }
        })
        .collect_view();
    let used = Percent(EXAMPLE.used() as f64 / EXAMPLE.slots() as f64).to_string();
    let share = if id == "slots" {
        fill("cache.way.useful", &[("share", &used)])
    } else {
        let less = Percent(1.0 - set_aside as f64 / EXAMPLE.slots() as f64).to_string();
        fill("cache.way.less", &[("share", &less)])
    };
    view! {
        <div class="way" data-way=id>
            <p class="way-name">{words::choice("cache.way", id)}</p>
            <p class="way-sum">
                <strong>{live(&format!("cache.pages.{id}"))}</strong>
                " · "
                {fill("cache.way.tokens", &[("n", &Grouped(set_aside.into()).to_string())])}
            </p>
            <svg class="pages" height=STEP * slots aria-hidden="true">
                {lines} {filled(id)}
            </svg>
            <p class="way-share">{share}</p>
        </div>
    }
    .into_any()
}

/// Six sequences in three ways of setting memory aside.
pub fn kv_pages() -> AnyView {
    let n = |n: u64| Grouped(n.into()).to_string();
    let values = [
        ("n", n(EXAMPLE.tokens.len() as u64)),
        ("used", n(EXAMPLE.used())),
        ("longest", n(EXAMPLE.longest.into())),
        ("page", n(EXAMPLE.page.into())),
        ("shared", n(EXAMPLE.prefix())),
        ("slots", n(EXAMPLE.slots())),
        ("pages", n(EXAMPLE.pages())),
        ("pages_shared", n(EXAMPLE.shared_pages())),
        ("model", live("model")),
    ];
    let title = fill_with("cache.ways", &values);
    let key = fill_with("cache.ways.key", &values);
    let sentence = fill_with("cache.ways.sentence", &values);
    let programs = PROGRAMS.iter().map(|program| {
        let id = program.id();
        table::row(words::choice("cache.program", id), &format!("cache.{id}"), &["bytes", "times"])
    });
    let programs = Table {
        name: t("cache.programs"),
        class: "program-table",
        caption: None,
        heads: table::heads(&["cache.program", "cache.program.bytes", "cache.program.times"]),
        rows: programs.collect_view().into_any(),
        note: Some(t("cache.programs.note").into()),
    };
    let pools = SHARES.map(|share| {
        let head = Percent(f64::from(share) / 100.0).to_string();
        table::row(head, &format!("cache.vllm.{share}"), &["taken", "bytes", "tokens", "requests"])
    });
    let pools = Table {
        name: t("cache.pool"),
        class: "program-table",
        caption: None,
        heads: table::heads(&[
            "cache.pool.share",
            "cache.pool.taken",
            "cache.pool.bytes",
            "cache.pool.tokens",
            "cache.pool.requests",
        ]),
        rows: pools.into_iter().collect_view().into_any(),
        note: Some(t("cache.pool.note").into()),
    };
    view! {
        <div class="ways-figure">
            <p class="figure-title">{title}</p>
            <p class="caption">{key}</p>
            <div class="ways" role="img" aria-labelledby="cache-ways-sentence">
                {way("slots", EXAMPLE.slots())} {way("pages", EXAMPLE.pages())} {way("shared", EXAMPLE.shared_pages())}
            </div>
            <p class="summary" id="cache-ways-sentence">{sentence}</p>
            <p class="summary">{live("cache.vllm.sentence")}</p>
            {pools.folded()}
            {programs.folded()}
        </div>
    }
    .into_any()
}
