//! Money, energy, long times and very large counts as they are written, alone and as ranges.

use memory_wall_core::display::{Figure, Grouped, THIN_SPACE};

use crate::charts::roofline::ten;
use crate::words;

/// Seconds of an hour and of a day, and days of a year.
const HOUR: f64 = 3_600.0;
const DAY: f64 = 24.0 * HOUR;
const YEAR: f64 = 365.25 * DAY;

/// Three digits, whole ones rounded to three as well: `0.556`, `18.3`, `160,000`.
fn rounded(value: f64) -> String {
    if value < 999.5 {
        return Figure(value).to_string();
    }
    let one = ten(libm::floor(libm::log10(value)) - 2.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by the clamp")]
    let whole = (libm::round(value.clamp(0.0, 1e30) / one) * one) as u128;
    Grouped(whole).to_string()
}

/// `{from} to {to}`, or one of them where both are written alike.
fn range(from: &str, to: &str) -> String {
    if from == to { from.into() } else { words::SpendRange { from, to }.text() }
}

/// A plain number from least to most.
pub fn numbers(ends: [f64; 2]) -> String {
    let [from, to] = ends.map(rounded);
    range(&from, &to)
}

/// Dollars: `$5.56`, `$321,000`, `$1.20 million`.
pub fn dollars(value: f64) -> String {
    if value >= 999_500.0 {
        let amount = format!("${}", rounded(value / 1e6));
        return words::SpendMillion { n: &amount }.text();
    }
    format!("${}", rounded(value))
}

/// Dollars from least to most.
pub fn dollar_range(ends: [f64; 2]) -> String {
    let [from, to] = ends.map(dollars);
    range(&from, &to)
}

/// Energy in the unit that suits its larger end.
pub fn watt_hours(ends: [f64; 2]) -> String {
    let (one, unit) = match ends[1] {
        most if most >= 1e9 => (1e9, "GWh"),
        most if most >= 1e6 => (1e6, "MWh"),
        _ => (1e3, "kWh"),
    };
    format!("{}{THIN_SPACE}{unit}", numbers(ends.map(|end| end / one)))
}

/// A long time in years, days or hours, after its larger end.
pub fn lasts(seconds: [f64; 2]) -> String {
    let (one, unit) = match seconds[1] {
        most if most >= 2.0 * YEAR => (YEAR, words::spend_years()),
        most if most >= 2.0 * DAY => (DAY, words::spend_days()),
        _ => (HOUR, words::spend_hours()),
    };
    format!("{} {}", numbers(seconds.map(|end| end / one)), unit)
}

/// A count of many digits as a power of ten: `8.09 × 10²²`.
pub fn power_of_ten(value: f64) -> String {
    let exponent = libm::floor(libm::log10(value.max(1.0)));
    let digits = Figure(value / ten(exponent)).to_string();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the exponent of a float")]
    let raised: String = (exponent as u32)
        .to_string()
        .chars()
        .filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10)? as usize))
        .collect();
    format!("{digits} × 10{raised}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_the_unit_that_suits_them() {
        let plain = |text: String| text.replace(THIN_SPACE, " ");
        for (value, text) in
            [(0.055_56, "$0.056"), (5.556, "$5.56"), (320_512.8, "$321,000"), (61_680_000.0, "$61.7 million")]
        {
            assert_eq!(plain(dollars(value)), text);
        }
        assert_eq!(dollar_range([1.0, 1.001]), "$1.00");
        assert_eq!(numbers([159_999.0, 239_999.0]), "160,000 to 240,000");
        assert_eq!(plain(watt_hours([48.7e6, 96e6])), "48.7 to 96.0 MWh");
        assert_eq!(plain(watt_hours([10.0, 20.0])), "0.010 to 0.020 kWh");
        for (seconds, text) in
            [(40.0 * HOUR, "20.0 to 40.0 hours"), (3.0 * DAY, "1.50 to 3.00 days"), (2.0 * YEAR, "1.00 to 2.00 years")]
        {
            assert_eq!(lasts([seconds / 2.0, seconds]), text);
        }
        assert_eq!(power_of_ten(8.086e22), "8.09 × 10²²");
        assert_eq!(power_of_ten(0.0), "0.000 × 10⁰");
    }
}
