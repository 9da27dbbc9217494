//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;

use super::ROUND;
use crate::sections::masonry::live;
use crate::sections::reasons::reasons;
use crate::widgets::prediction::{guess, reveal};
use crate::words;

/// The figure.
pub fn view() -> AnyView {
    let why = |option: &str| {
        let said = match option {
            "allocated" => words::profile_peak_allocated(),
            "reserved" => words::profile_peak_reserved(),
            _ => words::profile_peak_used(),
        };
        said.to_owned()
    };
    view! {
        <div class="profile-peak">
            <div class="part">{guess(&ROUND, "peak", words::profile_peak_question().into())} {reveal(&ROUND)}</div>
            <p class="sort-score">{live("predict.outcome.peak")}</p>
            {reasons(&ROUND, "peak", why)}
        </div>
    }
    .into_any()
}
