//! The figures, a folder each: `model.rs` says what a figure shows, `view.rs` draws it, `style.css` and `tests.rs` go with it.
//!
//! A *model* holds what a figure shows of the reader's settings. It is computed once after each change.
//! A *binding* is something on the page that follows a model: a text, an attribute, or whether an attribute is there.
//! Views use bindings as they are; the prose uses their names, such as `{{live states.total.mixed}}`.
//! The built page has two numbers instead, `data-b="9:13"`, or how far they lie from the ones before: see [`Place`] and [`Places`].

pub mod activation;
mod answer;
pub(crate) mod binding;
pub mod buckets;
pub mod context;
pub mod cuts;
pub mod fixes;
pub mod frontier;
pub mod heads;
pub mod hierarchy;
pub mod kv_cache;
pub mod kv_pages;
pub mod ladder;
pub mod layer;
pub mod matrix;
pub mod minute;
mod models;
pub mod money;
#[cfg(not(target_arch = "wasm32"))]
mod names;
pub mod oom;
pub mod oom_guess;
pub mod opening;
pub mod parallel;
pub mod peak;
pub mod phases;
pub mod profile;
pub mod recompute;
pub mod rig;
pub mod roofline;
pub mod rungs;
pub mod scaling;
pub mod schedule;
pub mod serve_cost;
pub mod share;
pub mod sides;
pub mod sort;
pub mod states;
#[cfg(test)]
mod tests;
pub mod tiles;
pub mod train_cost;
pub mod training;
pub mod trips;
pub mod worked_roofline;

pub use answer::{Answer, dash, number, round};
#[cfg(not(target_arch = "wasm32"))]
pub use binding::Steps;
pub(crate) use binding::bindings;
pub use binding::{Bindings, Nth, Place, Places};
#[cfg(not(target_arch = "wasm32"))]
pub use models::said;
pub use models::{Live, Models, far, live};
#[cfg(not(target_arch = "wasm32"))]
pub use names::{bound, bound_at, bound_of, find, name, names};

use crate::live::Snapshot;

/// What a figure shows of the reader's settings. Two that are equal look the same on the page.
pub trait Model: PartialEq + Sized + 'static {
    /// The figure's name: that of its folder, also used in the prose and in links.
    const ID: &'static str;
    /// What follows it on the page.
    type Binding: Bindings;

    /// Computed once after each change.
    fn of(snapshot: &Snapshot) -> Self;

    /// What a binding says now.
    fn answer(&self, binding: Self::Binding) -> Answer;

    /// The same of something that the page names and the program doesn't know, such as a question of the self-check.
    fn answer_of(&self, binding: Self::Binding, _of: &str) -> Answer {
        self.answer(binding)
    }
}

/// The value with this place among values for each choice of an enumeration.
pub(crate) fn pick<T: Copy + Default>(values: &[T], place: usize) -> T {
    values.get(place).copied().unwrap_or_default()
}
