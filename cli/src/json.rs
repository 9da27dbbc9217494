//! The shape of the answers for programs. Fields stand in the order in which they are declared.
//!
//! Bytes are whole numbers without bound: they can pass 2^64, beyond which some readers round.

use memory_wall_core::tables::gpus::{Gpu, Peak, Peaks};
use memory_wall_core::tables::models::Model;
use memory_wall_core::worked::Term;
use memory_wall_core::{Bucket, Evaluation, Fit, Scenario, evaluate};
use serde::Serialize;

use crate::BadInput;

/// One value for each bucket.
#[derive(Debug, Serialize)]
pub(crate) struct PerBucket<T> {
    weights: T,
    kv_cache: T,
    activations: T,
    gradients: T,
    optimizer: T,
    logits: T,
    overhead: T,
}

impl<T> PerBucket<T> {
    fn of(value: impl Fn(Bucket) -> T) -> Self {
        Self {
            weights: value(Bucket::Weights),
            kv_cache: value(Bucket::KvCache),
            activations: value(Bucket::Activations),
            gradients: value(Bucket::Gradients),
            optimizer: value(Bucket::Optimizer),
            logits: value(Bucket::Logits),
            overhead: value(Bucket::Overhead),
        }
    }
}

/// The answer of `estimate`.
#[derive(Debug, Serialize)]
pub(crate) struct Estimate<'a> {
    model: &'a str,
    parameters: u64,
    scenario: Inputs,
    buckets: PerBucket<u128>,
    total_bytes: u128,
    kv_bytes_per_token: u128,
    peak_phase: &'static str,
    #[serde(flatten)]
    fit: Option<OnCard>,
    assumptions: Vec<String>,
    formulas: PerBucket<Vec<Formula>>,
}

/// What was evaluated, defaults included.
#[derive(Debug, Serialize)]
struct Inputs {
    mode: &'static str,
    batch: u32,
    seq_length: u32,
    weights: &'static str,
    kv: &'static str,
    optimizer: &'static str,
    checkpointing: &'static str,
    attention: &'static str,
}

/// The scenario against its card.
#[derive(Debug, Serialize)]
struct OnCard {
    gpu: &'static str,
    capacity_bytes: u128,
    verdict: &'static str,
    margin_bytes: i128,
    max_seq: u32,
    max_batch: u32,
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
    /// Of a scenario and what the engine says about it.
    pub(crate) fn new(model: &'a str, scenario: &Scenario, evaluation: &Evaluation, assumptions: Vec<String>) -> Self {
        Self {
            model,
            parameters: evaluation.parameters.total(),
            scenario: Inputs {
                mode: scenario.mode.id(),
                batch: scenario.batch,
                seq_length: scenario.seq_length,
                weights: scenario.weights.id(),
                kv: scenario.kv.id(),
                optimizer: scenario.optimizer.id(),
                checkpointing: scenario.checkpointing.id(),
                attention: scenario.attention.id(),
            },
            buckets: PerBucket::of(|bucket| evaluation.bytes(bucket).0),
            total_bytes: evaluation.total.0,
            kv_bytes_per_token: evaluation.kv_bytes_per_token.0,
            peak_phase: evaluation.peak_phase.id(),
            fit: scenario.gpu.zip(evaluation.fit).map(|(gpu, fit)| OnCard::new(gpu, &fit)),
            assumptions,
            formulas: PerBucket::of(|bucket| {
                let mut terms = Vec::new();
                bucket.terms(scenario, evaluation.peak_phase, &mut |term| terms.push(Formula::new(term)));
                terms
            }),
        }
    }
}

impl OnCard {
    fn new(gpu: &Gpu, fit: &Fit) -> Self {
        Self {
            gpu: gpu.id,
            capacity_bytes: fit.capacity.0,
            verdict: fit.verdict.id(),
            margin_bytes: fit.margin.0,
            max_seq: fit.max_seq,
            max_batch: fit.max_batch,
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

/// A row of `models`.
#[derive(Debug, Serialize)]
pub(crate) struct ModelRow {
    id: &'static str,
    name: &'static str,
    family: &'static str,
    parameters: u64,
    layers: u32,
    hidden_size: u32,
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    intermediate_size: u32,
    vocab_size: u32,
    context: Option<u32>,
    kv_bytes_per_token: u128,
    source: &'static str,
}

impl ModelRow {
    /// Of a model; its KV cache in bf16.
    pub(crate) fn new(model: &Model) -> Self {
        let shape = &model.architecture;
        Self {
            id: model.id,
            name: model.name,
            family: model.family,
            parameters: model.parameters,
            layers: shape.layers,
            hidden_size: shape.hidden_size,
            heads: shape.heads,
            kv_heads: shape.kv_heads,
            head_dim: shape.head_dim,
            intermediate_size: shape.intermediate_size,
            vocab_size: shape.vocab_size,
            context: shape.trained_context,
            kv_bytes_per_token: evaluate(&Scenario::new(*shape)).kv_bytes_per_token.0,
            source: model.source,
        }
    }
}

/// A row of `gpus`.
#[derive(Debug, Serialize)]
pub(crate) struct GpuRow {
    id: &'static str,
    name: &'static str,
    vendor: &'static str,
    year: u16,
    printed_gb: u16,
    capacity_bytes: u128,
    capacity_basis: &'static str,
    memory: &'static str,
    bandwidth_gb_per_s: f64,
    peak_tflops: PeakRow,
    sources: &'static [&'static str],
}

/// Dense peaks; `null` is not supported or not published.
#[derive(Debug, Serialize)]
struct PeakRow {
    fp32: Option<f64>,
    tf32: Option<f64>,
    fp16: Option<f64>,
    bf16: Option<f64>,
    fp8: Option<f64>,
    int8: Option<f64>,
    fp4: Option<f64>,
}

impl GpuRow {
    /// Of a card.
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let Peaks { fp32, tf32, fp16, bf16, fp8, int8, fp4 } = gpu.peaks;
        let [fp32, tf32, fp16, bf16, fp8, int8, fp4] =
            [fp32, tf32, fp16, bf16, fp8, int8, fp4].map(|peak| peak.map(Peak::tflops));
        Self {
            id: gpu.id,
            name: gpu.name,
            vendor: gpu.vendor,
            year: gpu.year,
            printed_gb: gpu.printed_gb,
            capacity_bytes: gpu.capacity.0,
            capacity_basis: gpu.capacity_basis.label(),
            memory: gpu.memory,
            bandwidth_gb_per_s: gpu.bandwidth.as_gb_per_s(),
            peak_tflops: PeakRow { fp32, tf32, fp16, bf16, fp8, int8, fp4 },
            sources: gpu.sources,
        }
    }
}

/// Any of the above as indented text.
pub(crate) fn text(value: &impl Serialize) -> Result<String, BadInput> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| BadInput(format!("the answer cannot be written as JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}
