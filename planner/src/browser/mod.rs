//! What the page asks of the browser: address, storage, clipboard, files, keys. Nothing of it is there when the page is built.

#[cfg(target_arch = "wasm32")]
mod heat;
#[cfg(target_arch = "wasm32")]
mod host;
#[cfg(not(target_arch = "wasm32"))]
mod still;
#[cfg(target_arch = "wasm32")]
mod window;

#[cfg(target_arch = "wasm32")]
pub(crate) use heat::{Picture, cell};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use still::{Picture, address, cell, chosen_file, copy, exchange, save, save_as, tutorial, with_configs};
#[cfg(target_arch = "wasm32")]
pub use window::start;
#[cfg(target_arch = "wasm32")]
pub(crate) use window::{address, chosen_file, copy, exchange, save, save_as, tutorial, with_configs};
