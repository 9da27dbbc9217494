//! A rough time of one step, for comparing two ways to run the same thing.
//!
//! It ranks fixes and says "about a third slower"; it is no forecast of tokens a second. Work runs at the GPU's dense peak times a stated
//! efficiency, traffic at the links' printed rates, and nothing overlaps: what hides traffic behind work makes a fix cheaper than said here.

use crate::checked::Checked;
use crate::communication::{self, Traffic};
use crate::memory::{Bucket, Phase, kv_cache};
use crate::precision::ComputePrecision;
use crate::roofline::operations::visited;
use crate::scenario::{Attention, Mode};
use crate::serving::Engine;
use crate::tables::gpus::{self, Gpu};
use crate::training::{Checkpointing, Implementation, Optimizer, RecomputedModule};
use crate::worked;

/// Share of the dense peak that large matrix multiplications of a training step are taken to reach: 38 to 43% is what Llama 3 reports for its 405B runs.
pub const COMPUTE_EFFICIENCY: f64 = 0.4;
/// What each further GPU adds to the time of one GPU's part where llama.cpp cuts matrices: two GPUs then take 0.73 of the time of one.
///
/// # Source
/// Tokens a second with `--split-mode tensor` over those by layers, on two GPUs: 59.45 over 43.81 (Gemma 4 31B, ggml-org/llama.cpp pull request 19378), 30.05 over 21.22
/// (Qwen3.5 27B, RTX 3060 and 4070 Super) and 58 over 44 (Qwen3.6 27B, RTX 3090 Ti, one over two). Read 2026-11-25.
const LLAMA_CPP_WAITS: f64 = 0.46;
/// The GPU whose rates stand in where a scenario names none, or one of the reader's own of which too little is stated.
const REFERENCE: &str = "a100-80-sxm";
/// Micro-batches smaller than this many tokens leave a GPU's matrix units partly idle.
const FULL_TOKENS: f64 = 1_024.0;

/// Seconds of one step of the rank that is looked at: a training step, or one token for each sequence.
///
/// Of use only as a ratio to another one, see [`time_ratio`]. Never NaN and never zero.
pub fn seconds(scenario: &Checked) -> f64 {
    seconds_on(scenario, scenario.gpu.filter(|_| scenario.untimed().is_none()))
}

/// The same on a GPU, or on the one that stands in.
fn seconds_on(scenario: &Checked, gpu: Option<&Gpu>) -> f64 {
    let reference = gpus::by_id(REFERENCE).or(gpus::GPUS.first());
    let Some(gpu) = gpu.or(reference) else { return 1.0 };
    let work = if scenario.mode.trains() { training(scenario, gpu) } else { decoding(scenario, gpu) };
    work + traffic(scenario, gpu)
}

/// The time that `changed` takes for the same amount of work, as a multiple of the time that `original` takes: 2 is twice as long, 0.5 half.
/// Where too little is stated of the reader's own GPU, another one stands in for both.
pub fn time_ratio(original: &Checked, changed: &Checked) -> f64 {
    time_ratios(original)(changed)
}

/// The same for many changes of one run, whose own time is worked out once.
pub(crate) fn time_ratios(original: &Checked) -> impl Fn(&Checked) -> f64 {
    let each = |scenario: &Checked, gpu: Option<&Gpu>| seconds_on(scenario, gpu) / work_done(scenario);
    let timed = original.untimed().is_none().then(|| each(original, original.gpu));
    move |changed| match timed.filter(|_| changed.untimed().is_none()) {
        Some(timed) => each(changed, changed.gpu) / timed,
        None => each(changed, None) / each(original, None),
    }
}

/// Tokens that one step learns from or generates, on all replicas.
fn work_done(scenario: &Checked) -> f64 {
    let parallel = &scenario.parallel;
    let tokens = if scenario.mode.trains() { scenario.tokens() } else { scenario.batch.into() };
    let steps = if scenario.mode.trains() { f64::from(scenario.training.micro_batches) } else { 1.0 };
    // A cut over more GPUs has to do more work in the same time to be as good.
    let replicas = f64::from(parallel.dp);
    (tokens as f64) * steps * replicas
}

/// FLOPs of one forward pass of the whole model over one micro-batch.
fn forward(scenario: &Checked) -> f64 {
    let shape = &scenario.architecture;
    let table = shape.parameters().embedding;
    let gathered = if shape.tied_embeddings { 0 } else { table };
    let matrices = shape.active_parameters().saturating_sub(gathered) as f64;
    let tokens = scenario.tokens() as f64;
    2.0 * matrices * tokens + scores(scenario)
}

/// FLOPs of the attention scores and their use, the causal half.
fn scores(scenario: &Checked) -> f64 {
    let shape = &scenario.architecture;
    2.0 * f64::from(shape.layers)
        * shape.query_width() as f64
        * scenario.tokens() as f64
        * f64::from(scenario.seq_length)
}

/// FLOPs of what selective checkpointing computes again in a micro-batch; norms and activation functions take hardly any.
fn modules(scenario: &Checked) -> f64 {
    let shape = &scenario.architecture;
    let kept = scenario.attention == Attention::Eager || scenario.training.implementation == Implementation::Megatron;
    let attention = if kept { scores(scenario) } else { 0.0 };
    let tokens = 2.0 * scenario.tokens() as f64;
    let each = |parameters: u64, layers: u32| tokens * parameters as f64 * f64::from(layers);
    let mixtures = shape.moe_layers();
    let dense = each(shape.dense_mlp(shape.intermediate_size.into(), 1).matrices, shape.mlps() - mixtures);
    let moe = shape.moe.map(|moe| {
        let parts = shape.mixture(&moe, 1, scenario.experts());
        let visited = u64::from(moe.experts_per_token) * shape.mlp.matrices() * u64::from(moe.intermediate_size);
        let routed = visited * u64::from(moe.outer_width(shape.hidden_size));
        [each(routed + parts.routers, mixtures), each(parts.matrices, mixtures)]
    });
    let [routed, shared] = moe.unwrap_or_default();
    let up = each(shape.up_projections(1), shape.full_layers());
    let again = |module, flops: f64| if scenario.recomputes(module) { flops } else { 0.0 };
    again(RecomputedModule::CoreAttention, attention)
        + again(RecomputedModule::MlaUpProjection, up)
        + again(RecomputedModule::Mlp, dense)
        + again(RecomputedModule::Moe, routed)
        + again(RecomputedModule::Moe, shared).max(again(RecomputedModule::SharedExperts, shared))
}

/// FLOPs of what a micro-batch computes again in its backward pass.
fn computed_again(scenario: &Checked) -> f64 {
    match scenario.checkpointing {
        Checkpointing::None => 0.0,
        Checkpointing::Selective => modules(scenario),
        Checkpointing::PerOp => forward(scenario) / 2.0,
        Checkpointing::Full => forward(scenario),
    }
}

fn peak(scenario: &Checked, gpu: &Gpu) -> f64 {
    let order: &[ComputePrecision] = if scenario.activation_bytes() == 4 {
        &[ComputePrecision::Tf32, ComputePrecision::Fp32]
    } else {
        &[ComputePrecision::Bf16, ComputePrecision::Fp16, ComputePrecision::Fp32]
    };
    let known = order.iter().find_map(|precision| gpu.peaks.at(*precision));
    // GPUs without a published rate compute about 100 FLOPs for each byte that they read.
    known.map_or(gpu.bandwidth.0 * 100.0, |rate| rate.0)
}

/// The share of a training step in which a pipeline stage waits for the others: the bubble. Zero without a pipeline.
///
/// # Formula
/// (p − 1) / (m·v + p − 1), with p stages, m micro-batches and v chunks of layers on each stage. Where Megatron-LM is told how to spread the layers,
/// 1 − m·a / (m·x + (p·a − x)/v), with a layers on a stage on average and x on the fullest: the others wait for it.
/// `DualPipe` over q stages waits (q/2 − 1)·(F&B + B − 3·W), which is v = t·(p − 1)·(F + B) / ((q/2 − 1)·(F&B + B − 3·W)) where a micro-batch passes a rank t times.
///
/// # Assumes
/// F&B is F + B: nothing overlaps, so that a step that hides its traffic waits no longer. W and the rest of B take as long as F each, and B as much longer as is computed again.
/// A stage takes as long as its layers: the loss is none of them, and a layer that predicts further tokens (MTP) is one.
///
/// # Source
/// Narayanan et al. 2021 (Megatron-LM), section 2.2: (p − 1) / (m·v) of the time that the work takes. Stages of different lengths: derived.
/// `DualPipe` and `DualPipeV`: `README.md` of github.com/deepseek-ai/DualPipe at 3da1bbe (2025-03). Read 2026-11-27.
///
/// # Example
/// ```
/// use memory_wall_core::{Implementation, Mode, Parallelism, Scenario, cost, tables::models};
/// let mut scenario = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
/// (scenario.mode, scenario.parallel) = (Mode::Training, Parallelism { pp: 8, ..Parallelism::ONE });
/// scenario.training.implementation = Implementation::Megatron;
/// let idle = |micro_batches| {
///     let mut step = scenario;
///     step.training.micro_batches = micro_batches;
///     cost::bubble(&step.check().unwrap())
/// };
/// // 7 of 15 slots, and 7 of 71.
/// assert!((idle(8) - 7.0 / 15.0).abs() < 1e-9);
/// assert!((idle(64) - 7.0 / 71.0).abs() < 1e-9);
/// ```
pub fn bubble(scenario: &Checked) -> f64 {
    let parallel = &scenario.parallel;
    let again = computed_again(scenario) / forward(scenario);
    let (m, v) = (f64::from(scenario.training.micro_batches), parallel.interleaving(again));
    if parallel.split.is_even() {
        let behind = f64::from(parallel.pp - 1);
        return behind / (m * v + behind);
    }
    let layers = (0..parallel.pp).map(|stage| scenario.at_stage(stage).local().layers);
    let (all, most) = layers.fold((0, 0), |(all, most), here| (all + here, here.max(most)));
    // Each copy has its part of the micro-batches.
    let [all, most] = [all as f64, (most as f64).max(1.0)].map(|layers| layers / f64::from(parallel.copies()));
    1.0 - m * all / f64::from(parallel.pp) / (m * most + (all - most) / v)
}

/// The time that a training step's traffic takes its links, as a share of the time that its arithmetic takes.
///
/// # Assumes
/// Both at the rates that [`seconds`] assumes. Whether the traffic is hidden behind the arithmetic is another question.
pub fn traffic_share(scenario: &Checked, gpu: &Gpu) -> f64 {
    traffic(scenario, gpu) / arithmetic(scenario, gpu)
}

/// Seconds of a training step's matrix multiplications on one rank, without waiting.
fn arithmetic(scenario: &Checked, gpu: &Gpu) -> f64 {
    let parallel = &scenario.parallel;
    let forward_flops = forward(scenario);
    // Backward: gradients of inputs, and of the weights that learn.
    let passes = if scenario.mode == Mode::Training { 3.0 } else { 2.0 };
    let ranks = f64::from(parallel.tp) * f64::from(parallel.pp) * f64::from(parallel.cp);
    let tokens = scenario.tokens() as f64 / f64::from(parallel.cp);
    // Few tokens at a time do not fill the matrix units.
    let filled = tokens / (tokens + FULL_TOKENS / 8.0);
    let micro_batches = f64::from(scenario.training.micro_batches);
    (passes * forward_flops + computed_again(scenario)) * micro_batches
        / ranks
        / (peak(scenario, gpu) * COMPUTE_EFFICIENCY * filled)
}

fn training(scenario: &Checked, gpu: &Gpu) -> f64 {
    let parallel = &scenario.parallel;
    let ranks = f64::from(parallel.tp) * f64::from(parallel.pp) * f64::from(parallel.cp);
    let micro_batches = f64::from(scenario.training.micro_batches);
    let compute = arithmetic(scenario, gpu) / (1.0 - bubble(scenario));
    // Eager attention reads and writes its scores a dozen times.
    let eager = if scenario.attention == Attention::Eager {
        let scores = f64::from(scenario.architecture.heads) * scenario.tokens() as f64 * f64::from(scenario.seq_length);
        12.0 * 2.0 * scores * f64::from(scenario.architecture.layers) * micro_batches / ranks / gpu.bandwidth.0
    } else {
        0.0
    };
    // The step reads and writes every state once; quantised states are unpacked and packed again.
    let states = [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer]
        .map(|bucket| worked::total(|sink| bucket.terms(scenario, Phase::OptimizerStep, sink)).0 as f64);
    let packing =
        if matches!(scenario.optimizer, Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit) { 2.0 } else { 1.0 };
    compute + eager + 2.0 * packing * states.iter().sum::<f64>() / gpu.bandwidth.0
}

/// What of the weights one step of generation reads: of a mixture the experts that any of the sequences visits.
///
/// With E experts of which a token visits k at random, B tokens leave (1 − k/E)^B of them untouched.
fn read_share(scenario: &Checked) -> f64 {
    let shape = &scenario.architecture;
    let Some(moe) = shape.moe else { return 1.0 };
    let idle = 1.0 - visited(&moe, scenario.batch.into()) / f64::from(moe.experts.max(1));
    let parameters = shape.parameters();
    let experts = parameters.experts as f64;
    1.0 - experts * idle / parameters.total().max(1) as f64
}

/// One token for each sequence: weights and cache are read once, or the work takes longer.
fn decoding(scenario: &Checked, gpu: &Gpu) -> f64 {
    let parallel = &scenario.parallel;
    let ranks = f64::from(parallel.tp) * f64::from(parallel.pp);
    let on_gpu = scenario.without_offload();
    let weights = worked::total(|sink| Bucket::Weights.terms(&on_gpu, Phase::Forward, sink)).0 as f64;
    let cache = worked::total(|sink| kv_cache::terms(&on_gpu, sink)).0 as f64;
    let active = read_share(scenario);
    let compute = forward(&scenario.with_seq_length(1)) / ranks / (peak(scenario, gpu) * COMPUTE_EFFICIENCY);
    // Stages of a pipeline take turns.
    let read = (weights * active + cache) / gpu.bandwidth.0 * f64::from(parallel.pp);
    let read = if scenario.runtime() == Some(Engine::LlamaCpp) {
        read * (1.0 + LLAMA_CPP_WAITS * f64::from(parallel.tp - 1))
    } else {
        read
    };
    read.max(compute)
}

fn traffic(scenario: &Checked, gpu: &Gpu) -> f64 {
    Traffic::EACH
        .into_iter()
        .map(|kind| communication::bytes(scenario, kind).0 as f64 / communication::link(scenario, gpu, kind).0)
        .sum()
}

/// Seconds that offloaded states spend on the link to host memory in one step; `None` where nothing is offloaded or no link is known.
pub fn offload_seconds(scenario: &Checked) -> Option<f64> {
    let bytes = communication::bytes(scenario, Traffic::Host).0;
    let link = scenario.gpu?.host_link?;
    (bytes > 0).then(|| bytes as f64 / link.0)
}
