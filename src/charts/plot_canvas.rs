//! The host of a chart in the browser: a canvas that is sharp at any pixel ratio, follows size and theme,
//! is drawn at most once a frame, and never while nothing changes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::render::{AnimationFrame, request_animation_frame};
use leptos::html::Canvas;
use leptos::prelude::*;
use memory_wall_core::display::ByteUnit;
use plotters::drawing::IntoDrawingArea;
use plotters::style::RGBColor;
use plotters_canvas::CanvasBackend;

use super::context::{self, Chart};
use super::ink::{Palette, from_hex};
use crate::browser::page;

/// The host.
#[component]
pub fn Plot(#[prop(into)] chart: Signal<Chart>, #[prop(into)] unit: Signal<ByteUnit>) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let frame = Rc::new(RefCell::new(None::<AnimationFrame>));
    let waiting = Rc::new(Cell::new(false));
    let paint = Rc::new(move || {
        if let Some(canvas) = canvas.get_untracked() {
            chart.with_untracked(|chart| paint(canvas, chart, unit.get_untracked()));
        }
    });
    let soon = Rc::new(move || {
        if !waiting.replace(true) {
            let (waiting, paint) = (Rc::clone(&waiting), Rc::clone(&paint));
            *frame.borrow_mut() = Some(request_animation_frame(move |_| {
                waiting.set(false);
                paint();
            }));
        }
    });
    let on_change = Rc::clone(&soon);
    Effect::new(move |_| {
        chart.track();
        unit.track();
        on_change();
    });
    // Size and theme; both watchers live as long as the page, like the figure.
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            let again = Rc::clone(&soon);
            page::on_resize(&canvas, move || again());
        }
        if let Some(dark) = page::media("(prefers-color-scheme: dark)") {
            let again = Rc::clone(&soon);
            EventListener::new(&dark, "change", move |_| again()).forget();
        }
    });
    view! {
        <div class="plot" role="img" aria-label=move || chart.with(Chart::sentence)>
            <canvas node_ref=canvas></canvas>
        </div>
    }
}

fn paint(canvas: web_sys::HtmlCanvasElement, chart: &Chart, unit: ByteUnit) {
    let ratio = page::pixel_ratio();
    let pixels = |css: i32| {
        // A canvas on a page is a few thousand pixels wide.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let pixels = (f64::from(css.max(0)) * ratio).round() as u32;
        pixels
    };
    let (width, height) = (pixels(canvas.client_width()), pixels(canvas.client_height()));
    if width == 0 || height == 0 {
        return; // hidden; the size watcher calls again
    }
    // Setting the size also clears the canvas.
    canvas.set_width(width);
    canvas.set_height(height);
    let palette = Palette::new(|role| {
        page::property(role.property()).as_deref().and_then(from_hex).unwrap_or(RGBColor(128, 128, 128))
    });
    if let Some(backend) = CanvasBackend::with_canvas_object(canvas) {
        // A canvas that cannot be drawn on leaves the sentence and the table, which say the same.
        let _ = context::draw(&backend.into_drawing_area(), chart, &palette, unit, ratio);
    }
}
