//! What reports say beside what the engine estimates, term by term.

use alloc::vec::Vec;

use memory_wall_core::engines::vllm::{self, Run};
use memory_wall_core::engines::{self, reservation};
use memory_wall_core::memory::kv_cache;
use memory_wall_core::memory::overhead::CONTEXT_BYTES;
use memory_wall_core::{Bucket, Bytes, Checked, Share, evaluate, worked};

use memory_wall_core::tables::gpus;
use memory_wall_runtimes::llamacpp::{Device as Placed, Order, Settings, place};
use memory_wall_runtimes::pool::{Found as Memory, Start, Told, start_in};

use super::buffers::{graphs, halves, last, plus, sum};
use super::settings::server;
use crate::what::{Kind, Refusal, What};
use crate::{Report, Size};

/// A number of bytes, or of something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Bytes, with a sign.
    Bytes(i128),
    /// A count.
    Count(u128),
}

impl Number {
    fn bytes(bytes: u128) -> Self {
        Self::Bytes(i128::try_from(bytes).unwrap_or(i128::MAX))
    }

    /// The number itself.
    pub fn value(self) -> i128 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Count(count) => i128::try_from(count).unwrap_or(i128::MAX),
        }
    }
}

/// A term as it is reported, and as the engine estimates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is.
    pub what: What,
    /// As it is reported.
    pub reported: Number,
    /// One unit of the last digit of what is reported.
    pub grain: u64,
    /// As the engine estimates it.
    pub estimated: Option<Number>,
}

impl Row {
    /// Reported less estimated.
    pub fn difference(&self) -> Option<i128> {
        Some(self.reported.value() - self.estimated?.value())
    }

    /// Whether the two are the same within the last digit that is reported.
    pub fn agrees(&self) -> bool {
        self.difference().is_some_and(|difference| difference.unsigned_abs() <= u128::from(self.grain / 2 + 1))
    }

    pub(super) fn size(what: What, size: Size, estimated: Option<Number>) -> Self {
        Self { what, reported: Number::Bytes(size.bytes.into()), grain: size.grain, estimated }
    }
}

/// Terms that hang on the format of the cache.
const CACHE: [What; 4] = [What::KvCache, What::KvNeeded, What::KvTokens, What::KvPerToken];

/// The rows of a run; without an estimate of the cache where its format is not modelled.
pub(super) fn of(
    reports: &[&Report],
    program: Kind,
    scenario: &Checked,
    capacity: Option<Bytes>,
    cache: bool,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for report in reports {
        match report.kind {
            Kind::Vllm => vllm_rows(report, scenario, capacity, &mut rows),
            Kind::Sglang | Kind::TensorRtLlm | Kind::Tgi => server_rows(report, scenario, capacity, &mut rows),
            Kind::Ollama if program == Kind::Ollama => llama_rows(report, scenario, &mut rows),
            Kind::LlamaCpp | Kind::Gguf | Kind::Index => llama_rows(report, scenario, &mut rows),
            Kind::Safetensors | Kind::MemoryReport => {}
            _ => torch_rows(report, scenario, &mut rows),
        }
    }
    for row in rows.iter_mut().filter(|row| !cache && CACHE.contains(&row.what)) {
        row.estimated = None;
    }
    rows
}

fn vllm_rows(report: &Report, scenario: &Checked, capacity: Option<Bytes>, rows: &mut Vec<Row>) {
    let run = Run::of(scenario);
    let pool = capacity.map(|total| run.pool(vllm::requested(scenario, total)));
    let pages = run.pages();
    let terms: [(What, Option<Number>); 9] = [
        (What::Budget, capacity.map(|total| Number::bytes(vllm::requested(scenario, total).0))),
        (What::Weights, Some(Number::bytes(run.weights()))),
        (What::Consumed, Some(Number::bytes(run.weights() + run.non_torch()))),
        (What::PeakActivation, Some(Number::bytes(run.activation()))),
        (What::NonTorch, Some(Number::bytes(run.non_torch()))),
        (What::GraphsEstimated, None),
        (What::Graphs, Some(Number::bytes(run.cuda_graphs()))),
        (What::KvCache, pool.map(|pool| Number::Bytes(pool.pool.0))),
        (
            What::KvNeeded,
            pages.map(|pages| {
                let batched = scenario.batched_tokens().into();
                Number::bytes(pages.blocks(scenario.longest_request().into(), batched) * pages.group_page())
            }),
        ),
    ];
    for (what, estimated) in terms {
        if let Some(size) = last(report, what) {
            rows.push(Row::size(what, size, estimated));
        }
    }
    if let Some(tokens) = report.count(What::LongestPossible) {
        rows.push(Row {
            what: What::LongestPossible,
            reported: Number::Count(tokens.into()),
            grain: 0,
            estimated: None,
        });
    }
    // The pool that is logged has exactly so many tokens.
    if let Some(tokens) = tokens_of(report) {
        let held = last(report, What::KvCache).and_then(|size| u128::try_from(size.bytes).ok());
        let by_pages = held
            .zip(pages)
            .map(|(room, pages)| run.held_tokens(&pages, room))
            .filter(|_| scenario.architecture.sliding_window.is_none());
        let estimated = by_pages.or(pool.map(|pool| pool.tokens)).map(Number::Count);
        // The pool is printed with two digits behind the point, and so many tokens are in one of them.
        let grain = last(report, What::KvCache)
            .zip(pages)
            .map_or(0, |(size, pages)| u64::try_from(run.held_tokens(&pages, size.grain.into())).unwrap_or(u64::MAX));
        rows.push(Row { what: What::KvTokens, reported: Number::Count(tokens.into()), grain, estimated });
    }
}

/// Tokens of a pool, by its blocks where a release prints these alone: vLLM's have 16 tokens unless it says otherwise. Those of states have none.
pub(super) fn tokens_of(report: &Report) -> Option<u64> {
    let by_blocks = || {
        let size = report.count(What::BlockSize).or(if report.kind == Kind::Vllm { Some(16) } else { None })?;
        report.count(What::KvBlocks).filter(|_| report.refusal() != Some(Refusal::StateBlocks))?.checked_mul(size)
    };
    report.count(What::KvTokens).or_else(by_blocks)
}

/// How a server with a pool starts, by what its log says of share and memory.
fn started(report: &Report, scenario: &Checked, capacity: Option<Bytes>) -> Option<Start> {
    let server = server(report.kind)?;
    let share = report
        .millionths(What::Utilization)
        .and_then(|share| u32::try_from((share + 50) / 100).ok())
        .map(Share::hundredths);
    let told = Told {
        share,
        tokens: report.count(What::MaxBatchedTokens).and_then(|tokens| u32::try_from(tokens).ok()),
        ..Told::default()
    };
    // What is free is a server's own figure before it loads; behind that it is another one's.
    let free = report
        .size(What::Free)
        .filter(|_| report.kind == Kind::Sglang)
        .and_then(|size| u128::try_from(size.bytes).ok());
    let total = capacity.map(|capacity| capacity.0).or(free)?;
    let printed = scenario.gpu.map_or(total, |gpu| gpu.capacity_most.0);
    let memory = Memory { total, printed, free };
    // A server that has started has whole experts where their parts would be broken blocks.
    let whole = Told { ep: Some(scenario.parallel.tp), ..told };
    start_in(server, scenario, &told, memory).or_else(|_| start_in(server, scenario, &whole, memory)).ok()
}

fn server_rows(report: &Report, scenario: &Checked, capacity: Option<Bytes>, rows: &mut Vec<Row>) {
    let weights = worked::total(|sink| memory_wall_core::memory::weights::terms(scenario, sink));
    if let Some(size) = last(report, What::Weights) {
        rows.push(Row::size(What::Weights, size, Some(Number::bytes(weights.0))));
    }
    let each = kv_cache::bytes_per_token(scenario).0;
    if let Some(size) = last(report, What::KvPerToken) {
        rows.push(Row::size(What::KvPerToken, size, Some(Number::bytes(each))));
    }
    let tokens = tokens_of(report);
    // Where layers differ there are several pools of other sizes.
    let alike = scenario.architecture.sliding_window.is_none();
    let started = started(report, scenario, capacity);
    // Where the log says how much there was, the pool is what the share leaves; else what its tokens take.
    let by_tokens = || tokens.map(|tokens| Number::bytes(each * u128::from(tokens))).filter(|_| alike);
    // Recurrent states may be more than the pool: then nothing is left to compare.
    let left = started.and_then(|start| start.pool.middle().checked_sub(start.states.middle()));
    let by_share = left.map(Number::bytes);
    let cache = by_share.or_else(by_tokens);
    if let Some(size) = halves(report).filter(|_| alike).or_else(|| last(report, What::KvCache)) {
        rows.push(Row::size(What::KvCache, size, cache));
    }
    // TensorRT-LLM's figure of the profiled pass is a range, and the others are beyond what is modelled.
    for what in [What::PeakActivation, What::ExecutionContext, What::NonTorch] {
        if let Some(size) = last(report, what) {
            rows.push(Row::size(what, size, None));
        }
    }
    if let Some(size) = graphs(report) {
        rows.push(Row::size(What::Graphs, size, None));
    }
    if let Some(tokens) = tokens {
        let estimated = started.map(|start| Number::Count(start.tokens.middle()));
        rows.push(Row { what: What::KvTokens, reported: Number::Count(tokens.into()), grain: 0, estimated });
    }
}

/// What is on the GPU where only some of the layers are: of both orders in which builds put them there the one whose weights come nearer.
fn partly(report: &Report, scenario: &Checked) -> Option<Placed> {
    let [here, all] = [What::GpuLayers, What::AllLayers].map(|what| report.count(what));
    let gpu_layers = here.filter(|here| Some(*here) < all).and_then(|here| u32::try_from(here).ok())?;
    let held = sum(report, What::Weights, false)?;
    let gpus: Vec<_> = scenario.gpu.or_else(|| gpus::by_id("a40")).into_iter().collect();
    let placed = Order::EACH.into_iter().filter_map(|order| {
        let settings = Settings { gpu_layers, order, gpus: gpus.clone(), ..Settings::DEFAULT };
        place(scenario, &settings).ok()?.devices.into_iter().next()
    });
    placed.min_by_key(|device| device.weights.abs_diff(u128::try_from(held.bytes).unwrap_or(0)))
}

fn llama_rows(report: &Report, scenario: &Checked, rows: &mut Vec<Row>) {
    let terms = |bucket| worked::total(|sink| engines::terms(bucket, scenario, sink)).0;
    let partly = partly(report, scenario);
    if let Some((device, size)) = partly.zip(sum(report, What::Weights, false)) {
        rows.push(Row::size(What::Weights, size, Some(Number::bytes(device.weights))));
    }
    let whole = || sum(report, What::Weights, true).filter(|_| partly.is_none());
    if let Some(size) = report.size(What::Checkpoint).or_else(whole) {
        let what = if report.has(What::Checkpoint) { What::Checkpoint } else { What::Weights };
        rows.push(Row::size(what, size, Some(Number::bytes(terms(Bucket::Weights)))));
    }
    if partly.is_none()
        && report.has(What::Checkpoint)
        && let Some(size) = sum(report, What::Weights, false)
    {
        rows.push(Row::size(What::Weights, size, None));
    }
    let caches = [sum(report, What::KvCache, true), sum(report, What::RecurrentState, true)].into_iter().flatten();
    if let Some(size) = caches.reduce(plus) {
        rows.push(Row::size(What::KvCache, size, Some(Number::bytes(reservation(scenario).bytes.0))));
    }
    if let Some(size) = last(report, What::Compute) {
        rows.push(Row::size(
            What::Compute,
            size,
            Some(Number::bytes(
                partly.map_or_else(
                    || terms(Bucket::Activations) + terms(Bucket::Logits),
                    |device| device.compute.middle(),
                ),
            )),
        ));
    }
}

fn torch_rows(report: &Report, scenario: &Checked, rows: &mut Vec<Row>) {
    // A server takes what it is told to, whatever its tensors need.
    if scenario.runtime().is_some() {
        return;
    }
    let held = report.size(What::Allocated).or_else(|| report.size(What::ProgramAllocated));
    let estimate = Number::Bytes(evaluate::total(scenario).minus(Bytes(CONTEXT_BYTES.into())).0);
    if let Some(held) = held.filter(|_| report.is_failure()) {
        let asked = report.size(What::Requested).unwrap_or(Size::exact(0));
        // What it held and what it asked for: it needs at least that.
        let need =
            Size { bytes: held.bytes.saturating_add(asked.bytes), grain: held.grain.max(asked.grain), floor: false };
        rows.push(Row::size(What::Need, need, Some(estimate)));
        return;
    }
    if matches!(
        report.kind,
        Kind::Torch
            | Kind::MemoryStats
            | Kind::MemorySummary
            | Kind::DeepSpeed
            | Kind::Litgpt
            | Kind::Torchtitan
            | Kind::Megatron
    ) {
        if let Some(size) = report.greatest(What::PeakAllocated) {
            rows.push(Row::size(What::PeakAllocated, size, Some(estimate)));
        }
        if let Some(size) = report.greatest(What::PeakReserved) {
            rows.push(Row::size(What::PeakReserved, size, None));
        }
    }
    if report.kind == Kind::Trainer
        && let Some(count) = report.count(What::TrainableParameters)
    {
        let estimated = Some(Number::Count(scenario.trained_parameters().into()));
        rows.push(Row { what: What::TrainableParameters, reported: Number::Count(count.into()), grain: 0, estimated });
    }
}
