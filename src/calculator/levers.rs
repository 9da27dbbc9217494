//! What the calculator is operated with: model, precision and GPU; sequence length, batch and mode; and what matters less often.

use leptos::prelude::*;
use memory_wall_core::{Attention, Checkpointing, KvPrecision, Mode};

use super::dimensions::Dimensions;
use crate::components::{Radios, Select, Slider};
use crate::controls::choices::{self, worded};
use crate::controls::{Choice, picks, quantities};
use crate::store::Store;
use crate::words::labels;

/// Model, precision and GPU as one line of three lists.
pub fn rig_row(store: Store) -> impl IntoView {
    view! {
        <Select store pick=&picks::MODEL label=labels::control_model() choices=choices::taught() late=true />
        <Select
            store
            pick=&picks::WEIGHTS
            label=labels::control_weights()
            choices=choices::formats()
            offers=choices::takes
        />
        <Select store pick=&picks::GPU label=labels::control_gpu() choices=choices::gpus() late=true />
    }
}

/// Sequence length, batch and mode: the three levers that are always there.
pub fn levers(store: Store) -> impl IntoView {
    let modes = worded(Mode::ALL, Mode::id, labels::mode);
    view! {
        <Slider store slider=&quantities::SEQ />
        <Slider store slider=&quantities::BATCH />
        <Radios store pick=&picks::MODE label=labels::control_mode() choices=modes />
    }
}

/// What matters less often: KV precision, attention, optimizer, checkpointing, the model's own dimensions.
pub fn more(store: Store) -> impl IntoView {
    let kv = KvPrecision::ALL.iter().map(|kv| Choice::plain(kv.id(), kv.label())).collect();
    let attention = worded(Attention::ALL, Attention::id, labels::attention);
    let checkpointing = worded(Checkpointing::ALL, Checkpointing::id, labels::checkpointing);
    view! {
        <Select store pick=&picks::KV label=labels::control_kv() choices=kv />
        <Select store pick=&picks::ATTENTION label=labels::control_attention() choices=attention />
        <Select store pick=&picks::OPTIMIZER label=labels::control_optimizer() choices=choices::optimizers() />
        <Select store pick=&picks::RECIPE label=labels::control_recipe() choices=choices::recipes() />
        <Select store pick=&picks::TARGETS label=labels::control_targets() choices=choices::targets() />
        <Select store pick=&picks::ADAPTERS label=labels::control_adapters() choices=choices::adapters() />
        <Select store pick=&picks::CHECKPOINTING label=labels::control_checkpointing() choices=checkpointing />
        <Dimensions
            store
            legend=labels::control_dimensions()
            called=labels::dimension
        />
    }
}
