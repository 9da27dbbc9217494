//! The canvas of the roofline: as many pixels as the screen has, in the colours of the theme, redrawn when there is something new.
#![expect(clippy::disallowed_methods, reason = "this file draws on the page")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use plotters::prelude::IntoDrawingArea;
use plotters::style::RGBColor;
use reactive_graph::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlCanvasElement, ResizeObserver, ResizeObserverEntry};

use super::frame::Frame as Frames;
use super::page;
use super::pen::Pen;
use crate::charts::roofline::Plot;
use crate::charts::roofline::draw::{Style, draw};
use crate::charts::roofline::marks::{Frame, Role};
use crate::charts::roofline::sketch::still;
use crate::far;
use crate::store::Signals;
use crate::words;

/// The canvas, and what is on it.
pub(super) struct Host {
    canvas: HtmlCanvasElement,
    /// Its size in pixels of the page; nothing before it was measured. The browser tells it once it has laid out the page: to ask
    /// would have it do so at once.
    size: Rc<Cell<(f64, f64)>>,
    /// Colours and letters; none after the theme has changed.
    look: Rc<RefCell<Option<Style>>>,
    drawn: RefCell<Option<(Arc<Plot>, Frame)>>,
    seen: Rc<Cell<bool>>,
    /// Whether the first pass over the page is over. It draws the first plot, piece by piece with all the rest, so until then a
    /// size asks for nothing.
    started: Rc<Cell<bool>>,
}

/// Across and down at most: more is more than any screen shows, and than browsers draw.
const LARGEST: f64 = 8_000.0;

impl Host {
    /// The canvas of the page, if it has one.
    pub(super) fn find() -> Option<Self> {
        let canvas: HtmlCanvasElement = page::first(".roofline-canvas")?;
        Some(Self {
            canvas,
            size: Rc::default(),
            look: Rc::default(),
            drawn: RefCell::default(),
            seen: Rc::default(),
            started: Rc::default(),
        })
    }

    /// Follows size, theme and the resolution of the screen.
    pub(super) fn watch(&self, frames: &Frames) {
        let (size, started, again) = (Rc::clone(&self.size), Rc::clone(&self.started), frames.clone());
        let resized = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            if let Ok(entry) = entries.get(0).dyn_into::<ResizeObserverEntry>() {
                let rect = entry.content_rect();
                size.set((rect.width(), rect.height()));
                if started.get() {
                    again.ask();
                }
            }
        });
        if let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            observer.observe(&self.canvas);
        }
        resized.forget();
        let seen = Rc::clone(&self.seen);
        if let Some(observer) = page::on_sight(move |_, visible| seen.set(visible)) {
            observer.observe(&self.canvas);
        }
        let (look, again) = (Rc::clone(&self.look), frames.clone());
        let themed = Rc::new(move |_| {
            look.replace(None);
            again.ask();
        });
        page::on_media("(prefers-color-scheme: dark)", {
            let themed = Rc::clone(&themed);
            move |event| themed(event)
        });
        if let Some(document) = page::document() {
            page::listen(&document, "memory-wall:theme", move |event| themed(event));
        }
        // A window that moves to another screen is told so by its own event.
        let again = frames.clone();
        if let Some(window) = page::window() {
            page::listen(&window, "resize", move |_| again.ask());
        }
    }

    /// The first pass is over; a size that came late in it is drawn now.
    pub(super) fn begin(&self, signals: &Signals) {
        self.started.set(true);
        if far::plots() {
            self.draw(&signals.roofline.get_untracked());
        }
    }

    /// Whether it is on the screen.
    pub(super) fn is_seen(&self) -> bool {
        self.seen.get()
    }

    /// Draws the plot if it, the size or the theme is another one than that on the canvas.
    #[inline(never)]
    pub(super) fn draw(&self, plot: &Arc<Plot>) {
        let ratio = page::window().map_or(1.0, |window| window.device_pixel_ratio());
        let (width, height) = self.size.get();
        let scale = ratio.min(LARGEST / width.max(height).max(1.0));
        let frame = Frame { width: whole(width * scale), height: whole(height * scale), scale };
        if frame.width == 0 || frame.height == 0 {
            return;
        }
        let fresh = self.look.borrow().is_none();
        let same = |(drawn, at): &(Arc<Plot>, Frame)| Arc::ptr_eq(drawn, plot) && *at == frame;
        if !fresh && self.drawn.borrow().as_ref().is_some_and(same) {
            return;
        }
        let style = Style { frame, ..self.look.borrow_mut().get_or_insert_with(|| look(&self.canvas)).clone() };
        paint(&self.canvas, plot, &style);
        self.drawn.replace(Some((Arc::clone(plot), frame)));
    }

    /// Colours and letters of the page, for a picture of a size.
    pub(super) fn style(&self, frame: Frame) -> Style {
        Style { frame, ..look(&self.canvas) }
    }
}

/// Puts a plot onto a canvas, whose size becomes that of the drawing.
pub(super) fn paint(canvas: &HtmlCanvasElement, plot: &Plot, style: &Style) {
    let Frame { width, height, .. } = style.frame;
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    if let Some(pen) = Pen::on(canvas) {
        // A canvas that refuses to be drawn on stays as it is; the table beside it says the same.
        let _ = draw(plot, &pen.into_drawing_area(), style);
    }
}

/// Puts the plot as it is into the picture that is printed.
#[inline(never)]
pub(super) fn print(plot: &Plot) {
    if let Some(place) = page::first::<web_sys::Element>(".stills") {
        // Of the engine's own making.
        place.set_inner_html(&words::joined(&[Frame::WIDE, Frame::NARROW].map(|frame| still(plot, frame)), ""));
    }
}

/// The colours and the letters that the style sheet gives a canvas.
fn look(canvas: &HtmlCanvasElement) -> Style {
    let given = page::window().and_then(|window| window.get_computed_style(canvas).ok().flatten());
    let property =
        |name: &str| given.as_ref().and_then(|given| given.get_property_value(name).ok()).unwrap_or_default();
    let colours = Role::ALL.map(|role| colour(&property(&format!("--{}", role.token()))).unwrap_or(RGBColor(0, 0, 0)));
    Style { frame: Frame::WIDE, colours, family: property("font-family"), ground: true }
}

/// `rgb(27, 29, 34)` as a colour: what the browser makes of a token, also of one that is a colour of the reader's system.
fn colour(text: &str) -> Option<RGBColor> {
    let mut parts = text.strip_prefix("rgb(")?.trim_end_matches(')').split(',').map(|part| part.trim().parse());
    let mut part = || parts.next()?.ok();
    Some(RGBColor(part()?, part()?, part()?))
}

fn whole(pixels: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between nothing and the largest")]
    let whole = pixels.clamp(0.0, LARGEST).round() as u32;
    whole
}
