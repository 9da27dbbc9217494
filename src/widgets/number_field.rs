//! A field for a whole number: forgiving in what it reads, exact in what it says when it cannot.

use leptos::prelude::*;
use memory_wall_core::bounds::Bounds;
use memory_wall_core::display::Grouped;

use super::bind::{follow, maybe, text};
use crate::state::number;
use crate::words::fill;

/// A field for one number. What cannot be used stays in the field with a message under it; nothing changes until it can.
#[component]
pub fn NumberField(
    /// The id of the input, by which a label names it.
    id: String,
    /// The accessible name, where no visible label points here.
    #[prop(optional, into)]
    name: Option<String>,
    bounds: Bounds,
    #[prop(into)] value: Signal<u32>,
    /// Called with a number in range; an error in words is shown under the field.
    set: Callback<u32, Result<(), String>>,
    /// Changes when another control has had the last word.
    #[prop(optional)]
    forget: Option<RwSignal<u32>>,
) -> impl IntoView {
    let error = RwSignal::new(None::<String>);
    // The text while it is being typed; none while the field shows the value.
    let draft = RwSignal::new(None::<String>);
    let shown = text(move || draft.get().unwrap_or_else(|| Grouped(value.get().into()).to_string()));
    let kept = move || Grouped(value.get_untracked().into()).to_string();
    let accept = move |number: u32| match set.run(number) {
        Ok(()) => error.set(None),
        Err(message) => error.set(Some(fill("field.error.shape", &[("error", &message), ("kept", &kept())]))),
    };
    let read = move |typed: String| {
        if let Some(number) = number::read(&typed, bounds) {
            accept(number);
        } else {
            let [min, max] = [bounds.min, bounds.max].map(|n| Grouped(n.into()).to_string());
            let short: String = typed.chars().take(40).collect();
            let values = [("value", short.as_str()), ("min", &min), ("max", &max), ("kept", &kept())];
            error.set(Some(fill("field.error", &values)));
        }
        draft.set(Some(typed));
    };
    // Another control changed the value, or had the last word: the draft and its error are past.
    let mut before = None::<(u32, u32)>;
    follow(move || {
        let now = (value.get(), forget.map_or(0, |picks| picks.get()));
        if let Some(before) = before.replace(now)
            && before != now
        {
            let typed = draft.get_untracked().and_then(|text| number::read(&text, bounds));
            if before.1 != now.1 || typed != Some(now.0) {
                draft.set(None);
                error.set(None);
            }
        }
    });
    let keys = move |event: leptos::ev::KeyboardEvent| {
        let up = match event.key().as_str() {
            "ArrowUp" => true,
            "ArrowDown" => false,
            _ => return,
        };
        event.prevent_default();
        let now = value.get_untracked();
        let next = if up { now.saturating_add(1) } else { now.saturating_sub(1) };
        draft.set(None);
        accept(next.clamp(bounds.min, bounds.max));
    };
    let error_id = format!("{id}-error");
    let described = error_id.clone();
    view! {
        <span class="number">
            <input
                type="text"
                inputmode="numeric"
                autocomplete="off"
                spellcheck="false"
                id=id
                aria-label=name
                aria-invalid=maybe(move || error.with(Option::is_some).then(|| "true".into()))
                aria-describedby=maybe(move || error.with(Option::is_some).then(|| described.clone()))
                value=shown
                prop:value=shown
                on:input=move |event| read(event_target_value(&event))
                on:keydown=keys
                on:blur=move |_| {
                    if error.with_untracked(Option::is_none) {
                        draft.set(None);
                    }
                }
            />
            <span class="field-error" id=error_id role="status">
                {text(move || error.get().unwrap_or_default())}
            </span>
        </span>
    }
}
