//! What the reader has guessed and answered, as lines of plain text: kept on this device and handed out as a file.
//!
//! ```text
//! memory-wall progress 1
//! guess relu memory
//! open sides
//! guess walk 65
//! open walk
//! quiz kv_cache.size wrong slip=half variant=2 asked=3 right=2 day=20413 step=1 given=68.7 GB
//! ```
//! A line that is not understood is set aside behind a question mark and kept as it is: it may come from a newer page,
//! or from a slip of the hand.

use crate::dials::{Dial, KIND};
use crate::predictions::{Predictions, Round};
use crate::quiz::book::{Entry, Numbers, VARIANTS, Verdict};

/// The numbers of an answer, by name, in the order of [`Numbers::all`].
const NUMBERS: [&str; 5] = ["variant", "asked", "right", "day", "step"];
/// The first line.
const HEAD: &str = "memory-wall progress 1";
/// How much is read at most, and how many lines are carried along at most: more was not written by a page. One more is read, which
/// tells that there were more.
const LARGEST: usize = 100_000;
const MOST_ASIDE: usize = 50;

/// Whether nothing was guessed and nothing answered.
pub fn is_empty(made: &Predictions) -> bool {
    write(made) == write(&Predictions::default())
}

/// Everything that is kept, as text; nothing where there is nothing.
pub fn write(made: &Predictions) -> String {
    let mut out = String::new();
    for (question, option) in made.guesses() {
        line(&mut out, "guess ", question, option);
    }
    for (dial, guess) in made.dials.guesses() {
        line(&mut out, "guess ", dial, &KIND.write(*guess));
    }
    for id in made.opened().iter().chain(made.dials.opened()) {
        line(&mut out, "open ", id, "");
    }
    for entry in &made.quiz.entries {
        let mut rest = String::from(if entry.verdict == Verdict::Open { "open" } else { entry.verdict.id() });
        named(&mut rest, "slip", &entry.slip);
        for (name, number) in NUMBERS.iter().zip(entry.numbers.all()) {
            named(&mut rest, name, &number.to_string());
        }
        named(&mut rest, "given", &entry.given);
        line(&mut out, "quiz ", &entry.id, &rest);
    }
    for words in made.aside.iter().take(MOST_ASIDE) {
        line(&mut out, "? ", words, "");
    }
    if out.is_empty() { out } else { String::from(HEAD) + "\n" + &out }
}

/// ` name=value`
#[inline(never)]
fn named(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push('=');
    out.push_str(value);
}

/// What stands before the first of a mark, and what behind it.
#[inline(never)]
fn cut(text: &str, mark: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == mark)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// By hand rather than by formats, of which each would be a piece of program.
#[inline(never)]
fn line(out: &mut String, what: &str, id: &str, rest: &str) {
    out.push_str(what);
    out.push_str(id);
    if !rest.is_empty() {
        out.push(' ');
        out.push_str(rest);
    }
    out.push('\n');
}

/// Reads what was kept; `known` says whether the page has a question. Whatever else stands there is set aside.
pub fn read(text: &str, known: &dyn Fn(&str) -> bool) -> Predictions {
    let mut made = Predictions::default();
    if text.len() > LARGEST {
        return made;
    }
    for line in text.split('\n').map(str::trim).filter(|line| !line.is_empty() && *line != HEAD) {
        // What was set aside before may be understood by this page.
        let line = line.strip_prefix("? ").unwrap_or(line);
        if put(&mut made, line, known).is_none() && made.aside.len() <= MOST_ASIDE {
            made.aside.push(line.into());
        }
    }
    made
}

/// Whether everything of a text is in what was read of it: understood, or set aside within it.
pub fn is_whole(text: &str, made: &Predictions) -> bool {
    text.len() <= LARGEST && made.aside.len() <= MOST_ASIDE
}

fn put(made: &mut Predictions, line: &str, known: &dyn Fn(&str) -> bool) -> Option<()> {
    let (what, rest) = cut(line, b' ')?;
    match what {
        "guess" => {
            let (question, guess) = cut(rest, b' ')?;
            if let Some(dial) = Dial::by_id(question) {
                made.dials.take(dial, Some(KIND.read(guess)?));
                return Some(());
            }
            made.take_by_id(Round::of(question)?, question, guess);
            (made.guess(question)? == guess).then_some(())
        }
        "open" => {
            match (Round::by_id(rest), Dial::by_id(rest)) {
                (Some(round), _) => made.turn(round, true),
                (_, dial) => made.dials.turn(dial?, true),
            }
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
    let (id, rest) = cut(rest, b' ')?;
    let (state, mut rest) = cut(rest, b' ')?;
    let verdict = match state {
        "open" => Verdict::Open,
        "right" => Verdict::Right,
        "wrong" => Verdict::Wrong,
        _ => return None,
    };
    let mut entry = Entry { id: id.into(), verdict, ..Entry::default() };
    loop {
        let (name, behind) = cut(rest, b'=')?;
        if name == "given" {
            entry.given = behind.into();
            break;
        }
        let (value, next) = cut(behind, b' ')?;
        rest = next;
        if name == "slip" {
            entry.slip = value.into();
        } else {
            let place = NUMBERS.iter().position(|known| *known == name)?;
            let value = value.parse().ok().filter(|value| *value < 1_000_000)?;
            *entry.numbers.all_mut().into_iter().nth(place)? = value;
        }
    }
    let Numbers { variant, asked, right, .. } = entry.numbers;
    (variant < VARIANTS && right <= asked && entry.given.len() < 200).then_some(entry)
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
        made.quiz.judge("kv_cache.size", Some("half"), true);
        made.quiz.again("roofline.three");
        made
    }

    const TEXT: &str = "memory-wall progress 1\nguess relu compute\nguess walk 65.5\nopen ridge\nopen walk\n\
        quiz kv_cache.size wrong slip=half variant=0 asked=1 right=0 day=20413 step=0 given=68.7 GB\n\
        quiz roofline.three open slip= variant=1 asked=0 right=0 day=0 step=0 given=\n";

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
        let foul = "memory-wall progress 1\nguess relu sideways\nguess nothing memory\nopen\nopen sesame\nguess walk many\nfuture 1 2\n\
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
    fn no_dial_is_called_as_a_round_or_a_question() {
        for dial in crate::registry::DIALS {
            assert!(Round::by_id(dial.id).is_none() && Round::of(dial.id).is_none(), "{}", dial.id);
        }
    }

    #[test]
    fn no_text_is_too_strange() {
        for text in ["", "\n\n", "?", "? ", "quiz", "quiz ", "quiz  given=", "guess walk", "\u{0}"] {
            let made = read(text, &all);
            assert!(made.quiz.entries.len() < 2, "{text}");
        }
        assert_eq!(read(&"x\n".repeat(100_000), &all), Predictions::default());
        assert_eq!(read(&"x\n".repeat(1_000), &all).aside.len(), MOST_ASIDE + 1);
        // What is carried along of too much is all of what is written, and so on the next visit nothing is missing.
        for (lines, whole) in [(MOST_ASIDE, true), (MOST_ASIDE + 1, false)] {
            let text = "x\n".repeat(lines);
            let made = read(&text, &all);
            assert_eq!(is_whole(&text, &made), whole);
            let written = write(&made);
            assert!(is_whole(&written, &read(&written, &all)));
        }
    }
}
