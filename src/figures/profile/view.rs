//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::profile::{LONGEST, Row};

use super::model::{Binding, Model};
use crate::components::group;
use crate::figures::bound;
use crate::widgets::table::{self, Table};
use crate::words;

/// Height of one row of the drawing, in pixels.
const ROW: usize = 44;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

fn drawing() -> AnyView {
    let rows = Row::ALL
        .iter()
        .enumerate()
        .map(|(place, row)| {
            let row = *row;
            let top = ROW * place;
            let step = matches!(row, Row::Unexplained | Row::Kept | Row::Outside);
            view! {
                <g class="fall" data-step=step.then_some("") data-absent=live(Binding::Absent(row)) data-expected=live(Binding::Expected(row))>
                    <line class="fall-rule" x1="0" x2="100%" y1=top y2=top></line>
                    <text class="fall-name" x="0" y=top + 15>{live(Binding::Name(row))}</text>
                    <text class="fall-figure" x="100%" y=top + 15>{live(Binding::Value(row))}</text>
                    <rect class="fall-bar" x=live(Binding::X(row)) width=live(Binding::Width(row)) y=top + 26 height="11"></rect>
                </g>
            }
        })
        .collect_view();
    view! {
        <svg class="drawing falls" role="img" aria-labelledby="profile-title profile-sentence" height=ROW * Row::ALL.len()>
            {rows}
        </svg>
    }
    .into_any()
}

fn table() -> AnyView {
    let rows = Row::ALL
        .iter()
        .map(|row| {
            let row = *row;
            view! {
                <tr>
                    <th scope="row">{live(Binding::Name(row))}</th>
                    <td>{live(Binding::Value(row))}</td>
                    <td>{words::profile_meaning(row)}</td>
                </tr>
            }
        })
        .collect_view();
    Table {
        name: words::profile_table(),
        class: "profile-table",
        caption: Some(words::profile_table_caption()),
        heads: table::heads([words::profile_table_row(), words::profile_table_size(), words::profile_table_meaning()]),
        rows: rows.into_any(),
        note: None,
    }
    .folded()
}

/// Where files are handed over, and what is read from them and from what is pasted. Its script shows it, `tools/site/src/explain/`.
fn explain() -> AnyView {
    view! {
        <div
            id="explain"
            hidden
            data-reading=words::explain_reading()
            data-found=words::explain_found()
            data-nothing=words::explain_nothing()
            data-failed=words::explain_failed()
            data-unread=words::explain_unread()
            data-cause=words::explain_cause()
            data-against=words::explain_against()
            data-notes=words::explain_notes()
            data-fill=words::explain_fill()
            data-filled=words::explain_filled()
            data-fixes=words::explain_fixes()
            data-what=words::explain_what()
            data-value=words::explain_value()
            data-line=words::explain_line()
            data-part=words::explain_part()
            data-count=words::explain_count()
            data-size=words::explain_size()
        >
            <label for="explain-files">{words::explain_choose()}</label>
            <p class="caption" id="explain-hint">{words::explain_hint()}</p>
            <input type="file" id="explain-files" multiple aria-describedby="explain-hint" />
            <p class="explain-said" role="status"></p>
            <div class="explain-found" role="region" aria-label=words::explain_found() hidden></div>
        </div>
    }
    .into_any()
}

/// Where the reader's own numbers go in: pasted, or typed one by one.
fn own() -> AnyView {
    view! {
        <div class="profile-own">
            <label for="profile-paste">{words::profile_paste()}</label>
            <p class="caption" id="profile-hint">{words::profile_paste_hint()}</p>
            // One more than is read, so that a longer text is said to be cut.
            <textarea
                id="profile-paste"
                rows="4"
                maxlength=LONGEST + 1
                spellcheck="false"
                autocomplete="off"
                aria-describedby="profile-hint profile-said"
                placeholder=words::profile_paste_example()
            ></textarea>
            <p class="profile-said" id="profile-said" role="status"></p>
            {explain()}
            <details class="more">
                <summary>{words::profile_fields()}</summary>
                <fieldset aria-label=words::profile_fields()>
                    {group("profile", "roofline-fields")}
                </fieldset>
            </details>
            <button type="button" class="plain-button" data-act="unmeasure" hidden=live(Binding::Example)>
                {words::profile_again()}
            </button>
        </div>
    }
    .into_any()
}

/// The rows between estimate and driver, in words and as a table, and what the reader may put in.
pub fn view() -> AnyView {
    view! {
        <div class="profile">
            <p class="figure-title" id="profile-title">{words::profile_title()}</p>
            <p class="caption">{live(Binding::About)}</p>
            {drawing()} <div data-later="">
                <p class="summary" id="profile-sentence">{live(Binding::Sentence)}</p>
            </div> {table()} {own()}
        </div>
    }
    .into_any()
}
