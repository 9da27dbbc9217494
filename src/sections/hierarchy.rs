//! Section 1: how far is a byte? The tiers of the card, what each holds to the left and what it moves to the right.

use leptos::prelude::*;
use memory_wall_core::hierarchy::Tier;

use super::levers::row;
use super::masonry::{flag, live};
use crate::charts::hierarchy::{HOLDS, MOVES, WING, bar};
use crate::charts::wall::percent;
use crate::widgets::choice::worded;
use crate::widgets::table::{self, Table};
use crate::words::t;

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
            let of = |what: &str| live(&format!("tier.{id}.{what}"));
            let flag = |what: &str| flag(&format!("tier.{id}.{what}"));
            let top = TOP + ROW * place;
            view! {
                <g
                    class="tier"
                    data-tier=id
                    data-chosen=flag("chosen")
                    data-absent=flag("absent")
                    data-open=flag("open")
                    data-unrated=flag("unrated")
                >
                    <line class="tier-rule" x1="0" x2="100%" y1=top y2=top></line>
                    <text class="tier-figure" x="0" y=top + 15>{of("capacity")}</text>
                    <text class="tier-name" x="50%" y=top + 15>{of("name")}</text>
                    <text class="tier-figure tier-rate" x="100%" y=top + 15>{of("bandwidth")}</text>
                    <line class="tier-open" x1="0" x2=percent(WING) y1=top + 33 y2=top + 33></line>
                    <line class="tier-unrated" x1=percent(100.0 - WING) x2="100%" y1=top + 33 y2=top + 33></line>
                    <rect class="tier-bar" x=of("holds_from") width=of("holds") y=top + 27 height="12"></rect>
                    <rect class="tier-bar" x=percent(100.0 - WING) width=of("moves") y=top + 27 height="12"></rect>
                </g>
            }
        })
        .collect_view();
    // What own memory moves, beside each bar: between them stand figures.
    let mark = live("tier.own.moves_to");
    let marks = (0..Tier::ALL.len())
        .map(|place| {
            let top = TOP + ROW * place + 25;
            view! { <line class="tier-mark" x1=mark.clone() x2=mark.clone() y1=top y2=top + 16></line> }
        })
        .collect_view();
    view! {
        <svg class="tiers" role="img" aria-labelledby="tier-title tier-sentence" height=HEIGHT>
            {grid} {rows} {marks}
            <text class="axis-title tier-rate" x=mark dx="4" y=HEIGHT - 8>{t("tier.mark")}</text>
            <text class="axis-title" x="0" y="8">{t("tier.holds")}</text>
            <text class="axis-title tier-rate" x="100%" y="8">{t("tier.moves")}</text>
        </svg>
    }
    .into_any()
}

fn table() -> AnyView {
    let rows = Tier::ALL
        .iter()
        .map(|tier| {
            let id = tier.id();
            let of = |what: &str| live(&format!("tier.{id}.{what}"));
            view! {
                <tr data-chosen=flag(&format!("tier.{id}.chosen"))>
                    <th scope="row">{of("name")}</th>
                    <td>{of("capacity")}</td>
                    <td>{of("bandwidth")}</td>
                    <td>{of("latency")}</td>
                    <td>{of("against")}</td>
                    <td>{of("ceiling")}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = table::heads(&[
        "tier.table.tier",
        "tier.table.holds",
        "tier.table.moves",
        "tier.table.latency",
        "tier.table.against",
        "tier.table.ceiling",
    ]);
    Table {
        name: t("tier.table"),
        class: "tier-table",
        caption: None,
        heads,
        rows: rows.into_any(),
        note: Some(t("tier.table.note").into()),
    }
    .folded()
}

/// Where the weights are thought to lie.
fn tiers() -> AnyView {
    row("tier", t("tier.control"), Tier::ALL.iter().map(|tier| worded("tier.name", tier.id())).collect())
}

/// The tiers, and the ceiling of the one that is chosen.
pub fn hierarchy() -> AnyView {
    view! {
        <div class="hierarchy">
            <p class="figure-title" id="tier-title">{t("tier.title")} " " {live("gpu")}</p>
            {drawing()} {tiers()} <p class="summary tier-sentence" id="tier-sentence">{live("tier.sentence")}</p> {table()}
        </div>
    }
    .into_any()
}
