//! Memory against context length, both logarithmic: the KV cache is the straight line that crosses the others.

use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::{Bucket, Bytes, Checked, Phase, Verdict, bounds, evaluate, solve, worked};

use crate::words::{fill, t};

/// The shortest and the longest context drawn.
const FROM: u32 = 512;
const TO: u32 = 2 << 20;
/// Samples to an octave.
const STEPS: u32 = 4;
/// Lengths in the table.
pub const ROWS: [u32; 6] = [2_048, 8_192, 32_768, 128_000, 262_144, 1_000_000];
/// Decades that the vertical axis may need.
pub const DECADES: usize = 12;
/// The side of the square that curves are drawn in; it is stretched over the plot.
pub const SIDE: f64 = 10_000.0;

/// One length: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Tokens.
    pub seq_length: u32,
    /// The cache.
    pub kv_cache: Bytes,
    /// Everything.
    pub total: Bytes,
    /// Against the card.
    pub verdict: Option<Verdict>,
}

impl Row {
    fn of(scenario: &Checked, seq_length: u32) -> Self {
        let evaluation = evaluate(&scenario.with_seq_length(seq_length));
        Self {
            seq_length,
            kv_cache: evaluation.bytes(Bucket::KvCache),
            total: evaluation.total,
            verdict: evaluation.fit.map(|fit| fit.verdict),
        }
    }
}

/// What is drawn, sampled from the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Where the reader stands.
    pub here: Row,
    /// The table.
    pub rows: [Row; ROWS.len()],
    /// The weights, the same at every length.
    weights: Bytes,
    capacity: Bytes,
    passes_weights: Option<u32>,
    longest: u32,
    training: bool,
    unit: ByteUnit,
    /// Tokens, cache, total.
    samples: Vec<(u32, Bytes, Bytes)>,
    /// Logarithms of the lowest and the highest size in the plot.
    range: (f64, f64),
}

fn log(bytes: Bytes) -> f64 {
    libm::log10(bytes.0.max(1) as f64)
}

impl Chart {
    /// Samples the engine.
    pub fn of(scenario: &Checked, unit: ByteUnit) -> Self {
        let bucket = |bucket: Bucket, at: &Checked| worked::total(|sink| bucket.terms(at, Phase::Forward, sink));
        let mut samples = Vec::new();
        let mut octave = FROM;
        while octave < TO {
            samples.extend((0..STEPS).map(|step| octave + octave / STEPS * step));
            octave *= 2;
        }
        samples.push(TO);
        let samples: Vec<_> = samples
            .into_iter()
            .map(|seq_length| {
                let at = scenario.with_seq_length(seq_length);
                (seq_length, bucket(Bucket::KvCache, &at), evaluate::total(&at))
            })
            .collect();
        let fit = evaluate(scenario).fit;
        let weights = bucket(Bucket::Weights, scenario);
        let capacity = fit.map(|fit| fit.capacity).unwrap_or_default();
        let training = scenario.mode.trains();
        let lowest =
            samples.first().map_or(weights, |&(_, cache, total)| if training { total } else { cache }.min(weights));
        let highest = samples.last().map_or(weights, |&(.., total)| total).max(capacity);
        Self {
            here: Row::of(scenario, scenario.seq_length),
            rows: ROWS.map(|seq_length| Row::of(scenario, seq_length)),
            weights,
            capacity,
            passes_weights: solve::kv_cache_passes_weights(scenario).filter(|_| !training),
            longest: fit.map_or(0, |fit| fit.max_seq),
            training,
            unit,
            samples,
            range: (log(lowest).floor(), log(highest) + 0.15),
        }
    }

    /// How far from the left a length stands, in percent; beyond the plot at its edges.
    pub fn x(tokens: u32) -> f64 {
        let octaves = |tokens: u32| libm::log2(f64::from(tokens) / f64::from(FROM));
        let part = octaves(tokens) / octaves(TO);
        part.clamp(0.0, 1.0) * 100.0
    }

    /// How far from the top a size stands, in percent.
    pub fn y(&self, bytes: Bytes) -> f64 {
        let (low, high) = self.range;
        (1.0 - (log(bytes) - low) / (high - low)).clamp(0.0, 1.0) * 100.0
    }

    /// The named height of the drawing, in percent from the top.
    pub fn height(&self, name: &str) -> Option<f64> {
        Some(self.y(match name {
            "weights" => self.weights,
            "capacity" => self.capacity,
            "total" => self.here.total,
            // Without a cache its dot waits under that of the total.
            "kv_cache" if self.training => self.here.total,
            "kv_cache" => self.here.kv_cache,
            "total_label" => self.samples.get(self.samples.len() * 3 / 8)?.2,
            "kv_cache_label" => self.samples.get(self.samples.len() / 4)?.1,
            _ => return None,
        }))
    }

    /// Where the names of the two curves stand, in percent from the left.
    pub fn label_x(name: &str) -> f64 {
        let count = (TO / FROM).ilog2() * STEPS + 1;
        let sample = if name == "total" { count * 3 / 8 } else { count / 4 };
        f64::from(sample) / f64::from(count - 1) * 100.0
    }

    /// A curve as the points of a polyline in the square.
    pub fn points(&self, name: &str) -> Option<String> {
        let pick: fn(&(u32, Bytes, Bytes)) -> Bytes = match name {
            "kv_cache" if self.training => return Some(String::new()),
            "kv_cache" => |sample| sample.1,
            "total" => |sample| sample.2,
            _ => return None,
        };
        let point = |sample: &(u32, Bytes, Bytes)| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10,000")]
            let whole = |percent: f64| (percent * SIDE / 100.0).round() as u32;
            format!("{},{} ", whole(Self::x(sample.0)), whole(self.y(pick(sample))))
        };
        Some(self.samples.iter().map(point).collect())
    }

    /// A power of ten of the unit within the plot: its height and its size.
    pub fn decade(&self, place: usize) -> Option<(f64, Bytes)> {
        let (low, high) = self.range;
        let milli = self.unit.giga() / 1_000;
        let decades = (0..24u32).filter_map(|power| Some(Bytes(milli.checked_mul(10u128.checked_pow(power)?)?)));
        let bytes = decades.filter(|bytes| (low..=high).contains(&log(*bytes))).nth(place)?;
        Some((self.y(bytes), bytes))
    }

    /// The plot in a sentence.
    pub fn sentence(&self) -> String {
        let grouped = |n: u32| Grouped(n.into()).to_string();
        let limit = grouped(bounds::SEQ_LENGTH.max);
        let weights = match self.passes_weights {
            _ if self.training => t("context.sentence.training").to_owned(),
            Some(tokens) => fill("context.sentence.weights", &[("n", &grouped(tokens))]),
            None => fill("context.sentence.never.weights", &[("n", &limit)]),
        };
        let card = match self.longest {
            0 => t("context.sentence.nowhere").to_owned(),
            tokens if tokens < bounds::SEQ_LENGTH.max => fill("context.sentence.card", &[("n", &grouped(tokens + 1))]),
            _ => fill("context.sentence.never.card", &[("n", &limit)]),
        };
        format!("{weights}; {card}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;
    use memory_wall_core::Mode;

    fn of(state: &State) -> Chart {
        Chart::of(&state.scenario(), state.unit)
    }

    #[test]
    fn the_sentence_says_where_the_lines_cross() {
        let chart = of(&State::default());
        assert_eq!(
            chart.sentence(),
            "The KV cache passes the weights at 25,706 tokens; the total passes the card at 134,229 tokens."
        );
        let training = of(&State { mode: Mode::Training, ..State::default() });
        assert_eq!(training.sentence(), "Training keeps no KV cache; the card is too small at any length.");
    }

    #[test]
    fn everything_drawn_lies_within_the_plot() {
        for (mode, batch, seq_length) in
            [(Mode::Inference, 1, 1), (Mode::Inference, 1_000_000, 10_000_000), (Mode::Training, 1_000_000, 1)]
        {
            let chart = of(&State { mode, batch, seq_length, ..State::default() });
            for name in ["weights", "capacity", "total", "kv_cache", "total_label", "kv_cache_label"] {
                assert!(chart.height(name).is_some_and(|y| (0.0..=100.0).contains(&y)), "{name}");
            }
            assert!(chart.decade(0).is_some() && chart.decade(DECADES).is_none());
            assert!(chart.points("total").is_some_and(|points| points.split(' ').count() > 40));
        }
    }

    #[test]
    fn the_cache_is_a_straight_line_and_twice_the_tokens_are_one_octave_on() {
        let chart = of(&State::default());
        let steps: Vec<f64> =
            [1_024, 2_048, 4_096, 8_192].map(Chart::x).windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-9));
        let heights: Vec<f64> = chart.samples.iter().step_by(4).map(|sample| chart.y(sample.1)).collect();
        assert!(heights.windows(3).all(|h| ((h[0] - h[1]) - (h[1] - h[2])).abs() < 1e-9));
    }
}
