//! The machine in a sentence beside its GPUs: `64GB of RAM`, `M3 Max 64GB`, `TPU v5e-8`, and over how many ranks a model is split, `TP=8`.

use alloc::string::ToString as _;
use alloc::vec::Vec;

use super::gpus::{Token, gpus, tokens};
use super::words::{HOSTS, KINDS, NO_MORE, PARTED, TAKEN, has};
use super::{Mention, NEAR};
use crate::report::Value;
use crate::scan::{self, Number};
use crate::size::{Base, Size, Unit};
use crate::what::What;

/// More than any one GPU has: beside a GPU's name it is the computer's.
const NO_GPU: i64 = 300 << 30;
/// Ranks that share a layer, and chips of a TPU, at most.
const MOST_RANKS: u64 = 64;
const MOST_CHIPS: u64 = 1_024;
/// Words in front of a number that say what it is of.
const FRONT: usize = 3;

/// The words of a text.
pub(super) struct Words<'a> {
    pub(super) text: &'a [u8],
    /// The same in small letters.
    pub(super) small: Vec<u8>,
    pub(super) tokens: Vec<Token>,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self { text, small: text.to_ascii_lowercase(), tokens: tokens(text) }
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    /// A word before one.
    pub(super) fn before(&self, at: usize, steps: usize) -> &str {
        at.checked_sub(steps).map_or("", |at| self.word(at))
    }

    /// What stands between a word and the one before it.
    pub(super) fn front(&self, at: usize) -> &'a [u8] {
        let from = at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.end);
        self.text.get(from..self.tokens.get(at).map_or(from, |token| token.at)).unwrap_or_default()
    }

    /// A size in GB or TB that begins with a word, and the place of the word behind it.
    pub(super) fn size(&self, at: usize) -> Option<(Size, usize)> {
        let token = self.tokens.get(at)?;
        // "1.5TB" begins with its first digit.
        if self.front(at).ends_with(b".") || !token.text.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let text = self.text.get(token.at..)?;
        let number = Number::read(text)?;
        let (unit, rest) = Unit::read(number.rest)?;
        let size =
            number.size(unit.bytes(Base::Binary)).filter(|size| size.bytes >= 1 << 32 && size.bytes < 1 << 45)?;
        // A unit of its own stands close by, and "4 g" may be anything.
        let end = self.text.len() - rest.len();
        let whole = unit.bytes(Base::Binary) >= 1 << 30 && !number.rest.starts_with(b"  ");
        let next = at + self.tokens.get(at..)?.iter().take_while(|token| token.at < end).count();
        whole.then_some((size, next))
    }
}

/// The memory of the computer that a text names. What is used of it, what is needed and what a GPU has is another.
pub(super) fn memory(words: &Words<'_>, found: &mut Vec<Mention>) {
    for at in 0..words.tokens.len() {
        let (Some((size, next)), Some(token)) = (words.size(at), words.tokens.get(at)) else { continue };
        let not_all = (1..=FRONT).any(|steps| has(TAKEN, words.before(at, steps)));
        if (is_behind(words, at, next, size) || is_labelled(words, at)) && !not_all {
            found.push(Mention::memory(What::HostCapacity, token.at, size));
        }
    }
}

/// The memory of the GPU, or of all GPUs together, that a text tells without their names: `24GB of VRAM`, `a 24GB GPU`, `VRAM: 16 GB`.
pub(super) fn capacity(words: &Words<'_>, found: &mut Vec<Mention>) {
    // "an RTX 3060 with 12GB VRAM" is that GPU's.
    if found.iter().any(|mention| mention.what == What::Gpu) {
        return;
    }
    for at in 0..words.tokens.len() {
        let (Some((size, next)), Some(token)) = (words.size(at), words.tokens.get(at)) else { continue };
        let next = next + usize::from(words.word(next) == "of");
        let close = matches!(words.front(next), b" " | b"-" | b"");
        let named = close && matches!(words.word(next), "vram" | "gpu" | "card") && is_last(words, next + 1);
        // "a GPU with 24GB of memory"
        let with = words.before(at, 1) == "with"
            && matches!(words.before(at, 2), "gpu" | "card")
            && matches!(words.word(next), "memory" | "vram");
        let label = words.front(at);
        let labelled = words.before(at, 1) == "vram"
            && label.len() < 5
            && label.iter().all(|byte| b" :=*`|".contains(byte))
            && label.iter().any(|byte| b":=|".contains(byte));
        // "it uses 77GB of RAM and 96GB of VRAM" tells no capacity; a GPU's memory is what is meant here.
        let in_use = (1..=3 * FRONT).any(|steps| {
            let word = words.before(at, steps);
            word != "gpu" && has(TAKEN, word)
        });
        if (named || labelled || with) && !in_use {
            found.push(Mention::memory(What::StatedCapacity, token.at, size));
        }
    }
}

/// Whether the words behind a size say that it is the computer's: `64GB of system RAM`, `128GB DDR5`.
fn is_behind(words: &Words<'_>, at: usize, next: usize, size: Size) -> bool {
    let (mut end, mut said) = (next, false);
    while end < next + 5 {
        let (word, near) = (words.word(end), words.front(end));
        let joined = near.len() < 4 && near.iter().all(|byte| b" -*".contains(byte));
        let ddr = word.starts_with("ddr") || word.starts_with("lpddr");
        if !joined || word.is_empty() {
            return said && is_last(words, end);
        }
        match word {
            "ram" | "memory" if said || word == "ram" || is_mac(words) => {
                return is_last(words, end + 1) && (said || size.bytes > NO_GPU || !beside_gpu(words, at));
            }
            _ if has(HOSTS, word) => said = true,
            _ if ddr => said = true,
            _ if has(KINDS, word) => {}
            // "128GB DDR5 at 6000" is whole by now.
            _ => return said && words.before(end, 1).contains("ddr") && is_last(words, end),
        }
        end += 1;
    }
    false
}

/// Whether the word at a place makes no other memory of what stands in front of it.
fn is_last(words: &Words<'_>, at: usize) -> bool {
    words.front(at).iter().any(|byte| b",.;|)".contains(byte)) || !has(NO_MORE, words.word(at))
}

/// Whether a text is about a computer of Apple's, whose memory is all that there is.
fn is_mac(words: &Words<'_>) -> bool {
    words.tokens.iter().any(|token| matches!(token.text.as_str(), "mac" | "macbook" | "imac"))
}

/// Whether a label in front of a size is the computer's: `System RAM: 32GB`, `cpu ram 1Tb`.
fn is_labelled(words: &Words<'_>, at: usize) -> bool {
    let near = words.front(at);
    let colon = near.iter().any(|byte| b":=".contains(byte));
    let host = has(HOSTS, words.before(at, 2));
    let word = words.before(at, 1);
    near.len() < 8
        && near.iter().all(|byte| b" :=*`~".contains(byte))
        && (word == "ram" && (colon || host) || word == "memory" && host)
}

/// Whether a memory that is only called RAM may be a GPU's: `RTX 3060 with 12GB RAM`.
fn beside_gpu(words: &Words<'_>, at: usize) -> bool {
    let end = words.tokens.get(at).map_or(0, |token| token.at);
    let front = words.text.get(end.saturating_sub(NEAR)..end).unwrap_or_default();
    let parted = (0..front.len()).rev().find(|from| {
        front.get(*from..).is_some_and(|rest| PARTED.iter().any(|word| rest.starts_with(word.as_bytes())))
    });
    let front = front.get(parted.unwrap_or(0)..).unwrap_or_default();
    let mut named = Vec::new();
    gpus(&Words::of(front), &mut named);
    !named.is_empty() || scan::has_any(front, &["GPU", "gpu", "card"])
}

/// Apple's chips, which count with their memory alone: one name has several.
pub(super) fn apple(words: &Words<'_>, found: &mut Vec<Mention>) {
    for (at, token) in words.tokens.iter().enumerate() {
        let chip = token.text.as_str();
        let kind = [("pro", " Pro"), ("max", " Max"), ("ultra", " Ultra")]
            .iter()
            .find(|(word, _)| *word == words.word(at + 1));
        let plain = kind.is_none() && matches!(words.before(at, 1), "apple" | "mini" | "air");
        // "my M2 with 16GB"
        let mine = kind.is_none() && matches!(words.before(at, 1), "my" | "on" | "an");
        if !matches!(chip, "m1" | "m2" | "m3" | "m4" | "m5") || !(kind.is_some() || plain || mine) {
            continue;
        }
        let core = ["Apple ", &chip.to_ascii_uppercase(), kind.map_or("", |(_, name)| name)].concat();
        let mut behind = at + 1 + usize::from(kind.is_some());
        while matches!(
            words.word(behind),
            "chip" | "with" | "a" | "mac" | "macbook" | "studio" | "mini" | "only" | "has"
        ) {
            behind += 1;
        }
        // "M1 Max, 64GB", "M3 Ultra with 256GB", "64GB M1 Max"
        let close = words.front(behind).len() < 4;
        let front =
            at.checked_sub(1).map(|front| if words.word(front) == "apple" { front.saturating_sub(1) } else { front });
        let front = front.map(|front| if words.word(front).starts_with('g') { front.saturating_sub(1) } else { front });
        let size =
            words.size(behind).filter(|_| close).or_else(|| words.size(front?)).map(|(size, _)| size.bytes >> 30);
        let gigabytes = size.and_then(|size| u64::try_from(size).ok()).filter(|size| *size < 1_024).unwrap_or(0);
        if mine && gigabytes == 0 {
            continue;
        }
        let name = if gigabytes > 0 { [&core, " ", &gigabytes.to_string(), "GB"].concat() } else { core.clone() };
        found.push(Mention { gigabytes, weak: gigabytes == 0, ..Mention::name(What::Gpu, token.at, name, core) });
    }
}

/// Google's TPUs, with the chips of a slice: `v5e-8`, `v5litepod-4`, `TPU v4-32`.
pub(super) fn tpus(words: &Words<'_>, found: &mut Vec<Mention>) {
    let tpu = scan::has_any(words.text, &["TPU", "tpu"]);
    for (at, token) in words.tokens.iter().enumerate() {
        // What a slice of these is called by counts their cores, of which a chip has two.
        let lite = token.text == "v5" && matches!(words.word(at + 1), "lite" | "litepod");
        let (name, cores) = match token.text.as_str() {
            "v5e" | "v5litepod" | "v5lite" => ("TPU v5e", 1),
            "v5" if lite && words.front(at + 1) == b"-" => ("TPU v5e", 1),
            "v6e" => ("TPU v6e", 1),
            "v5p" => ("TPU v5p", 2),
            "v4" if tpu => ("TPU v4", 2),
            _ => continue,
        };
        if words.front(at).last().is_some_and(|byte| b"_/.\\@".contains(byte)) {
            continue;
        }
        let behind = at + 1 + usize::from(lite);
        let slice = words.word(behind).parse::<u64>().ok().filter(|_| words.front(behind) == b"-");
        let count = slice.filter(|slice| *slice % cores == 0).map_or(1, |slice| slice / cores);
        if (1..=MOST_CHIPS).contains(&count) {
            found.push(Mention { count, ..Mention::name(What::Gpu, token.at, name.into(), name.into()) });
        }
    }
}

/// Over how many ranks a text says that a model is split: `TP=8`, `tensor parallel size 4`, `with tp 2`.
pub(super) fn ranks(words: &Words<'_>, found: &mut Vec<Mention>) {
    let text = words.text;
    // A program calls the rank that writes so: `[10:00:00 TP1] Load weight begin`.
    if matches!(text.trim_ascii_start().first(), Some(b'[' | b'(')) {
        return;
    }
    for (at, token) in words.tokens.iter().enumerate() {
        let long = words.word(at + 1).starts_with("parallel") && words.front(at + 1).len() == 1;
        let short = token.text.get(..2).unwrap_or_default();
        let (what, mut behind) = match (token.text.as_str(), short) {
            ("tensor", _) if long => (What::TensorParallel, at + 2),
            ("pipeline", _) if long => (What::PipelineParallel, at + 2),
            ("tp", _) => (What::TensorParallel, at + 1),
            ("pp", _) => (What::PipelineParallel, at + 1),
            ("dp", _) => (What::DataParallel, at + 1),
            ("ep", _) => (What::ExpertParallel, at + 1),
            (_, "tp") => (What::TensorParallel, at),
            _ => continue,
        };
        while matches!(words.word(behind), "size" | "degree" | "of" | "to") {
            behind += 1;
        }
        let near = words.front(behind);
        let set = near.iter().any(|byte| b"=:".contains(byte)) && near.len() < 4;
        let digits = if behind == at { token.text.get(2..).unwrap_or_default() } else { words.word(behind) };
        // "pp 512" is a prompt, and "TP3]" a rank.
        let close = behind == at || set || near.len() == 1 && (long || what == What::TensorParallel);
        let next = words.tokens.get(behind).and_then(|token| text.get(token.end));
        let ranks =
            digits.parse::<u64>().ok().filter(|ranks| (1..=MOST_RANKS).contains(ranks) && !digits.starts_with('0'));
        let Some(ranks) = ranks.filter(|_| close && !next.is_some_and(|byte| b"]%/_".contains(byte))) else { continue };
        let value = if what == What::ExpertParallel { Value::Flag(ranks > 1) } else { Value::Count(ranks) };
        found.push(Mention::value(what, token.at, value, ranks));
    }
}
