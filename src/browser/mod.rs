//! The browser side: makes the page live and keeps link and storage in step. Only these files touch the page itself.

mod address;
mod canvas;
mod controls;
mod frame;
mod host;
mod keep;
mod names;
mod page;
mod pen;
mod points;
mod quiz;
mod rest;
mod rig;
mod slices;
mod storage;
mod watch;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use reactive_graph::graph::untrack;
use reactive_graph::prelude::*;

use rest::Rest;
use rig::{Rig, Signals};

use crate::live::Snapshot;
use crate::state::query::{self, Decoded};
use crate::words;

/// Starts the page, piece by piece, since whatever is called for the first time is compiled then.
pub fn start() {
    let begun = Cell::new(None);
    let pieces = slices::Slices::new(move || match begun.take() {
        None => {
            begun.set(Some(begin()));
            true
        }
        Some((rig, notices)) => {
            come_alive(rig, &notices);
            false
        }
    });
    pieces.ask();
}

/// Link, then storage, then the default: the state that the page starts from, and what could not be used of it.
fn begin() -> (Rig, Vec<String>) {
    words::learn(page::by_id("words").and_then(|place| place.text_content()).unwrap_or_default());
    let Decoded { state, notices } = match address::query() {
        Some(query) => query::decode(&query),
        // A figure by itself begins as its page says, not where the reader left the tutorial.
        None if host::figure().is_some() => query::decode(""),
        None => stored(),
    };
    let rig = Signals::start(&state);
    quiz::start(rig);
    (rig, notices)
}

/// Every figure follows the state from here on.
fn come_alive(rig: Rig, notices: &[String]) {
    follow(rig);
    watch::notices(notices);
    host::tell_notices(notices);
    watch::save(rig);
    watch::progress(rig);
    watch::announce(rig);
    watch::rest(rig);
    host::listen(rig);
}

/// What is stored was written here. Of what cannot be read any more the rest applies, the whole is set aside, and nothing is
/// said: the reader never asked about it.
fn stored() -> Decoded {
    let text = storage::load(storage::STATE).unwrap_or_default();
    let mut decoded = query::decode(&text);
    if !decoded.notices.is_empty() {
        storage::set_aside(storage::STATE, &text);
        decoded.notices.clear();
    }
    decoded
}

/// A series of changes is over when none has come for so many milliseconds.
const REST: u32 = 100;

/// Frames whose work takes so many milliseconds are late: laying out and painting take some three times as long.
const LATE: f64 = 2.0;

/// How much one frame counts among those of its series; a single late one is no slow machine.
const WEIGHT: f64 = 0.25;

/// What a frame of a series brings in step.
#[derive(Clone, Copy, PartialEq)]
enum Turn {
    Both,
    Words,
    Drawing,
}

impl Turn {
    /// On a slow machine words and drawing take turns until the series is over: each moves every other frame, and the lever
    /// in every one.
    fn next(self, mean: f64) -> Self {
        match self {
            Self::Both if mean < LATE => Self::Both,
            Self::Both | Self::Drawing => Self::Words,
            Self::Words => Self::Drawing,
        }
    }
}

/// Brings names, points and canvas in step with the state: after each change what is on the screen in the next frame, and the
/// rest when the changes rest, so that a lever that is dragged moves what it is dragged for. At first everything is the rest;
/// once that is there, the page is live.
fn follow(rig: Rig) {
    let names = Rc::new(names::Followers::new());
    let host = canvas::Host::find().map(Rc::new);
    let rested = Rc::new(Cell::new(true));
    let (turn, mean) = (Rc::new(Cell::new(Turn::Both)), Rc::new(Cell::new(0.0)));
    let frames = frame::Frame::new({
        let (names, host, rested) = (Rc::clone(&names), host.clone(), Rc::clone(&rested));
        let (turn, mean) = (Rc::clone(&turn), Rc::clone(&mean));
        move || {
            let (begin, all) = (page::now(), rested.get());
            let drawing = host.as_ref().filter(|host| all || host.is_seen());
            // Nothing takes turns with a drawing that nobody sees, nor at rest: nothing comes after it.
            let now = if all || drawing.is_none() { Turn::Both } else { turn.get() };
            if now != Turn::Drawing {
                names.ask(&untrack(|| rig.snapshot()));
            }
            if let Some(host) = drawing.filter(|_| now != Turn::Words) {
                host.draw(&rig.roofline.get_untracked());
            }
            if !all {
                mean.set(mean.get() + WEIGHT * (page::now() - begin - mean.get()));
                turn.set(now.next(mean.get()));
            }
        }
    });
    let slices = slices::Slices::new({
        let (names, host, rested) = (Rc::clone(&names), host.clone(), Rc::clone(&rested));
        // What the rest is brought in step with, and whether the drawing is.
        let pass = RefCell::new(None::<(Snapshot, bool)>);
        let live = Cell::new(false);
        move || {
            let mut pass = pass.borrow_mut();
            // Changes have begun again, and have another rest.
            if !rested.get() {
                *pass = None;
                return false;
            }
            if names.find() {
                return true;
            }
            match &mut *pass {
                None => {
                    turn.set(Turn::Both);
                    mean.set(0.0);
                    *pass = Some((untrack(|| rig.snapshot()), false));
                }
                Some((_, drawn)) if !*drawn => {
                    *drawn = true;
                    if let Some(host) = &host {
                        host.draw(&rig.roofline.get_untracked());
                    }
                }
                Some((snapshot, _)) => {
                    if names.ask_next(snapshot) {
                        return true;
                    }
                    *pass = None;
                    // The points are among what has been asked.
                    points::mark(&rig.roofline.get_untracked());
                    host::tell("memory-wall:rest", "");
                    names.watch();
                    if !live.replace(true) {
                        if let Some(host) = &host {
                            host.begin(&rig.roofline.get_untracked());
                        }
                        page::mark_live();
                        host::tell("memory-wall:live", "");
                    }
                    return false;
                }
            }
            true
        }
    });
    slices.ask();
    if let Some(document) = page::document() {
        let (names, slices) = (Rc::clone(&names), Rc::clone(&slices));
        page::listen(&document, "memory-wall:more", move |event| {
            names.more(&host::detail(&event));
            slices.ask();
        });
    }
    controls::listen(rig, &names);
    if let Some(host) = &host {
        host.watch(&frames);
        keep::buttons(rig, host);
    }
    points::watch(rig);
    page::on_print(move || {
        canvas::print(&rig.roofline.get_untracked());
        if let (Some(place), Some(address)) =
            (page::first(".printed > span"), address::whole(&query::encode(&rig.state_now())))
        {
            page::write(&place, &address);
        }
    });
    let rest = {
        let rested = Rc::clone(&rested);
        Rest::new(REST, move || {
            rested.set(true);
            slices.ask();
        })
    };
    let begun = Cell::new(false);
    rig::follow(move || {
        rig.state.track();
        rig.roofline.track();
        rig.predictions.track();
        if !begun.replace(true) {
            return;
        }
        names.stale(rig.state().unit);
        rested.set(false);
        frames.ask();
        rest.ask();
    });
}
