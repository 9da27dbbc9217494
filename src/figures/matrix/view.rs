//! How the figure is drawn, once, when the page is built.
//!
//! It works without the program: ticks are the browser's own, and the style sheet shows the answers once the reasons are open.

use leptos::prelude::*;
use memory_wall_core::coping::{ASKED, COUNTS, Technique};
use memory_wall_core::display::{Figure, Grouped, Percent};
use memory_wall_core::{Bucket, Mode};

use crate::words;

/// What became of a bucket, in a word: a share less or more, or the same.
fn effect(left: f64) -> String {
    if left < COUNTS {
        // Whole percents would say that nothing is left.
        format!("−{}%", Figure((1.0 - left) * 100.0))
    } else if left < 1.0 - COUNTS {
        format!("−{}", Percent(1.0 - left))
    } else if left > 1.0 + COUNTS {
        format!("+{}", Percent(left - 1.0))
    } else {
        words::coping_same().into()
    }
}

/// One cell: a tick to be set, and the answer beside it.
fn cell(technique: Technique, bucket: Bucket) -> AnyView {
    let Some(left) = technique.left(bucket) else {
        return view! {
            <td class="paint paint-none">
                <span aria-hidden="true">"–"</span>
                <span class="visually-hidden">{words::coping_none()}</span>
            </td>
        }
        .into_any();
    };
    let shrinks = technique.shrinks(bucket);
    let name = format!("{}: {}", words::technique(technique), words::bucket(bucket));
    view! {
        <td class="paint" data-shrinks=shrinks.then_some("")>
            <label>
                <input type="checkbox" autocomplete="off" aria-label=name />
                <span class="paint-truth">{effect(left)}</span>
            </label>
        </td>
    }
    .into_any()
}

fn rows(mode: Mode) -> AnyView {
    let techniques = Technique::ALL.iter().copied().filter(|technique| technique.mode() == mode);
    let rows = techniques
        .map(|technique| {
            view! {
                <tr>
                    <th scope="row">{words::technique(technique)}</th>
                    {ASKED.map(|bucket| cell(technique, bucket)).into_iter().collect_view()}
                </tr>
            }
        })
        .collect_view();
    let head = if mode == Mode::Inference { words::coping_serving() } else { words::coping_training() };
    view! {
        <tbody>
            <tr class="paint-head">
                <th scope="colgroup" colspan=ASKED.len() + 1>{head}</th>
            </tr>
            {rows}
        </tbody>
    }
    .into_any()
}

/// How many cells of all shrink.
fn shrinking() -> usize {
    Technique::ALL.iter().flat_map(|technique| ASKED.map(|bucket| technique.shrinks(bucket))).filter(|it| *it).count()
}

/// Why each technique does what it does.
fn reasons() -> AnyView {
    let rows = Technique::ALL
        .iter()
        .map(|technique| {
            view! {
                <dt>{words::technique(*technique)}</dt>
                <dd>{words::technique_why(*technique)}</dd>
            }
        })
        .collect_view();
    view! { <dl class="paint-reasons">{rows}</dl> }.into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let scenario = Technique::Lora.before();
    let [batch, seq] = [scenario.batch, scenario.seq_length].map(|n| Grouped(n.into()).to_string());
    let heads = ASKED.map(|bucket| view! { <th scope="col">{words::bucket(bucket)}</th> }).into_iter().collect_view();
    view! {
        <div class="matrix">
            <p class="figure-title" id="matrix-title">{words::coping_matrix()}</p>
            <p class="caption">{words::CopingMatrixKey { batch: &batch, seq: &seq }.text()}</p>
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="matrix-title">
                <table class="paint-table">
                    <thead>
                        <tr>
                            <th scope="col">{words::coping_technique()}</th>
                            {heads}
                        </tr>
                    </thead>
                    {rows(Mode::Inference)} {rows(Mode::Training)}
                </table>
            </div>
            <p class="paint-score">
                <span class="paint-hits"></span>
                {words::CopingHits { n: &shrinking().to_string() }.text()}
                " "
                <span class="paint-misses"></span>
                {words::coping_misses()}
            </p>
            <details class="guess paint-open">
                <summary>{words::coping_reveal()}</summary>
                {reasons()}
            </details>
        </div>
    }
    .into_any()
}
