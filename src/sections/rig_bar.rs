//! The slim bar at the top: what is being computed, in one line, and what comes out.

use leptos::prelude::*;

use super::masonry::{live, part};
use crate::words::t;

/// The bar.
pub fn rig_bar() -> AnyView {
    view! {
        <div class="rig-inner" role="group" aria-label=t("rig.label")>
            <a class="rig-line" href="#calculator">{live("rig_line")}</a>
            <span class="rig-total" data-verdict=live("verdict_id")>
                <strong>{live("rig_total")}</strong>
                <span class="rig-verdict">{live("verdict")}</span>
            </span>
            {part("units")}
        </div>
    }
    .into_any()
}
