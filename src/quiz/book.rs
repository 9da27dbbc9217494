//! What the reader answered, question by question, and when each is asked again: a day later, then three, then seven.
//!
//! A question is known by its section and its name, `kv_cache.size`; the page is where it stands.

use crate::words;

/// How many sets of numbers a question has that is asked with fresh ones. The page has as many, a style sheet shows one.
pub const VARIANTS: u32 = 6;

/// Days until a question is asked again, by how often it was right since it was last wrong.
pub const WAITS: [u32; 3] = [1, 3, 7];

/// What became of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It waits for an answer.
    #[default]
    Open,
    /// The answer was right.
    Right,
    /// It was not.
    Wrong,
}

impl Verdict {
    /// The name in the page and in what is kept.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Open => "",
            Self::Right => "right",
            Self::Wrong => "wrong",
        }
    }
}

/// A question that was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Section and name.
    pub id: String,
    /// What stands there now: a number as it was typed, or the names of what was chosen.
    pub given: String,
    /// What became of it.
    pub verdict: Verdict,
    /// What was wrong at the last try that was: the name of a known slip, the numbers of wrong options with `+` between them, or
    /// `-` for anything else. While the question is open, it is what a hint is shown for.
    pub slip: String,
    /// What was given then, until the page is left.
    pub tried: String,
    /// How often, when, and with what it was asked.
    pub numbers: Numbers,
}

/// What is counted of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Which set of numbers it is asked with.
    pub variant: u32,
    /// How often it was answered.
    pub asked: u32,
    /// How often rightly.
    pub right: u32,
    /// The day of the last answer, in days since 1970; nothing before the first.
    pub day: u32,
    /// How many reviews have gone well since it was last wrong.
    pub step: u32,
}

impl Numbers {
    /// All of them, in the order in which they are kept.
    pub const fn all(&self) -> [u32; 5] {
        [self.variant, self.asked, self.right, self.day, self.step]
    }

    /// The same, to be changed.
    pub const fn all_mut(&mut self) -> [&mut u32; 5] {
        [&mut self.variant, &mut self.asked, &mut self.right, &mut self.day, &mut self.step]
    }

    /// Whether it is to be asked again on a day.
    fn is_due(&self, today: u32) -> bool {
        let wait = usize::try_from(self.step).ok().and_then(|step| WAITS.get(step));
        self.asked > 0 && wait.is_some_and(|wait| today >= self.day.saturating_add(*wait))
    }
}

impl Entry {
    /// Whether it is to be asked again on a day.
    pub(super) fn is_due(&self, today: u32) -> bool {
        self.numbers.is_due(today)
    }

    /// Whether it belongs to a section; every one belongs to none.
    pub(super) fn is_of(&self, section: &str) -> bool {
        section.is_empty() || self.id.split_once('.').is_some_and(|(of, _)| of == section)
    }

    /// Whether it was answered wrongly once, and a hint is shown.
    pub(super) const fn is_hinted(&self) -> bool {
        matches!(self.verdict, Verdict::Open) && !self.slip.is_empty()
    }

    /// Ready to be answered again, with the next numbers.
    fn again(&mut self) {
        self.verdict = Verdict::Open;
        self.given.clear();
        self.slip.clear();
        self.tried.clear();
        self.numbers.variant = (self.numbers.variant + 1) % VARIANTS;
    }
}

/// Everything that was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quiz {
    /// In the order in which they were first touched.
    pub entries: Vec<Entry>,
    /// The day on which the page was opened.
    pub today: u32,
    /// What was checked last, to be said.
    latest: String,
}

impl Quiz {
    /// What is known of a question.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    fn entry_mut(&mut self, id: &str) -> Option<&mut Entry> {
        if self.entry(id).is_none() {
            self.entries.push(Entry { id: id.into(), ..Entry::default() });
        }
        self.entries.iter_mut().find(|entry| entry.id == id)
    }

    /// Whether a question shows what became of it.
    pub fn is_done(&self, id: &str) -> bool {
        self.entry(id).is_some_and(|entry| entry.verdict != Verdict::Open)
    }

    /// The set of numbers that a question is asked with.
    pub fn variant(&self, id: &str) -> u32 {
        self.entry(id).map_or(0, |entry| entry.numbers.variant)
    }

    /// Takes what stands there now. What was checked stays as it was.
    pub fn give(&mut self, id: &str, given: &str) {
        if let Some(entry) = self.entry_mut(id).filter(|entry| entry.verdict == Verdict::Open) {
            given.clone_into(&mut entry.given);
        }
    }

    /// Whether a hint is shown, and what stands there is still what it is for.
    pub fn is_unchanged(&self, id: &str) -> bool {
        self.entry(id).is_some_and(|entry| entry.is_hinted() && entry.given == entry.tried)
    }

    /// Takes the verdict on what stands there: right, or what was wrong with it. The first wrong try brings a hint and leaves the
    /// question open, unless it `is_last`.
    pub fn judge(&mut self, id: &str, wrong: Option<&str>, is_last: bool) {
        let today = self.today;
        id.clone_into(&mut self.latest);
        let Some(entry) = self.entry_mut(id).filter(|entry| entry.verdict == Verdict::Open) else { return };
        let due = entry.is_due(today);
        let right = wrong.is_none();
        let is_over = is_last || entry.is_hinted();
        let numbers = &mut entry.numbers;
        numbers.step = if right { numbers.step + u32::from(due) } else { 0 };
        numbers.asked += 1;
        numbers.right += u32::from(right);
        numbers.day = today;
        match wrong {
            None => entry.verdict = Verdict::Right,
            Some(wrong) => {
                wrong.clone_into(&mut entry.slip);
                entry.tried.clone_from(&entry.given);
                if is_over {
                    entry.verdict = Verdict::Wrong;
                }
            }
        }
    }

    /// Asks a question again, with fresh numbers where it has them.
    pub fn again(&mut self, id: &str) {
        if let Some(entry) = self.entry_mut(id) {
            entry.again();
        }
        self.latest.clear();
    }

    /// Forgets the answers of a section, or of all with none. The next numbers are fresh ones all the same.
    pub fn reset(&mut self, section: &str) {
        self.entries.retain(|entry| !entry.is_of(section));
        self.latest.clear();
    }

    /// A new day: what is due is asked again.
    pub fn open(&mut self, today: u32) {
        self.today = today;
        for entry in &mut self.entries {
            if (entry.verdict != Verdict::Open || entry.is_hinted()) && entry.is_due(today) {
                entry.again();
            }
        }
    }

    /// What a screen reader hears when a question was checked.
    pub fn announcement(&self) -> String {
        self.said(&self.latest).into()
    }

    /// What became of a question, in words.
    pub(super) fn said(&self, id: &str) -> &'static str {
        let Some(entry) = self.entry(id) else { return "" };
        match entry.verdict {
            Verdict::Open if entry.is_hinted() => words::quiz_hinted(),
            Verdict::Open => "",
            Verdict::Right if entry.slip.is_empty() => words::quiz_right(),
            Verdict::Right => words::quiz_right_hinted(),
            // Known slips have names, options have numbers.
            Verdict::Wrong if entry.slip.starts_with(char::is_alphabetic) => words::quiz_slip(),
            Verdict::Wrong => words::quiz_wrong(),
        }
    }
}

#[cfg(test)]
mod tests {
    use memory_wall_core::display::ByteUnit;

    use super::*;
    use crate::figures::{Answer, Model as _};
    use crate::predictions::Predictions;
    use crate::quiz::model::{Binding, Model};

    const ID: &str = "kv_cache.size";

    /// A question that was answered once and for all.
    fn answered(today: u32, right: bool) -> Quiz {
        let mut quiz = Quiz { today, ..Quiz::default() };
        quiz.give(ID, "137 GB");
        quiz.judge(ID, (!right).then_some("half"), true);
        quiz
    }

    fn answer(quiz: &Quiz, binding: Binding, of: &str) -> Answer {
        let mut made = Predictions::default();
        made.quiz = quiz.clone();
        Model::of_predictions(made).answer_of(binding, of)
    }

    /// What the page shows.
    fn text(quiz: &Quiz, binding: Binding, of: &str) -> String {
        answer(quiz, binding, of).text(ByteUnit::Gb)
    }

    /// Whether a condition holds.
    fn holds(quiz: &Quiz, binding: Binding, of: &str) -> bool {
        answer(quiz, binding, of) == Answer::Flag(true)
    }

    fn said(quiz: &Quiz) -> String {
        text(quiz, Binding::Said, ID)
    }

    #[test]
    fn a_wrong_try_brings_a_hint_first_and_the_answer_second() {
        let mut quiz = Quiz { today: 100, ..Quiz::default() };
        quiz.give(ID, "68.7 GB");
        quiz.judge(ID, Some("half"), false);
        assert_eq!(text(&quiz, Binding::State, "kv_cache.size"), "hint");
        assert_eq!((said(&quiz).as_str(), quiz.is_done(ID)), (words::quiz_hinted(), false));
        let hidden = |quiz: &Quiz, slip| holds(quiz, Binding::Unhinted, &format!("{slip}.{ID}"));
        assert_eq!(["half", "bits"].map(|slip| hidden(&quiz, slip)), [false, true]);
        assert!(quiz.is_unchanged(ID), "the same once more is no new try");
        quiz.give(ID, "1");
        assert!(!quiz.is_unchanged(ID));
        assert!(!hidden(&quiz, "half"), "the hint stays while another answer is thought of");
        let mut wrong = quiz.clone();
        wrong.judge(ID, Some("-"), false);
        assert_eq!((said(&wrong).as_str(), wrong.is_done(ID)), (words::quiz_wrong(), true));
        assert_eq!(text(&wrong, Binding::Score, ""), "0 of 2");
        assert!(hidden(&wrong, "half"), "the answer is there now");
        quiz.judge(ID, None, false);
        assert_eq!((said(&quiz).as_str(), quiz.is_done(ID)), (words::quiz_right_hinted(), true));
        assert_eq!(text(&quiz, Binding::Score, ""), "1 of 2");
        assert!(holds(&quiz, Binding::Slip, "half.kv_cache.size"), "what it was at first is still marked");
        // With help it was no review, and it comes back on the next day; so does one that was left at its hint.
        quiz.open(101);
        assert!(!quiz.is_done(ID));
        quiz.judge(ID, Some("2+0"), false);
        assert_eq!(["0", "1", "2"].map(|option| hidden(&quiz, option)), [false, true, false]);
        quiz.open(102);
        assert_eq!(text(&quiz, Binding::State, "kv_cache.size"), "");
    }

    #[test]
    fn an_answer_is_checked_once_and_asked_again_with_fresh_numbers() {
        let mut quiz = answered(20_000, false);
        assert_eq!(text(&quiz, Binding::Said, "kv_cache.size"), words::quiz_slip());
        assert_eq!(
            (holds(&quiz, Binding::Slip, "half.kv_cache.size"), holds(&quiz, Binding::Slip, "bits.kv_cache.size")),
            (true, false)
        );
        quiz.give(ID, "other");
        quiz.judge(ID, None, true);
        assert_eq!(text(&quiz, Binding::Score, "kv_cache"), "0 of 1", "a verdict stands");
        quiz.again(ID);
        assert_eq!((quiz.variant(ID), text(&quiz, Binding::Given, "kv_cache.size").as_str()), (1, ""));
        quiz.give(ID, "1");
        quiz.judge(ID, None, true);
        assert_eq!(text(&quiz, Binding::Score, "kv_cache"), "1 of 2");
        assert_eq!(text(&quiz, Binding::Score, "oom"), "–");
        quiz.reset("oom");
        assert_eq!(quiz.entries.len(), 1);
        quiz.reset("kv_cache");
        assert!(quiz.entries.is_empty());
    }

    #[test]
    fn what_was_right_comes_back_after_one_three_and_seven_days() {
        let mut quiz = answered(100, true);
        let mut day = 100;
        for wait in WAITS {
            for early in day..day + wait {
                quiz.open(early);
                assert!(holds(&quiz, Binding::Rested, "kv_cache.size"), "day {early}");
                assert!(quiz.is_done(ID));
            }
            day += wait;
            quiz.open(day);
            assert!(!holds(&quiz, Binding::Rested, "kv_cache.size"), "day {day}");
            assert!(!quiz.is_done(ID), "it is asked again");
            quiz.give(ID, "1");
            quiz.judge(ID, None, true);
        }
        quiz.open(day + 1_000);
        assert_eq!(text(&quiz, Binding::Due, ""), words::quiz_due_none(), "and then no more");
        assert_eq!(
            quiz.entry(ID).map(|Entry { numbers, .. }| (numbers.asked, numbers.right, numbers.variant)),
            Some((4, 4, 3))
        );
    }

    #[test]
    fn what_was_wrong_begins_at_the_first_day_again() {
        let mut quiz = answered(100, true);
        quiz.open(101);
        quiz.judge(ID, None, true);
        quiz.open(104);
        quiz.judge(ID, Some("-"), true);
        quiz.open(105);
        assert!(!holds(&quiz, Binding::Rested, "kv_cache.size"));
        // Trying again on the same day is practice, no review.
        let mut quiz = answered(100, true);
        quiz.again(ID);
        quiz.judge(ID, None, true);
        assert_eq!(quiz.entry(ID).map(|entry| entry.numbers.step), Some(0));
    }

    #[test]
    fn a_question_that_nobody_touched_is_open() {
        let quiz = Quiz::default();
        assert_eq!(text(&quiz, Binding::State, "nothing.here"), "");
        assert_eq!(["x.nothing.here", "7.nothing.here", "", "x"].map(|of| text(&quiz, Binding::Nth, of)), ["-"; 4]);
        assert!(!holds(&quiz, Binding::Done, "nothing.here"));
        for binding in [Binding::Rested, Binding::Other, Binding::Unhinted] {
            assert!(holds(&quiz, binding, "2.nothing.here"), "{binding:?}");
        }
        for name in ["quiz.state", "quiz.rested", "quiz.progress"] {
            assert!(crate::figures::find(name).is_some(), "{name}");
        }
        for name in ["quiz", "quiz.x", "quiz.state.oom.copy", "done.states"] {
            assert_eq!(crate::figures::find(name), None, "{name}");
        }
    }
}
