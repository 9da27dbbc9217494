//! The longest sequences and the largest batch that still fit.
//!
//! Memory never falls when an input grows, so the answer is found by search, and it is the forward model's own:
//! it fits at the answer and not one step beyond.

use super::fit::gives_way;
use super::peak::Totals;
use crate::bounds::{self, Bounds};
use crate::checked::Checked;
use crate::units::Bytes;

/// The longest `seq_length` at which the scenario needs no more than `capacity`, less what gives way there ([`gives_way`]), of those that its training code accepts
/// ([`crate::Scenario::seq_multiple`]); 0 if none.
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
    let need = needs(scenario);
    let longest =
        largest(bounds::SEQ_LENGTH, scenario.seq_length, capacity, |seq_length| need(scenario.batch, seq_length));
    longest - longest % scenario.seq_multiple()
}

/// The largest batch at which the scenario needs no more than `capacity`, less what gives way there; 0 if none.
pub fn max_batch(scenario: &Checked, capacity: Bytes) -> u32 {
    let need = needs(scenario);
    largest(bounds::BATCH, scenario.batch, capacity, |batch| need(batch, scenario.seq_length))
}

/// What a batch and a length need at the least: what gives way depends on both, as llama.cpp's compute buffer does.
fn needs(scenario: &Checked) -> impl Fn(u32, u32) -> Bytes {
    let (totals, scenario) = (Totals::of(scenario), *scenario);
    move |batch, seq_length| {
        totals.at(batch, seq_length) - gives_way(&scenario.with_batch(batch).with_seq_length(seq_length))
    }
}

/// The largest value in range whose `need` is at most `capacity`; 0 if there is none. `need` never falls.
///
/// Most needs are close to a parabola, so the root of one through three known points is close;
/// where it did not halve the interval in two steps, the third does, which bounds the search whatever the curve.
pub(crate) fn largest(bounds: Bounds, start: u32, capacity: Bytes, need: impl Fn(u32) -> Bytes) -> u32 {
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
