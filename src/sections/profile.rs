//! Section 10: what an estimate is compared with, and what lies between it and the driver's number.

use leptos::prelude::*;
use memory_wall_core::profile::{LONGEST, Row};

use super::masonry::{flag, live};
use super::reasons::reasons;
use crate::charts::profile::PEAK;
use crate::controls::MEASURED;
use crate::widgets::field;
use crate::widgets::prediction::{guess, reveal};
use crate::widgets::table::{self, Table};
use crate::words::{self, t};

/// Height of one row of the drawing, in pixels.
const ROW: usize = 44;

/// Which of the three numbers the estimate speaks of.
pub fn peak() -> AnyView {
    let why = |option: &str| {
        let key = match option {
            "allocated" => "profile.peak.allocated",
            "reserved" => "profile.peak.reserved",
            _ => "profile.peak.used",
        };
        t(key).to_owned()
    };
    view! {
        <div class="profile-peak">
            <div class="part">{guess(&PEAK, "peak", t("profile.peak.question").into())} {reveal(&PEAK)}</div>
            <p class="sort-score">{live("predict.outcome.peak")}</p>
            {reasons(&PEAK, "peak", why)}
        </div>
    }
    .into_any()
}

fn drawing() -> AnyView {
    let rows = Row::ALL
        .iter()
        .enumerate()
        .map(|(place, row)| {
            let id = row.id();
            let of = |what: &str| live(&format!("profile.{id}.{what}"));
            let when = |what: &str| flag(&format!("profile.{id}.{what}"));
            let top = ROW * place;
            let step = matches!(row, Row::Unexplained | Row::Kept | Row::Outside);
            view! {
                <g class="fall" data-step=step.then_some("") data-absent=when("absent") data-expected=when("expected")>
                    <line class="fall-rule" x1="0" x2="100%" y1=top y2=top></line>
                    <text class="fall-name" x="0" y=top + 15>{of("name")}</text>
                    <text class="fall-figure" x="100%" y=top + 15>{of("value")}</text>
                    <rect class="fall-bar" x=of("x") width=of("width") y=top + 26 height="11"></rect>
                </g>
            }
        })
        .collect_view();
    view! {
        <svg class="falls" role="img" aria-labelledby="profile-title profile-sentence" height=ROW * Row::ALL.len()>
            {rows}
        </svg>
    }
    .into_any()
}

fn table() -> AnyView {
    let rows = Row::ALL
        .iter()
        .map(|row| {
            let id = row.id();
            view! {
                <tr>
                    <th scope="row">{live(&format!("profile.{id}.name"))}</th>
                    <td>{live(&format!("profile.{id}.value"))}</td>
                    <td>{words::choice("profile.meaning", id)}</td>
                </tr>
            }
        })
        .collect_view();
    Table {
        name: t("profile.table"),
        class: "profile-table",
        caption: Some(t("profile.table.caption")),
        heads: table::heads(&["profile.table.row", "profile.table.size", "profile.table.meaning"]),
        rows: rows.into_any(),
        note: None,
    }
    .folded()
}

/// Where the reader's own numbers go in: pasted, or typed one by one.
fn own() -> AnyView {
    let fields = MEASURED
        .iter()
        .zip(["profile.field.allocated", "profile.field.reserved", "profile.field.used"])
        .map(|(control, label)| field::labelled(control, t(label).into(), "control control-decimal", "text"))
        .collect_view();
    view! {
        <div class="profile-own">
            <label for="profile-paste">{t("profile.paste")}</label>
            <p class="caption" id="profile-hint">{t("profile.paste.hint")}</p>
            // One more than is read, so that a longer text is said to be cut.
            <textarea
                id="profile-paste"
                rows="4"
                maxlength=LONGEST + 1
                spellcheck="false"
                autocomplete="off"
                aria-describedby="profile-hint profile-said"
                placeholder=t("profile.paste.example")
            ></textarea>
            <p class="profile-said" id="profile-said" role="status"></p>
            <details class="more">
                <summary>{t("profile.fields")}</summary>
                <fieldset aria-label=t("profile.fields")>
                    <div class="roofline-fields">{fields}</div>
                </fieldset>
            </details>
            <button type="button" class="plain-button" data-act="unmeasure" hidden=flag("profile.example")>
                {t("profile.again")}
            </button>
        </div>
    }
    .into_any()
}

/// The rows between estimate and driver, in words and as a table, and what the reader may put in.
pub fn profile() -> AnyView {
    view! {
        <div class="profile">
            <p class="figure-title" id="profile-title">{t("profile.title")}</p>
            <p class="caption">{live("profile.about")}</p>
            {drawing()} <div data-later="">
                <p class="summary" id="profile-sentence">{live("profile.sentence")}</p>
            </div> {table()} {own()}
        </div>
    }
    .into_any()
}
