//! What the figure is operated with.

use leptos::prelude::*;

use crate::components::Select;
use crate::controls::{choices, picks};
use crate::store::Store;
use crate::words::labels;

/// The layers that carry an adapter, and its precision.
pub fn levers(store: Store) -> impl IntoView {
    view! {
        <Select store pick=&picks::TRAINING_TARGETS label=labels::train_targets() choices=choices::targets() />
        <Select store pick=&picks::TRAINING_ADAPTERS label=labels::train_adapters() choices=choices::adapters() />
    }
}
