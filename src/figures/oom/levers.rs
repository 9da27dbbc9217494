//! What the program is changed with: the GPU, four switches, and behind them the sizes.

use leptos::prelude::*;

use super::model::Switch;
use crate::components::{FieldGrid, Radios, Toggle};
use crate::controls::choices::worded;
use crate::controls::{Field, picks};
use crate::state::trace::{BATCHES, SIZES, TraceGpu, flip, is_on};
use crate::store::Store;
use crate::words::labels;

/// What a switch is called.
pub(super) fn switch_name(switch: Switch) -> String {
    match switch {
        Switch::Batch => labels::OomSwitchBatch { n: &BATCHES[1].to_string() }.text(),
        Switch::NoName => labels::oom_switch_no_name().into(),
        Switch::XGrad => labels::oom_switch_x_grad().into(),
        Switch::Squares => labels::oom_switch_squares().into(),
        Switch::Bf16 => labels::oom_switch_bf16().into(),
    }
}

/// Everything that can be changed.
pub fn levers(store: Store) -> impl IntoView {
    let gpus = worded(&TraceGpu::ALL, TraceGpu::id, labels::trace_gpu);
    let settled = ArcTrigger::new();
    let switch = |switch: Switch| {
        let settled = settled.clone();
        view! {
            <Toggle
                store
                label=switch_name(switch)
                class="oom-switch"
                holds=move |state| is_on(&state.trace.program, switch.id()) == Some(true)
                press=move |state| flip(&mut state.trace.program, switch.id())
                // A switch may set a size: what stands half typed is past then.
                on:click=move |_| settled.notify()
            />
        }
    };
    let switches =
        [Switch::NoName, Switch::XGrad, Switch::Squares, Switch::Batch].map(switch).into_iter().collect_view();
    let last = switch(Switch::Bf16);
    let sizes = SIZES.iter().map(|size| (Field::Trace(size), size.name, (size.label)().to_owned()));
    view! {
        <Radios store pick=&picks::TRACE_GPU label=labels::control_card() choices=gpus />
        <div class="oom-switches" role="group" aria-label=labels::oom_switches()>
            <span class="oom-switches-name" aria-hidden="true">
                {labels::oom_switches()}
            </span>
            {switches}
        </div>
        <details class="more">
            <summary>{labels::oom_more()}</summary>
            <div class="more-inner">
                <div>
                    <FieldGrid store fields=sizes.collect() settled=settled.clone() />
                </div>
                <div class="oom-switches">{last}</div>
            </div>
        </details>
    }
}
