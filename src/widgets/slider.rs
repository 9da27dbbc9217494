//! A long logarithmic slider with marks at real values, a number field beside it and buttons for one step.

use leptos::prelude::*;
use memory_wall_core::bounds::Bounds;
use memory_wall_core::display::Grouped;

use super::bind::{state, text};
use super::number_field::NumberField;
use super::stops::Stops;
use crate::words::fill;

/// A slider over the stops of a quantity. The number field goes beyond them, to the whole legal range.
#[component]
pub fn Slider(
    control: &'static str,
    label: &'static str,
    /// What is counted, in the plural.
    unit: &'static str,
    bounds: Bounds,
    /// The stops, made anew on demand: they are cheap.
    stops: fn() -> Stops,
    /// Values with a mark, each a button that sets it.
    marks: &'static [(u32, &'static str)],
    #[prop(into)] value: Signal<u32>,
    set: Callback<u32>,
    /// What the value means, read out with it: "KV cache 1.07 GB".
    #[prop(into)]
    consequence: Signal<String>,
) -> impl IntoView {
    let list = StoredValue::new(stops());
    // Raised by every pick with the slider, a mark or a step: what stands half typed in the field is past then.
    let picks = RwSignal::new(0_u32);
    let pick = move |number: u32| {
        picks.update(|count| *count = count.wrapping_add(1));
        set.run(number);
    };
    let place = text(move || list.with_value(|stops| stops.place(value.get())).to_string());
    let end = list.with_value(Stops::last);
    let spoken = text(move || format!("{} {unit}, {}", Grouped(value.get().into()), consequence.get()));
    let dragged = move |event| {
        if let Ok(place) = event_target_value(&event).parse::<usize>() {
            pick(list.with_value(|stops| stops.at(place)));
        }
    };
    let step = move |up: bool| {
        let now = value.get_untracked();
        pick(list.with_value(|stops| if up { stops.above(now) } else { stops.below(now) }));
    };
    let marks = marks
        .iter()
        .map(|&(mark, text)| {
            // Where the thumb stands at this value: its centre travels the track less its own width.
            let at = list.with_value(|stops| stops.place(mark)) * 10_000 / end.max(1);
            view! {
                <button
                    type="button"
                    class="mark"
                    style:--at=format!("{}.{:04}", at / 10_000, at % 10_000)
                    aria-pressed=state(move || value.get() == mark)
                    aria-label=fill("control.mark", &[("label", label), ("n", &Grouped(mark.into()).to_string())])
                    on:click=move |_| pick(mark)
                >
                    {text}
                </button>
            }
        })
        .collect_view();
    let id = format!("control-{control}");
    view! {
        <div class="control control-slider" data-control=control>
            <div class="slider-head">
                <label for=id.clone()>{label}</label>
                <span class="stepper">
                    <button type="button" class="step" aria-label=fill("control.less", &[("label", label)]) on:click=move |_| step(false)>
                        "−"
                    </button>
                    <NumberField
                        id=format!("{id}-number")
                        name=fill("control.value", &[("label", label), ("unit", unit)])
                        bounds
                        value
                        forget=picks
                        set=Callback::new(move |number| {
                            set.run(number);
                            Ok(())
                        })
                    />
                    <span class="unit" aria-hidden="true">{unit}</span>
                    <button type="button" class="step" aria-label=fill("control.greater", &[("label", label)]) on:click=move |_| step(true)>
                        "+"
                    </button>
                </span>
            </div>
            <input
                type="range"
                id=id
                min="0"
                max=end.to_string()
                step="1"
                value=place
                prop:value=place
                aria-valuetext=spoken
                on:input=dragged
            />
            <div class="marks">{marks}</div>
        </div>
    }
}
