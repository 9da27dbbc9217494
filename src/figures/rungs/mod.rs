//! Of two fixes, the one that is tried first.

#[cfg(test)]
mod tests;
#[cfg(not(target_arch = "wasm32"))]
mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use view::view;

use crate::predictions::Round;

/// Pairs of fixes; the options are the two of a pair. The engine has the order, and a test holds these to it.
pub static ROUND: Round = Round {
    id: "rungs",
    questions: &["rungs-loss", "rungs-method", "rungs-card"],
    options: &["former", "latter"],
    words: None,
    answer: |question| match question {
        "rungs-loss" | "rungs-card" => Some("former"),
        "rungs-method" => Some("latter"),
        _ => None,
    },
};
