//! Figures that a script prints by the names that `PyTorch`, transformers and Lightning give them: `memory_allocated: 3.4GB, reserved: 4GB`,
//! `'train_mem_gpu_peaked_delta': 11016635392`, and the pair of `mem_get_info()`.
//!
//! Read in November 2026: `torch/cuda/memory.py`, `TrainerMemoryTracker` and `metrics_format` of transformers, whose MB are 2^20 bytes cut
//! off, Lightning's `DeviceStatsMonitor`, and the threads city96/ComfyUI-GGUF#282, verl-project/verl#217 and karpathy/nanoGPT#618.

use super::State;
use super::special::SPECIAL;
use crate::Place;
use crate::line::{Line, Raw};
use crate::marks::is_part;
use crate::report::{Device, Fact, Value};
use crate::scan::{self, Number};
use crate::size::{Base, MOST, Size, Unit};
use crate::what::{Kind, What};

/// From which number on bytes need no unit: those of names that stand for bytes alone, of names of functions, of words.
const ANY: i64 = i64::MIN;
const MEBIBYTE: i64 = 1 << 20;
const NONE: i64 = i64::MAX;

/// A name, what it is, what its peak is, and the number from which it may be bytes without a unit.
type Name = (&'static str, What, What, i64);

const fn both(name: &'static str, what: What, bare: i64) -> Name {
    (name, what, what, bare)
}

const NAMES: &[Name] = &[
    ("memory_allocated", What::Allocated, What::PeakAllocated, MEBIBYTE),
    both("max_memory_allocated", What::PeakAllocated, MEBIBYTE),
    ("memory_reserved", What::Reserved, What::PeakReserved, MEBIBYTE),
    both("max_memory_reserved", What::PeakReserved, MEBIBYTE),
    ("memory_cached", What::Reserved, What::PeakReserved, MEBIBYTE),
    both("max_memory_cached", What::PeakReserved, MEBIBYTE),
    ("memory allocated", What::Allocated, What::PeakAllocated, NONE),
    ("Memory allocated", What::Allocated, What::PeakAllocated, NONE),
    ("Memory Allocated", What::Allocated, What::PeakAllocated, NONE),
    ("allocated memory", What::Allocated, What::PeakAllocated, NONE),
    ("Allocated memory", What::Allocated, What::PeakAllocated, NONE),
    ("memory reserved", What::Reserved, What::PeakReserved, NONE),
    ("Memory reserved", What::Reserved, What::PeakReserved, NONE),
    ("Memory Reserved", What::Reserved, What::PeakReserved, NONE),
    ("reserved memory", What::Reserved, What::PeakReserved, NONE),
    ("Reserved memory", What::Reserved, What::PeakReserved, NONE),
    ("GPU memory usage", What::Stated, What::StatedPeak, NONE),
    ("GPU Memory Usage", What::Stated, What::StatedPeak, NONE),
    ("GPU memory used", What::Stated, What::StatedPeak, NONE),
    ("VRAM usage", What::Stated, What::StatedPeak, NONE),
    ("VRAM Usage", What::Stated, What::StatedPeak, NONE),
    ("VRAM used", What::Stated, What::StatedPeak, NONE),
    ("occupied memory", What::Stated, What::StatedPeak, NONE),
    both("Peak GPU memory", What::StatedPeak, NONE),
    both("Peak VRAM", What::StatedPeak, NONE),
    both("peak VRAM", What::StatedPeak, NONE),
    both("before_init_mem_gpu", What::Allocated, ANY),
    both("init_mem_gpu_alloc_delta", What::StageKept, ANY),
    both("init_mem_gpu_peaked_delta", What::StagePeak, ANY),
    both("train_mem_gpu_alloc_delta", What::StageKept, ANY),
    both("train_mem_gpu_peaked_delta", What::StagePeak, ANY),
    both("eval_mem_gpu_alloc_delta", What::StageKept, ANY),
    both("eval_mem_gpu_peaked_delta", What::StagePeak, ANY),
    // Behind the stroke of Lightning's name; the tables of PyTorch's own dictionaries are read elsewhere.
    both("allocated_bytes.all.current", What::Allocated, ANY),
    both("allocated_bytes.all.peak", What::PeakAllocated, ANY),
    both("reserved_bytes.all.current", What::Reserved, ANY),
    both("reserved_bytes.all.peak", What::PeakReserved, ANY),
    both("active_bytes.all.peak", What::PeakActive, ANY),
];

/// What Lightning's monitor of a device means by a name of PyTorch's statistics.
pub(crate) fn monitored(name: &[u8]) -> Option<What> {
    NAMES.iter().find(|(known, ..)| known.as_bytes() == name && scan::has(name, ".all.")).map(|(_, what, ..)| *what)
}

/// The texts by which they are found.
pub(super) fn marks() -> impl Iterator<Item = &'static [u8]> {
    NAMES.iter().map(|(name, ..)| name.as_bytes())
}

/// How many bytes before a name are searched for `max` or `peak`.
const FRONT: usize = 24;

impl State {
    /// Reads the figure of a name at its place, and the one of what is reserved behind it.
    pub(super) fn figure(&mut self, number: usize, line: &Line, at: usize, device: Device) {
        let Some((name, what, peak, bare)) = NAMES.get(number).copied() else { return };
        let text = &line.text;
        let Some(rest) = text.get(at + name.len()..).filter(|rest| !rest.first().is_some_and(|byte| is_part(*byte)))
        else {
            return;
        };
        let front = text.get(at.saturating_sub(FRONT)..at).unwrap_or_default();
        // `Top-of-Memory reserved` is XLA's.
        if front.ends_with(b"-") || scan::has(name.as_bytes(), ".all.") && !front.ends_with(b"/") {
            return;
        }
        let phrase = front.rsplit(|byte| b",;|.:".contains(byte)).next().unwrap_or_default();
        let peaks = scan::has_any(phrase, &["max", "peak", "Max", "Peak", "MAX", "PEAK"]);
        let Some((read, size, behind)) = value(rest, bare) else { return };
        let place = |part: &[u8]| line.place(text.len() - part.len());
        if self.understood.contains(&place(read)) {
            return;
        }
        let mut facts = [Some((place(read), if peaks { peak } else { what }, size)), None];
        let behind = scan::unspaced(behind);
        let behind = scan::unspaced(behind.strip_prefix(b",").or_else(|| behind.strip_prefix(b"|")).unwrap_or(behind));
        let reserved = ["reserved", "Reserved", "cached"].iter().find_map(|word| behind.strip_prefix(word.as_bytes()));
        if let (Some((read, size, _)), What::Allocated | What::PeakAllocated) =
            (reserved.and_then(|rest| value(rest, NONE)), what)
        {
            let of = if peaks || what == What::PeakAllocated { What::PeakReserved } else { What::Reserved };
            facts[1] = Some((place(read), of, size));
        }
        let report = self.report(Kind::Torch, false, line.number());
        let fact = |(place, what, size)| Fact { place, device, what, value: Value::Size(size) };
        report.extend(facts.into_iter().flatten().map(fact));
    }

    /// The pair of what is free and of all there is, `(25262096384, 25757220864)`, on a line of its own or behind its function.
    pub(super) fn pair(&mut self, text: &[u8], at: usize, place: impl Fn(usize) -> Place) {
        let Some(rest) = text.get(at..) else { return };
        let Some(free) = rest.strip_prefix(b"(").and_then(Number::read) else { return };
        let Some(total) = free.rest.strip_prefix(b", ").and_then(Number::read) else { return };
        if !total.rest.starts_with(b")") {
            return;
        }
        // Drivers count in pages, and a GPU has between one and 2,048 gibibytes.
        let sizes =
            [free, total].map(|number| number.size(1).filter(|size| size.grain == 0 && size.bytes % 4_096 == 0));
        let [Some(free), Some(total)] = sizes else { return };
        if !(1 << 30..1 << 41).contains(&total.bytes) || !(0..=total.bytes).contains(&free.bytes) {
            return;
        }
        let second = text.len() - rest.len() + scan::find(rest, b", ").unwrap_or_default() + 2;
        let facts = [(at + 1, What::Free, free), (second, What::Capacity, total)];
        let facts = facts.map(|(at, what, size)| Fact {
            place: place(at),
            device: Device::Unsaid,
            what,
            value: Value::Size(size),
        });
        self.report(Kind::Torch, false, place(0).line).extend(facts);
    }

    /// A line that is such a pair, as an interpreter answers it.
    pub(super) fn answered(&mut self, raw: Raw<'_>) {
        let text = raw.text.trim_ascii_end();
        let behind = if text.starts_with(b"Out[") { scan::behind(text, "]: ").unwrap_or_default() } else { text };
        let at = text.len() - behind.trim_ascii_start().len();
        if text.get(at) == Some(&b'(') && text.ends_with(b")") {
            self.pair(text, at, |at| Place { column: raw.place.column + at, ..raw.place });
        }
    }

    /// The pair behind the function's name in the same line.
    pub(super) fn told_pair(&mut self, line: &Line, at: usize) {
        let rest = line.text.get(at..).unwrap_or_default();
        let rest = rest.get(..64).unwrap_or(rest);
        for (step, _) in rest.iter().enumerate().filter(|(_, byte)| **byte == b'(') {
            self.pair(&line.text, at + step, |at| line.place(at));
        }
    }

    /// A message that nothing else reads, kept for the case that nothing else says what happened.
    pub(super) fn keep_message(&mut self, line: &Line, at: usize) {
        let front = line.text.get(at.saturating_sub(FRONT)..at).unwrap_or_default().to_ascii_lowercase();
        // "without OOM", "to avoid CUDA out of memory", "the OOM warning"
        let warns =
            line.text.get(at..at + FRONT).is_some_and(|rest| scan::has_any(rest, &[" warning", " check", " risk"]));
        let not = scan::has_any(&front, &["without", "avoid", "prevent", "no ", "never"]);
        if self.unread.is_some() || not || warns {
            return;
        }
        let mut report = crate::Report::new(Kind::OutOfMemory, self.source, line.number());
        // What it asked for stands behind the word, with its unit.
        let asked = scan::find(&line.text, b"alloc").and_then(|at| {
            let rest = line.text.get(at..)?;
            let mut sizes = rest.iter().enumerate().filter(|(step, byte)| {
                let inside = step
                    .checked_sub(1)
                    .and_then(|before| rest.get(before))
                    .is_some_and(|byte| is_part(*byte) || *byte == b'.');
                byte.is_ascii_digit() && !inside
            });
            sizes
                .by_ref()
                .take(16)
                .find_map(|(step, _)| Some((at + step, Size::read(rest.get(step..)?, Base::Binary)?)))
        });
        if let Some((at, size)) = asked {
            let value = Value::Size(size);
            report.add(Fact { place: line.place(at), device: Device::Unsaid, what: What::Requested, value });
        }
        self.unread = Some(alloc::boxed::Box::new(report));
    }
}

/// The number behind a name, with what stands behind both: `() = 3.4 GB`, `(GB): 3.4`, `': 11016635392`.
fn value(text: &[u8], bare: i64) -> Option<(&[u8], Size, &[u8])> {
    let (mut rest, mut told, mut parted) = (scan::unspaced(text), None, false);
    for _ in 0..6 {
        rest = match rest.split_first()? {
            (b'(' | b'[', inner) => {
                let end = inner.iter().take(16).position(|byte| matches!(byte, b')' | b']'))?;
                let unit = inner.get(..end)?;
                told = told.or_else(|| Unit::read(unit).filter(|(_, rest)| rest.is_empty()).map(|(unit, _)| unit));
                inner.get(end + 1..)?
            }
            (b':' | b'=', rest) => {
                parted = true;
                rest
            }
            (b'"' | b'\'' | b'*' | b'`', rest) => rest,
            _ => break,
        };
        rest = scan::unspaced(rest);
    }
    if !parted && bare != ANY {
        return None;
    }
    let number = Number::read(rest)?;
    if let Some((unit, behind)) = Unit::read(number.rest).filter(|(unit, _)| *unit != Unit::BYTE) {
        return Some((rest, of_unit(&number, unit)?, behind));
    }
    if let Some(unit) = told {
        return Some((rest, of_unit(&number, unit)?, number.rest));
    }
    let ends = number.rest.first().is_none_or(|byte| !is_part(*byte) && *byte != b'%');
    let size = number.size(1).filter(|size| ends && size.bytes >= bare && size.bytes.abs() <= MOST)?;
    Some((rest, size, number.rest))
}

/// A script divides by powers of 1,024 or of 1,000 and prints GB for both. With all its digits, the bytes themselves tell: `PyTorch`
/// hands out blocks of 512 bytes.
fn of_unit(number: &Number<'_>, unit: Unit) -> Option<Size> {
    let decimal = number.size(unit.bytes(Base::Decimal))?;
    let binary = number.size(unit.bytes(Base::Binary))?;
    let blocks = |size: &Size| size.bytes % 512 == 0;
    Some(if decimal.grain <= 16 && blocks(&decimal) && !blocks(&binary) { decimal } else { binary })
}

/// Whether a mark behind those that begin something is one of these names.
pub(super) const fn is_name(special: usize) -> bool {
    special < SPECIAL.len() + NAMES.len()
}
