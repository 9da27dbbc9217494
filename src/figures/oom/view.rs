//! How the figure is drawn, once, when the page is built: the steps, a trace of bars beside them, and a ledger of what is live.

use leptos::prelude::*;
use memory_wall_core::Bytes;
use memory_wall_core::allocation_trace::{Program, Step, Tensor, Tensors};
use memory_wall_core::display::{Figure, THIN_SPACE};
use memory_wall_core::tables::gpus;

use super::levers::switch_name;
use super::model::{Binding, Length, Model, Switch};
use crate::components::group;
use crate::figures::bound;
use crate::sections::masonry::{self, SegmentRect};
use crate::state::trace::{Trace, TraceGpu, flip};
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// A piece that is there while a switch is on, or while it is off.
fn while_on(switch: Switch, text: &'static str) -> AnyView {
    view! { <span hidden=live(Binding::Off(switch))>{text}</span> }.into_any()
}

fn while_off(switch: Switch, text: &'static str) -> AnyView {
    view! { <span hidden=live(Binding::On(switch))>{text}</span> }.into_any()
}

/// A size of the program as it stands in its code.
fn count(length: Length) -> AnyView {
    view! { <span>{live(Binding::Count(length))}</span> }.into_any()
}

/// The code of a step that is a line of the program, or a piece of one; nothing for the steps inside backward.
fn code(step: Step) -> Option<AnyView> {
    let dtype = || while_on(Switch::Bf16, ", dtype=torch.bfloat16");
    Some(match step {
        Step::Model => {
            view! { "model = nn.Linear(" {count(Length::Features)} ", " {count(Length::Features)} {dtype()} ")" }
                .into_any()
        }
        Step::Input => view! {
            "x = torch.randn("
            {count(Length::Rows)}
            ", "
            {count(Length::Tokens)}
            ", "
            {count(Length::Features)}
            {dtype()}
            {while_on(Switch::XGrad, ", requires_grad=True")}
            ")"
        }
        .into_any(),
        Step::Forward => {
            view! { {while_off(Switch::NoName, "y = model(x)")} {while_on(Switch::NoName, "loss = (model(x)")} }
                .into_any()
        }
        Step::Square => {
            view! { {while_off(Switch::NoName, "loss = y.pow(2)")} {while_on(Switch::NoName, "    .pow(2)")} }
                .into_any()
        }
        Step::Loss => view! {
            <span hidden=live(Binding::On(Switch::Squares))>
                {while_off(Switch::NoName, "loss = y.sum()")} {while_on(Switch::NoName, "    .sum())")}
            </span>
            <span hidden=live(Binding::Off(Switch::Squares))>
                "    .mean()"
                {while_on(Switch::NoName, ")")}
            </span>
        }
        .into_any(),
        Step::Seed => "loss.backward()".into_any(),
        Step::End => view! { "del x, " {while_off(Switch::NoName, "y, ")} "loss" }.into_any(),
        _ => return None,
    })
}

/// What a step inside backward does, which is no line of the program.
fn inner_name(step: Step) -> &'static str {
    match step {
        Step::Mean => words::oom_step_mean(),
        Step::Power => words::oom_step_power(),
        Step::Double => words::oom_step_double(),
        Step::Product => words::oom_step_product(),
        Step::InputGrad => words::oom_step_input_grad(),
        Step::InputCopy => words::oom_step_input_copy(),
        Step::WeightGrad => words::oom_step_weight_grad(),
        Step::WeightCopy => words::oom_step_weight_copy(),
        Step::BiasGrad => words::oom_step_bias_grad(),
        // These are lines of the program.
        Step::Model | Step::Input | Step::Forward | Step::Square | Step::Loss | Step::Seed | Step::End => "",
    }
}

/// The name of a step in a table: its code as it is written first, or what it does.
fn name(step: Step) -> AnyView {
    let code = match step {
        Step::Model => "model = nn.Linear(…)",
        Step::Input => "x = torch.randn(…)",
        Step::Forward => "y = model(x)",
        Step::Loss => "loss = y.sum()",
        Step::Seed => "loss.backward()",
        Step::End => "del x, y, loss",
        _ => return inner_name(step).into_any(),
    };
    view! { <code>{code}</code> }.into_any()
}

/// One step: its line, its bar, its total. Choosing it goes there.
fn step(step: Step) -> AnyView {
    let id = step.id();
    let of = |binding: fn(Step) -> Binding| live(binding(step));
    let code = code(step);
    let inner = code.is_none().then_some("");
    // The second half of a line has no number of its own.
    let number = view! {
        <span class="oom-number" hidden=(step == Step::Loss).then(|| live(Binding::On(Switch::Squares)))>
            {code.is_some().then(|| step.line().to_string())}
        </span>
    };
    let text = match code {
        Some(code) => view! { <code class="oom-code">{code}</code> }.into_any(),
        None => view! { <span class="oom-code">{inner_name(step)}</span> }.into_any(),
    };
    let first = step == Trace::default().step;
    view! {
        <label class="oom-step" data-inner=inner hidden=of(Binding::Absent)>
            <input type="radio" name="control-step" value=id checked=first autocomplete="off" disabled=of(Binding::Absent) />
            <span class="oom-line">{number} {text}</span>
            <svg class="oom-bar" aria-hidden="true">
                <g>{of(Binding::Bar)}</g>
            </svg>
            <span class="oom-total">
                <span class="oom-peak" hidden=of(Binding::Lower)>{words::oom_peak()}</span>
                " "
                <b>{of(Binding::Total)}</b>
                <span class="oom-dies" hidden=of(Binding::Fits)>{words::oom_dies()}</span>
            </span>
        </label>
    }
    .into_any()
}

/// What the reader walks with: buttons and a slider, beside the steps themselves.
fn walk() -> AnyView {
    let button = |act: &'static str, said: &'static str| {
        view! {
            <button type="button" class="plain-button" data-act=act>
                {said}
            </button>
        }
    };
    view! {
        <div class="oom-walk">
            {button("walk back", words::oom_back())} {button("walk on", words::oom_next())} {button("walk end", words::oom_end())}
            <input
                type="range"
                id="oom-place"
                min="0"
                max=live(Binding::Last)
                step="1"
                autocomplete="off"
                aria-label=words::oom_slider()
                value=live(Binding::Place)
                aria-valuetext=live(Binding::Sentence)
            />
        </div>
    }
    .into_any()
}

/// What is live at the step that is looked at.
fn ledger() -> AnyView {
    let rows = Tensor::ALL
        .iter()
        .map(|tensor| {
            let of = |binding: fn(Tensor) -> Binding| live(binding(*tensor));
            view! {
                <tr hidden=of(Binding::Dead)>
                    <th scope="row">
                        <svg class="swatch" aria-hidden="true">
                            <SegmentRect bucket=tensor.bucket() x="0" width="100%" y="0".into() height="100%".into() />
                        </svg>
                        {words::tensor(*tensor)}
                    </th>
                    <td class="numeric">{of(Binding::Size)}</td>
                    <td>
                        <span hidden=of(Binding::Old)>{words::oom_ledger_new()}</span>
                        " "
                        <span hidden=of(Binding::Stays)>{words::oom_ledger_goes()}</span>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="oom-ledger">
            <caption>{words::oom_ledger()}</caption>
            <thead class="visually-hidden">
                <tr>
                    <th scope="col">{words::oom_ledger_tensor()}</th>
                    <th scope="col">{words::oom_ledger_size()}</th>
                    <td></td>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

/// What happens at the step that is looked at.
fn explained() -> AnyView {
    Step::ALL
        .iter()
        .map(|step| {
            view! { <p class="oom-why" hidden=live(Binding::Other(*step))>{words::step_why(*step)}</p> }
        })
        .collect_view()
        .into_any()
}

pub(in crate::figures) fn gib(bytes: Bytes) -> String {
    Figure(bytes.as_gib()).to_string()
}

/// The tensors of a set, by name.
fn listed(tensors: Tensors) -> String {
    let all = Tensor::ALL.iter().filter(|tensor| tensors.has(**tensor));
    words::joined(&all.map(|tensor| words::tensor_short(*tensor)).collect::<Vec<_>>(), ", ")
}

/// Every step of the program as it is written.
fn every_step() -> AnyView {
    let program = Program::default();
    let rows = program
        .steps()
        .map(|step| {
            let during = program.during(step);
            view! {
                <tr data-peak=(step == program.fullest()).then_some("")>
                    <td class="numeric">{step.line().to_string()}</td>
                    <th scope="row">{name(step)}</th>
                    <td>{listed(step.allocates())}</td>
                    <td>{listed(step.frees(&program))}</td>
                    <td class="numeric">{gib(during)}</td>
                    <td class="numeric">{Figure(during.as_gb()).to_string()}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="oom-table">
            <caption>{words::oom_table_steps()}</caption>
            <thead>
                <tr>
                    <th scope="col" class="numeric">{words::oom_table_line()}</th>
                    <th scope="col">{words::oom_table_step()}</th>
                    <th scope="col">{words::oom_table_new()}</th>
                    <th scope="col">{words::oom_table_freed()}</th>
                    <th scope="col" class="numeric">{words::oom_table_gib()}</th>
                    <th scope="col" class="numeric">{words::oom_table_gb()}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

/// What each switch alone does to the peak, and what becomes of the program on two GPUs.
fn every_switch() -> AnyView {
    let gpus = [TraceGpu::Small, TraceGpu::Medium].map(|gpu| gpus::by_id(gpu.id()));
    let variant = |switch: Option<Switch>| {
        let mut program = Program::default();
        if let Some(switch) = switch {
            flip(&mut program, switch.id());
        }
        let ends = gpus.into_iter().flatten().map(|gpu| match program.dies(gpu.capacity) {
            Some(step) => {
                view! { <td class="oom-end-dies">{words::OomTableDies { line: &step.line().to_string() }.text()}</td> }
            }
            None => view! { <td class="oom-end-runs">{words::oom_table_runs().to_owned()}</td> },
        });
        view! {
            <tr>
                <th scope="row">{switch.map_or_else(|| words::oom_table_written().into(), switch_name)}</th>
                <td class="numeric">{gib(program.forward_peak())}</td>
                <td class="numeric">{gib(program.peak())}</td>
                {ends.collect_view()}
            </tr>
        }
    };
    let rows = [None, Some(Switch::NoName), Some(Switch::XGrad), Some(Switch::Squares), Some(Switch::Batch)]
        .map(variant)
        .into_iter()
        .collect_view();
    let heads = gpus
        .into_iter()
        .flatten()
        .map(|gpu| {
            let printed = format!("{}{THIN_SPACE}GB", gpu.printed_gb);
            view! { <th scope="col">{words::OomTableOn { gpu: &printed }.text()}</th> }
        })
        .collect_view();
    view! {
        <table class="oom-table">
            <caption>{words::oom_table_variants()}</caption>
            <thead>
                <tr>
                    <th scope="col">{words::oom_table_variant()}</th>
                    <th scope="col" class="numeric">{words::oom_table_forward()}</th>
                    <th scope="col" class="numeric">{words::oom_table_peak()}</th>
                    {heads}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

/// The figure.
pub fn view() -> AnyView {
    view! {
        <div class="oom" data-open=masonry::live("predict.open.lines")>
            <p class="figure-title">{words::oom_title()} " " {live(Binding::TraceGpu)} ", " {live(Binding::Capacity)}</p>
            <p class="caption">{words::oom_caption()}</p>
            {group("oom", "oom-levers")}
            {walk()}
            <fieldset class="oom-steps" data-control="step" data-value=live(Binding::Step)>
                <legend class="visually-hidden">{words::control_step()}</legend>
                // What the line through all bars is, over its end.
                <div class="oom-edge">
                    <svg class="oom-bar" aria-hidden="true">
                        <text class="oom-card-label" x=live(Binding::Edge) y="50%">{live(Binding::Capacity)}</text>
                    </svg>
                </div>
                {Step::ALL.iter().map(|one| step(*one)).collect_view()}
            </fieldset>
            <p class="oom-verdict">{live(Binding::Verdict)}</p>
            <div class="oom-now">
                <div>
                    <p class="summary oom-sentence">{live(Binding::Sentence)}</p>
                    {explained()}
                </div>
                {ledger()}
            </div>
            <details class="plot-table">
                <summary>{words::oom_table()}</summary>
                <div class="table-scroll" tabindex="0" role="region" aria-label=words::oom_table()>
                    {every_step()} {every_switch()}
                </div>
            </details>
        </div>
    }
    .into_any()
}
