//! What the figure is operated with.

use leptos::prelude::*;

use crate::components::{LabelledField, Select};
use crate::controls::choices;
use crate::controls::fields::{MFU_FROM, MFU_TO, TRAIN_GPUS, TRAIN_PRICE, TRAIN_TOKENS};
use crate::controls::{Field, Own, picks};
use crate::store::Store;
use crate::words::labels;

/// A field under its label.
fn number(store: Store, own: &'static Own, label: &'static str) -> impl IntoView {
    view! { <LabelledField store field=Field::Own(own) control=own.control label inputmode="decimal" /> }
}

/// The two numbers that decide.
pub fn levers(store: Store) -> impl IntoView {
    view! {
        {number(store, &TRAIN_GPUS, labels::spend_gpus())}
        {number(store, &TRAIN_PRICE, labels::spend_per_hour())}
    }
}

/// What matters less often.
pub fn more(store: Store) -> impl IntoView {
    view! {
        {number(store, &TRAIN_TOKENS, labels::spend_tokens())}
        <Select store pick=&picks::TRAIN_MODEL label=labels::control_model() choices=choices::taught() late=true />
        <Select store pick=&picks::TRAIN_GPU label=labels::control_gpu() choices=choices::gpus() late=true />
        {number(store, &MFU_FROM, labels::spend_mfu_from())}
        {number(store, &MFU_TO, labels::spend_mfu_to())}
    }
}
