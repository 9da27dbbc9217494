//! Which of three numbers an estimate is to be compared with.

#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;

use crate::predictions::Round;
use crate::words;

/// The question and its answer.
pub static ROUND: Round = Round {
    id: "peak",
    questions: &["peak"],
    options: &["allocated", "reserved", "used"],
    words: Some(&words::PREDICT_OPTION_PEAK),
    answer: |question| (question == "peak").then_some("allocated"),
};
