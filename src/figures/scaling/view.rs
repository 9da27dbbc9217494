//! How the figure is drawn, once, when the page is built: each row is a lane from what division says to what is needed, and opens into its reasons.

use leptos::prelude::*;
use memory_wall_core::display::Grouped;
use memory_wall_core::scaling::{NODE, Purpose, REQUESTS, Size, TOKENS_PER_PARAMETER};

use super::model::{Binding, DECADES, Model, along};
use crate::charts::wall::percent;
use crate::components::group;
use crate::figures::{bound, rig};
use crate::widgets::table::{self, Table};
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// A binding of each size.
type Of = fn(Size) -> Binding;

/// Where so many GPUs stand on the scale.
fn at(gpus: u64) -> String {
    percent(along(gpus))
}

/// Numbers of GPUs that the scale marks.
fn decades() -> impl Iterator<Item = u64> {
    (0..=DECADES).map(|power| 10u64.pow(power))
}

/// From division to what is needed, on a logarithmic scale.
fn lane(size: Size) -> AnyView {
    let [from, to, sentence] = [Binding::From(size), Binding::To(size), Binding::Sentence(size)].map(live);
    let grid = decades()
        .map(|gpus| view! { <line class="grid" x1=at(gpus) x2=at(gpus) y1="0" y2="100%"></line> })
        .collect_view();
    view! {
        <svg class="lane" role="img" aria-label=sentence height="22">
            {grid} <line class="lane-base" x1="0" x2="100%" y1="11" y2="11"></line>
            <line class="lane-excess" x1=from.clone() x2=to.clone() y1="11" y2="11"></line>
            <circle class="lane-needed" cx=to cy="11" r="5"></circle>
            <circle class="lane-printed" cx=from cy="11" r="7"></circle>
        </svg>
    }
    .into_any()
}

/// Why more than division, one line a reason with the number of GPUs that it leaves.
fn reasons(size: Size) -> AnyView {
    let shape = size.architecture();
    let line = |hidden: Option<String>, text: String, gpus: Of| {
        view! {
            <li hidden=hidden>
                <span>{text}</span>
                <b>{live(gpus(size))}</b>
            </li>
        }
        .into_any()
    };
    let [bytes, added, tp, groups, trained_on, mfu] =
        [Binding::Bytes, Binding::Added, Binding::Tp, Binding::Groups, Binding::TrainedOn, Binding::Share]
            .map(|of| live(of(size)));
    let each = TOKENS_PER_PARAMETER.to_string();
    let (printed, real, usable) =
        (bound::<rig::Model>(rig::Binding::PrintedCapacity), live(Binding::Real), live(Binding::Usable));
    let [requests, node, heads, layers] =
        [REQUESTS, NODE, shape.map_or(0, |shape| shape.heads), shape.map_or(0, |shape| shape.layers)]
            .map(|n| n.to_string());
    let tokens = Grouped(size.tokens().into()).to_string();

    let [hold, serve, train] = Purpose::EACH.map(|purpose| Some(live(Binding::Not(purpose))));
    view! {
        <ol class="why">
            {line(None, words::ScalingPrinted { bytes: &bytes, printed: &printed }.text(), Binding::Printed)}
            {line(None, words::ScalingReal { real: &real }.text(), Binding::RealGpus)}
            {line(None, words::ScalingMargin { usable: &usable }.text(), Binding::Margin)}
            {line(serve.clone(), words::ScalingLoadServe { added: &added, requests: &requests, tokens: &tokens }.text(), Binding::Load)}
            {line(train.clone(), words::ScalingLoadTrain { added: &added, tokens: &tokens }.text(), Binding::Load)}
            {line(hold, words::ScalingCutHold { tp: &tp, heads: &heads, groups: &groups, layers: &layers }.text(), Binding::Cut)}
            {line(serve, words::ScalingCutHold { tp: &tp, heads: &heads, groups: &groups, layers: &layers }.text(), Binding::Cut)}
            {line(train.clone(), words::ScalingCutTrain { tp: &tp, groups: &groups }.text(), Binding::Cut)}
            {line(None, words::ScalingNodes { node: &node }.text(), Binding::Nodes)}
            {line(train, words::ScalingTime { trained_on: &trained_on, each: &each, share: &mfu }.text(), Binding::Time)}
        </ol>
    }
    .into_any()
}

/// One size.
fn size(size: Size) -> AnyView {
    let id = size.id();
    view! {
        <details class="size" data-size=id data-none=live(Binding::None(size))>
            <summary>
                <span class="size-row" aria-hidden="true">
                    <span class="size-name">{words::size(size)}</span>
                    <span>{live(Binding::Bytes(size))}</span>
                    <span class="size-printed">{live(Binding::Printed(size))}</span>
                    <span class="size-needed">{live(Binding::Nodes(size))}</span>
                </span>
                {lane(size)}
            </summary>
            {reasons(size)}
        </details>
    }
    .into_any()
}

/// The drawn numbers and those between.
fn table() -> AnyView {
    let cells: [(&str, Of); 7] = [
        (words::scaling_head_bytes(), Binding::Bytes),
        (words::scaling_head_printed(), Binding::Printed),
        (words::scaling_head_real(), Binding::RealGpus),
        (words::scaling_head_margin(), Binding::Margin),
        (words::scaling_head_load(), Binding::Load),
        (words::scaling_head_cut(), Binding::Cut),
        (words::scaling_head_nodes(), Binding::Nodes),
    ];
    let rows = Size::EACH.map(|size| {
        let head = words::size(size);
        table::texts(head, cells.iter().map(|(_, binding)| live(binding(size))))
    });
    let heads = [words::scaling_head_size()].into_iter().chain(cells.map(|(head, _)| head)).map(str::to_owned);
    Table {
        name: words::scaling_table(),
        class: "scaling-table",
        caption: Some(words::scaling_caption()),
        heads: heads.collect(),
        rows: rows.collect_view().into_any(),
        note: None,
    }
    .folded()
}

/// The figure.
pub fn view() -> AnyView {
    let marks = decades()
        .map(|gpus| {
            view! { <text x=at(gpus) y="10">{Grouped(gpus.into()).to_string()}</text> }
        })
        .collect_view();
    view! {
        <div class="scaling">
            <p class="figure-title">{words::scaling_title()} " " {bound::<rig::Model>(rig::Binding::Gpu)}</p>
            {group("scaling", "")}
            <div class="size-row size-heads" aria-hidden="true">
                <span>{words::scaling_head_size()}</span>
                <span>{words::scaling_head_bytes()}</span>
                <span class="size-printed">{words::scaling_head_printed()}</span>
                <span class="size-needed">{words::scaling_head_nodes()}</span>
            </div>
            <div class="sizes">{Size::ALL.iter().map(|one| size(*one)).collect_view()}</div>
            <svg class="lane-scale" height="16" aria-hidden="true">{marks}</svg>
            <p class="lane-key" aria-hidden="true">{words::scaling_key()}</p>
            <p class="summary">{live(Binding::Sentence(Size::B700))}</p>
            {table()}
        </div>
    }
    .into_any()
}
