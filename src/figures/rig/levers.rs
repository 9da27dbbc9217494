//! What the bar is operated with.

use leptos::prelude::*;
use memory_wall_core::display::ByteUnit;

use crate::components::Toggle;
use crate::store::Store;
use crate::words::labels;

/// GB or GiB, for every size on the page.
pub fn levers(store: Store) -> impl IntoView {
    let button = |unit: ByteUnit| {
        let id = unit.id();
        view! {
            <Toggle
                store
                label=labels::unit(unit).to_owned()
                title=labels::unit_hint(unit).to_owned()
                holds=move |state| state.unit == unit
                press=move |state| state.unit = unit
                attr:data-unit=id
            />
        }
    };
    ByteUnit::EACH.map(button).into_iter().collect_view()
}
