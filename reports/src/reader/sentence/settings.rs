//! Settings of a run in a sentence: `batch size of 2`, `32k context`, `lora_rank = 64`, `QLoRA`. Numbers count where they are one and
//! whole: `1-8`, `8k+` and `4 or 8` say nothing of the run.

use alloc::vec::Vec;

use super::Mention;
use super::machine::Words;
use super::words::{NOT_OWN, TAKEN, TRAINS, has};
use crate::report::Value;
use crate::scan::{self, Number};
use crate::what::What;

/// What people call a setting, the longer name before the shorter one.
const NAMES: [(&str, What); 17] = [
    ("batch size", What::BatchSize),
    ("batchsize", What::BatchSize),
    ("bs", What::BatchSize),
    ("lora rank", What::LoraRank),
    ("lora r", What::LoraRank),
    ("rank", What::LoraRank),
    ("max seq length", What::SeqLength),
    ("max seq len", What::SeqLength),
    ("sequence length", What::SeqLength),
    ("seq length", What::SeqLength),
    ("seq len", What::SeqLength),
    ("context length", What::Context),
    ("context size", What::Context),
    ("context window", What::Context),
    ("context", What::Context),
    ("ctx size", What::Context),
    ("ctx", What::Context),
];

/// The least and the most that a setting may be.
const fn bounds(what: What) -> (u64, u64) {
    match what {
        What::BatchSize => (1, 4_096),
        What::LoraRank => (2, 1_024),
        _ => (128, 1 << 24),
    }
}

/// The settings that a text states.
pub(super) fn settings(words: &Words<'_>, found: &mut Vec<Mention>) {
    let mut at = 0;
    while let Some(token) = words.tokens.get(at) {
        let first = at;
        at += 1;
        let named = NAMES.iter().find_map(|(name, what)| Some((*what, name, behind(words, first, name)?)));
        if let Some((what, name, next)) = named {
            at = next;
            let own = is_own(words, first, what) && (*name != "rank" || scan::has(&words.small, "lora"));
            let number = own.then(|| follows(words, next, name).or_else(|| precedes(words, first, what))).flatten();
            let (least, most) = bounds(what);
            if let Some(number) = number.filter(|number| (least..=most).contains(number)) {
                found.push(Mention::value(what, token.at, Value::Count(number), number));
            }
        } else if matches!(token.text.as_str(), "lora" | "qlora")
            && is_apart(words, first)
            && scan::has_any(&words.small, &TRAINS)
        {
            found.push(Mention::name(What::Adapter, token.at, token.text.clone(), "lora".into()));
        }
    }
}

/// The word behind a name that stands at a place, in one of the ways to write it: `batch size`, `batch_size`, `batch-size`.
fn behind(words: &Words<'_>, at: usize, name: &str) -> Option<usize> {
    let mut next = at;
    for word in name.split(' ') {
        let joined = next == at || matches!(words.front(next), b" " | b"_" | b"-");
        if !joined || words.word(next) != word {
            return None;
        }
        next += 1;
    }
    Some(next)
}

/// Whether a word is no part of a longer name.
fn is_apart(words: &Words<'_>, at: usize) -> bool {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| b"_-/.=\\@".contains(byte));
    // The end of a sentence is no part.
    let next = words.tokens.get(at).and_then(|token| words.text.get(token.end..));
    let (next, after) = (next.and_then(<[u8]>::first), next.and_then(|next| next.get(1)));
    !(part(words.front(at).last()) || part(next) && after.is_some_and(u8::is_ascii_alphanumeric))
}

/// Whether a name is that of the run's own setting: none of all GPUs together, of an evaluation, or of what a model was made for.
fn is_own(words: &Words<'_>, at: usize, what: What) -> bool {
    let before = words.before(at, 1);
    if words.front(at).last().is_some_and(|byte| b"_.".contains(byte)) {
        // `micro_batch_size`, `n_ctx`
        let known = match what {
            What::BatchSize => before == "micro",
            What::Context => matches!(before, "n" | "num"),
            _ => false,
        };
        return known && !words.front(at - 1).last().is_some_and(|byte| b"_.".contains(byte));
    }
    !has(NOT_OWN, before)
}

/// A whole number at the beginning of a text, and nothing that makes it one of several. A `K` is 1,024, and so is a `k` behind a power of two.
fn whole(text: &[u8]) -> Option<u64> {
    let number = Number::read(text)?;
    let count = number.count()?;
    let (scale, rest) = match number.rest {
        [b'k', rest @ ..] if !count.is_power_of_two() => (1_000, rest),
        [b'k' | b'K', rest @ ..] => (1_024, rest),
        rest => (1, rest),
    };
    let digit = |text: &[u8]| text.first().is_some_and(u8::is_ascii_digit);
    // "128 000" may be one number, and "4, 8 and 16" are three.
    let mut several = [" ", ", ", " or ", " and ", " to ", " / "].iter();
    let open = rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+%_/~-".contains(byte))
        || several.any(|mark| rest.strip_prefix(mark.as_bytes()).is_some_and(digit))
        || [&b" -"[..], b" x", b" \xe2", b" GB", b" %"].iter().any(|mark| rest.starts_with(mark));
    count.checked_mul(scale).filter(|_| !open)
}

/// The number behind a name: `batch size of 2`, `context: 8192`.
fn follows(words: &Words<'_>, at: usize, name: &str) -> Option<u64> {
    let mut next = at;
    while next < at + 2 && matches!(words.word(next), "of" | "is" | "to" | "at" | "was") {
        next += 1;
    }
    let near = words.front(next);
    // "bs=16", and no "bs 16".
    let set = near.iter().any(|byte| b"=:".contains(byte));
    let close = near.len() < 5 && near.iter().all(|byte| b" =:`'\"*(|".contains(byte));
    let token = words.tokens.get(next).filter(|_| close && (set || name != "bs"))?;
    whole(words.text.get(token.at..)?)
}

/// The number in front of a name: `32k context`, `8192 sequence length`.
fn precedes(words: &Words<'_>, at: usize, what: What) -> Option<u64> {
    let before = at.checked_sub(1)?;
    let token = words.tokens.get(before)?;
    let plain = words.front(before).last().is_none_or(|byte| b" (`*".contains(byte));
    let length = matches!(what, What::Context | What::SeqLength) && matches!(words.front(at), b" " | b"-");
    let other =
        (1..4).any(|steps| has(TAKEN, words.before(before, steps)) || has(NOT_OWN, words.before(before, steps)));
    // The dash of "32k-context" is no other number's.
    whole(words.text.get(token.at..token.end)?).filter(|_| plain && length && !other)
}
