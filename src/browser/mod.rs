//! The browser side: makes the page live and keeps link and storage in step. Only these files touch the page itself.

mod address;
mod bindings;
mod canvas;
mod controls;
mod debounce;
mod follow;
mod frame;
mod host;
mod keep;
mod levers;
mod page;
mod pen;
mod points;
mod quiz;
mod storage;
mod task_queue;
mod watch;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use reactive_graph::graph::untrack;
use reactive_graph::prelude::*;

use crate::store::Signals;
use debounce::Debounce;
pub use task_queue::TaskQueue;

use crate::far;
use crate::live::Snapshot;
use crate::state::query::{self, Decoded};
use crate::state::{State, progress};
use crate::words;

/// Starts the page, piece by piece, since whatever is called for the first time is compiled then.
pub fn start() {
    let (done, begun) = (Cell::new(0), Cell::new(None::<&'static (&'static Signals, Vec<String>)>));
    let pieces = task_queue::TaskQueue::of_long_steps(move || {
        let nth = done.replace(done.get() + 1);
        match (nth, begun.get()) {
            (0, _) => {
                host::await_far();
                words::learn(page::by_id("words").and_then(|place| place.text_content()).unwrap_or_default());
            }
            // Asked again when it comes.
            (1, _) if host::awaits_far() => {
                done.set(1);
                return false;
            }
            // Both are there for as long as the page is.
            (1, _) => begun.set(Some(&*Box::leak(Box::new(begin())))),
            (2, Some((signals, _))) => quiz::start(signals),
            // Whatever hears of the page listens before the page says that it is live.
            (3, Some((signals, notices))) => come_alive(signals, notices),
            (4, Some((signals, _))) => follow(signals),
            _ => return false,
        }
        true
    });
    if host::awaits_far() {
        host::on_far({
            let pieces = Rc::clone(&pieces);
            move || pieces.ask()
        });
    }
    pieces.ask();
}

/// Link, then storage, then the default: the state that the page starts from, and what could not be used of it.
fn begin() -> (&'static Signals, Vec<String>) {
    let Decoded { state, notices } = match address::query() {
        Some(query) => query::decode(&query),
        // A figure by itself begins as its page says, not where the reader left the tutorial.
        None if host::figure().is_some() => query::decode(""),
        None => stored(),
    };
    (Signals::start(&state), notices)
}

/// What follows the state at a distance.
fn come_alive(signals: &'static Signals, notices: &[String]) {
    watch::notices(notices);
    watch::far();
    host::tell_notices(notices);
    watch::save(signals);
    watch::progress(signals);
    watch::announce(signals);
    watch::rest(signals);
    host::listen(signals);
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

/// Brings bindings, points and canvas in step with the state: after each change what is on the screen in the next frame, and the
/// rest when the changes rest, so that a lever that is dragged moves what it is dragged for. At first everything is the rest;
/// once that is there, the page is live.
fn follow(signals: &'static Signals) {
    let bindings = Rc::new(bindings::Bindings::new());
    let host = canvas::Host::find().map(Rc::new);
    let levers = levers::Levers::listen(signals);
    let rested = Rc::new(Cell::new(true));
    let (turn, mean) = (Rc::new(Cell::new(Turn::Both)), Rc::new(Cell::new(0.0)));
    let frames = frame::Frame::new({
        let (bindings, host, rested) = (Rc::clone(&bindings), host.clone(), Rc::clone(&rested));
        let (turn, mean, levers) = (Rc::clone(&turn), Rc::clone(&mean), Rc::clone(&levers));
        move || {
            levers.show();
            let (begin, all) = (page::now(), rested.get());
            let drawing = host.as_ref().filter(|host| (all || host.is_seen()) && far::plots());
            // Nothing takes turns with a drawing that nobody sees, nor at rest: nothing comes after it.
            let now = if all || drawing.is_none() { Turn::Both } else { turn.get() };
            if now != Turn::Drawing {
                bindings.ask(&untrack(|| signals.snapshot()));
            }
            if let Some(host) = drawing.filter(|_| now != Turn::Words) {
                host.draw(&signals.roofline.get_untracked());
            }
            if !all {
                mean.set(mean.get() + WEIGHT * (page::now() - begin - mean.get()));
                turn.set(now.next(mean.get()));
            }
        }
    });
    let queue = task_queue::TaskQueue::new({
        let (bindings, host, rested) = (Rc::clone(&bindings), host.clone(), Rc::clone(&rested));
        let levers = Rc::clone(&levers);
        // What the rest is brought in step with, and whether the drawing is.
        let pass = RefCell::new(None::<(Snapshot, bool)>);
        let live = Cell::new(false);
        move || {
            let mut pass = pass.borrow_mut();
            // Changes have started again, and have another rest.
            if !rested.get() {
                *pass = None;
                return false;
            }
            if bindings.find() {
                return true;
            }
            match &mut *pass {
                None => {
                    turn.set(Turn::Both);
                    mean.set(0.0);
                    *pass = Some((untrack(|| signals.snapshot()), false));
                }
                Some((_, drawn)) if !*drawn => {
                    *drawn = true;
                    if let Some(host) = host.as_ref().filter(|_| far::plots()) {
                        host.draw(&signals.roofline.get_untracked());
                    }
                }
                Some((snapshot, _)) => {
                    if bindings.ask_next(snapshot) || levers.show_next() {
                        return true;
                    }
                    *pass = None;
                    // The points are among what has been asked.
                    if far::plots() {
                        points::mark(&signals.roofline.get_untracked());
                    }
                    host::tell("memory-wall:rest", "");
                    bindings.watch();
                    if !live.replace(true) {
                        if let Some(host) = &host {
                            host.begin(signals);
                        }
                        page::mark_live();
                        host::tell("memory-wall:live", "");
                        levers.ask();
                    }
                    return false;
                }
            }
            true
        }
    });
    queue.ask();
    if let Some(document) = page::document() {
        let (bindings, queue) = (Rc::clone(&bindings), Rc::clone(&queue));
        page::listen(&document, "memory-wall:more", move |event| {
            bindings.more(&host::detail(&event));
            queue.ask();
        });
    }
    controls::listen(signals, &bindings);
    if let Some(host) = &host {
        host.watch(&frames);
    }
    let operated = Rc::new(move || {
        if let Some(host) = &host {
            keep::buttons(signals, host);
        }
        points::watch(signals);
    });
    host::on_far({
        let (bindings, queue, operated) = (Rc::clone(&bindings), Rc::clone(&queue), Rc::clone(&operated));
        let (levers, frames) = (Rc::clone(&levers), frames.clone());
        move || {
            operated();
            controls::far_came(signals);
            bindings.far_came();
            levers.far_came();
            queue.ask();
            // A pass that is under way has passed by the drawing.
            frames.ask();
        }
    });
    if far::plots() {
        operated();
    } else if signals.state_now() != State::default() || !progress::is_empty(&signals.predictions.get_untracked()) {
        // The page arrived saying something else.
        host::ask_far();
    }
    page::on_print(move || {
        if far::plots() {
            canvas::print(&signals.roofline.get_untracked());
        }
        if let (Some(place), Some(address)) =
            (page::first(".printed > span"), address::whole(&query::encode(&signals.state_now())))
        {
            page::write(&place, &address);
        }
    });
    let rest = {
        let rested = Rc::clone(&rested);
        Debounce::new(REST, move || {
            rested.set(true);
            queue.ask();
        })
    };
    let started = Cell::new(false);
    follow::follow(move || {
        signals.state.track();
        signals.look.track();
        signals.predictions.track();
        if !started.replace(true) {
            return;
        }
        host::ask_far();
        bindings.stale(signals.state().unit);
        levers.stale();
        rested.set(false);
        frames.ask();
        rest.ask();
    });
}
