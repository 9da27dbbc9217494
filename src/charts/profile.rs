//! An estimate beside a measurement: from the tensors that were expected to what the driver says is used.
//!
//! Until the reader gives a number of their own, an example stands here: a run that was planned with flash attention and
//! computed its scores one kernel after the other.

use std::sync::OnceLock;

use memory_wall_core::display::{ByteUnit, Percent, Size};
use memory_wall_core::memory::overhead::CONTEXT_BYTES;
use memory_wall_core::profile::{self, Found, Paste, Reading, Row, Span, Suspect};
use memory_wall_core::tables::models;
use memory_wall_core::{Bytes, Mode, Scenario, evaluate};

#[cfg(not(target_arch = "wasm32"))]
use crate::charts::sort;
use crate::charts::wall::percent;
use crate::live::Snapshot;
use crate::predictions::Round;
use crate::state::State;
use crate::words::{self, fill, t};

/// What an estimate is to be compared with.
pub static PEAK: Round = Round {
    id: "peak",
    questions: &["peak"],
    options: &["allocated", "reserved", "used"],
    answer: |question| (question == "peak").then_some("allocated"),
};

/// The rows whose ends are measured, in the order of [`State::measured`].
const MEASURED: [Row; 3] = [Row::Allocated, Row::Reserved, Row::Used];

/// What is compared.
#[derive(Clone, Copy)]
struct Case {
    scenario: Scenario,
    estimate: Bytes,
    reading: Reading,
}

/// The state of the example, as it was planned.
pub fn planned() -> State {
    let mut state = State { mode: Mode::Training, batch: 2, seq_length: 2_048, ..State::default() };
    if let Some(model) = models::by_id("llama-3.2-1b") {
        state.choose_model(model);
    }
    state
}

/// The example: what the engine says of the run as it was, and about what an allocator and a context add to it.
fn example() -> &'static Case {
    static EXAMPLE: OnceLock<Case> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let scenario = planned().scenario();
        let tensors = Suspect::EagerAttention.tensors(&scenario).unwrap_or_default();
        // A hundredth for temporaries; a tenth is what an allocator was seen to hold beside it.
        let allocated = tensors + Bytes(tensors.0 / 100);
        let reserved = allocated + Bytes(allocated.0 / 10);
        let used = reserved + Bytes(CONTEXT_BYTES.into());
        let reading = Reading { allocated: Some(allocated), reserved: Some(reserved), used: Some(used) };
        Case { scenario, estimate: evaluate::total(&scenario), reading }
    })
}

/// Whether the reader has given no number yet.
fn is_example(state: &State) -> bool {
    state.measured == [0; 3]
}

/// What is compared: the example, or the reader's numbers with the settings of the page.
fn case(of: &Snapshot) -> Case {
    if is_example(&of.state) {
        return *example();
    }
    let [allocated, reserved, used] = of.state.measured.map(|bytes| Some(Bytes(bytes.into())).filter(|it| it.0 > 0));
    let reading = Reading { allocated, reserved, used };
    Case { scenario: of.state.scenario(), estimate: of.evaluation.total, reading }
}

impl Case {
    fn span(&self, row: Row) -> Option<Span> {
        profile::span(self.estimate, &self.reading, row)
    }

    /// How far a size stands from the left, in percent.
    fn x(&self, bytes: Bytes) -> f64 {
        let ends = Row::ALL.iter().filter_map(|row| self.span(*row)).map(|span| span.to.max(span.from));
        bytes.share_of(ends.max().unwrap_or_default()) * 100.0
    }
}

/// Puts what was read into the state; what the text does not hold stays.
pub fn take(state: &mut State, paste: &Paste) {
    state.died = paste.failed;
    for (slot, found) in state.measured.iter_mut().zip(paste.found) {
        if let Some(bytes) = found.size() {
            // At most a pebibyte.
            *slot = u64::try_from(bytes.0).unwrap_or(0);
        }
    }
}

/// What was found in a text and what was not, in words; nothing of the text itself.
pub fn said(paste: &Paste, unit: ByteUnit) -> String {
    if paste.found == [Found::Absent; 3] {
        return t("profile.paste.nothing").into();
    }
    let mut said = String::new();
    for (row, found) in MEASURED.iter().zip(paste.found) {
        let key = match found {
            Found::Size(_) => "profile.paste.read",
            Found::Absent => "profile.paste.missing",
            Found::Unreadable => "profile.paste.unread",
        };
        let size = Size::new(found.size().unwrap_or_default(), unit).to_string();
        let name = words::choice("profile.row", row.id());
        said.push_str(&fill(key, &[("name", &name), ("size", &size)]));
        said.push(' ');
    }
    if paste.failed {
        said.push_str(t("profile.paste.failed"));
        said.push(' ');
    }
    if paste.cut {
        said.push_str(t("profile.paste.cut"));
    }
    said
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    Some(match part {
        "sentence" => sentence(of, &case(of)),
        "about" if is_example(&of.state) => t("profile.about.example").into(),
        "about" => fill("profile.about.own", &[("rig", &of.value("rig_line")?)]),
        // Of the peak, what writing one token reaches while some kernel always runs. It follows nothing: drawn once.
        #[cfg(not(target_arch = "wasm32"))]
        "busy" => {
            let token = sort::by_id("token")?.work().intensity(memory_wall_core::roofline::Accounting::ReadsAndWrites);
            let roof = sort::roof(sort::CARDS[0])?;
            Percent(roof.attainable(token).0 / roof.peak.0).to_string()
        }
        _ => {
            let (id, what) = part.split_once('.')?;
            let row = Row::from_id(id)?;
            cell(of, &case(of), row, what)?
        }
    })
}

fn cell(of: &Snapshot, case: &Case, row: Row, what: &str) -> Option<String> {
    let span = case.span(row);
    let at = |pick: fn(&Span) -> Bytes| percent(span.as_ref().map_or(0.0, |span| case.x(pick(span))));
    Some(match (what, &span) {
        ("x", _) => at(|span| span.from.min(span.to)),
        ("width", _) => at(Span::bytes),
        ("value", None) => t("profile.missing").into(),
        ("value", Some(span)) => {
            let size = of.size(span.bytes());
            let step = matches!(row, Row::Unexplained | Row::Kept | Row::Outside);
            match (step, span.to < span.from) {
                (true, true) => format!("− {size}"),
                (true, false) => format!("+ {size}"),
                _ => size,
            }
        }
        _ => return None,
    })
}

/// Whether the condition with this name holds.
pub fn flag(of: &Snapshot, part: &str) -> Option<bool> {
    if part == "example" {
        return Some(is_example(&of.state));
    }
    let (id, what) = part.split_once('.')?;
    let span = case(of).span(Row::from_id(id)?);
    Some(match what {
        "absent" => span.is_none(),
        "expected" => span.is_some_and(|span| span.expected),
        _ => return None,
    })
}

/// The whole comparison in words: the gap and what would explain it, then what lies beyond the tensors.
fn sentence(of: &Snapshot, case: &Case) -> String {
    let [gap, kept, outside] = [Row::Unexplained, Row::Kept, Row::Outside].map(|row| case.span(row));
    let allocated = case.reading.allocated.unwrap_or_default();
    let estimate = gap.map_or(Bytes::ZERO, |gap| gap.from);
    let suspect = profile::suspect(&case.scenario, allocated);
    let length = |span: Option<Span>| span.map_or(Bytes::ZERO, |span| span.bytes());
    let context = Bytes(CONTEXT_BYTES.into());
    let tensors = suspect.map_or(Bytes::ZERO, |(_, tensors)| tensors);
    let sizes = [allocated, estimate, length(gap), tensors, length(kept), length(outside), context];
    let sizes = sizes.map(|bytes| of.size(bytes));
    let [allocated_said, estimate_said, gap_said, tensors_said, kept_said, outside_said, context_said] =
        sizes.each_ref().map(String::as_str);
    let shares = [(gap, estimate), (kept, allocated)].map(|(span, whole)| length(span).share_of(whole));
    let [gap_share, kept_share] = shares.map(|share| Percent(share).to_string());
    let name = suspect.map(|(suspect, _)| words::choice("profile.suspect", suspect.id())).unwrap_or_default();
    let values = [
        ("allocated", allocated_said),
        ("estimate", estimate_said),
        ("gap", gap_said),
        ("share", &gap_share),
        ("suspect", &name),
        ("tensors", tensors_said),
        ("kept", kept_said),
        ("kept_share", &kept_share),
        ("outside", outside_said),
        ("context", context_said),
    ];
    let falls = |span: Option<Span>| span.is_some_and(|span| span.to < span.from);
    let [open, _] = shares.map(|share| share > 0.05);
    let less = falls(gap);
    let key = match (gap, open, less) {
        (None, ..) => "profile.gap.none",
        // It asked for as much and would have asked for more: no setting has to explain what is missing.
        (_, true, true) if of.state.died => "profile.gap.died",
        (_, false, _) => "profile.gap.close",
        (_, true, false) => "profile.gap.more",
        (_, true, true) => "profile.gap.less",
    };
    let mut said = fill(key, &values);
    if open && gap.is_some() && !(less && of.state.died) {
        let key = if suspect.is_some() { "profile.suspected" } else { "profile.nobody" };
        said.push(' ');
        said += &fill(key, &values);
    }
    if kept.is_some() {
        let key = if falls(kept) { "profile.kept.less" } else { "profile.kept" };
        said.push(' ');
        said += &fill(key, &values);
    }
    if outside.is_some_and(|span| !span.expected) {
        let key = match (falls(outside), length(outside).0 > 3 * context.0) {
            (true, _) => "profile.outside.less",
            (false, true) => "profile.outside.more",
            (false, false) => "profile.outside",
        };
        said.push(' ');
        said += &fill(key, &values);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(measured: [u64; 3]) -> Snapshot {
        Snapshot::of(State { measured, ..planned() })
    }

    fn said_of(measured: [u64; 3]) -> String {
        at(measured).value("profile.sentence").unwrap().replace('\u{202f}', " ")
    }

    #[test]
    fn a_run_that_died_below_the_estimate_names_no_suspect() {
        let told = |died| {
            let state = State { measured: [10_000_000_000, 0, 0], died, ..planned() };
            Snapshot::of(state).value("profile.sentence").unwrap()
        };
        assert!(told(false).contains("Likeliest") || told(false).contains("No single setting"), "{}", told(false));
        assert!(told(true).contains("or more") && !told(true).contains("Likeliest"), "{}", told(true));
        assert!(!told(true).contains("No single setting"), "{}", told(true));
    }

    #[test]
    fn the_example_names_what_it_was_made_with() {
        let said = said_of([0; 3]);
        assert!(said.contains("more than the estimate of"), "{said}");
        assert!(said.contains("Likeliest: attention ran in separate kernels"), "{said}");
        assert!(said.ends_with("about what a context takes."), "{said}");
        // Whatever the settings of the page are: it is an example of its own.
        let other = Snapshot::of(State::default()).value("profile.sentence").unwrap();
        assert_eq!(other.replace('\u{202f}', " "), said);
    }

    #[test]
    fn each_kind_of_reading_has_its_sentence() {
        let estimate = u64::try_from(evaluate::total(&planned().scenario()).0).unwrap() - CONTEXT_BYTES;
        let gib = 1 << 30;
        for (measured, part) in [
            ([estimate, 0, 0], "no bucket is missing"),
            ([estimate, estimate - gib, 0], "two are from different runs"),
            ([estimate, estimate + gib, estimate], "asked at another moment"),
            ([estimate, estimate + gib, estimate + 5 * gib], "or another program"),
            ([0, estimate, 0], "is not given"),
            ([1 << 50, 0, 0], "No single setting explains that"),
        ] {
            let said = said_of(measured);
            assert!(said.contains(part), "{measured:?}: {said}");
        }
        assert!(said_of([estimate / 2, 0, 0]).contains(" less than the estimate"));
    }

    #[test]
    fn every_row_has_its_names_whatever_was_measured() {
        let most = 1 << 50;
        for measured in [[0; 3], [1, 0, 0], [0, 0, 1], [most; 3], [1, most, 1], [most, 1, most]] {
            let snapshot = at(measured);
            for row in Row::ALL {
                for what in ["value", "x", "width"] {
                    let text = snapshot.value(&format!("profile.{}.{what}", row.id())).unwrap();
                    assert!(!text.is_empty() && !text.contains("NaN"), "{measured:?} {row:?} {what}: {text}");
                }
                assert!(snapshot.flag(&format!("profile.{}.absent", row.id())).is_some());
            }
        }
        let snapshot = at([0; 3]);
        for name in ["profile.", "profile.x", "profile.used", "profile.used.y", "profile.attic.x"] {
            assert_eq!(snapshot.value(name), None, "{name}");
        }
        assert_eq!(snapshot.flag("profile.used.x"), None);
        assert_eq!(snapshot.value("profile.unexplained.value").unwrap().chars().next(), Some('+'));
    }

    #[test]
    fn what_was_pasted_is_named_and_never_repeated() {
        let mut state = State::default();
        let hostile =
            "<img src=x onerror=alert(1)> {'allocated_bytes.all.peak': 31139561472, 'reserved_bytes.all.peak': nan}";
        let paste = profile::read(hostile);
        take(&mut state, &paste);
        assert_eq!(state.measured, [31_139_561_472, 0, 0]);
        let said_now = said(&paste, ByteUnit::Gib).replace('\u{202f}', " ");
        assert_eq!(
            said_now,
            "Allocated at the peak: 29.0 GiB. Reserved at the peak: no size between a byte and a pebibyte, not used. Used, by nvidia-smi: not in the text. "
        );
        assert!(said(&profile::read("hello"), ByteUnit::Gb).starts_with("Nothing was found"));
        let long = format!("'allocated_bytes.all.peak': 5{}", " ".repeat(profile::LONGEST));
        assert!(said(&profile::read(&long), ByteUnit::Gb).contains("only its first"));
        assert_eq!(crate::state::query::encode(&state), "", "what was measured is in no link");
    }
}
