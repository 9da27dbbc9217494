//! What the figure is operated with.

use leptos::prelude::*;

use crate::components::Radios;
use crate::controls::{Choice, picks};
use crate::state::cluster::GpuCount;
use crate::store::Store;
use crate::words::labels;

/// How many GPUs.
pub fn levers(store: Store) -> impl IntoView {
    let gpus = GpuCount::ALL.iter().map(|gpus| Choice::plain(gpus.id(), gpus.id())).collect();
    view! { <Radios store pick=&picks::CLUSTER_GPUS label=labels::control_gpus() choices=gpus /> }
}
