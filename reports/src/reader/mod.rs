//! The reader: a stream of bytes in, reports out.

pub(crate) mod figures;
mod gpustat;
mod growing;
mod joined;
mod json;
mod meant;
mod person;
mod sentence;
mod special;
mod unfinished;

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::by_name::ByName;
use crate::fold::NARROWEST;
use crate::formats::{MESSAGE, SETTINGS, Settings, TABLES};
use crate::line::{Line, Lines, Raw};
use crate::marks::Marks;
use crate::order::sorted;
use crate::pattern::{Reading, Says};
use crate::report::{Device, Fact, Report, Value};
use crate::stats::Nested;
use crate::tables::Table;
use crate::traceback::Trace;
use crate::what::{Kind, Refusal, What};
use crate::{Place, name, scan};

use joined::{Joined, Seen};
use json::Json;
use meant::{is_listing, is_none, of_draft, of_window};
use person::Named;
use sentence::Said;
use special::{LONGEST_ROW, SPECIAL};
use unfinished::Unfinished;

/// Reports that are kept; more are counted.
pub const MOST_REPORTS: usize = 64;
/// Places of numbers that can't be read.
const MOST_ODD: usize = 32;

/// What was found in the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The reports, in the order of the texts.
    pub reports: Vec<Report>,
    /// Where numbers stand that can't be read: too large, or of another form; the source, and the place in it.
    pub odd: Vec<(u16, Place)>,
    /// Reports that are there and were not kept, since there are too many.
    pub left_out: u64,
    /// Lines in all.
    pub lines: u64,
    /// Lines that were longer than [`crate::LONGEST_LINE`], and are read in pieces.
    pub cut: u64,
}

/// Reads a text.
pub fn read(text: &[u8]) -> Found {
    let mut reader = Reader::new();
    reader.feed(text);
    reader.finish()
}

/// Reads texts piece by piece, in memory that doesn't grow with them.
#[derive(Debug)]
pub struct Reader {
    lines: Lines,
    state: State,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// Before the first text.
    pub fn new() -> Self {
        let patterns: Vec<Reading> = TABLES.iter().flat_map(|table| table.iter()).map(Reading::new).collect();
        let settings: Vec<&'static Settings> = SETTINGS.iter().flat_map(|table| table.iter()).collect();
        let texts = patterns
            .iter()
            .map(|reading| reading.mark)
            .chain(settings.iter().map(|settings| settings.mark.as_bytes()))
            .chain(SPECIAL.iter().map(|(mark, _)| mark.as_bytes()))
            .chain(figures::marks())
            .chain(sentence::marks());
        let marks = Marks::new(texts.zip(0..));
        Self {
            lines: Lines::default(),
            state: State {
                patterns,
                message: MESSAGE.iter().map(Reading::new).collect(),
                settings,
                marks,
                source: 0,
                line: Line::default(),
                hits: Vec::new(),
                found: Found::default(),
                open: Vec::new(),
                joined: None,
                table: None,
                idle: 0,
                tensors: None,
                nested: None,
                trace: None,
                json: None,
                seen: ByName::new(),
                unfinished: None,
                orphan: None,
                unread: None,
                prose: Vec::new(),
                said: Vec::new(),
                sentences: (0, 0),
                settings_read: 0,
                doubtful: Vec::new(),
                understood: Vec::new(),
            },
        }
    }

    /// Takes the next bytes of a text.
    pub fn feed(&mut self, bytes: &[u8]) {
        let state = &mut self.state;
        self.lines.feed(bytes, |raw| state.take(raw));
    }

    /// Ends a text: what is fed next is another one.
    pub fn next_source(&mut self) {
        let state = &mut self.state;
        self.lines.finish(|raw| state.take(raw));
        state.found.lines += self.lines.count() as u64;
        state.end_of_source();
        state.found.cut += self.lines.cut();
        state.source = state.source.saturating_add(1);
        self.lines = Lines::default();
    }

    /// What was found.
    pub fn finish(mut self) -> Found {
        self.next_source();
        // A traceback alone is one only where there is nothing else: it may be of any error. So is a line that says it in its own words.
        if self.state.found.reports.is_empty() {
            let last = [self.state.unread.take(), self.state.orphan.take()];
            self.state.found.reports.extend(last.into_iter().flatten().map(|report| *report));
        }
        self.state.give_names();
        let State { mut found, .. } = self.state;
        found.reports = sorted(found.reports, |report| (report.source.into(), report.from as u64));
        found
    }
}

#[derive(Debug)]
struct State {
    patterns: Vec<Reading>,
    /// The parts of PyTorch's message.
    message: Vec<Reading>,
    settings: Vec<&'static Settings>,
    marks: Marks,
    source: u16,
    line: Line,
    hits: Vec<(u16, usize)>,
    found: Found,
    /// Reports that still grow, by their kinds.
    open: Vec<Report>,
    joined: Option<Box<Joined>>,
    table: Option<Table>,
    /// Lines of the table that said nothing.
    idle: u16,
    /// How many tensors a file is told to have, before they are listed.
    tensors: Option<u64>,
    nested: Option<Nested>,
    trace: Option<Trace>,
    json: Option<Json>,
    /// PyTorch's messages that came before, by their text.
    seen: ByName<Seen>,
    /// A line that ended in the middle of what it says.
    unfinished: Option<Unfinished>,
    /// A traceback whose message is missing.
    orphan: Option<Box<Report>>,
    /// Times that settings of the line were read.
    settings_read: u32,
    /// A message that nothing else reads.
    unread: Option<Box<Report>>,
    /// The GPU as a person names it in each text, which counts where no program does.
    prose: Vec<Named>,
    /// What a person names in sentences of each text.
    said: Vec<Said>,
    /// The line of the last sentence that was looked at, and how many there were in the text.
    sentences: (usize, u16),
    /// Places of numbers of the line that a pattern couldn't read.
    doubtful: Vec<Place>,
    /// Places of numbers of the line that one could.
    understood: Vec<Place>,
}

/// How many bytes before a number in Ollama's log are searched for the device that it is about.
const FRONT: usize = 512;

/// Lines at the beginning of a text that are read as a person's, whatever marks they have.
const PERSONS: usize = 64;

/// Marks of one line that are looked at.
const MOST_HITS: usize = 512;

impl State {
    /// Takes a line.
    fn take(&mut self, raw: Raw<'_>) {
        self.json(raw.text, raw.place.line);
        self.answered(raw);
        let coloured = memchr::memchr(0x1b, raw.text).is_some();
        if !coloured {
            self.find(raw.text);
            let code = self.trace.is_some_and(|trace| trace.code_follows);
            let begun = self.unfinished.is_some() || code;
            // A person writes above what is pasted.
            let begun = begun || raw.place.line <= PERSONS;
            if self.hits.is_empty() && self.joined.is_none() && self.table.is_none() && self.nested.is_none() && !begun
            {
                return;
            }
        }
        let mut line = core::mem::take(&mut self.line);
        line.clear();
        line.add(raw);
        if coloured {
            self.find(&line.text);
        }
        let mut hits = core::mem::take(&mut self.hits);
        self.read(&line, raw, &hits);
        hits.clear();
        self.hits = hits;
        self.line = line;
    }

    /// The marks of a line, and those of patterns that a fold may have broken.
    fn find(&mut self, text: &[u8]) {
        let (hits, patterns) = (&mut self.hits, self.patterns.len());
        self.marks.of(text, |mark, at| {
            if hits.len() < MOST_HITS {
                hits.push((mark, at));
            }
        });
        if text.len() >= NARROWEST {
            self.marks.begun(text, |mark, at| {
                if usize::from(mark) < patterns {
                    hits.push((mark, at));
                }
            });
        }
    }

    fn read(&mut self, line: &Line, raw: Raw<'_>, hits: &[(u16, usize)]) {
        self.go_on(line);
        let joined = self.join(line, raw);
        self.in_table(line);
        self.in_stats(line, hits);
        if let Some(trace) = self.trace.as_mut().filter(|trace| trace.code_follows) {
            trace.code(&line.text, line.place(0));
        }
        if line.number() <= PERSONS {
            self.sentence(line);
        }
        let device = name::rank(&line.text).map_or(Device::Unsaid, Device::Gpu);
        for (mark, at) in hits {
            let mark = usize::from(*mark);
            if mark < self.patterns.len() {
                self.pattern(mark, line, *at, device);
            } else if let Some(settings) = self.settings.get(mark - self.patterns.len()).copied() {
                if !joined {
                    self.settings(settings, line, *at);
                }
            } else {
                let special = mark - self.patterns.len() - self.settings.len();
                if let Some((_, special)) = SPECIAL.get(special) {
                    self.special(*special, line, *at, device, joined);
                } else if figures::is_name(special) {
                    self.figure(special - SPECIAL.len(), line, *at, device);
                } else {
                    self.sentence(line);
                }
            }
        }
        if !self.doubtful.is_empty() {
            self.settle();
        }
        self.understood.clear();
        self.settings_read = 0;
    }

    fn pattern(&mut self, mark: usize, line: &Line, at: usize, device: Device) {
        let Some(reading) = self.patterns.get(mark) else { return };
        let pattern = reading.pattern;
        // The lines of one message say nothing without its head.
        let within = pattern.says == Says::Within || pattern.kind == Kind::Cuda && pattern.says == Says::Nothing;
        if within && !self.open.iter().any(|report| report.kind == pattern.kind) {
            return;
        }
        // XLA tries several ways of a computation.
        let behind = line.text.get(at..line.text.len().min(at.saturating_add(FRONT))).unwrap_or_default();
        if pattern.kind == Kind::TensorFlow && scan::has(behind, "this is not a failure") {
            return;
        }
        // TensorFlow's own message quotes the error.
        if pattern.kind == Kind::Cublas && scan::has(&line.text, "create cublas handle") {
            return;
        }
        match reading.read(&line.text, at, |at| line.place(at)) {
            Ok(facts) => {
                let place = line.place(at);
                let mut places = core::mem::take(&mut self.understood);
                // A server whose cache stands refuses no length: this is its next start.
                let again = matches!(pattern.says, Says::Refuses(Refusal::Length | Refusal::NoBlocks))
                    && self.open.iter().any(|it| it.kind == pattern.kind && it.has(What::KvTokens) && !it.is_failure());
                let report = self.report(pattern.kind, again || pattern.says == Says::Start, place.line);
                // Ollama prints a line for each GPU, without its number.
                let before = |fact: &Fact| fact.what == What::Capacity && fact.place.line < place.line;
                let gpu = report.facts.iter().filter(|fact| before(fact)).count();
                let behind = line.text.get(at.saturating_sub(FRONT)..).unwrap_or_default();
                let behind = behind.get(..LONGEST_ROW).unwrap_or(behind);
                let listed = pattern.text.starts_with("msg=\"inference compute\"");
                for mut fact in facts {
                    if is_none(&fact) {
                        continue;
                    }
                    if listed && let Ok(gpu) = u16::try_from(gpu) {
                        fact.device = Device::Gpu(gpu);
                    }
                    // What tools print of each GPU in turn.
                    if fact.device == Device::Unsaid && is_listing(pattern.kind) {
                        let before = report.all(fact.what).count();
                        fact.device = u16::try_from(before).map_or(Device::Unsaid, Device::Gpu);
                    }
                    places.push(fact.place);
                    if fact.device == Device::Unsaid {
                        fact.device = device;
                    }
                    if pattern.kind == Kind::Sglang {
                        fact.what = of_draft(report, &fact);
                        if of_window(report, &fact) {
                            fact.what = What::WindowTokens;
                        }
                    }
                    if pattern.kind == Kind::Ollama && fact.device != Device::Host && scan::has(behind, " library=cpu ")
                    {
                        match fact.what {
                            What::Capacity => fact.what = What::HostCapacity,
                            What::Free => fact.what = What::HostFree,
                            What::Gpu | What::Placed => continue,
                            _ => {}
                        }
                        fact.device = Device::Host;
                    }
                    report.add(fact);
                }
                report.to = report.to.max(place.line);
                match pattern.says {
                    Says::Refuses(why) => report.add(Fact {
                        place,
                        device: Device::Unsaid,
                        what: What::Refusal,
                        value: Value::Refusal(why),
                    }),
                    Says::On(what) => {
                        // It goes on with less: what it had refused is none.
                        if what == What::Retried {
                            report.facts.retain(|fact| fact.what != What::Refusal);
                        }
                        report.add(Fact { place, device: Device::Unsaid, what, value: Value::Flag(true) });
                    }
                    Says::Nothing | Says::Start | Says::Within => {}
                }
                let failed = report.is_failure();
                self.understood = places;
                if failed {
                    self.blame(pattern.kind, place.line);
                }
            }
            Err(unread) => self.hold(mark, line, at, device, unread),
        }
    }

    /// Another pattern may read the number that one can't: odd is only what none reads.
    fn settle(&mut self) {
        for place in core::mem::take(&mut self.doubtful) {
            let known = self.understood.contains(&place) || self.found.odd.contains(&(self.source, place));
            if !known && self.found.odd.len() < MOST_ODD {
                self.found.odd.push((self.source, place));
            }
        }
    }
}
