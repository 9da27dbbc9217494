//! What the reader answered, question by question, and when each is asked again: a day later, then three, then seven.
//!
//! A question is known by its section and its name, `kv_cache.size`; the page is where it stands.

use crate::words::{fill, t};

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
    fn is_due(&self, today: u32) -> bool {
        self.numbers.is_due(today)
    }

    /// Whether it was answered wrongly once, and a hint is shown.
    const fn is_hinted(&self) -> bool {
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
        self.entries.retain(|entry| !is_of(&entry.id, section));
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

    fn said(&self, id: &str) -> &'static str {
        let Some(entry) = self.entry(id) else { return "" };
        match entry.verdict {
            Verdict::Open if entry.is_hinted() => t("quiz.hinted"),
            Verdict::Open => "",
            Verdict::Right if entry.slip.is_empty() => t("quiz.right"),
            Verdict::Right => t("quiz.right.hinted"),
            // Known slips have names, options have numbers.
            Verdict::Wrong if entry.slip.starts_with(char::is_alphabetic) => t("quiz.slip"),
            Verdict::Wrong => t("quiz.wrong"),
        }
    }

    /// The text with this name, `state.kv_cache.size` or `score.kv_cache`; `None` for a name that is not known.
    pub fn value(&self, part: &str) -> Option<String> {
        let (what, id) = part.split_once('.')?;
        let entry = self.entry(id);
        Some(match what {
            "state" => entry.map_or("", |entry| if entry.is_hinted() { "hint" } else { entry.verdict.id() }).into(),
            "variant" => self.variant(id).to_string(),
            "given" => entry.map(|entry| entry.given.clone()).unwrap_or_default(),
            "said" => self.said(id).into(),
            "check" => t(if self.is_done(id) { "quiz.again" } else { "quiz.check" }).into(),
            // One of several choices, by its place.
            "nth" => {
                let (place, id) = id.split_once('.')?;
                let given = self.entry(id).map_or("", |entry| entry.given.as_str());
                given.split(' ').nth(place.parse().ok()?).filter(|word| !word.is_empty()).unwrap_or("-").into()
            }
            "pressed" => {
                let (option, id) = id.split_once('.')?;
                self.has(option, id).to_string()
            }
            "score" => {
                let of = self.entries.iter().filter(|entry| is_of(&entry.id, id));
                let (right, asked) =
                    of.fold((0, 0), |(right, asked), entry| (right + entry.numbers.right, asked + entry.numbers.asked));
                let [right, asked] = [right, asked].map(|n: u32| n.to_string());
                if asked == "0" { "–".into() } else { fill("quiz.score", &[("right", &right), ("asked", &asked)]) }
            }
            "due" => {
                let due = self.entries.iter().filter(|entry| entry.is_due(self.today)).count().to_string();
                if due == "0" { t("quiz.due.none").into() } else { fill("quiz.due", &[("n", &due)]) }
            }
            _ => return None,
        })
    }

    fn has(&self, option: &str, id: &str) -> bool {
        self.entry(id).is_some_and(|entry| entry.given.split(' ').any(|given| given == option))
    }

    /// Whether a condition holds: `done.ID`, `other.OPTION.ID` for what was not chosen, `slip.NAME.ID`, `unhinted.NAME.ID` where
    /// its hint is not shown, `rested.ID` for what is not due.
    pub fn flag(&self, part: &str) -> Option<bool> {
        let (what, id) = part.split_once('.')?;
        Some(match what {
            "done" => self.is_done(id),
            "rested" => !self.entry(id).is_some_and(|entry| entry.is_due(self.today)),
            "other" | "slip" | "unhinted" => {
                let (name, id) = id.split_once('.')?;
                let entry = self.entry(id);
                match what {
                    "other" => !self.is_done(id) || !self.has(name, id),
                    "slip" => entry.is_some_and(|entry| entry.slip == name),
                    _ => {
                        !entry.is_some_and(|entry| entry.is_hinted() && entry.slip.split('+').any(|slip| slip == name))
                    }
                }
            }
            _ => return None,
        })
    }
}

/// Whether a question belongs to a section; every one to none.
fn is_of(id: &str, section: &str) -> bool {
    section.is_empty() || id.split_once('.').is_some_and(|(of, _)| of == section)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "kv_cache.size";

    /// A question that was answered once and for all.
    fn answered(today: u32, right: bool) -> Quiz {
        let mut quiz = Quiz { today, ..Quiz::default() };
        quiz.give(ID, "137 GB");
        quiz.judge(ID, (!right).then_some("half"), true);
        quiz
    }

    fn said(quiz: &Quiz) -> String {
        quiz.value("said.kv_cache.size").unwrap()
    }

    #[test]
    fn a_wrong_try_brings_a_hint_first_and_the_answer_second() {
        let mut quiz = Quiz { today: 100, ..Quiz::default() };
        quiz.give(ID, "68.7 GB");
        quiz.judge(ID, Some("half"), false);
        assert_eq!(quiz.value("state.kv_cache.size").as_deref(), Some("hint"));
        assert_eq!((said(&quiz).as_str(), quiz.is_done(ID)), (t("quiz.hinted"), false));
        let hidden = |quiz: &Quiz, slip| quiz.flag(&format!("unhinted.{slip}.{ID}")).unwrap();
        assert_eq!(["half", "bits"].map(|slip| hidden(&quiz, slip)), [false, true]);
        assert!(quiz.is_unchanged(ID), "the same once more is no new try");
        quiz.give(ID, "1");
        assert!(!quiz.is_unchanged(ID));
        assert!(!hidden(&quiz, "half"), "the hint stays while another answer is thought of");
        let mut wrong = quiz.clone();
        wrong.judge(ID, Some("-"), false);
        assert_eq!((said(&wrong).as_str(), wrong.is_done(ID)), (t("quiz.wrong"), true));
        assert_eq!(wrong.value("score.").as_deref(), Some("0 of 2"));
        assert!(hidden(&wrong, "half"), "the answer is there now");
        quiz.judge(ID, None, false);
        assert_eq!((said(&quiz).as_str(), quiz.is_done(ID)), (t("quiz.right.hinted"), true));
        assert_eq!(quiz.value("score.").as_deref(), Some("1 of 2"));
        assert_eq!(quiz.flag("slip.half.kv_cache.size"), Some(true), "what it was at first is still marked");
        // With help it was no review, and it comes back on the next day; so does one that was left at its hint.
        quiz.open(101);
        assert!(!quiz.is_done(ID));
        quiz.judge(ID, Some("2+0"), false);
        assert_eq!(["0", "1", "2"].map(|option| hidden(&quiz, option)), [false, true, false]);
        quiz.open(102);
        assert_eq!(quiz.value("state.kv_cache.size").as_deref(), Some(""));
    }

    #[test]
    fn an_answer_is_checked_once_and_asked_again_with_fresh_numbers() {
        let mut quiz = answered(20_000, false);
        assert_eq!(quiz.value("said.kv_cache.size").as_deref(), Some(t("quiz.slip")));
        assert_eq!(
            (quiz.flag("slip.half.kv_cache.size"), quiz.flag("slip.bits.kv_cache.size")),
            (Some(true), Some(false))
        );
        quiz.give(ID, "other");
        quiz.judge(ID, None, true);
        assert_eq!(quiz.value("score.kv_cache").as_deref(), Some("0 of 1"), "a verdict stands");
        quiz.again(ID);
        assert_eq!((quiz.variant(ID), quiz.value("given.kv_cache.size").as_deref()), (1, Some("")));
        quiz.give(ID, "1");
        quiz.judge(ID, None, true);
        assert_eq!(quiz.value("score.kv_cache").as_deref(), Some("1 of 2"));
        assert_eq!(quiz.value("score.oom").as_deref(), Some("–"));
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
                assert_eq!(quiz.flag("rested.kv_cache.size"), Some(true), "day {early}");
                assert!(quiz.is_done(ID));
            }
            day += wait;
            quiz.open(day);
            assert_eq!(quiz.flag("rested.kv_cache.size"), Some(false), "day {day}");
            assert!(!quiz.is_done(ID), "it is asked again");
            quiz.give(ID, "1");
            quiz.judge(ID, None, true);
        }
        quiz.open(day + 1_000);
        assert_eq!(quiz.value("due.").as_deref(), Some(t("quiz.due.none")), "and then no more");
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
        assert_eq!(quiz.flag("rested.kv_cache.size"), Some(false));
        // Trying again on the same day is practice, no review.
        let mut quiz = answered(100, true);
        quiz.again(ID);
        quiz.judge(ID, None, true);
        assert_eq!(quiz.entry(ID).map(|entry| entry.numbers.step), Some(0));
    }

    #[test]
    fn unknown_names_are_nothing() {
        let quiz = Quiz::default();
        for name in ["", "state", "x.y", "nth.x", "nth.a.b"] {
            assert_eq!(quiz.value(name), None, "{name}");
        }
        assert_eq!(quiz.value("state.nothing.here").as_deref(), Some(""));
        for name in ["done", "x.y", "other.x"] {
            assert_eq!(quiz.flag(name), None, "{name}");
        }
    }
}
