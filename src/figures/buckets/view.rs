//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::Bucket;
use memory_wall_core::assumptions::Assumptions;

use super::model::{Binding, Model, TICKS};
use crate::components::group;
use crate::figures::{Nth, bound, rig};
use crate::sections::masonry::SegmentRect;
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The wall with its axis, its labels and the line of the GPU.
fn wall() -> AnyView {
    let segments = Bucket::EACH
        .map(|bucket| {
            let id = bucket.id();
            let of = |binding: fn(Bucket) -> Binding| live(binding(bucket));
            view! {
                <g class="layer" data-bucket=id data-empty=of(Binding::Empty)>
                    <SegmentRect bucket x="16%" width="30%" y=of(Binding::Top) height=of(Binding::Height) />
                    <line class="leader" x1="46.5%" x2="50%" y1=of(Binding::Middle) y2=of(Binding::Label)></line>
                    <text class="segment-label" x="51%" y=of(Binding::Label)>
                        <tspan class="segment-name">{words::bucket(bucket)}</tspan>
                        " "
                        <tspan class="segment-size">{of(Binding::Size)}</tspan>
                    </text>
                </g>
            }
        })
        .into_iter()
        .collect_view();
    let ticks = Nth::<TICKS>::ALL
        .into_iter()
        .map(|tick| {
            let at = live(Binding::TickAt(tick));
            view! {
                <line class="tick" x1="14.5%" x2="16%" y1=at.clone() y2=at.clone()></line>
                <text class="tick-label" x="13.5%" y=at>{live(Binding::TickLabel(tick))}</text>
            }
        })
        .collect_view();
    view! {
        <svg class="wall" role="img" aria-label=live(Binding::Summary) data-over=live(Binding::Over)>
            {ticks} {segments}
            <line class="capacity" x1="14.5%" x2="48.5%" y1=live(Binding::Line) y2=live(Binding::Line)></line>
            <text class="capacity-label" x="17%" y=live(Binding::Line) dy="-7">{live(Binding::LineLabel)}</text>
        </svg>
    }
    .into_any()
}

/// Does it fit, how long a context does, how large a batch does.
fn answers() -> AnyView {
    let [id, verdict] = [rig::Binding::VerdictId, rig::Binding::Verdict].map(bound::<rig::Model>);
    view! {
        <dl class="answers">
            <div class="answer answer-verdict" data-verdict=id>
                <dt>{words::answer_verdict()}</dt>
                <dd><strong>{verdict}</strong> " " <span class="answer-note">{live(Binding::MarginSentence)}</span></dd>
            </div>
            <div class="answer" data-answer="context">
                <dt>{words::answer_context()}</dt>
                <dd><strong>{live(Binding::AnswerContext)}</strong> " " <span class="answer-note">{live(Binding::AnswerContextNote)}</span></dd>
            </div>
            <div class="answer" data-answer="batch">
                <dt>{words::answer_batch()}</dt>
                <dd><strong>{live(Binding::AnswerBatch)}</strong></dd>
            </div>
        </dl>
    }
    .into_any()
}

/// The wall as a table: each part with its formula, the numbers put in, its bytes and its share.
fn table() -> AnyView {
    let rows = Bucket::EACH
        .map(|bucket| {
            let id = bucket.id();
            let of = |binding: fn(Bucket) -> Binding| live(binding(bucket));
            view! {
                <tr class="bucket-row" data-bucket=id data-empty=of(Binding::Empty)>
                    <th scope="row">
                        <svg class="swatch" aria-hidden="true">
                            <SegmentRect bucket x="0" width="100%" y="0".to_owned() height="100%".to_owned() />
                        </svg>
                        <span class="bucket-name">{words::bucket(bucket)}</span>
                        <span class="bucket-about">{of(Binding::About)}</span>
                    </th>
                    <td class="bucket-formula">
                        <div>{of(Binding::First)}</div>
                        <details class="terms" hidden=of(Binding::Short)>
                            <summary>{of(Binding::Terms)}</summary>
                            <ul>{of(Binding::List)}</ul>
                        </details>
                    </td>
                    <td class="bucket-size" title=of(Binding::Exact)><span data-bytes=of(Binding::Bytes)>{of(Binding::Size)}</span></td>
                    <td class="bucket-share">{of(Binding::Share)}</td>
                </tr>
            }
        })
        .into_iter()
        .collect_view();
    view! {
        <div class="table-scroll">
            <table class="buckets">
                <caption>{words::table_caption()}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words::table_bucket()}</th>
                        <th scope="col">{words::table_formula()}</th>
                        <th scope="col" class="bucket-size">{words::table_size()}</th>
                        <th scope="col" class="bucket-share">{words::table_share()}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>
                    <tr>
                        <th scope="row">{words::table_total()}</th>
                        <td class="bucket-formula">{live(Binding::Phase)}</td>
                        <td class="bucket-size" title=live(Binding::TotalExact)><span data-bytes=live(Binding::TotalBytes)>{live(Binding::Total)}</span></td>
                        <td></td>
                    </tr>
                </tfoot>
            </table>
        </div>
    }
    .into_any()
}

/// What the estimate stands on, and where its rows come from.
fn assumptions() -> AnyView {
    let list = Nth::<{ Assumptions::CAPACITY }>::ALL
        .into_iter()
        .map(|nth| view! { <li>{live(Binding::Assumption(nth))}</li> })
        .collect_view();
    view! {
        <details class="assumptions">
            <summary>{words::assumptions_title()}</summary>
            <ul>{list} <li class="source">{live(Binding::SourceModel)}</li> <li class="source">{live(Binding::SourceGpu)}" "<a href="reference.html#cards-table">{words::assumptions_sources()}</a></li></ul>
        </details>
    }
    .into_any()
}

/// Back to where the page started.
fn reset() -> AnyView {
    view! {
        <button type="button" class="plain-button reset" data-act="reset">
            {words::control_reset()}
        </button>
    }
    .into_any()
}

/// The calculator: the wall, its levers, its answers and its table.
pub fn view() -> AnyView {
    view! {
        <div class="calculator">
            {group("calculator-rig", "rig-row")}
            <div class="calculator-main">
                <div class="calculator-wall">{wall()}</div>
                <div class="calculator-levers">
                    {group("calculator", "part")} {answers()} <details class="more">
                        <summary>{words::control_more()}</summary>
                        {group("calculator-more", "more-inner")}
                    </details> {reset()}
                </div>
            </div>
            <p class="summary">{live(Binding::Summary)}</p>
            {table()} {assumptions()}
        </div>
    }
    .into_any()
}
