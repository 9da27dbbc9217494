//! The self-check: what the reader answered, how typed numbers are read and judged, and when something is asked again.
//!
//! The questions themselves are no part of the program: the prerenderer writes them into the page with all their numbers,
//! answers and known slips (`src/sections/quiz/`), and the browser reads from there what is right.

pub mod book;
mod model;
pub mod number;
pub mod shuffle;

pub use book::{Quiz, Verdict};
pub use model::{Binding, Model};
