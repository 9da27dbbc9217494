//! How the figure is drawn, once, when the page is built: what each tier holds to the left, what it moves to the right.

use leptos::prelude::*;
use memory_wall_core::hierarchy::Tier;

use super::model::{Binding, HOLDS, MOVES, Model, WING, bar};
use crate::charts::wall::percent;
use crate::components::group;
use crate::figures::{bound, rig};
use crate::widgets::table::{self, Table};
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// Height of one tier in the drawing, of what stands above the first, and of the whole, in pixels.
const ROW: usize = 46;
const TOP: usize = 20;
const HEIGHT: usize = TOP + ROW * Tier::ALL.len() + 18;

fn drawing() -> AnyView {
    let decade = |x: f64| {
        let x = percent(x);
        view! { <line class="grid" x1=x.clone() x2=x y1=TOP y2=HEIGHT - 18></line> }
    };
    let grid = (
        [1e7, 1e8, 1e9, 1e10, 1e11].map(|bytes| decade(WING - bar(HOLDS, bytes))).into_iter().collect_view(),
        [1e10, 1e11, 1e12, 1e13].map(|rate| decade(100.0 - WING + bar(MOVES, rate))).into_iter().collect_view(),
    );
    let rows = Tier::ALL
        .iter()
        .enumerate()
        .map(|(place, tier)| {
            let id = tier.id();
            let of = |binding: fn(Tier) -> Binding| live(binding(*tier));
            let top = TOP + ROW * place;
            view! {
                <g
                    class="tier"
                    data-tier=id
                    data-chosen=of(Binding::Chosen)
                    data-absent=of(Binding::Absent)
                    data-open=of(Binding::Open)
                    data-unrated=of(Binding::Unrated)
                >
                    <line class="tier-rule" x1="0" x2="100%" y1=top y2=top></line>
                    <text class="tier-figure" x="0" y=top + 15>{of(Binding::Capacity)}</text>
                    <text class="tier-name" x="50%" y=top + 15>{of(Binding::Name)}</text>
                    <text class="tier-figure tier-rate" x="100%" y=top + 15>{of(Binding::Bandwidth)}</text>
                    <line class="tier-open" x1="0" x2=percent(WING) y1=top + 33 y2=top + 33></line>
                    <line class="tier-unrated" x1=percent(100.0 - WING) x2="100%" y1=top + 33 y2=top + 33></line>
                    <rect class="tier-bar" x=of(Binding::HoldsFrom) width=of(Binding::Holds) y=top + 27 height="12"></rect>
                    <rect class="tier-bar" x=percent(100.0 - WING) width=of(Binding::Moves) y=top + 27 height="12"></rect>
                </g>
            }
        })
        .collect_view();
    // What own memory moves, beside each bar: between them stand figures.
    let mark = live(Binding::MovesTo(Tier::Own));
    let marks = (0..Tier::ALL.len())
        .map(|place| {
            let top = TOP + ROW * place + 25;
            view! { <line class="tier-mark" x1=mark.clone() x2=mark.clone() y1=top y2=top + 16></line> }
        })
        .collect_view();
    view! {
        <svg class="drawing tiers" role="img" aria-labelledby="tier-title tier-sentence" height=HEIGHT>
            {grid} {rows} {marks}
            <text class="axis-title tier-rate" x=mark dx="4" y=HEIGHT - 8>{words::tier_mark()}</text>
            <text class="axis-title" x="0" y="8">{words::tier_holds()}</text>
            <text class="axis-title tier-rate" x="100%" y="8">{words::tier_moves()}</text>
        </svg>
    }
    .into_any()
}

fn table() -> AnyView {
    let rows = Tier::ALL
        .iter()
        .map(|tier| {
            let of = |binding: fn(Tier) -> Binding| live(binding(*tier));
            view! {
                <tr data-chosen=of(Binding::Chosen)>
                    <th scope="row">{of(Binding::Name)}</th>
                    <td>{of(Binding::Capacity)}</td>
                    <td>{of(Binding::Bandwidth)}</td>
                    <td>{of(Binding::Latency)}</td>
                    <td>{of(Binding::Against)}</td>
                    <td>{of(Binding::Ceiling)}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = table::heads([
        words::tier_table_tier(),
        words::tier_table_holds(),
        words::tier_table_moves(),
        words::tier_table_latency(),
        words::tier_table_against(),
        words::tier_table_ceiling(),
    ]);
    Table {
        name: words::tier_table(),
        class: "tier-table",
        caption: None,
        heads,
        rows: rows.into_any(),
        note: Some(words::tier_table_note().into()),
    }
    .folded()
}

/// The figure.
pub fn view() -> AnyView {
    view! {
        <div class="hierarchy">
            <p class="figure-title" id="tier-title">{words::tier_title()} " " {bound::<rig::Model>(rig::Binding::Gpu)}</p>
            {drawing()} {group("hierarchy", "")} <p class="summary tier-sentence" id="tier-sentence">{live(Binding::Sentence)}</p> {table()}
        </div>
    }
    .into_any()
}
