//! Work that is done at most once a frame, however often it is asked for, and never unasked.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use super::page;

/// A handle by which the work is asked for; copies ask for the same work.
#[derive(Clone)]
pub(super) struct Frame(Rc<Inner>);

struct Inner {
    act: RefCell<Option<Closure<dyn FnMut()>>>,
    waiting: Cell<bool>,
}

impl Frame {
    /// Work for the next frame after each time it is asked for.
    pub(super) fn new(act: impl Fn() + 'static) -> Self {
        let frame = Self(Rc::new(Inner { act: RefCell::new(None), waiting: Cell::new(false) }));
        let again = frame.clone();
        // The page lives as long as both.
        let act = Closure::new(move || {
            again.0.waiting.set(false);
            act();
        });
        frame.0.act.replace(Some(act));
        frame
    }

    /// Asks for it.
    pub(super) fn ask(&self) {
        if self.0.waiting.get() {
            return;
        }
        if let (Some(act), Some(window)) = (self.0.act.borrow().as_ref(), page::window()) {
            self.0.waiting.set(window.request_animation_frame(act.as_ref().unchecked_ref()).is_ok());
        }
    }
}
