//! How the figure is drawn, once, when the page is built: the bill, and every published run on a scale of MFU with the assumed range behind it.

use leptos::prelude::*;
use memory_wall_core::display::{Count, Percent};
use memory_wall_core::published::{RUNS, Run, Took};

use super::model::{Binding, Model, SCALE};
use crate::charts::wall::percent;
use crate::components::group;
use crate::figures::{bound, money, rig};
use crate::widgets::table::{self, Table};
use crate::words;

/// Height of a run in the drawing, and of what stands above the first, in pixels.
const ROW: usize = 38;
const TOP: usize = 22;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// Where a share of the peak stands on the scale.
fn at(share: f64) -> String {
    percent(share / SCALE * 100.0)
}

/// The two numbers that decide, and what matters less often.
fn levers() -> AnyView {
    view! {
        {group("train_cost", "spend-row")}
        <details class="more">
            <summary>{words::spend_more()}</summary>
            {group("train_cost-more", "more-inner spend-row")}
        </details>
    }
    .into_any()
}

/// A line of the bill: what is worked out, and the result with its unit.
fn line(text: String, unit: &'static str, result: Binding) -> AnyView {
    let space = if unit.is_empty() { "" } else { " " };
    view! {
        <li>
            <span>{text}</span>
            <b>{live(result)} {space} {unit}</b>
        </li>
    }
    .into_any()
}

/// The bill, each line made of the one before.
fn bill() -> AnyView {
    let [parameters, tokens, peak, share, gpus, per_hour, watts, drawn] = [
        Binding::Parameters,
        Binding::Tokens,
        Binding::Peak,
        Binding::Share,
        Binding::Gpus,
        Binding::PerHour,
        Binding::Watts,
        Binding::Drawn,
    ]
    .map(live);

    view! {
        <ol class="why bill">
            {line(words::SpendLineFlops { parameters: &parameters, tokens: &tokens }.text(), words::spend_unit_flops(), Binding::Flops)}
            {line(words::SpendLineHours { peak: &peak, share: &share }.text(), words::spend_unit_hours(), Binding::Hours)}
            {line(words::SpendLineTime { gpus: &gpus }.text(), "", Binding::Time)}
            {line(words::spend_line_rate().into(), words::spend_unit_rate(), Binding::Rate)}
            {line(words::SpendLinePrice { per_hour: &per_hour }.text(), "", Binding::Price)}
            {line(words::SpendLineEnergy { watts: &watts, drawn: &drawn }.text(), "", Binding::Energy)}
        </ol>
    }
    .into_any()
}

/// A run on the scale: a dot for what its hours or its rate say, a ring for what its makers say.
fn lane(place: usize, run: &Run) -> AnyView {
    let top = TOP + ROW * place;
    let y = top + 27;
    let [least, most] = run.range();
    let stated = run.stated.map(|ends| {
        let rings = ends.map(|end| view! { <circle class="run-stated" cx=at(end) cy=y r="5"></circle> });
        rings.into_iter().collect_view()
    });
    view! {
        <text x="0" y=top + 12>{run.name}</text>
        <text class="run-gpu" x="100%" y=top + 12>{run.gpu_name}</text>
        <line class="lane-base" x1="0" x2="100%" y1=y y2=y></line>
        <line class="run-range" x1=at(least) x2=at(most) y1=y y2=y></line>
        {stated}
        {run.mfu().map(|mfu| view! { <circle class="run-dot" cx=at(mfu) cy=y r="5"></circle> })}
    }
    .into_any()
}

fn drawing() -> AnyView {
    let height = TOP + ROW * RUNS.len();
    let marks = [0.0, 0.2, 0.4, SCALE]
        .map(|share| {
            let (x, label) = (at(share), Percent(share).to_string());
            view! {
                <line class="grid" x1=x.clone() x2=x.clone() y1=TOP y2=height></line>
                <text class="run-mark" data-end=(share >= SCALE).then_some("") data-start=(share <= 0.0).then_some("") x=x y="9">{label}</text>
            }
        })
        .into_iter()
        .collect_view();
    let lanes = RUNS.iter().enumerate().map(|(place, run)| lane(place, run)).collect_view();
    let (from, width) = (live(Binding::BandFrom), live(Binding::BandWidth));
    view! {
        <svg class="drawing runs" role="img" aria-label=words::spend_runs_label() height=height>
            <rect class="run-band" x=from width=width y=TOP height=height - TOP></rect>
            {marks} {lanes}
        </svg>
    }
    .into_any()
}

/// The runs with their sources.
fn table() -> AnyView {
    let dash = || words::spend_unsaid().to_owned();
    let rows = RUNS
        .iter()
        .map(|run| {
            let took = match run.took {
                Took::Hours(hours) => words::SpendRunHours { n: &money::numbers([hours; 2]) }.text(),
                Took::Rate(rate) => words::SpendRunRate { n: &money::numbers([rate; 2]) }.text(),
                Took::Unsaid => dash(),
            };
            let stated = run.stated.map_or_else(dash, |[from, to]| {
                let [from, to] = [from, to].map(|end| Percent(end).to_string());
                if from == to { from } else { words::SpendRange { from: &from, to: &to }.text() }
            });
            view! {
                <tr>
                    <th scope="row">{run.name}</th>
                    <td>{run.gpu_name}</td>
                    <td>{Count(run.parameters).to_string()}</td>
                    <td>{Count(run.tokens).to_string()}</td>
                    <td>{took}</td>
                    <td>{run.mfu().map_or_else(dash, |mfu| Percent(mfu).to_string())}</td>
                    <td>{stated}</td>
                    <td>
                        <a href=run.address>{run.source}</a>
                    </td>
                </tr>
            }
        })
        .collect_view();
    let heads = [
        words::spend_head_run(),
        words::spend_head_gpu(),
        words::spend_head_parameters(),
        words::spend_head_tokens(),
        words::spend_head_took(),
        words::spend_head_mfu(),
        words::spend_head_stated(),
        words::spend_head_source(),
    ];
    Table {
        name: words::spend_runs_table(),
        class: "runs-table",
        caption: None,
        heads: table::heads(heads),
        rows: rows.into_any(),
        note: Some(words::spend_runs_note().into()),
    }
    .folded()
}

/// The figure.
pub fn view() -> AnyView {
    let title = words::SpendTitle { model: &bound::<rig::Model>(rig::Binding::Model) }.text();
    view! {
        <div class="train-cost">
            <p class="figure-title">{title}</p>
            {levers()} {bill()} <p class="summary">{live(Binding::Sentence)}</p>
            <p class="figure-title">{words::spend_runs_title()}</p>
            {drawing()} <p class="caption">{words::spend_runs_key()}</p> {table()}
        </div>
    }
    .into_any()
}
