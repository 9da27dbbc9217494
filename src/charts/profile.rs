//! An estimate beside a measurement: from the tensors that were expected to what the driver says is used.
//!
//! Until the reader gives a number of their own, an example stands here: a run that was planned with flash attention and
//! computed its scores one kernel after the other.

use std::sync::OnceLock;

use memory_wall_core::display::{ByteUnit, Grouped, Percent, Size};
use memory_wall_core::memory::overhead::CONTEXT_BYTES;
use memory_wall_core::profile::{self, Candidate, Found, Paste, Reading, Request, Row, Span, Suspect, Tensor};
use memory_wall_core::tables::models;
use memory_wall_core::{Bytes, Checked, Mode, evaluate};

#[cfg(not(target_arch = "wasm32"))]
use crate::charts::sort;
use crate::charts::wall::percent;
use crate::live::Snapshot;
use crate::predictions::Round;
use crate::state::State;
use crate::words::{self, fill, fill_with, t};

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
    scenario: Checked,
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
        let reading = Reading { allocated: Some(allocated), asked: None, reserved: Some(reserved), used: Some(used) };
        Case { scenario, estimate: evaluate::total(&scenario), reading }
    })
}

/// Whether the reader has given no number yet.
fn is_example(state: &State) -> bool {
    state.measured == [0; 3] && state.asked.is_none()
}

/// What is compared: the example, or the reader's numbers with the settings of the page.
fn case(of: &Snapshot) -> Case {
    if is_example(&of.state) {
        return *example();
    }
    let [allocated, reserved, used] = of.state.measured.map(|bytes| Some(Bytes(bytes.into())).filter(|it| it.0 > 0));
    let asked = of.state.asked.map(|request| request.bytes);
    let reading = Reading { allocated, asked, reserved, used };
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
    state.asked = paste.asked;
    for (slot, found) in state.measured.iter_mut().zip(paste.found) {
        if let Some(bytes) = found.size() {
            // At most a pebibyte.
            *slot = u64::try_from(bytes.0).unwrap_or(0);
        }
    }
}

/// The name of a row; of a run that died the same levels mean something else.
fn name(row: Row, died: bool) -> String {
    match row {
        Row::Allocated if died => t("profile.died.needed").into(),
        Row::Reserved if died => t("profile.died.reserved").into(),
        _ => words::choice("profile.row", row.id()),
    }
}

/// What was found in a text and what was not, in words; nothing of the text itself.
pub fn said(paste: &Paste, unit: ByteUnit) -> String {
    if paste.found == [Found::Absent; 3] && paste.asked.is_none() {
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
        let name = match (row, paste.asked) {
            (Row::Allocated, Some(_)) => t("profile.died.held").into(),
            _ => name(*row, paste.asked.is_some()),
        };
        said.push_str(&fill(key, &[("name", &name), ("size", &size)]));
        said.push(' ');
    }
    if let Some(request) = paste.asked {
        let size = Size::new(request.bytes, unit).to_string();
        said.push_str(&fill("profile.paste.read", &[("name", t("profile.died.asked")), ("size", &size)]));
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
        ("name", _) => name(row, case.reading.asked.is_some()),
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

/// The whole comparison in words: the gap and what would explain it, the request that failed, then what lies beyond the tensors.
fn sentence(of: &Snapshot, case: &Case) -> String {
    let [gap, kept, outside] = [Row::Unexplained, Row::Kept, Row::Outside].map(|row| case.span(row));
    let held = case.reading.allocated.unwrap_or_default();
    let need = case.reading.need().unwrap_or_default();
    let estimate = gap.map_or(Bytes::ZERO, |gap| gap.from);
    let suspect = profile::suspect(&case.scenario, need);
    let length = |span: Option<Span>| span.map_or(Bytes::ZERO, |span| span.bytes());
    let context = Bytes(CONTEXT_BYTES.into());
    let tensors = suspect.map_or(Bytes::ZERO, |(_, tensors)| tensors);
    let asked = case.reading.asked;
    let peak = [("held", of.size(held)), ("asked", of.size(asked.unwrap_or_default())), ("allocated", of.size(need))];
    let peak_key = if asked.is_some() { "profile.died" } else { "profile.ran" };
    let shares = [(gap, estimate), (kept, held)].map(|(span, whole)| length(span).share_of(whole));
    let [gap_share, kept_share] = shares.map(|share| Percent(share).to_string());
    let name = suspect.map(|(suspect, _)| words::choice("profile.suspect", suspect.id())).unwrap_or_default();
    let values = [
        ("peak", fill_with(peak_key, &peak)),
        ("estimate", of.size(estimate)),
        ("gap", of.size(length(gap))),
        ("share", gap_share),
        ("suspect", name),
        ("tensors", of.size(tensors)),
        ("kept", of.size(length(kept))),
        ("kept_share", kept_share),
        ("outside", of.size(length(outside))),
        ("context", of.size(context)),
    ];
    let falls = |span: Option<Span>| span.is_some_and(|span| span.to < span.from);
    let [open, _] = shares.map(|share| share > 0.05);
    let less = falls(gap);
    // A run that died would have asked for more: no setting has to explain what is missing.
    let unfinished = less && asked.is_some();
    let key = match (gap, open, less) {
        (None, ..) => "profile.gap.none",
        (_, false, _) => "profile.gap.close",
        (_, true, false) => "profile.gap.more",
        (_, true, true) if unfinished => "profile.gap.died",
        (_, true, true) => "profile.gap.less",
    };
    let mut said = vec![fill_with(key, &values)];
    if open && gap.is_some() && !unfinished {
        let key = if suspect.is_some() { "profile.suspected" } else { "profile.nobody" };
        said.push(fill_with(key, &values));
    }
    said.extend(of.state.asked.map(|request| requested(of, case, &request)));
    if kept.is_some() {
        let key = if falls(kept) { "profile.kept.less" } else { "profile.kept" };
        said.push(fill_with(key, &values));
    }
    if outside.is_some_and(|span| !span.expected) {
        let key = match (falls(outside), length(outside).0 > 3 * context.0) {
            (true, _) => "profile.outside.less",
            (false, true) => "profile.outside.more",
            (false, false) => "profile.outside",
        };
        said.push(fill_with(key, &values));
    }
    said.join(" ")
}

/// Which tensors have the size of the request that failed, and what makes them smaller.
fn requested(of: &Snapshot, case: &Case, request: &Request) -> String {
    let found: Vec<Candidate> = profile::candidates(&case.scenario, request).collect();
    let named = |it: &Candidate| {
        let factors = it.shape.iter().chain([&it.bytes_per_value]).filter(|n| **n > 1);
        let shape = factors.map(|n| Grouped((*n).into()).to_string()).collect::<Vec<_>>().join(" × ");
        let name = words::choice("profile.tensor", it.tensor.id());
        fill("profile.request.tensor", &[("tensor", &name), ("shape", &shape)])
    };
    let key = match found.len() {
        _ if request.is_block() => "profile.request.block",
        0 => "profile.request.none",
        1 => "profile.request.one",
        _ => "profile.request.several",
    };
    let list = found.iter().map(named).collect::<Vec<_>>().join("; ");
    let mut said = fill(key, &[("asked", &of.size(request.bytes)), ("tensors", &list)]);
    let mut fixes: Vec<&str> = found.iter().map(|it| fix(it.tensor)).collect();
    fixes.dedup();
    for fix in fixes {
        said.push(' ');
        said += &words::choice("profile.fix", fix);
    }
    said
}

/// What makes a tensor smaller.
const fn fix(tensor: Tensor) -> &'static str {
    match tensor {
        Tensor::Logits => "logits",
        Tensor::Scores => "scores",
        Tensor::Mlp | Tensor::Stream | Tensor::Cache => "tokens",
        Tensor::Table | Tensor::Matrix => "states",
    }
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

    /// An out-of-memory message with this request and this much held.
    fn message(asked: &str, held: &str) -> String {
        format!(
            "CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of 23.65 GiB of which 1.00 GiB is free. \
             Of the allocated memory {held} is allocated by PyTorch, and 430.00 MiB is reserved by PyTorch but unallocated."
        )
    }

    /// A training run on four sequences of 2,048 tokens that died with this message.
    fn died(model: &str, message: &str) -> Snapshot {
        let mut state = State { mode: Mode::Training, batch: 4, unit: ByteUnit::Gib, ..State::default() };
        state.choose_model(models::by_id(model).unwrap());
        take(&mut state, &profile::read(message));
        Snapshot::of(state)
    }

    fn said_by(snapshot: &Snapshot) -> String {
        snapshot.value("profile.sentence").unwrap().replace('\u{202f}', " ")
    }

    #[test]
    fn a_run_that_died_needs_what_it_held_and_what_it_asked_for() {
        let snapshot = died("llama-3.1-8b", &message("1.96 GiB", "21.50 GiB"));
        let said = said_by(&snapshot);
        assert!(said.contains("held 21.5 GiB when the run died, and asked for 1.96 GiB more"), "{said}");
        assert!(said.contains("needs at least 23.5 GiB"), "{said}");
        // It died below the estimate: it would have asked for more.
        assert!(said.contains("had not reached its peak") && !said.contains("Likeliest"), "{said}");
        assert!(!said.contains("different runs"), "what was reserved is less than what was needed: {said}");
        assert_eq!(snapshot.value("profile.allocated.name").unwrap(), "Needed: held and asked for");
        assert_eq!(snapshot.value("profile.allocated.value").unwrap().replace('\u{202f}', " "), "23.5 GiB");
        assert_eq!(at([0; 3]).value("profile.allocated.name").unwrap(), "Allocated at the peak");
    }

    #[test]
    fn the_tensor_that_was_asked_for_is_named_with_what_makes_it_smaller() {
        let said = |model: &str, asked: &str| said_by(&died(model, &message(asked, "21.50 GiB")));
        for (asked, parts) in [
            ("1.96 GiB", ["is the size of the logits (4 × 2,048 × 128,256 × 2 bytes).", "A chunked loss"]),
            ("3.91 GiB", ["is the size of the logits (4 × 2,048 × 128,256 × 4 bytes).", "A chunked loss"]),
            ("1.00 GiB", ["attention scores (4 × 32 × 2,048 × 2,048 × 2 bytes).", "FlashAttention"]),
            ("502.00 MiB", ["the embedding table or output head", "ZeRO-3"]),
            ("1.23 GiB", ["None of the tensors looked at has the size of 1.23 GiB", "memory snapshot"]),
            ("20.00 MiB", ["may hold any small tensor", "simply full"]),
        ] {
            let text = said("llama-3.2-1b", asked);
            assert!(parts.iter().all(|part| text.contains(part)), "{asked}: {text}");
        }
        // 128,256 × 4,096 × 4 bytes are as many: nothing but the traceback tells which.
        let several = said("llama-3.1-8b", "1.96 GiB");
        for part in ["several tensors", "the logits (4", "head, its gradient", "traceback", "chunked loss", "ZeRO-3"] {
            assert!(several.contains(part), "{several}");
        }
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
