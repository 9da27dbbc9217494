//! A plan over a range: how many sequences of which length fit, and which other GPUs hold it.

use alloc::vec::Vec;

use memory_wall_core::layout::PipelineSplit;
use memory_wall_core::tables::gpus::{GPUS, Gpu};
use memory_wall_core::{Checked, Parallelism, PipelineSchedule, Scenario, Verdict, ZeroStage, evaluate, solve};
use memory_wall_runtimes::rollout::STEPS_PER_GENERATION;

use crate::answers::Spending;
use crate::plan::Plan;
use crate::reply::Reply;
use crate::runtime::Runtime;
use crate::value::Value;

/// Tokens of a sequence that are tried.
pub const LENGTHS: [u32; 8] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17];
/// Sequences at once that are tried.
pub const BATCHES: [u32; 7] = [1, 4, 16, 32, 64, 128, 256];
/// GPUs of one computer that are tried.
const COUNTS: [u32; 4] = [1, 2, 4, 8];

/// Whether so many sequences of such a length fit; nothing where the plan cannot be so or names no GPU.
pub type Cell = Option<Verdict>;

/// Each length of [`LENGTHS`] with each number of sequences of [`BATCHES`], row by row of these.
///
/// # Example
/// ```
/// use memory_wall_core::Verdict;
/// use memory_wall_plan::{answers::Spending, file, maps, reply::Reply};
/// let plan = &file::read(r#"{ "version": 1, "model": "llama-3.1-8b", "gpu": "h100-sxm" }"#).unwrap()[0];
/// let cells = maps::requests(&Reply::of(plan, Spending::default()).unwrap());
/// assert_eq!(cells[0][0], Some(Verdict::Fits));
/// assert_eq!(cells[6][7], Some(Verdict::DoesNotFit));
/// ```
pub fn requests(reply: &Reply) -> [[Cell; LENGTHS.len()]; BATCHES.len()] {
    BATCHES.map(|batch| LENGTHS.map(|seq_length| reply.verdict_at(batch, seq_length)))
}

/// How so many sequences of such a length fill the fullest GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Whether they fit.
    pub verdict: Verdict,
    /// What is needed of what may be taken: 1 is full.
    pub share: f64,
}

/// How full the GPU is with another batch and `seq_length`; `None` where the plan is refused with these, or names no GPU.
///
/// # Example
/// ```
/// use memory_wall_plan::{answers::Spending, file, maps, reply::Reply};
/// let plan = &file::read(r#"{ "version": 1, "model": "llama-3.1-8b", "gpu": "h100-sxm" }"#).unwrap()[0];
/// let reply = Reply::of(plan, Spending::default()).unwrap();
/// let [few, many] = [1, 64].map(|batch| maps::load(&reply, batch, 8_192).unwrap());
/// assert!(few.verdict.holds() && few.share < many.share);
/// ```
pub fn load(reply: &Reply, batch: u32, seq_length: u32) -> Option<Load> {
    let share = |needed: u128, most: u128| needed as f64 / most.max(1) as f64;
    match reply {
        Reply::Engine(answers) => {
            let there = answers.scenario.with(|it| (it.batch, it.seq_length) = (batch, seq_length)).ok()?;
            let most = reply.limit().or_else(|| reply.capacity())?;
            Some(Load { verdict: evaluate::verdict(&there)?, share: share(evaluate::total(&there).0, most.0) })
        }
        Reply::Layers(layers) => {
            let there = layers.with(batch, seq_length)?;
            let device = there.fullest()?;
            Some(Load { verdict: there.verdict(), share: share(device.total().high, device.room) })
        }
        Reply::Pool(pool) => {
            let there = pool.with(batch, seq_length).ok()?;
            let held = there.start.held.low.min(there.start.most.into());
            Some(Load { verdict: there.start.verdict, share: share(batch.into(), held) })
        }
        Reply::Rollout(rollout) => {
            let there = rollout.with(batch, seq_length)?;
            Some(Load { verdict: there.verdict?, share: share(there.peak().total().high, there.limit?.0) })
        }
    }
}

/// A plan on other GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct Elsewhere {
    /// The GPU.
    pub gpu: &'static Gpu,
    /// What is said to the plan there, on as few of them as hold it.
    pub reply: Reply,
    /// The plan there.
    pub plan: Plan,
}

/// The plan on a GPU of the table, over the fewest of 1, 2, 4 or 8 of them on which it fits with room to spare, or where there are none such, barely:
/// by tensor parallelism where it serves, and where it trains by ranks that share all states. Nothing where it fits on none of them or does not run there.
///
/// # Example
/// ```
/// use memory_wall_core::tables::gpus;
/// use memory_wall_plan::{file, maps};
/// let plan = &file::read(r#"{ "version": 1, "model": "llama-3.1-70b", "gpu": "h100-sxm", "tp": 4 }"#).unwrap()[0];
/// let there = maps::on(plan, gpus::by_id("b200").unwrap()).unwrap();
/// assert_eq!(there.reply.gpus(), 1);
/// ```
pub fn on(plan: &Plan, gpu: &'static Gpu) -> Option<Elsewhere> {
    let scenario = plan.scenario()?;
    match Runtime::of(plan, &scenario).ok()? {
        None => {}
        Some(Runtime::Pool(..)) => return fewest(gpu, |count| pooled(plan, gpu, count)),
        Some(Runtime::Layers(_)) => return fewest(gpu, |count| placed(plan, gpu, count)),
        Some(Runtime::Rollout(_)) => return fewest(gpu, |count| sharded(plan, gpu, count)),
    }
    let found = |wanted: Verdict| {
        let mut cuts = COUNTS.into_iter().filter_map(|count| cut(&scenario, gpu, count));
        cuts.find(|there| evaluate::verdict(there) == Some(wanted))
    };
    let there = found(Verdict::Fits).or_else(|| found(Verdict::Tight))?;
    let plan = plan.changed(&scenario, &there);
    let reply = Reply::of(&plan, Spending::default()).ok()?;
    Some(Elsewhere { gpu, reply, plan })
}

/// The plan of a runtime over the fewest GPUs with which it fits, or barely does.
fn fewest(gpu: &'static Gpu, plan: impl Fn(u32) -> Plan) -> Option<Elsewhere> {
    let mut barely = None;
    for count in COUNTS {
        let plan = plan(count);
        let Ok(reply) = Reply::of(&plan, Spending::default()) else { continue };
        match reply.verdict() {
            Some(Verdict::Fits) => return Some(Elsewhere { gpu, reply, plan }),
            Some(Verdict::Tight) if barely.is_none() => barely = Some(Elsewhere { gpu, reply, plan }),
            _ => {}
        }
    }
    barely
}

/// The plan of a server with a pool: its ranks are tensor-parallel ones, and where experts were spread, they are spread over all of them.
fn pooled(plan: &Plan, gpu: &'static Gpu, count: u32) -> Plan {
    let mut there = plan.clone();
    there.put_on(gpu);
    there.set("tp", Value::Count(count));
    if plan.get("ep").is_some() {
        there.set("ep", Value::Count(count));
    }
    there
}

/// The plan of llama.cpp, whose layers are spread over GPUs by their memory.
fn placed(plan: &Plan, gpu: &'static Gpu, count: u32) -> Plan {
    let mut there = plan.clone();
    there.put_on(gpu);
    for option in ["device", "tensor_split"] {
        there.unset(option);
    }
    if count > 1 {
        there.set("device", Value::Words((0..count).map(|_| gpu.id).collect()));
    }
    there
}

/// The plan of a trainer that generates, whose ranks share all states, and whose micro-batches are as many over all of them as before where that is whole.
fn sharded(plan: &Plan, gpu: &'static Gpu, count: u32) -> Plan {
    let mut there = plan.clone();
    there.put_on(gpu);
    there.unset("shard");
    there.set("dp", Value::Count(count));
    if count > 1 {
        there.set("zero", Value::Word(ZeroStage::Weights.id()));
    }
    if let Some(scenario) = plan.scenario() {
        let all = scenario.training.micro_batches.saturating_mul(scenario.parallel.dp);
        if all.is_multiple_of(count) {
            there.set("micro_batches", Value::Count(all / count));
            // As many are generated at once as before, too.
            if let Some(Value::Count(steps)) = plan.get("steps_per_generation") {
                let all = steps.saturating_mul(scenario.parallel.dp);
                if all.is_multiple_of(count) && all / count <= STEPS_PER_GENERATION.max {
                    there.set("steps_per_generation", Value::Count(all / count));
                }
            }
        }
    }
    if let Some(Value::Count(tp)) = plan.get("vllm_tensor_parallel_size")
        && !count.is_multiple_of(*tp)
    {
        there.set("vllm_tensor_parallel_size", Value::Count(count));
    }
    there
}

/// The plan on every GPU that holds it.
pub fn everywhere(plan: &Plan) -> Vec<Elsewhere> {
    GPUS.iter().filter_map(|gpu| on(plan, gpu)).collect()
}

/// A scenario over so many GPUs of a kind.
fn cut(scenario: &Scenario, gpu: &'static Gpu, count: u32) -> Option<Checked> {
    let there = scenario.on(gpu);
    let one = Parallelism {
        dp: 1,
        tp: 1,
        pp: 1,
        cp: 1,
        ep: 1,
        shard: None,
        virtual_stages: 1,
        schedule: PipelineSchedule::OneForwardOneBackward,
        split: PipelineSplit::default(),
        sequence_parallel: false,
        ..there.parallel
    };
    if scenario.mode.trains() {
        let single = Scenario { parallel: one, ..there }.check().ok()?;
        return solve::over_ranks(&single, one, count);
    }
    // Where a server had its experts spread, it has them spread there.
    let ep = if scenario.parallel.ep > 1 { count } else { 1 };
    Scenario { parallel: Parallelism { tp: count, ep, ..one }, ..there }.check().ok()
}
