//! What the figure shows.

use memory_wall_core::display::ByteUnit;
use memory_wall_core::memory::{StatePart, states};
use memory_wall_core::tables::models;
use memory_wall_core::{Bytes, Checked, Mode, Recipe, Scenario};

use crate::dials::Dial;
use crate::figures::{Answer, bindings, dash, number, pick, training};
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{self, labels};

/// Bytes for each parameter at the top of the scale, and how high that is, in percent of the drawing.
const MOST: f64 = 20.0;
const TOP: f64 = 94.0;

/// A column: one of four recipes with `AdamW`, or the reader's own choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Mixed,
    MixedFp32Grads,
    WithoutMaster,
    Pure,
    Yours,
}

impl Column {
    /// Every column, from left to right.
    pub const ALL: [Self; 5] = [Self::Mixed, Self::MixedFp32Grads, Self::WithoutMaster, Self::Pure, Self::Yours];

    /// Its name among the words and in the prose.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::MixedFp32Grads => "mixed-fp32-grads",
            Self::WithoutMaster => "without-master",
            Self::Pure => "pure",
            Self::Yours => "yours",
        }
    }

    /// Its recipe; the reader's own column has none that is fixed.
    pub const fn recipe(self) -> Option<Recipe> {
        match self {
            Self::Mixed => Some(Recipe::Mixed),
            Self::MixedFp32Grads => Some(Recipe::MixedFp32Gradients),
            Self::WithoutMaster => Some(Recipe::WithoutMaster),
            Self::Pure => Some(Recipe::Pure),
            Self::Yours => None,
        }
    }

    /// The training run whose states it shows.
    pub fn run(self, state: &State) -> Option<Checked> {
        self.recipe().map_or_else(|| Some(training::own(state)), |recipe| training::with(state, recipe))
    }
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    capacity: Bytes,
    /// Bytes that the GPU has for each parameter.
    room: f64,
    /// What each column takes.
    totals: [Option<Bytes>; 5],
    /// Bytes for each parameter: of every column, and of each part of the reader's own.
    sums: [f64; 5],
    parts: [f64; 5],
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// Where the line is that says what the GPU has for each parameter.
        Line,
        /// What is written at the line.
        LineLabel,
        /// The bytes that the line stands for.
        Room,
        /// Whether the line is beyond the top of the scale.
        Beyond,
        /// Bytes for each parameter of a column.
        Each(Column),
        /// What a column takes in all.
        Total(Column),
        /// What it leaves of the GPU's memory.
        Left(Column),
        /// Whether it takes more than the GPU has.
        Over(Column),
        /// Bytes for each parameter of a part of the reader's own column.
        Part(StatePart),
        /// Where that part begins in the drawing.
        Top(StatePart),
        /// How high it is drawn.
        Height(StatePart),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "states";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        let runs = Column::ALL.map(|column| column.run(state));
        let parts = each(&training::own(state));
        Self {
            unit: state.unit,
            capacity: state.gpu.capacity,
            room: state.gpu.capacity.share_of(Bytes(state.shape.parameters().total().into())),
            totals: runs.each_ref().map(|run| run.as_ref().map(total)),
            sums: runs.each_ref().map(|run| run.as_ref().map_or(0.0, |run| each(run).into_iter().sum())),
            parts,
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let total = |column: Column| pick(&self.totals, column as usize);
        let part = |part: StatePart| pick(&self.parts, part as usize);
        match binding {
            Binding::Line => Answer::Percent(100.0 - height(self.room)),
            Binding::LineLabel => Answer::Text(words::TrainLine { n: &number(self.room) }.text()),
            Binding::Room => Answer::Number(self.room),
            Binding::Beyond => Answer::Flag(self.room > MOST),
            Binding::Each(column) => Answer::Number(pick(&self.sums, column as usize)),
            Binding::Total(column) => Answer::size(total(column)),
            Binding::Left(column) => Answer::Text(
                total(column).map_or_else(|| dash().into(), |bytes| training::left(self.capacity, bytes, self.unit)),
            ),
            Binding::Over(column) => Answer::Flag(total(column).is_some_and(|bytes| bytes > self.capacity)),
            Binding::Part(own) => Answer::Number(part(own)),
            Binding::Top(own) => {
                let below: f64 = self.parts.iter().take(own as usize).sum();
                Answer::Percent(100.0 - height(below + part(own)))
            }
            Binding::Height(own) => Answer::Percent(height(part(own))),
        }
    }
}

/// What the states of a run take.
fn total(run: &Checked) -> Bytes {
    states(run).into_iter().sum()
}

/// Bytes of each part for one parameter.
pub(super) fn each(run: &Checked) -> [f64; 5] {
    let parameters = Bytes(run.local_parameters().total().into());
    states(run).map(|bytes| bytes.share_of(parameters))
}

/// How high so many bytes for each parameter stand, in percent.
pub(super) fn height(each: f64) -> f64 {
    (each / MOST * TOP).clamp(0.0, TOP + 2.0)
}

/// What a model of 7 billion parameters keeps from step to step, in GB.
pub static DIAL: Dial = Dial {
    id: "states",
    question: labels::dial_question_states,
    unit: words::dial_unit_gb,
    range: (2.0, 2_000.0),
    answer: || {
        let scenario = Scenario { mode: Mode::Training, ..Scenario::new(models::by_id("generic-7b")?.architecture) };
        Some(total(&scenario.check().ok()?).0 as f64 / 1e9)
    },
};
