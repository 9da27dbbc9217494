//! What the page asks of the browser: address, storage, clipboard, files, keys. Nothing of it is there when the page is built.

#[cfg(not(target_arch = "wasm32"))]
mod still;
#[cfg(target_arch = "wasm32")]
mod window;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use still::{address, chosen_file, copy, save};
#[cfg(target_arch = "wasm32")]
pub use window::start;
#[cfg(target_arch = "wasm32")]
pub(crate) use window::{address, chosen_file, copy, save};
