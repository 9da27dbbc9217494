//! What makes programs in WebAssembly and pages smaller after gzip without changing what they do.

mod columns;
mod imports;
mod markup;
mod order;
mod panics;
mod part;

pub use columns::by_columns;
pub use imports::shortened;
pub use markup::markup;
pub use order::ordered;
pub use panics::{plain, without_panics};
pub use part::{Cut, FIRST, Parts, parted};
