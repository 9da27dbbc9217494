//! What the page shows of the answers, and of what was done of a section.
//!
//! The questions stand in the page and not in the program. So what is said is a binding as everywhere, and which question it is
//! said of is the page's: `{{live quiz.said of oom.copy}}`. The program has an answer for any, since one that nobody has touched
//! is open.

use super::Quiz;
use crate::figures::{Answer, bindings};
use crate::live::Snapshot;
use crate::predictions::Predictions;
use crate::words;

/// What the page shows of the answers.
#[derive(PartialEq)]
pub struct Model(Predictions);

bindings! {
    /// What follows it on the page, each of something that the page names.
    pub enum Binding {
        /// How a question stands, as the style sheet knows it.
        State,
        /// The set of numbers that it is asked with, or the attempt in whose order its options stand.
        Variant,
        /// What is typed or chosen.
        Given,
        /// What is chosen in one of several lists: of `1.oom.order`, in the second.
        Nth,
        /// Whether an option is chosen, as a button says it: of `true.claims.zero`.
        Pressed,
        /// What became of it, in words.
        Said,
        /// What the button says that checks it.
        Check,
        /// Whether it shows what became of it.
        Done,
        /// Whether it is not to be asked again today.
        Rested,
        /// Whether an option was not chosen, or it is not known yet: of `2.oom.copy`.
        Other,
        /// Whether a known slip was made: of `half.kv_cache.size`.
        Slip,
        /// Whether the hint for a slip or an option is not shown.
        Unhinted,
        /// How many answers were right, of a section, or of nothing for all.
        Score,
        /// How many questions are to be asked again today, of nothing.
        Due,
        /// How much of a list was guessed or answered: rounds, dials and questions, `sides+walk+oom.copy`.
        Progress,
    }
}

impl Model {
    /// With what a reader has done.
    #[cfg(test)]
    pub(super) fn of_predictions(made: Predictions) -> Self {
        Self(made)
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "quiz";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        Self(snapshot.predictions.clone())
    }

    fn answer(&self, binding: Binding) -> Answer {
        self.answer_of(binding, "")
    }

    fn answer_of(&self, binding: Binding, of: &str) -> Answer {
        let quiz = &self.0.quiz;
        let entry = quiz.entry(of);
        // An option, a slip or a place of a question.
        let (part, question) = of.split_once('.').unwrap_or_default();
        match binding {
            Binding::State => {
                let state = entry.map_or("", |entry| if entry.is_hinted() { "hint" } else { entry.verdict.id() });
                Answer::Text(state.into())
            }
            Binding::Variant => Answer::Count(quiz.variant(of).into()),
            Binding::Given => Answer::Text(entry.map(|entry| entry.given.clone()).unwrap_or_default()),
            Binding::Nth => {
                let given = quiz.entry(question).map_or("", |entry| entry.given.as_str());
                let word = part.parse().ok().and_then(|place| given.split(' ').nth(place));
                Answer::Text(word.filter(|word| !word.is_empty()).unwrap_or("-").into())
            }
            Binding::Pressed => Answer::Text(has(quiz, part, question).to_string()),
            Binding::Said => Answer::Text(quiz.said(of).into()),
            Binding::Check => {
                Answer::Text(if quiz.is_done(of) { words::quiz_again() } else { words::quiz_check() }.into())
            }
            Binding::Done => Answer::Flag(quiz.is_done(of)),
            Binding::Rested => Answer::Flag(!entry.is_some_and(|entry| entry.is_due(quiz.today))),
            Binding::Other => Answer::Flag(!quiz.is_done(question) || !has(quiz, part, question)),
            Binding::Slip => Answer::Flag(quiz.entry(question).is_some_and(|entry| entry.slip == part)),
            Binding::Unhinted => {
                let hinted = quiz.entry(question).filter(|entry| entry.is_hinted());
                Answer::Flag(!hinted.is_some_and(|entry| entry.slip.split('+').any(|slip| slip == part)))
            }
            Binding::Score => Answer::Text(score(quiz, of)),
            Binding::Due => Answer::Text(due(quiz)),
            Binding::Progress => Answer::Text(self.0.done(of)),
        }
    }
}

/// Whether an option of a question is chosen.
fn has(quiz: &Quiz, option: &str, question: &str) -> bool {
    quiz.entry(question).is_some_and(|entry| entry.given.split(' ').any(|given| given == option))
}

/// Right answers of all, of a section or of everything.
fn score(quiz: &Quiz, section: &str) -> String {
    let of = quiz.entries.iter().filter(|entry| entry.is_of(section));
    let (right, asked) =
        of.fold((0, 0), |(right, asked), entry| (right + entry.numbers.right, asked + entry.numbers.asked));
    let [right, asked] = [right, asked].map(|n: u32| n.to_string());
    if asked == "0" { "–".into() } else { words::QuizScore { right: &right, asked: &asked }.text() }
}

/// How many questions are due today.
fn due(quiz: &Quiz) -> String {
    let due = quiz.entries.iter().filter(|entry| entry.is_due(quiz.today)).count().to_string();
    if due == "0" { words::quiz_due_none().into() } else { words::QuizDue { n: &due }.text() }
}
