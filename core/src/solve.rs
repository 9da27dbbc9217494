//! Questions asked backwards: the largest input that still fits.
//!
//! Memory never falls when an input grows, so the answer is found by search, and it is the forward model's own:
//! it fits at the answer and not one step beyond.

use crate::bounds::{self, Bounds};
use crate::evaluate::{self, Phase};
use crate::memory::Bucket;
use crate::scenario::Scenario;
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
