//! Section 2: eight operations to be sorted by what holds them back, and the same eight on the next card.

use leptos::prelude::*;
use memory_wall_core::display::{Count, Figure, Grouped};
use memory_wall_core::roofline::{Accounting, Kernel};
use memory_wall_core::tables::gpus;

use super::masonry::{flag, live};
use super::reasons::reasons;
use crate::charts::sort::{
    BYTES, CARDS, DECADES, OPERATIONS, Operation, RIDGE, SIDES, flops, middle, ridge, roof, waiting, x,
};
use crate::charts::wall::percent;
use crate::widgets::prediction::{guess, reveal};
use crate::words::{self, fill, fill_with, t};

fn figure(number: f64) -> String {
    Figure(number).to_string()
}

fn card_name(card: &str) -> &'static str {
    gpus::by_id(card).map_or("", |gpu| gpu.name)
}

fn ridge_of(card: &str) -> String {
    roof(card).map(|roof| figure(roof.ridge().0)).unwrap_or_default()
}

/// How many times as fast the second card is in something.
fn leap(what: fn(memory_wall_core::roofline::Roof) -> f64) -> String {
    let [from, to] = CARDS.map(|card| roof(card).map(what).unwrap_or_default());
    figure(to / from)
}

/// The numbers that an operation's sentences may name.
fn named(operation: &Operation) -> [(&'static str, String); 6] {
    let n = |number: u64| Grouped(number.into()).to_string();
    let [mut columns, mut rows, mut batch, mut group, mut eager] = [const { String::new() }; 5];
    match operation.kernel {
        Kernel::Gemm { m, n: of, .. } => [rows, columns] = [n(m), n(of)],
        Kernel::KvRead { batch: of, heads, kv_heads, .. } => [batch, group] = [n(of), n(heads / kv_heads.max(1))],
        Kernel::FlashAttention { batch, seq_length, heads, kv_heads, head_dim } => {
            let apart = Kernel::EagerAttention { batch, seq_length, heads, kv_heads, head_dim };
            eager = figure(apart.work(BYTES).intensity(Accounting::ReadsAndWrites).0);
        }
        _ => {}
    }
    let intensity = figure(operation.intensity());
    [("n", columns), ("m", rows), ("batch", batch), ("group", group), ("eager", eager), ("intensity", intensity)]
}

/// Its shape in words.
fn shape(operation: &Operation) -> String {
    let n = |number: u64| Grouped(number.into()).to_string();
    match operation.kernel {
        Kernel::Gemm { m, n: columns, k } => fill("sort.shape.gemm", &[("m", &n(m)), ("n", &n(columns)), ("k", &n(k))]),
        Kernel::FlashAttention { seq_length, heads, kv_heads, .. } => {
            let values = [("tokens", n(seq_length)), ("heads", n(heads)), ("kv_heads", n(kv_heads))];
            fill_with("sort.shape.prompt", &values)
        }
        Kernel::KvRead { batch, context, heads, kv_heads, .. } => {
            let values = [("batch", n(batch)), ("tokens", n(context)), ("heads", n(heads)), ("kv_heads", n(kv_heads))];
            fill_with("sort.shape.cache", &values)
        }
        Kernel::Relu { elements } | Kernel::LayerNorm { elements } | Kernel::Softmax { elements } => {
            fill("sort.shape.each", &[("n", &Count(elements).to_string())])
        }
        _ => String::new(),
    }
}

/// Why an operation is on its side, and the slip behind a guess at the other.
fn explained(operation: &Operation) -> [String; 2] {
    let said = named(operation);
    let values = [
        ("n", said[0].1.as_str()),
        ("m", said[1].1.as_str()),
        ("batch", said[2].1.as_str()),
        ("group", said[3].1.as_str()),
        ("eager", said[4].1.as_str()),
        ("intensity", said[5].1.as_str()),
    ];
    let why = match operation.id {
        "gemm" => "sort.why.gemm",
        "relu" => "sort.why.relu",
        "token" => "sort.why.token",
        "softmax" => "sort.why.softmax",
        "batch" => "sort.why.batch",
        "flash" => "sort.why.flash",
        "layer_norm" => "sort.why.layer_norm",
        _ => "sort.why.cache",
    };
    let slip = match operation.id {
        "gemm" => "sort.slip.gemm",
        "relu" => "sort.slip.relu",
        "token" => "sort.slip.token",
        "softmax" => "sort.slip.softmax",
        "batch" => "sort.slip.batch",
        "flash" => "sort.slip.flash",
        "layer_norm" => "sort.slip.layer_norm",
        _ => "sort.slip.cache",
    };
    [fill(why, &values), fill(slip, &values)]
}

/// The side of an operation on a card, in a word.
fn side(operation: &Operation, card: &str) -> String {
    operation.bound(card).map(|bound| SIDES.option(bound.id())).unwrap_or_default()
}

/// The scale above the strips: decades, and the ridge with its name.
fn scale() -> AnyView {
    let ticks = [(0.1, "0.1"), (1.0, "1"), (10.0, "10"), (100.0, "100"), (1_000.0, "1,000"), (10_000.0, "10,000")]
        .map(|(intensity, label)| view! { <text class="tick-label" x=percent(x(intensity)) y="78%">{label}</text> })
        .into_iter()
        .collect_view();
    view! {
        <svg class="strip strip-scale" aria-hidden="true">
            {ticks}
            <rect class="strip-ridge" x=live("sort.ridge") y="30%" width="2" height="24%"></rect>
            <text class="ridge-label" x=live("sort.ridge") y="14%">{live("sort.ridge_label")}</text>
        </svg>
    }
    .into_any()
}

/// Where an operation stands: the guess as a ghost, the truth as a dot.
fn strip(operation: &Operation) -> AnyView {
    let id = operation.id;
    let decades = (DECADES.0..=DECADES.1)
        .map(|power| {
            let at = percent(f64::from(power - DECADES.0) / f64::from(DECADES.1 - DECADES.0) * 100.0);
            view! { <line class="grid" x1=at.clone() x2=at y1="30%" y2="70%"></line> }
        })
        .collect_view();
    let before = ridge(CARDS[0]).map(percent).unwrap_or_default();
    let [memory, compute] = ["memory", "compute"].map(|side| middle(side).map(percent).unwrap_or_default());
    view! {
        <svg class="strip" aria-hidden="true">
            {decades}
            <line class="strip-axis" x1="0" x2="100%" y1="50%" y2="50%"></line>
            <rect class="strip-before" x=before y="0" width="2" height="100%"></rect>
            <rect class="strip-ridge" x=live("sort.ridge") y="0" width="2" height="100%"></rect>
            <circle class="ghost ghost-memory" cx=memory cy="50%" r="8"></circle>
            <circle class="ghost ghost-compute" cx=compute cy="50%" r="8"></circle>
            <circle class="strip-dot" cx=live(&format!("sort.at.{id}")) cy="50%" r="7"></circle>
            <text class="strip-label" x=percent(x(operation.intensity())) y="50%" dy="-14">{figure(operation.intensity())}</text>
        </svg>
    }
    .into_any()
}

fn row(operation: &Operation) -> AnyView {
    let id = operation.id;
    let intensity = figure(operation.intensity());
    let card = card_name(CARDS[0]);
    let is = match operation.bound(CARDS[0]).map(memory_wall_core::roofline::Bound::id) {
        Some("memory") => fill("sort.is.memory", &[("gpu", card), ("intensity", &intensity)]),
        _ => fill("sort.is.compute", &[("gpu", card), ("intensity", &intensity)]),
    };
    let [why, slip] = explained(operation);
    view! {
        <li class="sort-row" data-mark=live(&format!("predict.mark.{id}")) data-guess=live(&format!("predict.guess.{id}"))>
            {guess(&SIDES, id, words::choice("sort.name", id))} <p class="sort-shape">{shape(operation)}</p> {strip(operation)}
            <p class="sort-truth" hidden="{{flag predict.shut.sides}}">
                <strong>{live(&format!("predict.said.{id}"))}</strong>
                " "
                <strong>{is}</strong>
                " "
                {why}
                " "
                <span class="slip" hidden=flag(&format!("predict.steady.{id}"))>{slip}</span>
            </p>
        </li>
    }
    .into_any()
}

/// Everything that can be asked for, as a table: the figure for those who do not sort, and without a program.
fn answers() -> AnyView {
    let rows = OPERATIONS
        .iter()
        .map(|operation| {
            let id = operation.id;
            view! {
                <tr>
                    <th scope="row">
                        {words::choice("sort.name", id)}
                        <span class="about">{shape(operation)}</span>
                    </th>
                    <td class="numeric">{flops(operation.work().flops)}</td>
                    <td class="numeric">{live(&format!("sort.bytes.{id}"))}</td>
                    <td class="numeric">{figure(operation.intensity())}</td>
                    {CARDS.map(|card| view! { <td>{side(operation, card)}</td> }).into_iter().collect_view()}
                    <td class="sort-why">{explained(operation)[0].clone()}</td>
                </tr>
            }
        })
        .collect_view();
    let reasons = RIDGE
        .options
        .iter()
        .map(|option| view! { <li><strong>{RIDGE.option(option)}</strong> ": " {ridge_reason(option)}</li> })
        .collect_view();
    view! {
        <details class="sort-answers">
            <summary>{t("sort.answers")}</summary>
            <div class="table-scroll" tabindex="0" role="region" aria-label=t("sort.caption")>
                <table>
                    <caption>{t("sort.caption")}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{t("sort.operation")}</th>
                            <th scope="col" class="numeric">{t("sort.flops")}</th>
                            <th scope="col" class="numeric">{t("sort.bytes")}</th>
                            <th scope="col" class="numeric">{t("sort.intensity")}</th>
                            {CARDS
                                .map(|card| {
                                    let heading = fill("sort.on", &[("gpu", card_name(card)), ("ridge", &ridge_of(card))]);
                                    view! { <th scope="col">{heading}</th> }
                                })
                                .into_iter()
                                .collect_view()}
                            <th scope="col">{t("sort.why")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="figure-title">{question()}</p>
            <ul>{reasons}</ul>
        </details>
    }
    .into_any()
}

/// Why the next card has more of the eight on the side of memory, or why one might think otherwise.
fn ridge_reason(option: &str) -> String {
    let moved: Vec<_> = OPERATIONS.iter().filter(|it| it.bound(CARDS[0]) != it.bound(CARDS[1])).collect();
    let names: Vec<_> = moved.iter().map(|it| words::choice("sort.name", it.id)).collect();
    let [from, to] = CARDS.map(ridge_of);
    let [before, after] = CARDS.map(|card| waiting(card).to_string());
    let (names, count) = (names.join("; "), moved.len().to_string());
    let bandwidth = leap(|roof| roof.bandwidth.0);
    let values = [
        ("from", from.as_str()),
        ("to", to.as_str()),
        ("before", before.as_str()),
        ("after", after.as_str()),
        ("names", names.as_str()),
        ("n", count.as_str()),
        ("bandwidth", bandwidth.as_str()),
    ];
    let key = match option {
        "more" => "sort.ridge.why.more",
        "fewer" => "sort.ridge.why.fewer",
        _ => "sort.ridge.why.same",
    };
    fill(key, &values)
}

/// What is asked about the next card.
fn question() -> String {
    fill("sort.ridge.question", &[("gpu", card_name(CARDS[1]))])
}

/// The eight on both cards, and what the step brings each.
fn both() -> AnyView {
    let rows = OPERATIONS
        .iter()
        .map(|operation| {
            let intensity = operation.work().intensity(Accounting::ReadsAndWrites);
            let [from, to] = CARDS.map(|card| roof(card).map_or(0.0, |roof| roof.attainable(intensity).0));
            let moved = operation.bound(CARDS[0]) != operation.bound(CARDS[1]);
            view! {
                <tr data-moved=moved.then_some("")>
                    <th scope="row">{words::choice("sort.name", operation.id)}</th>
                    <td class="numeric">{figure(operation.intensity())}</td>
                    {CARDS.map(|card| view! { <td>{side(operation, card)}</td> }).into_iter().collect_view()}
                    <td class="numeric">{fill("sort.times", &[("n", &figure(to / from))])}</td>
                    <td>{moved.then(|| t("sort.changed"))}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=t("sort.both") hidden="{{flag predict.shut.ridge}}">
            <table class="sort-both">
                <caption>{t("sort.both")}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t("sort.operation")}</th>
                        <th scope="col" class="numeric">{t("sort.intensity")}</th>
                        {CARDS
                            .map(|card| {
                                let heading = fill("sort.on", &[("gpu", card_name(card)), ("ridge", &ridge_of(card))]);
                                view! { <th scope="col">{heading}</th> }
                            })
                            .into_iter()
                            .collect_view()}
                        <th scope="col" class="numeric">{t("sort.faster")}</th>
                        <td></td>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The words that names of operations are made of, each a link to what the glossary says of it.
fn terms() -> AnyView {
    let all = [
        ("term-mlp", "sort.term.mlp"),
        ("term-relu", "sort.term.relu"),
        ("term-softmax", "sort.term.softmax"),
        ("term-norms", "sort.term.layer_norm"),
    ];
    let link = |(place, (anchor, key)): (usize, (&str, &'static str))| {
        let comma = if place == 0 { "" } else { ", " };
        view! { {comma} <a href=format!("reference.html#{anchor}")>{t(key)}</a> }
    };
    view! { {all.into_iter().enumerate().map(link).collect_view()} "." }.into_any()
}

/// The figure.
pub fn sort() -> AnyView {
    let [first, second] = CARDS.map(card_name);
    let (compute, bandwidth) = (leap(|roof| roof.peak.0), leap(|roof| roof.bandwidth.0));
    let values = [("first", first), ("second", second), ("compute", &compute), ("bandwidth", &bandwidth)];
    view! {
        <div class="sort" data-shut="{{flag predict.shut.sides}}" data-next-shut="{{flag predict.shut.ridge}}">
            <p class="figure-title">{t("sort.title")}</p>
            <p class="caption">
                {fill("sort.intro", &[("gpu", first), ("ridge", &ridge_of(CARDS[0]))])} " " {t("sort.terms")} " " {terms()}
            </p>
            <div class="sort-head">
                <span class="sort-axis">{t("sort.axis")}</span>
                {scale()}
            </div>
            <ul class="sort-rows">{OPERATIONS.iter().map(row).collect_view()}</ul>
            <div class="sort-foot">{reveal(&SIDES)} <p class="sort-score">{live("predict.outcome.sides")}</p></div>
            <div class="sort-next">
                <p class="figure-title">{t("sort.next")}</p>
                <p class="caption">{fill("sort.next.intro", &values)}</p>
                <div class="part">
                    {guess(&RIDGE, "ridge", question())} {reveal(&RIDGE)}
                </div>
                <p class="sort-score">{live("predict.outcome.ridge")}</p>
                {reasons(&RIDGE, "ridge", ridge_reason)} {both()}
            </div>
            {answers()}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::sort::by_id;

    #[test]
    fn every_sentence_has_its_numbers() {
        for operation in &OPERATIONS {
            for sentence in explained(operation) {
                assert!(!sentence.contains("  ") && !sentence.contains(" ,"), "{sentence}");
            }
        }
        assert!(explained(by_id("gemm").unwrap())[0].contains("in 4,096 multiplications"));
        assert!(explained(by_id("cache").unwrap())[0].contains("the 4 query heads"));
        assert!(explained(by_id("flash").unwrap())[1].contains("comes to 63.4 FLOP per byte"));
        assert!(ridge_reason("more").contains("from 153 to 295"), "{}", ridge_reason("more"));
        assert!(ridge_reason("more").ends_with("and 6 are memory-bound instead of 5."));
    }

    #[test]
    fn attention_in_separate_kernels_is_memory_bound_on_both_cards() {
        let eager = Kernel::EagerAttention { batch: 1, seq_length: 4_096, heads: 32, kv_heads: 8, head_dim: 128 };
        let intensity = eager.work(BYTES).intensity(Accounting::ReadsAndWrites);
        assert!(CARDS.iter().all(|card| roof(card).unwrap().bound(intensity).id() == "memory"));
    }
}
