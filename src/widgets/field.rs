//! A field for a number, with room for a message under it.

use leptos::prelude::*;

use crate::sections::masonry::live;

/// A field of [`crate::controls::Field`]; `id` is that of its input. What cannot be used stays in it with a message under it.
pub fn field(control: &str, id: &str, name: Option<String>, inputmode: &'static str) -> AnyView {
    view! {
        <span class="number">
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
            <span class="field-error" id=format!("{id}-error") role="status"></span>
        </span>
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
