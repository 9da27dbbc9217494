//! A debounce: work that is done once, when nothing has asked for it for a while.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;

use super::page;

/// Work that is put off each time it is asked for.
///
/// A lever that is dragged asks in every frame, and setting a timer is expensive. So the timer that runs is left running, and
/// when it ends it waits for what is left.
pub(super) struct Debounce {
    milliseconds: f64,
    asked: Cell<f64>,
    waiting: Cell<bool>,
    act: Box<dyn Fn()>,
}

impl Debounce {
    /// Work for when nothing has asked for it in so many milliseconds.
    pub(super) fn new(milliseconds: u32, act: impl Fn() + 'static) -> Rc<Self> {
        let (asked, waiting) = (Cell::new(0.0), Cell::new(false));
        Rc::new(Self { milliseconds: milliseconds.into(), asked, waiting, act: Box::new(act) })
    }

    /// Asks for it, and puts off what was asked for before.
    pub(super) fn ask(self: &Rc<Self>) {
        self.asked.set(page::now());
        if !self.waiting.replace(true) {
            self.clone().wait(self.milliseconds);
        }
    }

    fn wait(self: Rc<Self>, left: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "rounded up to a whole millisecond, and no longer than the first wait"
        )]
        let left = left.min(self.milliseconds).ceil() as u32;
        let timer = Timeout::new(left, move || {
            let left = self.asked.get() + self.milliseconds - page::now();
            if left > 0.0 {
                self.wait(left);
            } else {
                self.waiting.set(false);
                (self.act)();
            }
        });
        timer.forget();
    }
}
