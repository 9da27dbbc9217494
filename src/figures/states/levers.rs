//! What the figure is operated with.

use leptos::prelude::*;

use crate::components::Select;
use crate::controls::{choices, picks};
use crate::store::Store;
use crate::words::labels;

/// How the states are kept, and with which optimizer.
pub fn levers(store: Store) -> impl IntoView {
    view! {
        <Select store pick=&picks::TRAINING_RECIPE label=labels::train_recipe() choices=choices::recipes() />
        <Select store pick=&picks::TRAINING_OPTIMIZER label=labels::train_optimizer() choices=choices::optimizers() />
    }
}
