//! The one state and its evaluation, shared by everything on the page: as signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leptos::prelude::*;
use memory_wall_core::{Evaluation, evaluate};

use crate::charts::roofline::{Look, Plot};
use crate::far;
use crate::live::Snapshot;
use crate::predictions::Predictions;
use crate::state::State;

/// The signals that everything shares. They live as long as the page and are held here: an arena of them, with owners who clear
/// it up, would be part of the program for nothing.
pub struct Signals {
    /// What the reader has chosen.
    pub state: ArcRwSignal<State>,
    /// What the engine says to it; computed once for all figures.
    pub evaluation: ArcMemo<Evaluation>,
    /// Whether the reader has changed anything on this page: until then neither link nor storage is written.
    pub edited: ArcRwSignal<bool>,
    /// What the reader has predicted.
    pub predictions: ArcRwSignal<Predictions>,
    /// What of the roofline the reader looks at.
    pub look: ArcRwSignal<Look>,
    /// Whether the state has rested since: then the next change begins a new series.
    pub rested: AtomicBool,
    /// Fields go back to what they are about, whatever stands half typed in them.
    pub settled: ArcTrigger,
    /// The roofline, computed once for its drawing and its words: by the far part of the program, see `src/far.rs`.
    pub roofline: ArcMemo<Arc<Plot>>,
}

impl Signals {
    /// Signals that start from `state`.
    pub fn start(state: &State) -> &'static Self {
        let (state, look) = (ArcRwSignal::new(*state), ArcRwSignal::new(Look::default()));
        let of = state.clone();
        // The unit changes no number, so it does not ask the engine again.
        let scenario = ArcMemo::new(move |_| of.get().scenario());
        // These two are computed only when something has changed, so they are never the same again.
        let evaluation = ArcMemo::new_with_compare(move |_| evaluate(&scenario.get()), |_, _| true);
        let (of, at) = (state.clone(), look.clone());
        let roofline =
            ArcMemo::new_with_compare(move |_| at.with(|look| Arc::new(Plot::of(&of.get(), look))), |_, _| true);
        Box::leak(Box::new(Self {
            state,
            evaluation,
            edited: ArcRwSignal::new(false),
            predictions: ArcRwSignal::default(),
            look,
            rested: AtomicBool::new(true),
            settled: ArcTrigger::new(),
            roofline,
        }))
    }

    /// The state, tracked. Not inlined: every figure asks for it in many places, and the page loads each copy.
    #[inline(never)]
    pub fn state(&self) -> State {
        self.state.get()
    }

    /// The state, without following it.
    #[inline(never)]
    pub fn state_now(&self) -> State {
        self.state.get_untracked()
    }

    /// What the engine says, tracked.
    #[inline(never)]
    pub fn evaluation(&self) -> Evaluation {
        self.evaluation.get()
    }

    /// State and evaluation together, tracked: what the page can be asked for by name.
    #[inline(never)]
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::with(self.state(), self.evaluation());
        if far::plots() {
            snapshot = snapshot.drawn(self.roofline.get());
        }
        snapshot.predictions = self.predictions();
        snapshot
    }

    /// What the reader has predicted, tracked.
    #[inline(never)]
    pub fn predictions(&self) -> Predictions {
        self.predictions.get()
    }

    /// Changes the predictions.
    #[inline(never)]
    pub fn predict(&self, change: &dyn Fn(&mut Predictions)) {
        let mut predictions = self.predictions.get_untracked();
        change(&mut predictions);
        self.predictions.set(predictions);
    }

    /// The reader changes something.
    #[inline(never)]
    pub fn edit(&self, change: &dyn Fn(&mut State)) {
        let mut state = self.state_now();
        change(&mut state);
        self.set(&state);
    }

    /// Fields go back to what they are about.
    pub fn settle(&self) {
        self.settled.notify();
    }

    /// Puts a changed state in place as the reader's own act. If it cannot be evaluated, the closest state that can is taken,
    /// as for a link, so that the change itself is not lost.
    #[inline(never)]
    pub fn set(&self, state: &State) {
        let (state, _) = state.mended();
        self.edited.set(true);
        if self.rested.swap(false, Ordering::Relaxed) && far::plots() {
            let ghosts = Plot::ghosts_of(&self.state_now());
            self.look.update(|look| look.ghosts = ghosts);
        }
        self.state.set(state);
    }
}

thread_local! {
    /// What the page says as it arrives.
    static ARRIVAL: Snapshot = Snapshot::of(State::default());
}

/// What a group of levers has of the signals. Copied freely.
///
/// A group shows a state of its own, which is brought in step with the reader's. Hydration takes the page as it is and writes
/// nothing, so a group begins with what the page says as it arrives: the default. And what nobody sees can wait until a series
/// of changes is over.
#[derive(Clone, Copy)]
pub struct Store {
    signals: &'static Signals,
    shown: &'static ArcRwSignal<State>,
}

impl Store {
    /// What a group begins with, for as long as the page lives.
    pub fn new(signals: &'static Signals) -> Self {
        Self { signals, shown: Box::leak(Box::new(ArcRwSignal::new(State::default()))) }
    }

    /// What a group is drawn with when the page is built.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn still() -> Self {
        Self::new(Signals::start(&State::default()))
    }

    /// Brings the group in step with the reader's state.
    pub fn follow(self) {
        self.shown.set(self.now());
    }

    /// Something of the state, tracked.
    pub fn with<T>(self, of: impl FnOnce(&State) -> T) -> T {
        self.shown.with(of)
    }

    /// Something of what the engine says to the state, tracked.
    pub fn ask<T>(self, of: impl FnOnce(&Snapshot) -> T) -> T {
        if self.with(|state| *state == State::default()) {
            ARRIVAL.with(of)
        } else {
            of(&untrack(|| self.signals.snapshot()))
        }
    }

    /// The reader's state, without following it.
    pub fn now(self) -> State {
        self.signals.state_now()
    }

    /// The reader changes something: this group shows it at once.
    pub fn edit(self, change: &dyn Fn(&mut State)) {
        self.signals.edit(change);
        self.follow();
    }

    /// Follows when fields go back to what they are about.
    pub fn track_settled(self) {
        self.signals.settled.track();
    }
}
