//! A long logarithmic slider with marks at real values, a number field beside it and buttons for one step.

use leptos::prelude::*;
use memory_wall_core::display::Grouped;

use super::field::field;
use crate::controls::{Quantity, Slider};
use crate::sections::masonry::live;
use crate::words::{fill, t};

/// Values with a mark, each a button that sets it. A k is 1,024, as in the fields and in the names of context lengths.
const fn marks(quantity: Quantity) -> &'static [(u32, &'static str)] {
    match quantity {
        Quantity::SeqLength => {
            &[(1 << 11, "2k"), (1 << 13, "8k"), (1 << 15, "32k"), (1 << 17, "128k"), (1 << 20, "1M")]
        }
        Quantity::Batch => &[(1, "1"), (8, "8"), (64, "64"), (512, "512"), (1 << 12, "4k")],
    }
}

/// A slider over the stops of a quantity. The number field goes beyond them, to the whole legal range.
pub fn slider(slider: &Slider) -> AnyView {
    let Slider { control, quantity, .. } = *slider;
    let label = match quantity {
        Quantity::SeqLength => t("control.seq"),
        Quantity::Batch => t("control.batch"),
    };
    let (unit, stops) = (quantity.unit(), quantity.stops());
    let end = stops.last();
    let marks = marks(quantity)
        .iter()
        .map(|&(mark, text)| {
            // Where the thumb stands at this value: its centre travels the track less its own width.
            let at = stops.place(mark) * 10_000 / end.max(1);
            let n = Grouped(mark.into()).to_string();
            // What is seen is part of what is said.
            let key = if n == text { "control.mark" } else { "control.mark.short" };
            let name = fill(key, &[("label", label), ("text", text), ("n", &n)]);
            view! {
                <button
                    type="button"
                    class="mark"
                    style:--at=format!("{}.{:04}", at / 10_000, at % 10_000)
                    aria-pressed=live(&format!("control.mark.{control}.{mark}"))
                    aria-label=name
                    data-act=format!("mark {control} {mark}")
                >
                    {text}
                </button>
            }
        })
        .collect_view();
    let id = format!("control-{control}");
    let step = |act: &'static str, name: String, sign: &'static str| {
        view! {
            <button type="button" class="step" aria-label=name data-act=format!("{act} {control}")>
                {sign}
            </button>
        }
    };
    let name = fill("control.value", &[("label", label), ("unit", unit)]);
    view! {
        <div class="control control-slider" data-control=control>
            <div class="slider-head">
                <label for=id.clone()>{label}</label>
                <span class="stepper">
                    {step("less", fill("control.less", &[("label", label)]), "−")}
                    {field(control, &format!("{id}-number"), Some(name), "numeric")}
                    <span class="unit" aria-hidden="true">{unit}</span>
                    {step("more", fill("control.greater", &[("label", label)]), "+")}
                </span>
            </div>
            <input
                type="range"
                id=id
                min="0"
                max=end.to_string()
                step="1"
                autocomplete="off"
                value=live(&format!("control.place.{control}"))
                aria-valuetext=live(&format!("control.spoken.{control}"))
            />
            <div class="marks">{marks}</div>
        </div>
    }
    .into_any()
}
