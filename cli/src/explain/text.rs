//! The explanation for people.

use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::profile::Suspect;
use memory_wall_core::{Bytes, Checked, Verdict};
use memory_wall_reports::explain::{
    Cause, Change, ChangeKind, Explanation, Known, Message, Note, Parts, Row, Shown, several_named,
};
use memory_wall_reports::files::{Holdings, Opened};
use memory_wall_reports::{Found, Kind, Report, Sources, Value, What, capital};

use super::{figures, signed};
use crate::text::{Side, Table, wrapped};
use crate::{changes, inputs, words};

/// All of it.
pub(super) fn of(names: &[String], sources: &Sources, explanation: &Explanation, unit: ByteUnit) -> String {
    let found = &sources.found;
    let mut text = reports(names, sources);
    if let Some(report) = explanation.main.and_then(|at| found.reports.get(at)) {
        text += &numbers(report, &explanation.causes, unit);
    }
    text.extend(sources.files.iter().map(|opened| holdings(names, opened, unit)));
    text.push('\n');
    let gpu_name = explanation.about.iter().filter_map(|at| found.reports.get(*at)).find_map(|it| it.name(What::Gpu));
    text += &run(explanation, gpu_name, unit);
    text += &rows(explanation, unit);
    text.extend(explanation.parts.iter().map(|parts| measured(names, parts, unit)));
    if !explanation.contradictions.is_empty() {
        text += "\nContradictions:\n";
        text.extend(explanation.contradictions.iter().map(|it| wrapped(&format!("- {it}"), 2)));
    }
    text += &causes(explanation, unit);
    text += &help(explanation, unit);
    text += &doubts(found, explanation);
    text += &figures::of(names, found, explanation, unit);
    text
}

/// What was recognised, and where.
fn reports(names: &[String], sources: &Sources) -> String {
    let mut table = Table::new(&[
        ("What was read", Side::Left),
        ("Where", Side::Left),
        ("Lines", Side::Right),
        ("Times", Side::Right),
    ]);
    for report in &sources.found.reports {
        let name = names.get(usize::from(report.source)).cloned().unwrap_or_default();
        let lines = match (report.is_file(), report.from == report.to) {
            (true, _) => String::new(),
            (_, true) => report.from.to_string(),
            _ => format!("{}-{}", report.from, report.to),
        };
        table.row([about(report), name, lines, report.times.to_string()]);
    }
    let mut text = table.text();
    for (source, why) in &sources.unread {
        let name = names.get(usize::from(*source)).map_or("", String::as_str);
        text += &wrapped(&format!("{name} is not read: {why}."), 2);
    }
    text
}

/// What a file holds, and what should be known of it.
fn holdings(names: &[String], opened: &Opened, unit: ByteUnit) -> String {
    let name = names.get(usize::from(opened.source)).map_or("", String::as_str);
    let mut text = String::new();
    for Holdings { title, rows } in opened.file.holdings() {
        let mut table = Table::new(&[
            (&format!("{title} ({name})"), Side::Left),
            ("Count", Side::Right),
            ("Size", Side::Right),
            ("Bytes", Side::Right),
        ]);
        for row in rows {
            let bytes = row.bytes.map(u128::from);
            table.row([
                row.name,
                row.count.map(|count| Grouped(count.into()).to_string()).unwrap_or_default(),
                bytes.map(|bytes| words::size(Bytes(bytes), unit)).unwrap_or_default(),
                bytes.map(|bytes| Grouped(bytes).to_string()).unwrap_or_default(),
            ]);
        }
        text.push('\n');
        text += &table.text();
    }
    text.extend(opened.file.remarks().iter().map(|remark| wrapped(remark, 2)));
    text
}

/// The parts of a measured run beside the estimate.
fn measured(names: &[String], parts: &Parts, unit: ByteUnit) -> String {
    let name = names.get(usize::from(parts.source)).map_or("", String::as_str);
    let mut table = Table::new(&[
        (&format!("Part ({name})"), Side::Left),
        ("Measured", Side::Right),
        ("Estimated", Side::Right),
        ("Difference", Side::Right),
        ("Likeliest reason", Side::Left),
    ]);
    let shown = Shown { unit, plain: true };
    for line in &parts.lines {
        table.row(line.cells(shown));
    }
    let said: String = parts.said(shown).iter().map(|sentence| wrapped(sentence, 2)).collect();
    format!("\n{}{said}", table.text())
}

/// A report in a few words, with the release that it names.
pub(super) fn about(report: &Report) -> String {
    let version = report.name(What::Version).map(|version| format!(" {version}"));
    let build = report.count(What::Build).map(|build| format!(" b{build}"));
    format!("{}{}", report.kind.words(), version.or(build).unwrap_or_default())
}

/// Whether it is a message, whose numbers stand in a table of their own.
pub(super) const fn is_message(report: &Report) -> bool {
    matches!(
        report.kind,
        Kind::Cuda
            | Kind::Hip
            | Kind::Xpu
            | Kind::Npu
            | Kind::Mps
            | Kind::Xla
            | Kind::TensorFlow
            | Kind::OnnxRuntime
            | Kind::Paddle
            | Kind::Metal
            | Kind::Ggml
            | Kind::HostMemory
    )
}

/// The numbers of a message, with what follows from them alone.
fn numbers(report: &Report, causes: &[Cause], unit: ByteUnit) -> String {
    if !is_message(report) {
        return String::new();
    }
    let message = Message::of(report);
    let mut table = Table::new(&[
        ("In the message", Side::Left),
        ("Size", Side::Right),
        ("Bytes", Side::Right),
        ("Line", Side::Right),
    ]);
    let mut any = false;
    for fact in &report.facts {
        let Value::Size(size) = &fact.value else { continue };
        any = true;
        let bytes =
            if size.bytes < 0 { size.bytes.to_string() } else { Grouped(size.bytes.unsigned_abs().into()).to_string() };
        // The digits that the message has stand for no more than they do.
        let about = if size.grain == 0 { String::new() } else { "about ".to_owned() };
        table.row([
            capital(fact.what.words()).to_string(),
            signed(size.bytes.into(), unit),
            format!("{about}{bytes}"),
            fact.place.line.to_string(),
        ]);
    }
    if !any {
        return String::new();
    }
    let mut text = format!("\n{}", table.text());
    if let Some(outside) = message.outside_unsaid(causes) {
        text += &wrapped(
            &format!("Outside PyTorch in this process (context, NCCL, libraries): {}.", signed(outside.into(), unit)),
            2,
        );
    }
    if let (Some(missing), Some(_)) = (message.missing(), message.reserved_free) {
        let fits = if missing <= 0 {
            "Without fragmentation the request would have fit.".to_owned()
        } else {
            format!("Without fragmentation the request would still have lacked {}.", signed(missing.into(), unit))
        };
        text += &wrapped(&fits, 2);
    }
    text
}

/// The model, the GPU and the settings, or what is missing.
fn run(explanation: &Explanation, gpu_name: Option<&str>, unit: ByteUnit) -> String {
    let mut text = String::new();
    if let Some(model) = &explanation.model {
        let how = match model.known {
            Known::Stated => "as stated",
            Known::Config => "by its config.json",
            Known::File => "by its file",
            Known::Name => "by its name",
            Known::PartOfName => "guessed from a part of its name: --model or --config states it",
        };
        let id = model.preset.map(|preset| format!(" ({})", preset.id)).unwrap_or_default();
        let id = if model.known == Known::Stated { String::new() } else { id };
        text += &wrapped(&format!("Model: {}{id}, {how}.", model.name), 2);
    } else {
        let names: Vec<&str> = explanation.unknown_models.iter().map(String::as_str).collect();
        let told = if names.is_empty() {
            "nothing names it".to_owned()
        } else {
            format!("not in the table: {}", names.join(", "))
        };
        text += &wrapped(
            &format!(
                "Model: not known ({told}). State it with --model or --config to see the estimate beside the figures."
            ),
            2,
        );
    }
    let capacity = explanation.capacity.map(|capacity| words::size(capacity, unit));
    text += &match (explanation.gpu, &capacity) {
        (Some(gpu), Some(capacity)) => wrapped(&format!("GPU: {} ({}), {capacity}.", gpu.name, gpu.id), 2),
        (None, Some(capacity)) if !explanation.gpus.is_empty() => {
            let ids: Vec<&str> = explanation.gpus.iter().map(|gpu| gpu.id).collect();
            wrapped(&format!("GPU: one of {capacity}, such as {}. --gpu states it.", ids.join(", ")), 2)
        }
        (None, Some(capacity)) => match gpu_name {
            Some(name) => {
                wrapped(&format!("GPU: {name}, {capacity}, which the table doesn't have. --gpu states another."), 2)
            }
            None => wrapped(&format!("GPU: one of {capacity}, which nothing names. --gpu states it."), 2),
        },
        _ => match gpu_name {
            Some(name) => {
                let ids: Vec<&str> = several_named(name).iter().map(|gpu| gpu.id).collect();
                let told = match &*ids {
                    [] => "which the table doesn't have. --gpu states another".to_owned(),
                    ids => format!("one of {}. --gpu states which", ids.join(", ")),
                };
                wrapped(&format!("GPU: {name}, {told}."), 2)
            }
            None => wrapped("GPU: no program names it, nor a line such as \"GPU: NVIDIA A10G\". --gpu states it.", 2),
        },
    };
    match &explanation.scenario {
        Some(Ok(scenario)) => text += &inputs::text(scenario, None),
        Some(Err(error)) => text += &wrapped(&format!("The run as it was read cannot be estimated: {error}."), 2),
        None if explanation.model.is_some() => {
            let missing =
                explanation.notes.iter().filter(|note| matches!(note, Note::Missing(_) | Note::WeightsUnknown));
            let missing: Vec<String> = missing.map(ToString::to_string).collect();
            let why = if missing.is_empty() {
                "what it did is not in the text; --mode states it.".to_owned()
            } else {
                missing.join(" ")
            };
            text += &wrapped(&format!("No estimate: {why}"), 2);
        }
        None => {}
    }
    text
}

fn rows(explanation: &Explanation, unit: ByteUnit) -> String {
    let rows: &[Row] = &explanation.rows;
    if rows.is_empty() {
        return String::new();
    }
    let estimated = rows.iter().any(|row| row.estimated.is_some());
    let mut table = Table::new(&[
        ("Term", Side::Left),
        ("Reported", Side::Right),
        ("Estimated", Side::Right),
        ("Difference", Side::Right),
    ]);
    for row in rows {
        table.row(row.cells(Shown { unit, plain: true }));
    }
    let head = match (&explanation.model, &explanation.scenario) {
        _ if estimated => "",
        (None, _) => "Without a model there is no estimate beside them.\n",
        (Some(_), None) => "Without what is missing above there is no estimate beside them.\n",
        (Some(_), Some(_)) => "",
    };
    format!("\n{}{head}", table.text())
}

fn causes(explanation: &Explanation, unit: ByteUnit) -> String {
    let mut text = String::new();
    if let Some((first, others)) = explanation.causes.split_first() {
        text += &wrapped(&format!("\nLikeliest cause: {first}"), 2);
        text.extend(others.iter().map(|cause| wrapped(&format!("- {cause}"), 2)));
    } else if let (Some(Verdict::DoesNotFit), false) = (verdict(explanation), explanation.stands || explanation.several)
    {
        text += &wrapped("\nBy the estimate this run does not fit.", 2);
    }
    if let Some((suspect, tensors)) = explanation.suspect {
        text += &wrapped(
            &format!(
                "One setting that would explain the difference: {} (then {}).",
                suspected(suspect),
                words::size(tensors, unit)
            ),
            2,
        );
    }
    text
}

fn verdict(explanation: &Explanation) -> Option<Verdict> {
    let scenario = explanation.scenario.as_ref()?.as_ref().ok()?;
    Some(memory_wall_core::evaluate::verdict_on(scenario, explanation.capacity?))
}

/// The changes that help most.
fn help(explanation: &Explanation, unit: ByteUnit) -> String {
    let Some(Ok(scenario)) = &explanation.scenario else { return String::new() };
    if explanation.changes.is_empty() {
        return String::new();
    }
    let mut text = "\nWhat helps most:\n".to_owned();
    for (place, change) in explanation.changes.iter().enumerate() {
        text += &wrapped(&format!("{}. {}", place + 1, changed(scenario, change, unit)), 3);
    }
    text + "memory-wall advise with the same settings recomputes every known fix.\n"
}

fn changed(from: &Checked, change: &Change, unit: ByteUnit) -> String {
    let options = changes::between(from, &change.scenario).join(" ");
    let what = match change.kind {
        ChangeKind::Mitigation(mitigation) => mitigation.id().to_owned(),
        kind => kind.id().to_owned(),
    };
    format!("{what}: {options}{}", change.effect(Shown { unit, plain: true }))
}

/// What has to be said, and what was not understood.
fn doubts(found: &Found, explanation: &Explanation) -> String {
    let mut lines: Vec<String> = Vec::new();
    // What is missing for an estimate stands above.
    let told =
        |note: &&Note| explanation.scenario.is_some() || !matches!(note, Note::Missing(_) | Note::WeightsUnknown);
    lines.extend(explanation.notes.iter().filter(told).map(ToString::to_string));
    if !explanation.unknown_models.is_empty() && explanation.model.is_some() {
        lines.push(format!("Not in the table: {}.", explanation.unknown_models.join(", ")));
    }
    let others = found.reports.len() - explanation.about.len();
    if others > 0 {
        lines.push(format!(
            "{} of another run or an earlier start {} not part of this.",
            counted(others, "report"),
            if others == 1 { "is" } else { "are" }
        ));
    }
    for (source, place) in &found.odd {
        let which = if found.reports.iter().any(|report| report.source > 0) {
            format!(" of text {}", source + 1)
        } else {
            String::new()
        };
        lines.push(format!("Not understood: the number at line {}, column {}{which}.", place.line, place.column));
    }
    if found.cut > 0 {
        lines.push(format!(
            "{} longer than {} kB and read in pieces: what stands across the end of one may be missing.",
            if found.cut == 1 { "1 line is".to_owned() } else { format!("{} lines are", Grouped(found.cut.into())) },
            memory_wall_reports::LONGEST_LINE >> 10
        ));
    }
    let facts: u64 = found.reports.iter().map(|report| report.left_out).sum();
    if facts > 0 {
        lines.push(format!(
            "{} more figures were read and not kept, since there are so many of a kind.",
            Grouped(facts.into())
        ));
    }
    if found.left_out > 0 {
        lines.push(format!("{} more reports were read and not kept.", Grouped(found.left_out.into())));
    }
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| wrapped(&format!("- {line}"), 2)).collect();
    format!("\nTo be known:\n{lines}")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A suspect in words.
const fn suspected(suspect: Suspect) -> &'static str {
    match suspect {
        Suspect::EagerAttention => "attention writes its scores to memory (eager)",
        Suspect::FlashAttention => "attention is a fused kernel (flash)",
        Suspect::NothingRecomputed => "gradient checkpointing is off",
        Suspect::AllRecomputed => "gradient checkpointing is on",
        Suspect::WideStates => "everything is kept in fp32",
        Suspect::NarrowStates => "everything is kept in 16 bits",
        Suspect::EightBitOptimizer => "the optimizer's states are in 8 bits",
        Suspect::NoStatesYet => "the optimizer has no states yet",
        Suspect::Foreach => "the optimizer's step makes copies (foreach)",
        Suspect::OutputsKept => "the script holds on to the model's outputs",
        Suspect::PlainLoss => "the logits of all tokens exist at once",
        Suspect::ChunkedLoss => "the loss is computed in chunks",
        Suspect::WideWeights => "the weights were loaded in fp32",
        Suspect::NarrowWeights => "the weights were loaded in 8 bits",
        Suspect::NarrowCache => "the cache is in 8 bits",
        Suspect::Doubled => "there are twice as many sequences or tokens",
        Suspect::Halved => "there are half as many sequences or tokens",
    }
}
