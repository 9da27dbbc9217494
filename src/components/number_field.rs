//! A field for a number, with room for a message under it.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::web_sys::HtmlInputElement;

use crate::controls::Field;
use crate::state::State;
use crate::store::Store;
use crate::words;

/// What is said under a field.
#[derive(Clone)]
pub(super) enum Said {
    /// Why what stands in it cannot be used.
    Refused(String),
    /// What a letter in it stands for: `32k` is 32,768.
    Means(String),
}

/// What is said under a field, if anything.
pub(super) type Message = RwSignal<Option<Said>>;

/// A field; `id` is that of its input. What cannot be used stays in it with a message under it.
#[component]
pub fn NumberField(
    store: Store,
    field: Field,
    id: String,
    /// Its name, where it has no label.
    #[prop(optional_no_strip)]
    name: Option<String>,
    #[prop(default = "numeric")] inputmode: &'static str,
    /// Something else has the last word: what stands half typed is past then.
    #[prop(optional)]
    settled: Option<ArcTrigger>,
) -> impl IntoView {
    let message = Message::new(None);
    let said = said(&id, message);
    view! { <span class="number">{entry(store, field, id, name, inputmode, message, settled)} {said}</span> }
}

/// A field with a label over it.
#[component]
pub fn LabelledField(
    store: Store,
    field: Field,
    control: &'static str,
    label: &'static str,
    inputmode: &'static str,
) -> impl IntoView {
    let id = format!("control-{control}");
    view! {
        <div class="control control-decimal" data-control=control>
            <label for=id.clone()>{label}</label>
            <NumberField store field id name=None inputmode />
        </div>
    }
}

/// Whether the reader is writing in a field.
fn writes(input: &HtmlInputElement) -> bool {
    input.matches(":focus").unwrap_or(false)
}

/// Puts what stands in a field into the state, or says why it cannot be used; what is still being written is waited for.
fn put(store: Store, field: Field, message: Message, typed: &str, writes: bool) -> bool {
    let mut state = store.now();
    if !field.says(typed, &field.text(&state)) {
        if let Err(error) = field.put(&mut state, typed) {
            message.set(Some(Said::Refused(error)).filter(|_| !writes || !field.is_begun(typed)));
            return false;
        }
        store.edit(&|now| _ = field.put(now, typed));
    }
    // What a letter stands for is seen while it is written; after that the field shows the number itself.
    let reading = field.reading(typed, state.unit).filter(|_| writes);
    message.set(reading.map(|reading| Said::Means(words::FieldReading { n: &reading }.text())));
    true
}

/// Where a number is written.
pub(super) fn entry(
    store: Store,
    field: Field,
    id: String,
    name: Option<String>,
    inputmode: &'static str,
    message: Message,
    settled: Option<ArcTrigger>,
) -> impl IntoView {
    let place = NodeRef::<html::Input>::new();
    let shown = Memo::new(move |_| store.with(|state| field.text(state)));
    Effect::new(move |before: Option<String>| {
        store.track_settled();
        if let Some(settled) = &settled {
            settled.track();
        }
        let now = shown.get();
        let refused = || message.with_untracked(|said| matches!(said, Some(Said::Refused(_))));
        let stays = |input: &HtmlInputElement| match &before {
            // What cannot be used stays to be mended, also where it was typed before the field was hydrated.
            None => refused() || field.says(&input.value(), &now) && writes(input),
            // The same number in the reader's own writing stays while they write it.
            Some(before) => *before != now && field.says(&input.value(), &now) && writes(input),
        };
        if let Some(input) = place.get_untracked()
            && !stays(&input)
        {
            input.set_value(&now);
            message.set(None);
        }
        now
    });
    let refused = move || message.with(|said| matches!(said, Some(Said::Refused(_))));
    // A dimension may also not go together with another.
    let disagrees = move || matches!(field, Field::Dimension(_)) && store.with(|state| field.disagrees(state));
    let reason = format!("{id}-error");
    view! {
        <span class="number-box">
            <input
                type="text"
                inputmode=inputmode
                autocomplete="off"
                spellcheck="false"
                id=id
                aria-label=name
                value=field.text(&State::default())
                node_ref=place
                aria-invalid=move || (refused() || disagrees()).then_some("true")
                aria-describedby=move || {
                    if refused() { Some(reason.clone()) } else { disagrees().then(|| "dimension-count".to_owned()) }
                }
                on:input=move |event| {
                    if let Some(input) = place.get_untracked() {
                        put(store, field, message, &event_target_value(&event), writes(&input));
                    }
                }
                on:focusout=move |event| {
                    // What was begun and not finished cannot be left standing in silence.
                    if put(store, field, message, &event_target_value(&event), false)
                        && let Some(input) = place.get_untracked()
                    {
                        input.set_value(&field.text(&store.now()));
                    }
                }
                on:keydown=move |event: ev::KeyboardEvent| {
                    let key = event.key();
                    let own = event.shift_key() || event.ctrl_key() || event.alt_key() || event.meta_key();
                    if own || event.is_composing() || !["ArrowUp", "ArrowDown"].contains(&key.as_str()) {
                        return;
                    }
                    if let (Some(next), Some(input)) = (field.next(&store.now(), key == "ArrowUp"), place.get_untracked()) {
                        event.prevent_default();
                        input.set_value(&next);
                        put(store, field, message, &next, true);
                    }
                }
            />
        </span>
    }
}

/// Where it is said what cannot be used of a field, and what a letter in it stands for.
pub(super) fn said(id: &str, message: Message) -> impl IntoView + use<> {
    let text = move || message.with(|said| said.as_ref().map(|(Said::Refused(text) | Said::Means(text))| text.clone()));
    view! {
        <span
            class="field-error"
            id=format!("{id}-error")
            role="status"
            data-reading=move || message.with(|said| matches!(said, Some(Said::Means(_))))
        >
            {text}
        </span>
    }
}
