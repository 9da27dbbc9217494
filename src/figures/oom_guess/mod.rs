//! A program to think about, and the line in which its peak is, to be guessed.

use crate::words;
#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;

use memory_wall_core::allocation_trace::Program;

use crate::predictions::Round;

/// The line of the peak.
pub static ROUND: Round = Round {
    id: "lines",
    questions: &["peak-line"],
    options: &["2", "3", "4", "5"],
    words: Some(&words::PREDICT_OPTION_LINES),
    answer: |question| {
        // The first option is line 2.
        let place = usize::try_from(Program::default().fullest().line()).ok()?.checked_sub(2)?;
        ROUND.options.get(place).copied().filter(|_| ROUND.questions.contains(&question))
    },
};
