//! What the figure shows: memory against context length, both logarithmic. The KV cache is the straight line that crosses the others.

use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::{Bucket, Bytes, Checked, Phase, Verdict, bounds, evaluate, solve, worked};

use crate::figures::{Answer, Nth, bindings, dash, pick, round};
use crate::live::Snapshot;
use crate::words;

/// The shortest and the longest context drawn.
const FROM: u32 = 512;
const TO: u32 = 2 << 20;
/// Samples to an octave.
const STEPS: u32 = 4;
/// How many there are.
const COUNT: u32 = (TO / FROM).ilog2() * STEPS + 1;
/// The samples at which the names of the two curves stand.
const TOTAL_LABEL: u32 = COUNT * 3 / 8;
const KV_CACHE_LABEL: u32 = COUNT / 4;
/// Lengths in the table.
pub(super) const ROWS: [u32; 6] = [2_048, 8_192, 32_768, 128_000, 262_144, 1_000_000];
/// Decades that the vertical axis may need.
pub(super) const DECADES: usize = 12;
/// The side of the square that curves are drawn in; it is stretched over the plot.
const SIDE: f64 = 10_000.0;

/// A row of the table, and a decade of the vertical axis.
pub(super) type Row = Nth<{ ROWS.len() }>;
pub(super) type Decade = Nth<DECADES>;

/// What the engine says to one length.
#[derive(Clone, Copy, Default, PartialEq)]
struct Length {
    kv_cache: Bytes,
    total: Bytes,
    verdict: Option<Verdict>,
}

impl Length {
    fn of(scenario: &Checked, seq_length: u32) -> Self {
        let evaluation = evaluate(&scenario.with_seq_length(seq_length));
        Self {
            kv_cache: evaluation.bytes(Bucket::KvCache),
            total: evaluation.total,
            verdict: evaluation.fit.map(|fit| fit.verdict),
        }
    }
}

/// A point of the curves.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Sample {
    tokens: u32,
    pub(super) kv_cache: Bytes,
    pub(super) total: Bytes,
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    seq_length: u32,
    here: Length,
    rows: [Length; ROWS.len()],
    /// The weights, the same at every length.
    weights: Bytes,
    capacity: Bytes,
    /// The length at which the cache passes the weights, and the longest that fits.
    passes_weights: Option<u32>,
    longest: u32,
    training: bool,
    pub(super) samples: Vec<Sample>,
    /// Logarithms of the lowest and the highest size in the plot.
    range: (f64, f64),
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// The plot in a sentence.
        Sentence,
        /// What is written at the line of the GPU.
        CapacityLabel,
        /// How far from the left the reader's length stands.
        Here,
        /// Whether there is no cache.
        NoCache,
        /// How far from the top the weights stand.
        WeightsAt,
        /// How far the GPU's line.
        CapacityAt,
        /// How far the total, at the reader's length.
        TotalAt,
        /// How far the cache, there.
        KvCacheAt,
        /// How far the name of the curve of totals.
        TotalLabelAt,
        /// How far the name of the curve of the cache.
        KvCacheLabelAt,
        /// The curve of totals as the points of a polyline.
        TotalPoints,
        /// The curve of the cache.
        KvCachePoints,
        /// How far from the top a decade of the vertical axis stands.
        DecadeAt(Decade),
        /// What is written at it.
        DecadeLabel(Decade),
        /// The cache in a row of the table.
        KvCache(Row),
        /// The total there.
        Total(Row),
        /// The verdict there, as the style sheet knows it.
        Verdict(Row),
        /// The verdict in a word.
        Fits(Row),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "context";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let scenario = snapshot.state.scenario();
        let bucket = |bucket: Bucket, at: &Checked| worked::total(|sink| bucket.terms(at, Phase::Forward, sink));
        let samples: Vec<_> = lengths()
            .into_iter()
            .map(|tokens| {
                let at = scenario.with_seq_length(tokens);
                Sample { tokens, kv_cache: bucket(Bucket::KvCache, &at), total: evaluate::total(&at) }
            })
            .collect();
        let fit = snapshot.evaluation.fit;
        let weights = bucket(Bucket::Weights, &scenario);
        let capacity = fit.map(|fit| fit.capacity).unwrap_or_default();
        let training = scenario.mode.trains();
        let lowest =
            samples.first().map_or(weights, |first| if training { first.total } else { first.kv_cache }.min(weights));
        let highest = samples.last().map_or(weights, |last| last.total).max(capacity);
        Self {
            unit: snapshot.state.unit,
            seq_length: scenario.seq_length,
            here: Length::of(&scenario, scenario.seq_length),
            rows: ROWS.map(|seq_length| Length::of(&scenario, seq_length)),
            weights,
            capacity,
            passes_weights: solve::kv_cache_passes_weights(&scenario).filter(|_| !training),
            longest: fit.map_or(0, |fit| fit.max_seq),
            training,
            samples,
            range: (log(lowest).floor(), log(highest) + 0.15),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let at = |bytes| Answer::Percent(self.y(bytes));
        let row = |row: Row| pick(&self.rows, row.0);
        match binding {
            Binding::Sentence => Answer::Text(self.sentence()),
            Binding::CapacityLabel => {
                Answer::Text(words::WallLine { capacity: &Size::new(self.capacity, self.unit).to_string() }.text())
            }
            Binding::Here => Answer::Percent(x(self.seq_length)),
            Binding::NoCache => Answer::Flag(self.here.kv_cache == Bytes::ZERO),
            Binding::WeightsAt => at(self.weights),
            Binding::CapacityAt => at(self.capacity),
            Binding::TotalAt => at(self.here.total),
            // Without a cache its dot waits under that of the total.
            Binding::KvCacheAt => at(if self.training { self.here.total } else { self.here.kv_cache }),
            Binding::TotalLabelAt => at(self.sample(TOTAL_LABEL).total),
            Binding::KvCacheLabelAt => at(self.sample(KV_CACHE_LABEL).kv_cache),
            Binding::TotalPoints => Answer::Text(self.points(|sample| sample.total)),
            Binding::KvCachePoints if self.training => Answer::Text(String::new()),
            Binding::KvCachePoints => Answer::Text(self.points(|sample| sample.kv_cache)),
            // A decade that is not needed waits on the axis.
            Binding::DecadeAt(decade) => Answer::Percent(self.decade(decade).map_or(100.0, |bytes| self.y(bytes))),
            Binding::DecadeLabel(decade) => {
                let label = self.decade(decade).map(|bytes| round(&Size::new(bytes, self.unit).to_string()));
                Answer::Text(label.unwrap_or_default())
            }
            Binding::KvCache(own) => Answer::Text(match row(own).kv_cache {
                Bytes::ZERO => dash().into(),
                bytes => Size::new(bytes, self.unit).to_string(),
            }),
            Binding::Total(own) => Answer::Size(row(own).total),
            Binding::Verdict(own) => Answer::Text(row(own).verdict.map_or("", Verdict::id).into()),
            Binding::Fits(own) => Answer::Text(match row(own).verdict {
                Some(Verdict::Fits) => words::context_table_yes().into(),
                Some(Verdict::Tight) => words::context_table_tight().into(),
                Some(Verdict::Queues | Verdict::DoesNotFit) => words::context_table_no().into(),
                None => dash().into(),
            }),
        }
    }
}

impl Model {
    fn sample(&self, place: u32) -> Sample {
        let nothing = Sample { tokens: FROM, kv_cache: Bytes::ZERO, total: Bytes::ZERO };
        self.samples.get(place as usize).copied().unwrap_or(nothing)
    }

    /// How far from the top a size stands, in percent.
    pub(super) fn y(&self, bytes: Bytes) -> f64 {
        let (low, high) = self.range;
        (1.0 - (log(bytes) - low) / (high - low)).clamp(0.0, 1.0) * 100.0
    }

    /// A curve as the points of a polyline in the square.
    fn points(&self, of: fn(&Sample) -> Bytes) -> String {
        let point = |sample: &Sample| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10,000")]
            let whole = |percent: f64| (percent * SIDE / 100.0).round() as u32;
            format!("{},{} ", whole(x(sample.tokens)), whole(self.y(of(sample))))
        };
        self.samples.iter().map(point).collect()
    }

    /// A power of ten of the unit within the plot.
    pub(super) fn decade(&self, decade: Decade) -> Option<Bytes> {
        let (low, high) = self.range;
        let milli = self.unit.giga() / 1_000;
        let decades = (0..24u32).filter_map(|power| Some(Bytes(milli.checked_mul(10u128.checked_pow(power)?)?)));
        decades.filter(|bytes| (low..=high).contains(&log(*bytes))).nth(decade.0)
    }

    /// The plot in a sentence.
    fn sentence(&self) -> String {
        let grouped = |n: u32| Grouped(n.into()).to_string();
        let limit = grouped(bounds::SEQ_LENGTH.max);
        let weights = match self.passes_weights {
            _ if self.training => words::context_sentence_training().to_owned(),
            Some(tokens) => words::ContextSentenceWeights { n: &grouped(tokens) }.text(),
            None => words::ContextSentenceNeverWeights { n: &limit }.text(),
        };
        let gpu = match self.longest {
            0 => words::context_sentence_nowhere().to_owned(),
            tokens if tokens < bounds::SEQ_LENGTH.max => words::ContextSentenceGpu { n: &grouped(tokens + 1) }.text(),
            _ => words::ContextSentenceNeverGpu { n: &limit }.text(),
        };
        format!("{weights}; {gpu}.")
    }
}

/// The lengths that are sampled.
fn lengths() -> Vec<u32> {
    let mut lengths = Vec::new();
    let mut octave = FROM;
    while octave < TO {
        lengths.extend((0..STEPS).map(|step| octave + octave / STEPS * step));
        octave *= 2;
    }
    lengths.push(TO);
    lengths
}

fn log(bytes: Bytes) -> f64 {
    libm::log10(bytes.0.max(1) as f64)
}

/// How far from the left a length stands, in percent; beyond the plot at its edges.
pub(super) fn x(tokens: u32) -> f64 {
    let powers = |tokens: u32| libm::log10(f64::from(tokens) / f64::from(FROM));
    let part = powers(tokens) / powers(TO);
    part.clamp(0.0, 1.0) * 100.0
}

/// Where the names of the curves of totals and of the cache stand, in percent from the left.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn label_x() -> [f64; 2] {
    [TOTAL_LABEL, KV_CACHE_LABEL].map(|sample| f64::from(sample) / f64::from(COUNT - 1) * 100.0)
}
