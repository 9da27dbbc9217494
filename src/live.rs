//! The settings with what the engine says to them, and that in words.
//!
//! What on the page follows it are the bindings of figures' models ([`crate::figures`]), which are made of a [`Snapshot`].

use std::cell::OnceCell;
use std::sync::Arc;

use memory_wall_core::display::{Grouped, Percent, Size};
use memory_wall_core::{Bucket, Bytes, Evaluation, Fit, Mode, Verdict, evaluate};

use crate::charts::roofline::{Look, Plot};
use crate::charts::wall::{self, Layout};
use crate::predictions::Predictions;
use crate::state::{State, dimensions};
use crate::words;

/// A state and what the engine says to it.
pub struct Snapshot {
    /// What the reader has chosen.
    pub state: State,
    /// What the engine says.
    pub evaluation: Evaluation,
    /// What the reader has predicted.
    pub predictions: Predictions,
    wall: OnceCell<Layout>,
    roofline: OnceCell<Arc<Plot>>,
}

fn grouped(n: u32) -> String {
    Grouped(n.into()).to_string()
}

impl Snapshot {
    /// Asks the engine.
    pub fn of(state: State) -> Self {
        Self::with(state, evaluate(&state.scenario()))
    }

    /// A state whose evaluation is known already.
    pub fn with(state: State, evaluation: Evaluation) -> Self {
        let predictions = Predictions::default();
        let (wall, roofline) = (OnceCell::new(), OnceCell::new());
        Self { state, evaluation, predictions, wall, roofline }
    }

    /// The same with a roofline that was computed already.
    #[must_use]
    pub fn drawn(self, roofline: Arc<Plot>) -> Self {
        Self { roofline: roofline.into(), ..self }
    }

    /// The roofline; on a page without a reader no point is chosen and nothing was before.
    pub fn roofline(&self) -> &Arc<Plot> {
        self.roofline.get_or_init(|| Arc::new(Plot::of(&self.state, &Look::default())))
    }

    /// A size in the reader's unit.
    pub fn size(&self, bytes: Bytes) -> String {
        Size::new(bytes, self.state.unit).to_string()
    }

    /// The wall, laid out.
    pub(crate) fn wall(&self) -> &Layout {
        self.wall.get_or_init(|| wall::layout(&self.evaluation, self.state.gpu.capacity, self.state.unit))
    }

    /// What is computed and for which GPU, in one line.
    pub fn rig_line(&self) -> String {
        let state = &self.state;
        let [batch, seq] = [state.batch, state.seq_length].map(grouped);
        let model = state.model_name();
        let weights = state.weights_in_use().label();
        words::RigLine { model: model.as_str(), weights, batch: &batch, seq: &seq, gpu: state.gpu.name }.text()
    }

    /// The verdict in words; there is none while the reader's dimensions do not go together.
    pub fn verdict(&self, fit: &Fit) -> &'static str {
        if self.state.draft.is_some() { words::verdict_waits() } else { words::verdict(fit.verdict) }
    }

    /// The margin in words, "with 69.9 GB to spare", or why there is no verdict.
    pub(crate) fn margin_sentence(&self, fit: &Fit) -> String {
        if let Some(disagreement) = dimensions::disagreement(&self.state) {
            return words::VerdictWaitsMargin { disagreement: &disagreement }.text();
        }
        let margin = &self.size(fit.margin.magnitude());
        match fit.verdict {
            Verdict::Fits => words::VerdictFitsMargin { margin }.text(),
            Verdict::Tight => words::VerdictTightMargin { margin }.text(),
            Verdict::Queues => words::VerdictQueuesMargin { margin }.text(),
            Verdict::DoesNotFit => words::VerdictDoesNotFitMargin { margin }.text(),
        }
    }

    /// What the cache costs with the reader's settings; in training there is none, and a full window makes it cheaper.
    pub(crate) fn kv_sentence(&self) -> String {
        let Self { state, evaluation, .. } = self;
        let cache = evaluation.bytes(Bucket::KvCache);
        let token = &self.size(evaluation.kv_bytes_per_token);
        let (batch, seq) = (&grouped(state.batch), &grouped(state.seq_length));
        let share = &Percent(cache.share_of(evaluation.total)).to_string();
        let cache = &self.size(cache);
        match (state.mode, state.shape.sliding_window) {
            (Mode::Training | Mode::Lora | Mode::Qlora, _) => words::KvTraining { token }.text(),
            (Mode::Inference, Some(sliding)) if state.seq_length > sliding.window => {
                words::KvWindow { token, batch, seq, cache, share }.text()
            }
            _ => words::KvPlain { token, batch, seq, cache, share }.text(),
        }
    }

    /// What is computed and what comes out, in two or three sentences: the picture for those who do not see it.
    pub fn summary(&self) -> String {
        let Self { state, evaluation, .. } = self;
        let seq = grouped(state.seq_length);
        let sequences = if state.batch == 1 {
            words::summary_sequences_one().to_owned()
        } else {
            words::SummarySequencesMany { n: &grouped(state.batch) }.text()
        };
        let model = state.model_name();
        let weights = state.weights_in_use().label();

        let what = match state.mode {
            Mode::Inference => {
                words::SummaryInference { model: &model, weights, sequences: &sequences, seq: &seq }.text()
            }
            Mode::Training => {
                words::SummaryTraining { model: &model, weights, sequences: &sequences, seq: &seq }.text()
            }
            Mode::Lora => words::SummaryLora { model: &model, weights, sequences: &sequences, seq: &seq }.text(),
            Mode::Qlora => words::SummaryQlora { model: &model, weights, sequences: &sequences, seq: &seq }.text(),
        };
        let largest = evaluation.largest();
        let share = Percent(evaluation.bytes(largest).share_of(evaluation.total)).to_string();
        let largest = words::SummaryLargest { bucket: words::bucket(largest), share: &share }.text();
        let Some(fit) = &evaluation.fit else { return format!("{what}. {largest}") };
        let [total, capacity] = [evaluation.total, fit.capacity].map(|bytes| self.size(bytes));
        let needs = words::SummaryTotal { total: &total, capacity: &capacity, gpu: state.gpu.name }.text();
        format!("{what} {needs}. {} {}. {largest}", self.verdict(fit), self.margin_sentence(fit))
    }

    /// What a screen reader hears after an edit: the outcome first.
    pub fn announcement(&self) -> String {
        let total = self.size(self.evaluation.total);
        match &self.evaluation.fit {
            Some(fit) => format!("{total}. {} {}", self.verdict(fit), self.margin_sentence(fit)),
            None => total,
        }
    }
}
