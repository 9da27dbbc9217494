//! What the reader has guessed and answered, as lines of plain text: kept on this device and handed out as a file.
//!
//! ```text
//! memory-wall progress 1
//! guess relu memory
//! open sides
//! dial walk 65
//! dial-open walk
//! quiz kv_cache.size wrong slip=half variant=2 asked=3 right=2 day=20413 step=1 given=68.7 GB
//! ```
//! A line that is not understood is set aside behind a question mark and kept as it is: it may come from a newer page,
//! or from a slip of the hand.

use std::fmt::Write as _;

use crate::dials::{Dial, KIND};
use crate::predictions::{Predictions, Round};
use crate::quiz::book::{Entry, VARIANTS, Verdict};

/// The first line.
const HEAD: &str = "memory-wall progress 1";
/// How much is read at most, and how many lines are set aside at most: more was not written by a page.
const LARGEST: usize = 100_000;
const MOST_ASIDE: usize = 50;

/// Everything that is kept, as text; nothing where there is nothing.
pub fn write(made: &Predictions) -> String {
    let mut lines = String::new();
    // Writing into a string does not fail.
    for (question, option) in made.guesses() {
        let _ = writeln!(lines, "guess {question} {option}");
    }
    for round in made.opened() {
        let _ = writeln!(lines, "open {round}");
    }
    for (dial, guess) in made.dials.guesses() {
        let _ = writeln!(lines, "dial {dial} {}", KIND.write(*guess));
    }
    for dial in made.dials.opened() {
        let _ = writeln!(lines, "dial-open {dial}");
    }
    for Entry { id, given, verdict, slip, variant, asked, right, day, step } in &made.quiz.entries {
        let state = if *verdict == Verdict::Open { "open" } else { verdict.id() };
        let _ = write!(lines, "quiz {id} {state} ");
        if !slip.is_empty() {
            let _ = write!(lines, "slip={slip} ");
        }
        for (name, value) in [("variant", variant), ("asked", asked), ("right", right), ("day", day), ("step", step)] {
            let _ = write!(lines, "{name}={value} ");
        }
        let _ = writeln!(lines, "given={given}");
    }
    for line in &made.aside {
        let _ = writeln!(lines, "? {line}");
    }
    if lines.is_empty() { lines } else { format!("{HEAD}\n{lines}") }
}

/// Reads what was kept; `known` says whether the page has a question. Whatever else stands there is set aside.
pub fn read(text: &str, known: &dyn Fn(&str) -> bool) -> Predictions {
    let mut made = Predictions::default();
    if text.len() > LARGEST {
        return made;
    }
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty() && *line != HEAD) {
        // What was set aside before may be understood by this page.
        let line = line.strip_prefix("? ").unwrap_or(line);
        if put(&mut made, line, known).is_none() && made.aside.len() < MOST_ASIDE {
            made.aside.push(line.chars().take(200).collect());
        }
    }
    made
}

fn put(made: &mut Predictions, line: &str, known: &dyn Fn(&str) -> bool) -> Option<()> {
    let (what, rest) = line.split_once(' ')?;
    match what {
        "guess" => {
            let (question, option) = rest.split_once(' ')?;
            made.take_by_id(Round::of(question)?, question, option);
            (made.guess(question)? == option).then_some(())
        }
        "open" => {
            made.turn(Round::by_id(rest)?, true);
            Some(())
        }
        "dial" => {
            let (id, guess) = rest.split_once(' ')?;
            made.dials.take(Dial::by_id(id)?, Some(KIND.read(guess)?));
            Some(())
        }
        "dial-open" => {
            made.dials.turn(Dial::by_id(rest)?, true);
            Some(())
        }
        "quiz" => {
            let entry = entry(rest).filter(|entry| known(&entry.id) && made.quiz.entry(&entry.id).is_none())?;
            made.quiz.entries.push(entry);
            Some(())
        }
        _ => None,
    }
}

/// `kv_cache.size wrong slip=half variant=2 … given=68.7 GB`
fn entry(rest: &str) -> Option<Entry> {
    let (parts, given) = rest.split_once(" given=")?;
    let mut parts = parts.split(' ');
    let id = parts.next()?.to_owned();
    let state = parts.next()?;
    let verdict = [Verdict::Right, Verdict::Wrong].into_iter().find(|verdict| verdict.id() == state);
    let verdict = verdict.or_else(|| (state == "open").then_some(Verdict::Open))?;
    let mut entry = Entry { id, verdict, given: given.chars().take(40).collect(), ..Entry::default() };
    for part in parts {
        let (name, value) = part.split_once('=')?;
        if name == "slip" {
            value.clone_into(&mut entry.slip);
            continue;
        }
        let place = match name {
            "variant" => &mut entry.variant,
            "asked" => &mut entry.asked,
            "right" => &mut entry.right,
            "day" => &mut entry.day,
            "step" => &mut entry.step,
            _ => return None,
        };
        *place = value.parse().ok().filter(|value| *value < 1_000_000)?;
    }
    (entry.variant < VARIANTS && entry.right <= entry.asked).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(_: &str) -> bool {
        true
    }

    fn full() -> Predictions {
        let mut made = Predictions::default();
        made.take_by_id(Round::by_id("sides").unwrap(), "relu", "compute");
        made.turn(Round::by_id("ridge").unwrap(), true);
        made.dials.take(Dial::by_id("walk").unwrap(), Some(65_500));
        made.dials.turn(Dial::by_id("walk").unwrap(), true);
        made.quiz.today = 20_413;
        made.quiz.give("kv_cache.size", "68.7 GB");
        made.quiz.judge("kv_cache.size", false, "half");
        made.quiz.again("roofline.three");
        made
    }

    const TEXT: &str = "memory-wall progress 1\nguess relu compute\nopen ridge\ndial walk 65.5\ndial-open walk\n\
        quiz kv_cache.size wrong slip=half variant=0 asked=1 right=0 day=20413 step=0 given=68.7 GB\n\
        quiz roofline.three open variant=1 asked=0 right=0 day=0 step=0 given=\n";

    #[test]
    fn what_is_kept_can_be_read_by_people_and_by_the_page() {
        assert_eq!(write(&full()), TEXT);
        let read = read(TEXT, &all);
        assert_eq!(write(&read), TEXT);
        assert_eq!(read.guess("relu"), Some("compute"));
        assert!(read.dials.is_open("walk") && read.quiz.is_done("kv_cache.size"));
        assert!(read.aside.is_empty());
        assert_eq!(write(&Predictions::default()), "");
    }

    #[test]
    fn what_is_not_understood_is_set_aside_and_kept() {
        let foul = "memory-wall progress 1\nguess relu sideways\nguess nothing memory\nopen\nopen sesame\ndial walk many\nfuture 1 2\n\
            quiz kv_cache.size wrong\nquiz kv_cache.size wrong variant=99 given=\nquiz a.b wrong asked=1 right=2 given=\n\
            quiz a.b wrong asked=-1 given=\nguess relu memory\n\u{fffd}\u{0}\n? guess gemm compute";
        let made = read(foul, &all);
        assert_eq!((made.guess("relu"), made.guess("gemm")), (Some("memory"), Some("compute")));
        assert_eq!(made.aside.len(), 11, "{:?}", made.aside);
        let kept = write(&made);
        assert!(kept.contains("? future 1 2\n"), "{kept}");
        assert_eq!(write(&read(&kept, &all)), kept, "and again");
        let strange = read("quiz no.such right variant=0 given=1", &|_| false);
        assert_eq!(strange.aside.len(), 1);
    }

    #[test]
    fn no_text_is_too_strange() {
        for text in ["", "\n\n", "?", "? ", "quiz", "quiz ", "quiz  given=", "dial walk", "\u{0}"] {
            let made = read(text, &all);
            assert!(made.quiz.entries.len() < 2, "{text}");
        }
        assert_eq!(read(&"x\n".repeat(100_000), &all), Predictions::default());
        assert_eq!(read(&"x\n".repeat(1_000), &all).aside.len(), MOST_ASIDE);
    }
}
