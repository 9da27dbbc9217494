//! How long a pass takes: never less than its bound, and seldom more than the range's upper end.

use super::operations::{Kernels, Listing, Operation, Routing, Unit};
use super::{Bound, Efficiency, Pass, Roof, Task, Work, multiplies_in};
use crate::communication::{self, Traffic};
use crate::cost;
use crate::parallelism::Parallelism;
use crate::precision::ComputePrecision;
use crate::scenario::{Mode, Scenario};
use crate::tables::gpus::Gpu;
use crate::units::{ByteRate, FlopRate, Intensity, Seconds};

/// The rates that operations of a run meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// For matrices.
    pub matrix: Roof,
    /// For everything else.
    pub vector: Roof,
    /// To the other cards, one direction.
    pub link: ByteRate,
}

impl Rates {
    /// Of a card, as the scenario uses it.
    pub fn of(scenario: &Scenario, gpu: &Gpu) -> Self {
        let matrix = Roof { peak: multiplies_in(scenario, gpu).1, bandwidth: gpu.bandwidth };
        let vector = Roof { peak: gpu.peaks.at(ComputePrecision::Fp32).unwrap_or(matrix.peak), ..matrix };
        Self { matrix, vector, link: cost::link(scenario, gpu, Traffic::Tensor) }
    }

    /// The same at a share of each.
    #[must_use]
    pub fn at(self, efficiency: Efficiency) -> Self {
        Self {
            matrix: self.matrix.at(efficiency),
            vector: self.vector.at(efficiency),
            link: ByteRate(self.link.0 * efficiency.bandwidth),
        }
    }

    fn roof(&self, unit: Unit) -> Roof {
        if unit == Unit::Vector { self.vector } else { self.matrix }
    }

    /// The least time for one of an operation.
    pub fn seconds(&self, operation: &Operation) -> Seconds {
        match operation.unit {
            Unit::Link => Seconds(operation.work.written as f64 / self.link.0),
            unit => self.roof(unit).seconds(operation.work.flops, operation.moved()),
        }
    }

    /// What holds an operation back.
    pub fn bound(&self, operation: &Operation) -> Bound {
        if operation.unit == Unit::Link {
            return Bound::Link;
        }
        let roof = self.roof(operation.unit);
        let memory = operation.moved() as f64 / roof.bandwidth.0;
        if memory > operation.work.flops as f64 / roof.peak.0 { Bound::Memory } else { Bound::Compute }
    }
}

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
    pub const fn of(scenario: &Scenario) -> Self {
        Self { kernels: Kernels::of(scenario), efficiency: Efficiency::LEAST }
    }
}

/// The time of a pass as a range, and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The pass.
    pub pass: Pass,
    /// FLOPs and bytes of all operations of one card, each tensor counted whenever it is touched.
    pub work: Work,
    /// Bytes that have to cross to the card's memory.
    pub moved: u128,
    /// Of these, weights.
    pub weights: u128,
    /// Of these, what attention moves: in decoding the KV cache, or states in its place.
    pub cache: u128,
    /// FLOPs of matrices and attention that the result needs, without recomputation, of the whole model: what MFU counts.
    pub model_flops: u128,
    /// The bound: each operation as fast as the card can, one after another.
    pub lower: Seconds,
    /// The same where all tokens of a batch visit the same experts; of a dense model, `lower`.
    pub floor: Seconds,
    /// The bound at the shares that are usually reached at least.
    pub upper: Seconds,
    /// How much of `lower` is held back by memory, by computing, by links.
    pub held_by: [(Bound, Seconds); 3],
}

impl Estimate {
    /// What holds most of the time back.
    pub fn bound(&self) -> Bound {
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
        /// Other cards.
        Links = "links";
    }
}

#[derive(Clone, Copy)]
struct Sum {
    work: Work,
    moved: u128,
    weights: u128,
    cache: u128,
    model_flops: u128,
    lower: Seconds,
    upper: Seconds,
    held_by: [Seconds; 3],
}

impl Sum {
    const NONE: Self = Self {
        work: Work { flops: 0, read: 0, written: 0 },
        moved: 0,
        weights: 0,
        cache: 0,
        model_flops: 0,
        lower: Seconds::ZERO,
        upper: Seconds::ZERO,
        held_by: [Seconds::ZERO; 3],
    };

    /// Of one stage.
    fn of(listing: &Listing<'_>, efficiency: Efficiency) -> Self {
        let rates = Rates::of(listing.scenario, listing.gpu);
        let slow = rates.at(efficiency);
        let mut sum = Self::NONE;
        listing.each(&mut |operation| sum.add(operation, &rates, &slow));
        sum
    }

    fn add(&mut self, operation: &Operation, rates: &Rates, slow: &Rates) {
        let times = operation.times as f64;
        let seconds = Seconds(rates.seconds(operation).0 * times);
        self.lower += seconds;
        self.upper += Seconds(slow.seconds(operation).0 * times);
        let place = match rates.bound(operation) {
            Bound::Memory => 0,
            Bound::Compute => 1,
            Bound::Link => 2,
        };
        if let Some(held) = self.held_by.get_mut(place) {
            *held += seconds;
        }
        let count = u128::from(operation.times);
        self.work = self.work + operation.work.times(operation.times);
        self.weights += operation.weights * count;
        if operation.unit != Unit::Link {
            self.moved += operation.moved() * count;
        }
        if matches!(operation.task, Task::Attention | Task::WindowAttention | Task::LinearState) {
            self.cache += operation.moved() * count;
        }
        if operation.unit == Unit::Matrix && operation.direction != super::operations::Direction::Recompute {
            self.model_flops += operation.work.flops * count;
        }
    }

    fn and(mut self, other: &Self) -> Self {
        self.work = self.work + other.work;
        self.moved += other.moved;
        self.weights += other.weights;
        self.cache += other.cache;
        self.model_flops += other.model_flops;
        self.lower += other.lower;
        self.upper += other.upper;
        for (held, more) in self.held_by.iter_mut().zip(other.held_by) {
            *held += more;
        }
        self
    }

    fn stretched(mut self, factor: f64) -> Self {
        self.lower = Seconds(self.lower.0 * factor);
        self.upper = Seconds(self.upper.0 * factor);
        for held in &mut self.held_by {
            held.0 *= factor;
        }
        self
    }
}

/// The time of a pass on a card.
///
/// # Formula
/// lower = Σ over operations of times × max(`flops` / `peak`, `moved` / `bandwidth`); upper the same with `peak` and `bandwidth` times their efficiencies.
/// The stages of a pipeline take turns in inference; a training step takes the slowest stage's time × (1 + (p − 1)/(m·v)) for p stages, m micro-batches and v chunks a rank.
/// Traffic among data-parallel ranks and with host memory can hide behind the work: the bound takes the longer of the two, the upper end both one after the other.
///
/// # Units
/// Seconds; FLOPs and bytes of one card, in inference of all stages of the pipeline together.
///
/// # Assumes
/// Kernels run one after another and start without delay (as a recorded graph of kernels does): runs that launch each kernel from Python can be far slower.
/// The card holds its clock.
///
/// # Source
/// Williams, Waterman and Patterson 2009; Narayanan et al. 2021 (pipeline bubble). Errors against measured runs: docs/accuracy.md.
///
/// # Example
/// ```
/// use memory_wall_core::roofline::{Pass, latency::{Counting, estimate}};
/// use memory_wall_core::{Scenario, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.seq_length = 1;
/// let step = estimate(&scenario, gpus::by_id("h100-sxm").unwrap(), Pass::Decode, Counting::of(&scenario));
/// // 15.0 GB of weights at 3.35 TB/s: the embedding table is looked up, not read.
/// assert_eq!((step.weights as f64 / 1e8).round(), 150.0);
/// assert_eq!((step.lower.as_ms() * 100.0).round(), 448.0);
/// ```
pub fn estimate(scenario: &Scenario, gpu: &Gpu, pass: Pass, counting: Counting) -> Estimate {
    let efficiency = counting.efficiency;
    let sum = summed(scenario, gpu, pass, counting, Routing::Uniform);
    let mixture = scenario.architecture.moe.is_some();
    let floor = if mixture {
        summed(scenario, gpu, pass, counting, Routing::Concentrated).lower.0.min(sum.lower.0)
    } else {
        sum.lower.0
    };
    let hidden = hidden_traffic(scenario, gpu, pass);
    let longer = |seconds: f64| Seconds(seconds.max(hidden.0));
    let [memory, compute, mut link] = sum.held_by;
    if hidden > sum.lower {
        link += Seconds(hidden.0 - sum.lower.0);
    }
    Estimate {
        pass,
        work: sum.work,
        moved: sum.moved,
        weights: sum.weights,
        cache: sum.cache,
        model_flops: sum.model_flops,
        lower: longer(sum.lower.0),
        floor: longer(floor),
        upper: sum.upper + Seconds(hidden.0 / efficiency.bandwidth),
        held_by: [(Bound::Memory, memory), (Bound::Compute, compute), (Bound::Link, link)],
    }
}

fn summed(scenario: &Scenario, gpu: &Gpu, pass: Pass, counting: Counting, routing: Routing) -> Sum {
    let parallel = scenario.parallel;
    let stage = |stage: u32| {
        let scenario = Scenario { parallel: parallel.at_stage(stage), ..*scenario };
        let listing = Listing { scenario: &scenario, gpu, pass, kernels: counting.kernels, routing };
        Sum::of(&listing, counting.efficiency)
    };
    if parallel.pp == 1 {
        return stage(0);
    }
    if pass != Pass::Training {
        return (0..parallel.pp).fold(Sum::NONE, |sum, number| sum.and(&stage(number)));
    }
    let mut slowest = stage(0);
    for number in [1, parallel.pp - 1] {
        let other = stage(number);
        if other.lower > slowest.lower {
            slowest = other;
        }
    }
    slowest.stretched(bubble(&parallel, scenario.training.micro_batches))
}

/// How much longer a step takes because the stages of a pipeline wait at its beginning and end.
pub fn bubble(parallel: &Parallelism, micro_batches: u32) -> f64 {
    1.0 + f64::from(parallel.pp - 1) / (f64::from(micro_batches.max(1)) * f64::from(parallel.virtual_stages.max(1)))
}

/// What can run behind the work: gradients and gathered weights, and what waits in host memory.
fn hidden_traffic(scenario: &Scenario, gpu: &Gpu, pass: Pass) -> Seconds {
    if pass == Pass::Prefill {
        return Seconds::ZERO;
    }
    let of = |kind| Seconds(communication::bytes(scenario, kind).0 as f64 / cost::link(scenario, gpu, kind).0);
    let host = of(Traffic::Host);
    let data = if pass == Pass::Training { of(Traffic::Data) } else { Seconds::ZERO };
    Seconds(host.0.max(data.0))
}

/// Speeds that follow from a pass, as the ends of a range: the first is the slower one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Tokens a second for one sequence (decoding), or read a second (prefill, training), of all replicas' cards for one of them.
    pub per_user: [f64; 2],
    /// Tokens a second for each card, all sequences together.
    pub per_card: [f64; 2],
    /// What share of the cards' peak the model's own FLOPs are.
    pub mfu: [f64; 2],
}

impl Estimate {
    /// Tokens a second and model FLOPs utilisation.
    ///
    /// # Formula
    /// Tokens of the pass / time: `batch` in decoding, `batch` × `seq_length` in prefill, times micro-batches in training; for each card divided by the cards of one replica.
    /// MFU = FLOPs of matrices and attention (the causal half) / (time × `peak` × cards).
    pub fn speed(&self, scenario: &Scenario, gpu: &Gpu) -> Speed {
        let parallel = &scenario.parallel;
        let tokens = match self.pass {
            Pass::Decode => f64::from(scenario.batch),
            Pass::Prefill => scenario.tokens() as f64,
            Pass::Training => scenario.tokens() as f64 * f64::from(scenario.training.micro_batches),
        };
        let cards = f64::from(parallel.tp) * f64::from(parallel.pp) * f64::from(parallel.cp);
        let peak: FlopRate = multiplies_in(scenario, gpu).1;
        // In a training step each stage counts its own part; in inference the sum goes over all of them.
        let stages = if self.pass == Pass::Training { 1.0 } else { f64::from(parallel.pp) };
        let both = |value: f64| [value / self.upper.0, value / self.lower.0];
        let users = if self.pass == Pass::Decode { f64::from(scenario.batch) } else { 1.0 };
        Speed {
            per_user: both(tokens / users),
            per_card: both(tokens / cards),
            mfu: both(self.model_flops as f64 / (peak.0 * stages)),
        }
    }
}

/// Seconds of the bound that each kind of operation takes, longest first, with its FLOPs and bytes: a table's rows.
pub fn by_task(scenario: &Scenario, gpu: &Gpu, pass: Pass, kernels: Kernels) -> [Option<TaskTotal>; Task::ALL.len()] {
    let rates = Rates::of(scenario, gpu);
    let listing = Listing { kernels, ..Listing::new(scenario, gpu, pass) };
    let mut rows = [None::<TaskTotal>; Task::ALL.len()];
    listing.each(&mut |operation| {
        let row = rows.iter_mut().find(|row| row.is_none_or(|row| row.task == operation.task));
        if let Some(row) = row {
            let mut total =
                row.unwrap_or_else(|| TaskTotal::new(operation.task, operation.unit, rates.bound(operation)));
            total.add(operation, &rates);
            *row = Some(total);
        }
    });
    // Each row moves up past the shorter ones: two dozen at most, and the library's sorting is much program for a page.
    let seconds = |row: Option<&Option<TaskTotal>>| row.copied().flatten().map_or(-1.0, |row| row.lower.0);
    for start in 1..rows.len() {
        let mut place = start;
        while place > 0 && seconds(rows.get(place)) > seconds(rows.get(place - 1)) {
            rows.swap(place, place - 1);
            place -= 1;
        }
    }
    rows
}

/// All operations of one kind in a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskTotal {
    /// The kind.
    pub task: Task,
    /// What they run on.
    pub unit: Unit,
    /// What holds most of their time back.
    pub bound: Bound,
    /// How many.
    pub times: u64,
    /// What they do together.
    pub work: Work,
    /// Bytes of that which cross to memory.
    pub moved: u128,
    /// The bound on their time.
    pub lower: Seconds,
    held: [Seconds; 3],
}

impl TaskTotal {
    const fn new(task: Task, unit: Unit, bound: Bound) -> Self {
        let (work, held) = (Work { flops: 0, read: 0, written: 0 }, [Seconds::ZERO; 3]);
        Self { task, unit, bound, times: 0, work, moved: 0, lower: Seconds::ZERO, held }
    }

    fn add(&mut self, operation: &Operation, rates: &Rates) {
        let seconds = Seconds(rates.seconds(operation).0 * operation.times as f64);
        let bound = rates.bound(operation);
        let place = [Bound::Memory, Bound::Compute, Bound::Link].iter().position(|it| *it == bound).unwrap_or(0);
        if let Some(held) = self.held.get_mut(place) {
            *held += seconds;
        }
        let most = |one: usize| self.held.iter().all(|other| self.held.get(one).is_some_and(|held| held >= other));
        self.bound = match () {
            () if most(0) => Bound::Memory,
            () if most(1) => Bound::Compute,
            () => Bound::Link,
        };
        self.times += operation.times;
        self.work = self.work + operation.work.times(operation.times);
        self.moved += operation.moved() * u128::from(operation.times);
        self.lower += seconds;
    }
}

/// Whether a mode has a pass.
pub fn offers(mode: Mode, pass: Pass) -> bool {
    Pass::of(mode).contains(&pass)
}
