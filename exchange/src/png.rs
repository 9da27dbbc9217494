//! The picture of the plans as PNG: the SVG, drawn by the browser on a canvas.
#![expect(clippy::disallowed_methods, reason = "this file is where the program asks the browser to draw")]

use js_sys::{Array, Promise, encode_uri_component};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement};

use crate::picture::{Theme, svg};

/// Pixels of the PNG for each of the SVG.
const SCALE: u32 = 2;

/// The plans side by side as PNG, an address of `data:` in a list of one; the lines are those of [`svg`].
///
/// # Errors
/// The browser does not draw it.
#[wasm_bindgen]
pub fn png(said: &str, theme: &str) -> Result<Promise, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(&format!(
        "data:image/svg+xml,{}",
        String::from(encode_uri_component(&svg(said, Theme::named(theme))))
    ));
    let decoded = image.decode();
    Ok(Promise::new(&mut |resolve, reject| {
        let (image, failed) = (image.clone(), reject.clone());
        let done = Closure::once(move |_: JsValue| {
            let _ = match drawn(&image) {
                Ok(url) => resolve.call1(&JsValue::NULL, &Array::of1(&url.into())),
                Err(why) => failed.call1(&JsValue::NULL, &why),
            };
        });
        let refused = Closure::once(move |why: JsValue| _ = reject.call1(&JsValue::NULL, &why));
        let _ = decoded.then2(&done, &refused);
        done.forget();
        refused.forget();
    }))
}

/// The image on a canvas, as an address.
fn drawn(image: &HtmlImageElement) -> Result<String, JsValue> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.dyn_into().map_err(JsValue::from)?;
    let [width, height] = [image.natural_width(), image.natural_height()].map(|side| side * SCALE);
    canvas.set_width(width);
    canvas.set_height(height);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
    let context: CanvasRenderingContext2d = context.dyn_into().map_err(JsValue::from)?;
    context.draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, width.into(), height.into())?;
    canvas.to_data_url()
}
