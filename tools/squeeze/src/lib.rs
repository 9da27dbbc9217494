//! What makes programs in WebAssembly and pages smaller after gzip without changing what they do.

mod imports;
mod markup;
mod order;

pub use imports::shortened;
pub use markup::markup;
pub use order::ordered;
