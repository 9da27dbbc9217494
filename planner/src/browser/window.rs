//! The browser itself.
#![expect(clippy::disallowed_methods, reason = "this file is where the planner asks the browser")]

use std::cell::RefCell;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, Document, Event, HtmlAnchorElement, HtmlElement, HtmlInputElement, KeyboardEvent, Url,
    Window,
};

use crate::board::Board;
use crate::desk::Desk;
use crate::link::{self, Notice};
use crate::page::Planner;
use crate::words;

/// Where the plans are kept between visits; the version in it is that of links.
const KEPT: &str = "memory-wall.v1.plans";
/// Changes that help are looked for when nothing has changed for so many milliseconds.
const OFFER_REST: u32 = 120;
/// The address and the storage follow then.
const SAVE_REST: u32 = 300;
/// And then screen readers are told.
const SAY_REST: u32 = 700;
/// The largest file that is read.
const LARGEST_FILE: f64 = 1e6;

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

/// Makes the page live.
#[wasm_bindgen]
pub fn start() {
    let text = |id: &str| document()?.get_element_by_id(id)?.text_content();
    memory_wall_app::words::learn(text("words").unwrap_or_default());
    words::learn(text("planner-words").unwrap_or_default());
    let root = document().and_then(|document| document.get_element_by_id("planner"));
    let Some(root) = root.and_then(|root| root.dyn_into::<HtmlElement>().ok()) else { return };
    let page = leptos::mount::hydrate_from(root, || {
        let desk = Desk::new();
        begin(desk);
        leptos::view! { <Planner desk /> }
    });
    page.forget();
}

/// Follows the state, and takes it from the link or from the last visit once the page is hydrated.
fn begin(desk: Desk) {
    keys(desk);
    let resting = |milliseconds: u32, act: fn(Desk)| {
        let timer = RefCell::new(None::<Timeout>);
        move || {
            timer.replace(Some(Timeout::new(milliseconds, move || act(desk))));
        }
    };
    let [offer, save, say] =
        [resting(OFFER_REST, |desk| offer(desk, &Desk::STEPS)), resting(SAVE_REST, keep), resting(SAY_REST, tell)];
    Effect::new(move || {
        desk.unit.track();
        desk.with(|_| ());
        offer();
        if desk.edited.get_untracked() {
            save();
            say();
        }
    });
    // After hydration, which begins where the built page does.
    Timeout::new(0, move || {
        let asked = window().and_then(|window| window.location().search().ok()).filter(|query| query.len() > 1);
        let (plans, notices) = match &asked {
            Some(query) => link::read(query),
            None => (link::read(&stored()).0, Vec::new()),
        };
        if let Some(board) = Board::of(plans) {
            desk.begin(board);
        }
        desk.notices.set(notices.iter().map(notice).collect());
        if let Some(root) = document().and_then(|document| document.document_element()) {
            // For tests and the style sheet; an attribute with a legal name can be set.
            let _ = root.set_attribute("data-live", "");
        }
    })
    .forget();
}

/// Asks for what takes longer, a task for each step, so that a key that is pressed meanwhile waits for one of them at most.
fn offer(desk: Desk, steps: &'static [fn(&Desk)]) {
    if let Some((step, rest)) = steps.split_first() {
        step(&desk);
        Timeout::new(0, move || offer(desk, rest)).forget();
    }
}

/// What of a link could not be used, in words.
fn notice(notice: &Notice) -> String {
    match notice {
        Notice::Version => words::notice_version().into(),
        Notice::Long => words::notice_long().into(),
        Notice::Many => words::notice_many().into(),
        Notice::Unknown(key) => words::NoticeUnknown { key }.text(),
        Notice::Twice(key) => words::NoticeTwice { key }.text(),
        Notice::Value(key, value) => words::NoticeValue { key, value }.text(),
    }
}

fn stored() -> String {
    let storage = window().and_then(|window| window.local_storage().ok().flatten());
    storage.and_then(|storage| storage.get_item(KEPT).ok().flatten()).unwrap_or_default()
}

/// Writes the plans into the address and keeps them. Where either is blocked, nothing breaks.
fn keep(desk: Desk) {
    let query = link::write(&desk.now(Board::asked));
    let Some(window) = window() else { return };
    if let Ok(Some(storage)) = window.local_storage() {
        let _ = storage.set_item(KEPT, &query);
    }
    let location = window.location();
    if let (Ok(path), Ok(hash), Ok(history)) = (location.pathname(), location.hash(), window.history()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("{path}?{query}{hash}")));
    }
}

/// Says what has become of the plan that was changed.
fn tell(desk: Desk) {
    let place = desk.now(Board::chosen);
    let said = untrack(|| desk.outcome(place, |it| (it.name().to_owned(), it.said.clone())));
    if let Some((name, said)) = said {
        let now = words::Spoken { name: &name, verdict: &said.verdict, why: &said.why }.text();
        let changed = desk.changed.get_untracked();
        desk.spoken.set([changed.as_str(), now.as_str()].join(" ").trim().to_owned());
    }
}

/// Undo and redo by key, outside of fields, which have their own.
fn keys(desk: Desk) {
    let Some(document) = document() else { return };
    EventListener::new_with_options(
        &document,
        "keydown",
        EventListenerOptions::enable_prevent_default(),
        move |event| {
            let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
            let command = key.ctrl_key() || key.meta_key();
            let name = key.key().to_ascii_lowercase();
            if !command || key.alt_key() || !["z", "y"].contains(&name.as_str()) || is_typed_into(event) {
                return;
            }
            event.prevent_default();
            desk.travel(name == "z" && !key.shift_key());
        },
    )
    .forget();
}

/// Whether an event comes from where text is typed.
fn is_typed_into(event: &Event) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    target.is_some_and(|target| match target.dyn_ref::<HtmlInputElement>() {
        Some(input) => !["checkbox", "radio", "file"].contains(&input.type_().as_str()),
        None => target.tag_name() == "TEXTAREA",
    })
}

/// The address of the page with a query.
pub(crate) fn address(query: &str) -> String {
    let href = window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    format!("{}?{query}", href.split(['?', '#']).next().unwrap_or_default())
}

/// Copies a text and says whether that was allowed.
pub(crate) fn copy(text: &str, say: impl Fn(bool) + 'static) {
    let Some(window) = window() else { return };
    let clipboard = js_sys::Reflect::get(&window.navigator(), &"clipboard".into()).ok();
    if clipboard.is_none_or(|clipboard| clipboard.is_undefined()) {
        say(false);
        return;
    }
    let promise = window.navigator().clipboard().write_text(text);
    let say = std::rc::Rc::new(say);
    let failed = std::rc::Rc::clone(&say);
    let done = Closure::once(move |_: JsValue| say(true));
    let denied = Closure::once(move |_: JsValue| failed(false));
    let _ = promise.then2(&done, &denied);
    done.forget();
    denied.forget();
}

/// Hands a file to the reader.
pub(crate) fn save(name: &str, text: &str) {
    let parts = js_sys::Array::of1(&text.into());
    let kind = BlobPropertyBag::new();
    kind.set_type("text/plain");
    let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &kind) else { return };
    let Ok(url) = Url::create_object_url_with_blob(&blob) else { return };
    let link = document().and_then(|document| document.create_element("a").ok());
    if let Some(link) = link.and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok()) {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    // The browser has begun with it by then.
    Timeout::new(10_000, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
}

/// Reads the file that was chosen.
pub(crate) fn chosen_file(event: &Event, take: impl Fn(String) + 'static) {
    let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    let Some(file) = input.and_then(|input| input.files()?.get(0)).filter(|file| file.size() <= LARGEST_FILE) else {
        return;
    };
    let done = Closure::once(move |text: JsValue| take(text.as_string().unwrap_or_default()));
    let _ = file.text().then(&done);
    done.forget();
}
