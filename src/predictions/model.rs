//! What the page shows of the rounds: one model for all figures, since a round may be asked about anywhere.

use std::array;

use super::{Mark, Predictions, Round};
use crate::figures::{Answer, bindings};
use crate::live::Snapshot;
use crate::registry::ROUNDS;
use crate::words;

/// How many questions all rounds have, and how many options all questions have.
#[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
const COUNTS: [usize; 2] = {
    let ([mut questions, mut options], mut place) = ([0, 0], 0);
    while place < ROUNDS.len() {
        let round = ROUNDS[place];
        questions += round.questions.len();
        options += round.questions.len() * round.options.len();
        place += 1;
    }
    [questions, options]
};
const QUESTIONS: usize = COUNTS[0];
const OPTIONS: usize = COUNTS[1];

/// Something that is counted through all rounds, and named by them.
macro_rules! counted {
    ($(#[$doc:meta])* $name:ident: $count:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name(usize);

        impl $name {
            /// All of them, in the order of the rounds.
            #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
            pub const ALL: [Self; $count] = {
                let mut all = [Self(0); $count];
                let mut place = 0;
                while place < $count {
                    all[place] = Self(place);
                    place += 1;
                }
                all
            };
        }
    };
}

counted! {
    /// A round.
    Asked: ROUNDS.len()
}
counted! {
    /// A question.
    Question: QUESTIONS
}
counted! {
    /// An option of a question.
    Choice: OPTIONS
}

#[cfg(not(target_arch = "wasm32"))]
impl Asked {
    /// The name of the round.
    pub fn id(self) -> &'static str {
        ROUNDS.get(self.0).map_or("", |round| round.id)
    }
}

impl Question {
    /// Its round, and its own name.
    fn asked(self) -> Option<(&'static Round, &'static str)> {
        let mut all = ROUNDS.iter().flat_map(|round| round.questions.iter().map(|question| (*round, *question)));
        all.nth(self.0)
    }

    /// Its name.
    pub fn id(self) -> &'static str {
        self.asked().map_or("", |(_, question)| question)
    }
}

impl Choice {
    /// Its round, its question and its own name.
    fn offered(self) -> Option<(&'static Round, &'static str, &'static str)> {
        let mut all = ROUNDS.iter().flat_map(|round| {
            let questions = round.questions.iter();
            questions.flat_map(|question| round.options.iter().map(|option| (*round, *question, *option)))
        });
        all.nth(self.0)
    }

    /// The name of its question, and its own.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn id(self) -> String {
        self.offered().map_or_else(String::new, |(_, question, option)| format!("{question}.{option}"))
    }
}

/// What a round shows.
#[derive(PartialEq)]
struct Shown {
    open: bool,
    outcome: String,
}

/// What a question shows.
#[derive(PartialEq)]
struct Guessed {
    mark: Mark,
    guess: &'static str,
    said: &'static str,
}

/// What the page shows of the rounds.
#[derive(PartialEq)]
pub struct Model {
    rounds: [Shown; Asked::ALL.len()],
    questions: [Guessed; Question::ALL.len()],
    /// Whether an option is not the guess at a question that is open.
    others: [bool; Choice::ALL.len()],
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// How a round stands.
        Outcome(Asked),
        /// What the button says that checks it.
        Check(Asked),
        /// What the button says that skips it.
        Show(Asked),
        /// Whether it shows its answers.
        Open(Asked),
        /// Whether it does not.
        Shut(Asked),
        /// What became of a question, as the style sheet knows it.
        Mark(Question),
        /// The guess at it.
        Guess(Question),
        /// A word about the guess.
        Said(Question),
        /// Whether there is no slip to be explained.
        Steady(Question),
        /// Whether an option was not the guess.
        Other(Choice),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "predict";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let made = &snapshot.predictions;
        Self {
            rounds: array::from_fn(|place| {
                let round = ROUNDS.get(place);
                Shown {
                    open: round.is_some_and(|round| made.is_open(round)),
                    outcome: round.map(|round| made.outcome(round)).unwrap_or_default(),
                }
            }),
            questions: Question::ALL.map(|question| Guessed::of(made, question.id())),
            others: Choice::ALL.map(|choice| {
                choice.offered().is_none_or(|(round, question, option)| {
                    !made.is_open(round) || made.guess(question) != Some(option)
                })
            }),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let open = |asked: Asked| self.rounds.get(asked.0).is_some_and(|round| round.open);
        let question = |question: Question| self.questions.get(question.0);
        let word = |text: Option<&'static str>| Answer::Text(text.unwrap_or_default().into());
        match binding {
            Binding::Outcome(asked) => {
                Answer::Text(self.rounds.get(asked.0).map(|round| round.outcome.clone()).unwrap_or_default())
            }
            Binding::Check(asked) => {
                word(Some(if open(asked) { words::predict_again() } else { words::predict_check() }))
            }
            Binding::Show(asked) => word(Some(if open(asked) { words::predict_hide() } else { words::predict_show() })),
            Binding::Open(asked) => Answer::Flag(open(asked)),
            Binding::Shut(asked) => Answer::Flag(!open(asked)),
            Binding::Mark(own) => word(question(own).map(|own| own.mark.id())),
            Binding::Guess(own) => word(question(own).map(|own| own.guess)),
            Binding::Said(own) => word(question(own).map(|own| own.said)),
            Binding::Steady(own) => Answer::Flag(question(own).is_none_or(|own| own.mark != Mark::Wrong)),
            Binding::Other(choice) => Answer::Flag(self.others.get(choice.0).is_none_or(|other| *other)),
        }
    }
}

impl Guessed {
    fn of(made: &Predictions, question: &str) -> Self {
        Self {
            mark: made.mark(question).unwrap_or(Mark::Hidden),
            guess: made.guess(question).unwrap_or_default(),
            said: made.said(question),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures;
    use crate::state::State;

    fn question(id: &str) -> Question {
        Question::ALL.into_iter().find(|question| question.id() == id).unwrap()
    }

    #[test]
    fn everything_is_named_by_its_round() {
        assert_eq!(Asked::ALL.map(Asked::id).as_slice(), ROUNDS.iter().map(|round| round.id).collect::<Vec<_>>());
        let questions: Vec<_> = ROUNDS.iter().flat_map(|round| round.questions).copied().collect();
        assert_eq!(Question::ALL.map(Question::id).as_slice(), questions);
        assert!(Choice::ALL.map(Choice::id).contains(&"ridge.more".to_owned()));
        let last = Choice::ALL.last().unwrap().id();
        assert!(!last.is_empty(), "no option is left over");
    }

    #[test]
    fn a_round_says_how_it_went_once_it_is_open() {
        let mut snapshot = Snapshot::of(State::default());
        let sides = Asked::ALL.into_iter().find(|asked| asked.id() == "sides").unwrap();
        let guessed = Choice::ALL.into_iter().find(|choice| choice.id() == "relu.compute").unwrap();
        let bindings = [
            Binding::Check(sides),
            Binding::Show(sides),
            Binding::Open(sides),
            Binding::Shut(sides),
            Binding::Mark(question("relu")),
            Binding::Guess(question("relu")),
            Binding::Steady(question("relu")),
            Binding::Steady(question("gemm")),
            Binding::Other(guessed),
        ];
        let said = |snapshot: &Snapshot| bindings.map(|binding| figures::said::<Model>(snapshot, binding));
        snapshot.predictions.take("relu", "compute");
        assert_eq!(
            said(&snapshot),
            [words::predict_check(), words::predict_show(), "", "1", "", "compute", "1", "1", "1"]
        );
        snapshot.predictions.turn(ROUNDS[sides.0], true);
        assert_eq!(
            said(&snapshot),
            [words::predict_again(), words::predict_hide(), "1", "", "wrong", "compute", "", "1", ""]
        );
        assert_eq!(figures::said::<Model>(&snapshot, Binding::Said(question("relu"))), words::predict_wrong());
    }
}
