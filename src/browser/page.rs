//! The few things asked of the document and the window.
#![expect(clippy::disallowed_methods, reason = "this file is where the browser is asked")]

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, Window};

pub(super) fn window() -> Option<Window> {
    web_sys::window()
}

pub(super) fn document() -> Option<Document> {
    window()?.document()
}

/// The element with this id.
pub(super) fn by_id(id: &str) -> Option<HtmlElement> {
    document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Every element that a selector finds, drawings included.
pub(super) fn elements(selector: &str) -> Vec<Element> {
    let Some(list) = document().and_then(|document| document.query_selector_all(selector).ok()) else {
        return Vec::new();
    };
    (0..list.length()).filter_map(|place| list.get(place)?.dyn_into().ok()).collect()
}

/// Every element of the text that a selector finds.
pub(super) fn all(selector: &str) -> Vec<HtmlElement> {
    elements(selector).into_iter().filter_map(|element| element.dyn_into().ok()).collect()
}

/// The element that has the focus.
pub(super) fn focused() -> Option<Element> {
    document()?.active_element()
}

/// Says in the document that the figures are live, for style sheets and tests.
pub(super) fn mark_live() {
    if let Some(root) = document().and_then(|document| document.document_element()) {
        // Setting an attribute with a legal name does not fail.
        let _ = root.set_attribute("data-live", "");
    }
}
