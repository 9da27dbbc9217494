//! The few things asked of the document and the window.
#![expect(clippy::disallowed_methods, reason = "this file is where the browser is asked")]

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Document, Element, Event, EventTarget, HtmlElement, HtmlInputElement, IntersectionObserver,
    IntersectionObserverEntry, KeyboardEvent, Node, NodeList, Window,
};

pub(super) fn window() -> Option<Window> {
    web_sys::window()
}

pub(super) fn document() -> Option<Document> {
    window()?.document()
}

/// Milliseconds since the page was opened, by a clock that nobody sets.
pub(super) fn now() -> f64 {
    window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

/// Whether a key is pressed without Alt, Ctrl and Meta: with one of them it belongs to the browser or to the system.
pub(super) fn is_plain(key: &KeyboardEvent) -> bool {
    !(key.alt_key() || key.ctrl_key() || key.meta_key())
}

/// The element with this id.
pub(super) fn by_id(id: &str) -> Option<HtmlElement> {
    document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// All that a selector finds, as the browser has it.
pub(super) fn all(selector: &str) -> Option<NodeList> {
    document()?.query_selector_all(selector).ok()
}

/// Every element that a selector finds, drawings included.
pub(super) fn elements(selector: &str) -> Vec<Element> {
    let Some(list) = all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|place| list.get(place)?.dyn_into().ok()).collect()
}

/// Puts a text into an element. The text that is there is kept and changed, which costs less than a new one in its place.
pub(super) fn write(place: &Element, text: &str) {
    match place.first_child() {
        Some(only) if only.node_type() == Node::TEXT_NODE && only.next_sibling().is_none() => {
            only.set_node_value(Some(text));
        }
        _ => place.set_text_content(Some(text)),
    }
}

/// The buttons and fields within an element.
pub(super) fn inputs(place: &Element) -> Vec<HtmlInputElement> {
    within(place, "input").into_iter().filter_map(|input| input.dyn_into().ok()).collect()
}

/// What a selector finds within an element.
pub(super) fn within(place: &Element, selector: &str) -> Vec<Element> {
    let Ok(list) = place.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|place| list.get(place)?.dyn_into().ok()).collect()
}

/// The element that has the focus.
pub(super) fn focused() -> Option<Element> {
    document()?.active_element()
}

/// Where it is said what could not be used of a link.
pub(super) fn notice() -> Option<HtmlElement> {
    first("#notice > .notice")
}

/// Says in the document that the figures are live, for style sheets and tests.
pub(super) fn mark_live() {
    if let Some(root) = document().and_then(|document| document.document_element()) {
        // Setting an attribute with a legal name does not fail.
        let _ = root.set_attribute("data-live", "");
    }
}

/// The first element that a selector finds.
pub(super) fn first<T: JsCast>(selector: &str) -> Option<T> {
    document()?.query_selector(selector).ok().flatten()?.dyn_into().ok()
}

/// Whether the page stands in a frame without an origin of its own.
pub(super) fn is_sandboxed() -> bool {
    window().is_none_or(|window| window.origin() == "null")
}

/// Listens to something for as long as the page lives. What is done may raise further events: moving the focus does.
pub(super) fn listen(target: &EventTarget, event: &'static str, act: impl Fn(Event) + 'static) {
    // Some listeners keep the browser from doing what it would.
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(target, event, options, move |event| act(event.clone())).forget();
}

/// Listens to several events at once.
pub(super) fn listen_to(target: &EventTarget, events: &[&'static str], act: impl Fn(Event) + 'static) {
    let act = Rc::new(act);
    for event in events {
        let act = Rc::clone(&act);
        listen(target, event, move |event| act(event));
    }
}

/// Hears events before the elements that they are meant for. What is done may raise further events of the same kind: so this is
/// no listener of gloo's, which may not be called again before it has returned.
pub(super) fn listen_before(events: &[&str], act: impl Fn(Event) + 'static) {
    let act = Closure::<dyn Fn(Event)>::new(act);
    for event in events {
        if let Some(document) = document() {
            // The browser knows these events, so this does not fail.
            let _ = document.add_event_listener_with_callback_and_bool(event, act.as_ref().unchecked_ref(), true);
        }
    }
    act.forget();
}

/// Listens to changes of what a media query asks.
pub(super) fn on_media(query: &str, act: impl Fn(Event) + 'static) {
    if let Some(query) = window().and_then(|window| window.match_media(query).ok().flatten()) {
        listen(&query, "change", act);
    }
}

/// Does something before the page is printed.
pub(super) fn on_print(act: impl Fn() + Clone + 'static) {
    let again = act.clone();
    on_media("print", move |_| again());
    if let Some(window) = window() {
        listen(&window, "beforeprint", move |_| act());
    }
}

/// Says for each element that it is made to observe whenever that comes onto the screen or leaves it.
pub(super) fn on_sight(mut act: impl FnMut(&Element, bool) + 'static) -> Option<IntersectionObserver> {
    let tell = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        for entry in entries.iter().filter_map(|entry| entry.dyn_into::<IntersectionObserverEntry>().ok()) {
            act(&entry.target(), entry.is_intersecting());
        }
    });
    let observer = IntersectionObserver::new(tell.as_ref().unchecked_ref()).ok();
    tell.forget();
    observer
}
