//! Fields side by side, with all messages behind them.

use leptos::prelude::*;

use super::number_field::{Message, entry, said};
use crate::controls::Field;
use crate::store::Store;

/// Fields side by side, each under its label, with all messages behind them: a message in a column would move the others.
#[component]
pub fn FieldGrid(
    store: Store,
    /// Each with its name in the page and its label.
    fields: Vec<(Field, &'static str, String)>,
    /// Something else has the last word: what stands half typed is past then.
    settled: ArcTrigger,
) -> impl IntoView {
    let id = |control: &str| format!("control-{control}");
    let said = fields.iter().map(|(_, control, _)| {
        let message = Message::new(None);
        (message, said(&id(control), message))
    });
    let (messages, said): (Vec<_>, Vec<_>) = said.unzip();
    let fields = fields.into_iter().zip(messages).map(move |((field, control, label), message)| {
        view! {
            <div class="control control-dimension" data-control=control>
                <label for=id(control)>{label}</label>
                <span class="number">{entry(store, field, id(control), None, "numeric", message, Some(settled.clone()))}</span>
            </div>
        }
    });
    view! {
        <div class="field-grid">{fields.collect_view()}</div>
        <div class="field-messages">{said}</div>
    }
}
