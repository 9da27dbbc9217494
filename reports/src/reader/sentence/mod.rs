//! The GPU and the model in a person's own sentences: `OOM with Qwen3-8B on 2x A100 80GB`. Nothing but these names is kept.
//!
//! A text may name several, of which nobody says which one the run used: then none is taken. A sentence about what is needed, what works
//! or what somebody else has names none either, and what a program says counts more than all of it.

mod gpus;
mod machine;
mod models;
mod settings;
mod words;

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::State;
use crate::line::Line;
use crate::name;
use crate::report::{Device, Fact, Value};
use crate::scan;
use crate::size::Size;
use crate::what::What;

use gpus::gpus;
use machine::{Words, apple, capacity, memory, ranks, tpus};
use models::{models, stage};
use settings::settings;

/// Bytes of a line that a person writes, and lines of one text that are looked at.
const LONGEST_LINE: usize = 1 << 10;
const MOST_LINES: u16 = 400;
/// Names of a line that are looked at.
const MOST_NAMES: usize = 64;
/// Bytes beside a name in which a word makes it another's.
const NEAR: usize = 96;
/// Bytes of a label in front of a colon.
const LONGEST_LABEL: usize = 24;

/// The texts by which lines with such names are found, behind the first ones of each text.
pub(super) fn marks() -> impl Iterator<Item = &'static [u8]> {
    words::MARKS.split('|').map(str::as_bytes)
}

/// What a person names in a text.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) source: u16,
    pub(super) fact: Fact,
    pub(super) count: u64,
    /// What two names of one thing have in common, and the memory of a GPU where it is said.
    core: String,
    gigabytes: u64,
    /// Whether it was only named where it may be another's.
    hedged: bool,
    /// Whether nothing but its own weakness makes it another's: an "M3 Max" whose memory is not told with it.
    plain: bool,
    several: bool,
}

impl Said {
    /// Whether it is the only one that the text names, and the run's.
    pub(super) const fn is_one(&self) -> bool {
        !self.hedged && !self.several
    }

    /// Whether it names the GPU of a fact, which may have its maker in front.
    pub(super) fn is_of(&self, fact: &Fact) -> bool {
        matches!(&fact.value, Value::Name(name) if self.fact.what == fact.what && name.ends_with(self.core.as_str()))
    }
}

/// Gives Apple's chips the memory of the computer that is said apart from them: `CPU: Apple M3 Max`, `RAM: 128GB`.
pub(super) fn with_memory(said: &mut [Said]) {
    for at in 0..said.len() {
        let Some(chip) = said.get(at).filter(|chip| chip.plain && chip.hedged && !chip.several) else { continue };
        let of_computer =
            |said: &&Said| said.source == chip.source && said.fact.what == What::HostCapacity && said.is_one();
        let memory = said.iter().find(of_computer).map(|said| &said.fact.value);
        let (Some(Value::Size(size)), Value::Name(name)) = (memory, &chip.fact.value) else { continue };
        if !name.starts_with("Apple") {
            continue;
        }
        let whole = [name, " ", &(size.bytes.unsigned_abs() >> 30).to_string(), "GB"].concat();
        if let Some(chip) = said.get_mut(at) {
            (chip.fact.value, chip.hedged) = (Value::Name(whole.into_boxed_str()), false);
        }
    }
}

/// A text with spaces in place of its links.
fn without_links(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    let outside = |byte: &u8| byte.is_ascii_whitespace() || b"()[]<>\"'`".contains(byte);
    while let Some(at) = scan::find(&text, b"://") {
        let from = text.get(..at).and_then(|front| front.iter().rposition(outside)).map_or(0, |before| before + 1);
        let length = text.get(at..).map_or(0, |rest| rest.iter().take_while(|byte| !outside(byte)).count());
        if let Some(link) = text.get_mut(from..at + length) {
            link.fill(b' ');
        }
    }
    text
}

/// A name in a sentence.
struct Mention {
    what: What,
    at: usize,
    name: String,
    core: String,
    gigabytes: u64,
    count: u64,
    /// Whether it may be a word for something else.
    weak: bool,
    /// What it says, where that is no name.
    value: Option<Value>,
}

impl Mention {
    /// Of a name, by what it has in common with others of the same thing.
    const fn name(what: What, at: usize, name: String, core: String) -> Self {
        Self { what, at, name, core, gigabytes: 0, count: 1, weak: false, value: None }
    }

    /// Of a number.
    fn value(what: What, at: usize, value: Value, number: u64) -> Self {
        Self { value: Some(value), ..Self::name(what, at, String::new(), number.to_string()) }
    }

    /// Of a memory.
    fn memory(what: What, at: usize, size: Size) -> Self {
        Self::value(what, at, Value::Size(size), size.bytes.unsigned_abs())
    }
}

/// Whether a sentence, from its beginning to its end, is about something else than the run.
fn is_hedged(small: &[u8], at: usize, what: What) -> bool {
    let ends = |end: &usize| {
        let next = small.get(end + 1).is_none_or(|byte| *byte == b' ');
        // No sentence ends in "e.g." or "2."
        let word = end.checked_sub(2).and_then(|before| small.get(before..*end));
        matches!(small.get(*end), Some(b'.' | b'!' | b'?'))
            && next
            && word.is_some_and(|word| word.iter().all(|byte| *byte != b'.' && *byte != b' '))
    };
    let from = (0..at).rev().find(ends).map_or(0, |end| end + 1);
    let to = (at..small.len()).find(ends).unwrap_or(small.len());
    // The far end of a long one is about something else again.
    let sentence = small.get(from.max(at.saturating_sub(NEAR))..to.min(at + NEAR)).unwrap_or_default();
    let any = |list: &str| list.split('|').any(|word| scan::has(sentence, word));
    let setting = matches!(what, What::BatchSize | What::SeqLength | What::Context | What::LoraRank);
    any(words::HEDGES) || what != What::HostCapacity && any(words::NAME_HEDGES) || setting && any(words::SETTING_HEDGES)
}

impl State {
    /// Keeps what a sentence names.
    pub(super) fn sentence(&mut self, line: &Line) {
        let text = &line.text;
        // Each line once, whatever marks it has: a long one has thousands, and none is looked through before.
        if text.len() > LONGEST_LINE || self.sentences.1 >= MOST_LINES || self.sentences.0 == line.number() {
            return;
        }
        let heading = text.starts_with(b"##") || text.starts_with(b"#") && line.number() == 1;
        let shown = without_links(text);
        let text = &shown;
        let comment = text.trim_ascii_start().first() == Some(&b'#') || scan::has_any(text, &["==", "\", line ", "//"]);
        if comment && !heading {
            return;
        }
        self.sentences = (line.number(), self.sentences.1 + 1);
        let words = Words::of(text);
        let mut small = words.small.clone();
        // "more than enough VRAM" compares nothing.
        if let Some(at) = scan::find(&small, b"than enough")
            && let Some(byte) = small.get_mut(at)
        {
            *byte = b' ';
        }
        // "my 192GB RAM", "I have 24GB of VRAM" is the writer's, whatever is said of it.
        let mine = |mention: &Mention| {
            let front = small.get(..mention.at).unwrap_or_default();
            mention.value.is_some() && (front.ends_with(b"my ") || front.ends_with(b"i have "))
        };
        let hedged = |mention: &Mention| !mine(mention) && is_hedged(&small, mention.at, mention.what);
        // An item of a list may be one of those that something is said of above it.
        let item = text.trim_ascii_start();
        let item = (item.starts_with(b"- ") || item.starts_with(b"* ")) && item.split(|byte| *byte == b' ').count() < 6;
        // What stands behind a label is read with it, but for how many there are: a host may be called by its GPU.
        let labelled =
            text.iter().take(LONGEST_LABEL).position(|byte| *byte == b':').and_then(|colon| text.get(..colon));
        let labelled = labelled.is_some_and(|label| scan::has_any(label, &["GPU", "Hardware"]));
        let mut found = Vec::new();
        for read in [gpus, apple, tpus, stage, models, memory, ranks, settings, capacity] {
            read(&words, &mut found);
        }
        for mention in found.into_iter().take(MOST_NAMES) {
            let bare = mention.what == What::Gpu && mention.count == 1 && mention.gigabytes == 0;
            let hedged = hedged(&mention) || bare && (item || labelled);
            self.said(mention, line, hedged);
        }
    }

    fn said(&mut self, mention: Mention, line: &Line, hedged: bool) {
        let what = mention.what;
        let Some(value) = mention.value.or_else(|| name::value(what, mention.name.as_bytes())) else { return };
        let plain = !hedged;
        let hedged = hedged || mention.weak;
        let Mention { at, core, gigabytes, count, .. } = mention;
        let device = if what == What::HostCapacity { Device::Host } else { Device::Unsaid };
        let fact = Fact { place: line.place(at), device, what, value };
        let source = self.source;
        let Some(known) = self.said.iter_mut().find(|known| known.source == source && known.fact.what == what) else {
            self.said.push(Said { source, fact, count, core, gigabytes, hedged, plain, several: false });
            return;
        };
        let (short, long) = if core.len() < known.core.len() { (&core, &known.core) } else { (&known.core, &core) };
        let alike = if what == What::Model { long.starts_with(short.as_str()) } else { short == long };
        let sized = gigabytes > 0 && known.gigabytes > 0 && gigabytes != known.gigabytes;
        // What may be another's leaves no doubt about the writer's own, which is told whatever was named before it.
        let apart = known.fact.place.line != fact.place.line;
        if apart && known.hedged && !hedged && (!alike || sized || known.several) {
            *known = Said { source, fact, count, core, gigabytes, hedged, plain, several: false };
            return;
        }
        if !alike || sized {
            known.several |= !apart || !hedged || known.hedged;
            return;
        }
        known.plain |= plain;
        let longer = name_length(&fact) > name_length(&known.fact);
        let fuller = gigabytes > known.gigabytes || core.len() > known.core.len() || core == known.core && longer;
        if fuller && (!hedged || known.hedged) || known.hedged && !hedged {
            (known.fact, known.core, known.gigabytes) = (fact, core, gigabytes);
        }
        // "4 nodes, each with 4 A100", "16 A100": which of them it was stays open.
        let open = known.count == 0 || count > 1 && known.count > 1 && count != known.count;
        let own = known.hedged && !hedged;
        known.count = if own {
            count
        } else if open {
            0
        } else {
            known.count.max(if hedged { 1 } else { count })
        };
        known.hedged &= hedged;
    }
}

fn name_length(fact: &Fact) -> usize {
    if let Value::Name(name) = &fact.value { name.len() } else { 0 }
}
