//! Section 9: the table from 7 to 700 billion parameters. Each row is a lane from what division says to what is needed, and opens into its reasons.

use leptos::prelude::*;
use memory_wall_core::display::{Grouped, Percent};
use memory_wall_core::scaling::{MFU, NODE, Purpose, REQUESTS, Size, TOKENS_PER_PARAMETER};

use super::levers::{cards, formats, list, row};
use super::masonry::{flag, live};
use crate::charts::scaling::{DECADES, at};
use crate::widgets::choice::worded;
use crate::widgets::table::{self, Table};
use crate::words::{self, fill, t};

/// Numbers of cards that the scale marks.
fn decades() -> impl Iterator<Item = u64> {
    (0..=DECADES).map(|power| 10u64.pow(power))
}

/// From division to what is needed, on a logarithmic scale.
fn lane(size: Size) -> AnyView {
    let of = |what: &str| live(&format!("scaling.{}.{what}", size.id()));
    let grid = decades()
        .map(|cards| view! { <line class="grid" x1=at(cards) x2=at(cards) y1="0" y2="100%"></line> })
        .collect_view();
    view! {
        <svg class="lane" role="img" aria-label=of("sentence") height="22">
            {grid} <line class="lane-base" x1="0" x2="100%" y1="11" y2="11"></line>
            <line class="lane-excess" x1=of("from") x2=of("to") y1="11" y2="11"></line>
            <circle class="lane-needed" cx=of("to") cy="11" r="5"></circle>
            <circle class="lane-printed" cx=of("from") cy="11" r="7"></circle>
        </svg>
    }
    .into_any()
}

/// Why more than division, one line a reason with the number of cards that it leaves.
fn reasons(size: Size) -> AnyView {
    let id = size.id();
    let of = |what: &str| live(&format!("scaling.{id}.{what}"));
    let shape = size.architecture();
    let line = |hidden: Option<String>, text: String, cards: &str| {
        view! {
            <li hidden=hidden>
                <span>{text}</span>
                <b>{of(cards)}</b>
            </li>
        }
        .into_any()
    };
    let [bytes, added, tp, groups, trained_on] = ["bytes", "added", "tp", "groups", "trained_on"].map(of);
    let [low, high] = MFU.map(|share| Percent(share).to_string());
    let each = TOKENS_PER_PARAMETER.to_string();
    let (printed, real, usable) = (live("printed_capacity"), live("scaling.real"), live("scaling.usable"));
    let [requests, node, heads, layers] =
        [REQUESTS, NODE, shape.map_or(0, |shape| shape.heads), shape.map_or(0, |shape| shape.layers)]
            .map(|n| n.to_string());
    let tokens = Grouped(size.tokens().into()).to_string();
    let values = [
        ("bytes", bytes.as_str()),
        ("printed", &printed),
        ("real", &real),
        ("usable", &usable),
        ("added", &added),
        ("requests", &requests),
        ("tokens", &tokens),
        ("heads", &heads),
        ("layers", &layers),
        ("tp", &tp),
        ("groups", &groups),
        ("node", &node),
        ("trained_on", &trained_on),
        ("each", &each),
        ("low", &low),
        ("high", &high),
    ];
    let [hold, serve, train] =
        ["not.hold", "not.serve", "not.train"].map(|name| Some(flag(&format!("scaling.{name}"))));
    view! {
        <ol class="why">
            {line(None, fill("scaling.printed", &values), "printed")}
            {line(None, fill("scaling.real", &values), "real")}
            {line(None, fill("scaling.margin", &values), "margin")}
            {line(serve.clone(), fill("scaling.load.serve", &values), "load")}
            {line(train.clone(), fill("scaling.load.train", &values), "load")}
            {line(hold, fill("scaling.cut.hold", &values), "cut")}
            {line(serve, fill("scaling.cut.hold", &values), "cut")}
            {line(train.clone(), fill("scaling.cut.train", &values), "cut")}
            {line(None, fill("scaling.nodes", &values), "nodes")}
            {line(train, fill("scaling.time", &values), "time")}
        </ol>
    }
    .into_any()
}

/// One size.
fn size(size: Size) -> AnyView {
    let id = size.id();
    let of = |what: &str| live(&format!("scaling.{id}.{what}"));
    view! {
        <details class="size" data-size=id data-none=flag(&format!("scaling.{id}.none"))>
            <summary>
                <span class="size-row" aria-hidden="true">
                    <span class="size-name">{words::choice("scaling.name", id)}</span>
                    <span>{of("bytes")}</span>
                    <span class="size-printed">{of("printed")}</span>
                    <span class="size-needed">{of("nodes")}</span>
                </span>
                {lane(size)}
            </summary>
            {reasons(size)}
        </details>
    }
    .into_any()
}

/// The drawn numbers and those between.
fn table() -> AnyView {
    let cells = ["bytes", "printed", "real", "margin", "load", "cut", "nodes"];
    let rows = Size::ALL
        .iter()
        .map(|size| size.id())
        .map(|id| table::row(words::choice("scaling.name", id), &format!("scaling.{id}"), &cells));
    let heads = ["size"].iter().chain(&cells).map(|id| words::choice("scaling.head", id));
    Table {
        name: t("scaling.table"),
        class: "scaling-table",
        caption: Some(t("scaling.caption")),
        heads: heads.collect(),
        rows: rows.collect_view().into_any(),
        note: None,
    }
    .folded()
}

/// The figure.
pub fn scaling() -> AnyView {
    let purposes = Purpose::ALL.iter().map(|purpose| worded("control.scale", purpose.id())).collect();
    let marks = decades()
        .map(|cards| {
            view! { <text x=at(cards) y="10">{Grouped(cards.into()).to_string()}</text> }
        })
        .collect_view();
    view! {
        <div class="scaling">
            <p class="figure-title">{t("scaling.title")} " " {live("gpu")}</p>
            {row("scale", t("control.scale"), purposes)}
            <div class="rig-row scaling-row">
                {list("scaling-gpu", t("control.gpu"), cards().collect())} {formats("scaling-weights")}
            </div>
            <div class="size-row size-heads" aria-hidden="true">
                <span>{t("scaling.head.size")}</span>
                <span>{t("scaling.head.bytes")}</span>
                <span class="size-printed">{t("scaling.head.printed")}</span>
                <span class="size-needed">{t("scaling.head.nodes")}</span>
            </div>
            <div class="sizes">{Size::ALL.iter().map(|one| size(*one)).collect_view()}</div>
            <svg class="lane-scale" height="16" aria-hidden="true">{marks}</svg>
            <p class="lane-key" aria-hidden="true">{t("scaling.key")}</p>
            <p class="summary">{live("scaling.sentence")}</p>
            {table()}
        </div>
    }
    .into_any()
}
