//! The rig: the one state and its evaluation, shared by every figure on the page.

use std::cell::Cell;
use std::sync::Arc;

use memory_wall_core::{Evaluation, evaluate};
use reactive_graph::computed::ArcMemo;
use reactive_graph::effect::ImmediateEffect;
use reactive_graph::prelude::*;
use reactive_graph::signal::ArcRwSignal;
use send_wrapper::SendWrapper;

use crate::charts::roofline::{Look, Plot};
use crate::live::Snapshot;
use crate::predictions::Predictions;
use crate::state::State;

/// The shared signals, which live as long as the page; copied freely.
pub(super) type Rig = &'static Signals;

/// What is shared. The signals are held by this one place: an arena of them, with owners who clear it up, would be part of
/// the program for nothing.
pub(super) struct Signals {
    /// What the reader has chosen.
    pub(super) state: ArcRwSignal<State>,
    /// What the engine says to it; computed once for all figures.
    pub(super) evaluation: ArcMemo<Evaluation>,
    /// Whether the reader has changed anything on this page: until then neither link nor storage is written.
    pub(super) edited: ArcRwSignal<bool>,
    /// What the reader has predicted.
    pub(super) predictions: ArcRwSignal<Predictions>,
    /// What of the roofline the reader looks at.
    pub(super) look: ArcRwSignal<Look>,
    /// Whether the state has rested since: then the next change begins a new series.
    pub(super) rested: Cell<bool>,
    /// The roofline, computed once for its drawing and its words.
    pub(super) roofline: ArcMemo<Arc<Plot>>,
}

impl Signals {
    /// Signals that start from `state`.
    pub(super) fn start(state: &State) -> Rig {
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
            rested: Cell::new(true),
            roofline,
        }))
    }

    /// The state, tracked. Not inlined: every figure asks for it in many places, and the page loads each copy.
    #[inline(never)]
    pub(super) fn state(&self) -> State {
        self.state.get()
    }

    /// The state, without following it.
    #[inline(never)]
    pub(super) fn state_now(&self) -> State {
        self.state.get_untracked()
    }

    /// What the engine says, tracked.
    #[inline(never)]
    pub(super) fn evaluation(&self) -> Evaluation {
        self.evaluation.get()
    }

    /// State and evaluation together, tracked: what the page can be asked for by name.
    #[inline(never)]
    pub(super) fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::with(self.state(), self.evaluation()).drawn(self.roofline.get());
        snapshot.predictions = self.predictions();
        snapshot
    }

    /// What the reader has predicted, tracked.
    #[inline(never)]
    pub(super) fn predictions(&self) -> Predictions {
        self.predictions.get()
    }

    /// Changes the predictions.
    #[inline(never)]
    pub(super) fn predict(&self, change: &dyn Fn(&mut Predictions)) {
        let mut predictions = self.predictions.get_untracked();
        change(&mut predictions);
        self.predictions.set(predictions);
    }

    /// Puts a changed state in place as the reader's own act. If it cannot be evaluated, the closest state that can is taken,
    /// as for a link, so that the change itself is not lost.
    #[inline(never)]
    pub(super) fn set(&self, state: &State) {
        let (state, _) = state.mended();
        self.edited.set(true);
        if self.rested.replace(false) {
            let ghosts = Plot::ghosts_of(&self.state_now());
            self.look.update(|look| look.ghosts = ghosts);
        }
        self.state.set(state);
    }
}

/// Does something now, and again as soon as anything that it reads has changed, for as long as the page lives.
pub(super) fn follow(act: impl Fn() + 'static) {
    let act: SendWrapper<Box<dyn Fn()>> = SendWrapper::new(Box::new(act));
    std::mem::forget(ImmediateEffect::new(move || {
        act();
    }));
}
