//! Numbers that the reader predicts before looking, on a dial from small to large, scored by how many times off they are.

mod model;

use std::f64::consts::LN_10;

pub use model::Model;

use memory_wall_core::display::{Figure, Grouped, THIN_SPACE};

use crate::registry::DIALS;
use crate::state::decimal::Decimal;
use crate::words;

/// A number to be predicted.
pub struct Dial {
    /// Its short name, in the page, in its words and in what is kept.
    pub id: &'static str,
    /// What is asked for.
    pub question: fn() -> &'static str,
    /// What is counted.
    pub unit: fn() -> &'static str,
    /// The ends of its slider, in the unit.
    pub range: (f64, f64),
    /// What is right, in the unit, from the engine.
    pub answer: fn() -> Option<f64>,
}

/// How a guess is kept: in thousandths.
pub const KIND: Decimal = Decimal { places: 3, max: 1_000_000_000_000_000 };

/// Stops of the slider from one end to the other.
pub const STOPS: u32 = 240;

impl Dial {
    /// The one with this name.
    pub fn by_id(id: &str) -> Option<&'static Self> {
        DIALS.iter().copied().find(|dial| dial.id == id)
    }

    /// The value at a stop, with two digits that count, in thousandths.
    pub fn at(&self, stop: u32) -> u64 {
        let (low, high) = self.range;
        let part = f64::from(stop.min(STOPS)) / f64::from(STOPS);
        let value = low * libm::exp(part * libm::log10(high / low) * LN_10);
        let exact = (value * 1_000.0).clamp(1.0, KIND.max as f64);
        let mut digit = 1.0;
        while exact / digit >= 100.0 {
            digit *= 10.0;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between the ends, which are far from the ends of the type"
        )]
        let thousandths = (libm::round(exact / digit) * digit) as u64;
        thousandths
    }

    /// The stop nearest to a value.
    pub fn stop(&self, guess: u64) -> u32 {
        let (low, high) = self.range;
        let part = libm::log10(KIND.value(guess).max(low) / low) / libm::log10(high / low);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between none and all")]
        let stop = libm::round(part.clamp(0.0, 1.0) * f64::from(STOPS)) as u32;
        stop
    }

    /// How far a guess is off.
    pub fn score(&self, guess: u64) -> Option<Score> {
        let (guess, right) = (KIND.value(guess), (self.answer)()?);
        if guess <= 0.0 || right <= 0.0 {
            return None;
        }
        Some(Score::of((guess / right).max(right / guess)))
    }
}

/// A number as it is said: a count is whole, and anything else has three digits.
fn figure(number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "neither negative nor infinite")]
    let whole = number as u64;
    if number > whole as f64 { Figure(number).to_string() } else { Grouped(whole.into()).to_string() }
}

/// Why a text is no guess.
pub fn refusal(typed: &str) -> String {
    let short: String = typed.chars().take(40).collect();
    let most = Grouped(KIND.most().into()).to_string();
    words::FieldErrorDecimal { value: &short, max: &most }.text()
}

/// How far a guess is off, by the ratio of the larger to the smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Within a quarter.
    Close,
    /// Within a factor of two.
    Near,
    /// Within a factor of ten.
    Far,
    /// Further off: a surprise, which is remembered best.
    Surprise,
}

impl Score {
    /// The score of a ratio of at least one.
    pub fn of(ratio: f64) -> Self {
        match ratio {
            ratio if ratio <= 1.25 => Self::Close,
            ratio if ratio <= 2.0 => Self::Near,
            ratio if ratio <= 10.0 => Self::Far,
            _ => Self::Surprise,
        }
    }

    /// The name in words and style sheets.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Close => "close",
            Self::Near => "near",
            Self::Far => "far",
            Self::Surprise => "surprise",
        }
    }
}

/// What the reader has set, and which dials show the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dials {
    /// Guesses, in thousandths.
    guesses: Vec<(&'static str, u64)>,
    /// Those that show their answers, the latest last.
    open: Vec<&'static str>,
}

impl Dials {
    /// Every guess, in thousandths, with its dial.
    pub fn guesses(&self) -> &[(&'static str, u64)] {
        &self.guesses
    }

    /// The dials that show their answers.
    pub fn opened(&self) -> &[&'static str] {
        &self.open
    }

    /// The guess on a dial.
    pub fn guess(&self, id: &str) -> Option<u64> {
        self.guesses.iter().find(|(dial, _)| *dial == id).map(|(_, guess)| *guess)
    }

    /// Takes a guess in the place of one before; none forgets it. An open dial keeps what it was checked with.
    pub fn take(&mut self, dial: &'static Dial, guess: Option<u64>) {
        if self.is_open(dial.id) {
            return;
        }
        self.guesses.retain(|(id, _)| *id != dial.id);
        self.guesses.extend(guess.map(|guess| (dial.id, guess)));
    }

    /// Whether a dial shows its answer.
    pub fn is_open(&self, id: &str) -> bool {
        self.open.contains(&id)
    }

    /// Shows the answer or hides it again.
    pub fn turn(&mut self, dial: &'static Dial, open: bool) {
        self.open.retain(|id| *id != dial.id);
        if open {
            self.open.push(dial.id);
        }
    }

    /// Hides the answer and forgets the guess.
    pub fn forget(&mut self, dial: &'static Dial) {
        self.turn(dial, false);
        self.take(dial, None);
    }

    /// The scores of the dials that were checked with a guess, the latest last, ten at most.
    pub fn strip(&self) -> Vec<Score> {
        let scored = self.open.iter().filter_map(|id| Dial::by_id(id)?.score(self.guess(id)?));
        let all: Vec<Score> = scored.collect();
        all.get(all.len().saturating_sub(10)..).unwrap_or_default().to_vec()
    }

    /// What became of a dial, in a sentence; nothing before it shows its answer.
    pub fn said(&self, dial: &Dial) -> String {
        let Some(answer) = (dial.answer)().filter(|_| self.is_open(dial.id)) else { return String::new() };
        let unit = (dial.unit)();
        let [answer, guess] = [answer, self.guess(dial.id).map_or(0.0, |guess| KIND.value(guess))]
            .map(|number| format!("{}{THIN_SPACE}{unit}", figure(number)));

        let Some(score) = self.guess(dial.id).and_then(|guess| dial.score(guess)) else {
            return words::DialShown { answer: &answer }.text();
        };
        match score {
            Score::Close => words::DialSaidClose { guess: &guess, answer: &answer }.text(),
            Score::Near => words::DialSaidNear { guess: &guess, answer: &answer }.text(),
            Score::Far => words::DialSaidFar { guess: &guess, answer: &answer }.text(),
            Score::Surprise => words::DialSaidSurprise { guess: &guess, answer: &answer }.text(),
        }
    }

    /// What a screen reader hears when a dial is opened.
    pub fn announcement(&self) -> String {
        self.open.last().and_then(|id| Dial::by_id(id)).map(|dial| self.said(dial)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::labels;

    const WALK: Dial = Dial {
        id: "x",
        question: labels::dial_question_walk,
        unit: words::dial_unit_minutes,
        range: (1.0, 10_000.0),
        answer: || Some(65.0),
    };

    #[test]
    fn guesses_are_scored_by_how_many_times_off_they_are() {
        for (guess, score) in [
            (65_000, Score::Close),
            (52_000, Score::Close),
            (81_000, Score::Close),
            (33_000, Score::Near),
            (130_000, Score::Near),
            (7_000, Score::Far),
            (650_000, Score::Far),
            (1_000, Score::Surprise),
            (9_000_000, Score::Surprise),
        ] {
            assert_eq!(WALK.score(guess), Some(score), "{guess}");
        }
        assert_eq!(WALK.score(0), None);
    }

    #[test]
    fn a_stop_is_a_round_number_and_found_again() {
        assert_eq!((WALK.at(0), WALK.at(STOPS)), (1_000, 10_000_000));
        for stop in 0..=STOPS {
            let value = WALK.at(stop);
            assert!(WALK.stop(value).abs_diff(stop) <= 2, "{stop}: {value}");
            assert!(stop == 0 || value >= WALK.at(stop - 1));
        }
    }

    #[test]
    fn a_dial_keeps_its_guess_while_it_is_open_and_says_how_it_went() {
        let dial = DIALS[0];
        let answer = (dial.answer)().unwrap();
        let mut dials = Dials::default();
        assert_eq!(dials.said(dial), "");
        dials.turn(dial, true);
        assert!(dials.said(dial).starts_with("It is "), "{}", dials.said(dial));
        assert!(dials.strip().is_empty(), "what was skipped is not counted");
        dials.forget(dial);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a test with a number in range")]
        let double = (answer * 1_900.0) as u64;
        dials.take(dial, Some(double));
        dials.turn(dial, true);
        dials.take(dial, Some(1));
        assert_eq!(dials.guess(dial.id), Some(double), "an open dial is not set");
        assert_eq!(dials.strip(), [Score::Near]);
        assert!(dials.said(dial).contains("within a factor of two"), "{}", dials.said(dial));
    }

    #[test]
    fn counts_are_said_whole_and_measures_with_three_digits() {
        assert_eq!([32.0, 64.73, 26.001, 1_200.0].map(figure), ["32", "64.7", "26.0", "1,200"]);
    }

    #[test]
    fn every_dial_of_the_page_has_an_answer_within_its_range() {
        for dial in DIALS {
            let (low, high) = dial.range;
            let answer = (dial.answer)().unwrap_or_default();
            assert!(low > 0.0 && low * 2.0 < answer && answer * 2.0 < high, "{}: {answer}", dial.id);
            assert_eq!(DIALS.iter().filter(|other| other.id == dial.id).count(), 1);
        }
    }
}
