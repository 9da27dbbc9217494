//! Reading texts in tests, and writing what was read so that it can be compared.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "helpers of tests; each test file uses its part")]

use memory_wall_reports::{Device, Found, Kind, Report, Value, What, read};

/// The only report of a kind in a text.
pub(crate) fn only(kind: Kind, text: &str) -> Report {
    let found = read(text.as_bytes());
    let reports: Vec<&Report> = found.reports.iter().filter(|report| report.kind == kind).collect();
    assert_eq!(reports.len(), 1, "{kind:?} in {found:#?}");
    assert_eq!(found.odd, [], "{text}");
    reports.into_iter().next().unwrap().clone()
}

/// What a report says, a fact a line: `line:device what value`. Sizes are bytes, with the grain of their last digit where they have one.
pub(crate) fn told(report: &Report) -> Vec<String> {
    report
        .facts
        .iter()
        .map(|fact| {
            let device = match fact.device {
                Device::Unsaid => String::new(),
                Device::Gpu(gpu) => format!("gpu{gpu} "),
                Device::Host => "host ".into(),
            };
            let value = match &fact.value {
                Value::Size(size) if size.grain == 0 => format!("{}", size.bytes),
                Value::Size(size) => format!("{}~{}", size.bytes, size.grain),
                Value::Count(count) => format!("{count}"),
                Value::Millionths(ratio) => format!("{}", *ratio as f64 / 1e6),
                Value::Name(name) => name.to_string(),
                Value::Flag(flag) => format!("{flag}"),
                Value::Shape(shape) => format!("{shape:?}"),
                Value::Phase(phase) => phase.id().into(),
                Value::Part(part) => part.id().into(),
                Value::Refusal(why) => why.id().into(),
            };
            format!("{}: {device}{} {value}", fact.place.line, fact.what.id())
        })
        .collect()
}

/// Asserts that a text holds one report of a kind, and what it says.
pub(crate) fn assert_told(kind: Kind, text: &str, expected: &[&str]) {
    assert_eq!(told(&only(kind, text)), expected, "{text}");
}

/// The bytes of a size.
pub(crate) fn bytes(report: &Report, what: What) -> i64 {
    report.size(what).unwrap_or_else(|| panic!("{what:?} in {report:#?}")).bytes
}

/// What was found, whatever it is: nothing of it may hold any of these.
pub(crate) fn assert_hides(found: &Found, secrets: &[&str]) {
    let shown = format!("{found:?}");
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}
