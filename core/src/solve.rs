//! Questions asked backwards: the largest input that still fits.
//!
//! Memory never falls when an input grows, so the answer is found by search, and it is the forward model's own:
//! it fits at the answer and not one step beyond.

use crate::bounds::{self, Bounds};
use crate::communication;
use crate::evaluate::{self, Phase};
use crate::memory::Bucket;
use crate::parallelism::{Parallelism, ZeroStage};
use crate::precision::WeightFormat;
use crate::scenario::Scenario;
use crate::tables::gpus::{GPUS, Gpu};
use crate::tables::models::{MODELS, Model};
use crate::units::Bytes;
use crate::worked;

/// The longest `seq_length` at which the scenario needs no more than `capacity`; 0 if none.
///
/// ```
/// use memory_wall_core::{Bytes, Scenario, evaluate, solve, tables::models};
/// let scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// let capacity = Bytes(85_197_848_576);
/// let longest = solve::max_seq_length(&scenario, capacity);
/// assert!(evaluate(&Scenario { seq_length: longest, ..scenario }).total <= capacity);
/// assert!(evaluate(&Scenario { seq_length: longest + 1, ..scenario }).total > capacity);
/// ```
pub fn max_seq_length(scenario: &Scenario, capacity: Bytes) -> u32 {
    largest(bounds::SEQ_LENGTH, scenario.seq_length, capacity, |seq_length| {
        evaluate::total(&Scenario { seq_length, ..*scenario })
    })
}

/// The largest batch at which the scenario needs no more than `capacity`; 0 if none.
pub fn max_batch(scenario: &Scenario, capacity: Bytes) -> u32 {
    largest(bounds::BATCH, scenario.batch, capacity, |batch| evaluate::total(&Scenario { batch, ..*scenario }))
}

/// The first `seq_length` at which the KV cache weighs more than the weights; `None` if it does not within the bounds.
///
/// ```
/// use memory_wall_core::{Scenario, solve, tables::models};
/// let textbook = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
/// assert_eq!(solve::kv_cache_passes_weights(&textbook), Some(26_703));
/// ```
pub fn kv_cache_passes_weights(scenario: &Scenario) -> Option<u32> {
    let bytes =
        |bucket: Bucket, scenario: &Scenario| worked::total(|sink| bucket.terms(scenario, Phase::Forward, sink));
    let weights = bytes(Bucket::Weights, scenario);
    let last = largest(bounds::SEQ_LENGTH, scenario.seq_length, weights, |seq_length| {
        bytes(Bucket::KvCache, &Scenario { seq_length, ..*scenario })
    });
    (last < bounds::SEQ_LENGTH.max).then_some(last + 1)
}

/// The largest value in range whose `need` is at most `capacity`; 0 if there is none. `need` never falls.
///
/// Most needs are close to a straight line, so a guess on the line between the two ends of the interval is close;
/// every second step halves the interval, which bounds the search whatever the curve.
fn largest(bounds: Bounds, start: u32, capacity: Bytes, need: impl Fn(u32) -> Bytes) -> u32 {
    let Bounds { min, max, .. } = bounds;
    let (mut fits, mut need_fits) = (min, need(min));
    if need_fits > capacity {
        return 0;
    }
    let (mut fails, mut need_fails) = (max, need(max));
    if need_fails <= capacity {
        return max;
    }
    let mut guess = start;
    let mut halve = false;
    while fails - fits > 1 {
        let middle = guess.clamp(fits + 1, fails - 1);
        let needed = need(middle);
        if needed <= capacity {
            (fits, need_fits) = (middle, needed);
        } else {
            (fails, need_fails) = (middle, needed);
        }
        let width = fails - fits;
        guess = if halve {
            fits + width / 2
        } else {
            let share = (capacity - need_fits).share_of(need_fails - need_fits);
            // A share lies between 0 and 1, so the product fits; the cast saturates in any case.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let step = (share * f64::from(width)) as u32;
            // Probe the far side of a good guess too: on a straight line this closes the interval in two steps.
            fits + step.max(1)
        };
        halve = !halve;
    }
    fits
}

/// Cards and the way to use them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// How the run is cut.
    pub parallel: Parallelism,
    /// Cards in all.
    pub gpus: u64,
    /// What the fullest of them holds.
    pub total: Bytes,
}

/// Most data-parallel ranks that are asked about.
const MOST_RANKS: u32 = 16_384;

/// The fewest cards of `capacity` on which the scenario fits; `None` if it fits on none of the cuts that are tried.
///
/// Tried are tensor-parallel degrees 1, 2, 4 and 8 that divide the model, pipelines of 1, 2, 4, ... stages, and in training
/// ZeRO-3 over any number of data-parallel ranks, each with its own micro-batch of the scenario. Of equally many cards the cut that sends less.
///
/// ```
/// use memory_wall_core::{Bytes, Scenario, solve, tables::{gpus, models}};
/// let scenario = Scenario::new(models::by_id("llama-3.1-70b").unwrap().architecture);
/// let cluster = solve::fewest_gpus(&scenario, gpus::by_id("h100-sxm").unwrap().capacity).unwrap();
/// assert_eq!(cluster.gpus, 2);
/// ```
pub fn fewest_gpus(scenario: &Scenario, capacity: Bytes) -> Option<Cluster> {
    let mut best = None::<(u64, Bytes, Cluster)>;
    for tp in [1, 2, 4, 8] {
        let mut pp = 1;
        while pp <= scenario.architecture.layers.min(bounds::PP.max) {
            let cut = Parallelism { tp, pp, dp: 1, stage: 0, virtual_stages: 1, shard: None, ..scenario.parallel };
            if let Some((cut, total)) = fewest_ranks(scenario, cut, capacity) {
                let candidate = Scenario { parallel: cut, ..*scenario };
                let (gpus, sent) = (cut.ranks(), communication::between_ranks(&candidate));
                if best.is_none_or(|(fewest, least, _)| (gpus, sent) < (fewest, least)) {
                    best = Some((gpus, sent, Cluster { parallel: cut, gpus, total }));
                }
            }
            pp *= 2;
        }
    }
    best.map(|(.., cluster)| cluster)
}

/// The fewest data-parallel ranks with which a cut fits, and what the fullest then holds.
fn fewest_ranks(scenario: &Scenario, cut: Parallelism, capacity: Bytes) -> Option<(Parallelism, Bytes)> {
    let with = |dp: u32| {
        // More ranks share the states of training; in inference they would only be copies.
        let zero = if dp > 1 { ZeroStage::Weights } else { cut.zero };
        // Sharded like all weights, experts need no cut of their own.
        let parallel = Parallelism { dp, zero, ep: 1, ..cut };
        Scenario { parallel, ..*scenario }
    };
    let most = if scenario.mode.trains() { MOST_RANKS } else { 1 };
    if with(1).check().is_err() {
        return None;
    }
    let fits = |dp: u32| evaluate::total(&with(dp)) <= capacity;
    let found = if fits(1) {
        1
    } else if most == 1 || !fits(most) {
        return None;
    } else {
        // What sharded ranks hold never grows with their number, from two on.
        let (mut fails, mut works) = (1, most);
        while works - fails > 1 {
            let middle = fails + (works - fails) / 2;
            if fits(middle) {
                works = middle;
            } else {
                fails = middle;
            }
        }
        works
    };
    let answer = with(found);
    Some((answer.parallel, evaluate::total(&answer)))
}

/// The card with the least memory on which the scenario fits, of those in the table.
pub fn smallest_gpu(scenario: &Scenario) -> Option<&'static Gpu> {
    let total = evaluate::total(scenario);
    GPUS.iter().filter(|gpu| gpu.capacity >= total).min_by_key(|gpu| gpu.capacity)
}

/// The model of the table with the most parameters that fits in `capacity`, everything else as in the scenario.
pub fn largest_model(scenario: &Scenario, capacity: Bytes) -> Option<&'static Model> {
    let fits = |model: &&Model| {
        let tried = Scenario { architecture: model.architecture, ..*scenario };
        tried.check().is_ok() && evaluate::total(&tried) <= capacity
    };
    MODELS.iter().filter(fits).max_by_key(|model| model.architecture.parameters().total())
}

/// The weight format with the most bits that fits in `capacity`: what quantisation is needed, if any.
pub fn widest_weights(scenario: &Scenario, capacity: Bytes) -> Option<WeightFormat> {
    let fits = |weights: &WeightFormat| {
        let tried = Scenario { weights: *weights, ..*scenario };
        tried.check().is_ok() && evaluate::total(&tried) <= capacity
    };
    let bits =
        |weights: &WeightFormat| u64::from(weights.block().bytes) * 1_000_000 / u64::from(weights.block().values);
    // bf16 and fp16 tie: the table has bf16 later, and later wins.
    WeightFormat::ALL.iter().copied().filter(fits).max_by_key(bits)
}
