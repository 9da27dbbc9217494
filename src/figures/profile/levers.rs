//! What was measured, typed number by number.

use leptos::prelude::*;

use crate::components::LabelledField;
use crate::controls::{Field, MEASURED};
use crate::store::Store;
use crate::words::labels;

/// A field for each number.
pub fn levers(store: Store) -> impl IntoView {
    let labels = [labels::profile_field_allocated(), labels::profile_field_reserved(), labels::profile_field_used()];
    let fields = MEASURED.iter().zip(labels).enumerate().map(|(place, (control, label))| {
        view! { <LabelledField store field=Field::Measured(place) control=*control label inputmode="text" /> }
    });
    fields.collect_view()
}
