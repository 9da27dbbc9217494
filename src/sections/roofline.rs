//! Section 2: which side of the ridge? The roofline, what is read off it, and the same as a table.

use leptos::prelude::*;

use super::masonry::live;
use super::roofline_levers;
use crate::charts::roofline::marks::Frame;
use crate::charts::roofline::sketch::still;
use crate::charts::roofline::{Look, Plot};
use crate::state::State;
use crate::widgets::table::{self, Table};
use crate::words::t;

/// The drawing: a picture for those without the program and for paper, a canvas for the others, and the points over both.
fn plot() -> AnyView {
    let plot = Plot::of(&State::default(), &Look::default());
    let stills = [Frame::WIDE, Frame::NARROW].map(|frame| still(&plot, frame)).concat();
    view! {
        <div class="roofline-plot" data-later="">
            <div class="stills" inner_html=stills></div>
            <canvas class="roofline-canvas" role="img" aria-label=live("roofline.sentence")></canvas>
            <svg class="roofline-dots" role="listbox" aria-label=t("roofline.dots.label")>
                <g role="none">{live("roofline.dots")}</g>
            </svg>
        </div>
    }
    .into_any()
}

/// What is read off the selected point.
fn readings() -> AnyView {
    let reading = |what: &'static str, label: &'static str| {
        view! {
            <div data-reading=what>
                <dt>{label}</dt>
                <dd>{live(&format!("roofline.read.{what}"))}</dd>
            </div>
        }
    };
    view! {
        <div class="readings">
            <p class="reading-head">
                <strong>{live("roofline.read.name")}</strong>
                " "
                <span>{live("roofline.read.bound")}</span>
            </p>
            <dl>
                {reading("intensity", t("roofline.reading.intensity"))} {reading("rate", t("roofline.reading.rate"))}
                {reading("of_roof", t("roofline.reading.of_roof"))} {reading("of_peak", t("roofline.reading.of_peak"))}
                {reading("ceiling", t("roofline.reading.ceiling"))} {reading("time", t("roofline.reading.time"))}
            </dl>
            <p class="reading-own">{live("roofline.read.own")}</p>
        </div>
    }
    .into_any()
}

/// The drawn points as a table.
fn table() -> AnyView {
    let heads = table::heads(&[
        "roofline.table.name",
        "roofline.table.flops",
        "roofline.table.bytes",
        "roofline.table.intensity",
        "roofline.table.bound",
        "roofline.reading.rate",
        "roofline.reading.time",
        "roofline.table.share",
    ]);
    let table = Table {
        name: t("context.table"),
        class: "roofline-table",
        caption: Some(t("roofline.table")),
        heads,
        rows: live("roofline.rows").into_any(),
        note: None,
    };
    view! { <div data-later="">{table.folded()}</div> }.into_any()
}

/// Saving and copying.
fn keep() -> AnyView {
    let button = |what: &'static str, label: &'static str| {
        view! { <button type="button" class="plain-button" data-keep=what>{label}</button> }
    };
    view! {
        <p class="roofline-keep">
            {button("png", t("roofline.keep.png"))} " " {button("svg", t("roofline.keep.svg"))} " "
            {button("csv", t("roofline.keep.csv"))} " " <span class="kept" role="status"></span>
        </p>
    }
    .into_any()
}

/// The roofline.
pub fn roofline() -> AnyView {
    view! {
        <div class="roofline">
            <p class="figure-title">{t("roofline.title")}</p>
            {plot()}
            <div class="roofline-under">
                {readings()}
                <div class="roofline-levers">{roofline_levers::levers()}</div>
            </div>
            <p class="summary" data-later="">{live("roofline.sentence")}</p>
            <p class="summary" data-later="">{live("roofline.times")}</p>
            {roofline_levers::more()} {table()} {keep()}
        </div>
    }
    .into_any()
}
