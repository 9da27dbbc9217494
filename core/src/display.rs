//! How quantities are written, the same in the browser, in the prerendered page and on the command line.
//!
//! All of it is integer arithmetic, so the three never differ in a digit, and nothing needs an allocator.

use core::fmt;

use crate::units::{Bytes, GB, GIB, SignedBytes};

choices! {
    /// Whether sizes are shown in powers of 1,000 or of 1,024.
    #[derive(Default)]
    ByteUnit {
        /// kB, MB, GB, TB: powers of 1,000, as on data sheets.
        #[default]
        Gb = "gb";
        /// KiB, MiB, GiB, TiB: powers of 1,024, as in `nvidia-smi` and PyTorch.
        Gib = "gib";
    }
}

impl ByteUnit {
    /// One GB or one GiB, in bytes.
    pub const fn giga(self) -> u128 {
        match self {
            Self::Gb => GB,
            Self::Gib => GIB,
        }
    }

    const fn ladder(self) -> [(u128, &'static str); 7] {
        match self {
            Self::Gb => [
                (1, "B"),
                (1_000, "kB"),
                (1_000_000, "MB"),
                (GB, "GB"),
                (GB * 1_000, "TB"),
                (GB * 1_000_000, "PB"),
                (GB * 1_000_000_000, "EB"),
            ],
            Self::Gib => [
                (1, "B"),
                (1 << 10, "KiB"),
                (1 << 20, "MiB"),
                (GIB, "GiB"),
                (GIB << 10, "TiB"),
                (GIB << 20, "PiB"),
                (GIB << 30, "EiB"),
            ],
        }
    }
}

/// Between a number and its unit on the page: a narrow space at which no line breaks.
pub const THIN_SPACE: char = '\u{202f}';

/// Three significant digits with the unit that suits the size: `1.07 GB`.
///
/// ```
/// use memory_wall_core::{Bytes, display::{ByteUnit, Size}};
/// assert_eq!(Size::new(Bytes(1_073_741_824), ByteUnit::Gb).plain().to_string(), "1.07 GB");
/// assert_eq!(Size::new(Bytes(1_073_741_824), ByteUnit::Gib).plain().to_string(), "1.00 GiB");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Size {
    bytes: Bytes,
    unit: ByteUnit,
    space: char,
}

impl Size {
    /// With a thin space, for the page.
    pub const fn new(bytes: Bytes, unit: ByteUnit) -> Self {
        Self { bytes, unit, space: THIN_SPACE }
    }

    /// With an ordinary space, for a terminal.
    #[must_use]
    pub const fn plain(self) -> Self {
        Self { space: ' ', ..self }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes.0;
        let ladder = self.unit.ladder();
        let last = ladder.len() - 1;
        for (rung, &(size, name)) in ladder.iter().enumerate() {
            // 999.6 MB is 1.00 GB: what rounds up to 1,000 belongs to the next rung (GiB: 1,000 MiB is still read at a glance).
            let whole = (bytes + size / 2) / size;
            if whole < 1_000 || rung == last {
                let space = self.space;
                return if rung == 0 {
                    write!(f, "{bytes}{space}{name}")
                } else {
                    write!(f, "{}{space}{name}", ThreeDigits { value: bytes, one: size })
                };
            }
        }
        Ok(())
    }
}

/// `value / one` with three significant digits, rounded half up.
struct ThreeDigits {
    value: u128,
    one: u128,
}

impl fmt::Display for ThreeDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scaled = |factor: u128| (self.value.saturating_mul(factor).saturating_add(self.one / 2)) / self.one;
        let thousandths = scaled(1_000);
        if thousandths < 1_000 {
            // Below 1: a binary unit between 1,000 and 1,023 of the one below.
            return write!(f, "0.{thousandths:03}");
        }
        let hundredths = scaled(100);
        if hundredths < 1_000 {
            return write!(f, "{}.{:02}", hundredths / 100, hundredths % 100);
        }
        let tenths = scaled(10);
        if tenths < 1_000 {
            return write!(f, "{}.{}", tenths / 10, tenths % 10);
        }
        write!(f, "{}", Grouped(scaled(1)))
    }
}

/// A number that is not negative, with three significant digits, whole above a hundred: `2.25`, `31.5`, `2,039`.
///
/// ```
/// use memory_wall_core::display::Figure;
/// assert_eq!(format!("{} {} {}", Figure(2.249), Figure(31.5), Figure(2039.4)), "2.25 31.5 2,039");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Figure(pub f64);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ONE: u128 = 1_000_000;
        let number = if self.0.is_finite() { self.0.clamp(0.0, 1e24) } else { 0.0 };
        // In integers: formatting a float costs a program in the browser 11 kB.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by the clamp")]
        let value = (number * ONE as f64 + 0.5) as u128;
        if (1..500).contains(&value) { f.write_str("<0.001") } else { ThreeDigits { value, one: ONE }.fmt(f) }
    }
}

/// A time with the unit that suits it: `44.2 µs`.
///
/// ```
/// use memory_wall_core::display::Duration;
/// assert_eq!(Duration(592.04e-6).to_string(), "592\u{202f}µs");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Duration(pub f64);

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            seconds if seconds < 0.999_5e-6 => (1e9, "ns"),
            seconds if seconds < 0.999_5e-3 => (1e6, "µs"),
            seconds if seconds < 0.999_5 => (1e3, "ms"),
            _ => (1.0, "s"),
        };
        write!(f, "{}{THIN_SPACE}{unit}", Figure(self.0 * scale))
    }
}

/// A margin: its size behind `+` or a true minus sign.
#[derive(Clone, Copy, Debug)]
pub struct Margin {
    /// The difference.
    pub bytes: SignedBytes,
    /// The unit to show it in.
    pub unit: ByteUnit,
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.bytes.0 < 0 { "\u{2212}" } else { "+" };
        write!(f, "{sign}{}", Size::new(self.bytes.magnitude(), self.unit))
    }
}

/// A whole number with a comma every three digits: `128,000`.
#[derive(Clone, Copy, Debug)]
pub struct Grouped(pub u128);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut groups = [0u16; 13];
        let mut count = 0;
        let mut rest = self.0;
        for group in &mut groups {
            // The remainder of a division by 1,000 fits.
            *group = u16::try_from(rest % 1_000).unwrap_or(0);
            rest /= 1_000;
            count += 1;
            if rest == 0 {
                break;
            }
        }
        let mut high_first = groups.iter().take(count).rev();
        if let Some(first) = high_first.next() {
            write!(f, "{first}")?;
        }
        high_first.try_for_each(|group| write!(f, ",{group:03}"))
    }
}

impl fmt::Display for Bytes {
    /// The exact count: `1,073,741,824 bytes`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", Grouped(self.0))
    }
}

/// A ratio as a percentage: `1.3%`, `57%`, `<0.1%`.
#[derive(Clone, Copy, Debug)]
pub struct Percent(pub f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Thousandths of the ratio, in integers: formatting a float costs a program in the browser 11 kB.
        let ratio = if self.0.is_finite() { self.0.clamp(0.0, 1e9) } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by the clamp")]
        let [tenths, whole] = [1_000.0, 100.0].map(|of| (ratio * of + 0.5) as u64);
        if ratio <= 0.0 {
            f.write_str("0%")
        } else if ratio < 0.001 {
            f.write_str("<0.1%")
        } else if tenths < 100 {
            write!(f, "{}.{}%", tenths / 10, tenths % 10)
        } else {
            write!(f, "{}%", Grouped(u128::from(whole)))
        }
    }
}

/// A large count with three significant digits, a whole one as it is: `6.74 B`, `124 M`, `7 B`.
#[derive(Clone, Copy, Debug)]
pub struct Count(pub u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = u128::from(self.0);
        // The step to the next letter comes where three digits would round up to 1,000.
        let (one, letter) = match value {
            0..1_000 => return write!(f, "{value}"),
            1_000..999_500 => (1_000, "k"),
            999_500..999_500_000 => (1_000_000, "M"),
            999_500_000..999_500_000_000 => (1_000_000_000, "B"),
            _ => (1_000_000_000_000, "T"),
        };
        if value.is_multiple_of(one) {
            return write!(f, "{}{THIN_SPACE}{letter}", Grouped(value / one));
        }
        write!(f, "{}{THIN_SPACE}{letter}", ThreeDigits { value, one })
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use super::*;
    use alloc::string::ToString;

    fn gb(bytes: u128) -> alloc::string::String {
        Size::new(Bytes(bytes), ByteUnit::Gb).plain().to_string()
    }

    fn gib(bytes: u128) -> alloc::string::String {
        Size::new(Bytes(bytes), ByteUnit::Gib).plain().to_string()
    }

    #[test]
    fn figures_and_durations_have_three_digits() {
        for (number, text) in [
            (0.0, "0.000"),
            (1e-6, "<0.001"),
            (0.519_42, "0.519"),
            (9.996, "10.0"),
            (999.6, "1,000"),
            (19_491.84, "19,492"),
            (f64::NAN, "0.000"),
        ] {
            assert_eq!(Figure(number).to_string(), text);
        }
        for (seconds, text) in [(438e-9, "438 ns"), (0.999_7e-6, "1.00 µs"), (0.012_34, "12.3 ms"), (90.0, "90.0 s")] {
            assert_eq!(Duration(seconds).to_string().replace(THIN_SPACE, " "), text);
        }
    }

    #[test]
    fn sizes_have_three_digits_and_the_unit_that_suits_them() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.00 kB"),
            (13_476_831_232, "13.5 GB"),
            (67_108_864_000, "67.1 GB"),
            (137_438_953_472, "137 GB"),
            (999_499_999, "999 MB"),
            (999_500_000, "1.00 GB"),
            (1_400_000_000_000, "1.40 TB"),
            (9_995_000_000, "10.0 GB"),
        ] {
            assert_eq!(gb(bytes), text);
        }
        assert_eq!(gb(u128::MAX / 4).split(' ').nth(1), Some("EB"));
    }

    #[test]
    fn binary_sizes_round_between_two_rungs() {
        assert_eq!(gib(1 << 30), "1.00 GiB");
        assert_eq!(gib(137_438_953_472), "128 GiB");
        assert_eq!(gib(1_023 << 20), "0.999 GiB");
        assert_eq!(gib(1_000 << 20), "0.977 GiB");
        assert_eq!(gib(999 << 20), "999 MiB");
        assert_eq!(gib((1 << 30) - 1), "1.00 GiB");
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(Grouped(0).to_string(), "0");
        assert_eq!(Grouped(128_000).to_string(), "128,000");
        assert_eq!(Grouped(1_000_007).to_string(), "1,000,007");
        assert_eq!(Grouped(u128::MAX).to_string(), "340,282,366,920,938,463,463,374,607,431,768,211,455");
        assert_eq!(Count(6_738_415_616).to_string(), "6.74\u{202f}B");
        assert_eq!(Count(7_000_000_000).to_string(), "7\u{202f}B");
        assert_eq!(Count(999_600_000).to_string(), "1.00\u{202f}B");
    }

    #[test]
    fn percentages_are_never_nan() {
        assert_eq!(Percent(f64::NAN).to_string(), "0%");
        assert_eq!(Percent(0.0004).to_string(), "<0.1%");
        assert_eq!(Percent(0.0734).to_string(), "7.3%");
        assert_eq!(Percent(0.82).to_string(), "82%");
        assert_eq!(Percent(0.0995).to_string(), "10%");
        assert_eq!(Percent(0.0994).to_string(), "9.9%");
        assert_eq!(Percent(1.0).to_string(), "100%");
    }

    #[test]
    fn margins_carry_a_sign() {
        assert_eq!(
            Margin { bytes: SignedBytes(-2_000_000_000), unit: ByteUnit::Gb }.to_string(),
            "\u{2212}2.00\u{202f}GB"
        );
    }
}
