//! What a page around the program is told and may ask, by events of the document whose names begin with `memory-wall:`.
//!
//! Out: `live` (every figure is there and answers), `rest` (the page shows all that was chosen and answered), `state` (the query),
//! `progress` (its text), `notices` (what of a query could not be used, a line each).
//! In: `ask` (for the query), `set` (a query), `bring` (a progress text), `theme` (the colours have changed).
//! A page that shows one figure says so, and which, in `data-figure`; its query comes in `data-query`, without its options.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CustomEvent, CustomEventInit, Event};

use super::{page, quiz};
use crate::state::query;
use crate::store::Signals;
use crate::words;

/// The figure that is all of this page, if it is such a page.
pub(super) fn figure() -> Option<String> {
    page::document()?.document_element()?.get_attribute("data-figure")
}

/// What such a page is asked for in its address.
pub(super) fn query() -> Option<String> {
    page::document()?.document_element()?.get_attribute("data-query")
}

/// Under which name such a page keeps its answers; an empty one keeps none.
pub(super) fn kept() -> Option<String> {
    page::document()?.document_element()?.get_attribute("data-kept")
}

/// Tells whoever listens.
pub(super) fn tell(what: &str, detail: &str) {
    let with = CustomEventInit::new();
    with.set_detail(&JsValue::from_str(detail));
    if let (Some(document), Ok(event)) = (page::document(), CustomEvent::new_with_event_init_dict(what, &with)) {
        // Nobody can forbid it: the event cannot be cancelled.
        let _ = document.dispatch_event(&event);
    }
}

/// Tells what of a query could not be used, if there is anything.
pub(super) fn tell_notices(notices: &[String]) {
    if !notices.is_empty() {
        tell("memory-wall:notices", &words::joined(notices, "\n"));
    }
}

/// The text that an event brings.
pub(super) fn detail(event: &Event) -> String {
    event.dyn_ref::<CustomEvent>().and_then(|event| event.detail().as_string()).unwrap_or_default()
}

/// Does what is asked.
pub(super) fn listen(signals: &'static Signals) {
    let Some(document) = page::document() else { return };
    page::listen_to(&document, &["memory-wall:ask", "memory-wall:set", "memory-wall:bring"], move |event| {
        let text = detail(&event);
        match event.type_().as_str() {
            "memory-wall:ask" => tell("memory-wall:state", &query::encode(&signals.state_now())),
            "memory-wall:bring" => _ = quiz::bring(signals, &text),
            _ => {
                let decoded = query::decode(&text);
                tell_notices(&decoded.notices);
                signals.set(&decoded.state);
            }
        }
    });
}
