//! An estimate beside a measurement: from the tensors that were expected to what the driver says is used.
//!
//! Until the reader gives a number of their own, an example stands here: a run that was planned with flash attention and
//! computed its scores one kernel after the other.

use std::sync::OnceLock;

use memory_wall_core::display::{ByteUnit, Percent, Size};
use memory_wall_core::memory::overhead::CONTEXT_BYTES;
use memory_wall_core::profile::{self, Found, LONGEST, Paste, Reading, Row, Span, Suspect};
use memory_wall_core::roofline::Accounting;
use memory_wall_core::tables::models;
use memory_wall_core::{Bytes, Mode, Scenario, evaluate};

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
struct Case {
    scenario: Scenario,
    estimate: Bytes,
    reading: Reading,
}

/// The state of the example, as it was planned.
pub fn planned() -> State {
    let mut state = State { mode: Mode::Training, batch: 4, seq_length: 1_024, ..State::default() };
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
fn with<T>(of: &Snapshot, answer: impl FnOnce(&Case) -> T) -> T {
    if is_example(&of.state) {
        return answer(example());
    }
    let [allocated, reserved, used] = of.state.measured.map(|bytes| Some(Bytes(bytes.into())).filter(|it| it.0 > 0));
    let reading = Reading { allocated, reserved, used };
    answer(&Case { scenario: of.state.scenario(), estimate: of.evaluation.total, reading })
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
    for (slot, found) in state.measured.iter_mut().zip([paste.allocated, paste.reserved, paste.used]) {
        if let Some(bytes) = found.size() {
            // At most a pebibyte.
            *slot = u64::try_from(bytes.0).unwrap_or(0);
        }
    }
}

/// What was found in a text and what was not, in words; nothing of the text itself.
pub fn said(text: &str, paste: &Paste, unit: ByteUnit) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let (mut read, mut missing, mut unread) = (String::new(), String::new(), String::new());
    for (row, found) in MEASURED.iter().zip([paste.allocated, paste.reserved, paste.used]) {
        let name = words::choice("profile.row", row.id());
        let (list, said) = match found {
            Found::Size(bytes) => (&mut read, format!("{name} {}", Size::new(bytes, unit))),
            Found::Absent => (&mut missing, name),
            Found::Unreadable => (&mut unread, name),
        };
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(&said);
    }
    let mut sentences = Vec::new();
    if read.is_empty() && unread.is_empty() {
        sentences.push(t("profile.paste.nothing").to_owned());
    } else {
        let lists =
            [("profile.paste.read", &read), ("profile.paste.unread", &unread), ("profile.paste.missing", &missing)];
        sentences
            .extend(lists.iter().filter(|(_, list)| !list.is_empty()).map(|(key, list)| fill(key, &[("list", list)])));
    }
    if paste.cut {
        let most = Size::new(Bytes(LONGEST as u128), ByteUnit::Gib).to_string();
        sentences.push(fill("profile.paste.cut", &[("n", &most)]));
    }
    sentences.join(" ")
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    Some(match part {
        "sentence" => with(of, |case| sentence(of, case)),
        "about" if is_example(&of.state) => t("profile.about.example").into(),
        "about" => fill("profile.about.own", &[("rig", &of.value("rig_line")?)]),
        // Of the peak, what writing one token reaches while some kernel always runs.
        "busy" => {
            let token = sort::by_id("token")?.work().intensity(Accounting::ReadsAndWrites);
            let roof = sort::roof(sort::CARDS[0])?;
            Percent(roof.attainable(token).0 / roof.peak.0).to_string()
        }
        _ => {
            let (id, what) = part.split_once('.')?;
            let row = Row::from_id(id)?;
            with(of, |case| cell(of, case, row, what))?
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
    let span = with(of, |case| Row::from_id(id).map(|row| case.span(row)))?;
    Some(match what {
        "absent" => span.is_none(),
        "expected" => span.is_some_and(|span| span.expected),
        _ => return None,
    })
}

/// The whole comparison in words: the gap and what would explain it, then what lies beyond the tensors.
fn sentence(of: &Snapshot, case: &Case) -> String {
    let mut said = Vec::new();
    let of_size = |bytes: Option<Bytes>| of.size(bytes.unwrap_or_default());
    let step = |row| case.span(row).map(|span| (span.bytes(), span.to < span.from, span.bytes().share_of(span.from)));
    if let Some((gap, less, share)) = step(Row::Unexplained) {
        let suspect = profile::suspect(&case.scenario, case.reading.allocated.unwrap_or_default());
        let key = match (share > 0.05, less) {
            (false, _) => "profile.gap.close",
            (true, false) => "profile.gap.more",
            (true, true) => "profile.gap.less",
        };
        let values = [
            ("allocated", of_size(case.reading.allocated)),
            ("gap", of.size(gap)),
            ("share", Percent(share).to_string()),
            ("estimate", of_size(case.span(Row::Estimate).map(|span| span.to))),
        ];
        said.push(fill(key, &values.each_ref().map(|(name, value)| (*name, value.as_str()))));
        match suspect {
            Some((suspect, tensors)) => {
                let name = words::choice("profile.suspect", suspect.id());
                said.push(fill("profile.suspected", &[("suspect", &name), ("tensors", &of.size(tensors))]));
            }
            None if share > 0.05 => said.push(t("profile.nobody").into()),
            None => {}
        }
    } else {
        said.push(t("profile.gap.none").into());
    }
    let beyond = match step(Row::Kept) {
        Some((_, true, _)) => Some(t("profile.kept.less").to_owned()),
        Some((kept, false, share)) => {
            let (kept, share) = (of.size(kept), Percent(share).to_string());
            Some(fill("profile.kept", &[("kept", &kept), ("share", &share)]))
        }
        None => None,
    };
    said.extend(beyond);
    let context = of.size(Bytes(CONTEXT_BYTES.into()));
    if let Some((outside, less, _)) = step(Row::Outside).filter(|_| case.reading.used.is_some()) {
        let key = match (less, outside.0 > 3 * u128::from(CONTEXT_BYTES)) {
            (true, _) => "profile.outside.less",
            (false, true) => "profile.outside.more",
            (false, false) => "profile.outside",
        };
        said.push(fill(key, &[("outside", &of.size(outside)), ("context", &context)]));
    }
    said.join(" ")
}
