//! The numbers of the problem sets for a class: each problem with several sets of them, and what the engine answers to each part.
//!
//! Texts stand in `content/en/problems.txt`; `tools/site/src/problems/` puts them together, and its tests answer every part from the
//! numbers in the text alone.

mod crowd;
mod serving;
mod trained;

use super::quiz::numbers::Values;

/// A problem.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Section and name: `kv_cache.serve`.
    pub id: &'static str,
    /// Its sets of numbers.
    pub sets: Vec<Set>,
}

impl Problem {
    /// The section that teaches what it takes.
    pub fn section(&self) -> &'static str {
        self.id.split_once('.').map_or("", |(section, _)| section)
    }
}

/// One set of numbers.
#[derive(Clone, Debug)]
pub struct Set {
    /// What is put into its texts; what answers a part is called as the part is.
    pub values: Values,
    /// The answer to each part, in the unit without prefix, in their order.
    pub answers: Vec<f64>,
}

/// How many sets of numbers each problem has.
pub const SETS: usize = 6;

/// The parts of a problem, by the names of their texts.
pub const PARTS: [&str; 3] = ["a", "b", "c"];

/// All of them, in the order of the sections.
pub fn problems() -> Vec<Problem> {
    fn of<T>(id: &'static str, sets: [T; SETS], set: fn(T) -> Option<Set>) -> Problem {
        Problem { id, sets: sets.into_iter().filter_map(set).collect() }
    }
    vec![
        of("opening.fit", serving::FIT, serving::fit),
        of("buckets.bits", serving::BITS, serving::bits),
        of("layer.weights", crowd::WEIGHTS, crowd::weights),
        of("kv_cache.serve", serving::SERVE, serving::serve),
        of("hierarchy.split", serving::SPLIT, serving::split),
        of("roofline.batch", serving::BATCH, serving::batch),
        of("server.pool", crowd::POOL, crowd::pool),
        of("training.gpt", trained::GPT, trained::gpt),
        of("oom.linear", trained::LINEAR, |set| Some(trained::linear(set))),
        of("ladder.saves", trained::SAVES, trained::saves),
        of("parallel.wire", trained::WIRE, trained::wire),
        of("parallel.pipeline", trained::PIPELINE, trained::pipeline),
        of("scaling.cluster", trained::CLUSTER, trained::cluster),
        of("time.run", trained::RUN, trained::run),
        of("profile.gap", trained::GAP, trained::gap),
        of("coping.guess", serving::GUESS, |set| Some(serving::guess(set))),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::registry::SECTIONS;

    #[test]
    fn every_problem_has_all_its_sets_and_no_two_are_alike() {
        let all = problems();
        let places: Vec<usize> =
            all.iter().map(|it| SECTIONS.iter().position(|section| *section == it.section()).unwrap()).collect();
        assert!(places.is_sorted(), "the order of the sections");
        for section in SECTIONS.iter().filter(|section| **section != "check") {
            assert!(all.iter().any(|it| it.section() == *section), "{section} has no problem");
        }
        for Problem { id, sets } in all {
            assert_eq!(sets.len(), SETS, "{id}");
            let mut seen = BTreeSet::new();
            for Set { values, answers } in sets {
                assert_eq!(answers.len(), PARTS.len(), "{id}");
                assert!(answers.iter().all(|answer| answer.is_finite() && *answer > 0.0), "{id}: {answers:?}");
                for part in PARTS {
                    assert!(values.iter().any(|(name, _)| *name == part), "{id} does not say the answer to {part}");
                }
                assert!(seen.insert(format!("{values:?}")), "{id} has a set twice");
            }
        }
    }
}
