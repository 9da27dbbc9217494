//! The models of the figures as the page shows them now.

use memory_wall_core::display::ByteUnit;

use super::{Answer, Bindings, Model, Place};
use crate::far;
use crate::live::Snapshot;
use crate::registry::FIGURES;

/// The model of one figure, kept where its type is not known.
pub trait Live {
    /// Computes it for the reader's settings, and says whether it is another than before.
    fn follow(&mut self, snapshot: &Snapshot) -> bool;

    /// What the binding with this place says of something. The place comes from the page: there may be no such binding.
    fn answer(&self, binding: usize, of: &str) -> Option<Answer>;
}

/// A model with the unit that its sizes are written in; `FAR` if it is in the far part of the program.
struct Shown<M, const FAR: bool>(Option<(M, ByteUnit)>);

/// A figure that has shown nothing yet.
pub fn live<M: Model>() -> Box<dyn Live> {
    Box::new(Shown::<M, false>(None))
}

/// The same in the far part of the program.
pub fn far<M: Model>() -> Box<dyn Live> {
    Box::new(Shown::<M, true>(None))
}

impl<M: Model, const FAR: bool> Live for Shown<M, FAR> {
    fn follow(&mut self, snapshot: &Snapshot) -> bool {
        if FAR {
            far::apart();
        }
        let new = Some((M::of(snapshot), snapshot.state.unit));
        let differs = self.0 != new;
        if differs {
            self.0 = new;
        }
        differs
    }

    fn answer(&self, binding: usize, of: &str) -> Option<Answer> {
        if FAR {
            far::apart();
        }
        let (model, _) = self.0.as_ref()?;
        Some(model.answer_of(*M::Binding::ALL.get(binding)?, of))
    }
}

struct Held {
    figure: usize,
    live: Box<dyn Live>,
    /// Whether the settings have changed since it was computed.
    stale: bool,
    /// How often it has changed.
    changes: u32,
}

/// The models of the figures that have been asked about; each is computed when it is asked about again after a change.
#[derive(Default)]
pub struct Models(Vec<Held>);

impl Models {
    /// Says that the reader's settings have changed.
    pub fn stale(&mut self) {
        for held in &mut self.0 {
            held.stale = true;
        }
    }

    /// How often the model of a figure has changed; `None` if there is no such figure. While that is the same, so is every
    /// answer.
    pub fn changes(&mut self, figure: usize, snapshot: &Snapshot) -> Option<u32> {
        if !self.0.iter().any(|held| held.figure == figure) {
            let live = FIGURES.get(figure)?.live?();
            self.0.push(Held { figure, live, stale: true, changes: 0 });
        }
        let held = self.0.iter_mut().find(|held| held.figure == figure)?;
        if std::mem::take(&mut held.stale) && held.live.follow(snapshot) {
            held.changes += 1;
        }
        Some(held.changes)
    }

    /// What a binding says; `None` if there is no such binding.
    pub fn answer(&mut self, place: Place, snapshot: &Snapshot) -> Option<Answer> {
        self.answer_of(place, "", snapshot)
    }

    /// What a binding says of something that the page names.
    pub fn answer_of(&mut self, place: Place, of: &str, snapshot: &Snapshot) -> Option<Answer> {
        self.changes(place.figure, snapshot)?;
        self.0.iter().find(|held| held.figure == place.figure)?.live.answer(place.binding, of)
    }
}

/// What a binding says with these settings, in words.
#[cfg(not(target_arch = "wasm32"))]
pub fn said<M: Model>(snapshot: &Snapshot, binding: M::Binding) -> String {
    M::of(snapshot).answer(binding).text(snapshot.state.unit)
}
