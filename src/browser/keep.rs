//! Saving the roofline as a picture, and copying its figures.
#![expect(clippy::disallowed_methods, reason = "this file makes files out of what is on the page")]

use std::rc::Rc;

use reactive_graph::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

use super::canvas::{self, Host};
use super::page;
use crate::charts::roofline::marks::Frame;
use crate::charts::roofline::sketch;
use crate::store::Signals;
use crate::words;

/// Makes the buttons work.
#[inline(never)]
pub(super) fn buttons(signals: &'static Signals, host: &Rc<Host>) {
    for button in page::elements("[data-keep]") {
        let what = button.get_attribute("data-keep").unwrap_or_default();
        let host = Rc::clone(host);
        page::listen(&button, "click", move |_| match what.as_str() {
            "png" => picture(signals, &host),
            "svg" => {
                let text = sketch::file(&signals.roofline.get_untracked(), &host.style(Frame::WIDE));
                say(blob(&text, "image/svg+xml").and_then(|blob| save(&blob, "memory-wall.svg")));
            }
            _ => copy(&signals.roofline.get_untracked().csv()),
        });
    }
}

/// Tells the reader what became of it.
fn tell(text: &str) {
    if let Some(place) = page::first::<web_sys::Element>(".roofline-keep .kept") {
        place.set_text_content(Some(text));
    }
}

fn say(saved: Option<&'static str>) {
    match saved {
        Some(file) => tell(&words::RooflineKept { file }.text()),
        None => tell(words::roofline_not_kept()),
    }
}

pub(super) fn blob(text: &str, kind: &str) -> Option<Blob> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options).ok()
}

/// Hands a file to the reader. A frame without an origin of its own may forbid it without a word, so it is not tried there.
pub(super) fn save(blob: &Blob, file: &'static str) -> Option<&'static str> {
    if page::is_sandboxed() {
        return None;
    }
    let url = Url::create_object_url_with_blob(blob).ok()?;
    let link: HtmlAnchorElement = page::document()?.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&url);
    link.set_download(file);
    // The address stays until the page ends: Safari comes for the file after this, and it is a few kilobytes.
    link.click();
    Some(file)
}

/// The plot on a canvas of its own, twice as fine as the page.
fn picture(signals: &'static Signals, host: &Host) {
    const FINE: u32 = 2;
    let Frame { width, height, .. } = Frame::WIDE;
    let frame = Frame { width: width * FINE, height: height * FINE, scale: FINE.into() };
    let made = page::document().and_then(|document| document.create_element("canvas").ok());
    let Some(canvas) = made.and_then(|made| made.dyn_into::<HtmlCanvasElement>().ok()) else { return say(None) };
    canvas::paint(&canvas, &signals.roofline.get_untracked(), &host.style(frame));
    let done = Closure::<dyn FnMut(JsValue)>::new(|blob: JsValue| {
        say(blob.dyn_into::<Blob>().ok().and_then(|blob| save(&blob, "memory-wall.png")));
    });
    if canvas.to_blob(done.as_ref().unchecked_ref()).is_err() {
        say(None);
    }
    done.forget();
}

fn copy(text: &str) {
    let navigator = page::window().map(|window| window.navigator());
    // Pages that came over an insecure line have no clipboard.
    let has = |navigator: &web_sys::Navigator| {
        js_sys::Reflect::get(navigator, &"clipboard".into()).is_ok_and(|clipboard| !clipboard.is_undefined())
    };
    let Some(navigator) = navigator.filter(has) else { return tell(words::roofline_not_copied()) };
    let told = |said: &'static str| Closure::<dyn FnMut(JsValue)>::new(move |_: JsValue| tell(said));
    let (copied, refused) = (told(words::roofline_copied()), told(words::roofline_not_copied()));
    let _ = navigator.clipboard().write_text(text).then2(&copied, &refused);
    // Some hundred bytes for each time that the button is pressed.
    copied.forget();
    refused.forget();
}
