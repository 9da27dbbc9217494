//! What the figure is operated with.

use leptos::prelude::*;

use crate::components::{LabelledField, Slider};
use crate::controls::fields::SERVE_PRICE;
use crate::controls::{Field, quantities};
use crate::store::Store;
use crate::words::labels;

/// The batch.
pub fn levers(store: Store) -> impl IntoView {
    view! { <Slider store slider=&quantities::SERVE_BATCH /> }
}

/// What a GPU costs an hour.
pub fn more(store: Store) -> impl IntoView {
    let (own, label) = (&SERVE_PRICE, labels::spend_per_hour());
    view! { <LabelledField store field=Field::Own(own) control=own.control label=label inputmode="decimal" /> }
}
