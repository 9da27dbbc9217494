//! What the figure shows: training the reader's model, whatever the calculator is set to.

use memory_wall_core::display::{Figure, THIN_SPACE};
use memory_wall_core::memory::{activations, logits};
use memory_wall_core::{Attention, Bytes, Checkpointing, Implementation, Phase, Recipe, worked};

use crate::figures::{Answer, bindings, pick, training};
use crate::live::Snapshot;
use crate::state::State;
use crate::words;

/// Multiples of `hidden_size` at the end of the scale.
pub(super) const LONGEST: f64 = 72.0;

/// Whose code saves how much: the implementation, what it recomputes, in which precisions, with which attention.
type Code = (Implementation, Checkpointing, Recipe, Attention);

/// The code that most people run.
const STOCK: Code = (Implementation::Transformers, Checkpointing::None, Recipe::Mixed, Attention::Flash);

/// A row: code that saves activations, the least first, and what the loss takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Full,
    PerOp,
    Megatron,
    Transformers,
    Litgpt,
    Autocast,
    Eager,
    Logits,
}

impl Row {
    /// Every row, from the first to the last.
    pub const ALL: [Self; 8] = [
        Self::Full,
        Self::PerOp,
        Self::Megatron,
        Self::Transformers,
        Self::Litgpt,
        Self::Autocast,
        Self::Eager,
        Self::Logits,
    ];

    /// Its name among the words and in the prose.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::PerOp => "per-op",
            Self::Megatron => "megatron",
            Self::Transformers => "transformers",
            Self::Litgpt => "litgpt",
            Self::Autocast => "autocast",
            Self::Eager => "eager",
            Self::Logits => "logits",
        }
    }

    /// The code that runs.
    const fn code(self) -> Code {
        match self {
            Self::Full => (Implementation::Transformers, Checkpointing::Full, Recipe::Mixed, Attention::Flash),
            Self::PerOp => (Implementation::Torchtitan, Checkpointing::PerOp, Recipe::Mixed, Attention::Flash),
            Self::Megatron => (Implementation::Megatron, Checkpointing::None, Recipe::Mixed, Attention::Flash),
            Self::Litgpt => (Implementation::Litgpt, Checkpointing::None, Recipe::Mixed, Attention::Flash),
            Self::Autocast => (Implementation::Transformers, Checkpointing::None, Recipe::Autocast, Attention::Flash),
            Self::Eager => (Implementation::Transformers, Checkpointing::None, Recipe::Mixed, Attention::Eager),
            Self::Transformers | Self::Logits => STOCK,
        }
    }

    /// The bytes that it saves, and those of them that are scores of eager attention.
    fn saved(self, state: &State) -> Option<(Bytes, Bytes)> {
        let (implementation, checkpointing, recipe, attention) = self.code();
        let run = training::with(state, Recipe::Mixed)?.with(|it| {
            (it.training.implementation, it.training.recipe) = (implementation, recipe);
            (it.checkpointing, it.attention) = (checkpointing, attention);
        });
        let run = run.ok()?;
        Some(match self {
            Self::Logits => (worked::total(|sink| logits::terms(&run, Phase::Loss, sink)), Bytes::ZERO),
            _ => activations::in_layers(&run),
        })
    }
}

/// What a row saves.
#[derive(Clone, Copy, Default, PartialEq)]
struct Saved {
    bytes: Bytes,
    /// As a multiple of `hidden_size` bytes, for each token and layer: in all, and without scores of eager attention.
    all: f64,
    rest: f64,
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model([Saved; Row::ALL.len()]);

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// How long the bar of a row is, without scores.
        Bar(Row),
        /// How long the bar of its scores is.
        Scores(Row),
        /// What it saves for each token and layer.
        Each(Row),
        /// What it saves in all.
        Total(Row),
        /// Whether its bar goes beyond the scale.
        Cut(Row),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "activation";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        Self(Row::ALL.map(|row| {
            let (bytes, scores) = row.saved(state).unwrap_or_default();
            let [all, rest] = [bytes, bytes - scores].map(|bytes| multiple(state, bytes));
            Saved { bytes, all, rest }
        }))
    }

    fn answer(&self, binding: Binding) -> Answer {
        let saved = |row: Row| pick(&self.0, row as usize);
        match binding {
            Binding::Bar(row) => Answer::Percent(bar(saved(row).rest)),
            Binding::Scores(row) => Answer::Percent(bar(saved(row).all) - bar(saved(row).rest)),
            Binding::Each(row) => Answer::Text(format!("{}{THIN_SPACE}h", Figure(saved(row).all))),
            Binding::Total(row) => Answer::Size(saved(row).bytes),
            Binding::Cut(row) => Answer::Flag(saved(row).all > LONGEST),
        }
    }
}

/// As a multiple of `hidden_size` bytes, for each token and layer.
fn multiple(state: &State, bytes: Bytes) -> f64 {
    let tokens = u128::from(state.scenario().tokens());
    bytes.share_of(Bytes(tokens * u128::from(state.shape.layers) * u128::from(state.shape.hidden_size)))
}

fn bar(multiple: f64) -> f64 {
    (multiple / LONGEST).clamp(0.0, 1.0) * 100.0
}

/// What a slider's setting leads to, in words: the bytes that stock code saves.
pub fn consequence(snapshot: &Snapshot) -> String {
    crate::far::apart();
    let (bytes, _) = Row::Transformers.saved(&snapshot.state).unwrap_or_default();
    words::TrainConsequence { n: &snapshot.size(bytes) }.text()
}
