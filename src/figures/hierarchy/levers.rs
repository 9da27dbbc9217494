//! What the figure is operated with.

use leptos::prelude::*;
use memory_wall_core::hierarchy::Tier;

use crate::components::Radios;
use crate::controls::choices::worded;
use crate::controls::picks;
use crate::store::Store;
use crate::words::{self, labels};

/// Where the weights are thought to lie.
pub fn levers(store: Store) -> impl IntoView {
    let tiers = worded(Tier::ALL, Tier::id, words::tier);
    view! { <Radios store pick=&picks::TIER label=labels::tier_control() choices=tiers /> }
}
