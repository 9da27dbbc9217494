//! What the page shows of the dials.

use std::array;

use super::{Dial, Dials, KIND, STOPS, Score};
use crate::figures::{Answer, bindings};
use crate::live::Snapshot;
use crate::registry::DIALS;
use crate::words;

/// A dial of the registry, by its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(usize);

impl Number {
    /// All of them, in the order of the registry.
    #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
    pub const ALL: [Self; DIALS.len()] = {
        let mut all = [Self(0); DIALS.len()];
        let mut place = 0;
        while place < DIALS.len() {
            all[place] = Self(place);
            place += 1;
        }
        all
    };

    /// The name of the dial.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn id(self) -> &'static str {
        DIALS.get(self.0).map_or("", |dial| dial.id)
    }
}

/// What a dial shows.
#[derive(Default, PartialEq)]
struct Shown {
    guess: String,
    stop: u32,
    spoken: String,
    said: String,
    open: bool,
    score: &'static str,
}

/// What the page shows of the dials.
#[derive(PartialEq)]
pub struct Model {
    dials: [Shown; Number::ALL.len()],
    /// The latest scores, as list items.
    strip: String,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// The latest scores.
        Strip,
        /// The guess, as its field shows it.
        Guess(Number),
        /// Where the slider stands.
        Place(Number),
        /// The guess, as it is spoken.
        Spoken(Number),
        /// What became of it.
        Said(Number),
        /// What the button says that checks it.
        Check(Number),
        /// What the button says that skips it.
        Show(Number),
        /// Its score, as the style sheet knows it.
        Score(Number),
        /// Whether it shows its answer.
        Open(Number),
        /// Whether there are no scores to show with it.
        Unscored(Number),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "dial";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let made = &snapshot.predictions.dials;
        let marks = made.strip().into_iter().map(|score| {
            let said = match score {
                Score::Close => words::dial_score_close(),
                Score::Near => words::dial_score_near(),
                Score::Far => words::dial_score_far(),
                Score::Surprise => words::dial_score_surprise(),
            };
            format!("<li data-score=\"{}\">{said}</li>", score.id())
        });
        Self {
            strip: marks.collect(),
            dials: array::from_fn(|place| DIALS.get(place).map(|dial| Shown::of(made, dial)).unwrap_or_default()),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let text =
            |number: Number, of: fn(&Shown) -> &str| Answer::Text(self.dials.get(number.0).map_or("", of).into());
        let open = |number: Number| self.dials.get(number.0).is_some_and(|dial| dial.open);
        match binding {
            Binding::Strip => Answer::Html(self.strip.clone()),
            Binding::Guess(number) => text(number, |dial| &dial.guess),
            Binding::Place(number) => {
                Answer::Text(self.dials.get(number.0).map_or(STOPS / 2, |dial| dial.stop).to_string())
            }
            Binding::Spoken(number) => text(number, |dial| &dial.spoken),
            Binding::Said(number) => text(number, |dial| &dial.said),
            Binding::Check(number) => {
                Answer::Text(if open(number) { words::predict_again() } else { words::predict_check() }.into())
            }
            Binding::Show(number) => {
                Answer::Text(if open(number) { words::predict_hide() } else { words::predict_show() }.into())
            }
            Binding::Score(number) => text(number, |dial| dial.score),
            Binding::Open(number) => Answer::Flag(open(number)),
            Binding::Unscored(number) => Answer::Flag(!open(number) || self.strip.is_empty()),
        }
    }
}

impl Shown {
    fn of(made: &Dials, dial: &Dial) -> Self {
        let guess = made.guess(dial.id);
        let open = made.is_open(dial.id);
        let score = guess.filter(|_| open).and_then(|guess| dial.score(guess));
        Self {
            guess: guess.map(|guess| KIND.write(guess)).unwrap_or_default(),
            stop: guess.map_or(STOPS / 2, |guess| dial.stop(guess)),
            spoken: guess
                .map_or_else(|| words::dial_none().into(), |guess| format!("{} {}", KIND.write(guess), (dial.unit)())),
            said: made.said(dial),
            open,
            score: score.map_or("", |score| score.id()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures;
    use crate::state::State;

    #[test]
    fn a_dial_shows_its_score_once_it_is_open() {
        let mut snapshot = Snapshot::of(State::default());
        let walk = Number::ALL.into_iter().find(|number| number.id() == "walk").unwrap();
        let said = |snapshot: &Snapshot, binding| figures::said::<Model>(snapshot, binding);
        let dial = Dial::by_id("walk").unwrap();
        assert_eq!(said(&snapshot, Binding::Spoken(walk)), words::dial_none());
        assert_eq!(said(&snapshot, Binding::Place(walk)), (STOPS / 2).to_string());
        snapshot.predictions.dials.take(dial, Some(1_000));
        assert_eq!(said(&snapshot, Binding::Guess(walk)), "1");
        assert_eq!(said(&snapshot, Binding::Score(walk)), "");
        assert_eq!(said(&snapshot, Binding::Unscored(walk)), "1");
        snapshot.predictions.dials.turn(dial, true);
        assert_eq!(said(&snapshot, Binding::Score(walk)), "surprise");
        assert_eq!(said(&snapshot, Binding::Check(walk)), words::predict_again());
        assert_eq!(said(&snapshot, Binding::Unscored(walk)), "");
        assert!(said(&snapshot, Binding::Strip).starts_with("<li data-score=\"surprise\">"));
    }
}
