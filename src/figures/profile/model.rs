//! What the figure shows: an estimate beside a measurement, from the tensors that were expected to what the driver says is used.
//!
//! Until the reader gives a number of their own, an example stands here: a run that was planned with flash attention and
//! computed its scores one kernel after the other.

use std::sync::OnceLock;

use memory_wall_core::display::{ByteUnit, Percent, Size};
use memory_wall_core::memory::overhead::CONTEXT_BYTES;
use memory_wall_core::profile::{self, Reading, Row, Span, Suspect};
use memory_wall_core::roofline::Accounting;
use memory_wall_core::tables::models;
use memory_wall_core::{Bytes, Checked, Mode, evaluate};

use super::sentence::sentence;
use crate::figures::sort::{COMPARED, Operation, roof};
use crate::figures::{Answer, bindings, dash, pick};
use crate::live::Snapshot;
use crate::state::State;
use crate::words;

/// What is compared.
#[derive(Clone, Copy)]
pub(super) struct Case {
    pub(super) scenario: Checked,
    estimate: Bytes,
    pub(super) reading: Reading,
}

/// The state of the example, as it was planned.
pub(super) fn planned() -> State {
    let mut state = State { mode: Mode::Training, batch: 2, seq_length: 2_048, ..State::default() };
    if let Some(model) = models::by_id("llama-3.2-1b") {
        state.choose_model(model);
    }
    state
}

/// The example: what the engine says of the run as it was, and about what an allocator and a context add to it.
fn example() -> &'static Case {
    static EXAMPLE: OnceLock<Case> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let scenario = planned().scenario();
        let tensors = Suspect::EagerAttention.tensors(&scenario).unwrap_or_default();
        // A hundredth for temporaries; a tenth is what an allocator was seen to hold beside it.
        let allocated = tensors + Bytes(tensors.0 / 100);
        let reserved = allocated + Bytes(allocated.0 / 10);
        let used = reserved + Bytes(CONTEXT_BYTES.into());
        let reading = Reading { allocated: Some(allocated), asked: None, reserved: Some(reserved), used: Some(used) };
        Case { scenario, estimate: evaluate::total(&scenario), reading }
    })
}

/// Whether the reader has given no number yet.
fn is_example(state: &State) -> bool {
    state.measured == [0; 3] && state.asked.is_none()
}

/// What is compared: the example, or the reader's numbers with the settings of the page.
fn case(of: &Snapshot) -> Case {
    if is_example(&of.state) {
        return *example();
    }
    let [allocated, reserved, used] = of.state.measured.map(|bytes| Some(Bytes(bytes.into())).filter(|it| it.0 > 0));
    let asked = of.state.asked.map(|request| request.bytes);
    let reading = Reading { allocated, asked, reserved, used };
    Case { scenario: of.state.scenario(), estimate: of.evaluation.total, reading }
}

impl Case {
    pub(super) fn span(&self, row: Row) -> Option<Span> {
        profile::span(self.estimate, &self.reading, row)
    }
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    example: bool,
    /// Whether the run ended out of memory.
    died: bool,
    about: String,
    sentence: String,
    spans: [Option<Span>; 7],
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// What is compared: the example, or the reader's own run.
        About,
        /// The whole comparison in words.
        Sentence,
        /// Whether the example stands there.
        Example,
        /// The share of its peak that a GPU reaches with one sequence, though some kernel always runs.
        Busy,
        /// The name of a row.
        Name(Row),
        /// Its size, with a sign where it is a step from one level to the next.
        Value(Row),
        /// Where its bar begins in the drawing.
        X(Row),
        /// How long its bar is.
        Width(Row),
        /// Whether a number that it needs is missing.
        Absent(Row),
        /// Whether it is expected rather than measured.
        Expected(Row),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "profile";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let case = case(snapshot);
        let example = is_example(&snapshot.state);
        Self {
            unit: snapshot.state.unit,
            example,
            died: case.reading.asked.is_some(),
            about: if example {
                words::profile_about_example().into()
            } else {
                words::ProfileAboutOwn { rig: &snapshot.rig_line() }.text()
            },
            sentence: sentence(snapshot, &case),
            spans: Row::EACH.map(|row| case.span(row)),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let span = |row: Row| pick(&self.spans, row as usize);
        let percent = |row: Row, bytes: fn(&Span) -> Bytes| {
            Answer::Percent(span(row).map_or(0.0, |span| bytes(&span).share_of(self.longest()) * 100.0))
        };
        match binding {
            Binding::About => Answer::Text(self.about.clone()),
            Binding::Sentence => Answer::Text(self.sentence.clone()),
            Binding::Example => Answer::Flag(self.example),
            Binding::Busy => Answer::Text(busy().map_or_else(|| dash().into(), |share| Percent(share).to_string())),
            Binding::Name(row) => Answer::Text(name(row, self.died)),
            Binding::Value(row) => Answer::Text(self.value(row, span(row))),
            Binding::X(row) => percent(row, |span| span.from.min(span.to)),
            Binding::Width(row) => percent(row, Span::bytes),
            Binding::Absent(row) => Answer::Flag(span(row).is_none()),
            Binding::Expected(row) => Answer::Flag(span(row).is_some_and(|span| span.expected)),
        }
    }
}

impl Model {
    /// What the whole width of the drawing stands for.
    fn longest(&self) -> Bytes {
        self.spans.iter().flatten().map(|span| span.to.max(span.from)).max().unwrap_or_default()
    }

    fn value(&self, row: Row, span: Option<Span>) -> String {
        let Some(span) = span else { return words::profile_missing().into() };
        let size = Size::new(span.bytes(), self.unit).to_string();
        let step = matches!(row, Row::Unexplained | Row::Kept | Row::Outside);
        match (step, span.to < span.from) {
            (true, true) => format!("− {size}"),
            (true, false) => format!("+ {size}"),
            _ => size,
        }
    }
}

/// The name of a row; of a run that died the same levels mean something else.
pub(super) fn name(row: Row, died: bool) -> String {
    match row {
        Row::Allocated if died => words::profile_died_needed().into(),
        Row::Reserved if died => words::profile_died_reserved().into(),
        _ => words::profile_row(row).into(),
    }
}

/// Of its peak, what a GPU reaches that writes one token at a time.
fn busy() -> Option<f64> {
    let token = Operation::Token.work().intensity(Accounting::ReadsAndWrites);
    let roof = roof(COMPARED[0])?;
    Some(roof.attainable(token).0 / roof.peak.0)
}
