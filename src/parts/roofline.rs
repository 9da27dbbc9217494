//! What the roofline is operated with: three levers, and behind "more" what is compared, counted and entered.

use leptos::prelude::*;
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};
use memory_wall_core::tables::gpus::{self, GPUS};

use super::levers::{Picker, RIG, batch, pickers, seq_length, worded};
use crate::rig::Rig;
use crate::state::State;
use crate::state::decimal::Decimal;
use crate::state::roofline::{Dots, Levers, Precisions};
use crate::widgets::bind::switch;
use crate::widgets::choice::{Choice, Radios};
use crate::widgets::decimal_field::decimal_field;
use crate::words::t;

/// A row of buttons: what it is called, what it offers, what it reads and what it writes.
struct Row {
    control: &'static str,
    label: &'static str,
    choices: fn() -> Vec<Choice>,
    chosen: fn(&State) -> &'static str,
    pick: fn(&mut State, &str),
    /// Whether it matters only in inference.
    inference: bool,
}

const KERNELS: Row = Row {
    control: "kernels",
    label: "control.kernels",
    choices: || Kernels::ALL.iter().map(|kernels| worded("control.kernels", kernels.id())).collect(),
    chosen: |state| state.roofline.kernels_in_use(&state.scenario()).id(),
    pick: |state, id| {
        if let Some(kernels) = Kernels::from_id(id) {
            let scenario = state.scenario();
            state.roofline.choose_kernels(kernels, &scenario);
        }
    },
    inference: false,
};

const ROWS: [Row; 4] = [
    Row {
        control: "pass",
        label: "control.pass",
        choices: || {
            let passes = Pass::ALL.iter().filter(|pass| **pass != Pass::Training);
            passes.map(|pass| worded("roofline.pass", pass.id())).collect()
        },
        chosen: |state| state.roofline.pass.id(),
        pick: |state, id| state.roofline.pass = Pass::from_id(id).unwrap_or(state.roofline.pass),
        inference: true,
    },
    Row {
        control: "dots",
        label: "control.dots",
        choices: || Dots::ALL.iter().map(|dots| worded("control.dots", dots.id())).collect(),
        chosen: |state| state.roofline.dots.id(),
        pick: |state, id| state.roofline.dots = Dots::from_id(id).unwrap_or_default(),
        inference: false,
    },
    Row {
        control: "precisions",
        label: "control.precisions",
        choices: || Precisions::ALL.iter().map(|all| worded("control.precisions", all.id())).collect(),
        chosen: |state| state.roofline.precisions.id(),
        pick: |state, id| state.roofline.precisions = Precisions::from_id(id).unwrap_or_default(),
        inference: false,
    },
    Row {
        control: "accounting",
        label: "control.accounting",
        choices: || Accounting::ALL.iter().map(|all| worded("control.accounting", all.id())).collect(),
        chosen: |state| state.roofline.accounting.id(),
        pick: |state, id| state.roofline.accounting = Accounting::from_id(id).unwrap_or(state.roofline.accounting),
        inference: false,
    },
];

/// The cards that can be compared with, and none.
fn others() -> Vec<Choice> {
    let none = Choice { id: "", label: t("roofline.none").into(), group: "" };
    let cards = GPUS.iter().map(|gpu| Choice { id: gpu.id, label: gpu.name.into(), group: gpu.vendor });
    std::iter::once(none).chain(cards).collect()
}

/// Two different cards, the first place filled first.
fn compare(state: &mut State, place: usize, id: &str) {
    let [first, second] = state.roofline.versus;
    let picked = gpus::by_id(id);
    let [first, second] = if place == 0 { [picked, second] } else { [first, picked] };
    let second = second.filter(|second| first.is_none_or(|first| first.id != second.id));
    state.roofline.versus = if first.is_none() { [second, None] } else { [first, second] };
}

const CARDS: [Picker; 3] = [
    Picker { control: "roofline-weights", ..RIG[1] },
    Picker {
        control: "vs",
        label: "control.vs",
        trains: None,
        choices: |_| others(),
        chosen: |state| state.roofline.versus[0].map_or("", |gpu| gpu.id),
        pick: |state, id| compare(state, 0, id),
    },
    Picker {
        control: "vs-also",
        label: "control.vs.also",
        trains: None,
        choices: |_| others(),
        chosen: |state| state.roofline.versus[1].map_or("", |gpu| gpu.id),
        pick: |state, id| compare(state, 1, id),
    },
];

/// A field for a number of the reader's own.
struct Field {
    control: &'static str,
    label: &'static str,
    kind: Decimal,
    slot: fn(&mut Levers) -> &mut u64,
}

/// The fields, by what they make together.
const FIELDS: [(&str, &[Field]); 4] = [
    (
        "control.roof",
        &[
            Field {
                control: "roof-peak",
                label: "control.roof.peak",
                kind: Decimal::RATE,
                slot: |now| &mut now.card[0],
            },
            Field {
                control: "roof-gbps",
                label: "control.roof.gbps",
                kind: Decimal::RATE,
                slot: |now| &mut now.card[1],
            },
        ],
    ),
    (
        "control.op",
        &[
            Field { control: "op-flops", label: "control.op.flops", kind: Decimal::COUNT, slot: |now| &mut now.op[0] },
            Field { control: "op-bytes", label: "control.op.bytes", kind: Decimal::COUNT, slot: |now| &mut now.op[1] },
        ],
    ),
    (
        "control.gemm",
        &[
            Field { control: "gemm-m", label: "control.gemm.m", kind: Decimal::SIDE, slot: |now| &mut now.gemm[0] },
            Field { control: "gemm-n", label: "control.gemm.n", kind: Decimal::SIDE, slot: |now| &mut now.gemm[1] },
            Field { control: "gemm-k", label: "control.gemm.k", kind: Decimal::SIDE, slot: |now| &mut now.gemm[2] },
        ],
    ),
    (
        "control.measured",
        &[Field { control: "rate", label: "control.rate", kind: Decimal::RATE, slot: |now| &mut now.rate }],
    ),
];

fn row(rig: Rig, row: &'static Row) -> AnyView {
    view! {
        <div hidden=switch(move || row.inference && rig.state().mode.trains())>
            <Radios
                control=row.control
                label=t(row.label)
                choices=(row.choices)()
                chosen=Signal::derive(move || (row.chosen)(&rig.state()))
                pick=Callback::new(move |id| rig.edit(|state| (row.pick)(state, id)))
            />
        </div>
    }
    .into_any()
}

fn field(rig: Rig, field: &'static Field) -> AnyView {
    let value = move || *(field.slot)(&mut rig.state().roofline);
    let set = move |value| rig.edit(|state| *(field.slot)(&mut state.roofline) = value);
    decimal_field(field.control, t(field.label), field.kind, value, set)
}

/// Batch, sequence length and fusion: what moves the points.
pub fn levers(rig: Rig) -> AnyView {
    let consequence = Signal::derive(move || rig.roofline.with(|plot| plot.consequence()));
    view! {
        {batch(rig, "roofline-batch", consequence)} {seq_length(rig, "roofline-seq", consequence)}
        {row(rig, &KERNELS)}
    }
    .into_any()
}

/// What is compared, how it is counted, and what the reader enters.
pub fn more(rig: Rig) -> AnyView {
    let fields = FIELDS
        .iter()
        .map(|(title, fields)| {
            view! {
                <fieldset class="roofline-own">
                    <legend>{t(title)}</legend>
                    <div class="roofline-fields">{fields.iter().map(|one| field(rig, one)).collect_view()}</div>
                </fieldset>
            }
        })
        .collect_view();
    view! {
        <details class="more">
            <summary>{t("control.roofline.more")}</summary>
            <div class="more-inner">
                <div class="roofline-rows">{ROWS.iter().map(|one| row(rig, one)).collect_view()}</div>
                <div class="rig-row">{pickers(rig, &CARDS)}</div>
                {fields}
            </div>
        </details>
    }
    .into_any()
}
