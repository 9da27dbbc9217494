//! Reading and writing numbers with a point as people type them, held as whole numbers of their last place.

use memory_wall_core::number::grouped;

/// A kind of number: how many places behind the point are kept, and the largest value, counted in the last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Places behind the point.
    pub places: u32,
    /// The largest value.
    pub max: u64,
}

impl Decimal {
    /// Rates: three places, up to ten million.
    pub const RATE: Self = Self { places: 3, max: 9_999_999_999 };
    /// Shares in percent: three places, up to a hundred.
    pub const SHARE: Self = Self { places: 3, max: 100_000 };
    /// Counts of operations and bytes.
    pub const COUNT: Self = Self { places: 0, max: 1_000_000_000_000_000_000 };
    /// A side of a matrix.
    pub const SIDE: Self = Self { places: 0, max: 10_000_000 };

    /// A positive number in range: `312`, `1979.5`, `128,000`, `2e12`, `1.5T`. Anything else is nothing.
    pub fn read(self, text: &str) -> Option<u64> {
        // Longer than any number in range can be written.
        if text.len() > 40 {
            return None;
        }
        let (number, power) = scaled(text.trim())?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        if fraction.is_empty() || fraction.len() > 20 {
            return None;
        }
        let whole = if whole.is_empty() && number.starts_with('.') { 0 } else { grouped(whole)? };
        let mut value = u128::from(whole);
        for digit in fraction.bytes() {
            value = value.checked_mul(10)?.checked_add(digit.checked_sub(b'0').filter(|digit| *digit < 10)?.into())?;
        }
        let ten = 10_u128;
        let behind = u32::try_from(fraction.len()).ok()?;
        let shift = power + self.places;
        let value = if shift >= behind {
            value.checked_mul(ten.checked_pow(shift - behind)?)?
        } else {
            let part = ten.checked_pow(behind - shift)?;
            // Finer than what is kept is a slip, not a number; zeros are nothing.
            value.is_multiple_of(part).then_some(value / part)?
        };
        u64::try_from(value).ok().filter(|value| (1..=self.max).contains(value))
    }

    /// The shortest form, as links and fields have it: `312`, `1979.5`.
    pub fn write(self, value: u64) -> String {
        let one = 10_u64.pow(self.places);
        let (whole, part) = (value / one, value % one);
        if part == 0 {
            return whole.to_string();
        }
        let behind = format!("{:0places$}", part, places = self.places as usize);
        format!("{whole}.{}", behind.trim_end_matches('0'))
    }

    /// The largest whole number that can be read.
    pub fn most(self) -> u64 {
        self.max / 10_u64.pow(self.places)
    }

    /// The value itself.
    pub fn value(self, value: u64) -> f64 {
        value as f64 / 10_u64.pow(self.places) as f64
    }
}

/// A number without its power of ten, and that power: `e12`, or a letter from k to P.
fn scaled(text: &str) -> Option<(&str, u32)> {
    if let Some((number, power)) = text.split_once(['e', 'E']) {
        let power = power.strip_prefix('+').unwrap_or(power);
        let short = power.len() <= 2 && power.bytes().all(|byte| byte.is_ascii_digit());
        return Some((number, power.parse().ok().filter(|_| short)?));
    }
    let last = text.chars().next_back()?;
    let power = match last {
        'k' | 'K' => 3,
        'M' => 6,
        'G' => 9,
        'T' => 12,
        'P' => 15,
        _ => return Some((text, 0)),
    };
    Some((text.strip_suffix(last)?, power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in [
            ("312", 312_000),
            ("0.001", 1),
            (".5", 500),
            (" 2039 ", 2_039_000),
            ("1.5k", 1_500_000),
            ("2e3", 2_000_000),
            ("2E+3", 2_000_000),
            ("12.500000", 12_500),
        ] {
            assert_eq!(Decimal::RATE.read(text), Some(value), "{text}");
        }
        assert_eq!(Decimal::COUNT.read("2.5e12"), Some(2_500_000_000_000));
        assert_eq!(Decimal::COUNT.read("137G"), Some(137_000_000_000));
        assert_eq!(Decimal::COUNT.read("1,000,000"), Some(1_000_000));
        assert_eq!(Decimal::COUNT.read("1e18"), Some(Decimal::COUNT.max));
    }

    #[test]
    fn anything_else_is_nothing() {
        for text in [
            "", "0", "-1", "+1", ".", "1.", ".5", "1.5", "1e", "1e-3", "1e99", "1e19", "NaN", "inf", "1..2", "k",
            "0x10", "1e1e1",
        ] {
            assert_eq!(Decimal::COUNT.read(text), None, "{text}");
        }
        for text in ["0.0001", "10000000", "1e-2", "1e8"] {
            assert_eq!(Decimal::RATE.read(text), None, "{text}");
        }
        assert_eq!(Decimal::COUNT.read(&"9".repeat(100)), None);
    }

    #[test]
    fn what_is_written_is_read_again() {
        for value in [1, 10, 999, 1_000, 312_000, 1_979_500, 9_999_999_999] {
            assert_eq!(Decimal::RATE.read(&Decimal::RATE.write(value)), Some(value));
        }
        assert_eq!(Decimal::RATE.write(1_979_500), "1979.5");
        assert!((Decimal::RATE.value(1_500) - 1.5).abs() < 1e-12);
    }
}
