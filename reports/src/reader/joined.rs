//! What goes on in the next line: PyTorch's message, a command behind a backslash, arguments in brackets.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::State;
use super::growing::NEAR;
use crate::formats::{CALL, Settings};
use crate::line::{Line, Raw, Segment};
use crate::order::sorted;
use crate::report::{Device, Fact, Report, Value};
use crate::what::{Kind, What};
use crate::{Place, name, scan, settings};

/// The prefix of each log line in which llama.cpp's router prints one argument of a server that it starts.
const ARGUMENT: &str = " load:   ";
/// Lines that one message may be broken into.
const MOST_JOINED: usize = 16;
/// Lines of a command, each but the last with a backslash at its end.
const MOST_COMMAND: usize = 128;
/// Bytes of a message or a command of several lines.
pub(super) const LONGEST_JOINED: usize = 16 << 10;

/// Times that the settings of one line are read.
const MOST_SETTINGS: u32 = 8;
/// Bytes of one line's settings.
const LONGEST_SETTINGS: usize = 48 << 10;
/// Bytes of what stands in front of a message.
pub(super) const LONGEST_FRONT: usize = 256;
/// Messages that are known again, and the bytes of the longest.
const MOST_SEEN: usize = 1_024;
const LONGEST_SEEN: usize = 2 << 10;

/// A message of `PyTorch` that came before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    kind: Kind,
    device: Device,
    /// Its report; nothing where there were too many to keep it.
    report: Option<usize>,
}

/// A message or a command that may go on in the next line.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) line: Line,
    pub(super) lines: usize,
    pub(super) last: usize,
    pub(super) what: Goes,
    /// What stands in front of it in its first line, the name of a container and the time among it.
    pub(super) front: Vec<u8>,
}

impl Joined {
    pub(super) const fn new(last: usize, what: Goes) -> Self {
        Self { line: Line { text: Vec::new(), segments: Vec::new() }, lines: 1, last, what, front: Vec::new() }
    }

    /// Bytes in front of a line that the first one has too, up to a word's end: what a logger puts in front of each.
    fn same_front(&self, text: &[u8]) -> usize {
        let alike = self.front.iter().zip(text).take_while(|(one, other)| one == other).count();
        let front = text.get(..alike).unwrap_or_default();
        front.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Goes {
    /// PyTorch's message, of a kind and a rank.
    Message(Kind, Device),
    /// A command behind a backslash, or arguments in brackets of several lines.
    Settings(&'static Settings),
    /// A command in quotes that a terminal wrapped.
    Quoted(&'static Settings),
}

impl State {
    /// Adds a line to what has begun; whether it belongs there.
    pub(super) fn join(&mut self, line: &Line, raw: Raw<'_>) -> bool {
        let Some(joined) = self.joined.as_mut() else { return false };
        let mark = if raw.text.starts_with(b"> ") { 2 } else { joined.same_front(raw.text) };
        let argument = match joined.what {
            Goes::Settings(_) => scan::behind(raw.text, ARGUMENT),
            Goes::Message(..) | Goes::Quoted(_) => None,
        };
        let mark = argument.map_or(mark, |argument| raw.text.len() - argument.len());
        // Commands of reinforcement learning have a setting a line.
        let most = if joined.line.text.trim_ascii_end().ends_with(b"\\") { MOST_COMMAND } else { MOST_JOINED };
        let room =
            (joined.lines < most || argument.is_some()) && joined.line.text.len() + raw.text.len() < LONGEST_JOINED;
        let goes = room
            && match joined.what {
                Goes::Message(..) => {
                    let own = line.text.get(mark.saturating_sub(1)..).unwrap_or_default();
                    let head = |words: &str| scan::has(own, words);
                    let heads =
                        ["Traceback", "File \"", "out of memory", " INFO ", " ERROR ", "[rank", "During handling"];
                    !raw.text.trim_ascii().is_empty() && !heads.iter().any(|words| head(words))
                }
                Goes::Quoted(_) => memchr::memchr(b'"', &joined.line.text).is_none(),
                Goes::Settings(_) => {
                    // A command goes on behind a backslash, arguments in brackets until they are closed.
                    argument.is_some()
                        || joined.line.text.trim_ascii_end().ends_with(b"\\")
                        || is_open(&joined.line.text)
                }
            };
        if !goes {
            self.end_joined();
            return false;
        }
        if let Some(last) = joined.line.text.iter().rposition(|byte| !byte.is_ascii_whitespace())
            && joined.line.text.get(last) == Some(&b'\\')
            && let Some(byte) = joined.line.text.get_mut(last)
        {
            *byte = b' ';
        }
        // A quotation goes on behind its mark, and a log behind what stands in front of each of its lines.
        let cut = argument.is_some() || mark > 0 && matches!(joined.what, Goes::Message(..));
        match raw.text.get(mark..).filter(|_| cut) {
            Some(text) => {
                joined.line.text.push(b' ');
                joined.line.add_at(text, Place { column: raw.place.column + mark, ..raw.place });
            }
            None => joined.line.add(raw),
        }
        joined.lines += 1;
        joined.last = raw.place.line;
        self.end_if_whole();
        true
    }

    pub(super) fn end_if_whole(&mut self) {
        let Some(joined) = &self.joined else { return };
        let whole = match joined.what {
            Goes::Message(..) => {
                let ends = [
                    "reserved by PyTorch but unallocated",
                    "reserved in total by PyTorch",
                    " cached)",
                    "PYTORCH_MPS_HIGH_WATERMARK",
                ];
                ends.iter().any(|words| scan::has(&joined.line.text, words))
            }
            Goes::Settings(_) | Goes::Quoted(_) => false,
        };
        if whole {
            self.end_joined();
        }
    }

    pub(super) fn end_joined(&mut self) {
        let Some(joined) = self.joined.take() else { return };
        match joined.what {
            Goes::Message(kind, device) => self.message(&joined.line, joined.last, kind, device),
            Goes::Settings(settings) | Goes::Quoted(settings) => self.arguments(settings, &joined.line, 0, usize::MAX),
        }
    }

    /// PyTorch's message. Ranks and retries print one and the same by the thousand, which is read once.
    pub(super) fn message(&mut self, line: &Line, last: usize, kind: Kind, device: Device) {
        let alone = !self.open.iter().any(|report| report.kind == kind)
            && self.trace.is_none_or(|trace| line.number() > trace.last + NEAR);
        let text = core::str::from_utf8(&line.text).ok().filter(|text| alone && text.len() <= LONGEST_SEEN);
        let seen = text.and_then(|text| self.seen.get(text));
        if let Some(seen) = seen.filter(|seen| (seen.kind, seen.device) == (kind, device)) {
            match seen.report.and_then(|at| self.found.reports.get_mut(at)) {
                Some(known) => {
                    known.times = known.times.saturating_add(1);
                    known.to = known.to.max(last);
                }
                None => self.found.left_out += 1,
            }
            return;
        }
        let doubts = self.doubtful.len();
        let report = self.new_message(line, last, kind, device);
        if let Some(text) = text.filter(|_| self.seen.len() < MOST_SEEN && self.doubtful.len() == doubts) {
            self.seen.insert(text, Seen { kind, device, report });
        }
    }

    fn new_message(&mut self, line: &Line, last: usize, kind: Kind, device: Device) -> Option<usize> {
        let mut report = Report::new(kind, self.source, line.number());
        self.parts_of(line, device, &mut report);
        let doubts = self.doubtful.len();
        // Where a page folded it, words are torn apart by the spaces of its margin, or kept apart by them.
        for between in [&b""[..], b" "] {
            if let Some(narrow) = without_margins(line, between) {
                self.parts_of(&narrow, device, &mut report);
            }
        }
        // What only another joining of its lines could not read is no doubt.
        self.doubtful.truncate(doubts);
        name_own_process(&mut report);
        report.to = last;
        let place = |fact: &Fact| (fact.place.line as u64, fact.place.column as u64);
        report.facts = sorted(core::mem::take(&mut report.facts), place);
        // The message of a kind is a report of its own.
        if let Some(at) = self.open.iter().position(|report| report.kind == kind) {
            let before = self.open.swap_remove(at);
            self.close(before);
        }
        let from = report.from;
        self.open.push(report);
        self.blame(kind, from);
        let at = self.open.iter().position(|report| report.kind == kind)?;
        let report = self.open.swap_remove(at);
        self.close(report)
    }

    /// The numbers of a message.
    fn parts_of(&mut self, line: &Line, device: Device, report: &mut Report) {
        let text = &line.text;
        let gpu = scan::behind(text, "GPU ").or_else(|| scan::behind(text, "(NPU "));
        let gpu = gpu.and_then(scan::Number::read).and_then(|number| number.count());
        let device = gpu.and_then(|gpu| u16::try_from(gpu).ok()).map_or(device, Device::Gpu);
        for reading in &self.message {
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| scan::find(rest, reading.mark)) {
                match reading.read(text, from + at, |at| line.place(at)) {
                    Ok(facts) => report.extend(facts.into_iter().map(|fact| Fact { device, ..fact })),
                    Err(unread) => self.doubtful.extend(unread.odd),
                }
                from += at + 1;
            }
        }
    }

    pub(super) fn settings(&mut self, settings: &'static Settings, line: &Line, at: usize) {
        // A command may have several marks: the first has all of it.
        if self.joined.is_some() {
            return;
        }
        // A line that repeats a mark says the same again behind each.
        self.settings_read += 1;
        if self.settings_read > MOST_SETTINGS {
            return;
        }
        // A line of a script or a file of settings that is turned off says nothing of the run.
        let front = line.text.get(..at).unwrap_or_default().trim_ascii_start();
        let off = front.starts_with(b"#") && line.number() > 1 || front.starts_with(b"//") || front.ends_with(b" # ");
        if settings.kind == Kind::Trainer && off {
            return;
        }
        let from = if settings.behind { at } else { 0 };
        let text = line.text.get(from..).unwrap_or_default();
        // What stands behind a setting may be an older one: "micro_batch_size: 2 # was 8".
        let text = match scan::find(text, b" # ") {
            Some(end) if settings.kind == Kind::Trainer && from + end > at => text.get(..end).unwrap_or(text),
            _ => text,
        };
        let end = text.trim_ascii_end();
        let goes_on = end.ends_with(b"\\") || end.ends_with(b"with args:") || settings.behind && is_open(text);
        if text.len() <= LONGEST_JOINED && (goes_on || is_quoted(&line.text, at)) {
            let what = if goes_on { Goes::Settings(settings) } else { Goes::Quoted(settings) };
            let mut joined = Joined::new(line.number(), what);
            joined.line.add_at(text, line.place(from));
            self.joined = Some(Box::new(joined));
            return;
        }
        self.arguments(settings, line, from, from + text.len());
    }

    pub(super) fn arguments(&mut self, settings: &'static Settings, line: &Line, from: usize, to: usize) {
        let mut facts = Vec::new();
        let mut text = line.text.get(from..line.text.len().min(to)).unwrap_or_default();
        text = text.get(..LONGEST_SETTINGS).unwrap_or(text);
        let mut skipped = from;
        if settings.behind {
            // A command's model may stand behind it without a name: `vllm serve MODEL --flag`.
            let behind = scan::behind(text, settings.mark).unwrap_or_default();
            let command = settings.mark.ends_with(' ') && !settings.mark.as_bytes().contains(&b':');
            let word = behind.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
            // "llama-server startup failed: error loading model: ...".
            if command && settings.kind == Kind::LlamaCpp && word.iter().all(u8::is_ascii_lowercase) {
                return;
            }
            let bare = word
                .first()
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'"' | b'\''));
            if command
                && bare
                && !word.contains(&b'=')
                // Prose goes on with words.
                && word.iter().any(|byte| byte.is_ascii_digit() || *byte == b'/')
                && matches!(settings.kind, Kind::Vllm | Kind::Sglang | Kind::TensorRtLlm)
                && let Some(value) = name::value(What::Model, word)
            {
                let at = from + (text.len() - behind.len());
                facts.push(Fact { place: line.place(at), device: Device::Unsaid, what: What::Model, value });
            }
            // `vllm serve --flag=value MODEL`.
            let mut words = behind.trim_ascii_end().rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            if let (true, Some(last), Some(front)) = (command && facts.is_empty(), words.next(), words.next())
                && settings.kind == Kind::Vllm
                && front.starts_with(b"--")
                && front.contains(&b'=')
                && !last.starts_with(b"-")
                && last.contains(&b'/')
                && let Some(value) = name::value(What::Model, last)
            {
                let at = last.as_ptr() as usize - line.text.as_ptr() as usize;
                facts.push(Fact { place: line.place(at), device: Device::Unsaid, what: What::Model, value });
            }
            // What opens a bracket is left out, so that the settings in it stand at its depth.
            skipped = from + (text.len() - behind.len());
            text = behind;
        }
        settings::read(text, settings.keys, |what, value, at| {
            facts.push(Fact { place: line.place(skipped + at), device: Device::Unsaid, what, value });
        });
        // Other libraries have a call of this name, without these.
        let of_vllm = |fact: &Fact| matches!(fact.what, What::MaxModelLen | What::Utilization | What::EnforceEager);
        if facts.is_empty() || settings.mark == CALL && !facts.iter().any(of_vllm) {
            return;
        }
        // A launcher counts the GPUs of each node.
        let nodes = facts.iter().find_map(|fact| match fact.value {
            Value::Count(nodes) if fact.what == What::Nodes => Some(nodes),
            _ => None,
        });
        for fact in facts.iter_mut().filter(|fact| fact.what == What::GpuCount) {
            if let Value::Count(gpus) = &mut fact.value {
                *gpus = gpus.saturating_mul(nodes.unwrap_or(1).max(1));
            }
        }
        let report = self.report(settings.kind, settings.starts, line.number());
        report.extend(facts);
    }
}

/// Whether a command at a place is in quotes that the line doesn't close, as Ollama prints that of its runner.
fn is_quoted(line: &[u8], at: usize) -> bool {
    let (front, rest) = line.split_at_checked(at).unwrap_or_default();
    let word = front.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    word.starts_with(b"cmd=\"") && memchr::memchr(b'"', rest).is_none()
}

/// In a container a process doesn't know its own number, and is told as another: the one that holds what PyTorch reserved.
///
/// Where the message ends before it says what PyTorch holds, a single process may be either.
fn name_own_process(report: &mut Report) {
    if !report.has(What::ProcessUsed) && !report.has(What::Allocated) && report.all(What::OtherProcess).count() == 1 {
        let processes = report.facts.iter_mut().filter(|fact| fact.what == What::OtherProcess);
        processes.for_each(|fact| fact.what = What::SomeProcess);
    }
    let held = report.size(What::Allocated).zip(report.size(What::ReservedFree));
    let (Some((allocated, free)), false) = (held, report.has(What::ProcessUsed)) else { return };
    let own = allocated.least().saturating_add(free.least());
    let size = |fact: &Fact| if let Value::Size(size) = fact.value { Some(size) } else { None };
    let near = report
        .facts
        .iter_mut()
        .filter(|fact| fact.what == What::OtherProcess)
        .filter_map(|fact| Some((size(fact).filter(|size| size.most() >= own)?, fact)));
    if let Some((_, fact)) = near.min_by_key(|(size, _)| size.bytes) {
        fact.what = What::ProcessUsed;
    }
}

/// Spaces in a row that no program prints within its message.
const MARGIN: usize = 8;

/// A message in which long runs of spaces and ends of lines are replaced; nothing where there are none.
fn without_margins(line: &Line, between: &[u8]) -> Option<Line> {
    let mut narrow = Line::default();
    let (mut from, mut at) = (0, 0);
    while let Some(rest) = line.text.get(at..).filter(|rest| !rest.is_empty()) {
        let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
        // A line's end within a word, for which a space was put.
        let joint = line.segments.binary_search_by_key(&(at + spaces), Segment::at).is_ok();
        if spaces >= MARGIN || spaces > 0 && joint {
            narrow.add_at(line.text.get(from..at)?, line.place(from));
            narrow.text.extend_from_slice(between);
            from = at + spaces;
        }
        at += spaces.max(1);
    }
    if from == 0 {
        return None;
    }
    narrow.add_at(line.text.get(from..)?, line.place(from));
    Some(narrow)
}

/// Whether brackets of a text are still open.
fn is_open(text: &[u8]) -> bool {
    let count = |bracket: &[u8]| text.iter().filter(|byte| bracket.contains(byte)).count();
    count(b"({[") > count(b")}]")
}
