//! A button that is pressed or not.

use leptos::prelude::*;

use crate::state::State;
use crate::store::Store;

/// A button that says whether something holds, and changes it.
#[component]
pub fn Toggle(
    store: Store,
    label: String,
    holds: impl Fn(&State) -> bool + Copy + Send + Sync + 'static,
    press: impl Fn(&mut State) + Copy + 'static,
    /// A longer description.
    #[prop(optional)]
    title: Option<String>,
    #[prop(optional)] class: &'static str,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class=(!class.is_empty()).then_some(class)
            title=title
            aria-pressed=move || if store.with(holds) { "true" } else { "false" }
            on:click=move |_| store.edit(&press)
        >
            {label}
        </button>
    }
}
