//! How the figure is drawn, once, when the page is built: the whole minute, as it is at its end.

use leptos::prelude::*;
use memory_wall_core::server::MINUTE;
use memory_wall_minute::{Film, Moment, Paths, SECONDS, Summary};

use super::servers;
use crate::components::group;
use crate::widgets::table::{self, Table};
use crate::words;

/// Seconds between the rows of the table.
const ROWS: u64 = 10;

/// A drawing that the program fills again.
fn drawing(class: &'static str, view_box: String, paths: AnyView) -> AnyView {
    view! {
        <svg class=class viewBox=view_box preserveAspectRatio="none" aria-hidden="true">
            {paths}
        </svg>
    }
    .into_any()
}

fn path(class: &'static str, d: String) -> AnyView {
    view! { <path class=class d=d></path> }.into_any()
}

/// What is said of a moment, by name.
fn readout(moment: &Moment) -> AnyView {
    let [ttft, tpot] = [&moment.ttft, &moment.tpot].map(|[median, most]| format!("{median} / {most}"));
    let lines = [
        (words::minute_running(), moment.running.clone()),
        (words::minute_waiting(), moment.waiting.clone()),
        (words::minute_preempted(), moment.preempted.clone()),
        (words::minute_share(), moment.share.clone()),
        (words::minute_saved(), moment.saved.clone()),
        (words::minute_empty(), moment.empty.clone()),
        (words::minute_rate(), moment.rate.clone()),
        (words::minute_ttft(), ttft),
        (words::minute_tpot(), tpot),
    ]
    .map(|(name, value)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        }
    });
    view! { <dl class="minute-now">{lines.into_iter().collect_view()}</dl> }.into_any()
}

/// What develops, every ten seconds.
fn table(film: &Film) -> AnyView {
    let rows = (1..=SECONDS / ROWS).map(|row| {
        let moment = Moment::of(film, row * ROWS * (MINUTE / SECONDS));
        let [ttft, tpot] = [moment.ttft, moment.tpot].map(|[median, most]| format!("{median} / {most}"));
        let cells = [moment.running, moment.waiting, moment.preempted, moment.share, moment.rate, ttft, tpot];
        table::texts(moment.time, cells)
    });
    Table {
        name: words::minute_table(),
        class: "minute-table",
        caption: None,
        heads: table::heads([
            words::minute_time(),
            words::minute_running(),
            words::minute_waiting(),
            words::minute_preempted(),
            words::minute_share(),
            words::minute_rate(),
            words::minute_ttft(),
            words::minute_tpot(),
        ]),
        rows: rows.collect_view().into_any(),
        note: None,
    }
    .folded()
}

/// The sentence about the whole minute.
fn sentence(summary: &Summary) -> String {
    let Summary { requests, done, preempted, pages, written } = summary;
    words::MinuteSentence { requests, done, pages, preempted, written }.text()
}

/// The figure.
pub fn view() -> AnyView {
    let Some(server) = servers::first() else { return ().into_any() };
    let Some(film) = server.settings(&servers::LOAD, servers::PAGE, server.usual()).and_then(|it| Film::of(it).ok())
    else {
        return ().into_any();
    };
    let paths = Paths::of(&film);
    let [waiting, prefill, decode, preempted] = paths.stages;
    let lanes = [
        ("minute-waiting", waiting),
        ("minute-prefill", prefill),
        ("minute-decode", decode),
        ("minute-preempted", preempted),
    ];
    let lanes = lanes.map(|(class, d)| path(class, d)).collect_view().into_any();
    let pool = format!("M0 {}h120", paths.pool);
    let pages = [("minute-used", paths.used), ("minute-apart", paths.apart), ("minute-pool", pool)];
    let pages = pages.map(|(class, d)| path(class, d)).collect_view().into_any();
    let title = server.title();
    view! {
        <div class="minute">
            <p class="figure-title">{title}</p>
            {group("minute", "minute-operated")}
            <div class="minute-film">
                <div class="minute-drawings" role="img" aria-labelledby="minute-sentence">
                    <p class="phase-name">
                        {words::minute_lanes()} " " <b class="minute-of-waiting">{words::minute_stage_waiting()}</b> ", "
                        <b>{words::minute_stage_prefill()}</b> ", "
                        <b class="minute-of-decode">{words::minute_stage_decode()}</b> ", "
                        <b class="minute-of-pages">{words::minute_stage_preempted()}</b>
                    </p>
                    {drawing("drawing minute-lanes", paths.lanes, lanes)}
                    <p class="phase-name">
                        <b class="minute-of-pages">{words::minute_pages()}</b> " " {words::minute_pages_more()}
                    </p>
                    {drawing("drawing minute-pages", "0 0 120 100".into(), pages)}
                    <p class="phase-name">
                        <b class="minute-of-decode">{words::minute_rates()}</b> " " {words::minute_rates_top()} " "
                        <span class="minute-top">{paths.top}</span>
                    </p>
                    {drawing("drawing minute-rate", "0 0 60 100".into(), path("minute-written", paths.rate))}
                </div>
                <p class="minute-axis" aria-hidden="true">
                    {(0..=SECONDS / ROWS).map(|row| view! { <span>{row * ROWS}</span> }).collect_view()}
                </p>
                {readout(&Moment::of(&film, MINUTE))}
                <p class="summary" id="minute-sentence">{sentence(&Summary::of(&film))}</p>
                {table(&film)}
            </div>
        </div>
    }
    .into_any()
}
