//! The model's own dimensions as fields.

use leptos::prelude::*;
use memory_wall_core::display::Grouped;

use crate::components::FieldGrid;
use crate::controls::Field;
use crate::live::Snapshot;
use crate::state::dimensions::{self, Dimension};
use crate::store::Store;
use crate::words;

/// The model's own dimensions as fields.
#[component]
pub fn Dimensions(
    store: Store,
    legend: &'static str,
    /// What each is called.
    called: fn(Dimension) -> &'static str,
) -> impl IntoView {
    let fields = Dimension::ALL.map(|one| (Field::Dimension(one), one.id(), called(one).to_owned()));
    let settled = ArcTrigger::new();
    let again = settled.clone();
    view! {
        <fieldset class="dimensions">
            <legend>{legend}</legend>
            <FieldGrid store fields=fields.into() settled />
            <p class="dimension-count" id="dimension-count" data-waits=move || store.with(|state| state.draft.is_some())>
                {move || store.ask(counted)}
            </p>
            // Said rather than disabled: a button that is pressed keeps the focus.
            <button
                type="button"
                class="plain-button"
                aria-disabled=move || {
                    if store.with(|state| state.written() == state.model.architecture) { "true" } else { "false" }
                }
                on:click=move |_| {
                    store.edit(&|state| state.choose_model(state.model));
                    again.notify();
                }
            >
                {move || store.with(|state| words::ControlDimensionsReset { model: state.model.name }.text())}
            </button>
        </fieldset>
    }
}

/// How many parameters the dimensions make, or why they make no model yet.
fn counted(snapshot: &Snapshot) -> String {
    let parameters = snapshot.evaluation.parameters.total();
    dimensions::disagreement(&snapshot.state).unwrap_or_else(|| {
        words::ControlDimensionsCounted { parameters: &Grouped(parameters.into()).to_string() }.text()
    })
}
