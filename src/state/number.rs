//! Reading a whole number as people type it.

use memory_wall_core::bounds::Bounds;

/// A whole number in range: `128000`, `128,000`, `128 000`, `128_000`, `128k`, `1.5M`, `2^17`. Anything else is nothing.
///
/// `k` and `M` are powers of 1,000, because that is how they are read in prose; `2^17` is there for the binary sizes.
pub fn read(text: &str, bounds: Bounds) -> Option<u32> {
    // Longer than any number in range can be written: junk, and not worth a walk.
    if text.len() > 40 {
        return None;
    }
    let digits = ungrouped(text.trim())?;
    let value = if let Some(exponent) = digits.strip_prefix("2^") {
        1u64.checked_shl(exponent.parse().ok()?)?
    } else {
        scaled(&digits)?
    };
    bounds.check(value).ok()
}

/// The text without the marks between groups of three digits; a mark anywhere else makes it nothing, since it may be a decimal comma.
pub(super) fn ungrouped(text: &str) -> Option<String> {
    let is_mark = |c: char| matches!(c, ',' | '_' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    let mut groups = text.split(is_mark);
    let mut digits = groups.next()?.to_owned();
    let whole = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    let first = (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    for group in groups {
        if !first || !whole(group) {
            return None;
        }
        digits.push_str(group);
    }
    Some(digits)
}

fn scaled(digits: &str) -> Option<u64> {
    let (number, scale) = match digits.char_indices().last()? {
        (end, 'k' | 'K') => (digits.get(..end)?, 1_000),
        (end, 'm' | 'M') => (digits.get(..end)?, 1_000_000),
        _ => (digits, 1u64),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // "128.000" is 128 thousand to one reader and 128 to another: a fraction needs its k or M.
    if number.contains('.') && scale == 1 {
        return None;
    }
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) || fraction.len() > 6 {
        return None;
    }
    let mut value = whole.parse::<u64>().ok()?.checked_mul(scale)?;
    let mut place = scale;
    for digit in fraction.bytes() {
        place /= 10;
        let part = u64::from(digit - b'0');
        // A fraction of one token is a slip, not a number.
        if place == 0 && part > 0 {
            return None;
        }
        value = value.checked_add(part * place)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::bounds::{BATCH, SEQ_LENGTH};

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in [
            ("128000", 128_000),
            ("128,000", 128_000),
            (" 128 000 ", 128_000),
            ("128\u{202f}000", 128_000),
            ("128_000", 128_000),
            ("128k", 128_000),
            ("128K", 128_000),
            ("1.5M", 1_500_000),
            ("1.25k", 1_250),
            ("2^17", 131_072),
            ("1 000 000", 1_000_000),
            ("0001", 1),
        ] {
            assert_eq!(read(text, SEQ_LENGTH), Some(value), "{text}");
        }
    }

    #[test]
    fn anything_else_is_nothing() {
        for text in [
            "",
            " ",
            "-1",
            "+1",
            "0",
            "1e99",
            "1e5",
            "NaN",
            "inf",
            "2.5",
            "k",
            ".5k",
            "1.2.3",
            "0x10",
            "2^",
            "2^99",
            "2^64",
            "10000001",
            "１２",
            "1k1",
            "128.000",
            "2048.0",
            "1,5k",
            "1,2,3",
            "12,34",
            ",128",
            "128,",
            "1234,567",
            "9999999999999999999999",
        ] {
            assert_eq!(read(text, SEQ_LENGTH), None, "{text}");
        }
        assert_eq!(read(&"9".repeat(1_000_000), BATCH), None);
    }
}
