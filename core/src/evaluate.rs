//! The engine: one value in, everything the page shows out.

use crate::architecture::LayerKinds;
use crate::assumptions::Assumptions;
use crate::engines::{self, Judgement};
use crate::memory::{Bucket, activations, backward, kv_cache};
use crate::parameters::Parameters;
use crate::scenario::{Mode, Scenario};
use crate::solve;
use crate::units::{Bytes, SignedBytes};
use crate::worked::{self, Item};

/// A moment at which memory can be fullest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Inference: the prompt passes through, the cache is full.
    Forward,
    /// Training: the forward pass is done, and the loss is being computed.
    ForwardEnd,
    /// Training: the backward pass begins; everything saved is there, and the logits with their gradients.
    Loss,
    /// Training: deep in the backward pass; nearly all gradients exist, and with checkpointing a layer is computed again.
    Backward,
    /// Training: the optimizer takes its step.
    OptimizerStep,
    /// Training: the backward pass of the very first step begins; the optimizer has no states yet.
    FirstStep,
}

impl Phase {
    /// The phases of a training step, in order.
    const TRAINING: [Self; 5] = [Self::FirstStep, Self::ForwardEnd, Self::Loss, Self::Backward, Self::OptimizerStep];

    /// The name in JSON and in style sheets.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::ForwardEnd => "forward_end",
            Self::Loss => "loss",
            Self::Backward => "backward",
            Self::OptimizerStep => "optimizer_step",
            Self::FirstStep => "first_step",
        }
    }

    /// Whether the backward pass is still to come.
    const fn is_forward(self) -> bool {
        matches!(self, Self::Forward | Self::FirstStep | Self::ForwardEnd | Self::Loss)
    }

    /// Whether the optimizer's states are there, and nothing of its step.
    const fn has_states(self) -> bool {
        matches!(self, Self::ForwardEnd | Self::Loss | Self::Backward)
    }

    /// The phases that a mode passes through.
    pub const fn of(mode: Mode) -> &'static [Self] {
        match mode {
            Mode::Inference => &[Self::Forward],
            _ => &Self::TRAINING,
        }
    }
}

/// Whether a scenario goes on its card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// With more than a tenth of the card to spare.
    Fits,
    /// By calculation, but with less to spare than an allocator was seen to lose to fragmentation.
    Tight,
    /// Not even by calculation.
    DoesNotFit,
}

impl Verdict {
    /// The name in JSON and in style sheets.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::DoesNotFit => "does_not_fit",
        }
    }
}

/// A scenario held against its card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Bytes that the card really offers, not the number printed on the box.
    pub capacity: Bytes,
    /// What the run may take in all: the capacity, or what a program that takes a share of it leaves to be taken.
    pub limit: Bytes,
    /// Capacity less the peak; negative is missing. Of a program that takes a share of the card, what is left of that share.
    pub margin: SignedBytes,
    /// The judgement.
    pub verdict: Verdict,
    /// Longest `seq_length` that still fits, 0 if none does, at most the bound of [`crate::bounds::SEQ_LENGTH`].
    pub max_seq: u32,
    /// Largest batch that still fits, 0 if none does, at most the bound of [`crate::bounds::BATCH`].
    pub max_batch: u32,
}

/// Below this share of the capacity a margin counts as tight. Of what PyTorch's allocator had reserved at the end of a
/// training step, 10 to 13% was measured to be free: a tenth covers most such runs, and not every one.
pub const TIGHT_PERCENT: u128 = 10;

/// Everything the engine says about a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The exact parameter count, by kind of tensor.
    pub parameters: Parameters,
    /// Bytes of each bucket at the peak, in the order of [`Bucket::ALL`].
    pub buckets: [(Bucket, Bytes); 7],
    /// Their sum.
    pub total: Bytes,
    /// The moment of the peak.
    pub peak_phase: Phase,
    /// The sum at each phase that the scenario passes through.
    pub phases: Phases,
    /// What takes most at the peak, largest first.
    pub largest_items: [Option<(Item, Bytes)>; 3],
    /// The pipeline stage whose rank is fullest, from 0: buckets and sums are its own.
    pub stage: u32,
    /// What one more token of one sequence adds to the KV cache.
    pub kv_bytes_per_token: Bytes,
    /// The scenario against its card, where it names one.
    pub fit: Option<Fit>,
    /// What the figures stand on.
    pub assumptions: Assumptions,
}

impl Evaluation {
    /// Bytes of one bucket.
    pub fn bytes(&self, bucket: Bucket) -> Bytes {
        self.buckets.iter().find(|(name, _)| *name == bucket).map_or(Bytes::ZERO, |(_, bytes)| *bytes)
    }

    /// The bucket that takes most.
    pub fn largest(&self) -> Bucket {
        self.buckets.iter().max_by_key(|(_, bytes)| *bytes).map_or(Bucket::Weights, |(bucket, _)| *bucket)
    }
}

/// The sum at each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    list: [Option<(Phase, Bytes)>; Phase::TRAINING.len()],
}

impl Phases {
    /// Each in turn.
    pub fn iter(&self) -> impl Iterator<Item = (Phase, Bytes)> + '_ {
        self.list.iter().flatten().copied()
    }
}

type Buckets = [(Bucket, Bytes); 7];

fn bytes(bucket: Bucket, scenario: &Scenario, phase: Phase) -> Bytes {
    worked::total(|sink| bucket.terms(scenario, phase, sink))
}

/// Bytes of each bucket at one phase, on the rank that is looked at; what the phase before has in common with it is not computed again.
fn at(scenario: &Scenario, phase: Phase, before: Option<(Phase, Buckets)>) -> Buckets {
    let known = |bucket| {
        let (before, buckets) = before?;
        let steady = match bucket {
            Bucket::Weights | Bucket::KvCache | Bucket::Overhead => true,
            Bucket::Activations => {
                phase.is_forward() && before.is_forward() && activations::same_until_backward(scenario)
            }
            Bucket::Gradients => phase.is_forward() && before.is_forward(),
            Bucket::Optimizer => phase.has_states() && before.has_states(),
            Bucket::Logits => false,
        };
        buckets.iter().find(|(name, _)| steady && *name == bucket).map(|(_, bytes)| *bytes)
    };
    // These two share a moment, which is found once.
    let backward = (phase == Phase::Backward).then(|| backward::fullest(scenario).1);
    Bucket::ALL.map(|bucket| match (bucket, backward) {
        (Bucket::Gradients, Some([gradients, _])) => (bucket, gradients),
        (Bucket::Activations, Some([_, activations])) => (bucket, activations),
        _ => (bucket, known(bucket).unwrap_or_else(|| bytes(bucket, scenario, phase))),
    })
}

/// The sum at one phase, on the rank that is looked at.
pub fn at_phase(scenario: &Scenario, phase: Phase) -> Bytes {
    at(scenario, phase, None).iter().map(|(_, bytes)| *bytes).sum()
}

/// The fullest moment of one rank.
struct Peak {
    phase: Phase,
    buckets: Buckets,
    total: Bytes,
    phases: Phases,
}

fn peak_of_rank(scenario: &Scenario) -> Peak {
    let mut phases = Phases::default();
    let mut best = Peak {
        phase: Phase::Forward,
        buckets: Bucket::ALL.map(|bucket| (bucket, Bytes::ZERO)),
        total: Bytes::ZERO,
        phases,
    };
    let mut before = None;
    for (slot, &phase) in phases.list.iter_mut().zip(Phase::of(scenario.mode)) {
        let buckets = at(scenario, phase, before);
        let total = buckets.iter().map(|(_, bytes)| *bytes).sum();
        *slot = Some((phase, total));
        before = Some((phase, buckets));
        // A peak that every step has is not the first step's.
        if total > best.total || (total == best.total && best.phase == Phase::FirstStep) {
            best = Peak { phase, buckets, total, ..best };
        }
    }
    Peak { phases, ..best }
}

/// The scenario as one stage sees it.
fn on(scenario: &Scenario, stage: u32) -> Scenario {
    let mut on_stage = *scenario;
    on_stage.parallel.stage = stage;
    on_stage
}

/// Stages that are looked at for the fullest one.
const STAGES: usize = 6;

/// The stages that can be fullest, each once. Inner ones hold less than the first: fewer micro-batches, no table.
///
/// Unless they hold more of something: torchtitan gives the first stage a layer less; a mixture has its dense layers first, and layers
/// with a long cache or a large state are not spread to the layer. Of stages with equally many, those in front hold more micro-batches.
fn full_stages(scenario: &Scenario) -> [Option<u32>; STAGES] {
    let last = scenario.parallel.pp - 1;
    let mut stages = [None; STAGES];
    let mut add = |stage: u32| {
        let slot = stages.iter_mut().find(|slot| slot.is_none_or(|known| known == stage));
        if let Some(slot) = slot {
            *slot = Some(stage);
        }
    };
    add(0);
    if last > 0 {
        add(last);
        if scenario.torchtitan() {
            add(1);
        }
        let shape = &scenario.architecture;
        let cut = |stage| on(scenario, stage).layers_here();
        if shape.moe.is_some_and(|moe| moe.dense_layers > 0) {
            let dense = shape.layers - shape.moe_layers();
            add((0..last).find(|&stage| cut(stage).0 >= dense).unwrap_or(last));
        }
        if shape.sliding_window.is_some() || shape.linear_attention.is_some() {
            let kinds = |stage| {
                let (start, end) = cut(stage);
                shape.kinds_between(start, end)
            };
            for count in [|kinds: LayerKinds| kinds.full, |kinds: LayerKinds| kinds.sliding + kinds.linear] {
                // Of equals the first.
                let most = (0..=last).rev().max_by_key(|&stage| count(kinds(stage)));
                add(most.unwrap_or(last));
            }
        }
    }
    stages
}

/// The scenario as the fullest rank sees it; of equals the first.
fn fullest(scenario: &Scenario) -> Scenario {
    let mut stages = full_stages(scenario).into_iter().flatten().map(|stage| on(scenario, stage));
    let mut best = stages.next().unwrap_or(*scenario);
    let mut most = None;
    for rank in stages {
        let before = *most.get_or_insert_with(|| peak_of_rank(&best).total);
        let total = peak_of_rank(&rank).total;
        if total > before {
            (best, most) = (rank, Some(total));
        }
    }
    best
}

/// The peak alone, on the fullest rank.
pub fn total(scenario: &Scenario) -> Bytes {
    Totals::of(scenario).at(scenario.batch, scenario.seq_length)
}

/// Whether the scenario goes on a card of `capacity`, on every rank.
pub fn fits(scenario: &Scenario, capacity: Bytes) -> bool {
    total(scenario) <= engines::limit(scenario, capacity)
}

/// The peak alone, for other batches and lengths: what inverse questions ask again and again.
pub struct Totals {
    stages: [Option<(Scenario, Steady)>; STAGES],
}

/// What depends neither on batch nor on length.
#[derive(Clone, Copy)]
struct Steady {
    weights: Bytes,
    states: Bytes,
    /// Gradients before the backward pass.
    gradients: Bytes,
    /// Gradients and states in the optimizer's step.
    step: Bytes,
}

impl Totals {
    /// For scenarios that differ from this one in batch and length alone.
    pub fn of(scenario: &Scenario) -> Self {
        let rank = |stage| {
            let scenario = on(scenario, stage);
            (scenario, Steady::of(&scenario))
        };
        Self { stages: full_stages(scenario).map(|stage| stage.map(rank)) }
    }

    /// The peak with this batch and this length.
    pub fn at(&self, batch: u32, seq_length: u32) -> Bytes {
        let peaks = self.stages.iter().flatten().map(|(scenario, steady)| {
            let mut scenario = *scenario;
            (scenario.batch, scenario.seq_length) = (batch, seq_length);
            steady.peak(&scenario)
        });
        peaks.max().unwrap_or_default()
    }
}

impl Steady {
    fn of(scenario: &Scenario) -> Self {
        let at = |bucket, phase| bytes(bucket, scenario, phase);
        if !scenario.mode.trains() {
            let weights = at(Bucket::Weights, Phase::Forward);
            return Self { weights, states: Bytes::ZERO, gradients: Bytes::ZERO, step: Bytes::ZERO };
        }
        Self {
            weights: at(Bucket::Weights, Phase::Loss),
            states: at(Bucket::Optimizer, Phase::Loss),
            gradients: at(Bucket::Gradients, Phase::Loss),
            step: at(Bucket::Gradients, Phase::OptimizerStep) + at(Bucket::Optimizer, Phase::OptimizerStep),
        }
    }

    /// The largest sum of [`peak_of_rank`]; the first step, whose states are still to come, is never fuller than the later ones.
    fn peak(&self, scenario: &Scenario) -> Bytes {
        let at = |bucket, phase| bytes(bucket, scenario, phase);
        let always = self.weights + at(Bucket::Overhead, Phase::Loss);
        if !scenario.mode.trains() {
            let forward =
                [Bucket::KvCache, Bucket::Activations, Bucket::Logits].map(|bucket| at(bucket, Phase::Forward));
            return always + forward.into_iter().sum();
        }
        let begin = at(Bucket::Activations, Phase::Loss);
        let end =
            if activations::same_until_backward(scenario) { begin } else { at(Bucket::Activations, Phase::ForwardEnd) };
        let forward_end = end + at(Bucket::Logits, Phase::ForwardEnd) + self.gradients;
        let loss = begin + at(Bucket::Logits, Phase::Loss) + self.gradients;
        let backward = backward::fullest(scenario).1.into_iter().sum::<Bytes>() + at(Bucket::Logits, Phase::Backward);
        let step = self.step + at(Bucket::Activations, Phase::OptimizerStep) + at(Bucket::Logits, Phase::OptimizerStep);
        always + step.max(self.states + forward_end.max(loss).max(backward))
    }
}

/// More items than any bucket has.
const MOST_ITEMS: usize = 24;

/// The three items that take most at one phase, largest first.
fn largest_items(scenario: &Scenario, phase: Phase) -> [Option<(Item, Bytes)>; 3] {
    let mut largest = [None::<(Item, Bytes)>; 3];
    let mut place = |item: Item, bytes: Bytes| {
        let mut carried = Some((item, bytes));
        for slot in &mut largest {
            if carried.map(|(_, bytes)| bytes) > slot.map(|(_, bytes)| bytes) {
                core::mem::swap(slot, &mut carried);
            }
        }
    };
    for bucket in Bucket::ALL {
        // Each item once, in the order of its first term.
        let mut sums = [None::<(Item, Bytes)>; MOST_ITEMS];
        bucket.terms(scenario, phase, &mut |term| {
            let slot = sums.iter_mut().find(|slot| slot.is_none_or(|(item, _)| item == term.item));
            if let Some(slot) = slot {
                let before = slot.map_or(Bytes::ZERO, |(_, bytes)| bytes);
                *slot = Some((term.item, before + term.bytes()));
            }
        });
        for (item, bytes) in sums.into_iter().flatten() {
            place(item, bytes);
        }
    }
    largest
}

/// Evaluates a scenario.
///
/// Total for every scenario that passes [`Scenario::check`]: no panic, no overflow, no NaN.
///
/// ```
/// use memory_wall_core::{Bucket, Bytes, Scenario, evaluate, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.gpu = gpus::by_id("a100-80-sxm");
/// scenario.seq_length = 128_000;
/// let evaluation = evaluate(&scenario);
/// assert_eq!(evaluation.largest(), Bucket::KvCache);
/// assert_eq!(evaluation.bytes(Bucket::KvCache), Bytes(67_108_864_000));
/// ```
pub fn evaluate(scenario: &Scenario) -> Evaluation {
    let rank = fullest(scenario);
    let Peak { phase: peak_phase, buckets, total, phases } = peak_of_rank(&rank);
    Evaluation {
        parameters: scenario.architecture.parameters(),
        buckets,
        total,
        peak_phase,
        phases,
        largest_items: largest_items(&rank, peak_phase),
        stage: rank.parallel.stage,
        kv_bytes_per_token: kv_cache::bytes_per_token(scenario),
        fit: scenario.gpu.map(|gpu| {
            let capacity = gpu.capacity;
            let Judgement { limit, margin, verdict } = engines::judge(&rank, capacity, total);
            Fit {
                capacity,
                limit,
                margin,
                verdict,
                max_seq: solve::max_seq_length(scenario, limit),
                max_batch: solve::max_batch(scenario, limit),
            }
        }),
        assumptions: Assumptions::of(scenario),
    }
}

/// What the ranks of one pipeline stage hold at their own peak; all ranks of a stage hold the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageRanks {
    /// The stage, from 0.
    pub stage: u32,
    /// How many ranks it has.
    pub ranks: u64,
    /// Parameters that each of them holds before sharding over data-parallel ranks.
    pub parameters: Parameters,
    /// The moment of their peak.
    pub peak_phase: Phase,
    /// Bytes of each bucket then.
    pub buckets: [(Bucket, Bytes); 7],
    /// Their sum.
    pub total: Bytes,
}

/// The ranks of each pipeline stage in turn.
pub fn per_rank(scenario: &Scenario) -> impl Iterator<Item = StageRanks> {
    let scenario = *scenario;
    (0..scenario.parallel.pp).map(move |stage| {
        let mut on_stage = scenario;
        on_stage.parallel.stage = stage;
        let Peak { phase, buckets, total, .. } = peak_of_rank(&on_stage);
        StageRanks {
            stage,
            ranks: scenario.parallel.ranks() / u64::from(scenario.parallel.pp),
            parameters: on_stage.local_parameters(),
            peak_phase: phase,
            buckets,
            total,
        }
    })
}
