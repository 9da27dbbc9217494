//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::display::{Grouped, Percent};
use memory_wall_core::memory::paging::EXAMPLE;

use super::model::{Binding, Model, Runtime, Share};
use crate::charts::wall::percent;
use crate::figures::{bound, rig};
use crate::widgets::table::{self, Table};
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// Height of a line of memory, and the distance from one to the next, in pixels.
const LINE: usize = 13;
const STEP: usize = 18;

/// A stretch of memory from one token to another, over as many lines as it takes; each line is one slot long.
fn stretch(class: &'static str, from: u64, to: u64) -> AnyView {
    let slot = u64::from(EXAMPLE.longest);
    let pieces = (from / slot..=to.saturating_sub(1) / slot)
        .map(|line| {
            let start = from.max(line * slot) - line * slot;
            let end = to.min((line + 1) * slot) - line * slot;
            let part = |tokens: u64| percent(tokens as f64 / slot as f64 * 100.0);
            // No more lines than there are sequences.
            let y = usize::try_from(line).unwrap_or_default() * STEP;
            let rect = |fill| {
                view! { <rect x=part(start) width=part(end - start) y=y height=LINE fill=fill></rect> }
            };
            view! {
                <g class=class>
                    {rect(None)} {(class == "page-prefix").then(|| rect(Some("url(#masonry-brick)")))}
                    <rect class="page-end" x=part(end) width="1.5" y=y height=LINE></rect>
                </g>
            }
        })
        .collect_view();
    view! { {pieces} }.into_any()
}

/// What is filled of the memory in one way of setting it aside: stretches of common beginnings and of what follows.
fn filled(way: &str) -> AnyView {
    let slot = u64::from(EXAMPLE.longest);
    let prefix = EXAMPLE.prefix();
    let mut at = 0;
    let stretches = EXAMPLE
        .tokens
        .iter()
        .enumerate()
        .map(|(place, tokens)| {
            let tokens = u64::from(*tokens);
            let from = if way == "slots" { place as u64 * slot } else { at };
            let first = if way == "shared" && place > 0 { 0 } else { prefix };
            let own = if way == "slots" {
                tokens - prefix
            } else {
                let page = u64::from(EXAMPLE.page);
                tokens.div_ceil(page) * page - prefix
            };
            at = from + first + own;
            view! {
                {(first > 0).then(|| stretch("page-prefix", from, from + first))}
                {stretch("page-own", from + first, at)}
            }
        })
        .collect_view();
    view! { {stretches} }.into_any()
}

fn way(id: &'static str, name: &'static str, bytes: Binding, set_aside: u64) -> AnyView {
    let slots = EXAMPLE.tokens.len();
    let lines = (0..slots)
        .map(|line| {
            let reserved = if id == "slots" { "page-line page-reserved" } else { "page-line" };
            view! { <rect class=reserved x="0" width="100%" y=line * STEP height=LINE></rect> }
        })
        .collect_view();
    let used = Percent(EXAMPLE.used() as f64 / EXAMPLE.slots() as f64).to_string();
    let share = if id == "slots" {
        words::CacheWayUseful { share: &used }.text()
    } else {
        let less = Percent(1.0 - set_aside as f64 / EXAMPLE.slots() as f64).to_string();
        words::CacheWayLess { share: &less }.text()
    };
    view! {
        <div class="way" data-way=id>
            <p class="way-name">{name}</p>
            <p class="way-sum">
                <strong>{live(bytes)}</strong>
                " · "
                {words::CacheWayTokens { n: &Grouped(set_aside.into()).to_string() }.text()}
            </p>
            <svg class="drawing pages" height=STEP * slots aria-hidden="true">
                {lines} {filled(id)}
            </svg>
            <p class="way-share">{share}</p>
        </div>
    }
    .into_any()
}

/// Six sequences in three ways of setting memory aside.
pub fn view() -> AnyView {
    let n = |n: u64| Grouped(n.into()).to_string();
    let count = n(EXAMPLE.tokens.len() as u64);
    let used = n(EXAMPLE.used());
    let longest = n(EXAMPLE.longest.into());
    let page = n(EXAMPLE.page.into());
    let shared = n(EXAMPLE.prefix());
    let slots = n(EXAMPLE.slots());
    let pages = n(EXAMPLE.pages());
    let pages_shared = n(EXAMPLE.shared_pages());
    let model = bound::<rig::Model>(rig::Binding::Model);

    let title = words::CacheWays { n: &count }.text();
    let key = words::CacheWaysKey { longest: &longest, shared: &shared, n: &count }.text();
    let sentence = words::CacheWaysSentence {
        used: &used,
        longest: &longest,
        slots: &slots,
        page: &page,
        pages: &pages,
        pages_shared: &pages_shared,
        model: &model,
    }
    .text();
    let runtimes = Runtime::ALL.into_iter().map(|runtime| {
        let cells = [Binding::Bytes(runtime), Binding::Times(runtime)].map(live);
        table::texts(words::runtime(runtime), cells)
    });
    let runtimes = Table {
        name: words::cache_runtimes(),
        class: "program-table",
        caption: None,
        heads: table::heads([words::cache_runtime(), words::cache_runtime_bytes(), words::cache_runtime_times()]),
        rows: runtimes.collect_view().into_any(),
        note: Some(words::cache_runtimes_note().into()),
    };
    let pools = Share::ALL.map(|share| {
        let cells = [Binding::Taken, Binding::Pool, Binding::Tokens, Binding::Requests].map(|cell| live(cell(share)));
        table::texts(Percent(f64::from(share.percent()) / 100.0).to_string(), cells)
    });
    let pools = Table {
        name: words::cache_pool(),
        class: "program-table",
        caption: None,
        heads: table::heads([
            words::cache_pool_share(),
            words::cache_pool_taken(),
            words::cache_pool_bytes(),
            words::cache_pool_tokens(),
            words::cache_pool_requests(),
        ]),
        rows: pools.into_iter().collect_view().into_any(),
        note: Some(words::cache_pool_note().into()),
    };
    view! {
        <div class="ways-figure">
            <p class="figure-title">{title}</p>
            <p class="caption">{key}</p>
            <div class="ways" role="img" aria-labelledby="cache-ways-sentence">
                {way("slots", words::cache_way_slots(), Binding::Slots, EXAMPLE.slots())}
                {way("pages", words::cache_way_pages(), Binding::Pages, EXAMPLE.pages())}
                {way("shared", words::cache_way_shared(), Binding::Shared, EXAMPLE.shared_pages())}
            </div>
            <p class="summary" id="cache-ways-sentence">{sentence}</p>
            <p class="summary">{live(Binding::Sentence)}</p>
            {pools.folded()}
            {runtimes.folded()}
        </div>
    }
    .into_any()
}
