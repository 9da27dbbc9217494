//! A field for a number, with room for a message under it.

use leptos::prelude::*;

use crate::sections::masonry::live;

/// A field of [`crate::controls::Field`]; `id` is that of its input. What cannot be used stays in it with a message under it.
pub fn field(control: &str, id: &str, name: Option<String>, inputmode: &'static str) -> AnyView {
    view! { <span class="number">{entry(control, id, name, inputmode)} {message(id)}</span> }.into_any()
}

/// Where a number is written.
fn entry(control: &str, id: &str, name: Option<String>, inputmode: &'static str) -> AnyView {
    view! {
        <span class="number-box">
            <input
                type="text"
                inputmode=inputmode
                autocomplete="off"
                spellcheck="false"
                id=id.to_owned()
                aria-label=name
                data-field=control.to_owned()
                value=live(&format!("control.field.{control}"))
            />
        </span>
    }
    .into_any()
}

/// Where it is said what cannot be used of it, and what a letter in it stands for.
fn message(id: &str) -> AnyView {
    view! { <span class="field-error" id=format!("{id}-error") role="status"></span> }.into_any()
}

/// Fields side by side, each under its label, with all messages behind them: a message in a column would move the others.
pub fn grid(controls: &[(&'static str, String)], class: &'static str) -> AnyView {
    let id = |control: &str| format!("control-{control}");
    let fields = controls.iter().map(|(control, label)| {
        view! {
            <div class=class data-control=*control>
                <label for=id(control)>{label.clone()}</label>
                <span class="number">{entry(control, &id(control), None, "numeric")}</span>
            </div>
        }
    });
    let messages = controls.iter().map(|(control, _)| message(&id(control)));
    view! {
        <div class="field-grid">{fields.collect_view()}</div>
        <div class="field-messages">{messages.collect_view()}</div>
    }
    .into_any()
}

/// A field with a label over it.
pub fn labelled(control: &str, label: String, class: &'static str, inputmode: &'static str) -> AnyView {
    let id = format!("control-{control}");
    view! {
        <div class=class data-control=control.to_owned()>
            <label for=id.clone()>{label}</label>
            {field(control, &id, None, inputmode)}
        </div>
    }
    .into_any()
}
