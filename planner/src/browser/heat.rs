//! The picture of how full a GPU is: asked for while it is near the screen, some milliseconds at a time, so that nobody waits for it, and
//! painted as it comes.
#![expect(clippy::disallowed_methods, reason = "this file is where the planner draws in the browser")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use memory_wall_core::Verdict;
use memory_wall_plan::maps::{self, LENGTHS, Load};
use memory_wall_plan::reply::Reply;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    CanvasRenderingContext2d, HtmlCanvasElement, IntersectionObserver, IntersectionObserverEntry,
    IntersectionObserverInit, MouseEvent,
};

use crate::heat::{COLUMNS, ROWS, here, sequences, tokens};

/// Milliseconds of a slice.
const SLICE: f64 = 6.0;
/// How far from the screen the picture is begun.
const NEAR: &str = "50%";
/// Room for the numbers above and on the left, in pixels of the page.
const MARGIN: [f64; 2] = [36.0, 20.0];
/// Room for half a number on the right.
const RIGHT: f64 = 14.0;

/// The picture on a canvas.
#[derive(Clone, Default)]
pub(crate) struct Picture(Rc<Inner>);

#[derive(Default)]
struct Inner {
    /// Which run of slices is the newest: older ones stop.
    newest: Cell<u32>,
    /// Whether it is near the screen.
    near: Cell<bool>,
    cells: RefCell<Vec<Option<Load>>>,
    reply: RefCell<Option<Reply>>,
    canvas: RefCell<Option<HtmlCanvasElement>>,
    listeners: RefCell<Vec<EventListener>>,
}

impl Picture {
    /// Begins the picture of a plan.
    pub(crate) fn show(&self, canvas: &HtmlCanvasElement, reply: Option<Reply>) {
        let inner = &self.0;
        if inner.canvas.replace(Some(canvas.clone())).is_none() {
            self.follow();
            self.watch(canvas);
        }
        if *inner.reply.borrow() != reply {
            inner.cells.borrow_mut().clear();
            inner.reply.replace(reply);
        }
        self.begin();
    }

    /// Paints it and goes on with what is still to be asked, where it is near the screen.
    fn begin(&self) {
        let inner = &self.0;
        inner.newest.set(inner.newest.get().wrapping_add(1));
        if inner.near.get() {
            self.go_on(inner.newest.get());
        }
    }

    /// Asks for more cells, row by row, until the slice is over.
    fn go_on(&self, run: u32) {
        let inner = &self.0;
        if inner.newest.get() != run {
            return;
        }
        let now = || web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now());
        let end = now() + SLICE;
        if let Some(reply) = &*inner.reply.borrow() {
            let mut cells = inner.cells.borrow_mut();
            while cells.len() < ROWS * COLUMNS && now() < end {
                let at = cells.len();
                cells.push(maps::load(reply, sequences(at / COLUMNS), tokens(at % COLUMNS)));
            }
        }
        self.paint();
        if inner.reply.borrow().is_some() && inner.cells.borrow().len() < ROWS * COLUMNS {
            let picture = self.clone();
            Timeout::new(0, move || picture.go_on(run)).forget();
        }
    }

    /// Begins whenever the picture comes near the screen, and stops when it leaves.
    fn watch(&self, canvas: &HtmlCanvasElement) {
        let picture = self.clone();
        let tell = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            let last = entries.pop().dyn_into::<IntersectionObserverEntry>();
            picture.0.near.set(last.is_ok_and(|entry| entry.is_intersecting()));
            picture.begin();
        });
        let options = IntersectionObserverInit::new();
        options.set_root_margin(NEAR);
        if let Ok(observer) = IntersectionObserver::new_with_options(tell.as_ref().unchecked_ref(), &options) {
            observer.observe(canvas);
        }
        // It lives as long as the page.
        tell.forget();
    }

    /// Paints it anew where its size or the theme changes.
    fn follow(&self) {
        let Some(window) = web_sys::window() else { return };
        let dark = window.match_media("(prefers-color-scheme: dark)").ok().flatten();
        let page = window.document();
        let targets = [
            (Some(window.unchecked_into::<web_sys::EventTarget>()), "resize"),
            (dark.map(Into::into), "change"),
            // A page around has told this one to be dark or light.
            (page.map(Into::into), "memory-wall:theme"),
        ];
        for (target, event) in targets {
            let Some(target) = target else { continue };
            let picture = self.clone();
            self.0.listeners.borrow_mut().push(EventListener::new(&target, event, move |_| picture.begin()));
        }
    }

    fn paint(&self) {
        let Some(canvas) = self.0.canvas.borrow().clone() else { return };
        let Some(window) = web_sys::window() else { return };
        let ratio = window.device_pixel_ratio().clamp(1.0, 3.0);
        let size = [canvas.client_width(), canvas.client_height()].map(f64::from);
        if size.contains(&0.0) {
            return;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the size of an element")]
        let [width, height] = size.map(|length| (length * ratio) as u32);
        if (canvas.width(), canvas.height()) != (width, height) {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        let pen =
            canvas.get_context("2d").ok().flatten().and_then(|pen| pen.dyn_into::<CanvasRenderingContext2d>().ok());
        // A canvas that refuses to be drawn on stays empty; the table beside it says the same.
        let (Some(pen), Ok(Some(style))) = (pen, window.get_computed_style(&canvas)) else { return };
        let colour = |name: &str| style.get_property_value(name).unwrap_or_default();
        let sheet = Sheet { pen, size, ink: colour("color"), warm: colour("--warm"), quiet: colour("--quiet") };
        // Drawn in pixels of the page.
        let _ = sheet.pen.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
        sheet.paint(&self.0.cells.borrow(), self.0.reply.borrow().as_ref().and_then(here));
    }
}

/// What is painted on.
struct Sheet {
    pen: CanvasRenderingContext2d,
    size: [f64; 2],
    ink: String,
    warm: String,
    quiet: String,
}

impl Sheet {
    /// A place in the drawing, by its shares of the cells' part.
    fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let [left, top] = MARGIN;
        [left + x * (self.size[0] - left - RIGHT), top + y * (self.size[1] - top)]
    }

    /// The corners of a cell, on whole pixels.
    fn corners(&self, row: usize, column: usize) -> [f64; 4] {
        let of = |nth: usize, count: usize| nth as f64 / count as f64;
        let [x, y] = self.at(of(column, COLUMNS), of(row, ROWS));
        let [right, bottom] = self.at(of(column + 1, COLUMNS), of(row + 1, ROWS));
        [x, y, right, bottom].map(f64::round)
    }

    fn paint(&self, cells: &[Option<Load>], here: Option<[f64; 2]>) {
        let pen = &self.pen;
        pen.clear_rect(0.0, 0.0, self.size[0], self.size[1]);
        let cell = |row: usize, column: usize| cells.get(row * COLUMNS + column).copied().flatten();
        pen.set_fill_style_str(&self.ink);
        pen.set_stroke_style_str(&self.quiet);
        pen.set_line_width(1.0);
        for (row, column) in (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))) {
            let Some(load) = cell(row, column) else { continue };
            let [x, y, right, bottom] = self.corners(row, column);
            match load.verdict {
                // The more room there is, the darker.
                Verdict::Fits => pen.set_global_alpha(0.2 + 0.75 * (1.0 - load.share.clamp(0.0, 1.0))),
                Verdict::Tight => pen.set_global_alpha(0.12),
                Verdict::Queues => {
                    pen.set_global_alpha(1.0);
                    pen.begin_path();
                    pen.move_to(x, bottom);
                    pen.line_to(right, y);
                    pen.stroke();
                    continue;
                }
                Verdict::DoesNotFit => continue,
            }
            pen.fill_rect(x, y, right - x, bottom - y);
        }
        pen.set_global_alpha(1.0);
        self.border(&|row, column| cell(row, column).is_some_and(|cell| cell.verdict.holds()), cells.len());
        self.numbers();
        if let Some([x, y]) = here {
            let [x, y] = self.at(x, y);
            pen.set_stroke_style_str(&self.warm);
            pen.set_line_width(3.0);
            pen.stroke_rect(x - 6.0, y - 6.0, 12.0, 12.0);
        }
    }

    /// The line between what is held and what is not, as far as it is known.
    fn border(&self, holds: &dyn Fn(usize, usize) -> bool, known: usize) {
        let pen = &self.pen;
        pen.set_stroke_style_str(&self.warm);
        pen.set_line_width(2.0);
        pen.begin_path();
        let is_known = |row: usize, column: usize| row * COLUMNS + column < known;
        for (row, column) in (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))) {
            if !is_known(row, column) || !holds(row, column) {
                continue;
            }
            let [x, y, right, bottom] = self.corners(row, column);
            if column + 1 < COLUMNS && is_known(row, column + 1) && !holds(row, column + 1) {
                pen.move_to(right, y);
                pen.line_to(right, bottom);
            }
            if row + 1 < ROWS && is_known(row + 1, column) && !holds(row + 1, column) {
                pen.move_to(x, bottom);
                pen.line_to(right, bottom);
            }
        }
        pen.stroke();
    }

    /// Lengths above, numbers of sequences on the left.
    fn numbers(&self) {
        let pen = &self.pen;
        pen.set_fill_style_str(&self.quiet);
        pen.set_font("12px system-ui, sans-serif");
        pen.set_text_align("center");
        for (nth, length) in LENGTHS.iter().enumerate() {
            let [x, right] = [0, 2].map(|end| self.corners(0, nth * 8).get(end).copied().unwrap_or_default());
            let _ = pen.fill_text(&format!("{}k", length / 1_024), f64::midpoint(x, right), 13.0);
        }
        pen.set_text_align("right");
        for row in (0..ROWS).step_by(8) {
            let [y, bottom] = [1, 3].map(|end| self.corners(row, 0).get(end).copied().unwrap_or_default());
            let _ = pen.fill_text(&sequences(row).to_string(), MARGIN[0] - 6.0, f64::midpoint(y, bottom) + 4.0);
        }
    }
}

/// The cell under the pointer, by row and column.
pub(crate) fn cell(event: &MouseEvent) -> Option<[usize; 2]> {
    let canvas = event.target()?.dyn_into::<HtmlCanvasElement>().ok()?;
    let part = |at: i32, margin: f64, end: f64, count: usize| {
        let share = (f64::from(at) - margin) / (end - margin);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a few cells")]
        (0.0..1.0).contains(&share).then_some((share * count as f64) as usize)
    };
    let column = part(event.offset_x(), MARGIN[0], f64::from(canvas.client_width()) - RIGHT, COLUMNS)?;
    let row = part(event.offset_y(), MARGIN[1], canvas.client_height().into(), ROWS)?;
    Some([row, column])
}
