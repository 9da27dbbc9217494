//! The planner in a frame of somebody else's page: what its script reads of the link, and what a page around may bring.
#![expect(clippy::disallowed_methods, reason = "this file is where the planner asks the page around")]

use gloo::events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CustomEvent, HtmlElement};

use crate::board::Board;
use crate::desk::Desk;
use crate::link::{self, Notice};

/// The planner's part of the link, which the script of a frame has separated from the frame's own options; `None` outside frames.
pub(super) fn query() -> Option<String> {
    let root = web_sys::window()?.document()?.document_element()?;
    root.dyn_into::<HtmlElement>().ok()?.dataset().get("query")
}

/// Takes the plans that the page around brings.
pub(super) fn listen(desk: Desk, notice: fn(&Notice) -> String) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    EventListener::new(&document, "memory-wall:set", move |event| {
        let query = event.dyn_ref::<CustomEvent>().and_then(|event| event.detail().as_string()).unwrap_or_default();
        let (plans, notices) = link::read(&query);
        let brought = Board::of(plans).unwrap_or_default();
        desk.edit(None, |board| *board = brought);
        desk.notices.set(notices.iter().map(notice).collect());
    })
    .forget();
}
