//! How long a pass takes: never less than its bound, and seldom more than the range's upper end.

use super::operations::{Kernels, Listing, Operation, Routing, Unit};
use super::rates::Rates;
use super::waits::{self, Waits};
use super::{Bound, Efficiency, Pass, Task, Work};
use crate::checked::Checked;
use crate::communication::{self, Traffic};
use crate::memory::kv_cache;
use crate::scenario::Scenario;
use crate::tables::gpus::Gpu;
use crate::units::{Intensity, Seconds};
use crate::worked;

/// How a pass is counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counting {
    /// How small operations run.
    pub kernels: Kernels,
    /// The shares that make the upper end.
    pub efficiency: Efficiency,
}

impl Counting {
    /// As the scenario's program runs it, with the least shares that are usually reached.
    pub fn of(scenario: &Scenario) -> Self {
        Self { kernels: Kernels::of(scenario), efficiency: Efficiency::least_of(scenario) }
    }
}

/// The time of a pass as a range, and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The pass.
    pub pass: Pass,
    /// FLOPs and bytes of all operations of one GPU, each tensor counted whenever it is touched.
    pub work: Work,
    /// Bytes that have to cross to the GPU's memory.
    pub moved: u128,
    /// Of these, weights.
    pub weights: u128,
    /// Of these, what attention moves: in decoding the KV cache, or states in its place.
    pub cache: u128,
    /// FLOPs of matrices and attention that the result needs, without recomputation, of the whole model: what MFU counts.
    pub model_flops: u128,
    /// The bound: each operation as fast as the GPU can, one after another.
    pub lower: Seconds,
    /// The same where all tokens of a batch visit the same experts; of a dense model, `lower`.
    pub floor: Seconds,
    /// The bound at the shares that are usually reached at least, over several GPUs the [`Waits`] of its operations, and what a server takes beside them ([`waits::of_server`]).
    pub upper: Seconds,
    /// What of `upper` its operations wait for each other, over several GPUs, and the server takes.
    pub waits: Seconds,
    /// How much of `lower` is held back by memory, by computing, by links.
    pub held_by: [(Bound, Seconds); 3],
    /// The exchanges between GPUs that are operations of the pass. They may run beside its kernels: `lower` counts what is longer.
    pub links: Seconds,
    /// Gathered weights, gradients, parts of a sequence and offloaded states on their way, which are no operations. They may run beside both.
    pub traffic: Seconds,
}

impl Estimate {
    /// The kernels of the pass, one after another.
    pub fn kernels(&self) -> Seconds {
        let [memory, compute, _] = self.held_by;
        Seconds(memory.1.0 + compute.1.0)
    }

    /// What holds most of the time back: links where exchanges or traffic take longer than all kernels together, behind which they could hide.
    pub fn bound(&self) -> Bound {
        if self.links.0.max(self.traffic.0) > self.kernels().0 {
            return Bound::Link;
        }
        let mut most = self.held_by[0];
        for held in self.held_by {
            if held.1 > most.1 {
                most = held;
            }
        }
        most.0
    }

    /// What that is: of memory, the largest part of what crosses to it.
    pub fn bottleneck(&self) -> Bottleneck {
        let activations = self.moved.saturating_sub(self.weights + self.cache);
        match self.bound() {
            Bound::Compute => Bottleneck::Compute,
            Bound::Link => Bottleneck::Links,
            Bound::Memory if self.weights >= self.cache.max(activations) => Bottleneck::Weights,
            Bound::Memory if self.cache >= activations => Bottleneck::KvCache,
            Bound::Memory => Bottleneck::Activations,
        }
    }

    /// FLOPs for each byte that crosses to memory; of a pass that moves nothing, as if it moved one.
    pub fn intensity(&self) -> Intensity {
        Intensity(self.work.flops as f64 / self.moved.max(1) as f64)
    }
}

choices! {
    /// What a pass waits for.
    Bottleneck {
        /// Weights are read.
        Weights = "weights";
        /// The KV cache is read.
        KvCache = "kv_cache";
        /// Activations come and go, and in training the states.
        Activations = "activations";
        /// The units are full.
        Compute = "compute";
        /// Other GPUs.
        Links = "links";
    }
}

/// What the operations of some stages come to.
#[derive(Clone, Copy, Default)]
struct Sum {
    work: Work,
    moved: u128,
    weights: u128,
    cache: u128,
    model_flops: u128,
    /// The bound, by what holds it back: memory, computing, links.
    held_by: [f64; 3],
    /// At the efficiency of the upper end, without waits.
    upper: f64,
    /// What operations wait.
    waits: f64,
}

impl Sum {
    /// Of one stage, all that is done for every micro-batch, and what is done once.
    fn of(listing: &Listing<'_>, efficiency: Efficiency) -> [Self; 2] {
        let rates = Rates::of(listing.scenario, listing.gpu);
        let slow = rates.at(efficiency);
        let waits = Waits::of(listing.scenario, listing.pass);
        let mut sums = [Self::default(); 2];
        listing.each(&mut |operation| {
            let [repeated, once] = &mut sums;
            let sum = if operation.task == Task::OptimizerStep { once } else { repeated };
            sum.add(operation, &rates, &slow);
            let wait = waits.map_or(0.0, |waits| waits.seconds(operation).0);
            sum.waits += wait * operation.times as f64;
        });
        sums
    }

    fn add(&mut self, operation: &Operation, rates: &Rates, slow: &Rates) {
        let times = operation.times as f64;
        if let Some(held) = self.held_by.get_mut(rates.bound(operation).place()) {
            *held += rates.seconds(operation).0 * times;
        }
        self.upper += slow.seconds(operation).0 * times;
        let count = u128::from(operation.times);
        self.work = self.work + operation.work.times(operation.times);
        self.weights += operation.weights * count;
        self.model_flops += operation.model_flops * count;
        if operation.unit != Unit::Link {
            self.moved += operation.moved() * count;
        }
        if matches!(operation.task, Task::Attention | Task::Indexer | Task::WindowAttention | Task::LinearState) {
            self.cache += operation.moved() * count;
        }
    }

    /// The bound on the GPU's own work, without links.
    fn kernels(&self) -> f64 {
        let [memory, compute, _] = self.held_by;
        memory + compute
    }

    fn and(self, other: &Self) -> Self {
        let mut held_by = self.held_by;
        for (held, more) in held_by.iter_mut().zip(other.held_by) {
            *held += more;
        }
        Self {
            work: self.work + other.work,
            moved: self.moved + other.moved,
            weights: self.weights + other.weights,
            cache: self.cache + other.cache,
            model_flops: self.model_flops + other.model_flops,
            held_by,
            upper: self.upper + other.upper,
            waits: self.waits + other.waits,
        }
    }

    fn times(self, count: u32) -> Self {
        let times = u128::from(count);
        Self {
            work: self.work.times(count.into()),
            moved: self.moved * times,
            weights: self.weights * times,
            cache: self.cache * times,
            model_flops: self.model_flops * times,
            held_by: self.held_by.map(|held| held * f64::from(count)),
            upper: self.upper * f64::from(count),
            waits: self.waits * f64::from(count),
        }
    }

    /// The same in another time.
    fn lasting(self, kernels: f64, upper: f64) -> Self {
        let factor = if self.kernels() > 0.0 { kernels / self.kernels() } else { 1.0 };
        Self { held_by: self.held_by.map(|held| held * factor), upper, ..self }
    }
}

/// The time of a pass on a GPU.
///
/// # Formula
/// Work = Σ over operations of times × max(`flops` / `peak`, `moved` / `bandwidth`). lower = the longest of work, links, and traffic that can hide behind them
/// (gradients and gathered weights, parts of a sequence, host memory); upper = the sum of all three, with peak, bandwidth and links times their efficiencies,
/// over several GPUs what each operation waits ([`Waits`]), and what a server takes beside its kernels ([`waits::of_server`]).
/// Stages of a pipeline take turns in inference. A training step with m micro-batches over p stages takes at least m times the slowest stage's time and at least
/// one micro-batch's way through all stages; up to m times the slowest one and the other stages once more, divided by the chunks of a rank.
///
/// # Units
/// Seconds; FLOPs and bytes of one GPU, in inference of all stages of the pipeline together.
///
/// # Assumes
/// Kernels run one after another and start without delay (as a recorded graph of kernels does): runs that launch each kernel from Python can be far slower.
/// The GPU holds its printed clock. Rings among GPUs; between computers all adapters of a computer share the load.
///
/// # Source
/// Williams, Waterman and Patterson 2009; Narayanan et al. 2021 (pipelines). Errors against measured runs: docs/accuracy.md.
///
/// # Example
/// ```
/// use memory_wall_core::roofline::{Pass, latency::{Counting, estimate}};
/// use memory_wall_core::{Scenario, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.seq_length = 1;
/// let scenario = scenario.check().unwrap();
/// let step = estimate(&scenario, gpus::by_id("h100-sxm").unwrap(), Pass::Decode, Counting::of(&scenario));
/// // 15.0 GB of weights at 3.35 TB/s: the embedding table is looked up, not read.
/// assert_eq!((step.weights as f64 / 1e8).round(), 150.0);
/// assert_eq!((step.lower.as_ms() * 100.0).round(), 448.0);
/// ```
pub fn estimate(scenario: &Checked, gpu: &Gpu, pass: Pass, counting: Counting) -> Estimate {
    let sum = summed(scenario, gpu, pass, counting, Routing::Uniform);
    let hidden = hidden_traffic(scenario, gpu, pass);
    let [memory, compute, links] = sum.held_by;
    let waits = sum.waits + waits::of_server(scenario, pass).0;
    let longest = |kernels: f64| kernels.max(links).max(hidden);
    let lower = longest(sum.kernels());
    let floor = match scenario.architecture.moe {
        Some(_) => longest(summed(scenario, gpu, pass, counting, Routing::Concentrated).kernels()).min(lower),
        None => lower,
    };
    Estimate {
        pass,
        work: sum.work,
        moved: sum.moved,
        weights: sum.weights,
        cache: sum.cache,
        model_flops: sum.model_flops,
        lower: Seconds(lower),
        floor: Seconds(floor),
        upper: Seconds(sum.upper + hidden / counting.efficiency.bandwidth + waits),
        waits: Seconds(waits),
        held_by: [
            (Bound::Memory, Seconds(memory)),
            (Bound::Compute, Seconds(compute)),
            // What of links and traffic does not hide behind the work.
            (Bound::Link, Seconds(lower - memory - compute)),
        ],
        links: Seconds(links),
        traffic: Seconds(hidden),
    }
}

fn summed(scenario: &Checked, gpu: &Gpu, pass: Pass, counting: Counting, routing: Routing) -> Sum {
    let stages = scenario.parallel.pp;
    let of = |stage: u32, scenario: &Checked| {
        let scenario = scenario.at_stage(stage);
        let listing = Listing { scenario: &scenario, gpu, pass, kernels: counting.kernels, routing };
        Sum::of(&listing, counting.efficiency)
    };
    if stages == 1 || pass != Pass::Training {
        return (0..stages).flat_map(|stage| of(stage, scenario)).fold(Sum::default(), |sum, part| sum.and(&part));
    }
    let m = scenario.training.micro_batches;
    let single = scenario.with_one_micro_batch();
    // Every stage's share of one micro-batch; the slowest sets the pace.
    let (mut slowest, mut step) = (Sum::default(), Sum::default());
    let [mut kernels, mut links, mut upper] = [Way::default(); 3];
    for stage in 0..stages {
        let [part, last] = of(stage, &single);
        kernels.add(part.kernels());
        links.add(part.held_by[2]);
        upper.add(part.upper);
        if part.kernels() >= slowest.kernels() {
            slowest = part;
        }
        if last.kernels() >= step.kernels() {
            step = last;
        }
    }
    // Ranks that hold the same layers share the micro-batches, each of which passes one of them.
    let copies = scenario.parallel.copies();
    let (m, copies) = (m / copies, f64::from(copies));
    let times = f64::from(m);
    let least = |way: Way| (times * way.slowest).max(way.whole / copies);
    // It waits longest where everything is computed again.
    let chunks = scenario.parallel.interleaving(1.0);
    let waiting = times * upper.slowest + (upper.whole - upper.slowest) / copies / chunks;
    let mut all = slowest.times(m).lasting(least(kernels), waiting.max(upper.whole / copies));
    all.held_by[2] = least(links);
    all.and(&step)
}

/// One micro-batch's way through a pipeline.
#[derive(Clone, Copy, Default)]
struct Way {
    /// Through all stages.
    whole: f64,
    /// Through the slowest of them.
    slowest: f64,
}

impl Way {
    fn add(&mut self, stage: f64) {
        self.whole += stage;
        self.slowest = self.slowest.max(stage);
    }
}

/// What can run behind the work: gradients and gathered weights, the parts of a sequence that go round, and what waits in host memory.
fn hidden_traffic(scenario: &Checked, gpu: &Gpu, pass: Pass) -> f64 {
    let seconds = |bytes: u128, kind| bytes as f64 / communication::link(scenario, gpu, kind).0;
    let of = |kind| seconds(communication::bytes(scenario, kind).0, kind);
    match pass {
        Pass::Training => of(Traffic::Host).max(of(Traffic::Data)).max(of(Traffic::Context)),
        Pass::Decode => of(Traffic::Host),
        Pass::Prefill => {
            // Keys and values of a part of the prompt pass by all other GPUs.
            let cache = worked::total(|sink| kv_cache::terms(&scenario.without_offload(), sink));
            let round = cache.0 * u128::from(scenario.parallel.cp - 1);
            // Weights come for each piece of the prompt once; the cache goes where it waits.
            of(Traffic::Host).max(seconds(round, Traffic::Context))
        }
    }
}
