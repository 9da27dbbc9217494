//! A field for a number with a point that may also be left empty.

use leptos::prelude::*;
use memory_wall_core::display::Grouped;

use super::bind::{follow, maybe, text};
use crate::state::decimal::Decimal;
use crate::words::fill;

/// A labelled field for one number; empty is zero. What cannot be used stays in the field with a message under it; nothing changes until it can.
///
/// `control` names it for style sheets, labels and tests. A function rather than a component: it has no optional part.
pub fn decimal_field(
    control: &'static str,
    label: &'static str,
    kind: Decimal,
    value: impl Fn() -> u64 + Copy + Send + Sync + 'static,
    set: impl Fn(u64) + Copy + Send + Sync + 'static,
) -> AnyView {
    let error = RwSignal::new(None::<String>);
    // The text while it is being typed; none while the field shows the value.
    let draft = RwSignal::new(None::<String>);
    let written = move |value: u64| if value == 0 { String::new() } else { kind.write(value) };
    let parsed = move |text: &str| if text.trim().is_empty() { Some(0) } else { kind.read(text) };
    let shown = text(move || draft.get().unwrap_or_else(|| written(value())));
    let read = move |typed: String| {
        if let Some(number) = parsed(&typed) {
            error.set(None);
            set(number);
        } else {
            let max = Grouped(kind.most().into()).to_string();
            let short: String = typed.chars().take(40).collect();
            error.set(Some(fill("field.error.decimal", &[("value", &short), ("max", &max)])));
        }
        draft.set(Some(typed));
    };
    // Another control changed the value: the draft and its error are past.
    let mut before = None;
    follow(move || {
        let now = value();
        if before.replace(now).is_some_and(|before| before != now)
            && draft.get_untracked().and_then(|text| parsed(&text)) != Some(now)
        {
            draft.set(None);
            error.set(None);
        }
    });
    let id = format!("control-{control}");
    let error_id = format!("{id}-error");
    let described = error_id.clone();
    view! {
        <div class="control control-decimal" data-control=control>
            <label for=id.clone()>{label}</label>
            <span class="number">
                <input
                    type="text"
                    inputmode="decimal"
                    autocomplete="off"
                    spellcheck="false"
                    id=id
                    aria-invalid=maybe(move || error.with(Option::is_some).then(|| "true".into()))
                    aria-describedby=maybe(move || error.with(Option::is_some).then(|| described.clone()))
                    value=shown
                    prop:value=shown
                    on:input=move |event| read(event_target_value(&event))
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
        </div>
    }
    .into_any()
}
