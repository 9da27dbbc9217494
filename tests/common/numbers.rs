//! Reads numbers out of the text of a question, as a careful reader would: nothing of the engine is asked.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

/// The number that a text begins with, with what its prefix makes of it: `6.74 B` 6.74e9, `2,039 GB/s` 2.039e12, `30 ms` 0.03.
pub(super) fn number(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let value: f64 = digits.trim_end_matches(['.', ',']).replace(',', "").parse().ok()?;
    let unit = unit.trim_start();
    let is = |prefix: &str, units: &[&str]| units.iter().any(|one| unit.starts_with(&format!("{prefix}{one}")));
    let bytes = ["B", "B/s", "FLOP/s"];
    // Of parameters and values a letter alone is a factor.
    let factor = if is("GiB", &[""]) {
        1_073_741_824.0
    } else if is("k", &bytes) || is("K", &[" "]) {
        1e3
    } else if is("M", &bytes) || is("M", &[" "]) {
        1e6
    } else if is("G", &bytes) || is("B", &[" "]) {
        1e9
    } else if is("T", &bytes) || is("T", &[" "]) {
        1e12
    } else if is("m", &["s"]) {
        1e-3
    } else {
        1.0
    };
    Some(value * factor)
}

/// The numbers of a text that stand in the places that `{}` has in a pattern; nothing where the text is another.
pub(super) fn find(text: &str, pattern: &str) -> Option<Vec<f64>> {
    let (first, pieces) = pattern.split_once("{}")?;
    let from = |start: usize| {
        let mut rest = text.get(start + first.len()..)?;
        let mut found = Vec::new();
        for piece in pieces.split("{}") {
            found.push(number(rest)?);
            let (own, behind) = if piece.is_empty() { (rest, "") } else { rest.split_once(piece)? };
            // A number, and perhaps a unit: what stands further on belongs to another number.
            rest = (piece.is_empty() || own.split(' ').count() < 3).then_some(behind)?;
        }
        Some(found)
    };
    text.match_indices(first).find_map(|(start, _)| from(start))
}

#[test]
fn numbers_are_read_as_they_are_written() {
    for (text, value) in [
        ("6.74 B parameters", 6.74e9),
        ("50 M values", 50e6),
        ("2,039 GB/s.", 2.039e12),
        ("312 TFLOP/s in", 312e12),
        ("524 kB of", 524e3),
        ("85.2 GB, does", 85.2e9),
        ("8.00 GiB.", 8_589_934_592.0),
        ("30 ms for", 0.03),
        ("8 sequences", 8.0),
        ("2?", 2.0),
        ("4 bytes", 4.0),
    ] {
        let read = number(text).unwrap();
        assert!((read / value - 1.0).abs() < 1e-9, "{text}: {read}");
    }
    assert_eq!(find("in 16 bits for 8 of 32,768.", "in {} bits for {} of {}."), Some(vec![16.0, 8.0, 32_768.0]));
}
