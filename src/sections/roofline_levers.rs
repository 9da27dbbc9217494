//! What the roofline is operated with: three levers, and behind "more" what is compared, counted and entered.

use leptos::prelude::*;
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};

use super::levers::{cards, formats, lever, list, row};
use crate::state::roofline::{Dots, Precisions};
use crate::widgets::choice::{Choice, worded};
use crate::widgets::field;
use crate::words::t;

/// The reader's own numbers, by what they make together.
const FIELDS: [(&str, &[(&str, &str)]); 4] = [
    ("control.roof", &[("roof-peak", "control.roof.peak"), ("roof-gbps", "control.roof.gbps")]),
    ("control.op", &[("op-flops", "control.op.flops"), ("op-bytes", "control.op.bytes")]),
    ("control.gemm", &[("gemm-m", "control.gemm.m"), ("gemm-n", "control.gemm.n"), ("gemm-k", "control.gemm.k")]),
    ("control.measured", &[("rate", "control.rate")]),
];

/// The cards that can be compared with, and none.
fn others() -> Vec<Choice> {
    let none = Choice { id: "", label: t("roofline.none").into(), group: "" };
    std::iter::once(none).chain(cards()).collect()
}

/// Batch, sequence length and fusion: what moves the points.
pub(super) fn levers() -> AnyView {
    let kernels = Kernels::ALL.iter().map(|kernels| worded("control.kernels", kernels.id())).collect();
    view! {
        <div class="part">
            {lever("roofline-batch")} {lever("roofline-seq")} {row("kernels", t("control.kernels"), kernels)}
        </div>
    }
    .into_any()
}

/// What is compared, how it is counted, and what the reader enters.
pub(super) fn more() -> AnyView {
    let passes = Pass::ALL.iter().filter(|pass| **pass != Pass::Training);
    let passes = passes.map(|pass| worded("roofline.pass", pass.id())).collect();
    let dots = Dots::ALL.iter().map(|dots| worded("control.dots", dots.id())).collect();
    let precisions = Precisions::ALL.iter().map(|all| worded("control.precisions", all.id())).collect();
    let accounting = Accounting::ALL.iter().map(|all| worded("control.accounting", all.id())).collect();
    let fields = FIELDS
        .iter()
        .map(|(title, fields)| {
            let fields = fields.iter().map(|(control, label)| {
                field::labelled(control, t(label).into(), "control control-decimal", "decimal")
            });
            view! {
                <fieldset class="roofline-own">
                    <legend>{t(title)}</legend>
                    <div class="roofline-fields">{fields.collect_view()}</div>
                </fieldset>
            }
        })
        .collect_view();
    view! {
        <details class="more">
            <summary>{t("control.roofline.more")}</summary>
            <div class="more-inner">
                <div class="roofline-rows">
                    {row("pass", t("control.pass"), passes)} {row("dots", t("control.dots"), dots)}
                    {row("precisions", t("control.precisions"), precisions)}
                    {row("accounting", t("control.accounting"), accounting)}
                </div>
                <div class="rig-row">
                    {formats("roofline-weights")} {list("vs", t("control.vs"), others())}
                    {list("vs-also", t("control.vs.also"), others())}
                </div>
                {fields}
            </div>
        </details>
    }
    .into_any()
}
