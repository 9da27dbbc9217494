//! The answer of `estimate` for programs.

use memory_wall_core::communication::Traffic;
use memory_wall_core::evaluate::StageRanks;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::worked::Term;
use memory_wall_core::{Bytes, Fit};
use serde::Serialize;

use super::PerBucket;
use super::inputs::Inputs;
use super::serving::Serving;
use crate::findings::Findings;
use crate::serving;

/// Everything about one scenario.
#[derive(Debug, Serialize)]
pub(crate) struct Estimate<'a> {
    model: &'a str,
    parameters: u64,
    active_parameters: u64,
    scenario: Inputs,
    gpus: u64,
    buckets: PerBucket<u128>,
    total_bytes: u128,
    kv_bytes_per_token: u128,
    peak_phase: &'static str,
    phases: Vec<AtPhase>,
    largest_tensors: Vec<Tensor>,
    stage: u32,
    per_rank: Vec<PerRank>,
    communication_bytes: Sent,
    /// Bytes that travel to and from host memory in one step, those that wait there, and the time of the way.
    offload_bytes: u128,
    offload_host_bytes: u128,
    offload_seconds: Option<f64>,
    serving: Option<Serving>,
    #[serde(flatten)]
    fit: Option<OnGpu>,
    assumptions: Vec<String>,
    formulas: PerBucket<Vec<Formula>>,
}

/// The sum at one phase.
#[derive(Debug, Serialize)]
struct AtPhase {
    phase: &'static str,
    total_bytes: u128,
}

/// One of the largest at the peak.
#[derive(Debug, Serialize)]
struct Tensor {
    item: &'static str,
    bytes: u128,
}

/// What each rank of one pipeline stage holds.
#[derive(Debug, Serialize)]
struct PerRank {
    stage: u32,
    ranks: u64,
    layers: u64,
    parameters: u64,
    peak_phase: &'static str,
    buckets: PerBucket<u128>,
    total_bytes: u128,
}

/// Bytes that the rank which sends most sends to others in one step.
#[derive(Debug, Serialize)]
struct Sent {
    data_parallel: u128,
    tensor_parallel: u128,
    pipeline_parallel: u128,
    context_parallel: u128,
    expert_parallel: u128,
    total: u128,
}

/// The scenario against its GPU.
#[derive(Debug, Serialize)]
struct OnGpu {
    gpu: &'static str,
    capacity_bytes: u128,
    /// Missing where vLLM does not start.
    limit_bytes: Option<u128>,
    verdict: &'static str,
    margin_bytes: i128,
    max_seq: u32,
    max_batch: u32,
    /// On all data-parallel ranks together.
    max_batch_in_all: u64,
}

/// One term of a bucket.
#[derive(Debug, Serialize)]
struct Formula {
    item: &'static str,
    #[serde(rename = "formula")]
    words: String,
    numbers: String,
    bytes: u128,
}

impl<'a> Estimate<'a> {
    /// Of what the engine says about a scenario.
    pub(crate) fn new(model: &'a str, findings: &Findings, assumptions: Vec<String>) -> Self {
        let Findings { rank, evaluation, ranks, .. } = findings;
        let host = findings.host();
        let tensors = evaluation.largest_items.iter().flatten();
        Self {
            model,
            parameters: evaluation.parameters.total(),
            active_parameters: rank.architecture.active_parameters(),
            scenario: Inputs::new(rank),
            gpus: rank.parallel.ranks(),
            buckets: PerBucket::of(|bucket| evaluation.bytes(bucket).0),
            total_bytes: evaluation.total.0,
            kv_bytes_per_token: evaluation.kv_bytes_per_token.0,
            peak_phase: evaluation.peak_phase.id(),
            phases: evaluation
                .phases
                .iter()
                .map(|(phase, total)| AtPhase { phase: phase.id(), total_bytes: total.0 })
                .collect(),
            largest_tensors: tensors.map(|(item, bytes)| Tensor { item: item.id(), bytes: bytes.0 }).collect(),
            stage: evaluation.stage,
            per_rank: ranks.iter().map(PerRank::new).collect(),
            communication_bytes: Sent::new(findings),
            offload_bytes: host.map_or(0, |host| host.moved.0),
            offload_host_bytes: host.map_or(0, |host| host.waiting.0),
            offload_seconds: host.map_or(Some(0.0), |host| host.seconds),
            serving: serving::inspected(rank).as_ref().map(|it| Serving::new(it, rank.parallel.dp)),
            fit: rank.gpu.zip(evaluation.fit).map(|(gpu, fit)| OnGpu::new(gpu, &fit, rank)),
            assumptions,
            formulas: PerBucket::of(|bucket| {
                let mut terms = Vec::new();
                bucket.terms(rank, evaluation.peak_phase, &mut |term| terms.push(Formula::new(term)));
                terms
            }),
        }
    }
}

impl PerRank {
    fn new(stage: &StageRanks) -> Self {
        let bytes = |bucket| stage.buckets.iter().find(|(name, _)| *name == bucket).map_or(0, |(_, bytes)| bytes.0);
        Self {
            stage: stage.stage,
            ranks: stage.ranks,
            layers: stage.layers,
            parameters: stage.parameters.total(),
            peak_phase: stage.peak_phase.id(),
            buckets: PerBucket::of(bytes),
            total_bytes: stage.total.0,
        }
    }
}

impl Sent {
    fn new(findings: &Findings) -> Self {
        let traffic = findings.traffic();
        let of = |kind| traffic.iter().find(|(it, _)| *it == kind).map_or(0, |(_, Bytes(bytes))| *bytes);
        Self {
            data_parallel: of(Traffic::Data),
            tensor_parallel: of(Traffic::Tensor),
            pipeline_parallel: of(Traffic::Pipeline),
            context_parallel: of(Traffic::Context),
            expert_parallel: of(Traffic::Expert),
            total: findings.sent().0,
        }
    }
}

impl OnGpu {
    fn new(gpu: &Gpu, fit: &Fit, rank: &memory_wall_core::Checked) -> Self {
        Self {
            gpu: gpu.id,
            capacity_bytes: fit.capacity.0,
            limit_bytes: Some(fit.limit.0).filter(|limit| *limit > 0),
            verdict: fit.verdict.id(),
            margin_bytes: fit.margin.0,
            max_seq: fit.longest(rank),
            max_batch: fit.max_batch,
            max_batch_in_all: u64::from(fit.max_batch) * u64::from(rank.parallel.dp),
        }
    }
}

impl Formula {
    fn new(term: &Term<'_>) -> Self {
        Self {
            item: term.item.id(),
            words: term.in_words().to_string(),
            numbers: term.in_numbers().to_string(),
            bytes: term.bytes().0,
        }
    }
}
