//! Section 3: what is eating the memory? The calculator as it is shown; what it is operated with are parts.

use leptos::prelude::*;
use memory_wall_core::Bucket;
use memory_wall_core::assumptions::Assumptions;

use super::levers;
use super::masonry::{CourseRect, flag, live};
use crate::live::bucket_name;
use crate::words::t;

/// The marks of the axis, as many as a scale may need.
const TICKS: usize = 8;

/// The wall with its axis, its labels and the line of the card.
fn wall() -> AnyView {
    let courses = Bucket::EACH
        .map(|bucket| {
            let id = bucket.id();
            let of = |what: &str| live(&format!("wall.{id}.{what}"));
            view! {
                <g class="layer" data-bucket=id data-empty=flag(&format!("empty.{id}"))>
                    <CourseRect bucket x="16%" width="30%" y=of("top") height=of("height") />
                    <line class="leader" x1="46.5%" x2="50%" y1=of("middle") y2=of("label")></line>
                    <text class="course-label" x="51%" y=of("label")>
                        <tspan class="course-name">{bucket_name(bucket)}</tspan>
                        " "
                        <tspan class="course-size">{live(id)}</tspan>
                    </text>
                </g>
            }
        })
        .into_iter()
        .collect_view();
    let ticks = (0..TICKS)
        .map(|tick| {
            let at = live(&format!("wall.tick.{tick}.at"));
            view! {
                <line class="tick" x1="14.5%" x2="16%" y1=at.clone() y2=at.clone()></line>
                <text class="tick-label" x="13.5%" y=at>{live(&format!("wall.tick.{tick}.label"))}</text>
            }
        })
        .collect_view();
    view! {
        <svg class="wall" role="img" aria-label=live("summary") data-over="{{flag wall.over}}">
            {ticks} {courses}
            <line class="capacity" x1="14.5%" x2="48.5%" y1=live("wall.line") y2=live("wall.line")></line>
            <text class="capacity-label" x="17%" y=live("wall.line") dy="-7">{live("line_label")}</text>
        </svg>
    }
    .into_any()
}

/// Does it fit, how long a context does, how large a batch does.
fn answers() -> AnyView {
    view! {
        <dl class="answers">
            <div class="answer answer-verdict" data-verdict=live("verdict_id")>
                <dt>{t("answer.verdict")}</dt>
                <dd><strong>{live("verdict")}</strong> " " <span class="answer-note">{live("margin_sentence")}</span></dd>
            </div>
            <div class="answer" data-answer="context">
                <dt>{t("answer.context")}</dt>
                <dd><strong>{live("answer_context")}</strong> " " <span class="answer-note">{live("answer_context_note")}</span></dd>
            </div>
            <div class="answer" data-answer="batch">
                <dt>{t("answer.batch")}</dt>
                <dd><strong>{live("answer_batch")}</strong></dd>
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
            let of = |what: &str| live(&format!("{what}.{id}"));
            view! {
                <tr class="bucket-row" data-bucket=id data-empty=flag(&format!("empty.{id}"))>
                    <th scope="row">
                        <svg class="swatch" aria-hidden="true">
                            <CourseRect bucket x="0" width="100%" y="0".to_owned() height="100%".to_owned() />
                        </svg>
                        <span class="bucket-name">{bucket_name(bucket)}</span>
                        <span class="bucket-about">{of("about")}</span>
                    </th>
                    <td class="bucket-formula">
                        <div>{of("terms.first")}</div>
                        <details class="terms" hidden=flag(&format!("short.{id}"))>
                            <summary>{of("terms.count")}</summary>
                            <ul>{of("terms.list")}</ul>
                        </details>
                    </td>
                    <td class="bucket-size" title=of("exact")><span data-bytes=of("bytes")>{live(id)}</span></td>
                    <td class="bucket-share">{of("share")}</td>
                </tr>
            }
        })
        .into_iter()
        .collect_view();
    view! {
        <div class="table-scroll">
            <table class="buckets">
                <caption>{t("table.caption")}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t("table.bucket")}</th>
                        <th scope="col">{t("table.formula")}</th>
                        <th scope="col" class="bucket-size">{t("table.size")}</th>
                        <th scope="col" class="bucket-share">{t("table.share")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>
                    <tr>
                        <th scope="row">{t("table.total")}</th>
                        <td class="bucket-formula">{live("phase")}</td>
                        <td class="bucket-size" title=live("total_exact")><span data-bytes=live("total_bytes")>{live("total")}</span></td>
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
    let list = (0..Assumptions::CAPACITY)
        .map(|number| view! { <li>{live(&format!("assumption.{number}"))}</li> })
        .collect_view();
    view! {
        <details class="assumptions">
            <summary>{t("assumptions.title")}</summary>
            <ul>{list} <li class="source">{live("source_model")}</li> <li class="source">{live("source_gpu")}</li></ul>
        </details>
    }
    .into_any()
}

/// The calculator: the wall, its levers, its answers and its table.
pub fn calculator() -> AnyView {
    view! {
        <div class="calculator">
            {levers::rig_row()}
            <div class="calculator-main">
                <div class="calculator-wall">{wall()}</div>
                <div class="calculator-levers">{levers::levers()} {answers()} {levers::more()} {levers::reset()}</div>
            </div>
            <p class="summary">{live("summary")}</p>
            {table()} {assumptions()}
        </div>
    }
    .into_any()
}
