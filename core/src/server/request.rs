//! Requests: when they come, how long they are, and what has become of them.

use super::{Load, MINUTE};

choices! {
    /// Where a request is.
    Stage {
        /// It has not been served yet.
        Waiting = "waiting";
        /// Its prompt is read; after a preemption its tokens are computed again.
        Prefill = "prefill";
        /// It writes a token a step.
        Decode = "decode";
        /// It lost its pages and waits to come back.
        Preempted = "preempted";
        /// Its answer is complete.
        Done = "done";
    }
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// When it arrives, in nanoseconds.
    pub arrival: u64,
    /// Tokens of its prompt.
    pub prompt: u32,
    /// Tokens of its answer.
    pub answer: u32,
    /// Where it is.
    pub stage: Stage,
    /// Tokens whose keys and values are in its pages.
    pub computed: u32,
    /// Tokens that it has written.
    pub written: u32,
    /// Pages that only it uses.
    pub pages: u32,
    /// Whether it uses the pages of the common beginning.
    pub shares: bool,
    /// How often it was preempted.
    pub preemptions: u32,
    /// When its first token was written; 0 before that.
    pub first: u64,
    /// When its latest token was written; 0 before that.
    pub last: u64,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            arrival: 0,
            prompt: 1,
            answer: 1,
            stage: Stage::Waiting,
            computed: 0,
            written: 0,
            pages: 0,
            shares: false,
            preemptions: 0,
            first: 0,
            last: 0,
        }
    }
}

impl Request {
    /// Tokens of its prompt and what it has written.
    pub const fn tokens(&self) -> u32 {
        self.prompt.saturating_add(self.written)
    }

    /// Time to the first token (TTFT), if there is one.
    pub fn ttft(&self) -> Option<u64> {
        (self.first > 0).then(|| self.first.saturating_sub(self.arrival))
    }

    /// Time for each further token (TPOT), once the answer is complete and has a second token.
    pub fn tpot(&self) -> Option<u64> {
        let further = u64::from(self.written.saturating_sub(1));
        (self.stage == Stage::Done).then_some(())?;
        self.last.saturating_sub(self.first).checked_div(further)
    }
}

/// The longest that a length of `mean` tokens becomes.
pub(super) const fn most(mean: u32) -> u32 {
    mean.saturating_add(mean / 2)
}

/// Numbers that look random, the same every time.
///
/// # Source
/// Steele, Lea and Flood 2014 (`SplitMix64`).
struct Seed(u64);

impl Seed {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Above 0 and at most 1.
    fn unit(&mut self) -> f64 {
        const STEPS: f64 = (1u64 << 53) as f64;
        ((self.next() >> 11) + 1) as f64 / STEPS
    }

    /// From half of `mean` to one and a half of it, each as likely; at least 1.
    fn around(&mut self, mean: u32) -> u32 {
        let least = mean - mean / 2;
        let span = u64::from(most(mean).saturating_sub(least)) + 1;
        let more = u32::try_from(self.next() % span).unwrap_or_default();
        least.saturating_add(more).max(1)
    }
}

/// The gap that a share of all gaps exceeds, in mean gaps: −ln(`share`). A walk, since the core has no logarithm.
fn gap(share: f64) -> f64 {
    const TERMS: u32 = 12;
    let (mut rest, mut halvings) = (share, 0u32);
    while rest < 1.0 && halvings < 64 {
        rest *= 2.0;
        halvings += 1;
    }
    // ln(rest) = 2 artanh(z), for a rest from 1 to 2.
    let z = (rest - 1.0) / (rest + 1.0);
    let sum = (0..TERMS).rev().fold(0.0, |sum, term| sum * z * z + 1.0 / f64::from(2 * term + 1));
    f64::from(halvings) * core::f64::consts::LN_2 - 2.0 * z * sum
}

/// Puts the requests of a minute into `place`, and says how many there are; `None` where they do not fit.
/// The gaps between them and their lengths are those of a fixed seed: more arrivals are the same requests, closer together.
pub(super) fn arrive(load: &Load, place: &mut [Request]) -> Option<usize> {
    let mut seed = Seed(2_026);
    let mean = MINUTE as f64 / f64::from(load.arrivals.max(1));
    let common = load.common();
    let mut now = 0.0;
    let mut count = 0;
    loop {
        now += gap(seed.unit()) * mean;
        if now >= MINUTE as f64 {
            return Some(count);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within a minute")]
        let arrival = now as u64;
        let prompt = common.saturating_add(seed.around(load.prompt.saturating_sub(common)));
        let answer = seed.around(load.answer);
        *place.get_mut(count)? = Request { arrival, prompt, answer, ..Request::default() };
        count += 1;
    }
}

/// The value that `percent` of the values do not exceed; `None` where there are none.
///
/// ```
/// use memory_wall_core::server::percentile;
/// let values = [40, 10, 30, 20];
/// assert_eq!(percentile(&values.iter().copied(), 50), Some(20));
/// assert_eq!(percentile(&values.iter().copied(), 95), Some(40));
/// ```
pub fn percentile(values: &(impl Iterator<Item = u64> + Clone), percent: u64) -> Option<u64> {
    let count = values.clone().count() as u64;
    let rank = (count * percent).div_ceil(100).max(1);
    let (mut low, mut high) = (values.clone().min()?, values.clone().max()?);
    while low < high {
        let middle = low + (high - low) / 2;
        if values.clone().filter(|value| *value <= middle).count() as u64 >= rank {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    #[test]
    fn gaps_are_those_of_a_logarithm() {
        use core::f64::consts::{LN_2, LN_10};
        for (share, expected) in [(1.0, 0.0), (0.5, LN_2), (0.1, LN_10), (1e-9, 9.0 * LN_10)] {
            assert!((gap(share) - expected).abs() < 1e-11, "{share}: {}", gap(share));
        }
    }

    #[test]
    fn as_many_arrive_as_are_asked_for_and_all_find_room() {
        for arrivals in 1..=1_200 {
            let load = Load { arrivals, prompt: 100, answer: 10, prefix: 0 };
            let mut place = std::vec![Request::default(); 1_564];
            let count = arrive(&load, &mut place[..arrivals as usize * 5 / 4 + 64]).unwrap();
            // Four standard deviations.
            let off = count as f64 - f64::from(arrivals);
            assert!(off * off <= 16.0 * f64::from(arrivals), "{arrivals}: {count}");
        }
    }
}
