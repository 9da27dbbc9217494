//! Reading a whole number as people type it: one rule for the fields of the page, its links and the command line.

use core::fmt;

use crate::units::{Bytes, GIB};

/// Marks that may stand between groups of three digits.
const MARKS: [char; 6] = [',', '_', ' ', '\u{a0}', '\u{202f}', '\u{2009}'];

/// What a `k` stands for behind a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kilo {
    /// 1,024, as in the names of context lengths: 32k tokens are 32,768.
    Binary,
    /// 1,000, as in rates and in links: their numbers never change their meaning.
    Decimal,
}

impl Kilo {
    const fn value(self) -> u64 {
        match self {
            Self::Binary => 1 << 10,
            Self::Decimal => 1_000,
        }
    }
}

/// A whole number: `131072`, `131,072`, `131_072`, `131 072`, `128k`, `128Ki`, `1.5M`, `2^17`. Anything else is nothing;
/// what has too many digits for 64 bits is as large as they hold, and out of any range.
///
/// `k` and `K` are a [`Kilo`], `m` and `M` its square; with an `i` behind them they are always 1,024 and its square.
///
/// ```
/// use memory_wall_core::number::{Kilo, read};
/// assert_eq!(read("32k", Kilo::Binary), Some(32_768));
/// assert_eq!(read("32k", Kilo::Decimal), Some(32_000));
/// assert_eq!(read("32Ki", Kilo::Decimal), Some(32_768));
/// assert_eq!(read("32.768", Kilo::Binary), None, "a decimal comma to one reader, a mark to another");
/// ```
pub fn read(text: &str, kilo: Kilo) -> Option<u64> {
    let text = text.trim();
    if let Some(exponent) = text.strip_prefix("2^") {
        let exponent = u32::try_from(plain(exponent)?).unwrap_or(u32::MAX);
        return Some(1u64.checked_shl(exponent).unwrap_or(u64::MAX));
    }
    let (number, scale) = scaled(text, kilo);
    let (whole, fraction) = match number.split_once('.') {
        // "128.000" is 128 thousand to one reader and 128 to another: a fraction needs its k or M.
        Some((_, fraction)) if scale == 1 || fraction.is_empty() => return None,
        Some(parts) => parts,
        None => (number, "0"),
    };
    let fraction = fraction.trim_end_matches('0');
    let places = u32::try_from(fraction.len()).ok()?;
    let behind = if fraction.is_empty() { 0 } else { plain(fraction)? };
    let parts = scale.checked_mul(behind)?;
    let one = 10u64.checked_pow(places)?;
    // A fraction of one token is a slip, not a number.
    parts
        .is_multiple_of(one)
        .then(|| grouped(whole).map(|whole| whole.saturating_mul(scale).saturating_add(parts / one)))?
}

/// Memory as people write it, in whole bytes: `110`, `22.49`, `22.49 GiB`, `25.4 GB`, `24564 MiB`. A number alone is GiB; a part of a byte is dropped.
///
/// ```
/// use memory_wall_core::{Bytes, number::memory};
/// assert_eq!(memory("22.49 GiB"), Some(Bytes(24_148_453_621)));
/// assert_eq!((memory("25.4GB"), memory("110")), (Some(Bytes(25_400_000_000)), Some(Bytes(110 << 30))));
/// assert_eq!((memory("25,4 GB"), memory("25 G"), memory("")), (None, None, None));
/// ```
pub fn memory(text: &str) -> Option<Bytes> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    let (_, unit) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    let (whole, fraction) = number.trim_end().split_once('.').unwrap_or((number.trim_end(), "0"));
    let places = u32::try_from(fraction.len()).ok().filter(|places| *places <= 12)?;
    let [whole, fraction] = [grouped(whole)?, plain(fraction)?].map(u128::from);
    let one = 10_u128.pow(places);
    Some(Bytes((whole * one + fraction).saturating_mul(*unit) / one))
}

/// Units of memory by what stands behind a number.
const UNITS: [(&str, u128); 6] =
    [("", GIB), ("GiB", GIB), ("GB", 1_000_000_000), ("MiB", GIB >> 10), ("MB", 1_000_000), ("B", 1)];

/// Memory as [`memory`] reads it back to the byte: GiB without a unit where they are whole, GB where these have two places at most, else bytes.
#[derive(Clone, Copy, Debug)]
pub struct Memory(pub Bytes);

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bytes(bytes) = self.0;
        if bytes.is_multiple_of(GIB) {
            return write!(f, "{}", bytes / GIB);
        }
        if !bytes.is_multiple_of(10_000_000) {
            return write!(f, "{bytes}B");
        }
        let hundredths = bytes / 10_000_000;
        match hundredths % 100 {
            0 => write!(f, "{}GB", hundredths / 100),
            part if part.is_multiple_of(10) => write!(f, "{}.{}GB", hundredths / 100, part / 10),
            part => write!(f, "{}.{part:02}GB", hundredths / 100),
        }
    }
}

/// Whether a number is written with a letter or a power, so that what it stands for has to be said.
pub fn is_spelled(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_alphabetic() || c == '^')
}

/// A number without the letters behind it, and what they multiply it by.
fn scaled(text: &str, kilo: Kilo) -> (&str, u64) {
    let (text, kilo) = match text.strip_suffix('i') {
        Some(number) if number.ends_with(['k', 'K', 'M']) => (number, Kilo::Binary),
        _ => (text, kilo),
    };
    let Some(letter) = text.chars().last().filter(|letter| matches!(letter, 'k' | 'K' | 'm' | 'M')) else {
        return (text, 1);
    };
    let kilo = kilo.value();
    let number = text.strip_suffix(letter).unwrap_or(text);
    (number.trim_end(), if letter.eq_ignore_ascii_case(&'k') { kilo } else { kilo * kilo })
}

/// Digits with marks between groups of three; a mark anywhere else makes it nothing, since it may be a decimal comma.
/// A `_` is none, and may stand between any two digits.
pub fn grouped(text: &str) -> Option<u64> {
    let groups = || text.split(MARKS);
    let by_three =
        || groups().next().is_some_and(|first| first.len() <= 3) && groups().skip(1).all(|group| group.len() == 3);
    let allowed = text.split('_').all(|part| plain(part).is_some())
        || (groups().all(|group| plain(group).is_some()) && by_three());
    allowed.then(|| value(text.bytes().filter(u8::is_ascii_digit)))
}

/// Digits and nothing else.
fn plain(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| value(text.bytes()))
}

/// The value of digits, or the largest of 64 bits.
fn value(digits: impl Iterator<Item = u8>) -> u64 {
    digits.fold(0, |value: u64, digit| value.saturating_mul(10).saturating_add(u64::from(digit.saturating_sub(b'0'))))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::format;

    use super::*;

    #[test]
    fn memory_is_read_back_to_the_byte() {
        for (text, bytes) in [
            ("110", 110 << 30),
            (" 31.35 ", 33_661_806_182),
            ("22.49 GiB", 24_148_453_621),
            ("25.4 gb", 25_400_000_000),
            ("24,564 MiB", 24_564 << 20),
            ("25757220864 B", 25_757_220_864),
        ] {
            assert_eq!(memory(text), Some(Bytes(bytes)), "{text}");
            let said = format!("{}", Memory(Bytes(bytes)));
            assert_eq!(memory(&said), Some(Bytes(bytes)), "{said}");
        }
        for (bytes, said) in [(24 << 30, "24"), (25_400_000_000, "25.4GB"), (25_050_000_000, "25.05GB"), (7, "7B")] {
            assert_eq!(format!("{}", Memory(Bytes(bytes))), said);
        }
        for text in ["", "GiB", "-1", "1e3", "25,4 GB", "25 G", "twenty", "1.2.3", "1.", "0x10 B", "1.0000000000001"] {
            assert_eq!(memory(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in [
            ("128000", 128_000),
            ("128,000", 128_000),
            (" 128 000 ", 128_000),
            ("128\u{202f}000", 128_000),
            ("128_000", 128_000),
            ("1_2_8_0_0_0", 128_000),
            ("32k", 32_768),
            ("32K", 32_768),
            ("32Ki", 32_768),
            ("32 k", 32_768),
            ("32768", 32_768),
            ("32,768", 32_768),
            ("32_768", 32_768),
            ("128k", 131_072),
            ("1,024k", 1_048_576),
            ("1M", 1_048_576),
            ("1Mi", 1_048_576),
            ("1.5M", 1_572_864),
            ("2.5k", 2_560),
            ("1.50k", 1_536),
            ("2^17", 131_072),
            ("2^0", 1),
            ("1 000 000", 1_000_000),
            ("0001", 1),
            ("0", 0),
        ] {
            assert_eq!(read(text, Kilo::Binary), Some(value), "{text}");
        }
        for (text, value) in
            [("128k", 128_000), ("1.25k", 1_250), ("1.5M", 1_500_000), ("128Ki", 131_072), ("128", 128)]
        {
            assert_eq!(read(text, Kilo::Decimal), Some(value), "{text}");
        }
    }

    #[test]
    fn too_many_digits_are_the_largest_number() {
        for text in ["99999999999999999999", "2^64", "2^99999999999999999999", "99999999999999999999M"] {
            assert_eq!(read(text, Kilo::Binary), Some(u64::MAX), "{text}");
        }
    }

    #[test]
    fn anything_else_is_nothing() {
        for text in [
            "",
            " ",
            "-1",
            "+1",
            "1e99",
            "1e5",
            "NaN",
            "inf",
            "2.5",
            "k",
            "i",
            "ki",
            ".5k",
            "1.2.3",
            "0x10",
            "2^",
            "2^+3",
            "１２",
            "1k1",
            "1ki1",
            "1kk",
            "1ii",
            "128.000",
            "2048.0",
            "1,5k",
            "1,2,3",
            "12,34",
            ",128",
            "128,",
            "1234,567",
            "_1",
            "1_",
            "1__0",
            "٣",
            "one",
            "1.1k",
            "1.0005k",
            "1.k1",
            "1.k",
            "1.99999999999999999999999k",
        ] {
            assert_eq!(read(text, Kilo::Binary), None, "{text}");
        }
    }
}
