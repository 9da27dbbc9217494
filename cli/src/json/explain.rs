//! The answer of `explain` for programs.

use memory_wall_core::Verdict;
use memory_wall_reports::explain::{Change, Explanation, Known, Message, Number};
use memory_wall_reports::files::{Holdings, Opened};
use memory_wall_reports::{Device, Fact, Found, Value};
use serde::Serialize;

use super::inputs::Inputs;
use crate::changes;

/// What was found, and what it comes to.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<'a> {
    reports: Vec<OneReport<'a>>,
    model: Option<Model<'a>>,
    unknown_models: Vec<&'a str>,
    gpu: Option<&'static str>,
    gpus_with_this_memory: Vec<&'static str>,
    capacity_bytes: Option<u128>,
    scenario: Option<Inputs>,
    refused: Option<String>,
    outside_pytorch_bytes: Option<i64>,
    would_fit_without_fragmentation: Option<bool>,
    terms: Vec<Term>,
    tensors: Vec<SameSize>,
    suspect: Option<&'static str>,
    causes: Vec<String>,
    changes: Vec<Helps>,
    contradictions: Vec<String>,
    notes: Vec<String>,
    files: Vec<OneFile<'a>>,
    not_read: Vec<NotRead<'a>>,
    not_understood: Vec<Odd>,
    lines: u64,
    cut_lines: u64,
    reports_left_out: u64,
}

#[derive(Debug, Serialize)]
struct OneReport<'a> {
    kind: &'static str,
    text: &'a str,
    from_line: usize,
    to_line: usize,
    times: u32,
    main: bool,
    of_this_run: bool,
    facts: Vec<OneFact<'a>>,
    facts_left_out: u64,
}

/// What a file holds.
#[derive(Debug, Serialize)]
struct OneFile<'a> {
    text: &'a str,
    holdings: Vec<OneTable>,
    parts: Vec<OnePart>,
    remarks: Vec<String>,
}

#[derive(Debug, Serialize)]
struct OneTable {
    title: String,
    rows: Vec<OneHolding>,
}

#[derive(Debug, Serialize)]
struct OneHolding {
    name: String,
    count: Option<u64>,
    bytes: Option<u64>,
}

/// A part of a measured run beside its estimate.
#[derive(Debug, Serialize)]
struct OnePart {
    part: &'static str,
    measured_bytes: u128,
    estimated_bytes: Option<u128>,
    reason: Option<String>,
}

#[derive(Debug, Serialize)]
struct NotRead<'a> {
    text: &'a str,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct OneFact<'a> {
    what: &'static str,
    line: usize,
    column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    #[serde(flatten)]
    value: OneValue<'a>,
}

/// A value under a name of its own kind.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum OneValue<'a> {
    Count(u64),
    Ratio(f64),
    Name(&'a str),
    On(bool),
    Shape(&'a [u64]),
    Id(&'static str),
    #[serde(untagged)]
    Size {
        bytes: i64,
        least_bytes: i64,
        most_bytes: i64,
    },
}

#[derive(Debug, Serialize)]
struct Model<'a> {
    name: &'a str,
    id: Option<&'static str>,
    known_by: &'static str,
}

#[derive(Debug, Serialize)]
struct Term {
    what: &'static str,
    unit: &'static str,
    reported: i128,
    grain: u64,
    estimated: Option<i128>,
    difference: Option<i128>,
}

#[derive(Debug, Serialize)]
struct SameSize {
    tensor: &'static str,
    shape: Vec<u64>,
    bytes_per_value: u64,
    bytes: u128,
}

#[derive(Debug, Serialize)]
struct Helps {
    change: &'static str,
    options: Vec<String>,
    total_bytes: u128,
    saved_bytes: i128,
    verdict: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Odd {
    text: u16,
    line: usize,
    column: usize,
}

impl<'a> Answer<'a> {
    /// Of texts with these names.
    pub(crate) fn new(
        names: &'a [String],
        found: &'a Found,
        files: &[Opened],
        unread: &'a [(u16, String)],
        explanation: &'a Explanation,
    ) -> Self {
        let name = |source: u16| names.get(usize::from(source)).map_or("", String::as_str);
        let main = explanation.main.and_then(|at| found.reports.get(at));
        let message = main.map(Message::of).unwrap_or_default();
        let scenario = explanation.scenario.as_ref().and_then(|scenario| scenario.as_ref().ok());
        let refused = explanation.scenario.as_ref().and_then(|scenario| scenario.as_ref().err());
        let reports = found.reports.iter().enumerate().map(|(at, report)| OneReport {
            kind: report.kind.id(),
            text: name(report.source),
            from_line: report.from,
            to_line: report.to,
            times: report.times,
            main: explanation.main == Some(at),
            of_this_run: explanation.about.contains(&at),
            facts: report.facts.iter().map(OneFact::new).collect(),
            facts_left_out: report.left_out,
        });
        Self {
            reports: reports.collect(),
            model: explanation.model.as_ref().map(|model| Model {
                name: &model.name,
                id: model.preset.map(|preset| preset.id),
                known_by: match model.known {
                    Known::Stated => "stated",
                    Known::Config => "config",
                    Known::File => "file",
                    Known::Name => "name",
                    Known::PartOfName => "part_of_name",
                },
            }),
            unknown_models: explanation.unknown_models.iter().map(String::as_str).collect(),
            gpu: explanation.gpu.map(|gpu| gpu.id),
            gpus_with_this_memory: explanation.gpus.iter().map(|gpu| gpu.id).collect(),
            capacity_bytes: explanation.capacity.map(|capacity| capacity.0),
            scenario: scenario.map(|scenario| Inputs::new(scenario)),
            refused: refused.map(ToString::to_string),
            outside_pytorch_bytes: message.outside(),
            would_fit_without_fragmentation: message.reserved_free.and(message.missing()).map(|missing| missing <= 0),
            terms: explanation
                .rows
                .iter()
                .map(|row| Term {
                    what: row.what.id(),
                    unit: if matches!(row.reported, Number::Bytes(_)) { "bytes" } else { "count" },
                    reported: row.reported.value(),
                    grain: row.grain,
                    estimated: row.estimated.map(Number::value),
                    difference: row.difference(),
                })
                .collect(),
            tensors: explanation
                .tensors
                .iter()
                .map(|candidate| SameSize {
                    tensor: candidate.tensor.id(),
                    shape: candidate.shape.to_vec(),
                    bytes_per_value: candidate.bytes_per_value,
                    bytes: candidate.bytes().0,
                })
                .collect(),
            suspect: explanation.suspect.map(|(suspect, _)| suspect.id()),
            causes: explanation.causes.iter().map(ToString::to_string).collect(),
            changes: scenario
                .map(|scenario| explanation.changes.iter().map(|change| Helps::new(scenario, change)).collect())
                .unwrap_or_default(),
            contradictions: explanation.contradictions.iter().map(ToString::to_string).collect(),
            notes: explanation.notes.iter().map(ToString::to_string).collect(),
            files: files.iter().map(|opened| OneFile::new(name(opened.source), opened, explanation)).collect(),
            not_read: unread.iter().map(|(source, why)| NotRead { text: name(*source), reason: why }).collect(),
            not_understood: found
                .odd
                .iter()
                .map(|(text, place)| Odd { text: *text, line: place.line, column: place.column })
                .collect(),
            lines: found.lines,
            cut_lines: found.cut,
            reports_left_out: found.left_out,
        }
    }
}

impl<'a> OneFile<'a> {
    fn new(text: &'a str, opened: &Opened, explanation: &Explanation) -> Self {
        let table = |Holdings { title, rows }| OneTable {
            title,
            rows: rows
                .into_iter()
                .map(|row| OneHolding { name: row.name, count: row.count, bytes: row.bytes })
                .collect(),
        };
        let lines =
            explanation.parts.iter().filter(|parts| parts.source == opened.source).flat_map(|parts| &parts.lines);
        let parts = lines.map(|line| OnePart {
            part: line.part.name(),
            measured_bytes: line.measured.0,
            estimated_bytes: line.estimate.map(|bytes| bytes.0),
            reason: line.reason.map(|reason| reason.to_string()),
        });
        Self {
            text,
            holdings: opened.file.holdings().into_iter().map(table).collect(),
            parts: parts.collect(),
            remarks: opened.file.remarks(),
        }
    }
}

impl Helps {
    fn new(from: &memory_wall_core::Checked, change: &Change) -> Self {
        Self {
            change: change.kind.id(),
            options: changes::between(from, &change.scenario),
            total_bytes: change.total.0,
            saved_bytes: change.saved.0,
            verdict: change.verdict.map(Verdict::id),
        }
    }
}

impl<'a> OneFact<'a> {
    fn new(fact: &'a Fact) -> Self {
        let device = match fact.device {
            Device::Unsaid => None,
            Device::Gpu(gpu) => Some(format!("gpu{gpu}")),
            Device::Host => Some("host".to_owned()),
        };
        let value = match &fact.value {
            Value::Size(size) => {
                OneValue::Size { bytes: size.bytes, least_bytes: size.least(), most_bytes: size.most() }
            }
            Value::Count(count) => OneValue::Count(*count),
            Value::Millionths(ratio) => OneValue::Ratio(*ratio as f64 / 1e6),
            Value::Name(name) => OneValue::Name(name),
            Value::Flag(on) => OneValue::On(*on),
            Value::Shape(shape) => OneValue::Shape(shape),
            Value::Phase(phase) => OneValue::Id(phase.id()),
            Value::Part(part) => OneValue::Id(part.id()),
            Value::Refusal(why) => OneValue::Id(why.id()),
        };
        Self { what: fact.what.id(), line: fact.place.line, column: fact.place.column, device, value }
    }
}
