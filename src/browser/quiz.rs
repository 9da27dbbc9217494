//! The self-check: what stands in a question, what is right by the page's own data, and progress as a file.
#![expect(clippy::disallowed_methods, reason = "messages are text, and stand in the page")]

use reactive_graph::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlSelectElement};

use super::{keep, page, storage};
use crate::quiz::number::{self, Judged, Unit};
use crate::quiz::shuffle;
use crate::state::progress;
use crate::store::Signals;
use crate::words;

/// Brings back what was kept, and makes the file field work. In the tutorial the questions come later.
pub(super) fn start(signals: &'static Signals) {
    if let Some(key) = storage::progress() {
        let text = storage::load(&key).unwrap_or_default();
        bring(signals, &text);
        if !progress::is_whole(&text, &signals.predictions.get_untracked()) {
            storage::set_aside(&key, &text);
        }
    }
    if !take_files(signals)
        && let Some(document) = page::document()
    {
        page::listen(&document, "memory-wall:more", move |_| {
            // Where nothing was answered nothing changes, and the far part of the program is not needed yet.
            let predictions = signals.predictions.get_untracked();
            if !progress::is_empty(&predictions) {
                bring(signals, &progress::write(&predictions));
            }
            take_files(signals);
        });
    }
}

/// Makes the field work that takes progress from a file, and says whether it is there.
fn take_files(signals: &'static Signals) -> bool {
    let Some(field) = page::by_id("quiz-import").and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) else {
        return false;
    };
    let files = field.clone();
    page::listen(&field, "change", move |_| {
        let Some(file) = files.files().and_then(|files| files.get(0)) else { return };
        let read = Closure::<dyn FnMut(JsValue)>::new(move |text: JsValue| {
            let text = text.as_string().unwrap_or_default();
            if text.starts_with("memory-wall") {
                let aside = bring(signals, &text).to_string();
                tell(&words::QuizBrought { n: &aside }.text());
            } else {
                tell(words::quiz_unbrought());
            }
        });
        // A file that the browser cannot read is not read.
        let _ = file.text().then(&read);
        // Some hundred bytes for each file.
        read.forget();
        // The same file can be chosen again.
        files.set_value("");
    });
    true
}

/// Puts kept progress in place, and says how many lines were set aside. Until the questions have come each is taken to be one.
pub(super) fn bring(signals: &'static Signals, text: &str) -> usize {
    let is_waiting = page::by_id("self-check").is_some();
    let mut made = progress::read(text, &|id| is_waiting || question(id).is_some());
    let now = js_sys::Date::new_0();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "days since 1970 fit into 32 bits for as long as there are readers"
    )]
    let today = ((now.get_time() / 60_000.0 - now.get_timezone_offset()) / 1_440.0) as u32;
    made.quiz.open(today);
    let aside = made.aside.len();
    signals.predictions.set(made);
    aside
}

fn tell(text: &str) {
    if let Some(place) = page::by_id("quiz-file-said") {
        place.set_text_content(Some(text));
    }
}

/// Hands out the progress as a file.
pub(super) fn export(signals: &'static Signals) {
    let text = progress::write(&signals.predictions.get_untracked());
    let saved = keep::blob(&text, "text/plain").and_then(|blob| keep::save(&blob, "memory-wall-progress.txt"));
    match saved {
        Some(file) => tell(&words::RooflineKept { file }.text()),
        None => tell(words::roofline_not_kept()),
    }
}

fn question(id: &str) -> Option<Element> {
    page::by_id(&format!("quiz-{id}")).map(Into::into)
}

fn data(place: &Element, name: &str) -> String {
    place.get_attribute(name).unwrap_or_default()
}

/// What stands in a question: a number as it is typed, or the names of what is chosen; a `-` for what is still missing.
fn given(question: &Element) -> String {
    let mut words = String::new();
    for field in page::within(question, "[type=text], :checked:not(option), select") {
        let value = match field.dyn_ref::<HtmlSelectElement>() {
            Some(select) => select.value(),
            None => field.unchecked_ref::<HtmlInputElement>().value(),
        };
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&value);
    }
    words
}

/// Puts options, or their reasons, in the order of an attempt. The page arrives in that of the first one.
pub(super) fn arrange(place: &Element, attempt: &str) {
    let (Ok(attempt), Ok(Some(question))) = (attempt.parse(), place.closest("[data-quiz]")) else { return };
    let id = data(&question, "data-quiz");
    let rank =
        |option: &Element| data(option, "data-option").parse().map_or(0, |option| shuffle::rank(&id, attempt, option));
    let mut left = page::within(place, "[data-option]");
    // There are a handful: sorting them would be the larger part of the program.
    while let Some(next) = left.iter().enumerate().min_by_key(|(_, option)| rank(option)).map(|(at, _)| at) {
        // They are moved within the place that they are in.
        let _ = place.append_child(&left.swap_remove(next));
    }
}

/// Takes what the reader has put into a question.
pub(super) fn give(signals: &'static Signals, question: &Element) {
    refuse(question, None);
    let (id, given) = (data(question, "data-quiz"), given(question));
    signals.predict(&|made| made.quiz.give(&id, &given));
}

/// Says under a question what is missing.
fn refuse(question: &Element, error: Option<&str>) {
    if let Ok(Some(place)) = question.query_selector(".field-error") {
        place.set_text_content(error);
    }
}

/// What is wrong with chosen options, or with parts put in order: the options that are not right, or `-` where only something is missing
/// or in another place.
fn wrong(given: &str, answer: &str, in_order: bool) -> Option<String> {
    let wrong = others(given, answer);
    if !wrong.is_empty() {
        return Some(wrong);
    }
    let is_right = given == answer || !in_order && others(answer, given).is_empty();
    (!is_right).then(|| String::from("-"))
}

/// Words of one text that are not in another, with `+` between them.
fn others(text: &str, known: &str) -> String {
    let mut others = String::new();
    for word in text.split(' ').filter(|word| known.split(' ').all(|known| known != *word)) {
        if !others.is_empty() {
            others.push('+');
        }
        others.push_str(word);
    }
    others
}

/// Checks a question, or asks it again.
pub(super) fn check(signals: &'static Signals, id: &str) {
    let Some(question) = question(id) else { return };
    let now = signals.predictions.get_untracked();
    if now.quiz.is_done(id) {
        return signals.predict(&|made| made.quiz.again(id));
    }
    let given = now.quiz.entry(id).map_or("", |entry| entry.given.as_str());
    let answer = data(&question, "data-answer");
    // In an order a `-` is a place that is still empty.
    if given.is_empty() || (!answer.is_empty() && given.contains('-')) {
        return refuse(&question, Some(words::quiz_first()));
    }
    if now.quiz.is_unchanged(id) {
        return refuse(&question, Some(words::quiz_same()));
    }
    // Of two options, a hint would be the answer.
    let is_last = matches!(question.query_selector(".hints"), Ok(None));
    if !answer.is_empty() {
        let wrong = wrong(given, &answer, matches!(question.query_selector("select"), Ok(Some(_))));
        return signals.predict(&|made| made.quiz.judge(id, wrong.as_deref(), is_last));
    }
    let variant = format!("[data-v=\"{}\"][data-answer]", now.quiz.variant(id));
    let Ok(Some(variant)) = question.query_selector(&variant) else { return };
    let [prefix, names] = ["data-prefix", "data-names"].map(|name| data(&question, name));
    let unit = Unit { prefix: &prefix, names: &names };
    let slips = data(&variant, "data-slips");
    match number::judge(given, unit, &data(&variant, "data-answer"), &slips) {
        None => refuse(&question, Some(&words::QuizUnread { value: given }.text())),
        Some(judged) => {
            let wrong = match judged {
                Judged::Right => None,
                Judged::Slip(slip) => Some(slip),
                Judged::Other => Some("-"),
            };
            signals.predict(&|made| made.quiz.judge(id, wrong, is_last));
        }
    }
}

/// Checks what was typed into a question at the enter key. Where that locks the field, the focus goes on to the button.
pub(super) fn enter(signals: &'static Signals, question: &Element) {
    let id = data(question, "data-quiz");
    check(signals, &id);
    if signals.predictions.get_untracked().quiz.is_done(&id)
        && let Ok(Some(button)) = question.query_selector(".check")
        && let Some(button) = button.dyn_ref::<HtmlElement>()
    {
        let _ = button.focus();
    }
}

/// Takes a claim for true or false, and says at once what it is.
pub(super) fn claim(signals: &'static Signals, id: &str, option: &str) {
    signals.predict(&|made| {
        if made.quiz.is_done(id) {
            made.quiz.again(id);
        }
        made.quiz.give(id, option);
    });
    check(signals, id);
}
