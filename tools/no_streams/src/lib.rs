//! Stands in for the crate `wasm-streams`, by Cargo's `[patch]`.
//!
//! leptos needs it for server functions, and this app has no server. Nothing calls it, yet what the real one exports for
//! JavaScript stays in the program whether it is called or not: 6 kB after gzip, with its part of the glue.
//! What is here has the shape that `server_fn` 0.8 compiles against. A stream from it is empty.

use futures_util::stream::{self, Stream};
use wasm_bindgen::{JsCast, JsValue};

/// A stream without anything in it.
#[derive(Debug)]
pub struct ReadableStream(web_sys::ReadableStream);

impl ReadableStream {
    /// Wraps a stream of the browser.
    pub fn from_raw(raw: web_sys::ReadableStream) -> Self {
        Self(raw)
    }

    /// Drops the stream: there is nobody to read it.
    pub fn from_stream(_: impl Stream<Item = Result<JsValue, JsValue>> + 'static) -> Self {
        Self(JsValue::UNDEFINED.unchecked_into())
    }

    /// The stream of the browser.
    pub fn into_raw(self) -> web_sys::ReadableStream {
        self.0
    }

    /// Nothing.
    pub fn into_stream(self) -> impl Stream<Item = Result<JsValue, JsValue>> {
        stream::empty()
    }
}
