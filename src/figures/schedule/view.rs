//! How the figure is drawn, once, when the page is built. Nothing in it follows the reader's settings.

use std::fmt::Write as _;

use leptos::prelude::*;
use memory_wall_core::display::{ByteUnit, Grouped, Percent, Size};
use memory_wall_core::pipeline::{Pass, Schedule, Slot, TimeLine};
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::{Bucket, Bytes, Implementation, Mode, Parallelism, Scenario, evaluate};

use crate::charts::wall::percent;
use crate::figures::number;
use crate::sections::masonry::kept_unit;
use crate::words;

/// Stages and micro-batches of the picture.
const STAGES: u32 = 4;
const MICRO_BATCHES: u32 = 8;

/// The time lines that are drawn.
pub(super) fn lines() -> impl Iterator<Item = (Schedule, TimeLine)> {
    let of = |schedule| Some((schedule, TimeLine::new(schedule, STAGES, MICRO_BATCHES)?));
    Schedule::EACH.into_iter().filter_map(of)
}

/// The longest of them: the scale of all.
fn ticks() -> f64 {
    lines().map(|(_, line)| f64::from(line.ticks())).fold(1.0, f64::max)
}

/// The model of the sentence, and what one micro-batch of it saves for backward on a stage: what the peak of a stage grows by when it
/// holds two and not one.
pub(super) fn saved() -> Option<(&'static Model, u32, Bytes)> {
    let model = models::by_id("llama-2-7b")?;
    let mut scenario = Scenario::new(model.architecture);
    (scenario.mode, scenario.parallel) = (Mode::Training, Parallelism { pp: STAGES, ..Parallelism::ONE });
    scenario.training.implementation = Implementation::Megatron;
    scenario.training.recipe = scenario.usual_recipe();
    let activations = |micro_batches| {
        let mut step = scenario;
        step.training.micro_batches = micro_batches;
        Some(evaluate(&step.check().ok()?).bytes(Bucket::Activations).0)
    };
    Some((model, scenario.seq_length, Bytes(activations(2)?.checked_sub(activations(1)?)?)))
}

/// What is cut off a block, so that it stands apart from the next one, in ticks.
const GAP: f64 = 0.15;

/// The blocks of a direction and a chunk, as dashed lines in a square for each tick and stage: a line for blocks that follow each other.
fn blocks(slots: &[Slot], pass: Pass, chunk: u32) -> AnyView {
    let (mut path, mut line) = (String::new(), None::<(u32, u32, u32)>);
    let mut draw = |line: Option<(u32, u32, u32)>| {
        if let Some((stage, start, end)) = line {
            // Writing to a string cannot fail.
            let _ = write!(path, "M{start} {stage}.5h{}", end - start);
        }
    };
    let mut length = 0;
    for slot in slots.iter().filter(|slot| (slot.pass, slot.chunk) == (pass, chunk)) {
        length = slot.length;
        let end = slot.start + slot.length;
        line = match line {
            Some((stage, start, before)) if (stage, before) == (slot.stage, slot.start) => Some((stage, start, end)),
            other => {
                draw(other);
                Some((slot.stage, slot.start, end))
            }
        };
    }
    draw(line);
    let class = format!("pipe-{}", pass.id());
    let dashes = format!("{} {GAP}", f64::from(length) - GAP);
    view! { <path class=class data-second=(chunk > 0).then_some("") stroke-dasharray=dashes d=path></path> }.into_any()
}

/// The numbers of a stage's micro-batches: each in the middle of its block.
fn numbers(slots: &[Slot], stage: u32, scale: f64) -> AnyView {
    let own = || slots.iter().filter(|slot| slot.stage == stage);
    let middle = |slot: &Slot| percent((f64::from(slot.start) + f64::from(slot.length) / 2.0) / scale * 100.0);
    let x = own().map(middle).collect::<Vec<_>>().join(" ");
    let text: String = own().map(|slot| (slot.micro_batch + 1).to_string()).collect();
    view! {
        <text x=x y=percent((f64::from(stage) + 0.5) / f64::from(STAGES) * 100.0)>
            {text}
        </text>
    }
    .into_any()
}

/// One schedule: its bubble, its time line, and what each stage holds.
fn panel((schedule, line): (Schedule, TimeLine)) -> AnyView {
    let mut slots = Vec::new();
    line.slots(&mut |slot| slots.push(slot));
    slots.sort_by_key(|slot| (slot.stage, slot.start));
    let scale = ticks();
    let idle = Percent(line.idle()).to_string();
    let held: Vec<_> = (0..STAGES).map(|stage| line.held(stage)).collect();
    let most = f64::from(MICRO_BATCHES);
    let paths = (0..line.chunks()).flat_map(|chunk| Pass::EACH.map(|pass| blocks(&slots, pass, chunk))).collect_view();
    // Half a block has no room for one.
    let numbered = 0..if line.chunks() == 1 { STAGES } else { 0 };
    let stages = (1..=STAGES).map(|stage| view! { <li>{words::ScheduleStage { n: &stage.to_string() }.text()}</li> });
    let bars = held.iter().map(|held| {
        view! {
            <li>
                <svg class="drawing pipe-bar" aria-hidden="true">
                    <rect width=percent(held / most * 100.0) height="100%"></rect>
                </svg>
                {number(*held)}
            </li>
        }
    });
    view! {
        <div class="pipe">
            <p>
                <b>{words::schedule(schedule)}</b>
                " "
                {words::ScheduleIdle { share: &idle }.text()}
            </p>
            <p class="pipe-head">{words::schedule_held()}</p>
            <ol class="pipe-stages" aria-hidden="true">{stages.collect_view()}</ol>
            <svg class="drawing pipe-time" aria-hidden="true">
                <svg viewBox=format!("0 0 {scale} {STAGES}") preserveAspectRatio="none" width="100%" height="100%">
                    <rect class="pipe-idle" width=line.ticks() height=STAGES></rect>
                    {paths}
                </svg>
                {numbered.map(|stage| numbers(&slots, stage, scale)).collect_view()}
            </svg>
            <ol class="pipe-held">{bars.collect_view()}</ol>
        </div>
    }
    .into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let share = |of: Schedule| lines().find(|(schedule, _)| *schedule == of).map_or(0.0, |(_, line)| line.idle());
    let held = |of: Schedule| lines().find(|(schedule, _)| *schedule == of).map_or(0.0, |(_, line)| line.held(0));
    let Some((model, tokens, bytes)) = saved() else { return ().into_any() };
    let p = STAGES.to_string();
    let m = MICRO_BATCHES.to_string();
    let idle = Percent(share(Schedule::GPipe)).to_string();
    let less = Percent(share(Schedule::Interleaved)).to_string();
    let gpipe = number(held(Schedule::GPipe));
    let one = number(held(Schedule::OneForwardOneBackward));
    let both = number(held(Schedule::Interleaved));
    let tokens = Grouped(tokens.into()).to_string();
    let layers = (model.architecture.layers / STAGES).to_string();
    let bytes = Size::new(bytes, ByteUnit::Gb).to_string();

    let sentence = words::ScheduleSentence {
        gpipe: &gpipe,
        idle: &idle,
        one: &one,
        less: &less,
        both: &both,
        model: model.name,
        layers: &layers,
        tokens: &tokens,
        bytes: &bytes,
    }
    .text();
    view! {
        <div class="schedule">
            <p class="figure-title">{words::ScheduleTitle { p: &p, m: &m }.text()}</p>
            <p class="caption">
                <span class="pipe-key pipe-key-forward"></span>
                {words::schedule_key_forward()}
                <span class="pipe-key pipe-key-backward"></span>
                {words::schedule_key_backward()}
                <span class="pipe-key pipe-key-idle"></span>
                {words::schedule_key_idle()}
            </p>
            {lines().map(panel).collect_view()}
            <p class="summary">{sentence}</p>
            {kept_unit()}
        </div>
    }
    .into_any()
}
