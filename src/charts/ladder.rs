//! What is asked about the ladder of fixes: of two, the one that is tried first.

use crate::predictions::Round;

/// Pairs of fixes; the options are the two of a pair. The engine has the order, and a test holds these to it.
pub static FIRST: Round = Round {
    id: "rungs",
    questions: &["rungs-loss", "rungs-memory", "rungs-card"],
    options: &["former", "latter"],
    answer: |question| match question {
        "rungs-loss" | "rungs-card" => Some("former"),
        "rungs-memory" => Some("latter"),
        _ => None,
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::ladder::PAIRS;
    use memory_wall_core::advise::Rung;

    #[test]
    fn the_answers_are_in_the_order_of_the_engine() {
        let place = |rung: Rung| Rung::ALL.iter().position(|known| *known == rung).unwrap();
        for (question, [former, latter]) in PAIRS {
            let first = if place(former) < place(latter) { "former" } else { "latter" };
            assert_eq!((FIRST.answer)(question), Some(first), "{question}");
            assert!(FIRST.questions.contains(&question));
        }
        assert_eq!(PAIRS.len(), FIRST.questions.len());
    }
}
