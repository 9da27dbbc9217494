//! Reading a whole number as people type it, by the rule of the page's own field.

/// A whole number: `128000`, `128,000`, `128_000`, `128 000`, `128k`, `1.5M`, `2^17`. Anything else is nothing;
/// what has too many digits for 64 bits is as large as they hold, and out of any range.
///
/// `k` and `M` are powers of 1,000, because that is how they are read in prose; `2^17` is there for the binary sizes.
pub(crate) fn read(text: &str) -> Option<u64> {
    let digits = ungrouped(text.trim())?;
    match digits.strip_prefix("2^") {
        Some(exponent) => {
            let exponent = u32::try_from(plain(exponent)?).unwrap_or(u32::MAX);
            Some(1u64.checked_shl(exponent).unwrap_or(u64::MAX))
        }
        None => scaled(&digits),
    }
}

/// The text without the marks between groups of three digits; a mark anywhere else makes it nothing, since it may be a decimal comma.
/// A `_` is none, and may stand between any two digits.
fn ungrouped(text: &str) -> Option<String> {
    let is_mark = |c: char| matches!(c, ',' | '_' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    if !text.contains(is_mark) {
        return Some(text.to_owned());
    }
    let by_underscore: Vec<&str> = text.split('_').collect();
    if by_underscore.iter().all(|part| plain(part).is_some()) {
        return Some(by_underscore.concat());
    }
    let groups: Vec<&str> = text.split(is_mark).collect();
    let digits = groups.iter().all(|group| plain(group).is_some());
    let (first, rest) = groups.split_first()?;
    (digits && first.len() <= 3 && rest.iter().all(|group| group.len() == 3)).then(|| groups.concat())
}

/// Digits and nothing else.
fn plain(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().unwrap_or(u64::MAX))
}

/// Digits with a `k` or `M` behind them, and a fraction only then: "128.000" is 128 thousand to one reader and 128 to another.
fn scaled(text: &str) -> Option<u64> {
    let (number, scale) = match text.char_indices().last()? {
        (end, 'k' | 'K') => (text.get(..end)?, 1_000),
        (end, 'm' | 'M') => (text.get(..end)?, 1_000_000),
        _ => return plain(text),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let mut value = plain(whole)?.saturating_mul(scale);
    plain(fraction)?;
    let mut place = scale;
    for digit in fraction.bytes() {
        place /= 10;
        let part = u64::from(digit - b'0');
        // A fraction of one token is a slip, not a number.
        if place == 0 && part > 0 {
            return None;
        }
        value = value.saturating_add(part * place);
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in [
            ("128000", 128_000),
            ("128,000", 128_000),
            (" 128 000 ", 128_000),
            ("128\u{202f}000", 128_000),
            ("128_000", 128_000),
            ("1_2_8_0_0_0", 128_000),
            ("128k", 128_000),
            ("128K", 128_000),
            ("1.5M", 1_500_000),
            ("1.25k", 1_250),
            ("1.500000k", 1_500),
            ("2^17", 131_072),
            ("2^0", 1),
            ("1 000 000", 1_000_000),
            ("0001", 1),
            ("0", 0),
        ] {
            assert_eq!(read(text), Some(value), "{text}");
        }
    }

    #[test]
    fn too_many_digits_are_the_largest_number() {
        for text in ["99999999999999999999", "2^64", "2^99999999999999999999", "99999999999999999999M"] {
            assert_eq!(read(text), Some(u64::MAX), "{text}");
        }
        assert_eq!(read(&"9".repeat(100_000)), Some(u64::MAX));
    }

    #[test]
    fn anything_else_is_nothing() {
        for text in [
            "", " ", "-1", "+1", "1e99", "NaN", "inf", "2.5", "k", ".5k", "1.k", "1.2.3", "0x10", "2^", "2^+3", "１２",
            "1k1", "128.000", "2048.0", "1,5k", "1,2,3", "12,34", ",128", "128,", "1234,567", "_1", "1_", "1__0", "٣",
            "one", "1.0005k",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
