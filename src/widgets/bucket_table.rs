//! The wall as a table: each part with its formula, the numbers put in, its bytes and its share.

use leptos::prelude::*;
use memory_wall_core::display::{Grouped, Percent};
use memory_wall_core::worked::{Factor, Item, Symbol};
use memory_wall_core::{Bucket, Bytes, Evaluation, Mode, Scenario};

use super::bind::{flag, switch, text, view};
use super::wall::{CourseRect, bucket_name};
use crate::rig::Rig;
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

/// The count behind a rounded size.
fn exact(bytes: Bytes) -> String {
    fill("table.exact", &[("n", &Grouped(bytes.0).to_string())])
}

fn about(bucket: Bucket, mode: Mode) -> String {
    let key = format!("about.{}", bucket.id());
    words::lookup(&key).map_or_else(|| words::choice(&key, mode.id()), Into::into)
}

fn row(rig: Rig, bucket: Bucket) -> AnyView {
    let bytes = move || rig.evaluation().bytes(bucket);
    // Kept, so that a row is made anew only when its terms change.
    let terms = Memo::new(move |_| lines(bucket, &rig.state().scenario(), &rig.evaluation()));
    let share = text(move || Percent(bytes().share_of(rig.evaluation().total)).to_string());
    let exact = text(move || exact(bytes()));
    let empty = flag(move || bytes() == Bytes::ZERO);
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
        <tr class="bucket-row" data-bucket=bucket.id() data-empty=empty>
            <th scope="row">
                <svg class="swatch" aria-hidden="true">
                    <CourseRect bucket x="0" width="100%" y="0".to_owned() height="100%".to_owned() />
                </svg>
                <span class="bucket-name">{bucket_name(bucket)}</span>
                <span class="bucket-about">{text(move || about(bucket, rig.state().mode))}</span>
            </th>
            <td class="bucket-formula">
                {first} <details class="terms" hidden=several>
                    <summary>{count}</summary>
                    <ul>{list}</ul>
                </details>
            </td>
            <td class="bucket-size" title=exact>
                <span data-bytes=text(move || bytes().0.to_string())>{text(move || rig.size(bytes()))}</span>
            </td>
            <td class="bucket-share">{share}</td>
        </tr>
    }
    .into_any()
}

/// The table of all buckets and their sum.
#[component]
pub fn BucketTable(rig: Rig) -> impl IntoView {
    let rows = Bucket::ALL.into_iter().map(|bucket| row(rig, bucket)).collect_view();
    let total = move || rig.evaluation().total;
    let phase = text(move || words::choice("table.phase", rig.evaluation().peak_phase.id()));
    let exact = text(move || exact(total()));
    view! {
        <div class="table-scroll">
            <table class="buckets">
                <caption>{t("table.caption")}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t("table.bucket")}</th>
                        <th scope="col">{t("table.formula")}</th>
                        <th scope="col" class="bucket-size">{t("table.size")}</th>
                        <th scope="col" class="bucket-share">{t("table.share")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>
                    <tr>
                        <th scope="row">{t("table.total")}</th>
                        <td class="bucket-formula">{phase}</td>
                        <td class="bucket-size" title=exact>
                            <span data-bytes=text(move || total().0.to_string())>{text(move || rig.size(total()))}</span>
                        </td>
                        <td></td>
                    </tr>
                </tfoot>
            </table>
        </div>
    }
}
