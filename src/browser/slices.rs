//! Work in slices: what takes long lets the browser do whatever else it has to do in between, so that no press waits for all of it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageChannel;

use super::page;

/// A slice is over after so many milliseconds; on a processor four times as slow its last step still ends in time.
const SLICE: f64 = 5.0;

/// A handle by which the work is asked for.
pub(super) struct Slices {
    /// Does a piece, and says whether there is more.
    step: Box<dyn Fn() -> bool>,
    running: Cell<bool>,
    /// A message to oneself comes as soon as it is its turn. Timers would wait longer, in pages that nobody looks at for a second.
    channel: Option<MessageChannel>,
    heard: RefCell<Option<Closure<dyn FnMut()>>>,
}

impl Slices {
    /// Work of which a step says whether there is more.
    pub(super) fn new(step: impl Fn() -> bool + 'static) -> Rc<Self> {
        let (step, channel) = (Box::new(step), MessageChannel::new().ok());
        let slices = Rc::new(Self { step, running: Cell::new(false), channel, heard: RefCell::default() });
        let again = Rc::clone(&slices);
        // The page lives as long as both.
        let heard = Closure::new(move || again.run());
        if let Some(channel) = &slices.channel {
            channel.port1().set_onmessage(Some(heard.as_ref().unchecked_ref()));
        }
        slices.heard.replace(Some(heard));
        slices
    }

    /// Asks for it: the first slice comes as soon as the browser has done what it is at.
    pub(super) fn ask(&self) {
        if !self.running.replace(true) {
            self.next();
        }
    }

    fn next(&self) {
        if let Some(channel) = &self.channel {
            // Nothing is sent along that could not be.
            let _ = channel.port2().post_message(&JsValue::NULL);
        }
    }

    fn run(&self) {
        let begin = page::now();
        while page::now() - begin < SLICE {
            if !(self.step)() {
                self.running.set(false);
                return;
            }
        }
        self.next();
    }
}
