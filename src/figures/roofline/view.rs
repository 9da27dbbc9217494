//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;

use super::model::{Binding, Model, Reading};
use crate::charts::roofline::marks::Frame;
use crate::charts::roofline::sketch::still;
use crate::charts::roofline::{Look, Plot};
use crate::components::group;
use crate::figures::bound;
use crate::state::State;
use crate::widgets::table::{self, Table};
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The drawing: a picture for those without the program and for paper, a canvas for the others, and the points over both.
fn plot() -> AnyView {
    let plot = Plot::of(&State::default(), &Look::default());
    let stills = [Frame::WIDE, Frame::NARROW].map(|frame| still(&plot, frame)).concat();
    view! {
        <div class="roofline-plot" data-later="">
            <div class="stills" inner_html=stills></div>
            <canvas class="roofline-canvas" role="img" aria-label=live(Binding::Sentence)></canvas>
            <svg class="roofline-dots" role="listbox" aria-label=words::roofline_dots_label()>
                <g role="none">{live(Binding::Dots)}</g>
            </svg>
        </div>
    }
    .into_any()
}

/// What is read off the selected point.
fn readings() -> AnyView {
    let read = |what: Reading| live(Binding::Read(what));
    let reading = |what: Reading, label: &'static str| {
        view! {
            <div data-reading=what.id()>
                <dt>{label}</dt>
                <dd>{read(what)}</dd>
            </div>
        }
    };
    view! {
        <div class="readings">
            <p class="reading-head">
                <strong>{read(Reading::Name)}</strong>
                " "
                <span>{read(Reading::Bound)}</span>
            </p>
            <dl>
                {reading(Reading::Intensity, words::roofline_reading_intensity())} {reading(Reading::Rate, words::roofline_reading_rate())}
                {reading(Reading::OfRoof, words::roofline_reading_of_roof())} {reading(Reading::OfPeak, words::roofline_reading_of_peak())}
                {reading(Reading::Ceiling, words::roofline_reading_ceiling())} {reading(Reading::Time, words::roofline_reading_time())}
            </dl>
            <p class="reading-own">{read(Reading::Own)}</p>
        </div>
    }
    .into_any()
}

/// The drawn points as a table.
fn table() -> AnyView {
    let heads = table::heads([
        words::roofline_table_name(),
        words::roofline_table_flops(),
        words::roofline_table_bytes(),
        words::roofline_table_intensity(),
        words::roofline_table_bound(),
        words::roofline_reading_rate(),
        words::roofline_reading_time(),
        words::roofline_table_share(),
    ]);
    let table = Table {
        name: words::context_table(),
        class: "roofline-table",
        caption: Some(words::roofline_table()),
        heads,
        rows: live(Binding::Rows).into_any(),
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
            {button("png", words::roofline_keep_png())} " " {button("svg", words::roofline_keep_svg())} " "
            {button("csv", words::roofline_keep_csv())} " " <span class="kept" role="status"></span>
        </p>
    }
    .into_any()
}

/// The roofline.
pub fn view() -> AnyView {
    view! {
        <div class="roofline">
            <p class="figure-title">{words::roofline_title()}</p>
            {plot()}
            <div class="roofline-under">
                {readings()}
                <div class="roofline-levers">{group("roofline", "part")}</div>
            </div>
            <p class="summary" data-later="">{live(Binding::Sentence)}</p>
            <p class="summary" data-later="">{live(Binding::Times)}</p>
            <details class="more">
                <summary>{words::control_roofline_more()}</summary>
                {group("roofline-more", "more-inner")}
            </details>
            {table()} {keep()}
        </div>
    }
    .into_any()
}
