//! Which of several reports belong to one run.

use alloc::vec::Vec;

use crate::order::sorted;
use crate::what::{Kind, What};
use crate::{Report, Value};

/// The main report, and all that belong to its run.
///
/// What says that memory ran out is looked at first, the last of several. Of two starts of one server, or two printings of one table,
/// only one belongs to the run: the one before the failure, or the last.
pub(super) fn together(reports: &[Report]) -> (Option<usize>, Vec<usize>) {
    let last = |wanted: &dyn Fn(&Report) -> bool| reports.iter().rposition(wanted);
    let server = |report: &Report| {
        matches!(report.kind, Kind::Vllm | Kind::Sglang | Kind::TensorRtLlm | Kind::Tgi | Kind::LlamaCpp | Kind::Ollama)
    };
    // A command that is only named, and a start that came to nothing, say less than a start with figures.
    let figures = |report: &Report| {
        let counts = [What::KvTokens, What::KvBlocks];
        report.facts.iter().any(|fact| matches!(fact.value, Value::Size(_)) || counts.contains(&fact.what))
    };
    // A process may be killed after what it says itself.
    let main = last(&|report| report.is_failure() && report.kind != Kind::Killed)
        .or_else(|| last(&Report::is_failure))
        .or_else(|| last(&|report| server(report) && figures(report)))
        .or_else(|| last(&|report| server(report) && report.facts.len() > 1))
        .or_else(|| last(&|report| !report.facts.is_empty() && report.kind != Kind::Traceback))
        .or_else(|| last(&|_| true));
    let Some(main) = main else { return (None, Vec::new()) };
    // Of the messages that ranks print of one request the last may be cut: a whole one says more.
    let holds = |report: &Report| report.has(What::Allocated);
    let cut = reports.get(main).filter(|report| report.has(What::Requested) && !holds(report));
    let same = |one: &Report, other: &Report| {
        one.kind == other.kind && one.size(What::Requested) == other.size(What::Requested)
    };
    let whole = cut.and_then(|cut| last(&|it| same(it, cut) && holds(it)));
    let main = whole.unwrap_or(main);
    // The nearest report in front of the main one, or the nearest behind it.
    let nearest = |wanted: &dyn Fn(&Report) -> bool| {
        let all = reports.iter().enumerate().filter(|(_, report)| wanted(report)).map(|(at, _)| at);
        all.min_by_key(|at| if *at <= main { (0, main - *at) } else { (1, *at - main) })
    };
    let mut about: Vec<usize> = Vec::new();
    // Two servers are two runs; Ollama's prints as llama.cpp does.
    let alike = |kind: Kind| if kind == Kind::Ollama { Kind::LlamaCpp } else { kind };
    let kind = reports.get(main).filter(|report| server(report)).map(|report| alike(report.kind));
    let other_run = |report: &Report| server(report) && kind.is_some_and(|kind| kind != alike(report.kind));
    for report in reports.iter().filter(|report| !other_run(report)) {
        let own = nearest(&|other| other.kind == report.kind);
        // A message that was copied without its log has no model; the log beside it has.
        let nameless = own.and_then(|at| reports.get(at)).is_some_and(|report| !report.has(What::Model));
        let named = nearest(&|other| nameless && other.kind == report.kind && other.has(What::Model));
        // A checkpoint may be in several files.
        let files = reports.iter().enumerate().filter(|(_, other)| other.is_file()).map(|(at, _)| at);
        for at in [own, named].into_iter().flatten().chain(files) {
            if !about.contains(&at) {
                about.push(at);
            }
        }
    }
    // The main report speaks first.
    (Some(main), sorted(about, |at| (u64::from(*at != main), *at as u64)))
}

/// The program whose run it is.
pub(super) fn program(reports: &[&Report]) -> Kind {
    let order = [
        Kind::Vllm,
        Kind::Sglang,
        Kind::TensorRtLlm,
        Kind::Tgi,
        Kind::LlamaCpp,
        Kind::Ollama,
        Kind::Ggml,
        Kind::Gguf,
        Kind::Trainer,
        Kind::Torchtitan,
        Kind::Megatron,
        Kind::Maxtext,
        Kind::Litgpt,
    ];
    order.into_iter().find(|kind| reports.iter().any(|report| report.kind == *kind)).unwrap_or(Kind::Trainer)
}
