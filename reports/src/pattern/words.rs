//! Where words of a line begin and end.

use crate::report::Device;
use crate::scan::{self, Number};
use crate::size::Unit;

/// How far a hole goes whose end is known by what stands behind it; to the end of the line where nothing does.
pub(super) fn until(text: &[u8], next: &str) -> Option<usize> {
    let words = next.trim_start();
    if words.is_empty() {
        // Up to a space, or to the end of the line.
        let space = memchr::memchr(b' ', text).filter(|_| !next.is_empty());
        return Some(space.unwrap_or(text.len()));
    }
    // A run of spaces may be longer than the one in the pattern.
    let first = words.split(' ').next().unwrap_or(words);
    let mut from = 0;
    loop {
        let at = from + scan::find(text.get(from..)?, first.as_bytes())?;
        if scan::covered(text.get(at..)?, words.as_bytes()).is_some() {
            let spaces = text.get(..at)?.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
            return Some(if next.starts_with(' ') { at - spaces } else { at });
        }
        from = at + 1;
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The word or the number with its unit in front of a place, and where it begins.
pub(super) fn word_before(text: &[u8], at: usize) -> Option<(usize, &[u8])> {
    let front = text.get(..at)?.trim_ascii_end();
    let start = |end: &[u8]| end.iter().rposition(|byte| matches!(byte, b' ' | b'\t' | b'(')).map_or(0, |at| at + 1);
    // Brackets that hold nothing are a part of a name: `Meta()`.
    let last = start(front.strip_suffix(b"()").unwrap_or(front));
    let word = front.get(last..)?;
    // "19.65 MiB" are two words, "19.65MiB" is one.
    if word.first().is_some_and(u8::is_ascii_alphabetic) && Unit::read(word).is_some_and(|(_, rest)| rest.is_empty()) {
        let front = front.get(..last)?.trim_ascii_end();
        let last = start(front);
        return Some((last, text.get(last..at)?));
    }
    Some((last, word))
}

/// The device of a buffer of ggml: `CUDA0`, `ROCm1`, `Vulkan0`, `SYCL0`, `Metal`, `CPU`, `CUDA_Host`, `CPU_Mapped`.
pub(crate) fn buffer(word: &[u8]) -> Option<Device> {
    // Each GPU's part of what is spread over all of them.
    if word == b"Meta()" {
        return Some(Device::Unsaid);
    }
    if !word.first()?.is_ascii_alphabetic() || !word.iter().all(|byte| is_word(*byte)) {
        return None;
    }
    let host =
        word.starts_with(b"CPU") || word.ends_with(b"_Host") || word.eq_ignore_ascii_case(b"host") || word == b"BLAS";
    if host {
        return Some(Device::Host);
    }
    let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let number = word.get(word.len() - digits..).and_then(Number::read).and_then(|number| number.count());
    Some(Device::Gpu(number.and_then(|number| u16::try_from(number).ok()).unwrap_or(0)))
}
