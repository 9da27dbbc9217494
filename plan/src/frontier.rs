//! Throughput against latency: a plan with more and more sequences at once, as long as they fit.

use alloc::vec::Vec;

use memory_wall_core::spending::service;

use crate::answers::{Answers, Spending};
use crate::reply::Reply;
use crate::runtime::Layers;

/// Sequences at once on each data-parallel rank that are tried; the most that fit come last.
pub const BATCHES: [u32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

/// A plan with so many sequences at once. Ranges, the better end first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Sequences at once on all ranks together.
    pub sequences: u64,
    /// Tokens a second that one request writes.
    pub per_user: [f64; 2],
    /// Tokens a second that all requests write together.
    pub in_all: [f64; 2],
}

/// The points of a plan, fewest sequences first; none where no time is known, as in training, without a GPU, and of servers with a pool.
///
/// # Example
/// ```
/// use memory_wall_plan::{answers::Spending, file, frontier::frontier, reply::Reply};
/// let text = r#"{ "version": 1, "model": "llama-3.1-8b", "gpu": "h100-sxm", "engine": "vllm", "seq": 8192 }"#;
/// let points = frontier(&Reply::of(&file::read(text).unwrap()[0], Spending::default()).unwrap());
/// let [first, last] = [points.first().unwrap(), points.last().unwrap()];
/// assert!(last.sequences > 32 && last.in_all[0] > first.in_all[0] && last.per_user[0] < first.per_user[0]);
/// ```
pub fn frontier(reply: &Reply) -> Vec<Point> {
    match reply {
        Reply::Engine(answers) => of_engine(answers),
        Reply::Layers(layers) => of_layers(layers),
        Reply::Pool(_) | Reply::Rollout(_) => Vec::new(),
    }
}

fn of_engine(answers: &Answers) -> Vec<Point> {
    let scenario = &answers.scenario;
    let Some((gpu, fit)) = scenario.gpu.zip(answers.evaluation.fit) else { return Vec::new() };
    let ranks = u64::from(scenario.parallel.dp);
    let at = |batch: u32| {
        let service = service(&scenario.with_batch(batch), gpu)?;
        Some(Point {
            sequences: u64::from(batch) * ranks,
            per_user: service.tpot.map(|time| 1.0 / time.0),
            in_all: service.written.map(|rate| rate * ranks as f64),
        })
    };
    // As far as the chart goes.
    let most = fit.max_batch.min(MOST);
    let below = BATCHES.into_iter().filter(|batch| *batch < most);
    below.chain((most > 0).then_some(most)).filter_map(at).collect()
}

fn of_layers(layers: &Layers) -> Vec<Point> {
    let at = |batch: u32| {
        let there = Layers::of(&layers.placing, &layers.scenario.with_batch(batch), Spending::default()).ok()?;
        // Ollama may run fewer than are asked for.
        let holds = there.placement.verdict().holds() && there.scenario.batch == batch;
        let (speed, in_all) = there.speed.zip(there.written().filter(|_| holds))?;
        let best_first = |[worst, best]: [f64; 2]| [best, worst];
        Some(Point {
            sequences: batch.into(),
            per_user: best_first(speed.tokens_per_second()),
            in_all: best_first(in_all),
        })
    };
    BATCHES.into_iter().map_while(at).collect()
}

/// The most sequences of a rank that the chart goes to.
const MOST: u32 = 1_024;
