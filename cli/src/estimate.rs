//! `memory-wall estimate`.

use memory_wall_core::Checked;
use memory_wall_core::display::{ByteUnit, Grouped};

use crate::findings::Findings;
use crate::model::Model;
use crate::request::Request;
use crate::text::wrapped;
use crate::{Answer, BadInput, Exit, gpu, inputs, json, runtime, serving, tables, words};

/// Evaluates what was asked for.
pub(crate) fn answer(request: &Request) -> Result<Answer, BadInput> {
    if let Some(runtime) = &request.runtime {
        return runtime::answer(runtime, request);
    }
    let (model, scenario) = asked(request)?;
    let findings = Findings::of(&scenario);
    let mut notes = request.notes.clone();
    let mut assumptions: Vec<String> = findings.evaluation.assumptions.iter().map(|it| it.to_string()).collect();
    let remarks = model.remarks(request, &scenario);
    if request.json { &mut assumptions } else { &mut notes }.extend(remarks);
    let output = if request.json {
        json::text(&json::estimate::Estimate::new(&model.id, &findings, assumptions))?
    } else {
        text(&model.title, &findings, &assumptions, request.unit)
    };
    Ok(Answer { output, notes, exit: Exit::of(findings.evaluation.fit.map(|fit| fit.verdict)) })
}

/// The model that was named, and the scenario with it.
pub(crate) fn asked(request: &Request) -> Result<(Model, Checked), BadInput> {
    let Some(source) = &request.source else { return Err(BadInput::new("a model is missing: --model ID")) };
    let model = Model::load(source)?;
    let scenario = request.scenario(model.architecture, model.stored)?;
    Ok((model, scenario))
}

/// The answer for people.
fn text(title: &str, findings: &Findings, assumptions: &[String], unit: ByteUnit) -> String {
    let Findings { rank, evaluation, .. } = findings;
    let mut text = heading(title, findings);
    text += &inputs::text(rank, None);
    text.push('\n');
    text += &tables::buckets(evaluation, unit);
    let stage = match (rank.parallel.ranks(), rank.parallel.pp) {
        (1, _) => String::new(),
        (_, 1) => ", on each GPU".into(),
        (_, stages) => format!(", on a GPU of stage {} of {stages}, counted from 0", evaluation.stage),
    };
    text.push('\n');
    text += &wrapped(&format!("Peak: {}{stage}.", words::peak(evaluation.peak_phase)), 2);
    text += &tables::phases(evaluation, unit);
    text += &tables::largest(evaluation, unit);
    text += &tables::ranks(findings, unit);
    text += &tables::traffic(findings, unit);
    text += &tables::host(findings.host().as_ref(), rank.gpu, rank.mode.trains(), unit);
    text += &serving::text(rank, unit);
    if let Some((gpu, fit)) = rank.gpu.zip(evaluation.fit) {
        text.push('\n');
        text += &gpu::text(gpu, &fit, rank, unit);
    }
    text += "\nAssumptions:\n";
    for assumption in assumptions {
        text += &wrapped(&format!("- {assumption}"), 2);
    }
    text
}

/// The model with its parameters, and those that a token passes through where that is fewer.
fn heading(title: &str, findings: &Findings) -> String {
    let parameters = findings.evaluation.parameters.total();
    let active = findings.rank.architecture.active_parameters();
    let visited =
        if active < parameters { format!(", {} of them active", Grouped(active.into())) } else { String::new() };
    wrapped(&format!("{title}: {} parameters{visited}", Grouped(parameters.into())), 2)
}
