//! The page: plans side by side, the inputs of one, and the tables under them.

use leptos::prelude::*;

use crate::board::Board;
use crate::desk::Desk;
use crate::frontier::Frontier;
use crate::inputs::Inputs;
use crate::maps::Maps;
use crate::out::{Bring, Out, Unit};
use crate::plans::{Plans, name};
use crate::tables::{Buckets, Differences, Figures};
use crate::words;

/// Everything that is operated. It is drawn when the page is built, and hydrated in the browser.
#[component]
pub(crate) fn Planner(desk: Desk) -> impl IntoView {
    let chosen = move || name(desk, desk.with(Board::chosen));
    let verdict = move || {
        let said = desk.outcome(desk.with(Board::chosen), |outcome| outcome.said.clone()).unwrap_or_default();
        words::BarVerdict { name: &chosen(), verdict: &said.verdict }.text()
    };
    let step = move |back: bool, label: &'static str| {
        let can = move || {
            let [past, future] = desk.ways();
            if back { past } else { future }
        };
        view! {
            <button type="button" class="plain-button" disabled=move || !can() on:click=move |_| desk.travel(back)>
                {label}
            </button>
        }
    };
    let notices = move || desk.notices.with(|all| all.join(" "));
    view! {
        <p class="notice" role="status" hidden=move || desk.notices.with(Vec::is_empty)>
            {notices}
        </p>
        <div class="desk">
            <div class="bar">
                <span class="bar-verdict" aria-hidden="true">
                    {verdict}
                </span>
                <span class="bar-acts">
                    {step(true, words::undo())} {step(false, words::redo())}
                    <button
                        type="button"
                        class="plain-button"
                        disabled=move || !desk.with(Board::has_room)
                        on:click=move |_| desk.edit(None, |board| board.duplicate(board.chosen()))
                    >
                        {words::add()}
                    </button>
                    <Unit desk />
                </span>
                <p class="changed" aria-hidden="true" hidden=move || desk.changed.with(String::is_empty)>
                    {move || desk.changed.get()}
                </p>
            </div>
            <section class="board" aria-labelledby="plans-title">
                <h2 id="plans-title" class="visually-hidden">{words::plans()}</h2>
                <Plans desk />
            </section>
            <section class="side" aria-labelledby="inputs-title">
                <h2 id="inputs-title">{words::inputs_title()} " " <span class="side-name">{chosen}</span></h2>
                <Inputs desk />
            </section>
            <section class="answers" aria-labelledby="answers-title">
                <h2 id="answers-title">{words::answers_title()}</h2>
                <Differences desk />
                <Figures desk />
                <Buckets desk />
                <p class="caption">{words::answers_about()}</p>
                <Frontier desk />
            </section>
            <Maps desk />
            <section class="take" aria-labelledby="take-title">
                <h2 id="take-title">{words::take_title()}</h2>
                <div class="take-columns">
                    <div>
                        <h3>{words::out_title()}</h3>
                        <Out desk />
                    </div>
                    <div>
                        <h3>{words::in_title()}</h3>
                        <Bring desk />
                    </div>
                </div>
            </section>
            <p class="visually-hidden" role="status">
                {move || desk.spoken.get()}
            </p>
        </div>
    }
}
