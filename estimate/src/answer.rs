//! What the page shows of an explanation, as JSON: sentences, and the tables of terms and of measured parts.

use memory_wall_core::display::ByteUnit;
use memory_wall_reports::explain::{Explanation, Message, Shown};
use memory_wall_reports::files::{File, Opened};
use memory_wall_reports::model_files::ModelJson;
use memory_wall_reports::values::Written;
use memory_wall_reports::{Found, capital};

use crate::link;

/// All of it.
pub(crate) fn json(found: &Found, files: &[Opened], explanation: &Explanation, unit: ByteUnit) -> String {
    let sentences = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>();
    let shown = Shown { unit, plain: false };
    let terms: Vec<[String; 4]> = explanation.rows.iter().map(|row| row.cells(shown)).collect();
    let drawn = |source: u16| files.iter().any(|it| it.source == source && matches!(it.file, File::Peak(_)));
    let parts = explanation.parts.iter().filter(|parts| !drawn(parts.source)).flat_map(|parts| &parts.lines);
    let parts: Vec<[String; 5]> = parts.map(|line| line.cells(shown)).collect();
    let mut json = Written::default();
    json.within('{', &mut |json| {
        json.name("run").texts(&run(explanation, shown));
        json.name("causes").texts(&sentences(&mut explanation.causes.iter().map(ToString::to_string)));
        json.name("contradictions").texts(&sentences(&mut explanation.contradictions.iter().map(ToString::to_string)));
        json.name("notes").texts(&notes(found, files, explanation, shown));
        json.name("estimates").within('[', &mut |json| {
            table(json, "Estimated", ["Term", "Reported", "Estimated", "Difference"], &terms);
            table(json, "Parts", PARTS, &parts);
        });
        json.name("beside").within('[', &mut |json| {
            for opened in files.iter().filter(|opened| matches!(opened.file, File::Peak(_))) {
                beside(json, opened.source, explanation, shown);
            }
        });
        json.name("help").within('{', &mut |json| {
            json.name("title").text("What helps most");
            json.name("changes").texts(&sentences(
                &mut explanation
                    .changes
                    .iter()
                    .map(|change| format!("{}{}", capital(&change.kind.id().replace('-', " ")), change.effect(shown))),
            ));
        });
        match link::of(explanation) {
            Some(query) => json.name("query").text(&query),
            None => json.name("query").nothing(),
        }
    });
    json.finish()
}

/// The heads of the table of measured parts.
const PARTS: [&str; 5] = ["Part", "Measured", "Estimated", "Difference", "Likeliest reason"];

/// The parts of a snapshot at its peak beside the estimate, for the program that draws it; what is missing for that, in a sentence.
fn beside(json: &mut Written, source: u16, explanation: &Explanation, shown: Shown) {
    let parts = explanation.parts.iter().find(|parts| parts.source == source);
    let model = explanation.model.as_ref();
    let said = match (parts, model) {
        (Some(parts), _) => parts.said(shown),
        (None, None) => vec!["The model is not known. Hand over its config.json, a log or a report of memory_report.py of the same run together with the snapshot, or choose a model, to see the estimate beside its categories.".into()],
        (None, Some(_)) if matches!(explanation.scenario, Some(Err(_))) => Vec::new(),
        (None, Some(_)) => vec!["Nothing of a training step is in this snapshot, and estimates of other runs have no such parts.".into()],
    };
    json.within('{', &mut |json| {
        json.name("source").number(source.into());
        json.name("model").text(model.map(|model| &*model.name).unwrap_or_default());
        json.name("sized").switch(parts.is_some_and(|parts| parts.sized));
        json.name("said").texts(&said);
        json.name("heads").texts(&PARTS.map(String::from));
        json.name("rows").within('[', &mut |json| {
            parts.iter().flat_map(|parts| &parts.lines).for_each(|line| json.texts(&line.cells(shown)));
        });
    });
}

fn table<const N: usize>(json: &mut Written, title: &str, heads: [&str; N], rows: &[[String; N]]) {
    if rows.is_empty() {
        return;
    }
    json.within('{', &mut |json| {
        json.name("title").text(title);
        json.name("heads").texts(&heads.map(String::from));
        json.name("rows").within('[', &mut |json| rows.iter().for_each(|row| json.texts(row)));
    });
}

fn run(explanation: &Explanation, shown: Shown) -> Vec<String> {
    let model = match &explanation.model {
        Some(model) => format!("Model: {}.", model.name),
        None if explanation.unknown_models.is_empty() => "Model: nothing names it.".to_owned(),
        None => format!("Model: not in the table ({}).", explanation.unknown_models.join(", ")),
    };
    let capacity = explanation.capacity.map(|capacity| shown.size(capacity));
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

/// What should be known, shapes of configs included; what else is to be said of a file stands beside its tables.
fn notes(found: &Found, files: &[Opened], explanation: &Explanation, shown: Shown) -> Vec<String> {
    let mut notes: Vec<String> = explanation.notes.iter().map(ToString::to_string).collect();
    if let Some(message) = explanation.main.and_then(|at| found.reports.get(at)).map(Message::of)
        && let Some(outside) = message.outside_unsaid(&explanation.causes).filter(|bytes| *bytes > 0)
    {
        notes.push(format!("Outside PyTorch in this process: {}.", shown.signed(outside.into())));
    }
    for opened in files {
        if let File::Model(ModelJson::Config(config)) = &opened.file {
            notes.extend(config.architecture.as_ref().err().map(ToString::to_string));
        }
    }
    notes
}
