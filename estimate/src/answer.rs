//! What the page shows of an explanation, as JSON: sentences, and the tables of terms and of measured parts.

use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::{Bytes, Verdict};
use memory_wall_reports::Found;
use memory_wall_reports::explain::{Change, Explanation, Message, Number, Row};
use memory_wall_reports::files::{File, Opened};
use memory_wall_reports::model_files::ModelJson;
use memory_wall_reports::values::Written;

use crate::link;

/// All of it.
pub(crate) fn json(found: &Found, files: &[Opened], explanation: &Explanation, unit: ByteUnit) -> String {
    let sentences = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>();
    let terms = terms(&explanation.rows, unit);
    let parts: Vec<[String; 4]> = explanation
        .parts
        .iter()
        .flat_map(|parts| &parts.lines)
        .map(|line| {
            let estimate = line.estimate.map(|bytes| size(bytes, unit)).unwrap_or_default();
            let reason = line.reason.map(|reason| reason.to_string()).unwrap_or_default();
            [capital(line.part.name()), size(line.measured, unit), estimate, reason]
        })
        .collect();
    let mut json = Written::default();
    json.within('{', &mut |json| {
        json.name("run").texts(&run(explanation, unit));
        json.name("causes").texts(&sentences(&mut explanation.causes.iter().map(ToString::to_string)));
        json.name("contradictions").texts(&sentences(&mut explanation.contradictions.iter().map(ToString::to_string)));
        json.name("notes").texts(&notes(found, files, explanation, unit));
        json.name("estimates").within('[', &mut |json| {
            table(json, "Estimated", ["Term", "Reported", "Estimated", "Difference"], &terms);
            table(json, "Parts", ["Part", "Measured", "Estimated", "Likeliest reason"], &parts);
        });
        json.name("help").within('{', &mut |json| {
            json.name("title").text("What helps most");
            json.name("changes").texts(&sentences(&mut explanation.changes.iter().map(|change| changed(change, unit))));
        });
        match link::of(explanation) {
            Some(query) => json.name("query").text(&query),
            None => json.name("query").nothing(),
        }
    });
    json.finish()
}

fn table(json: &mut Written, title: &str, heads: [&str; 4], rows: &[[String; 4]]) {
    if rows.is_empty() {
        return;
    }
    json.within('{', &mut |json| {
        json.name("title").text(title);
        json.name("heads").texts(&heads.map(String::from));
        json.name("rows").within('[', &mut |json| rows.iter().for_each(|row| json.texts(row)));
    });
}

fn run(explanation: &Explanation, unit: ByteUnit) -> Vec<String> {
    let model = match &explanation.model {
        Some(model) => format!("Model: {}.", model.name),
        None if explanation.unknown_models.is_empty() => "Model: nothing names it.".to_owned(),
        None => format!("Model: not in the table ({}).", explanation.unknown_models.join(", ")),
    };
    let capacity = explanation.capacity.map(|capacity| size(capacity, unit));
    let gpu = match (explanation.gpu, capacity) {
        (Some(gpu), Some(capacity)) => Some(format!("GPU: {}, {capacity}.", gpu.name)),
        (None, Some(capacity)) => Some(format!("GPU: one with {capacity}.")),
        _ => None,
    };
    let refused = match &explanation.scenario {
        Some(Err(error)) => Some(format!("The run as it was read cannot be estimated: {error}.")),
        _ => None,
    };
    [Some(model), gpu, refused].into_iter().flatten().collect()
}

/// What should be known, shapes of configs included.
fn notes(found: &Found, files: &[Opened], explanation: &Explanation, unit: ByteUnit) -> Vec<String> {
    let mut notes: Vec<String> = explanation.notes.iter().map(ToString::to_string).collect();
    if let Some(message) = explanation.main.and_then(|at| found.reports.get(at)).map(Message::of)
        && let Some(outside) = message.outside().filter(|bytes| *bytes > 0)
    {
        notes.push(format!("Outside PyTorch in this process: {}.", size(Bytes(outside.unsigned_abs().into()), unit)));
    }
    for opened in files {
        if let File::Model(ModelJson::Config(config)) = &opened.file {
            notes.extend(config.remarks.iter().cloned());
            notes.extend(config.architecture.as_ref().err().map(ToString::to_string));
        }
    }
    notes
}

fn terms(rows: &[Row], unit: ByteUnit) -> Vec<[String; 4]> {
    let shown = |number: Number| match number {
        Number::Bytes(bytes) => signed(bytes, unit),
        Number::Count(count) => Grouped(count).to_string(),
    };
    let row = |row: &Row| {
        let difference = row.difference().map(|difference| match row.reported {
            _ if row.agrees() => "same".to_owned(),
            Number::Bytes(_) => format!("{}{}", if difference < 0 { "" } else { "+" }, signed(difference, unit)),
            Number::Count(_) => {
                format!("{}{}", if difference < 0 { "−" } else { "+" }, Grouped(difference.unsigned_abs()))
            }
        });
        let estimate = row.estimated.map(shown).unwrap_or_default();
        [capital(row.what.words()), shown(row.reported), estimate, difference.unwrap_or_default()]
    };
    rows.iter().map(row).collect()
}

/// A change, what it saves, and whether the run fits then.
fn changed(change: &Change, unit: ByteUnit) -> String {
    let saved = Bytes(change.saved.0.unsigned_abs());
    let saved = match change.saved.0 {
        0 => String::new(),
        less if less > 0 => format!(", {} less at the peak", size(saved, unit)),
        _ => format!(", {} more at the peak", size(saved, unit)),
    };
    let then = match change.verdict {
        Some(Verdict::Fits) => "; it fits then",
        Some(Verdict::Tight) => "; it is tight then",
        Some(Verdict::Queues) => "; it starts then, and some requests wait",
        Some(Verdict::DoesNotFit) => "; it still does not fit then",
        None => "",
    };
    format!("{}{saved}{then}.", capital(&change.kind.id().replace('-', " ")))
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str())).unwrap_or_default()
}

fn size(bytes: Bytes, unit: ByteUnit) -> String {
    Size::new(bytes, unit).to_string()
}

fn signed(bytes: i128, unit: ByteUnit) -> String {
    format!("{}{}", if bytes < 0 { "−" } else { "" }, size(Bytes(bytes.unsigned_abs()), unit))
}
