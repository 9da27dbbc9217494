//! How the figure is drawn, once, when the page is built: a lane for each batch on a scale of tokens a second.

use leptos::prelude::*;
use memory_wall_core::display::{Figure, Grouped, Percent};
use memory_wall_core::published::SPEEDS;
use memory_wall_core::roofline::Pass;
use memory_wall_core::tables::{gpus, models};

use super::model::{BATCHES, Binding, DECADES, Model, along};
use crate::charts::wall::percent;
use crate::components::group;
use crate::figures::{Nth, bound, money, rig};
use crate::widgets::table::{self, Table};
use crate::words;

/// Height of a lane in the drawing, and of what stands above the first, in pixels.
const ROW: usize = 38;
const TOP: usize = 22;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The four numbers that a user and an owner look at.
fn answers() -> AnyView {
    let lines = [
        (words::serve_ttft(), "", Binding::Ttft),
        (words::serve_tpot(), "", Binding::Tpot),
        (words::serve_written(), words::spend_unit_rate(), Binding::Written),
        (words::serve_in(), "", Binding::In),
        (words::serve_out(), "", Binding::Out),
    ]
    .map(|(name, unit, result)| {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        view! {
            <li>
                <span>{name}</span>
                <b>{live(result)} {unit}</b>
            </li>
        }
    });
    view! { <ol class="why bill">{lines.into_iter().collect_view()}</ol> }.into_any()
}

fn drawing() -> AnyView {
    let height = TOP + ROW * BATCHES.len();
    let marks = (0..=DECADES)
        .map(|power| {
            let rate = 10u64.pow(power);
            let x = percent(along(rate as f64));
            view! {
                <line class="grid" x1=x.clone() x2=x.clone() y1=TOP y2=height></line>
                <text class="run-mark" data-end=(power == DECADES).then_some("") data-start=(power == 0).then_some("") x=x y="9">{Grouped(rate.into()).to_string()}</text>
            }
        })
        .collect_view();
    let lanes = BATCHES
        .iter()
        .zip(Nth::ALL)
        .enumerate()
        .map(|(place, (batch, nth))| {
            let top = TOP + ROW * place;
            let name = if *batch == 1 { words::serve_one().to_owned() } else { words::ServeBatch { n: &batch.to_string() }.text() };
            view! {
                <g class="serve-lane" data-over=live(Binding::Over(nth))>
                    <text x="0" y=top + 12>{name}</text>
                    <text class="run-gpu" x="100%" y=top + 12>{live(Binding::LaneNote(nth))}</text>
                    <line class="lane-base" x1="0" x2="100%" y1=top + 27 y2=top + 27></line>
                    <rect class="serve-band" x=live(Binding::From(nth)) width=live(Binding::Width(nth)) y=top + 22 height="10"></rect>
                </g>
            }
        })
        .collect_view();
    view! {
        <svg class="drawing runs" role="img" aria-labelledby="serve-title serve-sentence" height=height>
            {marks} {lanes}
        </svg>
    }
    .into_any()
}

/// The drawn numbers.
fn table() -> AnyView {
    let rows = BATCHES
        .iter()
        .zip(Nth::ALL)
        .map(|(batch, nth)| {
            let cells = [Binding::LaneTpot(nth), Binding::LaneWritten(nth), Binding::LanePrice(nth)];
            table::texts(batch.to_string(), cells.map(live))
        })
        .collect_view();
    Table {
        name: words::serve_table(),
        class: "serve-table",
        caption: None,
        heads: table::heads([
            words::serve_head_batch(),
            words::serve_head_tpot(),
            words::serve_head_written(),
            words::serve_head_price(),
        ]),
        rows: rows.into_any(),
        note: None,
    }
    .folded()
}

/// Measured speeds with the range that is worked out for each.
fn measured() -> AnyView {
    let rows = SPEEDS
        .iter()
        .map(|speed| {
            let prefill = speed.pass == Pass::Prefill;
            let tokens = Grouped(speed.tokens.into()).to_string();
            let (unit, what) = if prefill {
                (words::serve_unit_ms(), words::ServeMeasuredPrefill { n: &tokens }.text())
            } else {
                (words::spend_unit_rate(), words::ServeMeasuredDecode { n: &tokens }.text())
            };
            let model = models::by_id(speed.model).map_or(speed.model, |model| model.name);
            let gpu = gpus::by_id(speed.gpu).map_or(speed.gpu, |gpu| gpu.name);
            let range = speed.range().map(money::numbers).unwrap_or_default();
            view! {
                <tr>
                    <th scope="row">{model}</th>
                    <td>{gpu}</td>
                    <td>{speed.runtime}</td>
                    <td>{what}</td>
                    <td>{Figure(speed.measured).to_string()} " " {unit}</td>
                    <td>{range} " " {unit}</td>
                </tr>
            }
        })
        .collect_view();
    let share = Percent(memory_wall_core::roofline::Efficiency::LEAST.bandwidth).to_string();
    Table {
        name: words::serve_measured(),
        class: "runs-table",
        caption: None,
        heads: table::heads([
            words::serve_head_model(),
            words::serve_head_gpu(),
            words::serve_head_runtime(),
            words::serve_head_what(),
            words::serve_head_measured(),
            words::serve_head_range(),
        ]),
        rows: rows.into_any(),
        note: Some(words::ServeMeasuredNote { share: &share }.text()),
    }
    .folded()
}

/// The figure.
pub fn view() -> AnyView {
    let [model, gpu] = [rig::Binding::Model, rig::Binding::Gpu].map(bound::<rig::Model>);
    let title = words::ServeTitle { model: &model, gpu: &gpu }.text();
    view! {
        <div class="serve-cost">
            <p class="figure-title" id="serve-title">{title}</p>
            {group("serve_cost", "")}
            <details class="more">
                <summary>{words::serve_more()}</summary>
                {group("serve_cost-more", "more-inner")}
            </details>
            {answers()}
            <p class="caption">{words::serve_key()}</p>
            {drawing()}
            <p class="summary" id="serve-sentence">{live(Binding::Sentence)}</p>
            {table()} {measured()}
        </div>
    }
    .into_any()
}
