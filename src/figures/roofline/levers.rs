//! What the figure is operated with: three levers, and behind "more" what is compared, counted and entered.

use leptos::prelude::*;
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};

use crate::components::{LabelledField, Radios, Select, Slider};
use crate::controls::choices::{self, worded};
use crate::controls::fields::{GEMM_K, GEMM_M, GEMM_N, OP_BYTES, OP_FLOPS, RATE, ROOF_GBPS, ROOF_PEAK};
use crate::controls::{Choice, Field, Own, picks, quantities};
use crate::state::roofline::{Dots, Precisions};
use crate::store::Store;
use crate::words::{self, labels};

/// A number of the reader's own with its label.
type Entry = (&'static Own, Label);

/// What something is labelled with.
type Label = fn() -> &'static str;

/// The reader's own numbers, by what they make together.
const FIELDS: [(Label, &[Entry]); 4] = [
    (labels::control_roof, &[(&ROOF_PEAK, labels::control_roof_peak), (&ROOF_GBPS, labels::control_roof_gbps)]),
    (labels::control_op, &[(&OP_FLOPS, labels::control_op_flops), (&OP_BYTES, labels::control_op_bytes)]),
    (
        labels::control_gemm,
        &[(&GEMM_M, labels::control_gemm_m), (&GEMM_N, labels::control_gemm_n), (&GEMM_K, labels::control_gemm_k)],
    ),
    (labels::control_measured, &[(&RATE, labels::control_rate)]),
];

/// The GPUs that can be compared with, and none.
fn others() -> Vec<Choice> {
    let none = Choice::plain("", words::roofline_none());
    std::iter::once(none).chain(choices::gpus()).collect()
}

/// Batch, sequence length and fusion: what moves the points.
pub fn levers(store: Store) -> impl IntoView {
    let kernels = worded(Kernels::ALL, Kernels::id, labels::kernels);
    view! {
        <Slider store slider=&quantities::ROOFLINE_BATCH />
        <Slider store slider=&quantities::ROOFLINE_SEQ />
        <Radios store pick=&picks::KERNELS label=labels::control_kernels() choices=kernels />
    }
}

/// What is compared, how it is counted, and what the reader enters.
pub fn more(store: Store) -> impl IntoView {
    let passes = worded(&[Pass::Prefill, Pass::Decode], Pass::id, words::pass);
    let dots = worded(Dots::ALL, Dots::id, labels::dots);
    let precisions = worded(Precisions::ALL, Precisions::id, labels::precisions);
    let accounting = worded(Accounting::ALL, Accounting::id, labels::accounting);
    let fields = FIELDS.map(|(title, fields)| {
        let fields = fields.iter().map(|(own, label)| {
            view! {
                <LabelledField store field=Field::Own(own) control=own.control label=label() inputmode="decimal" />
            }
        });
        view! {
            <fieldset class="roofline-own">
                <legend>{title()}</legend>
                <div class="roofline-fields">{fields.collect_view()}</div>
            </fieldset>
        }
    });
    view! {
        <div class="roofline-rows">
            <Radios store pick=&picks::PASS label=labels::control_pass() choices=passes />
            <Radios store pick=&picks::DOTS label=labels::control_dots() choices=dots />
            <Radios store pick=&picks::PRECISIONS label=labels::control_precisions() choices=precisions />
            <Radios store pick=&picks::ACCOUNTING label=labels::control_accounting() choices=accounting />
        </div>
        <div class="rig-row">
            <Select
                store
                pick=&picks::ROOFLINE_WEIGHTS
                label=labels::control_weights()
                choices=choices::formats()
                late=true
                offers=choices::takes
            />
            <Select store pick=&picks::VERSUS label=labels::control_vs() choices=others() late=true />
            <Select store pick=&picks::VERSUS_ALSO label=labels::control_vs_also() choices=others() late=true />
        </div>
        {fields.into_iter().collect_view()}
    }
}
