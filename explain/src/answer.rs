//! What the page shows, as plain data: texts and tables of texts.

use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Grouped, Percent, Size};
use memory_wall_reports::explain::{Explanation, Message, Opened};
use memory_wall_reports::{Fact, Found, Report, Value};
use serde::Serialize;

use crate::link;

/// Facts of one report that are shown.
const MOST_FACTS: usize = 60;

/// All of it. Numbers of texts count from 0, in the order in which they were handed over.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    /// What was recognised.
    reports: Vec<OneReport>,
    /// What files hold.
    tables: Vec<Table>,
    /// What is said of the run: model, GPU.
    run: Vec<String>,
    /// The likeliest cause first.
    causes: Vec<String>,
    /// What cannot both be true.
    contradictions: Vec<String>,
    /// What should be known, and what was not understood.
    notes: Vec<String>,
    /// What is not read, and why.
    unread: Vec<(u16, String)>,
    /// The settings that were read, as a link's query; nothing where no model of the table is named.
    query: Option<String>,
}

#[derive(Debug, Serialize)]
struct OneReport {
    text: u16,
    what: String,
    lines: String,
    facts: Vec<OneFact>,
}

#[derive(Debug, Serialize)]
struct OneFact {
    name: String,
    value: String,
    line: usize,
}

#[derive(Debug, Serialize)]
struct Table {
    text: u16,
    title: String,
    rows: Vec<[String; 3]>,
}

impl Answer {
    pub(crate) fn new(
        found: &Found,
        files: &[Opened],
        unread: &[(u16, String)],
        explanation: &Explanation,
        unit: ByteUnit,
    ) -> Self {
        let mut notes: Vec<String> = explanation.notes.iter().map(ToString::to_string).collect();
        if let Some(message) = explanation.main.and_then(|at| found.reports.get(at)).map(Message::of)
            && let Some(outside) = message.outside().filter(|bytes| *bytes > 0)
        {
            notes.push(format!("Outside PyTorch in this process: {}.", size(outside, unit)));
        }
        notes.extend(files.iter().flat_map(|opened| opened.file.remarks()));
        notes.extend(
            found.odd.iter().map(|(_, place)| {
                format!("Not understood: the number at line {}, column {}.", place.line, place.column)
            }),
        );
        let tables = files.iter().flat_map(|opened| {
            opened.file.holdings().into_iter().map(|holdings| Table {
                text: opened.source,
                title: holdings.title,
                rows: holdings
                    .rows
                    .into_iter()
                    .map(|row| {
                        let count = row.count.map(|count| Grouped(count.into()).to_string());
                        let bytes = row.bytes.map(|bytes| Size::new(Bytes(bytes.into()), unit).to_string());
                        [row.name, count.unwrap_or_default(), bytes.unwrap_or_default()]
                    })
                    .collect(),
            })
        });
        Self {
            reports: found.reports.iter().map(|report| OneReport::new(report, unit)).collect(),
            tables: tables.collect(),
            run: run(explanation, unit),
            causes: explanation.causes.iter().map(ToString::to_string).collect(),
            contradictions: explanation.contradictions.iter().map(ToString::to_string).collect(),
            notes,
            unread: unread.to_vec(),
            query: link::of(explanation),
        }
    }

    pub(crate) fn json(&self) -> String {
        // Texts and numbers can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn run(explanation: &Explanation, unit: ByteUnit) -> Vec<String> {
    let model = match &explanation.model {
        Some(model) => format!("Model: {}.", model.name),
        None if explanation.unknown_models.is_empty() => "Model: nothing names it.".to_owned(),
        None => format!("Model: not in the table ({}).", explanation.unknown_models.join(", ")),
    };
    let capacity = explanation.capacity.map(|capacity| Size::new(capacity, unit).to_string());
    let gpu = match (explanation.gpu, capacity) {
        (Some(gpu), Some(capacity)) => Some(format!("GPU: {}, {capacity}.", gpu.name)),
        (None, Some(capacity)) => Some(format!("GPU: one with {capacity}.")),
        _ => None,
    };
    [Some(model), gpu].into_iter().flatten().collect()
}

impl OneReport {
    fn new(report: &Report, unit: ByteUnit) -> Self {
        let version = report.name(memory_wall_reports::What::Version).map(|version| format!(" {version}"));
        let lines = match (report.is_file(), report.from == report.to) {
            (true, _) => String::new(),
            (_, true) => report.from.to_string(),
            _ => format!("{}–{}", report.from, report.to),
        };
        Self {
            text: report.source,
            what: format!("{}{}", report.kind.words(), version.unwrap_or_default()),
            lines,
            facts: report.facts.iter().take(MOST_FACTS).map(|fact| OneFact::new(fact, unit)).collect(),
        }
    }
}

impl OneFact {
    fn new(fact: &Fact, unit: ByteUnit) -> Self {
        let value = match &fact.value {
            Value::Size(bytes) => size(bytes.bytes, unit),
            Value::Count(count) => Grouped((*count).into()).to_string(),
            Value::Millionths(ratio) => Percent(*ratio as f64 / 1e6).to_string(),
            Value::Name(name) => name.to_string(),
            Value::Flag(on) => if *on { "on" } else { "off" }.to_owned(),
            Value::Shape(shape) => shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × "),
            Value::Phase(phase) => phase.words().to_owned(),
            Value::Part(part) => part.words().to_owned(),
            Value::Refusal(why) => why.words().to_owned(),
        };
        Self { name: fact.what.words().to_owned(), value, line: fact.place.line }
    }
}

/// A size with its sign.
fn size(bytes: i64, unit: ByteUnit) -> String {
    let sign = if bytes < 0 { "−" } else { "" };
    format!("{sign}{}", Size::new(Bytes(bytes.unsigned_abs().into()), unit))
}
