//! The formulas of a bucket, with the numbers put in.

use leptos::prelude::*;
use memory_wall_core::display::Grouped;
use memory_wall_core::worked::{Factor, Item, Symbol};
use memory_wall_core::{Bucket, Bytes, Evaluation, Scenario};

use crate::rig::Rig;
use crate::widgets::bind::{switch, text, view};
use crate::words::{self, fill, t};

/// One term of a bucket, taken out of the engine to be shown.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    item: Item,
    bytes: Bytes,
    factors: Vec<Factor>,
    divisor: u32,
}

/// The terms of a bucket at the peak, largest first.
fn lines(bucket: Bucket, scenario: &Scenario, evaluation: &Evaluation) -> Vec<Line> {
    let mut lines = Vec::<Line>::new();
    bucket.terms(scenario, evaluation.peak_phase, &mut |term| {
        let line = Line { item: term.item, bytes: term.bytes(), factors: term.factors.to_vec(), divisor: term.divisor };
        lines.insert(lines.partition_point(|larger| larger.bytes >= line.bytes), line);
    });
    lines
}

/// The formula in the field's words, each symbol marked so that a control can light it.
fn in_words(line: &Line) -> impl IntoView + use<> {
    let mut parts = Vec::new();
    for (place, factor) in line.factors.iter().enumerate() {
        if place > 0 {
            parts.push(" × ".into_any());
        }
        let name = factor.symbol.name();
        parts.push(if name.is_empty() {
            Grouped(factor.value.into()).to_string().into_any()
        } else {
            view! { <var data-symbol=name>{name}</var> }.into_any()
        });
    }
    if line.divisor != 1 {
        parts.push(" / block_values".into_any());
    }
    parts
}

/// The same formula with the numbers put in.
fn in_numbers(line: &Line) -> String {
    let numbers: Vec<_> = line.factors.iter().map(|factor| Grouped(factor.value.into()).to_string()).collect();
    let product = numbers.join(" × ");
    if line.divisor == 1 { product } else { format!("{product} / {}", Grouped(line.divisor.into())) }
}

/// Whether a line is more than a constant: only then is there a formula to show in words.
fn has_symbols(line: &Line) -> bool {
    line.factors.iter().any(|factor| factor.symbol != Symbol::Number)
}

fn formula(rig: Rig, line: &Line, with_size: bool) -> AnyView {
    let words = has_symbols(line).then(|| view! { <span class="formula-words">{in_words(line)}</span> });
    let bytes = line.bytes;
    view! {
        {words}
        <span class="formula-numbers">
            {format!("= {}", in_numbers(line))} {with_size.then(|| view! { <span class="formula-size">{format!(" = {}", rig.size(bytes))}</span> })}
        </span>
    }
    .into_any()
}

/// The formulas of one bucket: its largest term, and all of them to open.
pub fn terms(rig: Rig, bucket: &str) -> AnyView {
    let Some(bucket) = Bucket::ALL.into_iter().find(|known| known.id() == bucket) else { return ().into_any() };
    // Kept, so that formulas are made anew only when the terms change.
    let terms = Memo::new(move |_| lines(bucket, &rig.state().scenario(), &rig.evaluation()));
    let first = view(move || {
        // The unit of the sizes below.
        let _ = rig.state();
        terms.with(|terms| match terms.first() {
            Some(line) => formula(rig, line, terms.len() > 1),
            None => view! { <span class="nothing">{t("table.nothing")}</span> }.into_any(),
        })
    });
    let several = switch(move || terms.with(|terms| terms.len() < 2));
    let count = text(move || fill("table.terms", &[("n", &terms.with(Vec::len).to_string())]));
    let list = view(move || {
        terms.with(|terms| {
            let item = |line: &Line| {
                view! {
                    <li>
                        <span class="item">{words::choice("item", line.item.id())}</span>
                        {formula(rig, line, true)}
                    </li>
                }
            };
            terms.iter().filter(|_| terms.len() > 1).map(item).collect_view().into_any()
        })
    });
    view! {
        {first}
        <details class="terms" hidden=several>
            <summary>{count}</summary>
            <ul>{list}</ul>
        </details>
    }
    .into_any()
}
