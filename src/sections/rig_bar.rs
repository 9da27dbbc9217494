//! The slim bar at the top: what is being computed, in one line, and what comes out.

use leptos::prelude::*;
use memory_wall_core::display::{ByteUnit, Grouped};

use crate::rig::Rig;
use crate::sections::buckets::verdict_words;
use crate::widgets::bind::{maybe, state, text};
use crate::words::{self, fill, t};

/// The bar.
#[component]
pub fn RigBar(rig: Rig) -> impl IntoView {
    let line = text(move || {
        let state = rig.state();
        let [batch, seq] = [state.batch, state.seq_length].map(|n| Grouped(n.into()).to_string());
        let model = state.model_name();
        let values = [
            ("model", model.as_str()),
            ("weights", state.weights_in_use().label()),
            ("batch", &batch),
            ("seq", &seq),
            ("gpu", state.gpu.name),
        ];
        fill("rig.line", &values)
    });
    let total = text(move || {
        let evaluation = rig.evaluation();
        let (total, capacity) = (evaluation.total, evaluation.fit.map(|fit| fit.capacity));
        fill("rig.total", &[("total", &rig.size(total)), ("capacity", &rig.size(capacity.unwrap_or_default()))])
    });
    let verdict = move || rig.evaluation().fit.map(|fit| fit.verdict);
    let units = ByteUnit::ALL
        .into_iter()
        .map(|unit| {
            let pressed = state(move || rig.state().unit == unit);
            view! {
                <button
                    type="button"
                    data-unit=unit.id()
                    aria-pressed=pressed
                    title=words::choice("control.unit", &format!("{}.hint", unit.id()))
                    on:click=move |_| rig.edit(|state| state.unit = unit)
                >
                    {words::choice("control.unit", unit.id())}
                </button>
            }
        })
        .collect_view();
    view! {
        <div class="rig-inner" role="group" aria-label=t("rig.label")>
            <a class="rig-line" href="#calculator">{line}</a>
            <span class="rig-total" data-verdict=maybe(move || verdict().map(|verdict| verdict.id().into()))>
                <strong>{total}</strong>
                <span class="rig-verdict">{text(move || verdict().map_or_else(String::new, verdict_words))}</span>
            </span>
            <span class="units" role="group" aria-label=t("control.unit")>{units}</span>
        </div>
    }
}
