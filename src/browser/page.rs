//! The few things asked of the document and the window.
#![expect(clippy::disallowed_methods, reason = "this file is where the browser is asked")]

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, HtmlElement, MediaQueryList, ResizeObserver, Window};

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

/// Every element that a selector finds.
pub(super) fn all(selector: &str) -> Vec<HtmlElement> {
    let Some(list) = document().and_then(|document| document.query_selector_all(selector).ok()) else {
        return Vec::new();
    };
    (0..list.length()).filter_map(|place| list.get(place)?.dyn_into().ok()).collect()
}

/// The element that has the focus.
pub(super) fn focused() -> Option<Element> {
    document()?.active_element()
}

/// Pixels of the screen to one pixel of the page, 1 to 4.
pub fn pixel_ratio() -> f64 {
    window().map_or(1.0, |window| window.device_pixel_ratio()).clamp(1.0, 4.0)
}

/// A media query.
pub fn media(query: &str) -> Option<MediaQueryList> {
    window()?.match_media(query).ok().flatten()
}

/// A custom property of the page.
pub fn property(name: &str) -> Option<String> {
    let root = document()?.document_element()?;
    window()?.get_computed_style(&root).ok()??.get_property_value(name).ok()
}

/// Calls back when an element's size changes, for as long as the page lives.
pub fn on_resize(element: &Element, call: impl Fn() + 'static) {
    let call = Closure::<dyn Fn(JsValue)>::new(move |_| call());
    if let Ok(observer) = ResizeObserver::new(call.as_ref().unchecked_ref()) {
        observer.observe(element);
        call.forget();
        // The observer itself is kept alive by the browser while it observes.
    }
}

/// Says in the document that the figures are live, for style sheets and tests.
pub(super) fn mark_live() {
    if let Some(root) = document().and_then(|document| document.document_element()) {
        // Setting an attribute with a legal name does not fail.
        let _ = root.set_attribute("data-live", "");
    }
}
