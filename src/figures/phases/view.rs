//! How the figure is drawn, once, when the page is built. Nothing in it follows the reader's settings.

use std::fmt::Write as _;

use leptos::prelude::*;
use memory_wall_core::display::{ByteUnit, Count, Duration, Grouped, Percent, Size};
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::Roof;
use memory_wall_core::roofline::latency::{Counting, Estimate, estimate};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::tables::models::Model;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Bucket, Bytes, Scenario};

use crate::charts::wall::percent;
use crate::sections::masonry::kept_unit;
use crate::widgets::table::{self, Table};
use crate::words;

/// Tokens of the prompt, and steps of decode that are drawn.
const PROMPT: u32 = 2_048;
const STEPS: u32 = 12;

/// The request, and the time of all that is done for it, at best.
pub(super) struct Request {
    model: &'static Model,
    gpu: &'static Gpu,
    roof: Roof,
    pub(super) prefill: Estimate,
    pub(super) decode: Vec<Estimate>,
}

impl Request {
    pub(super) fn new() -> Option<Self> {
        let (model, gpu) = (models::by_id("llama-2-7b")?, gpus::by_id("a100-80-sxm")?);
        let of = |seq_length, pass| {
            let scenario = Scenario { seq_length, ..Scenario::new(model.architecture) }.check().ok()?;
            Some(estimate(&scenario, gpu, pass, Counting::of(&scenario)))
        };
        // The first token comes out of prefill: each further one is a step that reads one token more.
        let decode = (1..=STEPS).map(|step| of(PROMPT + step, Pass::Decode)).collect::<Option<_>>()?;
        Some(Self {
            model,
            gpu,
            roof: Roof::of(gpu, ComputePrecision::Bf16)?,
            prefill: of(PROMPT, Pass::Prefill)?,
            decode,
        })
    }

    /// Everything in its order.
    fn steps(&self) -> impl Iterator<Item = &Estimate> {
        std::iter::once(&self.prefill).chain(&self.decode)
    }

    fn seconds(&self) -> f64 {
        self.steps().map(|step| step.lower.0).sum()
    }

    /// Shares of the peak and of the bandwidth that a step uses: arithmetic; weights and KV cache, which are nearly all that is moved.
    pub(super) fn shares(&self, step: &Estimate) -> (f64, [f64; 2]) {
        let of = |bytes: u128| bytes as f64 / self.roof.bandwidth.0 / step.lower.0;
        (step.work.flops as f64 / self.roof.peak.0 / step.lower.0, [step.weights, step.cache].map(of))
    }

    /// Boxes over the time, each between two shares, as a path in a square of a thousand.
    fn boxes(&self, range: impl Fn(&Estimate) -> [f64; 2]) -> String {
        let (mut path, mut at) = (String::new(), 0.0);
        let all = self.seconds();
        for step in self.steps() {
            let wide = step.lower.0 / all * 1_000.0;
            let [low, high] = range(step).map(|share| 1_000.0 - share.min(1.0) * 1_000.0);
            // Writing to a string cannot fail.
            let _ = write!(path, "M{at:.0} {low:.0}h{wide:.0}V{high:.0}h-{wide:.0}z");
            at += wide;
        }
        path
    }
}

/// A lane of boxes.
fn lane(paths: AnyView) -> AnyView {
    view! {
        <svg class="drawing phase-lane" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
            {paths}
        </svg>
    }
    .into_any()
}

fn path(class: &'static str, d: String) -> AnyView {
    view! { <path class=class d=d></path> }.into_any()
}

/// What a step works on, reads and takes.
fn row(head: &'static str, tokens: u32, step: &Estimate) -> AnyView {
    let size = |bytes: u128| Size::new(Bytes(bytes), ByteUnit::Gb).to_string();
    let flops = Count(u64::try_from(step.work.flops).unwrap_or(u64::MAX)).to_string();
    let cells = [
        Grouped(tokens.into()).to_string(),
        size(step.weights),
        size(step.moved),
        flops,
        Duration(step.lower.0).to_string(),
    ];
    table::texts(head, cells)
}

/// The figure.
pub fn view() -> AnyView {
    let Some(request) = Request::new() else { return ().into_any() };
    let (Some(first), first_at) = (request.decode.first(), request.prefill.lower.0) else { return ().into_any() };
    let all = request.seconds();
    let mut at = 0.0;
    let tokens = request.steps().map(|step| {
        at += step.lower.0;
        view! { <circle cx=percent(at / all * 100.0) cy="75%" r="3"></circle> }
    });
    let tokens = tokens.collect_view();
    let x = percent(first_at / all * 100.0);
    let (busy, _) = request.shares(&request.prefill);
    let (idle, moved) = request.shares(first);
    let model = request.model.name;
    let gpu = request.gpu.name;
    let prompt = Grouped(PROMPT.into()).to_string();
    let ttft = Duration(first_at).to_string();
    let tpot = Duration(first.lower.0).to_string();
    let busy = Percent(busy).to_string();
    let idle = Percent(idle).to_string();
    let busy_memory = Percent(moved.iter().sum()).to_string();
    let bytes = Size::new(Bytes(first.moved), ByteUnit::Gb).to_string();

    let part = |place: usize| {
        request.boxes(|step| {
            let (_, parts) = request.shares(step);
            [place, place + 1].map(|upto| parts.iter().take(upto).sum())
        })
    };
    let memory = [("phase-weights", 0), ("phase-cache", 1)].map(|(class, place)| path(class, part(place)));
    let table = Table {
        name: words::phases_table(),
        class: "phase-table",
        caption: None,
        heads: table::heads([
            words::phases_table_step(),
            words::phases_table_tokens(),
            words::phases_table_weights(),
            words::phases_table_bytes(),
            words::phases_table_flops(),
            words::phases_table_time(),
        ]),
        rows: [row(words::phases_prefill(), PROMPT, &request.prefill), row(words::phases_decode(), 1, first)]
            .collect_view()
            .into_any(),
        note: None,
    };
    let sentence =
        words::PhasesSentence { prompt: &prompt, busy: &busy, bytes: &bytes, memory: &busy_memory, idle: &idle }.text();
    view! {
        <div class="phases">
            <p class="figure-title">{words::PhasesTitle { model, gpu }.text()}</p>
            <p class="phase-name">{words::phases_lane_tokens()}</p>
            <svg class="drawing phase-tokens" aria-hidden="true">
                <text x=x.clone() y="25%" dx="-6" text-anchor="end">{words::PhasesTtft { ttft: &ttft }.text()}</text>
                <text x=x.clone() y="25%" dx="6">{words::PhasesTpot { tpot: &tpot }.text()}</text>
                {tokens}
            </svg>
            <p class="phase-name">{words::phases_lane_compute()}</p>
            {lane(path("phase-compute", request.boxes(|step| [0.0, request.shares(step).0])))}
            <p class="phase-name">
                {words::phases_lane_memory()} " " <b class="phase-of-weights">{words::bucket(Bucket::Weights)}</b> ", "
                <b class="phase-of-cache">{words::bucket(Bucket::KvCache)}</b>
            </p>
            {lane(memory.collect_view().into_any())}
            <p class="summary">{sentence}</p>
            {table.open()}
            {kept_unit()}
        </div>
    }
    .into_any()
}
