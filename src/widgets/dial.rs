//! A dial: a number to be predicted, with a slider, a field, and two buttons, one to check it and one to skip it.

use leptos::prelude::*;

use super::prediction::buttons;
use crate::dials::{Dial, STOPS};
use crate::sections::masonry::live;
use crate::words;

/// The dial. What it explains once it is open stands in the prose behind it.
pub fn dial(dial: &Dial) -> AnyView {
    let id = dial.id;
    let of = |what: &str| live(&format!("dial.{what}.{id}"));
    let question = (dial.question)();
    let unit = (dial.unit)();
    let open = || live(&format!("dial.open.{id}"));
    let control = format!("dial-{id}");
    view! {
        <div class="dial" id=control.clone() data-score=of("score")>
            <label class="dial-question" for=format!("{control}-number")>{question}</label>
            <div class="dial-row">
                <input
                    type="range"
                    min="0"
                    max=STOPS.to_string()
                    step="1"
                    autocomplete="off"
                    data-dial=id
                    aria-label=question
                    value=of("place")
                    aria-valuetext=of("spoken")
                    disabled=open()
                />
                <span class="number">
                    <span class="number-box">
                        <input
                            type="text"
                            inputmode="decimal"
                            autocomplete="off"
                            spellcheck="false"
                            id=format!("{control}-number")
                            data-dial=id
                            value=of("guess")
                            disabled=open()
                        />
                    </span>
                    <span class="field-error" id=format!("{control}-number-error") role="status"></span>
                </span>
                <span class="unit">{unit}</span>
            </div>
            {buttons(&of("check"), &of("show"), ["check-dial", "show-dial"], id)}
            <p class="dial-said">{of("said")}</p>
            <div class="strip-of-scores" hidden=live(&format!("dial.unscored.{id}"))>
                <span>{words::dial_latest()}</span>
                <ol>{live("dial.strip")}</ol>
            </div>
        </div>
    }
    .into_any()
}
