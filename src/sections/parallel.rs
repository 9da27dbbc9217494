//! Section 8: one training step over many cards. A bar for what each card holds, one a way to cut the step, and what it sends.

use leptos::prelude::*;
use memory_wall_core::display::Percent;
use memory_wall_core::schemes::Scheme;
use memory_wall_core::{Bucket, cost};

use super::levers::row;
use super::masonry::{flag, live, pattern};
use crate::live::bucket_name;
use crate::state::cluster::Cards;
use crate::widgets::choice::plain;
use crate::widgets::table::{self, Table};
use crate::words::{self, fill, t};

/// Height of one way in the drawing, and of what stands above the first, in pixels.
const ROW: usize = 70;
const TOP: usize = 24;

/// What a card holds in training, in the order of the bar.
const PARTS: [Bucket; 6] =
    [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer, Bucket::Activations, Bucket::Logits, Bucket::Overhead];

/// One part: a coloured ground under its masonry.
fn part(bucket: Bucket, [x, y, width, height]: [String; 4]) -> AnyView {
    view! {
        <g class=format!("course course-{}", bucket.id())>
            <rect class="ground" x=x.clone() y=y.clone() width=width.clone() height=height.clone()></rect>
            <rect x=x y=y width=width height=height fill=format!("url(#masonry-{})", pattern(bucket))></rect>
        </g>
    }
    .into_any()
}

fn name(scheme: Scheme) -> String {
    words::choice("parallel.name", scheme.id())
}

fn drawing() -> AnyView {
    let rows = Scheme::ALL
        .iter()
        .enumerate()
        .map(|(place, scheme)| {
            let id = scheme.id();
            let of = |what: &str| live(&format!("parallel.{id}.{what}"));
            let flag = |what: &str| flag(&format!("parallel.{id}.{what}"));
            let top = TOP + ROW * place;
            let parts = PARTS
                .map(|bucket| {
                    let [x, width] = ["x", "w"].map(|what| of(&format!("{what}.{}", bucket.id())));
                    part(bucket, [x, (top + 24).to_string(), width, "18".into()])
                })
                .into_iter()
                .collect_view();
            view! {
                <g class="way" data-way=id data-over=flag("over") data-illegal=flag("illegal")>
                    <text class="way-name" x="0" y=top + 13>{name(*scheme)}</text>
                    <text class="way-total" x="100%" y=top + 13>{of("total")}</text>
                    {parts}
                    <text class="way-sent" x="0" y=top + 56>{of("sends")}</text>
                    <text class="way-time" x="100%" y=top + 56>{of("time")}</text>
                </g>
            }
        })
        .collect_view();
    let line = live("parallel.line");
    view! {
        <svg class="ways" role="img" aria-labelledby="ways-title ways-sentence" height=TOP + ROW * Scheme::ALL.len()>
            {rows} <line class="capacity" x1=line.clone() x2=line.clone() y1="14" y2="100%"></line>
            <text class="ways-line" x=line y="5" dx="-6">{live("line_label")}</text>
        </svg>
    }
    .into_any()
}

/// Which part is which.
fn key() -> AnyView {
    let entries = PARTS
        .map(|bucket| {
            let place = ["0", "0", "100%", "100%"].map(Into::into);
            view! {
                <li>
                    <svg width="18" height="12" aria-hidden="true">{part(bucket, place)}</svg>
                    {bucket_name(bucket)}
                </li>
            }
        })
        .into_iter()
        .collect_view();
    view! { <ul class="ways-key" role="list">{entries}</ul> }.into_any()
}

fn table() -> AnyView {
    let cells = ["states", "less", "total", "sent", "links", "idle"];
    let rows = Scheme::ALL.iter().map(|scheme| {
        let id = scheme.id();
        table::row(name(*scheme), &format!("parallel.{id}"), &cells)
    });
    let heads = ["way"].iter().chain(&cells).map(|id| words::choice("parallel.head", id));
    Table {
        name: t("parallel.table"),
        class: "ways-table",
        caption: Some(t("parallel.caption")),
        heads: heads.collect(),
        rows: rows.collect_view().into_any(),
        note: None,
    }
    .folded()
}

/// The figure.
pub fn parallel() -> AnyView {
    let cards = Cards::ALL.iter().map(|cards| plain(cards.id(), cards.id())).collect();
    view! {
        <div class="parallel">
            <p class="figure-title" id="ways-title">{t("parallel.title")} " " {live("model")}</p>
            {row("cards", t("control.cards"), cards)} {drawing()} {key()}
            <p class="summary" id="ways-sentence">{live("parallel.sentence")}</p>
            <p class="caption">
                {fill("parallel.note", &[("share", &Percent(cost::COMPUTE_EFFICIENCY).to_string())])}
            </p>
            {table()}
        </div>
    }
    .into_any()
}
