//! A program run line by line: what is live at each step, drawn as a tape of bars against the line of a card.

use memory_wall_core::display::{ByteUnit, Size};
use memory_wall_core::tape::{Program, Step, Tensor};
use memory_wall_core::{Bucket, Bytes};

use crate::charts::wall::percent;
use crate::dials::Dial;
use crate::live::Snapshot;
use crate::predictions::Round;
use crate::state::tape::{self, Tape};
use crate::words::{self, fill_with};

/// The peak of the program as it is written, in the unit that PyTorch counts in.
pub static PEAK: Dial =
    Dial { id: "tape", unit: "gib", range: (2.0, 5_000.0), answer: || Some(Program::default().peak().as_gib()) };

/// The line in which it is.
pub static LINES: Round = Round {
    id: "lines",
    questions: &["peak-line"],
    options: &["2", "3", "4", "5"],
    answer: |question| {
        // The first option is line 2.
        let place = usize::try_from(Program::default().fullest().line()).ok()?.checked_sub(2)?;
        LINES.options.get(place).copied().filter(|_| LINES.questions.contains(&question))
    },
};

/// Bars narrower than this have no room for a name, in percent.
const NAMED: f64 = 3.5;
/// Bars narrower than this have none on a narrow screen.
const ROOMY: f64 = 8.0;

/// Adds pieces to a text. Once for all, since a program in the browser loads each copy.
#[inline(never)]
fn push(text: &mut String, pieces: &[&str]) {
    for piece in pieces {
        text.push_str(piece);
    }
}

/// What the tape is drawn with: what the reader has chosen, and how large things are.
struct Drawn<'a> {
    of: &'a Snapshot,
    tape: Tape,
    capacity: Bytes,
    peak: Bytes,
}

impl<'a> Drawn<'a> {
    fn new(of: &'a Snapshot) -> Self {
        let tape = of.state.tape;
        Self { of, tape, capacity: tape.card.gpu(&of.state).capacity, peak: tape.program.peak() }
    }

    /// How far from the left an amount ends, in percent: the longest bar or the card's line stands near the right.
    fn x(&self, bytes: Bytes) -> f64 {
        bytes.share_of(self.peak.max(self.capacity)) * 97.0
    }

    /// The fullest moment of a step: every tensor with its pattern and its name, and the card's line.
    fn bar(&self, step: Step) -> String {
        let program = &self.tape.program;
        let live = program.live(step);
        let mut html = String::new();
        let mut below = Bytes::ZERO;
        for &tensor in Tensor::ALL.iter().filter(|tensor| live.during.has(**tensor)) {
            let above = below + program.size(tensor);
            let (from, to) = (self.x(below), self.x(above));
            below = above;
            // What would not be seen is in the ledger.
            if to - from < 0.05 {
                continue;
            }
            let bucket = tensor.bucket();
            let pattern = match bucket {
                Bucket::Activations => "header",
                Bucket::Gradients => "diagonal",
                Bucket::Overhead => "open",
                _ => "solid",
            };
            let (x, width) = (percent(from), percent(to - from));
            let place = ["\" x=\"", &x, "\" width=\"", &width, "\" height=\"100%\"/>"].concat();
            let id = bucket.id();
            push(&mut html, &["<g class=\"course course-", id, "\"><rect class=\"ground", &place]);
            push(&mut html, &["<rect fill=\"url(#masonry-", pattern, ")", &place, "</g>"]);
            if to - from > NAMED {
                let (middle, name) = (percent(f64::midpoint(from, to)), words::choice("oom.short", tensor.id()));
                let class = if to - from > ROOMY { "" } else { " class=\"tight\"" };
                push(&mut html, &["<text", class, " x=\"", &middle, "\" y=\"50%\">", &name, "</text>"]);
            }
        }
        let edge = percent(self.x(self.capacity));
        push(&mut html, &["<rect class=\"oom-card\" x=\"", &edge, "\" width=\"2\" y=\"-50%\" height=\"200%\"/>"]);
        html
    }

    /// Where the program stands, how much is in use, and what the card says to it; or, of the whole of it, what becomes of it.
    fn said(&self, whole: bool) -> String {
        let program = &self.tape.program;
        let step = if whole { program.fullest() } else { self.tape.step_in_use() };
        let during = program.during(step);
        let died = program.dies(self.capacity);
        let key = match died {
            None if whole => "oom.verdict.runs",
            Some(_) if whole => "oom.verdict.dies",
            Some(died) if (died as u8) < step as u8 => "oom.said.past",
            _ if during > self.capacity => "oom.said.over",
            _ => "oom.said.fits",
        };
        let values = [
            ("line", step.line().to_string()),
            ("at", died.unwrap_or(step).line().to_string()),
            ("total", self.of.size(during)),
            ("margin", self.of.size(during.minus(self.capacity).magnitude())),
            ("gpu", self.tape.card.gpu(&self.of.state).name.into()),
        ];
        fill_with(key, &values)
    }

    /// What the fullest moment is made of: `W 1.07 GB + x 8.59 GB`.
    fn sum(&self) -> String {
        let program = &self.tape.program;
        let live = program.live(program.fullest()).during;
        let mut text = String::new();
        for &tensor in Tensor::ALL.iter().filter(|tensor| live.has(**tensor)) {
            let bytes = program.size(tensor);
            // Biases and single numbers round away.
            if bytes.share_of(self.peak) > 0.001 {
                let (name, size) = (words::choice("oom.short", tensor.id()), self.of.size(bytes));
                let plus = if text.is_empty() { "" } else { " + " };
                push(&mut text, &[plus, &name, " ", &size]);
            }
        }
        text
    }
}

/// Where the program stands, for those who do not see the tape.
pub fn sentence(of: &Snapshot) -> String {
    Drawn::new(of).said(false)
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    let drawn = Drawn::new(of);
    let program = drawn.tape.program;
    Some(match part {
        "sentence" => drawn.said(false),
        "verdict" => drawn.said(true),
        "peak" => of.size(drawn.peak),
        // As PyTorch counts it, and as a data sheet does, whatever unit the reader has chosen.
        "peak_gib" => Size::new(drawn.peak, ByteUnit::Gib).to_string(),
        "peak_gb" => Size::new(drawn.peak, ByteUnit::Gb).to_string(),
        "forward" => of.size(program.forward_peak()),
        "sum_sentence" => drawn.sum(),
        "card" => drawn.tape.card.gpu(&of.state).name.into(),
        "capacity" => of.size(drawn.capacity),
        // Where the card's line has its label: half of it stays within the page.
        "edge" => percent(drawn.x(drawn.capacity).max(10.0)),
        "place" => drawn.tape.place().to_string(),
        "last" => (program.steps().count().saturating_sub(1)).to_string(),
        _ => match part.split_once('.')? {
            ("bar", id) => drawn.bar(Step::from_id(id)?),
            ("total", id) => of.size(program.during(Step::from_id(id)?)),
            ("size", id) => of.size(program.size(Tensor::from_id(id)?)),
            ("count", id) => tape::SIZES.iter().find(|size| size.name == id)?.of(program).to_string(),
            ("on", id) => if tape::is_on(&program, id)? { "true" } else { "false" }.into(),
            _ => return None,
        },
    })
}

/// Whether the condition with this name holds.
pub fn flag(of: &Snapshot, part: &str) -> Option<bool> {
    let (what, id) = part.split_once('.')?;
    let drawn = Drawn::new(of);
    let program = &drawn.tape.program;
    let now = drawn.tape.step_in_use();
    let step = || Step::from_id(id);
    let tensor = || Tensor::from_id(id);
    Some(match what {
        "on" => tape::is_on(program, id)?,
        "off" => !tape::is_on(program, id)?,
        // Of steps: the program has none such, it is not the fullest, the card is large enough for it, another one is looked at.
        "absent" => !step()?.happens(program),
        "lower" => program.fullest() != step()?,
        "fits" => program.during(step()?) <= drawn.capacity,
        "other" => now != step()?,
        // Of tensors, at the step that is looked at: not there, there before, there after.
        "dead" => !program.live(now).during.has(tensor()?),
        "old" => !now.allocates().has(tensor()?),
        "stays" => program.live(now).after.has(tensor()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;
    use crate::state::tape::Card;
    use memory_wall_core::display::THIN_SPACE;

    fn said(tape: Tape, name: &str) -> String {
        Snapshot::of(State { tape, ..State::default() }).value(name).unwrap().replace(THIN_SPACE, " ")
    }

    #[test]
    fn forward_fits_and_backward_does_not() {
        let tape = Tape::default();
        assert_eq!(said(tape, "oom.sentence"), "Line 4: 18.3 GB in use, 7.00 GB of GeForce RTX 4090 left.");
        assert_eq!(
            said(Tape { step: Step::WeightCopy, ..tape }, "oom.sentence"),
            "Line 5: 27.9 GB in use, 2.66 GB more than GeForce RTX 4090 has. Out of memory."
        );
        assert_eq!(
            said(Tape { step: Step::End, ..tape }, "oom.sentence"),
            "Line 6: it would be 19.3 GB, but the program died in line 5."
        );
        assert_eq!([said(tape, "oom.peak_gib"), said(tape, "oom.peak_gb")], ["26.0 GiB", "27.9 GB"]);
        assert_eq!(said(tape, "oom.forward"), "18.3 GB");
        assert_eq!(said(tape, "oom.sum_sentence"), "W 1.07 GB + x 8.59 GB + y 8.59 GB + ∇W 1.07 GB + copy 8.59 GB");
    }

    #[test]
    fn each_switch_says_what_becomes_of_the_program() {
        for (switch, card, verdict) in [
            ("", Card::Small, "On GeForce RTX 4090 it dies in line 5. Its peak would be 27.9 GB, in line 5."),
            ("", Card::Medium, "On A100 SXM4 40GB it runs. Its peak is 27.9 GB, in line 5."),
            ("no-name", Card::Small, "On GeForce RTX 4090 it runs. Its peak is 19.3 GB, in line 5."),
            ("x-grad", Card::Medium, "On A100 SXM4 40GB it runs. Its peak is 36.5 GB, in line 5."),
            ("squares", Card::Small, "On GeForce RTX 4090 it dies in line 4. Its peak would be 52.6 GB, in line 5."),
            ("squares", Card::Medium, "On A100 SXM4 40GB it dies in line 5. Its peak would be 52.6 GB, in line 5."),
            ("batch", Card::Small, "On GeForce RTX 4090 it dies in line 3. Its peak would be 53.7 GB, in line 5."),
            ("batch", Card::Medium, "On A100 SXM4 40GB it dies in line 5. Its peak would be 53.7 GB, in line 5."),
        ] {
            let mut tape = Tape { card, ..Tape::default() };
            tape::flip(&mut tape.program, switch);
            assert_eq!(said(tape, "oom.verdict"), verdict, "{switch}");
        }
    }

    #[test]
    fn every_name_has_an_answer_with_every_switch_and_at_any_size() {
        for switches in 0..16_u8 {
            for (features, batch, seq_length) in [(16_384, 32, 4_096), (1, 1, 1), (1_000_000, 1_000_000, 10_000_000)] {
                let mut program = Program { features, batch, seq_length, ..Program::default() };
                for (bit, switch) in tape::SWITCHES.into_iter().enumerate() {
                    if switches >> bit & 1 == 1 {
                        tape::flip(&mut program, switch);
                    }
                }
                for &step in Step::ALL {
                    let tape = Tape { program, step, card: Card::Own };
                    let snapshot = Snapshot::of(State { tape, ..State::default() });
                    for what in ["bar", "total"] {
                        let text = snapshot.value(&format!("oom.{what}.{}", step.id())).unwrap();
                        assert!(!text.is_empty() && !text.contains("NaN"), "{text}");
                    }
                    for what in ["absent", "lower", "fits", "other"] {
                        assert!(snapshot.flag(&format!("oom.{what}.{}", step.id())).is_some());
                    }
                    assert!(!snapshot.value("oom.sentence").unwrap().contains(['{', '}']));
                }
            }
        }
        let snapshot = Snapshot::of(State::default());
        for name in ["oom.", "oom.x", "oom.bar", "oom.bar.x", "oom.size.none", "oom.count.x", "oom.on.x", "oom.x.model"]
        {
            assert_eq!(snapshot.value(name), None, "{name}");
            assert_eq!(snapshot.flag(name), None, "{name}");
        }
        for &tensor in Tensor::ALL {
            assert!(snapshot.value(&format!("oom.size.{}", tensor.id())).is_some());
            for what in ["dead", "old", "stays"] {
                assert!(snapshot.flag(&format!("oom.{what}.{}", tensor.id())).is_some());
            }
        }
    }

    #[test]
    fn bars_end_where_the_total_is_and_the_line_stands_within() {
        let snapshot = Snapshot::of(State::default());
        let drawn = Drawn::new(&snapshot);
        assert!((drawn.x(drawn.peak) - 97.0).abs() < 1e-9 && drawn.x(drawn.capacity) < 97.0);
        let bar = drawn.bar(Step::WeightCopy);
        assert!(bar.contains("<text class=\"tight\" x=") && bar.contains("<text x="), "{bar}");
        for name in [">W<", ">x<", ">y<", ">∇W<", ">copy<"] {
            assert!(bar.contains(name), "{name}: {bar}");
        }
        // Weights, x, y, the gradient of W, the copy; biases and single numbers are too small to be seen.
        assert_eq!(bar.matches("<g").count(), 5);
    }

    #[test]
    fn the_answers_are_the_engines() {
        assert_eq!((LINES.answer)("peak-line"), Some("5"));
        assert!((PEAK.answer)().is_some_and(|peak| (peak - 26.0).abs() < 0.001));
    }
}
