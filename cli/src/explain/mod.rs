//! `memory-wall explain`: what a run left behind, what it shows, and the estimate beside it.

mod figures;
mod read;
mod stated;
mod text;

use std::ffi::OsString;

use memory_wall_core::display::ByteUnit;
use memory_wall_core::{Scenario, Verdict};
use memory_wall_reports::explain::{Explanation, FoundModel, Known, Note, Shown, Stated, explain};
use memory_wall_reports::{Found, Report, Sources, What};

use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::{Answer, BadInput, Exit, json, runtime};

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The files; standard input where none is named.
    files: Vec<OsString>,
    /// What the options state.
    given: Given,
    request: Request,
}

impl Asked {
    /// Reads the options.
    pub(crate) fn read(given: Given) -> Result<Self, BadInput> {
        let request = Request::stated(&given)?;
        runtime::refuse(&request, "explain")?;
        let mut files: Vec<OsString> = given.files().map(Into::into).collect();
        if files.is_empty() {
            files.push("-".into());
        }
        Ok(Self { files, given, request })
    }
}

/// Explains what was asked for.
pub(crate) fn answer(asked: &Asked) -> Result<Answer, BadInput> {
    let Asked { files, given, request } = asked;
    let sources = read::all(files)?;
    let found = &sources.found;
    if found.reports.is_empty() {
        return Err(nothing(files, &sources));
    }
    let model = request.source.as_ref().map(Model::load).transpose()?.map(|model| FoundModel {
        name: model.title.into(),
        preset: memory_wall_core::tables::models::by_id(&model.id),
        architecture: model.architecture,
        stored: model.stored,
        known: Known::Stated,
    });
    let settings = *request.settings();
    let adjust = |scenario: &mut Scenario| stated::overlay(given, &settings, scenario);
    let stated = Stated {
        model,
        gpu: settings.gpu,
        mode: given.has("--mode").then_some(settings.mode),
        adjust: &adjust,
        sizes: given.has("--batch") && given.has("--seq"),
    };
    let mut explanation = explain(found, &sources.files, &stated);
    // What an option says is not missing.
    explanation.notes.retain(|note| match note {
        Note::Missing(What::BatchSize) => !given.has("--batch"),
        Note::Missing(What::SeqLength) => !given.has("--seq"),
        Note::RecipeAssumed => !given.has("--recipe"),
        Note::TargetsAssumed => !given.has("--lora-targets"),
        Note::VersionAssumed => !given.has("--engine-version"),
        _ => true,
    });
    let output = if request.json {
        json::text(&json::explain::Answer::new(&names(files), found, &sources.files, &sources.unread, &explanation))?
    } else {
        text::of(&names(files), &sources, &explanation, request.unit)
    };
    Ok(Answer { output, notes: Vec::new(), exit: exit(found, &explanation) })
}

/// A no where memory ran out, or where the run that is described doesn't fit.
fn exit(found: &Found, explanation: &Explanation) -> Exit {
    let failed = found.reports.iter().any(Report::is_failure);
    let scenario = explanation.scenario.as_ref().and_then(|scenario| scenario.as_ref().ok());
    let verdict =
        scenario.zip(explanation.capacity).map(|(it, capacity)| memory_wall_core::evaluate::verdict_on(it, capacity));
    Exit::yes(!failed && (explanation.stands || explanation.several || verdict.is_none_or(Verdict::holds)))
}

/// The names of the texts: what they are called, without where they lie.
fn names(files: &[OsString]) -> Vec<String> {
    files
        .iter()
        .map(|path| {
            if path == "-" {
                return "standard input".to_owned();
            }
            let name = std::path::Path::new(path).file_name().unwrap_or(path);
            crate::text::shortened(&name.to_string_lossy(), crate::text::QUOTED).escape_debug().to_string()
        })
        .collect()
}

/// The message for texts in which nothing is known.
fn nothing(files: &[OsString], sources: &Sources) -> BadInput {
    let names = names(files);
    if !sources.unread.is_empty() {
        let name = |source: u16| names.get(usize::from(source)).map_or("", String::as_str);
        let said = sources.unread.iter().map(|(source, why)| format!("{} is not read: {why}", name(*source)));
        return BadInput::new(said.collect::<Vec<_>>().join("; "));
    }
    let what = if files.len() == 1 { format!("{} holds", names.join(", ")) } else { "the files hold".to_owned() };
    let lines = memory_wall_core::display::Grouped(sources.found.lines.into());
    BadInput::new(format!(
        "{what} nothing that is known in {lines} lines: explain reads messages of runs that ran out of memory, logs and answers of vLLM, SGLang, TensorRT-LLM, TGI, llama.cpp, Ollama and trainers, tables of nvidia-smi, rocm-smi, amd-smi, xpu-smi, npu-smi and PyTorch's allocator, figures of the system's memory, config.json, headers of safetensors and GGUF files, an index of a checkpoint's files, memory snapshots of PyTorch and reports of memory_report.py"
    ))
}

/// A size of a report, with its sign.
fn signed(bytes: i128, unit: ByteUnit) -> String {
    Shown { unit, plain: true }.signed(bytes)
}
