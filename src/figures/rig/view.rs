//! How the bar is drawn, once, when the page is built; and under it what a link was not understood in.

use leptos::prelude::*;

use super::model::{Binding, Model};
use crate::figures::bound;
use crate::words;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// The bar.
pub fn view() -> AnyView {
    view! {
        <div class="rig-inner" role="group" aria-label=words::rig_label()>
            <a class="rig-line" href="#calculator">{live(Binding::Line)}</a>
            <span class="rig-total" data-verdict=live(Binding::VerdictId)>
                <strong>{live(Binding::Total)}</strong>
                <span class="rig-verdict">{live(Binding::Verdict)}</span>
            </span>
            <span class="units" role="group" aria-label=words::control_unit() data-levers="rig">
                "{{levers rig}}"
            </span>
        </div>
    }
    .into_any()
}

/// What could not be used of a link: filled by the browser, and closed by the reader.
pub fn notice() -> AnyView {
    view! {
        <div id="notice">
            <div class="notice" role="alert" hidden=true>
                <p class="notice-title">{words::notice_title()}</p>
                <ul></ul>
                <button type="button" aria-label=words::notice_close() data-act="close">"×"</button>
            </div>
        </div>
    }
    .into_any()
}
