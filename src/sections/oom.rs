//! Section 6: where is the peak? A program of six lines run step by step: a tape of bars, and a ledger of what is live.

use leptos::prelude::*;
use memory_wall_core::Bytes;
use memory_wall_core::display::{Figure, THIN_SPACE};
use memory_wall_core::tables::gpus;
use memory_wall_core::tape::{Program, Step, Tensor, Tensors};

use super::levers::row;
use super::masonry::{CourseRect, flag, live};
use super::reasons::reasons;
use crate::charts::oom::LINES;
use crate::state::tape::{BATCHES, Card, SIZES, SWITCHES, Tape, flip};
use crate::widgets::choice::worded;
use crate::widgets::field;
use crate::widgets::prediction;
use crate::words::{self, fill, t};

/// A piece that is there while a switch is on, or while it is off.
fn while_on(switch: &str, text: &'static str) -> AnyView {
    view! { <span hidden=flag(&format!("oom.off.{switch}"))>{text}</span> }.into_any()
}

fn while_off(switch: &str, text: &'static str) -> AnyView {
    view! { <span hidden=flag(&format!("oom.on.{switch}"))>{text}</span> }.into_any()
}

/// A size of the program as it stands in its code.
fn count(size: &str) -> AnyView {
    view! { <span>{live(&format!("oom.count.{size}"))}</span> }.into_any()
}

/// The code of a step that is a line of the program, or a piece of one; nothing for the steps inside backward.
fn code(step: Step) -> Option<AnyView> {
    let dtype = || while_on("bf16", ", dtype=torch.bfloat16");
    Some(match step {
        Step::Model => {
            view! { "model = nn.Linear(" {count("features")} ", " {count("features")} {dtype()} ")" }.into_any()
        }
        Step::Input => view! {
            "x = torch.randn("
            {count("rows")}
            ", "
            {count("tokens")}
            ", "
            {count("features")}
            {dtype()}
            {while_on("x-grad", ", requires_grad=True")}
            ")"
        }
        .into_any(),
        Step::Forward => {
            view! { {while_off("no-name", "y = model(x)")} {while_on("no-name", "loss = (model(x)")} }.into_any()
        }
        Step::Square => {
            view! { {while_off("no-name", "loss = y.pow(2)")} {while_on("no-name", "    .pow(2)")} }.into_any()
        }
        Step::Loss => view! {
            <span hidden=flag("oom.on.squares")>
                {while_off("no-name", "loss = y.sum()")} {while_on("no-name", "    .sum())")}
            </span>
            <span hidden=flag("oom.off.squares")>
                "    .mean()"
                {while_on("no-name", ")")}
            </span>
        }
        .into_any(),
        Step::Seed => "loss.backward()".into_any(),
        Step::End => view! { "del x, " {while_off("no-name", "y, ")} "loss" }.into_any(),
        _ => return None,
    })
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
        _ => return words::choice("oom.step", step.id()).into_any(),
    };
    view! { <code>{code}</code> }.into_any()
}

/// One step: its line, its bar, its total. Choosing it goes there.
fn step(step: Step) -> AnyView {
    let id = step.id();
    let of = |what: &str| flag(&format!("oom.{what}.{id}"));
    let code = code(step);
    let inner = code.is_none().then_some("");
    // The second half of a line has no number of its own.
    let number = view! {
        <span class="oom-number" hidden=(step == Step::Loss).then(|| flag("oom.on.squares"))>
            {code.is_some().then(|| step.line().to_string())}
        </span>
    };
    let text = match code {
        Some(code) => view! { <code class="oom-code">{code}</code> }.into_any(),
        None => view! { <span class="oom-code">{words::choice("oom.step", id)}</span> }.into_any(),
    };
    let first = step == Tape::default().step;
    view! {
        <label class="oom-step" data-inner=inner hidden=of("absent")>
            <input type="radio" name="control-step" value=id checked=first autocomplete="off" disabled=of("absent") />
            <span class="oom-line">{number} {text}</span>
            <svg class="oom-bar" aria-hidden="true">
                <g>{live(&format!("oom.bar.{id}"))}</g>
            </svg>
            <span class="oom-total">
                <span class="oom-peak" hidden=of("lower")>{t("oom.peak")}</span>
                " "
                <b>{live(&format!("oom.total.{id}"))}</b>
                <span class="oom-dies" hidden=of("fits")>{t("oom.dies")}</span>
            </span>
        </label>
    }
    .into_any()
}

/// What the reader walks with: buttons and a slider, beside the steps themselves.
fn walk() -> AnyView {
    let button = |act: &'static str, key: &'static str| {
        view! {
            <button type="button" class="plain-button" data-act=act>
                {t(key)}
            </button>
        }
    };
    view! {
        <div class="oom-walk">
            {button("walk back", "oom.back")} {button("walk on", "oom.next")} {button("walk end", "oom.end")}
            <input
                type="range"
                id="oom-place"
                min="0"
                max=live("oom.last")
                step="1"
                autocomplete="off"
                aria-label=t("oom.slider")
                value=live("oom.place")
                aria-valuetext=live("oom.sentence")
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
            let id = tensor.id();
            let of = |what: &str| flag(&format!("oom.{what}.{id}"));
            view! {
                <tr hidden=of("dead")>
                    <th scope="row">
                        <svg class="swatch" aria-hidden="true">
                            <CourseRect bucket=tensor.bucket() x="0" width="100%" y="0".into() height="100%".into() />
                        </svg>
                        {words::choice("oom.tensor", id)}
                    </th>
                    <td class="numeric">{live(&format!("oom.size.{id}"))}</td>
                    <td>
                        <span hidden=of("old")>{t("oom.ledger.new")}</span>
                        " "
                        <span hidden=of("stays")>{t("oom.ledger.goes")}</span>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="oom-ledger">
            <caption>{t("oom.ledger")}</caption>
            <thead class="visually-hidden">
                <tr>
                    <th scope="col">{t("oom.ledger.tensor")}</th>
                    <th scope="col">{t("oom.ledger.size")}</th>
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
            let id = step.id();
            view! { <p class="oom-why" hidden=flag(&format!("oom.other.{id}"))>{words::choice("oom.why", id)}</p> }
        })
        .collect_view()
        .into_any()
}

/// What a switch is called.
fn switch_name(switch: &str) -> String {
    match switch {
        "batch" => fill("oom.switch.batch", &[("n", &BATCHES[1].to_string())]),
        _ => words::choice("oom.switch", switch),
    }
}

/// Everything that can be changed: four switches, and behind them the sizes.
fn switches() -> AnyView {
    let switch = |id: &'static str| {
        view! {
            <button type="button" class="oom-switch" aria-pressed=live(&format!("oom.on.{id}")) data-act=format!("flip {id}")>
                {switch_name(id)}
            </button>
        }
    };
    let [no_name, x_grad, squares, bf16] = SWITCHES;
    let sizes = SIZES.iter().map(|size| (size.name, words::choice("oom.size", size.name))).collect::<Vec<_>>();
    view! {
        <div class="oom-switches" role="group" aria-label=t("oom.switches")>
            <span class="oom-switches-name" aria-hidden="true">{t("oom.switches")}</span>
            {[no_name, x_grad, squares, "batch"].map(switch).into_iter().collect_view()}
        </div>
        <details class="more">
            <summary>{t("oom.more")}</summary>
            <div class="more-inner">
                <div>{field::grid(&sizes, "control control-dimension")}</div>
                <div class="oom-switches">{switch(bf16)}</div>
            </div>
        </details>
    }
    .into_any()
}

fn gib(bytes: Bytes) -> String {
    Figure(bytes.as_gib()).to_string()
}

/// The tensors of a set, by name.
fn listed(tensors: Tensors) -> String {
    let all = Tensor::ALL.iter().filter(|tensor| tensors.has(**tensor));
    all.map(|tensor| words::choice("oom.short", tensor.id())).collect::<Vec<_>>().join(", ")
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
            <caption>{t("oom.table.steps")}</caption>
            <thead>
                <tr>
                    <th scope="col" class="numeric">{t("oom.table.line")}</th>
                    <th scope="col">{t("oom.table.step")}</th>
                    <th scope="col">{t("oom.table.new")}</th>
                    <th scope="col">{t("oom.table.freed")}</th>
                    <th scope="col" class="numeric">{t("oom.table.gib")}</th>
                    <th scope="col" class="numeric">{t("oom.table.gb")}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

/// What each switch alone does to the peak, and what becomes of the program on two cards.
fn every_switch() -> AnyView {
    let cards = [Card::Small, Card::Medium].map(|card| gpus::by_id(card.id()));
    let variant = |switch: Option<&str>| {
        let mut program = Program::default();
        if let Some(switch) = switch {
            flip(&mut program, switch);
        }
        let ends = cards.into_iter().flatten().map(|gpu| match program.dies(gpu.capacity) {
            Some(step) => {
                view! { <td class="oom-end-dies">{fill("oom.table.dies", &[("line", &step.line().to_string())])}</td> }
            }
            None => view! { <td class="oom-end-runs">{t("oom.table.runs").to_owned()}</td> },
        });
        view! {
            <tr>
                <th scope="row">{switch.map_or_else(|| t("oom.table.written").into(), switch_name)}</th>
                <td class="numeric">{gib(program.forward_peak())}</td>
                <td class="numeric">{gib(program.peak())}</td>
                {ends.collect_view()}
            </tr>
        }
    };
    let rows =
        [None, Some("no-name"), Some("x-grad"), Some("squares"), Some("batch")].map(variant).into_iter().collect_view();
    let heads = cards
        .into_iter()
        .flatten()
        .map(|gpu| {
            let printed = format!("{}{THIN_SPACE}GB", gpu.printed_gb);
            view! { <th scope="col">{fill("oom.table.on", &[("gpu", &printed)])}</th> }
        })
        .collect_view();
    view! {
        <table class="oom-table">
            <caption>{t("oom.table.variants")}</caption>
            <thead>
                <tr>
                    <th scope="col">{t("oom.table.variant")}</th>
                    <th scope="col" class="numeric">{t("oom.table.forward")}</th>
                    <th scope="col" class="numeric">{t("oom.table.peak")}</th>
                    {heads}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

/// The program to think about, and the line that is guessed.
pub fn guess() -> AnyView {
    let program = Program::default();
    let Program { features, batch, seq_length, .. } = program;
    let listing = [
        format!("model = nn.Linear({features}, {features})"),
        format!("x = torch.randn({batch}, {seq_length}, {features})"),
        "y = model(x)".into(),
        "loss = y.sum()".into(),
        "loss.backward()".into(),
        "del x, y, loss".into(),
    ]
    .map(|line| view! { <li><code>{line}</code></li> })
    .into_iter()
    .collect_view();
    let why = |option: &str| {
        let line = option.parse().unwrap_or(0);
        let most = program.steps().filter(|step| step.line() == line).map(|step| program.during(step)).max();
        let total = format!("{}{THIN_SPACE}GiB", gib(most.unwrap_or_default()));
        let key = match option {
            "2" => "oom.reason.2",
            "3" => "oom.reason.3",
            "4" => "oom.reason.4",
            _ => "oom.reason.5",
        };
        fill(key, &[("total", &total)])
    };
    view! {
        <div class="oom-guess">
            <ol class="oom-listing" aria-label=t("oom.program")>
                {listing}
            </ol>
            <div class="part">
                {prediction::guess(&LINES, "peak-line", t("oom.question").into())} {prediction::reveal(&LINES)}
            </div>
            <p class="oom-outcome">{live("predict.outcome.lines")}</p>
            {reasons(&LINES, "peak-line", why)}
        </div>
    }
    .into_any()
}

/// The tape.
pub fn oom() -> AnyView {
    let cards = Card::ALL.map(|card| worded("control.card", card.id())).into();
    view! {
        <div class="oom" data-open=flag("predict.open.lines")>
            <p class="figure-title">{t("oom.title")} " " {live("oom.card")} ", " {live("oom.capacity")}</p>
            <p class="caption">{t("oom.caption")}</p>
            <div class="oom-levers">{row("card", t("control.card"), cards)} {switches()}</div>
            {walk()}
            <fieldset class="oom-steps" data-control="step" data-value=live("control.chosen.step")>
                <legend class="visually-hidden">{t("control.step")}</legend>
                // What the line through all bars is, over its end.
                <div class="oom-edge">
                    <svg class="oom-bar" aria-hidden="true">
                        <text class="oom-card-label" x=live("oom.edge") y="50%">{live("oom.capacity")}</text>
                    </svg>
                </div>
                {Step::ALL.iter().map(|one| step(*one)).collect_view()}
            </fieldset>
            <p class="oom-verdict">{live("oom.verdict")}</p>
            <div class="oom-now">
                <div>
                    <p class="summary oom-sentence">{live("oom.sentence")}</p>
                    {explained()}
                </div>
                {ledger()}
            </div>
            <details class="plot-table">
                <summary>{t("oom.table")}</summary>
                <div class="table-scroll" tabindex="0" role="region" aria-label=t("oom.table")>
                    {every_step()} {every_switch()}
                </div>
            </details>
        </div>
    }
    .into_any()
}
