//! Questions asked backwards: the largest input that still fits.
//!
//! Memory never falls when an input grows, so the answer is found by search, and it is the forward model's own:
//! it fits at the answer and not one step beyond.

pub use crate::evaluate::{max_batch, max_seq_length};

use crate::alternatives;
use crate::bisect;
use crate::bounds;
use crate::checked::Checked;
use crate::cost;
use crate::evaluate::{self, largest};
use crate::layout::PipelineSplit;
use crate::memory::{Bucket, Phase, weights};
use crate::parallelism::{Parallelism, PipelineSchedule, ZeroStage};
use crate::precision::WeightFormat;
use crate::scenario::Scenario;
use crate::serving::Engine;
use crate::tables::gpus::Gpu;
use crate::tables::models::{MODELS, Model};
use crate::training::Implementation;
use crate::units::Bytes;
use crate::verdict::Verdict;
use crate::worked;

/// The first `seq_length` at which the KV cache weighs more than the weights; `None` if it does not within the bounds.
///
/// ```
/// use memory_wall_core::{Scenario, solve, tables::models};
/// let textbook = Scenario::new(models::by_id("generic-7b").unwrap().architecture).check().unwrap();
/// assert_eq!(solve::kv_cache_passes_weights(&textbook), Some(26_703));
/// ```
pub fn kv_cache_passes_weights(scenario: &Checked) -> Option<u32> {
    let bytes = |bucket: Bucket, scenario: &Checked| worked::total(|sink| bucket.terms(scenario, Phase::Forward, sink));
    let weights = bytes(Bucket::Weights, scenario);
    let last = largest(bounds::SEQ_LENGTH, scenario.seq_length, weights, |seq_length| {
        bytes(Bucket::KvCache, &scenario.with_seq_length(seq_length))
    });
    (last < bounds::SEQ_LENGTH.max).then_some(last + 1)
}

/// GPUs and the way to use them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// How the run is cut.
    pub parallel: Parallelism,
    /// GPUs in all.
    pub gpus: u64,
    /// What the fullest of them holds.
    pub total: Bytes,
}

/// Most data-parallel ranks that are asked about.
const MOST_RANKS: u32 = 16_384;

/// The cuts that are tried for [`fewest_gpus`], each with the fewest data-parallel ranks that it can have, and only those that go with the model
/// and that somebody would run: tensor parallelism over 1, 2, 4 or 8 GPUs of a computer; pipelines of few stages, or with each stage on a whole
/// computer; in training context parallelism where every rank keeps [`SHORTEST_PART`] tokens, and of a mixture its experts over [`EXPERT_RANKS`]; in vLLM
/// the experts of a mixture over all ranks.
pub fn cuts(scenario: &Checked) -> impl Iterator<Item = Parallelism> {
    let most = scenario.seq_length / SHORTEST_PART;
    all_cuts(scenario).filter(move |cut| {
        cut.tp.is_power_of_two() && (cut.tp == 8 || matches!(cut.pp, 1..=4 | 6 | 8)) && (cut.cp == 1 || cut.cp <= most)
    })
}

/// Every cut that goes with the model: tensor parallelism over 1 to 8 GPUs, any pipeline of up to 128 stages, and in training context parallelism over 1, 2, 4 or 8.
fn all_cuts(scenario: &Checked) -> impl Iterator<Item = Parallelism> {
    let (shape, start) = (scenario.architecture, scenario.parallel);
    let contexts: &[u32] = if scenario.mode.trains() { &[1, 2, 4, 8] } else { &[1] };
    let stages = shape.layers.min(MOST_STAGES);
    let trained = scenario.mode.trains() && shape.moe.is_some();
    let served = scenario.runtime() == Some(Engine::Vllm) && shape.moe.is_some();
    let all = (1..=8).flat_map(move |tp| {
        contexts.iter().flat_map(move |&cp| {
            (1..=stages).flat_map(move |pp| {
                // A layout is made for one number of stages.
                let split = PipelineSplit::default();
                let schedule = PipelineSchedule::OneForwardOneBackward;
                let plain = Parallelism { virtual_stages: 1, schedule, split, ..start };
                let whole = Parallelism { shard: None, stage: 0, dp: 1, ep: 1, ..plain };
                let uncut = Parallelism { tp, pp, cp, ..whole };
                let spread = EXPERT_RANKS.into_iter().filter(move |_| trained);
                let spread = spread.map(move |ep| Parallelism { dp: ep, ep, ..uncut });
                let whole = (served && tp > 1).then_some(Parallelism { ep: tp, ..uncut });
                core::iter::once(uncut).chain(spread).chain(whole)
            })
        })
    });
    let scenario = *scenario;
    all.filter(move |&parallel| in_cut(&scenario, parallel).is_some())
}

/// The scenario in a cut, with what its training code asks for beside it ([`Scenario::with_demands`]); `None` if they do not go together.
pub fn in_cut(scenario: &Checked, parallel: Parallelism) -> Option<Checked> {
    Scenario { parallel, ..**scenario }.with_demands().check().ok()
}

/// Tokens that a context-parallel rank keeps at least: shorter parts are seldom worth their traffic.
pub const SHORTEST_PART: u32 = 4_096;

/// Expert-parallel ranks that are tried for a mixture in training, each with its own sequences.
pub const EXPERT_RANKS: [u32; 4] = [8, 16, 32, 64];

/// GPUs of a computer as it is sold.
pub const IN_COMPUTER: u64 = 8;

/// Most pipeline stages that are asked about.
const MOST_STAGES: u32 = 128;

/// The fewest GPUs of `capacity` on which the scenario fits with room to spare, or where `tight` is set, on which it is no worse than tight;
/// `None` if none of the cuts that are tried will do.
///
/// Tried are [`cuts`], and every other cut where none of these will do; in training over any number of data-parallel ranks that share states ([`over_ranks`]), each with its own micro-batch of the scenario.
/// Everything else stays: checkpointing or a chunked loss may need fewer GPUs still. Of equally many GPUs the cut that is
/// quicker by a rough estimate ([`cost`]).
///
/// ```
/// use memory_wall_core::{Bytes, Scenario, solve, tables::{gpus, models}};
/// let scenario = Scenario::new(models::by_id("llama-3.1-70b").unwrap().architecture).check().unwrap();
/// let h100 = gpus::by_id("h100-sxm").unwrap().capacity;
/// // Weights of 141 GB leave 2 × 85 GB with less than a tenth to spare once the cache is there.
/// let long = scenario.with_seq_length(65_536);
/// assert_eq!([false, true].map(|tight| solve::fewest_gpus(&long, h100, tight).unwrap().gpus), [3, 2]);
/// ```
pub fn fewest_gpus(scenario: &Checked, capacity: Bytes, tight: bool) -> Option<Cluster> {
    let fewest = |all: &mut dyn Iterator<Item = Parallelism>| fewest_of(scenario, all, capacity, tight, 1);
    fewest(&mut cuts(scenario)).or_else(|| fewest(&mut all_cuts(scenario)))
}

/// The same in whole computers of [`IN_COMPUTER`] GPUs, with room to spare.
pub fn whole_computers(scenario: &Checked, capacity: Bytes) -> Option<Cluster> {
    fewest_of(scenario, &mut cuts(scenario), capacity, false, IN_COMPUTER)
}

/// The fewest GPUs of these cuts, in multiples of `step`.
fn fewest_of(
    scenario: &Checked,
    cuts: &mut dyn Iterator<Item = Parallelism>,
    capacity: Bytes,
    tight: bool,
    step: u64,
) -> Option<Cluster> {
    let mut best = None::<(u64, f64, Cluster)>;
    for cut in cuts {
        // Cuts that need more GPUs than the best one so far need not be known any closer.
        let most = best.map_or(u64::from(MOST_RANKS), |(fewest, ..)| fewest / cut.ranks());
        let answer = fewest_ranks(scenario, cut, capacity, most, tight);
        let Some(answer) = answer.and_then(|it| rounded_up(scenario, &it, cut, step)) else { continue };
        let (parallel, gpus) = (answer.parallel, answer.parallel.ranks());
        let (total, time_ratio) = (evaluate::total(&answer), cost::time_ratio(scenario, &answer));
        if best.is_none_or(|(fewest, least, _)| gpus < fewest || (gpus == fewest && time_ratio < least)) {
            best = Some((gpus, time_ratio, Cluster { parallel, gpus, total }));
        }
    }
    best.map(|(.., cluster)| cluster)
}

/// The answer over as many more data-parallel ranks as make its GPUs a multiple of `step`; what a rank holds does not grow. In inference more ranks would be copies.
fn rounded_up(scenario: &Checked, answer: &Checked, cut: Parallelism, step: u64) -> Option<Checked> {
    if answer.parallel.ranks().is_multiple_of(step) {
        return Some(*answer);
    }
    let dp = answer.parallel.dp;
    let more = (1..=step).find_map(|times| {
        let dp = dp.checked_add(cut.dp.checked_mul(u32::try_from(times).ok()?)?)?;
        Parallelism { dp, ..cut }.ranks().is_multiple_of(step).then_some(dp)
    });
    over_ranks(scenario, cut, more.filter(|_| scenario.mode.trains())?)
}

/// The scenario in a cut over so many data-parallel ranks, which in training share what its code usually shards: of Megatron-LM the states of the
/// optimizer, or what the cut itself shards (`usual_stages`), of other code all of the states, or those of the optimizer where a pipeline lets it shard no more.
pub fn over_ranks(scenario: &Checked, cut: Parallelism, dp: u32) -> Option<Checked> {
    let own = [cut.zero];
    // More ranks share the states of training; in inference they would only be copies.
    let stages = if dp > 1 { usual_stages(scenario, cut.zero) } else { &own };
    stages.iter().find_map(|&zero| in_cut(scenario, Parallelism { dp, zero, ..cut }))
}

/// What data-parallel ranks share out in plans that are proposed, the most first: Megatron-LM is run with its distributed optimizer, and by its own FSDP where
/// a plan `own` says so.
fn usual_stages(scenario: &Scenario, own: ZeroStage) -> &'static [ZeroStage] {
    match (scenario.training.implementation, own) {
        (Implementation::Megatron, ZeroStage::None | ZeroStage::Optimizer) => &[ZeroStage::Optimizer],
        (Implementation::Megatron, ZeroStage::Gradients) => &[ZeroStage::Gradients, ZeroStage::Optimizer],
        _ => &[ZeroStage::Weights, ZeroStage::Optimizer],
    }
}

/// The scenario over the fewest data-parallel ranks with which a cut fits, if it does so with `most` times those of the cut.
fn fewest_ranks(scenario: &Checked, cut: Parallelism, capacity: Bytes, most: u64, tight: bool) -> Option<Checked> {
    // Ranks come in groups that share the experts.
    let with = |groups: u32| over_ranks(scenario, cut, groups.checked_mul(cut.dp)?);
    let most = if scenario.mode.trains() { u32::try_from(most).unwrap_or(MOST_RANKS).min(MOST_RANKS) } else { 1 };
    if most == 0 {
        return None;
    }
    with(1)?;
    let fits = |dp: u32| {
        with(dp).is_some_and(|it| match evaluate::verdict_on(&it, capacity) {
            Verdict::Fits => true,
            Verdict::Tight => tight,
            Verdict::Queues | Verdict::DoesNotFit => false,
        })
    };
    let found = if fits(1) {
        1
    } else if most == 1 || !fits(most) {
        return None;
    } else {
        // What sharded ranks hold never grows with their number, from two on.
        bisect::last(1, most, |ranks| !fits(ranks)) + 1
    };
    with(found)
}

/// The GPU with the least memory that holds the scenario with room to spare, of those that it could move to ([`alternatives::of`]).
pub fn smallest_gpu(scenario: &Checked) -> Option<&'static Gpu> {
    alternatives::roomy(scenario).filter_map(|other| other.gpu).min_by_key(|gpu| gpu.capacity)
}

/// The model of the table with the most parameters that reads so long a sequence and fits in `capacity`, everything else as in the scenario.
pub fn largest_model(scenario: &Checked, capacity: Bytes) -> Option<&'static Model> {
    let reads = |model: &&Model| model.architecture.reads(scenario.seq_length);
    let fits = |model: &&Model| {
        scenario.with(|it| it.architecture = model.architecture).is_ok_and(|it| evaluate::fits(&it, capacity))
    };
    MODELS.iter().filter(reads).filter(fits).max_by_key(|model| model.architecture.parameters().total())
}

/// The weight format with the most bits that fits in `capacity`, of those that the program can use: what quantisation is needed, if any.
pub fn widest_weights(scenario: &Checked, capacity: Bytes) -> Option<WeightFormat> {
    let fits = |weights: &WeightFormat| {
        scenario.with(|it| it.weights = *weights).is_ok_and(|it| evaluate::fits(&it, capacity))
    };
    // By the bytes of the whole mix. bf16 and fp16 tie: the table has bf16 later, and later wins.
    let stored = |format: &WeightFormat| scenario.with(|it| it.weights = *format).map_or(0, |it| weights::local(&it));
    WeightFormat::ALL.iter().copied().filter(fits).max_by_key(stored)
}
