//! Numbers with a unit as people type them, and what became of them: right, a slip that is known, or another number.
//!
//! By hand rather than by the library's reading of floats, which would be the larger part of the program.

/// The unit that a question asks in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// What a bare number is counted in: `G` for GB.
    pub prefix: &'a str,
    /// The ways to write the unit without its prefix, the longest first: `bytes byte B`.
    pub names: &'a str,
}

/// What became of a typed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged<'a> {
    /// Within the tolerance.
    Right,
    /// It is what a known slip gives.
    Slip(&'a str),
    /// Another number.
    Other,
}

/// How far from the answer a number may be, as a ratio: rounding is no slip.
pub const TOLERANCE: f64 = 1.02;

/// Judges a typed number against the answer and the slips, `half=53687091200 bits=…`; nothing where it cannot be read.
pub fn judge<'a>(typed: &str, unit: Unit<'_>, answer: &str, slips: &'a str) -> Option<Judged<'a>> {
    let plain = Unit { prefix: "", names: "" };
    // A comma before three digits groups them to one reader and begins the fraction to another.
    let readings = [read(typed, unit, false)?, read(typed, unit, true)?];
    let is = |known: &str| {
        read(known, plain, false).is_some_and(|known| readings.iter().any(|typed| is_near(*typed, known)))
    };
    if is(answer) {
        return Some(Judged::Right);
    }
    let slip = slips.split(' ').filter_map(|slip| slip.split_once('=')).find(|(_, value)| is(value));
    Some(slip.map_or(Judged::Other, |(slip, _)| Judged::Slip(slip)))
}

fn is_near(one: f64, other: f64) -> bool {
    one <= other * TOLERANCE && other <= one * TOLERANCE
}

/// The value of `26`, `26 GB`, `26e9 B`, `24.2 GiB`, `26,0`, `26 000 MB` in the unit without prefix; nothing for anything else.
/// With `decimal` every comma begins a fraction, otherwise not one before exactly three digits.
pub fn read(typed: &str, unit: Unit<'_>, decimal: bool) -> Option<f64> {
    let text = typed.trim();
    // Longer than anybody writes a number.
    if text.len() > 40 {
        return None;
    }
    let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let (mut value, mut places, mut fraction, mut end) = (0.0, 0, false, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => {
                value = value * 10.0 + f64::from(byte - b'0');
                places += i32::from(fraction);
                end = at + 1;
            }
            b',' if !decimal && !fraction && digit(at + 3) && !digit(at + 4) => {}
            b'.' | b',' if !fraction && digit(at + 1) => fraction = true,
            // Spaces of every width between groups of digits; what is no digit behind them belongs to the unit.
            b' ' | b'_' | 0x80.. if end > 0 => {}
            _ => break,
        }
    }
    let byte = |at: usize| text.as_bytes().get(at);
    let mut power = 0;
    if let Some(b'e' | b'E') = byte(end) {
        let negative = byte(end + 1) == Some(&b'-');
        let from = end + 1 + usize::from(negative || byte(end + 1) == Some(&b'+'));
        let mut at = from;
        while digit(at) && at < from + 2 {
            power = power * 10 + byte(at).map_or(0, |digit| i32::from(digit - b'0'));
            at += 1;
        }
        if at > from {
            end = at;
        }
        power = if negative { -power } else { power };
    }
    let factor = factor(text.get(end..)?.trim(), unit)?;
    Some(scaled(value, power - places) * factor).filter(|value| *value > 0.0)
}

/// A value times a power of ten.
fn scaled(mut value: f64, power: i32) -> f64 {
    for _ in 0..power.unsigned_abs() {
        value = if power < 0 { value / 10.0 } else { value * 10.0 };
    }
    value
}

/// What a written unit is worth: `GB` 10⁹ of B. A prefix alone is enough, and nothing at all means the unit of the question.
fn factor(text: &str, unit: Unit<'_>) -> Option<f64> {
    if text.is_empty() {
        return prefix(unit.prefix, unit);
    }
    let named = unit.names.split(' ').find_map(|name| {
        let at = text.len().checked_sub(name.len())?;
        let same = !name.is_empty() && text.get(at..)?.eq_ignore_ascii_case(name);
        prefix(text.get(..at)?.trim_end(), unit).filter(|_| same)
    });
    named.or_else(|| prefix(text, unit))
}

fn prefix(text: &str, unit: Unit<'_>) -> Option<f64> {
    let mut letters = text.chars();
    let (letter, binary) = (letters.next(), letters.next());
    if letters.next().is_some() || binary.is_some_and(|binary| binary != 'i') {
        return None;
    }
    let base = if binary.is_some() { 1_024.0 } else { 1_000.0 };
    let steps = match letter.unwrap_or(' ') {
        ' ' => 0,
        'k' | 'K' => 1,
        // Of seconds an m is a thousandth; of anything else nobody has thousandths.
        'm' if unit.names == "s" => return Some(1e-3),
        'u' | 'µ' => return Some(1e-6),
        'm' | 'M' => 2,
        'g' | 'G' => 3,
        't' | 'T' => 4,
        'p' | 'P' => 5,
        _ => return None,
    };
    Some((0..steps).fold(1.0, |value, _| value * base))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: Unit<'_> = Unit { prefix: "G", names: "bytes byte B" };

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for text in [
            "26",
            "26 GB",
            "26GB",
            "26e9 B",
            "26e9B",
            "2.6e10 bytes",
            "26,0",
            "26.0 gb",
            "26 000 MB",
            "26,000 MB",
            "26_000 MB",
            "26\u{202f}GB",
            "0.026 TB",
            "26 G",
            "24.2144 GiB",
            "26000000000 B",
            "26,000,000,000 B",
            "2,6e10 B",
            " 26 gigabytes ",
        ] {
            let read = read(text, GB, false);
            if text.contains("giga") {
                assert_eq!(read, None, "{text}");
            } else {
                assert!(read.is_some_and(|value| (value / 26e9 - 1.0).abs() < 1e-4), "{text}: {read:?}");
            }
        }
        assert_eq!(read("1,234", GB, false), Some(1_234e9));
        assert_eq!(read("1,234", GB, true), Some(1.234e9));
    }

    #[test]
    fn other_units_have_their_own_prefixes() {
        let close = |typed: &str, unit: Unit<'_>, value: f64| {
            let read = read(typed, unit, false);
            assert!(read.is_some_and(|read| (read / value - 1.0).abs() < 1e-12), "{typed}: {read:?}");
        };
        let seconds = Unit { prefix: "m", names: "s" };
        close("5", seconds, 5e-3);
        close("5 ms", seconds, 5e-3);
        close("5 µs", seconds, 5e-6);
        close("5 s", seconds, 5.0);
        let rate = Unit { prefix: "T", names: "FLOP/s FLOPS" };
        close("6", rate, 6e12);
        close("6 TFLOPS", rate, 6e12);
        close("6000 GFLOP/s", rate, 6e12);
        close("153 FLOP/byte", Unit { prefix: "", names: "FLOP/byte FLOP/B" }, 153.0);
        close("150", Unit { prefix: "", names: "tokens/s tokens" }, 150.0);
        close("150 tokens/s", Unit { prefix: "", names: "tokens/s tokens" }, 150.0);
    }

    #[test]
    fn anything_else_is_nothing() {
        for text in [
            "",
            " ",
            "GB",
            "-1",
            "0",
            "0.0 GB",
            "NaN",
            "inf",
            "1..2",
            "1.",
            "26 parsecs",
            "26 iB",
            "é",
            "26é",
            "1e999 B",
            ",",
            "½",
        ] {
            assert_eq!(read(text, GB, false), None, "{text}");
        }
        assert_eq!(read(&"9".repeat(100), GB, false), None);
    }

    #[test]
    fn slips_are_named_and_rounding_is_none() {
        // 13 billion parameters of two bytes.
        let judge = |typed| judge(typed, GB, "26031728640", "half=13015864320 bits=208253829120 gib=24243873792");
        for typed in ["26", "26 GB", "26e9 B", "24.2 GiB", "26,0", "26.03", "26,030", "25.7"] {
            assert_eq!(judge(typed), Some(Judged::Right), "{typed}");
        }
        assert_eq!(judge("13"), Some(Judged::Slip("half")));
        assert_eq!(judge("208 GB"), Some(Judged::Slip("bits")));
        assert_eq!(judge("24.2"), Some(Judged::Slip("gib")));
        assert_eq!(judge("17"), Some(Judged::Other));
        assert_eq!(judge("many"), None);
    }
}
