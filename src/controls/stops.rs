//! The values a slider stops at: powers of two and even steps between them, so that one step is always a round number.

use memory_wall_core::bounds::Bounds;

/// An ascending list of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stops(Vec<u32>);

impl Stops {
    /// From `from` to `to` with `per_octave` even steps between two powers of two, and `also` in their places.
    pub fn new(from: u32, to: u32, per_octave: u32, also: &[u32]) -> Self {
        let mut stops = Self(Vec::new());
        for value in also {
            stops.put(*value, from, to);
        }
        let mut power = 1u32;
        while power <= to {
            for part in 0..per_octave {
                // Below `per_octave` the steps would be fractions; the whole ones among them remain.
                if (power * part).is_multiple_of(per_octave) {
                    stops.put(power.saturating_add(power * part / per_octave), from, to);
                }
            }
            let Some(next) = power.checked_mul(2) else { break };
            power = next;
        }
        stops
    }

    /// Puts a value into its place, once.
    fn put(&mut self, value: u32, from: u32, to: u32) {
        let place = self.0.partition_point(|stop| *stop < value);
        if (from..=to).contains(&value) && self.0.get(place) != Some(&value) {
            self.0.insert(place, value);
        }
    }

    /// The place of the last stop.
    pub fn last(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The value at a place, the last one beyond the end.
    pub fn at(&self, place: usize) -> u32 {
        self.0.get(place).or(self.0.last()).copied().unwrap_or(1)
    }

    /// The place of the stop nearest to a value, by ratio.
    pub fn place(&self, value: u32) -> usize {
        let above = self.0.partition_point(|stop| *stop < value);
        let (Some(low), Some(high)) = (above.checked_sub(1).and_then(|place| self.0.get(place)), self.0.get(above))
        else {
            return above.min(self.last());
        };
        let square = |n: u32| u64::from(n) * u64::from(n);
        if u64::from(*low) * u64::from(*high) > square(value) { above - 1 } else { above }
    }

    /// The stop after a value, or the value at the end.
    pub fn above(&self, value: u32) -> u32 {
        self.0.iter().copied().find(|stop| *stop > value).unwrap_or(value)
    }

    /// The stop before a value, or the value at the start.
    pub fn below(&self, value: u32) -> u32 {
        self.0.iter().rev().copied().find(|stop| *stop < value).unwrap_or(value)
    }

    /// The stops for a batch.
    pub fn batch() -> Self {
        Self::new(1, 4_096, 4, &[])
    }

    /// The stops for a sequence length. 128,000 tokens, to which the exercise goes, lie between two of them.
    pub fn seq_length() -> Self {
        Self::new(128, 2 << 20, 8, &[128_000])
    }

    /// Whether a value lies within the stops (a typed one may not).
    pub fn spans(&self, bounds: Bounds) -> bool {
        self.0.iter().all(|stop| bounds.check((*stop).into()).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::bounds;

    #[test]
    fn the_exercise_can_be_done_with_the_slider_alone() {
        let stops = Stops::seq_length();
        for value in [2_048, 8_192, 32_768, 128_000, 131_072, 1 << 20] {
            assert_eq!(stops.at(stops.place(value)), value);
        }
        assert!(stops.spans(bounds::SEQ_LENGTH) && Stops::batch().spans(bounds::BATCH));
    }

    #[test]
    fn steps_are_round_and_rise() {
        let stops = Stops::batch();
        assert_eq!((0..12).map(|place| stops.at(place)).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16]);
        assert_eq!((stops.above(7), stops.below(10), stops.below(1), stops.above(4_096)), (8, 8, 1, 4_096));
        assert_eq!(stops.above(9), 10, "from a typed value between two stops");
    }

    #[test]
    fn the_nearest_stop_is_nearest_by_ratio() {
        let stops = Stops::new(1, 64, 1, &[]);
        assert_eq!((stops.place(5), stops.place(6), stops.place(64), stops.place(9_999)), (2, 3, 6, 6));
    }
}
