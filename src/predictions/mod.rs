//! What the reader predicts before looking: the rounds of questions, the guesses, and what became of them.
//!
//! A guess is never lost and never sent: it is kept on this device and travels in no link. What a round shows once it is
//! open stands in the prerendered page and follows the bindings of [`Model`], so that the browser loads no word of it.

mod model;

pub use model::Model;

use crate::dials::Dials;
use crate::quiz::Quiz;
use crate::registry::ROUNDS;
use crate::words::{self, List};

/// Questions that are asked together, with the same options, and opened together.
pub struct Round {
    /// Its short name, in the page and in its words.
    pub id: &'static str,
    /// Its questions, each by a name that no other question of the page has.
    pub questions: &'static [&'static str],
    /// What can be answered, in the order in which it is offered.
    pub options: &'static [&'static str],
    /// What these are called; nothing where each question has names of its own.
    pub(crate) words: Option<&'static List>,
    /// The right option of a question, from the engine.
    pub answer: fn(&str) -> Option<&'static str>,
}

impl Round {
    /// An option in words.
    pub fn option(&self, option: &str) -> &'static str {
        let place = self.options.iter().position(|known| *known == option);
        self.words.zip(place).map_or("", |(words, place)| words.nth(place))
    }

    /// The round with this name.
    pub fn by_id(id: &str) -> Option<&'static Self> {
        ROUNDS.iter().copied().find(|round| round.id == id)
    }

    /// The round that asks a question.
    pub fn of(question: &str) -> Option<&'static Self> {
        ROUNDS.iter().copied().find(|round| round.questions.contains(&question))
    }
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Its round is not open.
    Hidden,
    /// It was opened without a guess.
    Shown,
    /// The guess was right.
    Right,
    /// The guess was another one.
    Wrong,
}

impl Mark {
    /// The name in style sheets.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Hidden => "",
            Self::Shown => "shown",
            Self::Right => "right",
            Self::Wrong => "wrong",
        }
    }
}

/// The guesses on the page, and which rounds are open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predictions {
    /// Question and option.
    guesses: Vec<(&'static str, &'static str)>,
    /// The rounds that show their answers, the latest one last.
    open: Vec<&'static str>,
    /// The round that was to be checked before anything was guessed, until something is.
    hasty: &'static str,
    /// Numbers, on dials.
    pub dials: Dials,
    /// What was answered in the self-check.
    pub quiz: Quiz,
    /// Lines of what was kept that this page does not understand.
    pub aside: Vec<String>,
}

impl Predictions {
    /// Every guess, with its question.
    pub fn guesses(&self) -> &[(&'static str, &'static str)] {
        &self.guesses
    }

    /// The rounds that show their answers.
    pub fn opened(&self) -> &[&'static str] {
        &self.open
    }

    /// The guess at a question.
    pub fn guess(&self, question: &str) -> Option<&'static str> {
        self.guesses.iter().find(|(asked, _)| *asked == question).map(|(_, option)| *option)
    }

    /// Takes a guess, in the place of one before.
    pub fn take(&mut self, question: &'static str, option: &'static str) {
        self.guesses.retain(|(asked, _)| *asked != question);
        self.guesses.push((question, option));
        self.hasty = "";
    }

    /// Takes a guess by its names, if there are such a question and such an option.
    pub fn take_by_id(&mut self, round: &'static Round, question: &str, option: &str) {
        let question = round.questions.iter().find(|known| **known == question);
        let option = round.options.iter().find(|known| **known == option);
        if let (Some(question), Some(option)) = (question, option) {
            self.take(question, option);
        }
    }

    /// How much of a list was guessed or answered: rounds, dials and questions by their ids, with `+` between them. Nothing is
    /// said of what was not begun.
    pub fn done(&self, ids: &str) -> String {
        let is_done = |id: &&str| {
            Round::by_id(id).is_some_and(|round| self.is_open(round)) || self.dials.is_open(id) || self.quiz.is_done(id)
        };
        let (all, done) = (ids.split('+').count(), ids.split('+').filter(is_done).count());
        if done == 0 {
            return String::new();
        }
        words::NavDone { n: &done.to_string(), all: &all.to_string() }.text()
    }

    /// Whether a round shows its answers.
    pub fn is_open(&self, round: &Round) -> bool {
        self.open.contains(&round.id)
    }

    /// Opens a round, or closes it again; guesses stay.
    pub fn turn(&mut self, round: &Round, open: bool) {
        self.open.retain(|id| *id != round.id);
        self.hasty = "";
        if open {
            self.open.push(round.id);
        }
    }

    /// Checks a round: one that is open is asked again, and one without a guess asks for one first.
    pub fn check(&mut self, round: &'static Round) {
        if self.is_open(round) {
            self.forget(round);
        } else if !self.guesses.iter().any(|(asked, _)| round.questions.contains(asked)) {
            self.hasty = round.id;
        } else {
            self.turn(round, true);
        }
    }

    /// Closes a round and forgets its guesses.
    pub fn forget(&mut self, round: &Round) {
        self.turn(round, false);
        self.guesses.retain(|(asked, _)| !round.questions.contains(asked));
    }

    /// What became of a question.
    pub fn mark(&self, question: &str) -> Option<Mark> {
        let round = Round::of(question)?;
        Some(match self.guess(question) {
            _ if !self.is_open(round) => Mark::Hidden,
            None => Mark::Shown,
            guess if guess == (round.answer)(question) => Mark::Right,
            Some(_) => Mark::Wrong,
        })
    }

    /// How many questions of a round were guessed, and how many of these are right.
    fn counts(&self, round: &Round) -> (usize, usize) {
        let guessed = round.questions.iter().filter_map(|question| Some((question, self.guess(question)?)));
        guessed.fold((0, 0), |(guessed, right), (question, option)| {
            (guessed + 1, right + usize::from((round.answer)(question) == Some(option)))
        })
    }

    /// How a round stands: how far the reader is, and once it is open, how it went.
    pub fn outcome(&self, round: &Round) -> String {
        if self.hasty == round.id {
            return words::predict_first().into();
        }
        let (guessed, right) = self.counts(round);
        let all = round.questions.len();
        let open = self.is_open(round);
        if let [question] = round.questions {
            if !open {
                return if guessed == 0 { words::predict_one_none() } else { words::predict_one_guessed() }.into();
            }
            let answer = (round.answer)(question).map(|option| round.option(option)).unwrap_or_default();
            return words::PredictAnswer { said: self.said(question), answer }.text().trim_start().into();
        }
        let counts = [all, guessed, right].map(|count| count.to_string());
        let [asked, made, hits] = counts.each_ref().map(String::as_str);

        match (open, guessed) {
            (false, _) => words::PredictProgress { guessed: made, asked }.text(),
            (true, 0) => words::predict_score_none().into(),
            (true, _) if guessed == all => words::PredictScoreAll { right: hits, asked }.text(),
            (true, _) => words::PredictScoreSome { right: hits, guessed: made, asked }.text(),
        }
    }

    /// What a screen reader hears when a round is opened, or cannot be.
    pub fn announcement(&self) -> String {
        let latest = Some(&self.hasty).filter(|hasty| !hasty.is_empty()).or(self.open.last());
        latest.and_then(|round| Round::by_id(round)).map(|round| self.outcome(round)).unwrap_or_default()
    }

    /// A word about a guess, once its round is open.
    pub fn said(&self, question: &str) -> &'static str {
        match self.mark(question) {
            Some(Mark::Right) => words::predict_right(),
            Some(Mark::Wrong) => words::predict_wrong(),
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dials::Dial;

    fn round(id: &str) -> &'static Round {
        ROUNDS.iter().copied().find(|round| round.id == id).unwrap()
    }

    #[test]
    fn every_question_has_one_round_and_an_answer_among_its_options() {
        let mut seen = Vec::new();
        for round in ROUNDS {
            for question in round.questions {
                assert!(!seen.contains(question), "{question} is asked twice");
                seen.push(question);
                let answer = (round.answer)(question);
                assert!(answer.is_some_and(|answer| round.options.contains(&answer)), "{question}: {answer:?}");
            }
            assert_eq!((round.answer)("nothing of the kind"), None);
            // The pairs of the ladder are called as its rungs are, by their figure.
            for option in round.options.iter().filter(|_| round.id != "rungs") {
                assert!(!round.option(option).contains('.'), "{option} has no words");
            }
        }
    }

    #[test]
    fn a_guess_stays_through_opening_and_closing_and_goes_when_it_is_forgotten() {
        let sides = round("sides");
        let mut predictions = Predictions::default();
        assert_eq!(predictions.mark("relu"), Some(Mark::Hidden));
        predictions.take("relu", "compute");
        predictions.take("relu", "memory");
        predictions.take("gemm", "memory");
        assert_eq!(predictions.outcome(sides), "2 of 8 guessed");
        assert_eq!(predictions.mark("relu"), Some(Mark::Hidden), "nothing is given away");
        predictions.turn(sides, true);
        predictions.turn(sides, true);
        let marks = ["relu", "gemm", "softmax"].map(|question| predictions.mark(question));
        assert_eq!(marks, [Some(Mark::Right), Some(Mark::Wrong), Some(Mark::Shown)]);
        assert_eq!(predictions.outcome(sides), "1 right of the 2 that you guessed; 8 were asked.");
        predictions.turn(sides, false);
        assert_eq!(predictions.guess("gemm"), Some("memory"));
        predictions.forget(sides);
        assert_eq!(predictions, Predictions::default());
    }

    #[test]
    fn a_round_asks_for_a_guess_before_it_is_checked() {
        let sides = round("sides");
        let mut predictions = Predictions::default();
        predictions.check(sides);
        assert!(!predictions.is_open(sides));
        assert_eq!(predictions.outcome(sides), words::predict_first());
        assert_eq!(predictions.announcement(), words::predict_first());
        predictions.take("relu", "memory");
        assert_eq!(predictions.outcome(sides), "1 of 8 guessed");
        predictions.check(sides);
        assert!(predictions.is_open(sides));
        predictions.check(sides);
        assert_eq!(predictions, Predictions::default(), "it is asked again");
    }

    #[test]
    fn what_was_done_is_counted_over_rounds_dials_and_questions() {
        for round in ROUNDS {
            assert!(Dial::by_id(round.id).is_none(), "{} is a round and a dial", round.id);
        }
        let mut made = Predictions::default();
        assert_eq!(made.done("sides+walk+kv_cache.size"), "", "nothing is said of what was not begun");
        made.turn(round("sides"), true);
        assert_eq!(made.done("sides+walk+kv_cache.size"), "1 of 3 done");
        made.dials.turn(Dial::by_id("walk").unwrap(), true);
        made.quiz.judge("kv_cache.size", Some("-"), true);
        assert_eq!(made.done("sides+walk+kv_cache.size"), "3 of 3 done");
    }

    #[test]
    fn a_skipped_round_counts_nothing() {
        for round in ROUNDS {
            let mut predictions = Predictions::default();
            predictions.turn(round, true);
            let outcome = predictions.outcome(round);
            assert!(!outcome.contains("right"), "{outcome}");
            assert!(round.questions.iter().all(|question| predictions.mark(question) == Some(Mark::Shown)));
        }
    }

    #[test]
    fn every_answer_right_is_a_full_score() {
        for round in ROUNDS {
            let mut predictions = Predictions::default();
            for question in round.questions {
                predictions.take(question, (round.answer)(question).unwrap());
            }
            predictions.turn(round, true);
            assert!(round.questions.iter().all(|question| predictions.mark(question) == Some(Mark::Right)));
        }
        let sides = round("sides");
        let mut predictions = Predictions::default();
        for question in sides.questions {
            predictions.take(question, "memory");
        }
        predictions.turn(sides, true);
        assert_eq!(predictions.outcome(sides), "5 of 8 right.");
    }
}
