//! Measurements against their bounds.
//!
//! Each runner prints lines of four fields with tabs between them: name, value, unit, bound. A bound is the most that
//! the value may be; `>=60` is the least instead, and `-` is none. Other lines are shown and not read.

use std::fmt::Write as _;
use std::fs;

use crate::browser;
use crate::place::Place;
use crate::setup;
use crate::sizes;
use crate::table;
use crate::versions;

/// One line of a runner.
#[derive(Debug, PartialEq)]
struct Measurement {
    name: String,
    value: String,
    unit: String,
    bound: String,
    kept: Option<bool>,
}

/// Measures the core natively and the page in the browser, and compares with the bounds.
pub(crate) fn run(place: &Place) -> Result<(), String> {
    setup::all(place, false)?;
    let browser = browser::ready(place, browser::For::Speed)?;
    let mut measurements = Vec::new();
    place
        .job("cargo")
        .args(["bench", "-p", "memory-wall-core", "--bench", "evaluate", "--locked"])
        // The release profile is made for a small page; the core is measured as a fast program.
        .env("CARGO_PROFILE_BENCH_OPT_LEVEL", "3")
        .tee(|line| measurements.extend(measurement(line)))?;
    // The same program as WebAssembly, as small as the page's own, in the engine that the browser shares with Node.
    setup::target(place, versions::WASI)?;
    place
        .job("cargo")
        .args(["bench", "-p", "memory-wall-core", "--bench", "evaluate", "--locked", "--target", versions::WASI])
        .env("CARGO_PROFILE_BENCH_OPT_LEVEL", "z")
        .env(
            "CARGO_TARGET_WASM32_WASIP1_RUNNER",
            format!("node --no-warnings {}", place.e2e().join("wasi.mjs").display()),
        )
        .tee(|line| measurements.extend(measurement(line)))?;
    sizes::build(place)?;
    browser.node(place, &["bench.mjs"]).tee(|line| measurements.extend(measurement(line)))?;
    report(place, &measurements, "bench.txt")
}

/// Measures pages with Lighthouse, all of them where none is named.
pub(crate) fn lighthouse(place: &Place, pages: &[String]) -> Result<(), String> {
    setup::all(place, false)?;
    let browser = browser::ready(place, browser::For::Speed)?;
    browser::packages(place, &place.lighthouse())?;
    sizes::build(place)?;
    let mut measurements = Vec::new();
    let script = place.lighthouse().join("lighthouse.mjs");
    let job = browser.node(place, &[&script.to_string_lossy()]);
    job.args(pages).tee(|line| measurements.extend(measurement(line)))?;
    report(place, &measurements, "lighthouse.txt")
}

/// Prints the table, keeps it as a file, and says whether a bound is broken.
fn report(place: &Place, measurements: &[Measurement], file: &str) -> Result<(), String> {
    if measurements.is_empty() {
        return Err("Nothing was measured.".to_owned());
    }
    let text = summary(measurements);
    print!("\n{text}");
    let path = place.target().join(file);
    fs::write(&path, text).map_err(|error| format!("{} cannot be written: {error}.", path.display()))?;
    if measurements.iter().any(|measurement| measurement.kept == Some(false)) {
        return Err("A bound is broken.".to_owned());
    }
    Ok(())
}

fn measurement(line: &str) -> Option<Measurement> {
    let mut fields = line.split('\t').map(|field| field.trim().to_owned());
    let (name, value, unit) = (fields.next()?, fields.next()?, fields.next()?);
    let bound = fields.next()?;
    if fields.next().is_some() {
        return None;
    }
    let number: f64 = value.parse().ok()?;
    let kept = keeps(number, &bound)?;
    Some(Measurement { name, value, unit, bound, kept })
}

/// Whether the value keeps the bound: `Some(None)` when there is no bound, `None` when it is not understood.
#[expect(clippy::option_option, reason = "not understood and not there are two things")]
fn keeps(value: f64, bound: &str) -> Option<Option<bool>> {
    if matches!(bound, "" | "-") {
        return Some(None);
    }
    let (least, number) = match bound.strip_prefix(">=") {
        Some(rest) => (true, rest),
        None => (false, bound.strip_prefix("<=").unwrap_or(bound)),
    };
    let number: f64 = number.trim().parse().ok()?;
    // Not a number keeps no bound.
    Some(Some(if least { value >= number } else { value <= number }))
}

fn summary(measurements: &[Measurement]) -> String {
    let mut rows = vec![table::row(["measurement", "value", "unit", "bound", ""])];
    for measurement in measurements {
        rows.push(vec![
            measurement.name.clone(),
            measurement.value.clone(),
            measurement.unit.clone(),
            measurement.bound.clone(),
            match measurement.kept {
                Some(true) => "ok",
                Some(false) => "BROKEN",
                None => "",
            }
            .to_owned(),
        ]);
    }
    let broken = measurements.iter().filter(|measurement| measurement.kept == Some(false)).count();
    let mut text = table::layout(&rows);
    // Writing into a String cannot fail.
    let _ = writeln!(text, "{} measurements, {broken} of the bounds broken", measurements.len());
    text
}

#[cfg(test)]
mod tests {
    use super::{keeps, measurement, summary};

    #[test]
    fn lines_of_four_fields_are_measurements() {
        let kept = |line: &str| measurement(line).map(|measurement| measurement.kept);
        assert_eq!(kept("evaluate\t1.5\tµs\t10"), Some(Some(true)));
        assert_eq!(kept("evaluate\t15\tµs\t10"), Some(Some(false)));
        assert_eq!(kept("evaluate\t15\tµs\t-"), Some(None));
        assert_eq!(kept("running 3 tests"), None);
        assert_eq!(kept("name\tvalue\tunit\tbound"), None);
    }

    #[test]
    fn a_bound_may_be_the_least() {
        assert_eq!(keeps(61.0, ">=60"), Some(Some(true)));
        assert_eq!(keeps(59.0, ">= 60"), Some(Some(false)));
        assert_eq!(keeps(f64::NAN, "60"), Some(Some(false)));
        assert_eq!(keeps(1.0, "soon"), None);
    }

    #[test]
    fn a_broken_bound_is_marked() {
        let measurements: Vec<_> = ["a\t1\tms\t2", "b\t3\tms\t2"].into_iter().filter_map(measurement).collect();
        let text = summary(&measurements);
        assert!(text.contains("BROKEN"), "{text}");
        assert!(text.ends_with("2 measurements, 1 of the bounds broken\n"), "{text}");
    }
}
