//! Rates, times and intensities as they are read: three significant digits and the unit that suits them.
//!
//! From integers: formatting floats would add a tenth to the program for nothing.

use memory_wall_core::display::{Grouped, THIN_SPACE};

use super::axes::ten;

/// A positive number with three significant digits; from 1,000 on whole.
pub fn digits(value: f64) -> String {
    const SMALLEST: f64 = 1e-6;
    if value.is_nan() || value <= 0.0 {
        return "0".into();
    }
    if value < SMALLEST {
        return "<0.000001".into();
    }
    // Rounded to three digits first, so that 9.996 is written as 10.0.
    let (mantissa, exponent) = scientific(value, 3);
    if exponent >= 3 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the smaller of the two is in range of an integer"
        )]
        return Grouped(value.min(1e30).round() as u128).to_string();
    }
    let places = usize::try_from(2 - exponent).unwrap_or(0);
    if places == 0 {
        return mantissa.to_string();
    }
    let text = format!("{mantissa:0width$}", width = places + 1);
    let cut = text.len().saturating_sub(places);
    format!("{}.{}", text.get(..cut).unwrap_or_default(), text.get(cut..).unwrap_or_default())
}

/// So many digits and the power of ten of the first of them.
fn scientific(value: f64, digits: i32) -> (u64, i32) {
    #[expect(clippy::cast_possible_truncation, reason = "between the smallest and the largest power that a float has")]
    let mut exponent = libm::floor(libm::log10(value)) as i32;
    let whole = |exponent: i32| {
        let scaled = value / ten(f64::from(exponent - digits + 1));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful of digits")]
        let whole = scaled.clamp(0.0, 1e15).round() as u64;
        whole
    };
    let end = 10_u64.pow(u32::try_from(digits).unwrap_or(1));
    if whole(exponent) >= end {
        exponent += 1;
    }
    (whole(exponent), exponent)
}

/// A number for programs: five digits and a power of ten, `1.3653e3`.
pub fn plain(value: f64) -> String {
    if value.is_nan() || value <= 0.0 {
        return "0".into();
    }
    if value.is_infinite() {
        return "inf".into();
    }
    let (mantissa, exponent) = scientific(value, 5);
    format!("{}.{:04}e{exponent}", mantissa / 10_000, mantissa % 10_000)
}

/// The largest unit of a ladder that is no more than the value; the first for what is smaller than all.
fn on(ladder: &[(f64, &'static str)], value: f64) -> String {
    let mut rung = ladder.first();
    for step in ladder {
        if value >= step.0 * 0.9995 {
            rung = Some(step);
        }
    }
    let (one, unit) = rung.copied().unwrap_or((1.0, ""));
    format!("{}{THIN_SPACE}{unit}", digits(value / one))
}

/// A rate of computing: `6.12 TFLOP/s`.
pub fn rate(flops_per_second: f64) -> String {
    on(&[(1.0, "FLOP/s"), (1e3, "kFLOP/s"), (1e6, "MFLOP/s"), (1e9, "GFLOP/s"), (1e12, "TFLOP/s")], flops_per_second)
}

/// A count of operations: `13.2 GFLOP`.
pub fn flops(count: u128) -> String {
    const LADDER: [(f64, &str); 7] = [
        (1.0, "FLOP"),
        (1e3, "kFLOP"),
        (1e6, "MFLOP"),
        (1e9, "GFLOP"),
        (1e12, "TFLOP"),
        (1e15, "PFLOP"),
        (1e18, "EFLOP"),
    ];
    on(&LADDER, count as f64)
}

/// A time: `6.62 ms`.
pub fn time(seconds: f64) -> String {
    let long = [(172_800.0, 86_400.0, "days"), (7_200.0, 3_600.0, "h"), (120.0, 60.0, "min")];
    match long.into_iter().find(|(from, ..)| seconds >= *from) {
        Some((_, one, unit)) => format!("{}{THIN_SPACE}{unit}", digits(seconds / one)),
        None => on(&[(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")], seconds),
    }
}

/// A power of ten on an axis: `0.01`, `100`, `10k`.
pub fn decade(power: i32) -> String {
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    match power {
        ..0 => format!("0.{}1", zeros(-power - 1)),
        0..3 => format!("1{}", zeros(power)),
        _ => {
            let letter = ["k", "M", "G", "T", "P", "E"].get(usize::try_from(power / 3 - 1).unwrap_or(9));
            match letter {
                Some(letter) => format!("1{}{letter}", zeros(power % 3)),
                None => format!("1e{power}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (f64::NAN, "0"),
            (0.25, "0.250"),
            (0.012_34, "0.0123"),
            (1e-9, "<0.000001"),
            (9.996, "10.0"),
            (99.96, "100"),
            (156.4, "156"),
            (999.6, "1,000"),
            (1_365.33, "1,365"),
        ] {
            assert_eq!(digits(value), text);
        }
    }

    #[test]
    fn units_suit_their_numbers() {
        assert_eq!(rate(6.118e12), "6.12\u{202f}TFLOP/s");
        assert_eq!(rate(612e9), "612\u{202f}GFLOP/s");
        assert_eq!(rate(1.979e15), "1,979\u{202f}TFLOP/s");
        assert_eq!(flops(13_200_000_000), "13.2\u{202f}GFLOP");
        for (seconds, text) in [
            (6.62e-3, "6.62 ms"),
            (2e-7, "200 ns"),
            (3.0, "3.00 s"),
            (600.0, "10.0 min"),
            (1e5, "27.8 h"),
            (1e6, "11.6 days"),
        ] {
            assert_eq!(time(seconds), text.replace(' ', "\u{202f}"));
        }
    }

    #[test]
    fn programs_get_powers_of_ten() {
        assert_eq!(
            (plain(1_365.33).as_str(), plain(0.006_62).as_str(), plain(0.0).as_str()),
            ("1.3653e3", "6.6200e-3", "0")
        );
        assert_eq!(plain(f64::INFINITY), "inf");
    }

    #[test]
    fn decades_are_short() {
        let names: Vec<String> = [-2, -1, 0, 2, 3, 5, 9, 21].map(decade).into();
        assert_eq!(names, ["0.01", "0.1", "1", "100", "1k", "100k", "1G", "1e21"]);
    }
}
