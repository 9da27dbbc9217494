//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::memory::StatePart;
use memory_wall_core::{Bucket, Checked};

use super::model::{Binding, Column, Model, each, height};
use crate::charts::wall::pattern;
use crate::charts::wall::percent;
use crate::components::group;
use crate::figures::{bound, number, rig};
use crate::state::State;
use crate::widgets::table::Table;
use crate::words;

/// Where the first column begins, how far it is to the next, and how wide a column is, in percent of the drawing.
const LEFT: f64 = 19.0;
const STEP: f64 = (100.0 - LEFT) / 5.0;
const WIDTH: f64 = STEP * 0.78;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The bucket that a part belongs to.
const fn bucket(part: StatePart) -> Bucket {
    match part {
        StatePart::Weight => Bucket::Weights,
        StatePart::Gradient => Bucket::Gradients,
        StatePart::Master | StatePart::First | StatePart::Second => Bucket::Optimizer,
    }
}

/// Bytes for each parameter of the parts of a column, as the page arrives. They depend on no model, so only those of the
/// reader's own column follow the settings.
fn fixed(column: Column) -> [f64; 5] {
    column.run(&State::default()).as_ref().map(each).unwrap_or_default()
}

/// Bytes for each parameter of a part of a column, as text.
fn part(column: Column, part: StatePart, own: f64) -> String {
    if column == Column::Yours { live(Binding::Part(part)) } else { number(own) }
}

/// Bytes for each parameter of a column, as text.
fn sum(column: Column) -> String {
    if column == Column::Yours { live(Binding::Each(column)) } else { number(fixed(column).into_iter().sum()) }
}

/// `2 + 2 + 4 + 4 + 4`, without what is not there.
pub(super) fn terms(run: &Checked) -> String {
    let terms = each(run).into_iter().filter(|each| *each > 0.0);
    terms.map(number).collect::<Vec<_>>().join(" + ")
}

/// A column of parts.
fn drawn((place, column): (usize, Column)) -> AnyView {
    let left = LEFT + STEP * place as f64 + (STEP - WIDTH) / 2.0;
    let mut below = 0.0;
    let parts = StatePart::EACH.into_iter().zip(fixed(column)).map(|(part, own)| {
        let middle = height(below + own / 2.0);
        below += own;
        let [y, tall] = if column == Column::Yours {
            [Binding::Top(part), Binding::Height(part)].map(live)
        } else {
            [percent(100.0 - height(below)), percent(height(own))]
        };
        let of = bucket(part);
        let label = (place == 0).then(|| {
            view! {
                <text class="part-name" x=percent(LEFT) dx="-2" y=percent(100.0 - middle)>
                    {words::state_part(part)} " " <tspan class="part-bytes">{number(own)}</tspan>
                </text>
            }
        });
        view! {
            <g class=format!("segment segment-{}", of.id())>
                <rect class="ground" x=percent(left) width=percent(WIDTH) y=y.clone() height=tall.clone()></rect>
                <rect x=percent(left) width=percent(WIDTH) y=y height=tall fill=format!("url(#masonry-{})", pattern(of))></rect>
            </g>
            {label}
        }
    });
    parts.collect_view().into_any()
}

/// What stands under a column.
fn foot(column: Column) -> AnyView {
    let terms = if column == Column::Yours {
        StatePart::EACH.map(|part| live(Binding::Part(part))).join(" + ")
    } else {
        column.run(&State::default()).as_ref().map(terms).unwrap_or_default()
    };
    view! {
        <li class="foot" data-over=live(Binding::Over(column))>
            <span class="foot-name">{words::column(column)}</span>
            <span class="foot-sum">
                <b>{sum(column)}</b>
                " "
                {words::train_bytes()}
            </span>
            <span class="foot-terms">{terms}</span>
            <b class="foot-total">{live(Binding::Total(column))}</b>
            <span class="foot-left">{live(Binding::Left(column))}</span>
        </li>
    }
    .into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let line = live(Binding::Line);
    view! {
        <div class="states">
            <p class="figure-title" id="states-title">{words::train_title()} " " {bound::<rig::Model>(rig::Binding::Model)}</p>
            <svg class="wall state-wall" role="img" aria-labelledby="states-title states-sentence" data-beyond=live(Binding::Beyond)>
                {Column::ALL.into_iter().enumerate().map(drawn).collect_view()}
                <line class="capacity" x1=percent(LEFT) x2="100%" y1=line.clone() y2=line.clone()></line>
                <text class="capacity-label" x=percent(LEFT + STEP * 4.0) dx="-4" y=line dy="-8">
                    {live(Binding::LineLabel)}
                </text>
            </svg>
            <ul class="feet">{Column::ALL.map(foot).collect_view()}</ul>
            {group("states", "state-choice")}
            <p class="summary" id="states-sentence">{sentence()}</p>
            {table()}
        </div>
    }
    .into_any()
}

/// The reader's own column in words.
fn sentence() -> String {
    words::TrainSentence {
        model: &bound::<rig::Model>(rig::Binding::Model),
        each: &live(Binding::Each(Column::Yours)),
        total: &live(Binding::Total(Column::Yours)),
        gpu: &bound::<rig::Model>(rig::Binding::Gpu),
        room: &live(Binding::Room),
        left: &live(Binding::Left(Column::Yours)),
    }
    .text()
}

/// The numbers of the drawing.
fn table() -> AnyView {
    let rows = Column::ALL.map(|column| {
        let cells = StatePart::EACH.into_iter().zip(fixed(column));
        let cells = cells.map(|(own, bytes)| view! { <td>{part(column, own, bytes)}</td> }).collect_view();
        view! {
            <tr>
                <th scope="row">{words::column(column)}</th>
                {cells}
                <td>{sum(column)}</td>
                <td>{live(Binding::Total(column))}</td>
                <td>{live(Binding::Left(column))}</td>
            </tr>
        }
    });
    let parts = StatePart::EACH.map(words::state_part);
    let sums = [words::train_table_sum(), words::train_table_total(), words::train_table_gpu()];
    Table {
        name: words::train_table(),
        class: "train-table",
        caption: None,
        heads: [words::train_table_recipe()].into_iter().chain(parts).chain(sums).map(str::to_owned).collect(),
        rows: rows.collect_view().into_any(),
        note: Some(words::train_table_note().into()),
    }
    .folded()
}
