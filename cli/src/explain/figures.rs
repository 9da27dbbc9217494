//! Every figure that was read, with its line: what no table above shows.

use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_reports::explain::{Explanation, Number};
use memory_wall_reports::{Device, Fact, Found, Report, Value, What, capital};

use super::text::{about, is_message};
use crate::text::{Side, Table, wrapped};

/// Figures of one report that are listed; more are counted.
const MOST: usize = 60;

/// A figure, and the GPUs or ranks of which it is told.
struct Figure<'a> {
    fact: &'a Fact,
    devices: Vec<Device>,
}

/// The lists, one for each report.
pub(super) fn of(names: &[String], found: &Found, explanation: &Explanation, unit: ByteUnit) -> String {
    let listed = found.reports.iter().enumerate().filter(|(_, report)| !report.is_file());
    listed.map(|(place, report)| list(names, report, Some(place) == explanation.main, explanation, unit)).collect()
}

fn list(names: &[String], report: &Report, main: bool, explanation: &Explanation, unit: ByteUnit) -> String {
    let figures = figures(report, main && is_message(report), explanation);
    if figures.is_empty() {
        return String::new();
    }
    let name = names.get(usize::from(report.source)).map_or("", String::as_str);
    let mut table = Table::new(&[
        (&format!("Also read in {name} ({})", about(report)), Side::Left),
        ("Of", Side::Left),
        ("Value", Side::Right),
        ("Line", Side::Right),
    ]);
    for Figure { fact, devices } in figures.iter().take(MOST) {
        let of = match devices.as_slice() {
            [device] => device.words(),
            several => format!("{} GPUs", several.len()),
        };
        table.row([capital(fact.what.words()).to_string(), of, fact.shown(unit, true), fact.place.line.to_string()]);
    }
    let more = figures.len().saturating_sub(MOST) as u128;
    let rest = if more > 0 { wrapped(&format!("{} more are in --json.", Grouped(more)), 2) } else { String::new() };
    format!("\n{}{rest}", table.text())
}

/// What a report says and no row does: of a figure that is told once and stands in a row, nothing.
fn figures<'a>(report: &'a Report, message: bool, explanation: &Explanation) -> Vec<Figure<'a>> {
    let mut figures: Vec<Figure<'a>> = Vec::new();
    for fact in &report.facts {
        // These stand in the sentences above.
        let said = matches!(fact.what, What::Version | What::Build)
            || matches!(fact.value, Value::Phase(_) | Value::Part(_) | Value::Refusal(_))
            || message && matches!(fact.value, Value::Size(_));
        if said || in_row(report, fact, explanation) {
            continue;
        }
        let same = |known: &&mut Figure<'_>| {
            known.fact.what == fact.what
                && known.fact.value == fact.value
                && !known.devices.contains(&fact.device)
                && !known.devices.contains(&Device::Host)
                && fact.device != Device::Host
        };
        match figures.iter_mut().find(same) {
            Some(known) => known.devices.push(fact.device),
            None => figures.push(Figure { fact, devices: vec![fact.device] }),
        }
    }
    figures
}

/// Whether a row above says what a fact says, and the report says nothing else of it.
fn in_row(report: &Report, fact: &Fact, explanation: &Explanation) -> bool {
    let value = match &fact.value {
        Value::Size(size) => Number::Bytes(size.bytes.into()),
        Value::Count(count) => Number::Count((*count).into()),
        _ => return false,
    };
    explanation.rows.iter().any(|row| row.what == fact.what && row.reported == value)
        && report.all(fact.what).all(|other| other.value == fact.value)
}
