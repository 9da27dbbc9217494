//! The GPU as a person or a banner names it: in words of any kind, of which nothing but the name may be kept.

use alloc::vec::Vec;

use super::State;
use crate::line::Line;
use crate::name;
use crate::report::{Device, Fact, Report, Value};
use crate::scan::{self, Number};
use crate::what::{Kind, What};

/// Bytes of what a person says of the GPU, and of the words in front of its colon.
const LONGEST_NAME: usize = 160;
const LONGEST_WORD: usize = 32;
/// Bytes of a line that a person writes.
const LONGEST_LINE: usize = 1 << 10;

/// The colon of Chinese.
const WIDE_COLON: &[u8] = "\u{ff1a}".as_bytes();

/// Words without a digit that names of GPUs have beside their makers' and series'.
const WORDS: [&str; 18] = [
    "SXM",
    "RX",
    "XT",
    "XTX",
    "Ti",
    "Super",
    "PCIe",
    "NVL",
    "Ada",
    "Generation",
    "Blackwell",
    "Pro",
    "Max",
    "Ultra",
    "AI",
    "GPU",
    "GB",
    "GiB",
];

/// The GPU or the model as a person names it in a text.
#[derive(Debug)]
pub(super) struct Named {
    source: u16,
    what: What,
    /// Nothing where several are named, of which nobody says which one it was.
    fact: Option<Fact>,
    /// How many there are, where that is said.
    count: u64,
    /// Whether a label stands in front of it.
    labelled: bool,
}

impl State {
    /// Keeps the first GPU that a person or a list of the environment names: `**GPU:** RTX 3090 (24 GB)`, `GPU 0,1: NVIDIA H200`.
    pub(super) fn keep_name(&mut self, line: &Line, at: usize) {
        if line.text.len() > LONGEST_LINE {
            return;
        }
        let rest = line.text.get(at..).unwrap_or_default();
        let rest = canonical(rest.get(..LONGEST_NAME).unwrap_or(rest));
        let ends = |at: &usize| {
            let rest = rest.get(*at..).unwrap_or_default();
            rest.first().is_some_and(|byte| matches!(byte, b':' | b'|')) || rest.starts_with(WIDE_COLON)
        };
        let Some(colon) = (0..LONGEST_WORD.min(rest.len())).find(ends) else { return };
        if let Some(card) = one_name(rest.get(colon..).unwrap_or_default(), true) {
            self.keep_gpu(line, at + offset(&rest, card.name), card, true);
        }
    }

    /// Keeps a GPU that is all of a line or of an item of a list, `- 2x NVIDIA RTX 3090 (24 GB each)`, or the one that a heading names.
    pub(super) fn keep_item(&mut self, line: &Line) {
        if line.text.len() > LONGEST_NAME {
            return;
        }
        let text = canonical(&line.text);
        let found = if text.starts_with(b"##") || text.starts_with(b"# ") && line.number() == 1 {
            in_heading(&text)
        } else {
            let marks = text.iter().take_while(|byte| b" \t-+*>|".contains(byte)).count();
            one_name(text.get(marks..).unwrap_or_default(), false)
        };
        if let Some(card) = found {
            self.keep_gpu(line, offset(&text, card.name), card, false);
        }
    }

    fn keep_gpu(&mut self, line: &Line, at: usize, card: Card<'_>, labelled: bool) {
        let maker: &[u8] = if is_apple(card.name) { b"Apple " } else { b"" };
        // Two of one name may differ in it, as that of a laptop does.
        let size = if card.gigabytes.is_empty() { Vec::new() } else { [b" ", card.gigabytes, b"GB"].concat() };
        if let Some(value) = name::value(What::Gpu, &[maker, card.name, &size].concat()) {
            let fact = Fact { place: line.place(at), device: Device::Unsaid, what: What::Gpu, value };
            self.keep(fact, card.count, labelled);
        }
    }

    /// Keeps the model that a person names as the hub has it, alone behind a label: `- **Model**: Qwen/Qwen3-8B`.
    pub(super) fn keep_model(&mut self, line: &Line, at: usize) {
        if line.text.len() > LONGEST_LINE {
            return;
        }
        let front = line.text.get(..at).unwrap_or_default();
        let rest = line.text.get(at + 5..).unwrap_or_default();
        let rest = rest.get(..LONGEST_NAME).unwrap_or(rest);
        let rest = rest.strip_prefix(WIDE_COLON).unwrap_or(rest);
        let label = rest.iter().take_while(|byte| b" :*|`".contains(byte)).count();
        let name = rest.get(label..).unwrap_or_default().trim_ascii_end();
        let end = name.iter().rposition(|byte| !b"*|` ".contains(byte)).map_or(0, |at| at + 1);
        let name = name.get(..end).unwrap_or_default();
        let hub = name.split(|byte| *byte == b'/').count() == 2
            && name.first().is_some_and(u8::is_ascii_alphanumeric)
            && name.iter().any(u8::is_ascii_digit)
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(byte));
        if label == 0 || !hub || !front.iter().all(|byte| b" \t-+*|>#".contains(byte)) {
            return;
        }
        if let Some(value) = name::value(What::Model, name) {
            let place = line.place(at + 5 + offset(rest, name));
            self.keep(Fact { place, device: Device::Unsaid, what: What::Model, value }, 1, false);
        }
    }

    /// Keeps what is named; of GPUs with a label the first, and else nothing where two are named.
    fn keep(&mut self, fact: Fact, count: u64, labelled: bool) {
        let (source, what) = (self.source, fact.what);
        match self.prose.iter_mut().rev().find(|known| (known.source, known.what) == (source, what)) {
            Some(known) if known.labelled => {}
            Some(known) if !labelled => known.fact = known.fact.take().filter(|known| known.value == fact.value),
            Some(known) => (known.fact, known.count, known.labelled) = (Some(fact), count, true),
            None => self.prose.push(Named { source, what, fact: Some(fact), count, labelled }),
        }
    }

    /// Gives each name to the report of its text that says what went wrong, or to its last one; where a program names one in it, it is none.
    pub(super) fn give_names(&mut self) {
        for Named { source, fact, count, .. } in core::mem::take(&mut self.prose) {
            let Some(fact) = fact else { continue };
            if self.found.reports.iter().any(|report| report.source == source && report.has(fact.what)) {
                continue;
            }
            let own = |report: &&mut Report| report.source == source;
            let mut reports: Vec<&mut Report> = self.found.reports.iter_mut().filter(own).collect();
            let failed = reports.iter().rposition(|report| report.is_failure());
            let at = failed.or_else(|| reports.len().checked_sub(1));
            if let Some(report) = at.and_then(|at| reports.get_mut(at)) {
                if count > 1 {
                    let value = Value::Count(count);
                    report.add(Fact { place: fact.place, device: Device::Unsaid, what: What::GpuCount, value });
                }
                report.add(fact);
            }
        }
    }

    /// The name in Unsloth's banner, with its maker: `\\   /|    NVIDIA L4. Num GPUs = 1. Max memory: 22.03 GB.`
    pub(super) fn banner(&mut self, line: &Line, at: usize) {
        let from = at.saturating_sub(LONGEST_NAME);
        let front = line.text.get(from..at).unwrap_or_default();
        let name = front.rsplit(|byte| *byte == b'|').next().unwrap_or_default().trim_ascii_start();
        if let Some(value) = name::value(What::Gpu, name) {
            let place = line.place(at - name.len());
            let fact = Fact { place, device: Device::Unsaid, what: What::Gpu, value };
            self.report(Kind::Unsloth, false, place.line).add(fact);
        }
    }
}

/// Where a part of a text begins in it.
fn offset(text: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// A GPU as a person has it.
#[derive(Clone, Copy)]
struct Card<'a> {
    name: &'a [u8],
    /// Its memory, where that stands behind the name.
    gigabytes: &'a [u8],
    count: u64,
}

/// The one GPU that a text names; nothing where it names two kinds, of which nobody says which one it was.
fn one_name(text: &[u8], labelled: bool) -> Option<Card<'_>> {
    let mut found: Option<Card<'_>> = None;
    // In brackets stands more of the same.
    let mut inside = 0_usize;
    for part in text.split_inclusive(|byte| b",;([)]+&|/".contains(byte)) {
        let (words, mark) = part.split_last().map_or((part, None), |(last, words)| {
            if b",;([)]+&|/".contains(last) { (words, Some(*last)) } else { (part, None) }
        });
        let within = inside > 0;
        match mark {
            Some(b'(' | b'[') => inside += 1,
            Some(b')' | b']') => inside = inside.saturating_sub(1),
            _ => {}
        }
        let Some((name, count)) = counted(words) else { continue };
        if name.is_empty() {
            // "RTX 3090 (24 GB) x 2"
            found = found.map(|card| Card { count: card.count.max(count), ..card });
        } else if is_gpu(name) {
            found = match found {
                None => Some(Card { name, gigabytes: b"", count }),
                // "NVIDIA L4, NVIDIA L4"
                Some(card) if card.name == name => Some(Card { count: card.count + count, ..card }),
                Some(_) => return None,
            };
        } else if let Some(card) = found.as_mut().filter(|_| is_memory(unmarked(words))) {
            let words = unmarked(words);
            let digits = words.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (size, unit) = words.split_at_checked(digits)?;
            let sized = scan::unspaced(unit).starts_with(b"G") && !scan::has(card.name, "GB");
            if (within || !labelled) && sized && card.gigabytes.is_empty() {
                card.gigabytes = size;
            }
        } else if within {
        } else if !labelled || name::value(What::Gpu, name).is_some() && !is_processor(name) {
            return None;
        }
    }
    found
}

/// The one GPU that a heading names somewhere in its words: `# OOM on 8 x H100 80GB HBM3`.
fn in_heading(text: &[u8]) -> Option<Card<'_>> {
    let has = |words: &[&str]| words.iter().any(|word| scan::has(text, word));
    if has(&["ual", "wo ", "our ", "ulti", "everal", " and ", " vs", " or ", "upport", " not "]) {
        return None;
    }
    let mut found: Option<Card<'_>> = None;
    // Where the words began that may be a name.
    let mut from: Option<usize> = None;
    let words = text.split(|byte| b" ,;:()[]/".contains(byte)).chain([&b"."[..]]);
    let mut at = 0;
    for word in words {
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (_, behind) = word.split_at_checked(digits).unwrap_or_default();
        let behind = behind.strip_prefix(b"x").or_else(|| behind.strip_prefix(b"*")).unwrap_or(word);
        if !word.is_empty() && (behind.is_empty() || word == b"x" || is_part(word) || is_part(behind)) {
            from = from.or(Some(at));
        } else if let Some(start) = from.take() {
            // What follows a size may be that of the computer.
            let run = text.get(start..at.min(text.len())).unwrap_or_default().trim_ascii_end();
            let host = matches!(word, b"RAM" | b"memory");
            let run = if host { run.rsplitn(2, |byte| *byte == b' ').last().unwrap_or_default() } else { run };
            let others = ["laptop", "mobile", "notebook", "max-q", "sff", "d"];
            let other = others.iter().any(|other| word.eq_ignore_ascii_case(other.as_bytes()));
            if let Some(card) = one_name(run, true) {
                if other || found.is_some_and(|known| known.name != card.name) {
                    return None;
                }
                found = Some(card);
            }
        }
        at += word.len() + 1;
    }
    found
}

/// Whether a text is the name of a GPU and nothing else.
fn is_gpu(name: &[u8]) -> bool {
    is_name(name) && (is_apple(name) || name::value(What::Gpu, name).is_some())
}

/// A text in which makers and series have their usual letters: "Nvidia rtx 4090" as "NVIDIA RTX 4090".
fn canonical(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for word in text.split_mut(|byte| !byte.is_ascii_alphanumeric()) {
        let letters = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let whole = word.len();
        for length in [whole, letters] {
            let Some(part) = word.get_mut(..length) else { continue };
            let mut known = name::GPU_WORDS.iter().chain(&WORDS);
            if let Some(known) = known.find(|known| part.eq_ignore_ascii_case(known.as_bytes())) {
                part.copy_from_slice(known.as_bytes());
                break;
            }
        }
    }
    text
}

/// What stands between marks, without the number of them: `4x NVIDIA H100`, `2 x RTX 3090s`, `NVIDIA L40S x 2`; a number alone has no name.
fn counted(words: &[u8]) -> Option<(&[u8], u64)> {
    const MOST: u64 = 1_024;
    let marks = |byte: &u8| b" :*`\"'".contains(byte);
    let trim = unmarked;
    let words = words.strip_prefix(WIDE_COLON).unwrap_or(words);
    let end = words.iter().rposition(|byte| !marks(byte) && !b".".contains(byte)).map_or(0, |at| at + 1);
    let words = words.get(..end)?.strip_prefix(b":").unwrap_or(words.get(..end)?);
    let times = |text: &[u8]| {
        ["x", "X", "\u{d7}", "*"].iter().find_map(|mark| text.strip_prefix(mark.as_bytes()).map(<[u8]>::len))
    };
    // Behind the name, or behind its brackets.
    for at in (0..words.len()).filter(|at| *at == 0 || words.get(at - 1) == Some(&b' ')) {
        let here = words.get(at..)?;
        if let Some(rest) = times(here).and_then(|left| here.get(here.len() - left..))
            && let Some(number) = Number::read(rest.trim_ascii()).filter(|number| number.rest.is_empty())
        {
            let count = number.count().filter(|count| (1..=MOST).contains(count))?;
            return Some((trim(words.get(..at)?.trim_ascii_end()), count));
        }
    }
    let words = trim(words);
    if words.is_empty() {
        return None;
    }
    // In front of it.
    let digits = words.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let count = core::str::from_utf8(words.get(..digits)?).ok().and_then(|digits| digits.parse().ok());
    let behind = words.get(digits..)?.trim_ascii_start();
    let behind = times(behind).and_then(|left| behind.get(behind.len() - left..)).unwrap_or(behind);
    match count.filter(|count| (1..=MOST).contains(count)) {
        Some(count) if !behind.is_empty() && behind.len() < words.len() - digits => {
            let name = trim(behind);
            Some((if count > 1 { singular(name) } else { name }, count))
        }
        _ => Some((words, 1)),
    }
}

/// A text behind the marks in front of it.
fn unmarked(text: &[u8]) -> &[u8] {
    let front = text.iter().take_while(|byte| b" :*`\"'".contains(byte)).count();
    text.get(front..).unwrap_or_default()
}

/// "RTX 3090s" where there are several.
fn singular(name: &[u8]) -> &[u8] {
    match name.strip_suffix(b"s") {
        Some(one) if one.last().is_some_and(u8::is_ascii_digit) => one,
        _ => name,
    }
}

/// Whether a text is a size and what it is of: `24 GB`, `24GB VRAM each`.
fn is_memory(text: &[u8]) -> bool {
    let known = |word: &[u8]| ["GB", "GiB", "G", "VRAM", "each", "memory"].iter().any(|it| it.as_bytes() == word);
    let sized = |word: &[u8]| Number::read(word).is_some_and(|number| number.rest.is_empty() || known(number.rest));
    text.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).all(|word| known(word) || sized(word))
}

/// Whether a maker's name is that of a processor.
fn is_processor(text: &[u8]) -> bool {
    ["Ryzen", "Core", "Xeon", "EPYC", "CPU", "Threadripper", "driver", "Driver"]
        .iter()
        .any(|word| scan::has(text, word))
}

/// Whether a name is that of one of Apple's chips without its maker: `M1 Max 64GB`.
fn is_apple(name: &[u8]) -> bool {
    matches!(name, [b'M', b'1'..=b'9'] | [b'M', b'1'..=b'9', b' ', ..])
}

/// Whether a text has the form of a GPU's name and nothing else: maker, series, digits and memory. A host name, a sentence or a size has not.
fn is_name(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.first().is_some_and(u8::is_ascii_uppercase)
        && text.iter().any(u8::is_ascii_digit)
        && text.split(|byte| *byte == b' ').filter(|it| !it.is_empty()).all(is_part)
}

/// Whether a word may be one of a GPU's name.
fn is_part(word: &[u8]) -> bool {
    let known = |piece: &[u8]| {
        let mut words = name::GPU_WORDS.iter().chain(&WORDS);
        words.any(|word| piece == word.as_bytes())
    };
    let mut pieces = word.split(|byte| *byte == b'-');
    let first = pieces.next().unwrap_or_default();
    // At most three letters in front of digits: "MI300X", "24GB", "4090".
    let letters = first.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let number = first.iter().any(u8::is_ascii_digit)
        && first.len() < 10
        && (letters < 4
            && first.iter().skip(letters).all(|byte| {
                // "L40s", "9070xt", and no "3090s", which may be several or a Super.
                byte.is_ascii_digit() || b"ABDGRSTXbgitx".contains(byte) || *byte == b's' && letters > 0
            }));
    // "A100-SXM4-80GB", "RTX-3090", and no "H100-07".
    (number || known(first))
        && pieces.all(|piece| {
            let digits = piece.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let behind = piece.get(digits..).unwrap_or_default();
            known(piece)
                || ["SXM", "HBM"].iter().any(|word| piece.starts_with(word.as_bytes())) && piece.len() == 4
                || digits > 1 && behind == b"GB"
                || digits > 2 && behind.is_empty()
        })
}
