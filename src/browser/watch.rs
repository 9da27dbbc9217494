//! What follows the state at a distance: the address, the storage, the announcements, the notices about a link.
#![expect(clippy::disallowed_methods, reason = "this file puts notices and announcements into the page")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::Ordering;

use reactive_graph::prelude::*;
use web_sys::Element;

use super::debounce::Debounce;
use super::follow::follow;
use super::{address, host, page, quiz, storage};
use crate::far;
use crate::figures::{Model as _, hierarchy, oom};
use crate::live::Snapshot;
use crate::predictions::Predictions;
use crate::state::{State, progress, query};
use crate::store::Signals;
use crate::words;

/// Runs `act` once the state has rested for a while after an edit.
fn after_rest(signals: &'static Signals, milliseconds: u32, act: impl Fn(&'static Signals) + 'static) {
    let rest = Debounce::new(milliseconds, move || act(signals));
    follow(move || {
        signals.state.track();
        if signals.edited.get() {
            rest.ask();
        }
    });
}

/// Writes address and storage after an edit; a link that is only read stays as it was sent.
pub(super) fn save(signals: &'static Signals) {
    let write = move || {
        if signals.edited.get_untracked() {
            let query = query::encode(&signals.state_now());
            host::tell("memory-wall:state", &query);
            // The state of a figure by itself is its page's own, and no word about the tutorial.
            if host::figure().is_none() {
                let _ = address::replace(&query);
                let _ = storage::save(storage::STATE, &query);
            }
        }
    };
    after_rest(signals, 300, move |_| write());
    if let Some(window) = page::window() {
        // Back and forward go between headings of one page: the state stays, and the address says what it is.
        page::listen_to(&window, &["popstate", "pagehide"], move |_| write());
    }
}

/// Keeps what was guessed and answered as soon as it has changed, and takes over what another tab has kept: each writes all of
/// it, and would write over the others otherwise.
pub(super) fn progress(signals: &'static Signals) {
    let Some(key) = storage::progress() else {
        return follow(move || host::tell("memory-wall:progress", &progress::write(&signals.predictions())));
    };
    let kept = Rc::new(RefCell::new(None::<String>));
    // A storage that is full keeps what is older than what stands in the page.
    let saved = Rc::new(Cell::new(true));
    follow({
        let (key, kept, saved) = (key.clone(), Rc::clone(&kept), Rc::clone(&saved));
        move || {
            let text = progress::write(&signals.predictions());
            // What was there from the start is kept already.
            if kept.borrow().as_ref().is_some_and(|before| *before != text) {
                saved.set(storage::save(&key, &text).is_some());
            }
            host::tell("memory-wall:progress", &text);
            kept.replace(Some(text));
        }
    });
    if let Some(window) = page::window() {
        // A page that comes back from the browser's memory has missed the news.
        page::listen_to(&window, &["storage", "pageshow"], move |_| {
            let text = storage::load(&key).unwrap_or_default();
            if saved.get() && kept.borrow().as_ref().is_some_and(|before| *before != text) {
                quiz::bring(signals, &text);
            }
        });
    }
}

/// Ends a series of changes, so that the next one is compared with what is there now.
pub(super) fn rest(signals: &'static Signals) {
    after_rest(signals, 1_000, |signals| signals.rested.store(true, Ordering::Relaxed));
}

/// Says the outcome of an edit to screen readers, at most once in 700 ms; that of a prediction at once, since it was asked for.
pub(super) fn announce(signals: &'static Signals) {
    let before = signals.state_now();
    let told = Cell::new((before.tier, before.roofline));
    let now = |made: &Predictions| [made.announcement(), made.dials.announcement(), made.quiz.announcement()];
    // What was open on the last visit was said then.
    let before = RefCell::new(now(&signals.predictions.get_untracked()));
    follow(move || {
        let now = now(&signals.predictions());
        let said = now.iter().zip(before.borrow().iter()).find(|(now, before)| now != before).map(|(now, _)| now);
        if let (Some(said), Some(place)) = (said, page::by_id("announcer")) {
            place.set_text_content(Some(said));
        }
        before.replace(now);
    });
    after_rest(signals, 700, move |signals| {
        if let Some(place) = page::by_id("announcer") {
            let snapshot = signals.snapshot();
            let State { tier: chosen, roofline: now, .. } = snapshot.state;
            let (tier, levers) = told.replace((chosen, now));
            let stepped = page::focused().is_some_and(|at| matches!(at.closest("#figure-oom"), Ok(Some(_))));
            // Another tier or a step of the trace changes no total, but its own sentence; so do the roofline's own levers.
            // A page without the figure has not its part of the program either.
            let (said, here): (Sentence, bool) = if stepped {
                (sentence_of_oom, far::came())
            } else if tier != chosen {
                (sentence_of_hierarchy, far::came() && page::by_id("figure-hierarchy").is_some())
            } else {
                (sentence_of_roofline, levers != now && far::plots())
            };
            // Found by way of the table alone: short functions that are called by their names end up in their callers.
            let text = if here { std::hint::black_box(said)(&snapshot) } else { snapshot.announcement() };
            place.set_text_content(Some(&text));
        }
    });
}

/// What a figure of a far part says of itself.
type Sentence = fn(&Snapshot) -> String;

fn sentence_of_oom(snapshot: &Snapshot) -> String {
    far::apart();
    oom::Model::of(snapshot).sentence()
}

fn sentence_of_hierarchy(snapshot: &Snapshot) -> String {
    far::apart();
    hierarchy::Model::of(snapshot).sentence()
}

fn sentence_of_roofline(snapshot: &Snapshot) -> String {
    far::apart();
    snapshot.roofline().sentence()
}

/// Shows what could not be used of a link, until the reader closes it.
pub(super) fn notices(notices: &[String]) {
    let (Some(place), Some(list)) = (page::notice(), page::first::<Element>("#notice ul")) else { return };
    if notices.is_empty() {
        return;
    }
    for notice in notices {
        if let Some(item) = page::document().and_then(|document| document.create_element("li").ok()) {
            // Text, whatever the link says.
            item.set_text_content(Some(notice));
            let _ = list.append_child(&item);
        }
    }
    place.set_hidden(false);
}

/// Says that the far part of the program was asked for and did not come, until it does.
pub(super) fn far() {
    let Some(place) = page::by_id("stuck") else { return };
    let told = place.clone();
    host::on_far_missing(move || {
        // Said once: it is read aloud.
        if !told.hidden() {
            return;
        }
        told.set_text_content(Some(words::far_missing()));
        // An attribute with a legal name can be set.
        let _ = told.set_attribute("data-missing", "");
        told.set_hidden(false);
    });
    host::on_far(move || place.set_hidden(true));
}
