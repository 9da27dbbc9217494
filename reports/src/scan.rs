//! Small steps over bytes: spaces, words, numbers. None of them fails or allocates.

use crate::size::{MOST, Size};

/// White space within a line, the unbreakable and the narrow space of web pages included.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0xc2 | 0xa0 | 0xe2 | 0x80 | 0xaf)
}

/// The text without spaces in front.
pub(crate) fn unspaced(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| is_space(**byte)).count();
    text.get(spaces..).unwrap_or_default()
}

/// Where `words` stand in a text.
pub(crate) fn find(text: &[u8], words: &[u8]) -> Option<usize> {
    let first = *words.first()?;
    // Where the words may still begin.
    let ends = (text.len() + 1).checked_sub(words.len())?;
    let mut from = 0;
    while let Some(step) = memchr::memchr(first, text.get(from..ends)?) {
        let at = from + step;
        if text.get(at..)?.starts_with(words) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Whether a text has these words.
#[inline(never)]
pub(crate) fn has(text: &[u8], words: &str) -> bool {
    find(text, words.as_bytes()).is_some()
}

/// Whether a text has one of several words.
pub(crate) fn has_any(text: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| has(text, word))
}

/// A text cut at some words, of which it may have none.
pub(crate) fn cut<'a>(text: &'a str, words: &str) -> Option<(&'a str, &'a str)> {
    let at = find(text.as_bytes(), words.as_bytes())?;
    Some((text.get(..at)?, text.get(at + words.len()..)?))
}

/// What stands behind some words.
pub(crate) fn behind<'a>(text: &'a [u8], words: &str) -> Option<&'a [u8]> {
    text.get(find(text, words.as_bytes())? + words.len()..)
}

/// How much of a text is covered by a literal in which any run of spaces stands for any other; `None` where it is another text.
pub(crate) fn covered(text: &[u8], literal: &[u8]) -> Option<usize> {
    let (mut at, mut rest) = (0, literal);
    while let Some((wanted, tail)) = rest.split_first() {
        let here = *text.get(at)?;
        if *wanted == b' ' {
            if !is_space(here) {
                return None;
            }
            at += text.get(at..)?.iter().take_while(|byte| is_space(**byte)).count();
            rest = unspaced(tail);
        } else if here == *wanted {
            (at, rest) = (at + 1, tail);
        } else {
            return None;
        }
    }
    Some(at)
}

/// Whether a text breaks off inside a literal, after its beginning or any part of it.
pub(crate) fn ends_within(text: &[u8], literal: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    (0..=literal.len()).any(|end| {
        let begun = literal.get(..end).unwrap_or_default().trim_ascii_end();
        covered(text, begun).is_some_and(|covered| covered == text.len())
    })
}

/// A number at the beginning of a text, digit by digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number<'a> {
    negative: bool,
    /// The digits without their point.
    digits: u128,
    /// Digits behind the point.
    places: u32,
    /// What stands behind it.
    pub(crate) rest: &'a [u8],
}

/// More digits than this are cut off behind the point, and too many in front of it.
const DIGITS: u32 = 24;

impl<'a> Number<'a> {
    /// Reads `1,234.5`, `-0.41`, `20`; behind spaces. Groups have three digits.
    pub(crate) fn read(text: &'a [u8]) -> Option<Self> {
        Self::pointed(text, b'.')
    }

    /// Reads `1900,50`, as programs print it where the comma is the point.
    pub(crate) fn with_comma(text: &'a [u8]) -> Option<Self> {
        Self::pointed(text, b',')
    }

    fn pointed(text: &'a [u8], mark: u8) -> Option<Self> {
        let mut rest = unspaced(text);
        let negative = rest.first() == Some(&b'-');
        if negative {
            rest = rest.get(1..)?;
        }
        let (mut digits, mut places, mut seen, mut count) = (0_u128, 0_u32, 0_u32, 0_u32);
        let (mut point, mut group) = (false, 0_u32);
        while let Some((byte, after)) = rest.split_first() {
            match byte {
                b'0'..=b'9' => {
                    seen += 1;
                    group += 1;
                    // Leading zeros are no digits of the number.
                    if count > 0 || *byte != b'0' {
                        count += 1;
                    }
                    if count <= DIGITS {
                        digits = digits * 10 + u128::from(byte - b'0');
                        places += u32::from(point);
                    } else if !point {
                        return None;
                    }
                }
                // "13'528" is so grouped in Switzerland.
                b',' | b'\'' if mark != b',' && !point && (1..=3).contains(&group) && is_group(after) => group = 0,
                byte if *byte == mark && !point && seen > 0 && after.first().is_some_and(u8::is_ascii_digit) => {
                    point = true;
                }
                _ => break,
            }
            rest = after;
        }
        // Versions, addresses and exponents are no numbers of this kind.
        let other = match rest {
            [b'.', next, ..] => next.is_ascii_digit(),
            [b'e' | b'E', next, ..] => next.is_ascii_digit() || matches!(next, b'+' | b'-'),
            _ => false,
        };
        (seen > 0 && !other).then_some(Self { negative, digits, places, rest })
    }

    /// The number as so many units of `unit` bytes; nothing beyond [`MOST`].
    pub(crate) fn size(&self, unit: u64) -> Option<Size> {
        let one = 10_u128.checked_pow(self.places)?;
        let bytes = i64::try_from(self.digits.checked_mul(unit.into())? / one).ok()?;
        let grain = if self.places == 0 && unit == 1 { 0 } else { u64::try_from(u128::from(unit) / one).ok()? };
        (bytes <= MOST).then_some(Size { bytes: if self.negative { -bytes } else { bytes }, grain, floor: false })
    }

    /// The number of a program that subtracts sizes without a sign: what is missing to 2^64 bytes, which is less than nothing.
    pub(crate) fn wrapped(&self, unit: u64) -> Option<Size> {
        let bytes = self.digits.checked_mul(unit.into()).filter(|_| self.places == 0 && !self.negative)?;
        let below = i64::try_from((1_u128 << 64).checked_sub(bytes)?).ok().filter(|below| *below <= MOST)?;
        Some(Size { bytes: -below, grain: unit, floor: false })
    }

    /// The number where it is whole and not negative.
    pub(crate) fn count(&self) -> Option<u64> {
        let whole = self.places == 0 && !self.negative;
        u64::try_from(self.digits).ok().filter(|_| whole)
    }

    /// The number in millionths.
    pub(crate) fn millionths(&self) -> Option<u64> {
        let one = 10_u128.checked_pow(self.places)?;
        u64::try_from(self.digits.checked_mul(1_000_000)? / one).ok().filter(|_| !self.negative)
    }
}

/// Whether a text begins with three digits and no fourth.
fn is_group(text: &[u8]) -> bool {
    let digits = text.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    digits == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_digit_by_digit() {
        let count = |text: &str| Number::read(text.as_bytes()).and_then(|number| number.count());
        for (text, value) in [
            ("7", Some(7)),
            (" 1,001,532 tokens", Some(1_001_532)),
            ("131072,", Some(131_072)),
            ("131,07", Some(131)),
            ("1,2,3", Some(1)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("99999999999999999999999999", None),
            ("-5", None),
            ("2.5", None),
            ("1.2.3", None),
            ("1e9", None),
            ("x", None),
        ] {
            assert_eq!(count(text), value, "{text}");
        }
        let millionths = |text: &str| Number::read(text.as_bytes()).and_then(|number| number.millionths());
        assert_eq!(millionths("0.9,"), Some(900_000));
        assert_eq!(millionths("847.73x"), Some(847_730_000));
        assert_eq!(millionths("-1"), None);
    }

    #[test]
    fn spaces_of_any_number_match() {
        assert_eq!(covered(b"size  =   7", b"size = "), Some(10));
        assert_eq!(covered(b"size=7", b"size = "), None);
        assert_eq!(covered("size\u{a0}= 7".as_bytes(), b"size = "), Some(8));
        assert_eq!(find(b"abcabd", b"abd"), Some(3));
        assert_eq!(find(b"ab", b"abd"), None);
        for (text, ends) in
            [("secs, to", true), ("secs, ", true), ("", true), ("secs, tu", false), ("secs, took 1", false)]
        {
            assert_eq!(ends_within(text.as_bytes(), b"secs, took "), ends, "{text}");
        }
    }
}
