//! The slim bar at the top: what is being computed, in one line, and what comes out; and under it what a link was not understood in.

use leptos::prelude::*;

use super::levers;
use super::masonry::live;
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
            {levers::units()}
        </div>
    }
    .into_any()
}

/// What could not be used of a link: filled by the browser, and closed by the reader.
pub fn notice() -> AnyView {
    view! {
        <div id="notice">
            <div class="notice" role="alert" hidden=true>
                <p class="notice-title">{t("notice.title")}</p>
                <ul></ul>
                <button type="button" aria-label=t("notice.close") data-act="close">"×"</button>
            </div>
        </div>
    }
    .into_any()
}
