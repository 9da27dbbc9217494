//! Texts that a terminal folded: each line that reached its width was broken there, in the middle of words and numbers.

use core::ops::RangeInclusive;

/// Bytes at the beginning of a text that say whether it was folded.
pub(crate) const HEAD: usize = 64 << 10;
/// Columns of the narrowest terminal at which lines are taken for folded.
pub(crate) const NARROWEST: usize = 72;
/// Columns of terminals.
const WIDTHS: RangeInclusive<usize> = NARROWEST..=400;
/// Columns of the colours in which vLLM prints the process in front of a line, `[1;36m` and `[0;0m`: a copy of the text has lost them.
const COLOURS: usize = 11;
/// Columns before the last one in which lines of a text end that was wrapped between words.
const NEAR: usize = 10;

/// The letters of a line, without what ends it.
pub(crate) fn columns(line: &[u8]) -> usize {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Every byte of a letter but its first begins with these bits.
    line.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// Whether a line begins as the one before it does, whatever the numbers are: both are lines of their own.
pub(crate) fn alike(one: &[u8], other: &[u8]) -> bool {
    let begin = |line: &[u8]| {
        line.first_chunk::<4>().map(|head| head.map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }))
    };
    begin(one).is_some() && begin(one) == begin(other)
}

/// The width at which a text was folded, by its beginning; nothing where it most likely was not.
///
/// Its longest lines have exactly this width, lines that are a little shorter are rare, and lines go on in the middle of a word.
pub(crate) fn width(head: &[u8]) -> Option<usize> {
    let lines = || head.split(|byte| *byte == b'\n');
    let widest = lines().map(columns).max().filter(|widest| WIDTHS.contains(widest))?;
    let (mut full, mut near, mut words) = (0_usize, 0_usize, 0_usize);
    for (line, next) in lines().zip(lines().skip(1)) {
        let length = columns(line);
        if length < widest {
            near += usize::from(length + NEAR >= widest);
            continue;
        }
        if alike(line, next) || begins_with_name(next) {
            continue;
        }
        full += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let ends = line.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let goes_on = next.first().is_some_and(|byte| byte.is_ascii_lowercase() || *byte == b'_');
        words += usize::from(ends && goes_on);
    }
    (full >= 2 && words >= 1 && words * 6 >= full && near * 4 <= full).then_some(widest)
}

/// Whether a line begins with the name of a function and a colon, as the next line of a log does and the rest of a folded one seldom.
fn begins_with_name(line: &[u8]) -> bool {
    let name = line.iter().take_while(|byte| byte.is_ascii_lowercase() || **byte == b'_').count();
    name >= 8 && line.get(name) == Some(&b':')
}

/// Whether a line of a text that was folded at a width goes on in the next one.
pub(crate) fn is_full(line: &[u8], width: usize) -> bool {
    let columns = columns(line);
    columns == width || line.first() == Some(&b'(') && columns + COLOURS == width
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn folded(text: &str, width: usize) -> String {
        let lines = text.lines().flat_map(|line| line.as_bytes().chunks(width));
        let lines: Vec<&str> = lines.map(|line| core::str::from_utf8(line).unwrap()).collect();
        lines.join("\n")
    }

    const MESSAGE: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.11 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 68.36 GiB memory in use.";

    #[test]
    fn folded_texts_are_told_from_others() {
        for columns in [72, 80, 100] {
            assert_eq!(width(folded(MESSAGE, columns).as_bytes()), Some(columns));
        }
        assert_eq!(width(MESSAGE.as_bytes()), None);
        // Wrapped between words, a table, and lines of one form.
        let long = alloc::format!("LOAD: {}\nother_function: it says something\n", "x".repeat(80));
        let functions = alloc::format!("short\nother_function: it says something\n{long}short\n{long}");
        let wrapped = "a text that somebody wrote and that is wrapped between its words at eighty of them\n".repeat(9);
        let table =
            "|   0  NVIDIA L40S                    On  |   00000000:8D:00.0 Off |                    0 |\n".repeat(9);
        let lines = (10..40).map(|at| {
            alloc::format!("2026-01-01 10:00:{at} INFO worker one has taken another request out of the queue\n")
        });
        for text in [wrapped, table, lines.collect(), functions] {
            assert_eq!(width(text.as_bytes()), None, "{text}");
        }
    }
}
