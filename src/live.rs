//! Everything on the page that follows the state: named in the page, computed by the engine, never typed.
//!
//! A number in the prose, a cell of a table, the height of a course of the wall: each is a name that a [`Snapshot`] answers.
//! The prerendered page asks for the default state; in the browser one pass over the page asks again after each change.
//! So what is only shown costs the program in the browser nothing but its name.

use std::cell::OnceCell;
use std::sync::Arc;

use memory_wall_core::display::{Count, Grouped, Percent, Size, THIN_SPACE};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Bucket, Bytes, Evaluation, Fit, Mode, Verdict, bounds, evaluate, solve};

use crate::charts::context::Chart;
use crate::charts::roofline::{Look, Plot};
use crate::charts::wall::{self, Layout};
use crate::charts::{hierarchy, kv_cache, oom, parallel, profile, scaling, sort, training, trips};
use crate::controls;
use crate::predictions::Predictions;
use crate::ridge;
use crate::state::{State, dimensions};
use crate::terms::Terms;
use crate::words::{self, fill, fill_with, t};

/// A state and what the engine says to it.
pub struct Snapshot {
    /// What the reader has chosen.
    pub state: State,
    /// What the engine says.
    pub evaluation: Evaluation,
    /// What the reader has predicted.
    pub predictions: Predictions,
    wall: OnceCell<Layout>,
    chart: OnceCell<Chart>,
    roofline: OnceCell<Arc<Plot>>,
    scaling: OnceCell<scaling::Rows>,
    parallel: OnceCell<parallel::Rows>,
    training: OnceCell<training::Answers>,
}

/// A verdict in words.
pub fn verdict_words(verdict: Verdict) -> String {
    words::choice("verdict", verdict.id())
}

/// A bucket's name.
pub fn bucket_name(bucket: Bucket) -> String {
    words::choice("bucket", bucket.id())
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
        let (wall, chart, roofline) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let (scaling, parallel, training) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { state, evaluation, predictions, wall, chart, roofline, scaling, parallel, training }
    }

    /// The same with a roofline that was computed already.
    #[must_use]
    pub fn drawn(self, roofline: Arc<Plot>) -> Self {
        Self { roofline: roofline.into(), ..self }
    }

    /// The roofline; on a page without a reader no point is chosen and nothing was before.
    pub fn roofline(&self) -> &Plot {
        self.roofline.get_or_init(|| Arc::new(Plot::of(&self.state, &Look::default())))
    }

    /// What each card of many holds.
    pub fn parallel(&self) -> &parallel::Rows {
        self.parallel.get_or_init(|| parallel::rows(&self.state))
    }

    /// The cards that round sizes of models take.
    pub fn scaling(&self) -> &scaling::Rows {
        self.scaling.get_or_init(|| scaling::rows(&self.state))
    }

    /// What the section on training asks of the engine beside.
    pub fn training(&self) -> &training::Answers {
        self.training.get_or_init(|| training::Answers::of(&self.state))
    }

    /// A size in the reader's unit.
    pub fn size(&self, bytes: Bytes) -> String {
        Size::new(bytes, self.state.unit).to_string()
    }

    fn wall(&self) -> &Layout {
        self.wall.get_or_init(|| wall::layout(&self.evaluation, self.state.gpu.capacity, self.state.unit))
    }

    /// The text with this name; `None` for a name that is not known.
    ///
    /// Names in parts (`share.kv_cache`, `wall.line`) say what first and of which bucket second.
    pub fn value(&self, name: &str) -> Option<String> {
        match name.split_once('.') {
            Some(("wall", part)) => self.wall_value(part),
            Some(("plot", part)) => self.plot_value(part),
            Some(("context", part)) => self.context_value(part),
            Some(("terms", part)) => self.terms_value(part),
            Some(("tier", part)) => hierarchy::value(self, part),
            Some(("trip", part)) => trips::value(self, part),
            Some(("cache", part)) => kv_cache::value(self, part),
            Some(("train", part)) => training::value(self, part),
            Some(("sort", part)) => sort::value(self, part),
            Some(("parallel", part)) => parallel::value(self, part),
            Some(("scaling", part)) => scaling::value(self, part),
            Some(("profile", part)) => profile::value(self, part),
            Some(("ridge", part)) => ridge::value(self, part),
            Some(("oom", part)) => oom::value(self, part),
            Some(("control", part)) => controls::value(self, part),
            Some(("predict", part)) => self.predictions.value(part),
            Some(("done", ids)) => Some(self.predictions.done(ids)),
            Some(("dial", part)) => self.predictions.dials.value(part),
            Some(("quiz", part)) => self.predictions.quiz.value(part),
            Some(("roofline", part)) => self.roofline().answer(part),
            Some(("assumption", number)) => {
                let number: usize = number.parse().ok()?;
                Some(
                    self.evaluation
                        .assumptions
                        .iter()
                        .nth(number)
                        .map(|assumption| assumption.to_string())
                        .unwrap_or_default(),
                )
            }
            Some((what, id)) => self.bucket_value(what, Bucket::EACH.into_iter().find(|bucket| bucket.id() == id)?),
            None => self.plain_value(name).or_else(|| {
                let bucket = Bucket::EACH.into_iter().find(|bucket| bucket.id() == name)?;
                Some(self.size(self.evaluation.bytes(bucket)))
            }),
        }
    }

    /// Whether the condition with this name holds; `None` for a name that is not known.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match name.split_once('.') {
            Some(("empty", id)) => {
                let bucket = Bucket::EACH.into_iter().find(|bucket| bucket.id() == id)?;
                Some(self.evaluation.bytes(bucket) == Bytes::ZERO)
            }
            Some(("control", part)) => controls::flag(&self.state, part),
            Some(("predict", part)) => self.predictions.flag(part),
            Some(("dial", part)) => self.predictions.dials.flag(part),
            Some(("quiz", part)) => self.predictions.quiz.flag(part),
            Some(("wall", "over")) => Some(self.wall().over),
            Some(("tier", part)) => hierarchy::flag(&self.state, part),
            Some(("oom", part)) => oom::flag(self, part),
            Some(("parallel", part)) => parallel::flag(self, part),
            Some(("scaling", part)) => scaling::flag(self, part),
            Some(("train", part)) => training::flag(self, part),
            Some(("profile", part)) => profile::flag(self, part),
            Some(("short", id)) => {
                let bucket = Bucket::EACH.into_iter().find(|bucket| bucket.id() == id)?;
                Some(Terms::of(bucket, self).is_short())
            }
            _ => None,
        }
    }

    fn bucket_value(&self, what: &str, bucket: Bucket) -> Option<String> {
        let bytes = self.evaluation.bytes(bucket);
        Some(match what {
            "share" => Percent(bytes.share_of(self.evaluation.total)).to_string(),
            "bytes" => bytes.0.to_string(),
            "exact" => exact(bytes),
            "about" => {
                let key = format!("about.{}", bucket.id());
                words::lookup(&key).map_or_else(|| words::choice(&key, self.state.mode.id()), Into::into)
            }
            _ => return None,
        })
    }

    fn wall_value(&self, part: &str) -> Option<String> {
        let layout = self.wall();
        let percent = match part.split_once('.') {
            None if part == "line" => layout.line,
            Some(("tick", rest)) => {
                let (number, what) = rest.split_once('.')?;
                let tick = layout.ticks.get(number.parse::<usize>().ok()?);
                return match (what, tick) {
                    ("label", Some((_, bytes))) => Some(round(&self.size(*bytes))),
                    ("label", None) => Some(String::new()),
                    // A mark that is not needed waits under the one at the bottom.
                    ("at", tick) => Some(wall::percent(tick.map_or(100.0, |(at, _)| *at))),
                    _ => None,
                };
            }
            Some((id, what)) => {
                let course = layout.courses.iter().find(|course| course.bucket.id() == id)?;
                match what {
                    "top" => course.top,
                    "height" => course.height,
                    "middle" => course.top + course.height / 2.0,
                    "label" => course.label,
                    _ => return None,
                }
            }
            None => return None,
        };
        Some(wall::percent(percent))
    }

    fn chart(&self) -> &Chart {
        self.chart.get_or_init(|| Chart::of(&self.state.scenario(), self.state.unit))
    }

    fn plot_value(&self, part: &str) -> Option<String> {
        let chart = self.chart();
        match part.split_once('.')? {
            ("points", curve) => chart.points(curve),
            ("y", name) => chart.height(name).map(wall::percent),
            ("x", "here") => Some(wall::percent(Chart::x(self.state.seq_length))),
            ("decade", rest) => {
                let (place, what) = rest.split_once('.')?;
                let decade = chart.decade(place.parse().ok()?);
                match (what, decade) {
                    // A decade that is not needed waits on the axis.
                    ("y", decade) => Some(wall::percent(decade.map_or(100.0, |(y, _)| y))),
                    ("label", Some((_, bytes))) => Some(round(&self.size(bytes))),
                    ("label", None) => Some(String::new()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The formulas of a bucket; `first` and `list` are HTML, see [`Self::is_html`].
    fn terms_value(&self, part: &str) -> Option<String> {
        let (what, id) = part.split_once('.')?;
        let terms = Terms::of(Bucket::EACH.into_iter().find(|bucket| bucket.id() == id)?, self);
        Some(match what {
            "first" => terms.first(),
            "count" => terms.count(),
            "list" => terms.list(),
            _ => return None,
        })
    }

    /// Whether a name stands for HTML of the engine's own making rather than for text.
    pub fn is_html(name: &str) -> bool {
        let of_roofline = name.strip_prefix("roofline.").is_some_and(|piece| matches!(piece, "dots" | "rows"));
        name.starts_with("terms.first.")
            || name.starts_with("terms.list.")
            || name.strip_prefix("dial.") == Some("strip")
            || name.strip_prefix("oom.").is_some_and(|part| part.starts_with("bar."))
            || of_roofline
    }

    fn context_value(&self, part: &str) -> Option<String> {
        let (place, what) = part.split_once('.')?;
        let row = self.chart().rows.get(place.parse::<usize>().ok()?)?;
        Some(match (what, row.verdict) {
            ("kv_cache", _) if row.kv_cache == Bytes::ZERO => "–".into(),
            ("kv_cache", _) => self.size(row.kv_cache),
            ("total", _) => self.size(row.total),
            ("verdict", Some(verdict)) => verdict.id().into(),
            ("fits", Some(Verdict::Fits)) => t("context.table.yes").into(),
            ("fits", Some(Verdict::Tight)) => t("context.table.tight").into(),
            ("fits", Some(Verdict::DoesNotFit)) => t("context.table.no").into(),
            _ => return None,
        })
    }

    fn plain_value(&self, name: &str) -> Option<String> {
        let Self { state, evaluation, .. } = self;
        let fit = evaluation.fit?;
        let at_most = |n: u32, bounds: bounds::Bounds| {
            if n == bounds.max { fill("answer.at_least", &[("n", &grouped(n))]) } else { grouped(n) }
        };
        let shape = &state.shape;
        Some(match name {
            // What stays from step to step in training: weights, gradients, optimizer.
            "states" => {
                let parts =
                    [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer].map(|bucket| evaluation.bytes(bucket));
                self.size(parts.into_iter().sum())
            }
            "total" => self.size(evaluation.total),
            "total_bytes" => evaluation.total.0.to_string(),
            "total_exact" => exact(evaluation.total),
            "capacity" => self.size(fit.capacity),
            // As it is printed on the box, whatever unit the reader has chosen.
            "printed_capacity" => format!("{}{THIN_SPACE}GB", state.gpu.printed_gb),
            "kv_sentence" => self.kv_sentence(),
            "margin" => self.size(fit.margin.magnitude()),
            "max_seq" => at_most(fit.max_seq, bounds::SEQ_LENGTH),
            "max_batch" => at_most(fit.max_batch, bounds::BATCH),
            "kv_bytes_per_token" => self.size(evaluation.kv_bytes_per_token),
            "kv_passes_weights" => {
                solve::kv_cache_passes_weights(&state.scenario()).map_or_else(|| t("answer.none").into(), grouped)
            }
            "parameters" => Count(evaluation.parameters.total()).to_string(),
            "seq_length" => grouped(state.seq_length),
            "batch" => grouped(state.batch),
            "heads" => grouped(shape.heads),
            "kv_heads" => grouped(shape.kv_heads),
            "model" => state.model_name(),
            "gpu" => state.gpu.name.into(),
            "line_label" => fill("wall.line", &[("capacity", &self.size(fit.capacity))]),
            "summary" => self.summary(),
            "context_sentence" => self.chart().sentence(),
            "phase" => words::choice("table.phase", evaluation.peak_phase.id()),
            "verdict_id" if state.draft.is_some() => "waits".into(),
            "verdict_id" => fit.verdict.id().into(),
            "verdict" => self.verdict(&fit),
            "margin_sentence" => self.margin_sentence(&fit),
            "answer_context" => largest(fit.max_seq, bounds::SEQ_LENGTH, "answer.context.value", "answer.context.none"),
            "answer_context_note" => match shape.trained_context {
                Some(trained) if fit.max_seq > trained => fill("answer.context.beyond", &[("n", &grouped(trained))]),
                None if state.is_changed() => t("answer.context.edited").into(),
                _ => String::new(),
            },
            "answer_batch" => largest(fit.max_batch, bounds::BATCH, "answer.batch.value", "answer.batch.none"),
            "source_model" => {
                fill("assumptions.source.model", &[("source", state.model.source), ("date", models::CHECKED)])
            }
            "source_gpu" => {
                let values = [
                    ("capacity", self.size(fit.capacity)),
                    ("source", state.gpu.sources.join("; ")),
                    ("date", gpus::CHECKED.into()),
                ];
                fill_with("assumptions.source.gpu", &values)
            }
            "rig_line" => {
                let [batch, seq] = [state.batch, state.seq_length].map(grouped);
                let model = state.model_name();
                let weights = state.weights_in_use().label();
                let values = [
                    ("model", model.as_str()),
                    ("weights", weights),
                    ("batch", &batch),
                    ("seq", &seq),
                    ("gpu", state.gpu.name),
                ];
                fill("rig.line", &values)
            }
            "rig_total" => {
                fill("rig.total", &[("total", &self.size(evaluation.total)), ("capacity", &self.size(fit.capacity))])
            }
            _ => return None,
        })
    }

    /// The verdict in words; there is none while the reader's dimensions do not go together.
    pub fn verdict(&self, fit: &Fit) -> String {
        if self.state.draft.is_some() { t("verdict.waits").into() } else { verdict_words(fit.verdict) }
    }

    /// The margin in words, "with 69.9 GB to spare", or why there is no verdict.
    fn margin_sentence(&self, fit: &Fit) -> String {
        if let Some(disagreement) = dimensions::disagreement(&self.state) {
            return fill("verdict.waits.margin", &[("disagreement", &disagreement)]);
        }
        let key = match fit.verdict {
            Verdict::Fits => "verdict.fits.margin",
            Verdict::Tight => "verdict.tight.margin",
            Verdict::DoesNotFit => "verdict.does_not_fit.margin",
        };
        fill(key, &[("margin", &self.size(fit.margin.magnitude()))])
    }

    /// What the cache costs with the reader's settings; in training there is none, and a full window makes it cheaper.
    fn kv_sentence(&self) -> String {
        let Self { state, evaluation, .. } = self;
        let key = match (state.mode, state.shape.sliding_window) {
            (Mode::Training | Mode::Lora | Mode::Qlora, _) => "kv.training",
            (Mode::Inference, Some(sliding)) if state.seq_length > sliding.window => "kv.window",
            _ => "kv.plain",
        };
        let cache = evaluation.bytes(Bucket::KvCache);
        let values = [
            ("token", self.size(evaluation.kv_bytes_per_token)),
            ("batch", grouped(state.batch)),
            ("seq", grouped(state.seq_length)),
            ("cache", self.size(cache)),
            ("share", Percent(cache.share_of(evaluation.total)).to_string()),
        ];
        fill_with(key, &values)
    }

    /// What is computed and what comes out, in two or three sentences: the picture for those who do not see it.
    pub fn summary(&self) -> String {
        let Self { state, evaluation, .. } = self;
        let seq = grouped(state.seq_length);
        let sequences = if state.batch == 1 {
            t("summary.sequences.one").to_owned()
        } else {
            fill("summary.sequences.many", &[("n", &grouped(state.batch))])
        };
        let model = state.model_name();
        let weights = state.weights_in_use().label();
        let values = [("model", model.as_str()), ("weights", weights), ("sequences", &sequences), ("seq", &seq)];
        let what = match state.mode {
            Mode::Inference => fill("summary.inference", &values),
            Mode::Training => fill("summary.training", &values),
            Mode::Lora => fill("summary.lora", &values),
            Mode::Qlora => fill("summary.qlora", &values),
        };
        let largest = evaluation.largest();
        let share = Percent(evaluation.bytes(largest).share_of(evaluation.total)).to_string();
        let largest = fill("summary.largest", &[("bucket", &bucket_name(largest)), ("share", &share)]);
        let Some(fit) = &evaluation.fit else { return format!("{what}. {largest}") };
        let [total, capacity] = [evaluation.total, fit.capacity].map(|bytes| self.size(bytes));
        let needs = fill("summary.total", &[("total", &total), ("capacity", &capacity), ("gpu", state.gpu.name)]);
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

/// A round size without its decimals: `10 GB` for `10.0 GB`.
fn round(size: &str) -> String {
    let Some((whole, rest)) = size.split_once('.') else { return size.into() };
    format!("{whole}{}", rest.trim_start_matches('0'))
}

/// The count behind a rounded size.
fn exact(bytes: Bytes) -> String {
    fill("table.exact", &[("n", &Grouped(bytes.0).to_string())])
}

/// "135,231 tokens", "not even one token", or "10,000,000 tokens or more" at the end of the range.
fn largest(value: u32, bounds: bounds::Bounds, unit: &'static str, none: &'static str) -> String {
    if value == 0 {
        return t(none).into();
    }
    let text = fill(unit, &[("n", &grouped(value))]);
    if value == bounds.max { fill("answer.at_least", &[("n", &text)]) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exercise_reads_as_the_prose_promises() {
        let at = |seq_length| Snapshot::of(State { seq_length, ..State::default() });
        assert_eq!(at(2_048).value("kv_cache").as_deref(), Some("1.07\u{202f}GB"));
        assert_eq!(at(128_000).value("kv_cache").as_deref(), Some("67.1\u{202f}GB"));
        assert_eq!(at(128_000).value("weights").as_deref(), Some("13.5\u{202f}GB"));
        assert_eq!(at(128_000).value("bytes.kv_cache").as_deref(), Some("67108864000"));
        assert!(at(128_000).summary().ends_with("Largest part: KV cache, 82%."));
    }

    #[test]
    fn unknown_names_are_nothing() {
        let snapshot = Snapshot::of(State::default());
        for name in ["", "kv", "share.kv", "wall", "wall.x", "wall.kv_cache.x", "wall.tick.1", "assumption.x", "bytes."]
        {
            assert_eq!(snapshot.value(name), None, "{name}");
        }
        assert_eq!(snapshot.flag("over"), None);
    }

    #[test]
    fn every_share_and_size_of_a_state_is_written_without_nan() {
        for (batch, seq_length) in [(1, 1), (1_000_000, 10_000_000)] {
            let snapshot = Snapshot::of(State { batch, seq_length, ..State::default() });
            for name in ["summary", "share.kv_cache", "wall.kv_cache.top", "wall.line", "margin", "answer_context"] {
                let text = snapshot.value(name).unwrap_or_default();
                assert!(!text.is_empty() && !text.contains("NaN") && !text.contains("inf"), "{name}: {text}");
            }
        }
    }
}
