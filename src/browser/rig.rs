//! The rig: the one state and its evaluation, shared by every figure on the page.

use std::sync::Arc;

use memory_wall_core::{Evaluation, evaluate};
use reactive_graph::computed::Memo;
use reactive_graph::effect::ImmediateEffect;
use reactive_graph::owner::{LocalStorage, StoredValue};
use reactive_graph::prelude::*;
use reactive_graph::signal::RwSignal;

use crate::charts::roofline::{Look, Plot};
use crate::live::Snapshot;
use crate::predictions::Predictions;
use crate::state::State;

/// Handles to the shared signals; copied freely.
#[derive(Clone, Copy)]
pub(super) struct Rig {
    /// What the reader has chosen.
    pub(super) state: RwSignal<State>,
    /// What the engine says to it; computed once for all figures.
    pub(super) evaluation: Memo<Evaluation>,
    /// Whether the reader has changed anything on this page: until then neither link nor storage is written.
    pub(super) edited: RwSignal<bool>,
    /// What the reader has predicted.
    pub(super) predictions: RwSignal<Predictions>,
    /// What of the roofline the reader looks at.
    pub(super) look: RwSignal<Look>,
    /// Whether the state has rested since: then the next change begins a new series.
    pub(super) rested: RwSignal<bool>,
    /// The roofline, computed once for its drawing and its words.
    pub(super) roofline: Memo<Arc<Plot>>,
}

impl Rig {
    /// A rig that starts from `state`.
    pub(super) fn new(state: &State) -> Self {
        let state = RwSignal::new(*state);
        // The unit changes no number, so it does not ask the engine again.
        let scenario = Memo::new(move |_| state.get().scenario());
        let evaluation = Memo::new(move |_| evaluate(&scenario.get()));
        let look = RwSignal::new(Look::default());
        // Computed only when something has changed, so it is never the same again.
        let roofline =
            Memo::new_with_compare(move |_| look.with(|look| Arc::new(Plot::of(&state.get(), look))), |_, _| true);
        Self {
            state,
            evaluation,
            edited: RwSignal::new(false),
            predictions: RwSignal::default(),
            look,
            rested: RwSignal::new(true),
            roofline,
        }
    }

    /// The state, tracked. Not inlined: every figure asks for it in many places, and the page loads each copy.
    #[inline(never)]
    pub(super) fn state(self) -> State {
        self.state.get()
    }

    /// The state, without following it.
    #[inline(never)]
    pub(super) fn state_now(self) -> State {
        self.state.get_untracked()
    }

    /// What the engine says, tracked.
    #[inline(never)]
    pub(super) fn evaluation(self) -> Evaluation {
        self.evaluation.get()
    }

    /// State and evaluation together, tracked: what the page can be asked for by name.
    #[inline(never)]
    pub(super) fn snapshot(self) -> Snapshot {
        let mut snapshot = Snapshot::with(self.state(), self.evaluation()).drawn(self.roofline.get());
        snapshot.predictions = self.predictions();
        snapshot
    }

    /// What the reader has predicted, tracked.
    #[inline(never)]
    pub(super) fn predictions(self) -> Predictions {
        self.predictions.get()
    }

    /// Changes the predictions.
    #[inline(never)]
    pub(super) fn predict(self, change: &dyn Fn(&mut Predictions)) {
        let mut predictions = self.predictions.get_untracked();
        change(&mut predictions);
        self.predictions.set(predictions);
    }

    /// Puts a changed state in place as the reader's own act.
    #[inline(never)]
    pub(super) fn set(self, state: &State) {
        self.edited.set(true);
        if self.rested.get_untracked() {
            self.rested.set(false);
            let ghosts = Plot::ghosts_of(&self.state_now());
            self.look.update(|look| look.ghosts = ghosts);
        }
        self.state.set(*state);
    }
}

/// Does something now, and again as soon as anything that it reads has changed.
pub(super) fn follow(act: impl Fn() + 'static) {
    let act: StoredValue<Box<dyn Fn()>, LocalStorage> = StoredValue::new_local(Box::new(act));
    ImmediateEffect::new_scoped(move || act.with_value(|act| act()));
}
