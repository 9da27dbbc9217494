//! What the figure is operated with.

use leptos::prelude::*;

use crate::components::Slider;
use crate::controls::quantities;
use crate::store::Store;

/// Sequence length and batch.
pub fn levers(store: Store) -> impl IntoView {
    view! {
        <Slider store slider=&quantities::KV_SEQ />
        <Slider store slider=&quantities::KV_BATCH />
    }
}
