//! What the page shows of what was read, as JSON: texts and tables of texts.

use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Grouped, Percent, Size};
use memory_wall_reports::files::Opened;
use memory_wall_reports::values::Written;
use memory_wall_reports::{Fact, Found, Report, Value, What};

/// Facts of one report that are shown.
const MOST_FACTS: usize = 60;

/// All of it. Numbers of texts count from 0, in the order in which they were handed over.
pub(crate) fn json(found: &Found, files: &[Opened], unread: &[(u16, String)], unit: ByteUnit) -> String {
    let mut json = Written::default();
    json.within('{', &mut |json| {
        json.name("reports").within('[', &mut |json| found.reports.iter().for_each(|it| report(json, it, unit)));
        json.name("tables").within('[', &mut |json| {
            let tables = files.iter().flat_map(|it| it.file.holdings().into_iter().map(|table| (it.source, table)));
            tables.for_each(|(source, table)| table.write(json, source, unit));
        });
        json.name("notes").texts(&notes(found, files));
        json.name("unread").within('[', &mut |json| {
            for (source, why) in unread {
                json.within('[', &mut |json| {
                    json.number((*source).into());
                    json.text(why);
                });
            }
        });
    });
    json.finish()
}

/// What should be known, and what was not understood.
fn notes(found: &Found, files: &[Opened]) -> Vec<String> {
    let remarks = files.iter().flat_map(|opened| opened.file.remarks());
    let odd = found
        .odd
        .iter()
        .map(|(_, place)| format!("Not understood: the number at line {}, column {}.", place.line, place.column));
    remarks.chain(odd).collect()
}

fn report(json: &mut Written, report: &Report, unit: ByteUnit) {
    let version = report.name(What::Version).map(|version| format!(" {version}"));
    let lines = match (report.is_file(), report.from == report.to) {
        (true, _) => String::new(),
        (_, true) => report.from.to_string(),
        _ => format!("{}–{}", report.from, report.to),
    };
    json.within('{', &mut |json| {
        json.name("text").number(report.source.into());
        json.name("what").text(&format!("{}{}", report.kind.words(), version.as_deref().unwrap_or_default()));
        json.name("lines").text(&lines);
        json.name("facts").within('[', &mut |json| {
            for fact in report.facts.iter().take(MOST_FACTS) {
                json.within('{', &mut |json| {
                    json.name("name").text(fact.what.words());
                    json.name("value").text(&value(fact, unit));
                    json.name("line").number(fact.place.line as u64);
                });
            }
        });
    });
}

fn value(fact: &Fact, unit: ByteUnit) -> String {
    match &fact.value {
        Value::Size(bytes) => size(bytes.bytes, unit),
        Value::Count(count) => Grouped((*count).into()).to_string(),
        Value::Millionths(ratio) => Percent(*ratio as f64 / 1e6).to_string(),
        Value::Name(name) => name.to_string(),
        Value::Flag(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Shape(shape) => shape
            .iter()
            .enumerate()
            .fold(String::new(), |text, (place, side)| format!("{text}{}{side}", if place == 0 { "" } else { " × " })),
        Value::Phase(phase) => phase.words().to_owned(),
        Value::Part(part) => part.words().to_owned(),
        Value::Refusal(why) => why.words().to_owned(),
    }
}

/// A size with its sign.
fn size(bytes: i64, unit: ByteUnit) -> String {
    let sign = if bytes < 0 { "−" } else { "" };
    format!("{sign}{}", Size::new(Bytes(bytes.unsigned_abs().into()), unit))
}
