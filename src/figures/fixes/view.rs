//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;

use super::model::{Binding, Fix, Model};
use crate::components::group;
use crate::figures::{bound, dash, rig};
use crate::state::State;
use crate::widgets::table::{self, Table};
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// How many times as long a step takes with a fix: a rough estimate.
pub(super) fn time(fix: Fix, state: &State) -> String {
    fix.applied(state).map_or_else(
        || dash().into(),
        |[before, after]| format!("{:.1}×", memory_wall_core::cost::time_ratio(&before, &after)),
    )
}

/// The figure.
pub fn view() -> AnyView {
    let [one, many] = [1, 8].map(|batch| State { batch, ..State::default() });
    let rows = Fix::ALL
        .into_iter()
        .map(|fix| {
            view! {
                <tr>
                    <th scope="row">
                        {words::fix(fix)} <span class="fix-acts">{words::fix_acts(fix)}</span>
                    </th>
                    <td class="fix-saved" data-head=words::train_fixes_saved()>{live(Binding::Saved(fix))}</td>
                    <td data-head=words::train_fixes_total()>{live(Binding::Total(fix))}</td>
                    <td data-head=words::train_fixes_left()>{live(Binding::Left(fix))}</td>
                    <td data-head=words::train_fixes_time()>
                        <span>{time(fix, &one)} " → " {time(fix, &many)}</span>
                    </td>
                    <td class="fix-price">{words::fix_price(fix)}</td>
                </tr>
            }
        })
        .collect_view();
    let table = Table {
        name: words::train_fixes_caption(),
        class: "fix-table",
        caption: None,
        heads: table::heads([
            words::train_fixes_what(),
            words::train_fixes_saved(),
            words::train_fixes_total(),
            words::train_fixes_left(),
            words::train_fixes_time(),
            words::train_fixes_price(),
        ]),
        rows: rows.into_any(),
        note: Some(words::train_fixes_note().into()),
    };
    view! {
        <div class="fixes">
            <p class="figure-title">{words::train_fixes_title()} " " {bound::<rig::Model>(rig::Binding::Model)}</p>
            {table.open()}
            <details class="more">
                <summary>{words::train_lora()}</summary>
                {group("fixes", "more-inner")}
            </details>
        </div>
    }
    .into_any()
}
