//! Work that is done at most once a frame, however often it is asked for, and never unasked.
//!
//! Where the work is short it is part of the frame. Where it takes long, the frame comes first and shows what the browser itself
//! moves, the knob of a slider above all; what the work changes is seen one frame later.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use super::page;
use super::task_queue::TaskQueue;

/// Milliseconds from which on work takes long: laying out and painting what it changes take some three times as much.
const LONG: f64 = 1.5;

/// A handle by which the work is asked for; copies ask for the same work.
#[derive(Clone)]
pub(super) struct Frame {
    frame: Rc<Closure<dyn FnMut()>>,
    waiting: Rc<Cell<bool>>,
}

impl Frame {
    /// Work for the next frame after each time it is asked for.
    pub(super) fn new(act: impl Fn() + 'static) -> Self {
        let waiting = Rc::new(Cell::new(false));
        let took = Rc::new(Cell::new(0.0));
        let work = {
            let (waiting, took) = (Rc::clone(&waiting), Rc::clone(&took));
            Rc::new(move || {
                waiting.set(false);
                let begin = page::now();
                act();
                took.set(page::now() - begin);
            })
        };
        let after = TaskQueue::new({
            let work = Rc::clone(&work);
            move || {
                work();
                false
            }
        });
        let frame = Closure::new(move || if took.get() < LONG { work() } else { after.ask() });
        Self { frame: Rc::new(frame), waiting }
    }

    /// Asks for it.
    pub(super) fn ask(&self) {
        if self.waiting.get() {
            return;
        }
        if let Some(window) = page::window() {
            let frame = (*self.frame).as_ref();
            self.waiting.set(window.request_animation_frame(frame.unchecked_ref()).is_ok());
        }
    }
}
