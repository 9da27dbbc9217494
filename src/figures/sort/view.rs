//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::display::{Count, Figure, Grouped, THIN_SPACE};
use memory_wall_core::roofline::{Accounting, Kernel};
use memory_wall_core::tables::gpus;

use super::model::{
    BYTES, Binding, COMPARED, DECADES, Model, Operation, RIDGE, SIDES, middle, ridge, roof, waiting, x,
};
use crate::charts::wall::percent;
use crate::figures::bound;
use crate::sections::masonry::live;
use crate::sections::reasons::reasons;
use crate::widgets::prediction::{guess, reveal};
use crate::words;

/// What follows the model.
fn own(binding: Binding) -> String {
    bound::<Model>(binding)
}

fn figure(number: f64) -> String {
    Figure(number).to_string()
}

/// FLOPs with three digits: `137 GFLOP`.
pub fn flops(flops: u128) -> String {
    let ladder = [(1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"), (1e3, "kFLOP")];
    let flops = flops as f64;
    let (one, unit) = ladder.into_iter().find(|(one, _)| flops >= *one * 0.999_5).unwrap_or((1.0, "FLOP"));
    format!("{}{THIN_SPACE}{unit}", Figure(flops / one))
}

fn gpu_name(gpu_id: &str) -> &'static str {
    gpus::by_id(gpu_id).map_or("", |gpu| gpu.name)
}

fn ridge_of(gpu: &str) -> String {
    roof(gpu).map(|roof| figure(roof.ridge().0)).unwrap_or_default()
}

/// A heading for each GPU: its name and its ridge.
fn on_each() -> AnyView {
    let headings = COMPARED.map(|gpu| {
        let heading = words::SortOn { gpu: gpu_name(gpu), ridge: &ridge_of(gpu) }.text();
        view! { <th scope="col">{heading}</th> }
    });
    headings.into_iter().collect_view().into_any()
}

/// How many times as fast the second GPU is in something.
fn leap(what: fn(memory_wall_core::roofline::Roof) -> f64) -> String {
    let [from, to] = COMPARED.map(|gpu| roof(gpu).map(what).unwrap_or_default());
    figure(to / from)
}

/// The numbers that an operation's sentences may name.
fn named(operation: Operation) -> [(&'static str, String); 6] {
    let n = |number: u64| Grouped(number.into()).to_string();
    let [mut columns, mut rows, mut batch, mut group, mut eager] = [const { String::new() }; 5];
    match operation.kernel() {
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
fn shape(operation: Operation) -> String {
    let n = |number: u64| Grouped(number.into()).to_string();
    match operation.kernel() {
        Kernel::Gemm { m, n: columns, k } => words::SortShapeGemm { m: &n(m), n: &n(columns), k: &n(k) }.text(),
        Kernel::FlashAttention { seq_length, heads, kv_heads, .. } => {
            let tokens = n(seq_length);
            let heads = n(heads);
            let kv_heads = n(kv_heads);
            words::SortShapePrompt { tokens: &tokens, heads: &heads, kv_heads: &kv_heads }.text()
        }
        Kernel::KvRead { batch, context, heads, kv_heads, .. } => {
            words::SortShapeCache { batch: &n(batch), tokens: &n(context), heads: &n(heads), kv_heads: &n(kv_heads) }
                .text()
        }
        Kernel::Relu { elements } | Kernel::LayerNorm { elements } | Kernel::Softmax { elements } => {
            words::SortShapeEach { n: &Count(elements).to_string() }.text()
        }
        _ => String::new(),
    }
}

/// Why an operation is on its side, and the slip behind a guess at the other.
pub(super) fn explained(operation: Operation) -> [String; 2] {
    let said = named(operation);
    let n = said[0].1.as_str();
    let m = said[1].1.as_str();
    let batch = said[2].1.as_str();
    let group = said[3].1.as_str();
    let eager = said[4].1.as_str();
    let intensity = said[5].1.as_str();

    [
        match operation {
            Operation::Gemm => words::SortWhyGemm { n }.text(),
            Operation::Relu => words::sort_why_relu().into(),
            Operation::Token => words::sort_why_token().into(),
            Operation::Softmax => words::sort_why_softmax().into(),
            Operation::Batch => words::SortWhyBatch { m }.text(),
            Operation::Flash => words::sort_why_flash().into(),
            Operation::LayerNorm => words::sort_why_layer_norm().into(),
            Operation::Cache => words::SortWhyCache { group }.text(),
        },
        match operation {
            Operation::Gemm => words::sort_slip_gemm().into(),
            Operation::Relu => words::sort_slip_relu().into(),
            Operation::Token => words::sort_slip_token().into(),
            Operation::Softmax => words::SortSlipSoftmax { intensity }.text(),
            Operation::Batch => words::sort_slip_batch().into(),
            Operation::Flash => words::SortSlipFlash { eager }.text(),
            Operation::LayerNorm => words::sort_slip_layer_norm().into(),
            Operation::Cache => words::SortSlipCache { batch }.text(),
        },
    ]
}

/// The side of an operation on a GPU, in a word.
fn side(operation: Operation, gpu: &str) -> &'static str {
    operation.bound(gpu).map(|bound| SIDES.option(bound.id())).unwrap_or_default()
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
            <rect class="strip-ridge" x=own(Binding::Ridge) y="30%" width="2" height="24%"></rect>
            <text class="ridge-label" x=own(Binding::Ridge) y="14%">{own(Binding::RidgeLabel)}</text>
        </svg>
    }
    .into_any()
}

/// Where an operation stands: the guess as a ghost, the truth as a dot.
fn strip(operation: Operation) -> AnyView {
    let decades = (DECADES.0..=DECADES.1)
        .map(|power| {
            let at = percent(f64::from(power - DECADES.0) / f64::from(DECADES.1 - DECADES.0) * 100.0);
            view! { <line class="grid" x1=at.clone() x2=at y1="30%" y2="70%"></line> }
        })
        .collect_view();
    let before = ridge(COMPARED[0]).map(percent).unwrap_or_default();
    let [memory, compute] = ["memory", "compute"].map(|side| middle(side).map(percent).unwrap_or_default());
    view! {
        <svg class="strip" aria-hidden="true">
            {decades}
            <line class="strip-axis" x1="0" x2="100%" y1="50%" y2="50%"></line>
            <rect class="strip-before" x=before y="0" width="2" height="100%"></rect>
            <rect class="strip-ridge" x=own(Binding::Ridge) y="0" width="2" height="100%"></rect>
            <circle class="ghost ghost-memory" cx=memory cy="50%" r="8"></circle>
            <circle class="ghost ghost-compute" cx=compute cy="50%" r="8"></circle>
            <circle class="strip-dot" cx=own(Binding::At(operation)) cy="50%" r="7"></circle>
            <text class="strip-label" x=percent(x(operation.intensity())) y="50%" dy="-14">{figure(operation.intensity())}</text>
        </svg>
    }
    .into_any()
}

fn row(operation: Operation) -> AnyView {
    let id = operation.id();
    let intensity = figure(operation.intensity());
    let gpu = gpu_name(COMPARED[0]);
    let is = match operation.bound(COMPARED[0]).map(memory_wall_core::roofline::Bound::id) {
        Some("memory") => words::SortIsMemory { gpu, intensity: &intensity }.text(),
        _ => words::SortIsCompute { gpu, intensity: &intensity }.text(),
    };
    let [why, slip] = explained(operation);
    view! {
        <li class="sort-row" data-question=id data-mark=live(&format!("predict.mark.{id}")) data-guess=live(&format!("predict.guess.{id}"))>
            {guess(&SIDES, id, words::operation(operation).into())} <p class="sort-shape">{shape(operation)}</p> {strip(operation)}
            <p class="sort-truth" hidden="{{live predict.shut.sides}}">
                <strong>{live(&format!("predict.said.{id}"))}</strong>
                " "
                <strong>{is}</strong>
                " "
                {why}
                " "
                <span class="slip" hidden=live(&format!("predict.steady.{id}"))>{slip}</span>
            </p>
        </li>
    }
    .into_any()
}

/// Everything that can be asked for, as a table: the figure for those who do not sort, and without a program.
fn answers() -> AnyView {
    let rows = Operation::ALL
        .into_iter()
        .map(|operation| {
            view! {
                <tr>
                    <th scope="row">
                        {words::operation(operation)}
                        <span class="about">{shape(operation)}</span>
                    </th>
                    <td class="numeric">{flops(operation.work().flops)}</td>
                    <td class="numeric">{own(Binding::Bytes(operation))}</td>
                    <td class="numeric">{figure(operation.intensity())}</td>
                    {COMPARED.map(|gpu| view! { <td>{side(operation, gpu)}</td> }).into_iter().collect_view()}
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
            <summary>{words::sort_answers()}</summary>
            <div class="table-scroll" tabindex="0" role="region" aria-label=words::sort_caption()>
                <table>
                    <caption>{words::sort_caption()}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{words::sort_operation()}</th>
                            <th scope="col" class="numeric">{words::sort_flops()}</th>
                            <th scope="col" class="numeric">{words::sort_bytes()}</th>
                            <th scope="col" class="numeric">{words::sort_intensity()}</th>
                            {on_each()}
                            <th scope="col">{words::sort_why()}</th>
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

/// Why the next GPU has more of the eight on the side of memory, or why one might think otherwise.
pub(super) fn ridge_reason(option: &str) -> String {
    let moved: Vec<_> =
        Operation::ALL.into_iter().filter(|it| it.bound(COMPARED[0]) != it.bound(COMPARED[1])).collect();
    let names: Vec<_> = moved.iter().map(|it| words::operation(*it)).collect();
    let [from, to] = COMPARED.map(ridge_of);
    let [before, after] = COMPARED.map(|gpu| waiting(gpu).to_string());
    let (names, count) = (words::joined(&names, "; "), moved.len().to_string());
    let bandwidth = leap(|roof| roof.bandwidth.0);

    match option {
        "more" => {
            words::SortRidgeWhyMore { from: &from, to: &to, n: &count, names: &names, after: &after, before: &before }
                .text()
        }
        "fewer" => words::SortRidgeWhyFewer { bandwidth: &bandwidth }.text(),
        _ => words::sort_ridge_why_same().into(),
    }
}

/// What is asked about the next GPU.
fn question() -> String {
    words::SortRidgeQuestion { gpu: gpu_name(COMPARED[1]) }.text()
}

/// The eight on both GPUs, and what the step brings each.
fn both() -> AnyView {
    let rows = Operation::ALL
        .into_iter()
        .map(|operation| {
            let intensity = operation.work().intensity(Accounting::ReadsAndWrites);
            let [from, to] = COMPARED.map(|gpu| roof(gpu).map_or(0.0, |roof| roof.attainable(intensity).0));
            let moved = operation.bound(COMPARED[0]) != operation.bound(COMPARED[1]);
            view! {
                <tr data-moved=moved.then_some("")>
                    <th scope="row">{words::operation(operation)}</th>
                    <td class="numeric">{figure(operation.intensity())}</td>
                    {COMPARED.map(|gpu| view! { <td>{side(operation, gpu)}</td> }).into_iter().collect_view()}
                    <td class="numeric">{words::SortTimes { n: &figure(to / from) }.text()}</td>
                    <td>{moved.then(words::sort_changed)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=words::sort_both() hidden="{{live predict.shut.ridge}}">
            <table class="sort-both">
                <caption>{words::sort_both()}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words::sort_operation()}</th>
                        <th scope="col" class="numeric">{words::sort_intensity()}</th>
                        {on_each()}
                        <th scope="col" class="numeric">{words::sort_faster()}</th>
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
        ("term-mlp", words::sort_term_mlp()),
        ("term-relu", words::sort_term_relu()),
        ("term-softmax", words::sort_term_softmax()),
        ("term-norms", words::sort_term_layer_norm()),
    ];
    let link = |(place, (anchor, term)): (usize, (&str, &'static str))| {
        let comma = if place == 0 { "" } else { ", " };
        view! { {comma} <a href=format!("reference.html#{anchor}")>{term}</a> }
    };
    view! { {all.into_iter().enumerate().map(link).collect_view()} "." }.into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let [first, second] = COMPARED.map(gpu_name);
    let (compute, bandwidth) = (leap(|roof| roof.peak.0), leap(|roof| roof.bandwidth.0));
    view! {
        <div class="sort" data-shut="{{live predict.shut.sides}}" data-next-shut="{{live predict.shut.ridge}}">
            <p class="figure-title">{words::sort_title()}</p>
            <p class="caption">
                {words::SortIntro { gpu: first, ridge: &ridge_of(COMPARED[0]) }.text()} " " {words::sort_terms()} " " {terms()}
            </p>
            <div class="sort-head">
                <span class="sort-axis">{words::sort_axis()}</span>
                {scale()}
            </div>
            <ul class="sort-rows">{Operation::ALL.into_iter().map(row).collect_view()}</ul>
            <div class="sort-foot">{reveal(&SIDES)} <p class="sort-score">{live("predict.outcome.sides")}</p></div>
            <div class="sort-next">
                <p class="figure-title">{words::sort_next()}</p>
                <p class="caption">{words::SortNextIntro { first, second, compute: &compute, bandwidth: &bandwidth }.text()}</p>
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
