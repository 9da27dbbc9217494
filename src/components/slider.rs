//! A long logarithmic slider with marks at real values, a number field beside it and buttons for one step.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
#[cfg(not(target_arch = "wasm32"))]
use memory_wall_core::display::Grouped;

use super::{NumberField, elements, show};
use crate::controls::{self, Field, Quantity};
use crate::state::State;
use crate::store::Store;
use crate::words::labels;

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
#[component]
pub fn Slider(store: Store, slider: &'static controls::Slider) -> impl IntoView {
    let controls::Slider { control, quantity, .. } = *slider;
    let label = match quantity {
        Quantity::SeqLength => labels::control_seq(),
        Quantity::Batch => labels::control_batch(),
    };
    let (id, unit, stops) = (format!("control-{control}"), quantity.unit(), quantity.stops());
    let range = NodeRef::<html::Input>::new();
    // A slider, one of its marks or a step has the last word: what stands half typed in the field is past then.
    let settled = ArcTrigger::new();
    show(
        store,
        &settled,
        move |state| slider.place(state).to_string(),
        move |place| {
            if let Some(range) = range.get_untracked() {
                range.set_value(place);
            }
        },
    );
    let set = {
        let settled = settled.clone();
        move |value: u32| {
            store.edit(&|state| quantity.set(state, value));
            settled.notify();
        }
    };
    let step = {
        let set = set.clone();
        move |up: bool| {
            let now = quantity.of(&store.now());
            set(if up { stops.above(now) } else { stops.below(now) });
        }
    };
    let (marks, row) = (marks(quantity), NodeRef::<html::Div>::new());
    show(
        store,
        &settled,
        move |state| quantity.of(state).to_string(),
        move |now| {
            for (button, (mark, _)) in elements(row).zip(marks) {
                // An attribute with a legal name can be set.
                let _ = button.set_attribute("aria-pressed", if mark.to_string() == now { "true" } else { "false" });
            }
        },
    );
    let press = set.clone();
    // What stands in the page is taken as it is: only the prerenderer writes it.
    #[cfg(not(target_arch = "wasm32"))]
    let buttons = written(quantity, label, marks);
    #[cfg(target_arch = "wasm32")]
    let buttons = "";
    let (less, more, by_key) = (step.clone(), step.clone(), step);
    view! {
        <div class="control control-slider" data-control=control>
            <div class="slider-head">
                <label for=id.clone()>{label}</label>
                <span class="stepper">
                    <button
                        type="button"
                        class="step"
                        aria-label=labels::ControlLess { label }.text()
                        on:click=move |_| less(false)
                    >
                        "−"
                    </button>
                    <NumberField
                        store
                        field=Field::Quantity(quantity)
                        id=format!("{id}-number")
                        name=Some(labels::ControlValue { label, unit }.text())
                        settled
                    />
                    <span class="unit" aria-hidden="true">
                        {unit}
                    </span>
                    <button
                        type="button"
                        class="step"
                        aria-label=labels::ControlGreater { label }.text()
                        on:click=move |_| more(true)
                    >
                        "+"
                    </button>
                </span>
            </div>
            <input
                type="range"
                id=id
                min="0"
                max=stops.last().to_string()
                step="1"
                autocomplete="off"
                value=slider.place(&State::default()).to_string()
                node_ref=range
                aria-valuetext=move || store.ask(|snapshot| slider.spoken(snapshot))
                on:input=move |event| {
                    if let Ok(place) = event_target_value(&event).parse() {
                        set(stops.at(place));
                    }
                }
                on:keydown=move |event: ev::KeyboardEvent| {
                    // Arrows go to the next stop, also from a value between two. With Alt, Ctrl or Meta a key is the browser's own.
                    let up = match event.key().as_str() {
                        "ArrowRight" | "ArrowUp" => true,
                        "ArrowLeft" | "ArrowDown" => false,
                        _ => return,
                    };
                    if !(event.ctrl_key() || event.alt_key() || event.meta_key()) {
                        event.prevent_default();
                        by_key(up);
                    }
                }
            />
            <div
                class="marks"
                node_ref=row
                on:click=move |event| {
                    let pressed = event.target().and_then(|target| target.dyn_into().ok());
                    let place = elements(row).position(|button| Some(button) == pressed);
                    if let Some((mark, _)) = place.and_then(|place| marks.get(place)) {
                        press(*mark);
                    }
                }
                inner_html=buttons
            ></div>
        </div>
    }
}

/// The marks as they stand in the page.
#[cfg(not(target_arch = "wasm32"))]
fn written(quantity: Quantity, label: &str, marks: &[(u32, &'static str)]) -> String {
    let stops = quantity.stops();
    let mark = |&(mark, text): &(u32, &'static str)| {
        // Where the thumb stands at this value: its centre travels the track less its own width.
        let at = stops.place(mark) * 10_000 / stops.last().max(1);
        let n = Grouped(mark.into()).to_string();
        // What is seen is part of what is said.
        let name = if n == text {
            labels::ControlMark { label, n: &n }.text()
        } else {
            labels::ControlMarkShort { label, text, n: &n }.text()
        };
        view! {
            <button
                type="button"
                class="mark"
                style:--at=format!("{}.{:04}", at / 10_000, at % 10_000)
                aria-pressed=if quantity.of(&State::default()) == mark { "true" } else { "false" }
                aria-label=name
            >
                {text}
            </button>
        }
        .to_html()
    };
    marks.iter().map(mark).collect()
}
