//! The browser itself.
#![expect(clippy::disallowed_methods, reason = "this file is where the planner asks the browser")]

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use js_sys::{Array, Function, Promise};
use leptos::prelude::*;
use memory_wall_app::browser::TaskQueue;
use memory_wall_plan::own_model;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, Document, Element, Event, HtmlAnchorElement, HtmlElement, HtmlInputElement, KeyboardEvent,
    Storage, Url, Window,
};

use super::host;
use crate::board::Board;
use crate::desk::Desk;
use crate::link::{self, Notice};
use crate::page::{PARTS, Part};
use crate::prices::Prices;
use crate::words;

/// Where the plans are kept between visits; the version in it is that of links.
const KEPT: &str = "memory-wall.v1.plans";
/// Where prices of GPUs are.
const PRICES: &str = "memory-wall.v1.prices";
/// Changes that help are looked for when nothing has changed for so many milliseconds.
const OFFER_REST: u32 = 120;
/// The address and the storage follow then.
const SAVE_REST: u32 = 300;
/// And then screen readers are told.
const SAY_REST: u32 = 700;
/// Counts the changes, so that what takes longer can see that it is late.
static TURN: AtomicU32 = AtomicU32::new(0);
/// The largest file that is read.
const LARGEST_FILE: f64 = 1e6;

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

thread_local! {
    /// What asks the program that knows the files of other programs: a function of its name and texts, which promises texts.
    static EXCHANGE: OnceCell<Function> = const { OnceCell::new() };
}

/// Makes the page live.
#[wasm_bindgen]
pub fn start(exchange: Function) {
    EXCHANGE.with(|it| _ = it.set(exchange));
    own_model::set_read(!is_apart());
    let (owner, desk, done) = (Owner::new(), Cell::new(None), Cell::new(0_usize));
    let learnt = Cell::new(false);
    // What the built page says is computed first: hydration compares nothing, and writes only what changes after it.
    let pieces = TaskQueue::of_long_steps(move || {
        if !learnt.replace(true) {
            learn();
            return true;
        }
        let Some(desk) = desk.get() else {
            desk.set(Some(owner.with(Desk::new)));
            return true;
        };
        let nth = done.replace(done.get() + 1);
        if nth < Desk::STEPS {
            desk.step(nth);
            return true;
        }
        let part = PARTS.get(nth - Desk::STEPS);
        if let Some(part) = part {
            hydrate(part, desk);
        } else {
            owner.with(|| begin(desk));
        }
        part.is_some()
    });
    pieces.ask();
}

/// Takes the words from the page.
fn learn() {
    let text = |id: &str| document()?.get_element_by_id(id)?.text_content();
    memory_wall_app::words::learn(text("words").unwrap_or_default());
    words::learn(text("planner-words").unwrap_or_default());
}

/// Makes a part live.
fn hydrate(part: &Part, desk: Desk) {
    let place = document().and_then(|it| it.query_selector(&format!("[data-part=\"{}\"]", part.id)).ok().flatten());
    if let Some(place) = place.and_then(|place| place.dyn_into::<HtmlElement>().ok()) {
        (part.hydrate)(place, desk);
    }
}

/// Follows the state, and takes it from the link or from the last visit, once the page is hydrated.
fn begin(desk: Desk) {
    keys(desk);
    host::listen(desk, notice);
    mark(desk);
    let resting = |milliseconds: u32, act: fn(Desk)| {
        let timer = RefCell::new(None::<Timeout>);
        move || {
            timer.replace(Some(Timeout::new(milliseconds, move || act(desk))));
        }
    };
    let [rest, save, say] = [
        resting(OFFER_REST, |desk| go_on(desk, 0, TURN.load(Ordering::Relaxed))),
        resting(SAVE_REST, keep),
        resting(SAY_REST, tell),
    ];
    Effect::new(move || {
        desk.unit();
        desk.with(|_| ());
        TURN.fetch_add(1, Ordering::Relaxed);
        settle_after_frame(desk);
        rest();
        if desk.edited.get_untracked() {
            save();
            say();
        }
    });
    desk.prices.set(Prices::read(&stored(PRICES)));
    Effect::new(move |known: Option<Prices>| {
        let now = desk.prices.get();
        if known.is_some_and(|known| known != now) {
            store(PRICES, &now.write());
        }
        now
    });
    // After hydration, which begins where the built page does.
    Timeout::new(0, move || {
        let search = || window().and_then(|window| window.location().search().ok());
        let asked = host::query().or_else(search).filter(|query| query.len() > 1);
        let (plans, notices) = match &asked {
            Some(query) => link::read(query),
            None => (link::read(&stored(KEPT)).0, Vec::new()),
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

/// Says of what comes later that it does, and makes room for what the last step did.
fn mark(desk: Desk) {
    let Some(document) = document() else { return };
    let Ok(later) = document.query_selector_all("[data-later]") else { return };
    let later: Vec<Element> = (0..later.length()).filter_map(|nth| later.get(nth)?.dyn_into().ok()).collect();
    Effect::new(move || {
        let busy = if desk.busy.get() { "true" } else { "false" };
        for place in &later {
            // Attributes with legal names can be set.
            let _ = place.set_attribute("aria-busy", busy);
        }
    });
    let bar = document.query_selector(".bar").ok().flatten();
    Effect::new(move || {
        let says = !desk.changed.with(String::is_empty);
        if let Some(bar) = &bar {
            let _ = bar.toggle_attribute_with_force("data-changed", says);
        }
    });
}

/// Has what is below follow once the plans and inputs are painted.
fn settle_after_frame(desk: Desk) {
    let painted = Closure::once_into_js(move || Timeout::new(0, move || desk.settle()).forget());
    if let Some(window) = window() {
        let _ = window.request_animation_frame(painted.unchecked_ref());
    }
}

/// Goes on with what takes longer, a task for each step, so that a key that is pressed meanwhile waits for one of them at most.
/// What was begun for plans that have changed since is left to the newer turn.
fn go_on(desk: Desk, step: usize, turn: u32) {
    if TURN.load(Ordering::Relaxed) == turn
        && let Some(step) = (step..Desk::STEPS).find(|step| desk.step(*step))
    {
        Timeout::new(0, move || go_on(desk, step + 1, turn)).forget();
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

/// The storage of the device. In somebody else's page nothing is kept: what is on this device is of the planner by itself.
fn storage() -> Option<Storage> {
    window()?.local_storage().ok().flatten().filter(|_| host::query().is_none())
}

fn stored(key: &str) -> String {
    storage().and_then(|storage| storage.get_item(key).ok().flatten()).unwrap_or_default()
}

/// Keeps a text. Where that is blocked, nothing breaks.
fn store(key: &str, text: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, text);
    }
}

/// Writes the plans into the address and keeps them. Where either is blocked, nothing breaks.
fn keep(desk: Desk) {
    let query = link::write(&desk.now(Board::asked));
    store(KEPT, &query);
    let Some(window) = window() else { return };
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

/// The tutorial's calculator with a query.
pub(crate) fn tutorial(query: &str) -> String {
    format!("index.html?{query}#calculator")
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
    let say = Rc::new(say);
    let failed = Rc::clone(&say);
    let done = Closure::once(move |_: JsValue| say(true));
    let denied = Closure::once(move |_: JsValue| failed(false));
    let _ = promise.then2(&done, &denied);
    done.forget();
    denied.forget();
}

/// Asks the program that knows the files of other programs, and hands on its answer or why there is none, in words.
pub(crate) fn exchange(name: &str, texts: &[&str], take: impl FnOnce(Result<Vec<String>, String>) + 'static) {
    let question: Array = std::iter::once(name).chain(texts.iter().copied()).map(JsValue::from).collect();
    let promise = EXCHANGE.with(|it| it.get()?.apply(&JsValue::NULL, &question).ok()?.dyn_into::<Promise>().ok());
    let Some(promise) = promise else { return take(Err(words::exchange_failed().into())) };
    let take = Rc::new(Cell::new(Some(take)));
    let refused = Rc::clone(&take);
    let done = Closure::once(move |texts: JsValue| {
        let texts = Array::from(&texts).iter().filter_map(|text| text.as_string()).collect();
        if let Some(take) = take.take() {
            take(Ok(texts));
        }
    });
    // What it says is a text; that it could not be fetched is none.
    let failed = Closure::once(move |why: JsValue| {
        let why = why.as_string().unwrap_or_else(|| words::exchange_failed().into());
        if let Some(take) = refused.take() {
            take(Err(why));
        }
    });
    let _ = promise.then2(&done, &failed);
    done.forget();
    failed.forget();
}

/// Does something once configs can be read, or is told that they cannot: what reads them is a part of the program that comes when it is asked
/// for.
pub(crate) fn with_configs(act: impl FnOnce(bool) + 'static) {
    if own_model::are_read() {
        return act(true);
    }
    exchange("configs", &[], move |_| {
        let came = !is_apart();
        own_model::set_read(came);
        act(came);
    });
}

/// Whether a part of the program is still to come, as the page says.
fn is_apart() -> bool {
    document().and_then(|document| document.document_element()).is_some_and(|root| root.has_attribute("data-far"))
}

/// Hands a file to the reader.
pub(crate) fn save(name: &str, text: &str) {
    let parts = Array::of1(&text.into());
    let kind = BlobPropertyBag::new();
    kind.set_type("text/plain");
    let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &kind) else { return };
    let Ok(url) = Url::create_object_url_with_blob(&blob) else { return };
    save_as(name, &url);
    // The browser has begun with it by then.
    Timeout::new(10_000, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
}

/// Hands what is at an address to the reader, as a file with this name.
pub(crate) fn save_as(name: &str, url: &str) {
    let link = document().and_then(|document| document.create_element("a").ok());
    if let Some(link) = link.and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok()) {
        link.set_href(url);
        link.set_download(name);
        link.click();
    }
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
