//! What the page shows of what was read, as JSON: texts and the facts of texts and files.

use memory_wall_core::display::ByteUnit;
use memory_wall_reports::values::Written;
use memory_wall_reports::{Device, Found, Report, What};

/// Facts of one report that are shown.
const MOST_FACTS: usize = 60;

/// All of it. Numbers of texts count from 0, in the order in which they were handed over.
pub(crate) fn json(found: &Found, unread: &[(u16, String)], unit: ByteUnit) -> String {
    let mut json = Written::default();
    json.within('{', &mut |json| {
        json.name("reports").within('[', &mut |json| found.reports.iter().for_each(|it| report(json, it, unit)));
        json.name("notes").texts(&notes(found));
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

/// What was not understood.
fn notes(found: &Found) -> Vec<String> {
    let odd = found.odd.iter();
    odd.map(|(_, place)| format!("Not understood: the number at line {}, column {}.", place.line, place.column))
        .collect()
}

fn report(json: &mut Written, report: &Report, unit: ByteUnit) {
    let version = report.name(What::Version).map(|version| format!(" {version}"));
    let lines = match (report.is_file(), report.from == report.to) {
        (true, _) => String::new(),
        (_, true) => report.from.to_string(),
        _ => format!("{}–{}", report.from, report.to),
    };
    // Of several GPUs, or of a GPU and the host, each figure says whose it is.
    let told = || report.facts.iter().map(|fact| fact.device).filter(|device| *device != Device::Unsaid);
    let several = told().any(|device| Some(device) != told().next());
    json.within('{', &mut |json| {
        json.name("text").number(report.source.into());
        json.name("what").text(&format!("{}{}", report.kind.words(), version.as_deref().unwrap_or_default()));
        json.name("lines").text(&lines);
        json.name("facts").within('[', &mut |json| {
            for fact in report.facts.iter().take(MOST_FACTS) {
                json.within('{', &mut |json| {
                    let device = if several { fact.device.words() } else { String::new() };
                    let name = fact.what.words();
                    json.name("name").text(&if device.is_empty() { name.into() } else { format!("{name} ({device})") });
                    json.name("value").text(&fact.shown(unit, false));
                    json.name("line").number(fact.place.line as u64);
                });
            }
        });
    });
}
