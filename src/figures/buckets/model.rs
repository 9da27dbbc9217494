//! What the figure shows: the engine's answer to the reader's settings. Each piece is written when it is asked for.

use memory_wall_core::assumptions::{Assumptions, Unserved};
use memory_wall_core::display::{Count, Grouped, Percent};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Bucket, Bytes, Fit, Mode, bounds, solve};

use crate::charts::wall::Segment;
use crate::figures::{Answer, Nth, bindings, round};
use crate::live::Snapshot;
use crate::terms::Terms;
use crate::words;

/// Marks of the axis, as many as a scale may need.
pub(super) const TICKS: usize = 8;

/// The settings and what the engine says to them.
pub struct Model(Snapshot);

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.0.state == other.0.state && self.0.evaluation == other.0.evaluation
    }
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// What a bucket takes.
        Size(Bucket),
        /// The same as a number of bytes.
        Bytes(Bucket),
        /// The same in words, to the byte.
        Exact(Bucket),
        /// Its share of the whole.
        Share(Bucket),
        /// What is in it.
        About(Bucket),
        /// Whether there is nothing in it.
        Empty(Bucket),
        /// The formula of its largest term.
        First(Bucket),
        /// How many terms it has.
        Terms(Bucket),
        /// The formulas of all of them.
        List(Bucket),
        /// Whether the first is all.
        Short(Bucket),
        /// The upper edge of its segment in the wall.
        Top(Bucket),
        /// How high the segment is.
        Height(Bucket),
        /// Where its middle is.
        Middle(Bucket),
        /// Where its label is.
        Label(Bucket),
        /// The line of what the GPU has.
        Line,
        /// What stands at that line.
        LineLabel,
        /// Whether the wall rises above it.
        Over,
        /// Where a mark of the axis is. One that is not needed waits under the one at the bottom.
        TickAt(Nth<TICKS>),
        /// What it stands for.
        TickLabel(Nth<TICKS>),
        /// The sum.
        Total,
        /// The same as a number of bytes.
        TotalBytes,
        /// The same in words, to the byte.
        TotalExact,
        /// What stays from step to step in training: weights, gradients, optimizer.
        States,
        /// What the GPU has.
        Capacity,
        /// What is left of that, or missing.
        Margin,
        /// The same in a sentence.
        MarginSentence,
        /// The moment of the peak.
        Phase,
        /// The picture in words.
        Summary,
        /// The longest sequence that fits, as a number.
        MaxSeq,
        /// The most sequences that fit, as a number.
        MaxBatch,
        /// The longest context in words.
        AnswerContext,
        /// What is to be said of it.
        AnswerContextNote,
        /// The most sequences in words.
        AnswerBatch,
        /// What a token adds to the cache.
        KvBytesPerToken,
        /// The sequence length at which the cache outgrows the weights.
        KvPassesWeights,
        /// What the cache costs with these settings.
        KvSentence,
        /// The model's parameters.
        Parameters,
        /// The sequence length that was chosen.
        SeqLength,
        /// The batch that was chosen.
        Batch,
        /// The model's query heads.
        Heads,
        /// Its heads of keys and values.
        KvHeads,
        /// What the estimate assumes, one by one.
        Assumption(Nth<{ Assumptions::CAPACITY }>),
        /// Where the model's row comes from.
        SourceModel,
        /// Where the GPU's row comes from.
        SourceGpu,
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "buckets";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        Self(Snapshot::with(snapshot.state, snapshot.evaluation))
    }

    fn answer(&self, binding: Binding) -> Answer {
        let Snapshot { state, evaluation, .. } = &self.0;
        let shape = &state.shape;
        let bytes = |bucket: Bucket| evaluation.bytes(bucket);
        let terms = |bucket: Bucket| Terms::of(bucket, &self.0);
        let count = |n: u32| Answer::Count(n.into());
        match binding {
            Binding::Size(bucket) => Answer::Size(bytes(bucket)),
            Binding::Bytes(bucket) => Answer::Text(bytes(bucket).0.to_string()),
            Binding::Exact(bucket) => Answer::Text(exact(bytes(bucket))),
            Binding::Share(bucket) => Answer::Text(Percent(bytes(bucket).share_of(evaluation.total)).to_string()),
            Binding::About(bucket) => Answer::Text(about(bucket, state.mode).into()),
            Binding::Empty(bucket) => Answer::Flag(bytes(bucket) == Bytes::ZERO),
            Binding::First(bucket) => Answer::Html(terms(bucket).first()),
            Binding::Terms(bucket) => Answer::Text(terms(bucket).count()),
            Binding::List(bucket) => Answer::Html(terms(bucket).list()),
            Binding::Short(bucket) => Answer::Flag(terms(bucket).is_short()),
            Binding::Top(bucket) => self.segment(bucket, |segment| segment.top),
            Binding::Height(bucket) => self.segment(bucket, |segment| segment.height),
            Binding::Middle(bucket) => self.segment(bucket, |segment| segment.top + segment.height / 2.0),
            Binding::Label(bucket) => self.segment(bucket, |segment| segment.label),
            Binding::Line => Answer::Percent(self.0.wall().line),
            Binding::LineLabel => Answer::Text(words::WallLine { capacity: &self.0.size(state.gpu.capacity) }.text()),
            Binding::Over => Answer::Flag(self.0.wall().over),
            Binding::TickAt(Nth(tick)) => Answer::Percent(self.0.wall().ticks.get(tick).map_or(100.0, |(at, _)| *at)),
            Binding::TickLabel(Nth(tick)) => {
                let label = self.0.wall().ticks.get(tick).map(|(_, bytes)| round(&self.0.size(*bytes)));
                Answer::Text(label.unwrap_or_default())
            }
            Binding::Total => Answer::Size(evaluation.total),
            Binding::TotalBytes => Answer::Text(evaluation.total.0.to_string()),
            Binding::TotalExact => Answer::Text(exact(evaluation.total)),
            Binding::States => {
                Answer::Size([Bucket::Weights, Bucket::Gradients, Bucket::Optimizer].map(bytes).into_iter().sum())
            }
            Binding::Capacity => Answer::Size(state.gpu.capacity),
            Binding::Margin => Answer::size(evaluation.fit.map(|fit| fit.margin.magnitude())),
            Binding::MarginSentence => self.of_fit(|fit| self.0.margin_sentence(fit)),
            Binding::Phase => Answer::Text(words::phase(evaluation.peak_phase).into()),
            Binding::Summary => Answer::Text(self.0.summary()),
            Binding::MaxSeq => self.of_fit(|fit| at_most(fit.max_seq, bounds::SEQ_LENGTH)),
            Binding::MaxBatch => self.of_fit(|fit| at_most(fit.max_batch, bounds::BATCH)),
            Binding::AnswerContext => self.of_fit(|fit| {
                largest(
                    fit.max_seq,
                    bounds::SEQ_LENGTH,
                    |n| words::AnswerContextValue { n }.text(),
                    words::answer_context_none(),
                )
            }),
            Binding::AnswerContextNote => self.of_fit(|fit| match shape.trained_context {
                Some(trained) if fit.max_seq > trained => words::AnswerContextBeyond { n: &grouped(trained) }.text(),
                None if state.is_changed() => words::answer_context_edited().into(),
                _ => String::new(),
            }),
            Binding::AnswerBatch => self.of_fit(|fit| {
                largest(
                    fit.max_batch,
                    bounds::BATCH,
                    |n| words::AnswerBatchValue { n }.text(),
                    words::answer_batch_none(),
                )
            }),
            Binding::KvBytesPerToken => Answer::Size(evaluation.kv_bytes_per_token),
            Binding::KvPassesWeights => {
                let passes = solve::kv_cache_passes_weights(&state.scenario());
                Answer::Text(passes.map_or_else(|| words::answer_none().into(), grouped))
            }
            Binding::KvSentence => Answer::Text(self.0.kv_sentence()),
            Binding::Parameters => Answer::Text(Count(evaluation.parameters.total()).to_string()),
            Binding::SeqLength => count(state.seq_length),
            Binding::Batch => count(state.batch),
            Binding::Heads => count(shape.heads),
            Binding::KvHeads => count(shape.kv_heads),
            Binding::Assumption(Nth(nth)) => {
                let assumption = evaluation.assumptions.iter().nth(nth);
                Answer::Text(assumption.map(|assumption| Unserved(assumption).to_string()).unwrap_or_default())
            }
            Binding::SourceModel => {
                Answer::Text(words::AssumptionsSourceModel { source: state.model.source, date: models::CHECKED }.text())
            }
            Binding::SourceGpu => Answer::Text(
                words::AssumptionsSourceGpu { capacity: &self.0.size(state.gpu.capacity), date: gpus::CHECKED }.text(),
            ),
        }
    }
}

impl Model {
    /// Something that the engine says of the scenario against its GPU, in words.
    fn of_fit(&self, say: impl FnOnce(&Fit) -> String) -> Answer {
        Answer::Text(self.0.evaluation.fit.as_ref().map(say).unwrap_or_default())
    }

    fn segment(&self, bucket: Bucket, of: fn(&Segment) -> f64) -> Answer {
        let segment = self.0.wall().segments.iter().find(|segment| segment.bucket == bucket);
        Answer::Percent(segment.map_or(0.0, of))
    }
}

/// What a part of the memory holds; of some it depends on the mode.
fn about(bucket: Bucket, mode: Mode) -> &'static str {
    match (bucket, mode) {
        (Bucket::Weights, _) => words::about_weights(),
        (Bucket::KvCache, _) => words::about_kv_cache(),
        (Bucket::Activations, Mode::Inference) => words::about_activations_inference(),
        (Bucket::Activations, Mode::Training) => words::about_activations_training(),
        (Bucket::Activations, Mode::Lora) => words::about_activations_lora(),
        (Bucket::Activations, Mode::Qlora) => words::about_activations_qlora(),
        (Bucket::Gradients, _) => words::about_gradients(),
        (Bucket::Optimizer, _) => words::about_optimizer(),
        (Bucket::Logits, Mode::Inference) => words::about_logits_inference(),
        (Bucket::Logits, Mode::Training) => words::about_logits_training(),
        (Bucket::Logits, Mode::Lora) => words::about_logits_lora(),
        (Bucket::Logits, Mode::Qlora) => words::about_logits_qlora(),
        (Bucket::Overhead, _) => words::about_overhead(),
    }
}

fn grouped(n: u32) -> String {
    Grouped(n.into()).to_string()
}

/// The count behind a rounded size.
fn exact(bytes: Bytes) -> String {
    words::TableExact { n: &Grouped(bytes.0).to_string() }.text()
}

/// A number, with "or more" at the end of the range.
fn at_most(n: u32, bounds: bounds::Bounds) -> String {
    if n == bounds.max { words::AnswerAtLeast { n: &grouped(n) }.text() } else { grouped(n) }
}

/// "135,231 tokens", "not even one token", or "10,000,000 tokens or more" at the end of the range.
fn largest(value: u32, bounds: bounds::Bounds, some: fn(&str) -> String, none: &'static str) -> String {
    if value == 0 {
        return none.into();
    }
    let text = some(&grouped(value));
    if value == bounds.max { words::AnswerAtLeast { n: &text }.text() } else { text }
}
