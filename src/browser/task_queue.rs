//! A queue of short tasks. Long work is cut into steps, so that the browser can answer the reader between two of them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageChannel;

use super::page;

/// A task takes steps for so many milliseconds. On a processor four times as slow its last step still ends in time.
const TASK: f64 = 5.0;
/// The same where steps are long themselves.
const SHORT_TASK: f64 = 1.0;

/// Work in steps, started by [`TaskQueue::ask`].
pub struct TaskQueue {
    /// Does one step, and says whether there is more.
    step: Box<dyn Fn() -> bool>,
    /// For how many milliseconds a task takes steps.
    task: f64,
    running: Cell<bool>,
    /// Each task is started by a message to the page itself, which comes at once. A timer would wait longer, and a second in a page
    /// that nobody looks at.
    channel: Option<MessageChannel>,
    heard: RefCell<Option<Closure<dyn FnMut()>>>,
}

impl TaskQueue {
    /// Work whose `step` says whether there is more.
    pub fn new(step: impl Fn() -> bool + 'static) -> Rc<Self> {
        Self::of_tasks(TASK, Box::new(step))
    }

    /// Work whose steps take some milliseconds each: hardly two of them are one task.
    pub fn of_long_steps(step: impl Fn() -> bool + 'static) -> Rc<Self> {
        Self::of_tasks(SHORT_TASK, Box::new(step))
    }

    fn of_tasks(task: f64, step: Box<dyn Fn() -> bool>) -> Rc<Self> {
        let channel = MessageChannel::new().ok();
        let queue = Rc::new(Self { step, task, running: Cell::new(false), channel, heard: RefCell::default() });
        let again = Rc::clone(&queue);
        // The queue and its listener hold each other for as long as the page lives.
        let heard = Closure::new(move || again.run());
        if let Some(channel) = &queue.channel {
            channel.port1().set_onmessage(Some(heard.as_ref().unchecked_ref()));
        }
        queue.heard.replace(Some(heard));
        queue
    }

    /// Starts the work, unless it is running: the first task comes as soon as the browser is done with the present one.
    pub fn ask(&self) {
        if !self.running.replace(true) {
            self.next();
        }
    }

    fn next(&self) {
        if let Some(channel) = &self.channel {
            // A null can always be sent.
            let _ = channel.port2().post_message(&JsValue::NULL);
        }
    }

    fn run(&self) {
        let begin = page::now();
        while page::now() - begin < self.task {
            if !(self.step)() {
                self.running.set(false);
                return;
            }
        }
        self.next();
    }
}
