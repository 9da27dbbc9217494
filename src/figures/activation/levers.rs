//! What the figure is operated with.

use leptos::prelude::*;

use crate::components::Slider;
use crate::controls::quantities;
use crate::store::Store;

/// The batch.
pub fn levers(store: Store) -> impl IntoView {
    view! { <Slider store slider=&quantities::TRAINING_BATCH /> }
}

/// The sequence length, which matters less often.
pub fn more(store: Store) -> impl IntoView {
    view! { <Slider store slider=&quantities::TRAINING_SEQ /> }
}
