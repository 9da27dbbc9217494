//! Where the weights are thought to lie.

use leptos::prelude::*;
use memory_wall_core::hierarchy::Tier;

use crate::rig::Rig;
use crate::widgets::choice::{Choice, Radios};
use crate::words::{self, t};

/// One of the tiers of memory.
pub fn tiers(rig: Rig) -> AnyView {
    let choices = Tier::ALL
        .iter()
        .map(|tier| Choice { id: tier.id(), label: words::choice("tier.name", tier.id()), group: "" })
        .collect();
    view! {
        <Radios
            control="tier"
            label=t("tier.control")
            choices
            chosen=Signal::derive(move || rig.state().tier.id())
            pick=Callback::new(move |id| {
                rig.edit(|state| state.tier = Tier::from_id(id).unwrap_or(state.tier));
            })
        />
    }
    .into_any()
}
