//! A model of the reader's own, by its `config.json`.

use leptos::html;
use leptos::prelude::*;
use memory_wall_core::display::Count;
use memory_wall_plan::OwnModel;

use crate::board::{Board, Slot};
use crate::desk::Desk;
use crate::inputs::{message, normal, put, read, text};
use crate::{browser, words};

/// A model of the reader's own: its `config.json`, pasted, typed or chosen.
#[component]
pub(crate) fn OwnConfig(desk: Desk) -> impl IntoView {
    let place = NodeRef::<html::Textarea>::new();
    let text = Memo::new(move |_| desk.sheet(|sheet| text(sheet, CONFIG)).unwrap_or_default());
    let own = move || desk.sheet(|sheet| sheet.asked.plan.own_model().map(own)).flatten();
    let fault = move || desk.sheet(|sheet| sheet.mistake(CONFIG).map(|typed| message(CONFIG, typed))).flatten();
    Effect::new(move || {
        let now = text.get();
        if let Some(place) = place.get()
            && normal(CONFIG, &place.value()) != now
        {
            place.set_value(&now);
        }
    });
    // Whether what reads configs was asked for and did not come.
    let missing = RwSignal::new(false);
    let with = move |act: Box<dyn FnOnce()>| {
        let plan = desk.now(Board::chosen);
        browser::with_configs(move |came| {
            missing.set(!came);
            // Another plan may have been chosen meanwhile.
            if came && desk.now(Board::chosen) == plan {
                act();
            }
        });
    };
    let take = move |text: String| with(Box::new(move || put(desk, CONFIG, &text)));
    view! {
        <div class="field own-model" data-field=CONFIG>
            <p class="own-model-name" hidden=move || own().is_none()>
                {own}
            </p>
            <details class="more">
                <summary>{words::OPTION.of(CONFIG)}</summary>
                <label for="plan-config">{words::own_text()}</label>
                <textarea
                    class="snippet"
                    id="plan-config"
                    rows="4"
                    spellcheck="false"
                    autocomplete="off"
                    node_ref=place
                    aria-describedby="plan-config-error"
                    aria-invalid=move || (missing.get() || fault().is_some()).then_some("true")
                    on:input=move |event| {
                        let typed = event_target_value(&event);
                        with(Box::new(move || {
                            let now = place.get_untracked().map(|place| place.value());
                            if now.as_ref() == Some(&typed) && read(CONFIG, &typed).is_ok() {
                                put(desk, CONFIG, &typed);
                            }
                        }));
                    }
                    on:change=move |event| take(event_target_value(&event))
                >
                    {text.get_untracked()}
                </textarea>
                <p class="acts">
                    <button type="button" class="plain-button" on:click=move |_| take(TEMPLATE.into())>
                        {words::own_start()}
                    </button>
                </p>
                <label for="plan-config-file">{words::own_file()}</label>
                <input
                    type="file"
                    id="plan-config-file"
                    accept=".json,application/json"
                    on:change=move |event| browser::chosen_file(&event, take)
                />
            </details>
            <span class="field-error" id="plan-config-error" role="status">
                {move || if missing.get() { Some(words::own_missing().to_owned()) } else { fault() }}
            </span>
        </div>
    }
}

/// The slot of a model's config.
const CONFIG: Slot = "config";
/// Dimensions to start from: those of Llama 3.1 8B.
const TEMPLATE: &str = r#"{"model_type":"llama","num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256,"max_position_embeddings":131072}"#;

/// A model of the reader's own in a few words.
pub(crate) fn own(model: &OwnModel) -> String {
    let shape = model.architecture();
    let parameters = Count(shape.parameters().total()).to_string();
    let part = words::OwnModel { family: model.family(), layers: &shape.layers.to_string(), parameters: &parameters };
    let remarks = model.remarks().iter().cloned();
    std::iter::once(part.text()).chain(remarks).collect::<Vec<_>>().join(" ")
}
