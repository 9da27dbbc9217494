//! The GPU as a person or a banner names it: in words of any kind, of which nothing but the name may be kept.

use alloc::vec::Vec;

use super::State;
use super::sentence::{Said, with_memory};
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

/// The GPU as a person names it in a text.
#[derive(Debug)]
pub(super) struct Named {
    source: u16,
    /// Nothing where labels name several, of which nobody says which one it was.
    fact: Option<Fact>,
    /// How many there are, where that is said.
    count: u64,
}

impl State {
    /// Keeps the GPU that a person or a list of the environment names: `**GPU:** RTX 3090 (24 GB)`, `GPU 0,1: NVIDIA H200`.
    pub(super) fn keep_name(&mut self, line: &Line, at: usize) {
        let rest = line.text.get(at..).unwrap_or_default();
        let rest = rest.get(..LONGEST_NAME).unwrap_or(rest);
        let colon = rest.iter().take(LONGEST_WORD).position(|byte| matches!(byte, b':' | b'|'));
        let Some(colon) = colon.filter(|_| line.text.len() <= LONGEST_LINE) else { return };
        let (label, text) = line.text.split_at_checked(at + colon + 1).unwrap_or_default();
        // "Recommended GPU: RTX 4090", "GPU (works): RTX 4090", "GPU hours: 512".
        if scan::has_any(label, &["ecommend", "inimum", "equire", "upport", "ested", "works", "river", "hours"]) {
            return;
        }
        let Some((name, count)) = one_name(text.get(..LONGEST_NAME).unwrap_or(text)) else { return };
        // "Apple M4 Max (36 GB unified memory)" has less than the largest of that name.
        if name.starts_with(b"Apple") && scan::has_any(text, &["GB", "Gb", "GiB"]) {
            return;
        }
        let Some(value) = name::value(What::Gpu, name) else { return };
        let place = line.place(label.len() + offset(text, name));
        let fact = Fact { place, device: Device::Unsaid, what: What::Gpu, value };
        let source = self.source;
        let number = numbered(label.get(at..).unwrap_or_default());
        let count = number.map_or(count, |numbers| count.max(numbers.1));
        match self.prose.last_mut().filter(|known| known.source == source) {
            // "GPU 0: NVIDIA GeForce RTX 4090" is "GPU: RTX 4090" too, and no RTX 3090.
            Some(known) => {
                known.fact = known.fact.take().filter(|known| is_same(&known.value, &fact.value));
                // "GPU 1: NVIDIA GeForce RTX 4090" below it is another one.
                known.count = known.count.max(number.map_or(count, |numbers| numbers.0 + 1));
            }
            None => self.prose.push(Named { source, fact: Some(fact), count }),
        }
    }

    /// Adds the names in a text to the report of its failure or, without one, to its last report. A name that a program printed itself is
    /// not replaced, and a label counts more than a sentence.
    pub(super) fn give_names(&mut self) {
        let mut names = core::mem::take(&mut self.prose);
        let mut said = core::mem::take(&mut self.said);
        with_memory(&mut said);
        said.retain(Said::is_one);
        // How many there are may be said apart from a label: "GPU type: NVIDIA L20", "on 4 L20".
        for known in &mut names {
            let fact = known.fact.as_ref();
            let same =
                said.iter().find(|said| said.source == known.source && fact.is_some_and(|fact| said.is_of(fact)));
            known.count = known.count.max(same.map_or(1, |said| said.count));
        }
        // What is labelled is a GPU.
        let labelled: Vec<u16> = names.iter().map(|known| known.source).collect();
        let said = said.into_iter();
        let said = said.filter(|said| said.fact.what != What::Gpu || !labelled.contains(&said.source));
        // How many GPUs there are is known before the model.
        let (gpus, others): (Vec<Said>, Vec<Said>) = said.partition(|said| said.fact.what == What::Gpu);
        let by_label = |Said { source, fact, count, .. }: Said| Named { source, fact: Some(fact), count };
        names.extend(gpus.into_iter().chain(others).map(by_label));
        self.describe(&names);
        for Named { source, fact, count } in names {
            let Some(fact) = fact else { continue };
            let known = |report: &Report| report.source == source && is_told(report, fact.what);
            if self.found.reports.iter().any(known) {
                continue;
            }
            let own = |report: &&mut Report| report.source == source;
            let mut reports: Vec<&mut Report> = self.found.reports.iter_mut().filter(own).collect();
            let failed = reports.iter().rposition(|report| report.is_failure());
            let at = failed.or_else(|| reports.len().checked_sub(1));
            if let Some(report) = at.and_then(|at| reports.get_mut(at)) {
                // On how many GPUs the weights lie is not said: a model that nothing else names is not compared with them.
                let apart = report.has(What::Weights) && !report.has(What::TensorParallel);
                if fact.what == What::Model && apart && report.count(What::GpuCount).is_some_and(|gpus| gpus > 1) {
                    continue;
                }
                if count > 1 && !report.has(What::GpuCount) {
                    let value = Value::Count(count);
                    report.add(Fact { place: fact.place, device: Device::Unsaid, what: What::GpuCount, value });
                }
                report.add(fact);
            }
        }
    }

    /// A text without any output of a program that says two things of a run, one of them its GPU or its model, describes it.
    fn describe(&mut self, names: &[Named]) {
        for Named { source, .. } in names {
            let fact = |is: &dyn Fn(What) -> bool| {
                let own = names.iter().filter(|named| named.source == *source);
                own.filter_map(|named| named.fact.as_ref()).find(|fact| is(fact.what))
            };
            let first = fact(&|what| matches!(what, What::Gpu | What::Model));
            let other = first.and_then(|first| fact(&|what| what != first.what));
            let (Some(first), Some(other)) = (first, other) else { continue };
            if self.found.reports.iter().any(|report| report.source == *source) {
                continue;
            }
            let lines = [first.place.line, other.place.line];
            let mut report = Report::new(Kind::Description, *source, lines[0].min(lines[1]));
            report.to = lines[0].max(lines[1]);
            self.found.reports.push(report);
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

/// Whether a report says already what a sentence does, in words of its own, or is of a program whose setting is another.
fn is_told(report: &Report, what: What) -> bool {
    let any = |known: &[What]| known.iter().any(|known| report.has(*known));
    let serves = matches!(
        report.kind,
        Kind::Vllm
            | Kind::Sglang
            | Kind::TensorRtLlm
            | Kind::Tgi
            | Kind::Lmdeploy
            | Kind::LlamaCpp
            | Kind::Ollama
            | Kind::Ggml
            | Kind::LmStudio
            | Kind::Exllama
            | Kind::Mlc
            | Kind::ComfyUi
            | Kind::WebUi
    );
    match what {
        What::Context => any(&[What::MaxModelLen, What::Context, What::SeqLength, What::Cells]),
        What::SeqLength => serves || any(&[What::MaxModelLen, What::SeqLength]),
        What::BatchSize | What::LoraRank | What::Adapter => serves || report.has(what),
        What::StatedCapacity => any(&[What::Capacity, What::Gpu]),
        what => report.has(what),
    }
}

/// The highest number in a label such as `GPU 0,1,2`, or `GPU 0-7`, and how many there are.
fn numbered(label: &[u8]) -> Option<(u64, u64)> {
    let numbers = label.strip_prefix(b"GPU ")?.strip_suffix(b":")?;
    let (mut most, mut count) = (0, 0);
    for part in numbers.split(|byte| *byte == b',') {
        let first = Number::read(part)?;
        let from = first.count().filter(|number| *number < 1_024)?;
        let last = match first.rest {
            [] => from,
            [b'-', rest @ ..] => Number::read(rest)
                .filter(|last| last.rest.is_empty())?
                .count()
                .filter(|last| (from..1_024).contains(last))?,
            _ => return None,
        };
        (most, count) = (most.max(last), count + last - from + 1);
    }
    Some((most, count))
}

/// Whether two names are of one GPU: the shorter may lack the maker.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Name(one), Value::Name(other)) => one.ends_with(&**other) || other.ends_with(&**one),
        _ => false,
    }
}

/// Where a part of a text begins in it.
fn offset(text: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// The GPU that a text names, with the memory in brackets behind it, and how many there are. Nothing where the text names two kinds, as it
/// does not say which one the run used, or a laptop's GPU, which has less memory than its namesake.
fn one_name(text: &[u8]) -> Option<(&[u8], u64)> {
    if scan::has_any(text, &["aptop", "obile", "LAPTOP", "Max-Q"]) {
        return None;
    }
    let mut found: Option<(&[u8], u64)> = None;
    let mut at = 0;
    for words in text.split(|byte| b",;([)]+&|/".contains(byte)) {
        let front = at;
        at += words.len() + 1;
        let (name, count) = counted(words);
        let Some((known, before)) = found else {
            if is_gpu(name) {
                found = Some((name, count));
            } else if is_other(name) || count > 1 {
                // "8 (A100 80GB)" too.
                return None;
            }
            continue;
        };
        // "RTX 3090 (24 GB) x 2"
        if name.is_empty() {
            found = Some((known, before.max(count)));
        } else if known == name {
            found = Some((known, before + count));
        } else if is_other(name) {
            return None;
        } else if is_memory(words) {
            // "RTX 3060 (6 GB)" is a laptop's: two of one name may differ in it.
            let whole = text.get(offset(text, known)..at).filter(|whole| whole.ends_with(b")"));
            let next = text.get(offset(text, known) + known.len()..front).is_some_and(|it| it.trim_ascii() == b"(");
            found = Some((whole.filter(|_| next).unwrap_or(known), before));
        }
    }
    found
}

/// Whether words are the memory of one GPU: `24 GB`, `48GB VRAM`, `24 GB each`; `64 GB RAM` and `80 GB total` are not.
fn is_memory(words: &[u8]) -> bool {
    Number::read(words.trim_ascii())
        .is_some_and(|size| matches!(size.rest.trim_ascii(), b"G" | b"GB" | b"GiB" | b"GB VRAM" | b"GB each"))
}

/// What stands between marks, without the number of them: `4x NVIDIA H100`, `NVIDIA L40S x 2`; a number alone has no name.
fn counted(words: &[u8]) -> (&[u8], u64) {
    let front = words.iter().take_while(|byte| b" \t:*`>-".contains(byte)).count();
    let end = words.iter().rposition(|byte| !b" .*`".contains(byte)).map_or(front, |at| at + 1);
    let words = words.get(front..end).unwrap_or_default();
    let times = |byte: &u8| matches!(byte, b'x' | b'*');
    let few = |number: &Number<'_>| number.count().filter(|count| (1..1_024).contains(count));
    if let Some(at) = words.iter().rposition(times)
        && let Some(number) = words.get(at + 1..).map(<[u8]>::trim_ascii).and_then(Number::read)
        && let (Some(count), true) = (few(&number), number.rest.is_empty())
    {
        return (words.get(..at).unwrap_or_default().trim_ascii_end(), count);
    }
    if let Some(number) = Number::read(words)
        && let Some(count) = few(&number)
    {
        let name = number.rest.trim_ascii_start();
        // "16 GB RTX 4080"
        if name.starts_with(b"G") {
            return (words, 1);
        }
        let name = if name.first().is_some_and(times) { name.get(1..).unwrap_or_default() } else { name };
        return (name.trim_ascii_start(), count);
    }
    (words, 1)
}

/// Whether a text is the name of a GPU and nothing else.
fn is_gpu(name: &[u8]) -> bool {
    is_name(name) && !is_processor(name) && name::value(What::Gpu, name).is_some()
}

/// Whether a text names a GPU among other words, if only by its number.
fn is_other(name: &[u8]) -> bool {
    name.split(|byte| *byte == b' ').any(is_short) || name::value(What::Gpu, name).is_some() && !is_processor(name)
}

/// Whether a word is as short as what people call a GPU: `T4`, `P40`, `A10G`, `3090`.
fn is_short(word: &[u8]) -> bool {
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let capital = word.first().is_some_and(u8::is_ascii_uppercase);
    digits > 0
        && word.len() < 5
        && if capital { word.len() - digits < 3 && word.iter().all(u8::is_ascii_alphanumeric) } else { digits == 4 }
}

/// Whether a maker's name is that of a processor.
fn is_processor(text: &[u8]) -> bool {
    const WORDS: [&str; 11] =
        ["Ryzen", "Core", "Xeon", "EPYC", "CPU", "Threadripper", "driver", "Driver", "Intel i", "Intel N", "X3D"];
    scan::has_any(text, &WORDS)
}

/// Whether a text looks like the name of a GPU and nothing else: maker, series, digits and memory. A host name, a sentence or a size does not.
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
        words.any(|word| piece.eq_ignore_ascii_case(word.as_bytes()))
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
