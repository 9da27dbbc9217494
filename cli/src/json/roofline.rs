//! The answers of `roofline` for programs: FLOPs, bytes, FLOP/s, bytes a second and seconds.

use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::tasks::TaskTotal;
use memory_wall_core::roofline::{Bound, Efficiency, Pass, Roof, crossover, efficiency, multiplies_in};
use memory_wall_core::tables::gpus::Gpu;
use serde::Serialize;

use super::inputs::Inputs;
use crate::roofline::{self, Run, Timed};

/// The roofs of a GPU.
#[derive(Debug, Serialize)]
pub(crate) struct Card {
    gpu: &'static str,
    bandwidth_bytes_per_s: f64,
    roofs: Vec<OneRoof>,
}

#[derive(Debug, Serialize)]
struct OneRoof {
    precision: &'static str,
    peak_flops: f64,
    ridge: f64,
}

impl Card {
    /// Of every precision that the GPU has.
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let roof = |precision: ComputePrecision| {
            let roof = Roof::of(gpu, precision)?;
            Some(OneRoof { precision: precision.id(), peak_flops: roof.peak.0, ridge: roof.ridge().0 })
        };
        let roofs = ComputePrecision::EACH.into_iter().filter_map(roof).collect();
        Self { gpu: gpu.id, bandwidth_bytes_per_s: gpu.bandwidth.0, roofs }
    }
}

#[derive(Debug, Serialize)]
struct Shares {
    compute: f64,
    bandwidth: f64,
}

impl Shares {
    const fn new(efficiency: Efficiency) -> Self {
        Self { compute: efficiency.compute, bandwidth: efficiency.bandwidth }
    }
}

/// One operation.
#[derive(Debug, Serialize)]
pub(crate) struct Operation {
    gpu: &'static str,
    precision: &'static str,
    peak_flops: f64,
    bandwidth_bytes_per_s: f64,
    flops: u128,
    bytes: u128,
    intensity: f64,
    ridge: f64,
    bound: &'static str,
    attainable_flops: f64,
    share_of_peak: f64,
    time_lower_s: f64,
    time_upper_s: f64,
    efficiency: Shares,
    operations: [(); 0],
}

impl Operation {
    /// Of an answer.
    pub(crate) fn new(it: &roofline::Operation) -> Self {
        Self {
            gpu: it.gpu.id,
            precision: it.precision.id(),
            peak_flops: it.roof.peak.0,
            bandwidth_bytes_per_s: it.roof.bandwidth.0,
            flops: it.work.flops,
            bytes: it.bytes,
            intensity: it.intensity.0,
            ridge: it.roof.ridge().0,
            bound: it.bound.id(),
            attainable_flops: it.attainable.0,
            share_of_peak: it.attainable.0 / it.roof.peak.0,
            time_lower_s: it.lower.0,
            time_upper_s: it.upper.0,
            efficiency: Shares::new(it.efficiency),
            operations: [],
        }
    }
}

/// A model's passes. The figures beside `model` are those of the pass that is repeated: a decoding step or a training step.
#[derive(Debug, Serialize)]
pub(crate) struct Times<'a> {
    model: &'a str,
    scenario: Inputs,
    gpu: &'static str,
    precision: &'static str,
    peak_flops: f64,
    bandwidth_bytes_per_s: f64,
    ridge: f64,
    total_bytes: u128,
    limit_bytes: Option<u128>,
    verdict: Option<&'static str>,
    kernels: &'static str,
    efficiency: Shares,
    #[serde(flatten)]
    step: Option<OnePass>,
    time_to_first_token_lower_s: Option<f64>,
    time_to_first_token_upper_s: Option<f64>,
    crossover_batch: Option<u32>,
    passes: Vec<OnePass>,
}

#[derive(Debug, Serialize)]
struct OnePass {
    pass: &'static str,
    flops: u128,
    bytes: u128,
    weights_bytes: u128,
    kv_cache_bytes: u128,
    model_flops: u128,
    intensity: f64,
    bound: &'static str,
    bound_by: &'static str,
    attainable_flops: f64,
    time_lower_s: f64,
    time_upper_s: f64,
    /// Where all tokens of a batch visit the same experts.
    time_floor_s: f64,
    weights_time_s: f64,
    /// These three may run side by side: the lower time is the longest of them, the upper one their sum.
    kernels_time_s: f64,
    links_time_s: f64,
    traffic_time_s: f64,
    /// What of the upper time operations over several GPUs wait for each other.
    waits_time_s: f64,
    /// Slowest first. These three and what runs typically reach are missing where the run does not fit.
    tokens_per_s_per_user: Option<[f64; 2]>,
    tokens_per_s_per_card: Option<[f64; 2]>,
    mfu: Option<[f64; 2]>,
    typical: Vec<Typical>,
    operations: Vec<OneTask>,
}

/// What a program reached in measured runs.
#[derive(Debug, Serialize)]
struct Typical {
    program: &'static str,
    /// The GPUs of those runs.
    measured_on: &'static str,
    /// How many runs.
    runs: u32,
    share_of_bound: f64,
    time_s: f64,
}

#[derive(Debug, Serialize)]
struct OneTask {
    name: &'static str,
    count: u64,
    flops: u128,
    bytes: u128,
    intensity: Option<f64>,
    bound: &'static str,
    time_lower_s: f64,
    share: f64,
}

impl OneTask {
    fn new(row: &TaskTotal, whole: f64) -> Self {
        let bytes = if row.bound == Bound::Link { row.work.written } else { row.moved };
        Self {
            name: row.task.id(),
            count: row.times,
            flops: row.work.flops,
            bytes,
            intensity: (row.moved > 0).then(|| row.work.flops as f64 / row.moved as f64),
            bound: row.bound.id(),
            time_lower_s: row.lower.0,
            share: if whole > 0.0 { row.lower.0 / whole } else { 0.0 },
        }
    }
}

impl OnePass {
    fn new(it: &Run, timed: &Timed) -> Self {
        let Timed { estimate, rows } = timed;
        let roof = Roof { peak: multiplies_in(&it.scenario, it.gpu).1, bandwidth: it.gpu.bandwidth };
        let speed = it.fits().then(|| estimate.speed(&it.scenario, it.gpu));
        let whole = rows.iter().map(|row| row.lower.0).sum();
        let measured = efficiency::like(&it.scenario, it.gpu, estimate.pass);
        Self {
            pass: estimate.pass.id(),
            flops: estimate.work.flops,
            bytes: estimate.moved,
            weights_bytes: estimate.weights,
            kv_cache_bytes: estimate.cache,
            model_flops: estimate.model_flops,
            intensity: estimate.intensity().0,
            bound: estimate.bound().id(),
            bound_by: estimate.bottleneck().id(),
            attainable_flops: roof.attainable(estimate.intensity()).0,
            time_lower_s: estimate.lower.0,
            time_upper_s: estimate.upper.0,
            time_floor_s: estimate.floor.0,
            weights_time_s: estimate.weights as f64 / it.gpu.bandwidth.0,
            kernels_time_s: estimate.kernels().0,
            links_time_s: estimate.links.0,
            traffic_time_s: estimate.traffic.0,
            waits_time_s: estimate.waits.0,
            tokens_per_s_per_user: speed.filter(|_| estimate.pass != Pass::Training).map(|speed| speed.per_user),
            tokens_per_s_per_card: speed.map(|speed| speed.per_gpu),
            mfu: speed.map(|speed| speed.mfu),
            typical: measured
                .filter(|_| it.fits())
                .map(|row| Typical {
                    program: row.runtime.id(),
                    measured_on: row.gpus,
                    runs: row.runs,
                    share_of_bound: row.share,
                    time_s: row.seconds(estimate.lower).0,
                })
                .collect(),
            operations: rows.iter().map(|row| OneTask::new(row, whole)).collect(),
        }
    }
}

impl<'a> Times<'a> {
    /// Of an answer.
    pub(crate) fn new(model: &'a str, it: &Run) -> Self {
        let (precision, peak) = multiplies_in(&it.scenario, it.gpu);
        let roof = Roof { peak, bandwidth: it.gpu.bandwidth };
        let inference = !it.scenario.mode.trains();
        let first = it.passes.first().filter(|_| inference).map(|timed| timed.estimate);
        Self {
            model,
            scenario: Inputs::new(&it.scenario),
            gpu: it.gpu.id,
            precision: precision.id(),
            peak_flops: peak.0,
            bandwidth_bytes_per_s: roof.bandwidth.0,
            ridge: roof.ridge().0,
            total_bytes: it.total.0,
            limit_bytes: it.fit.map(|fit| fit.limit.0).filter(|limit| *limit > 0),
            verdict: it.fit.map(|fit| fit.verdict.id()),
            kernels: it.counting.kernels.id(),
            efficiency: Shares::new(it.counting.efficiency),
            step: it.step().map(|timed| OnePass::new(it, timed)),
            time_to_first_token_lower_s: first.map(|estimate| estimate.lower.0),
            time_to_first_token_upper_s: first.map(|estimate| estimate.upper.0),
            crossover_batch: if inference { crossover::batch(&it.scenario, it.gpu) } else { None },
            passes: it.passes.iter().map(|timed| OnePass::new(it, timed)).collect(),
        }
    }
}
