//! Taking the settings elsewhere: as a link, as a figure for another page, as Markdown, as a picture for a camera.

#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;
