//! Questions asked backwards: the largest input that still fits.
//!
//! Memory never falls when an input grows, so the answer is found by search, and it is the forward model's own:
//! it fits at the answer and not one step beyond.

use crate::alternatives;
use crate::bounds::{self, Bounds};
use crate::checked::Checked;
use crate::cost;
use crate::evaluate::{self, Phase, Totals};
use crate::memory::Bucket;
use crate::parallelism::{Parallelism, ZeroStage};
use crate::precision::WeightFormat;
use crate::tables::gpus::Gpu;
use crate::tables::models::{MODELS, Model};
use crate::units::Bytes;
use crate::worked;

/// The longest `seq_length` at which the scenario needs no more than `capacity`; 0 if none.
///
/// ```
/// use memory_wall_core::{Bytes, Scenario, evaluate, solve, tables::models};
/// let scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture).check().unwrap();
/// let capacity = Bytes(85_197_848_576);
/// let longest = solve::max_seq_length(&scenario, capacity);
/// assert!(evaluate(&scenario.with_seq_length(longest)).total <= capacity);
/// assert!(evaluate(&scenario.with_seq_length(longest + 1)).total > capacity);
/// ```
pub fn max_seq_length(scenario: &Checked, capacity: Bytes) -> u32 {
    let totals = Totals::of(scenario);
    largest(bounds::SEQ_LENGTH, scenario.seq_length, capacity, |seq_length| totals.at(scenario.batch, seq_length))
}

/// The largest batch at which the scenario needs no more than `capacity`; 0 if none.
pub fn max_batch(scenario: &Checked, capacity: Bytes) -> u32 {
    let totals = Totals::of(scenario);
    largest(bounds::BATCH, scenario.batch, capacity, |batch| totals.at(batch, scenario.seq_length))
}

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

/// The largest value in range whose `need` is at most `capacity`; 0 if there is none. `need` never falls.
///
/// Most needs are close to a parabola, so the root of one through three known points is close;
/// where it did not halve the interval in two steps, the third does, which bounds the search whatever the curve.
fn largest(bounds: Bounds, start: u32, capacity: Bytes, need: impl Fn(u32) -> Bytes) -> u32 {
    let over = |value: u32| Point { value, over: need(value).minus(capacity).0 };
    let (mut fits, mut fails) = (over(bounds.min), over(bounds.max));
    if fits.over > 0 {
        return 0;
    }
    if fails.over <= 0 {
        return bounds.max;
    }
    let mut guess = start;
    let (mut width, mut steps) = (fails.value - fits.value, 0);
    while fails.value - fits.value > 1 {
        let middle = over(guess.max(fits.value + 1).min(fails.value - 1));
        let dropped = if middle.over <= 0 {
            core::mem::replace(&mut fits, middle)
        } else {
            core::mem::replace(&mut fails, middle)
        };
        let left = fails.value - fits.value;
        steps += 1;
        guess = if steps % 3 == 0 && left > width / 2 {
            fits.value + left / 2
        } else {
            // One step at least: behind the last value that fits the next one shows it.
            fits.value + crossing(fits, fails, dropped).max(1)
        };
        if steps % 3 == 0 {
            width = left;
        }
    }
    fits.value
}

/// A value and by how much its need is over the capacity.
#[derive(Clone, Copy)]
struct Point {
    value: u32,
    over: i128,
}

/// How far behind `fits` the parabola through three points crosses the capacity, rounded down.
fn crossing(fits: Point, fails: Point, other: Point) -> u32 {
    let [below, above, third] = [fits, fails, other].map(|point| point.over as f64);
    let width = f64::from(fails.value - fits.value);
    let slope = (above - below) / width;
    let [to_fits, to_fails] = [fits, fails].map(|end| f64::from(other.value) - f64::from(end.value));
    let bend = ((third - above) / to_fails - slope) / to_fits;
    // The straight line first, then Newton's steps on the parabola.
    let mut place = -below / slope;
    for _ in 0..6 {
        let value = below + place * (slope + (place - width) * bend);
        let rise = slope + (2.0 * place - width) * bend;
        if rise > 0.0 {
            // Not `clamp`, whose panic would print a float: 6 kB of a program in the browser.
            place = (place - value / rise).max(0.0).min(width);
        }
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the width of the interval; not a number becomes 0"
    )]
    let place = place as u32;
    place
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

/// The cuts that are tried for [`fewest_gpus`], each with one data-parallel rank, and only those that go with the model:
/// tensor parallelism over 1 to 8 cards, any pipeline of up to 128 stages, and in training context parallelism over 1, 2, 4 or 8.
pub fn cuts(scenario: &Checked) -> impl Iterator<Item = Parallelism> {
    let (shape, start) = (scenario.architecture, scenario.parallel);
    let contexts: &[u32] = if scenario.mode.trains() { &[1, 2, 4, 8] } else { &[1] };
    let stages = shape.layers.min(MOST_STAGES);
    let all = (1..=8).flat_map(move |tp| {
        contexts.iter().flat_map(move |&cp| {
            (1..=stages).map(move |pp| Parallelism {
                dp: 1,
                tp,
                pp,
                cp,
                ep: 1,
                shard: None,
                virtual_stages: 1,
                stage: 0,
                ..start
            })
        })
    });
    let scenario = *scenario;
    all.filter(move |&parallel| scenario.with(|it| it.parallel = parallel).is_ok())
}

/// Most pipeline stages that are asked about.
const MOST_STAGES: u32 = 128;

/// The fewest cards of `capacity` on which the scenario fits; `None` if it fits on none of the cuts that are tried.
///
/// Tried are [`cuts`], in training with ZeRO-3 over any number of data-parallel ranks, each with its own micro-batch of the scenario.
/// Everything else stays: checkpointing or a chunked loss may need fewer cards still. Of equally many cards the cut that is
/// quicker by a rough estimate ([`cost`]).
///
/// ```
/// use memory_wall_core::{Bytes, Scenario, solve, tables::{gpus, models}};
/// let scenario = Scenario::new(models::by_id("llama-3.1-70b").unwrap().architecture).check().unwrap();
/// let cluster = solve::fewest_gpus(&scenario, gpus::by_id("h100-sxm").unwrap().capacity).unwrap();
/// assert_eq!((cluster.gpus, cluster.parallel.tp), (2, 2));
/// ```
pub fn fewest_gpus(scenario: &Checked, capacity: Bytes) -> Option<Cluster> {
    let mut best = None::<(u64, f64, Cluster)>;
    for cut in cuts(scenario) {
        // Cuts that need more cards than the best one so far need not be known any closer.
        let most = best.map_or(u64::from(MOST_RANKS), |(fewest, ..)| fewest / cut.ranks());
        let Some(answer) = fewest_ranks(scenario, cut, capacity, most) else { continue };
        let (parallel, gpus) = (answer.parallel, answer.parallel.ranks());
        let (total, time_ratio) = (evaluate::total(&answer), cost::time_ratio(scenario, &answer));
        if best.is_none_or(|(fewest, least, _)| gpus < fewest || (gpus == fewest && time_ratio < least)) {
            best = Some((gpus, time_ratio, Cluster { parallel, gpus, total }));
        }
    }
    best.map(|(.., cluster)| cluster)
}

/// The scenario over the fewest data-parallel ranks with which a cut fits, if it does so with `most` of them.
fn fewest_ranks(scenario: &Checked, cut: Parallelism, capacity: Bytes, most: u64) -> Option<Checked> {
    let with = |dp: u32| {
        // More ranks share the states of training; in inference they would only be copies.
        let zero = if dp > 1 { ZeroStage::Weights } else { cut.zero };
        // Sharded like all weights, experts need no cut of their own.
        let parallel = Parallelism { dp, zero, ep: 1, ..cut };
        scenario.with(|it| it.parallel = parallel).ok()
    };
    let most = if scenario.mode.trains() { u32::try_from(most).unwrap_or(MOST_RANKS).min(MOST_RANKS) } else { 1 };
    if most == 0 {
        return None;
    }
    with(1)?;
    let fits = |dp: u32| with(dp).is_some_and(|it| evaluate::fits(&it, capacity));
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
    with(found)
}

/// The GPU with the least memory that holds the scenario with room to spare, of those that it could move to ([`alternatives::of`]).
pub fn smallest_gpu(scenario: &Checked) -> Option<&'static Gpu> {
    alternatives::roomy(scenario).filter_map(|other| other.gpu).min_by_key(|gpu| gpu.capacity)
}

/// The model of the table with the most parameters that fits in `capacity`, everything else as in the scenario.
pub fn largest_model(scenario: &Checked, capacity: Bytes) -> Option<&'static Model> {
    let fits = |model: &&Model| {
        scenario.with(|it| it.architecture = model.architecture).is_ok_and(|it| evaluate::fits(&it, capacity))
    };
    MODELS.iter().filter(fits).max_by_key(|model| model.architecture.parameters().total())
}

/// The weight format with the most bits that fits in `capacity`, of those that the program can use: what quantisation is needed, if any.
pub fn widest_weights(scenario: &Checked, capacity: Bytes) -> Option<WeightFormat> {
    let fits = |weights: &WeightFormat| {
        scenario.with(|it| it.weights = *weights).is_ok_and(|it| evaluate::fits(&it, capacity))
    };
    let bits =
        |weights: &WeightFormat| u64::from(weights.block().bytes) * 1_000_000 / u64::from(weights.block().values);
    // bf16 and fp16 tie: the table has bf16 later, and later wins.
    WeightFormat::ALL.iter().copied().filter(fits).max_by_key(bits)
}
