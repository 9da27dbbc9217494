//! What a page around the program is told and may ask, by events of the document whose names begin with `memory-wall:`.
//!
//! Out: `live` (every figure is there and answers, those of the far part once that has come), `rest` (the page shows all that was chosen
//! and answered, as far as the program is there), `state` (the query),
//! `progress` (its text), `notices` (what of a query could not be used, a line each), `far-asked` (for the far part of the program).
//! In: `ask` (for the query), `set` (a query), `bring` (a progress text), `theme` (the colours have changed), `far` (that part is there), `far-missing` (it did not come).
//! A page that shows one figure says so, and which, in `data-figure`; its query comes in `data-query`, without its options.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CustomEvent, CustomEventInit, Event};

use super::{page, quiz};
use crate::far;
use crate::state::query;
use crate::store::Signals;
use crate::words;

/// Where the roofline stands.
const ROOFLINE: &str = "figure-roofline";
/// The far part of the program has come.
const FAR: &str = "memory-wall:far";

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

/// Asks for the far part of the program, unless it is there; see [`crate::far`].
pub(super) fn ask_far() {
    if !far::came() {
        tell("memory-wall:far-asked", "");
    }
}

/// Learns whether the program is in two parts, and when the far one has come; see [`crate::far`].
pub(super) fn await_far() {
    let Some(document) = page::document() else { return };
    let apart = document.document_element().is_some_and(|root| root.has_attribute("data-far"));
    let plots = page::by_id(ROOFLINE).is_some();
    let set = move |came| far::set(came, came && plots);
    set(!apart);
    page::listen(&document, FAR, move |_| set(true));
}

/// Whether nothing is to start without the far part, as in a page of one figure that needs it.
pub(super) fn awaits_far() -> bool {
    let root = page::document().and_then(|document| document.document_element());
    root.and_then(|root| root.get_attribute("data-far")).as_deref() == Some("now")
}

/// Does something when the far part was asked for and did not come.
pub(super) fn on_far_missing(act: impl Fn() + 'static) {
    if let Some(document) = page::document() {
        page::listen(&document, "memory-wall:far-missing", move |_| act());
    }
}

/// Does something once the far part has come.
pub(super) fn on_far(act: impl Fn() + 'static) {
    if let Some(document) = page::document() {
        page::listen(&document, FAR, move |_| act());
    }
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
