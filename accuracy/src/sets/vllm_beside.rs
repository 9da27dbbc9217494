//! What a process of vLLM takes beside PyTorch, by release, GPU and link: its context before the first tensor, and "non-torch memory".

use std::collections::BTreeMap;

use memory_wall_core::architecture::Moe;
use memory_wall_core::engines::vllm::{Run, Span};
use memory_wall_core::units::GIB;
use memory_wall_core::{Architecture, Scenario};

use super::vllm_run::{card, version};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// One figure of a log beside what the engine takes for such a start.
struct Logged {
    name: &'static str,
    measured: f64,
    span: Span,
}

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("vllm_runs.csv");
    let rows = file.rows().flat_map(|row| logged(row).into_iter().map(move |logged| shown(row, &logged)));
    let covered = file.rows().flat_map(|row| logged(row).into_iter().map(move |logged| covered(row, &logged)));
    let covered = Set {
        name: "vllm-beside-covered",
        about: "The same figures: whether the largest that the engine reckons with, by which a result is tight, is no less than the log's",
        bound: Bound::right(1.0),
        rows: covered.collect(),
    };
    let shown = Set {
        name: "vllm-beside-pytorch",
        about: "Context (total less free memory at the start) and memory beside PyTorch, by release, GPU and link: the usual figure, shown only; \
                where logs leave a range, a result that its upper end would not let in is tight",
        bound: Bound::NONE,
        rows: rows.collect(),
    };
    vec![shown, covered]
}

fn covered(row: csv::Row<'_>, logged: &Logged) -> Row {
    covers(row, logged.name, logged.measured, logged.span.high)
}

/// Whether the most that the engine reckons with is no less than a figure of a log, which rounds to a hundredth of a GiB.
pub(super) fn covers(row: csv::Row<'_>, name: &str, measured: f64, most: u128) -> Row {
    let most = gib(most);
    let why = format!("logged {measured:.2} GiB, at most {most:.2} GiB taken");
    let outcome = Outcome::Verdict { right: measured <= most + 0.005, why };
    Row::checked(format!("{} {name}", row.text("row_id")), "GiB", outcome)
}

fn shown(row: csv::Row<'_>, logged: &Logged) -> Row {
    let of = |what: &str| row.text(what);
    let Span { low, high, .. } = logged.span;
    let range = if low < high { format!("; range {:.2} to {:.2}", gib(low), gib(high)) } else { String::new() };
    Row {
        id: format!("{} {}", of("row_id"), logged.name),
        unit: "GiB",
        counts: Use::Reported,
        outcome: Outcome::Compared { predicted: gib(logged.span.typical), measured: logged.measured, exact: false },
        doubt: format!("vLLM {} on {}, tp {}, pp {}{range}", of("engine_version"), of("gpu"), of("tp"), of("pp")),
    }
}

/// What the log prints of the two; nothing where it says neither, or not on what.
fn logged(row: csv::Row<'_>) -> Vec<Logged> {
    let mut assumed = Vec::new();
    let Ok(version) = version(row.text("engine_version"), &mut assumed) else { return Vec::new() };
    let gpu = card(row.text("gpu"), &mut assumed);
    let [Ok(tp), Ok(pp)] = [row.number_or("tp", 1), row.number_or("pp", 1)] else { return Vec::new() };
    if gpu.is_none() {
        return Vec::new();
    }
    // Neither depends on more of the model than whether it is a mixture: one that every cut divides.
    let mut any = Architecture::llama([64, 16_384, 128, 128, 128, 65_536, 131_072]);
    any.moe = row.text("kind").contains("moe").then_some(Moe::of(128, 8, 1_024));
    let mut scenario = Scenario { gpu, ..Scenario::new(any) };
    (scenario.parallel.tp, scenario.parallel.pp) = (tp, pp);
    let Ok(scenario) = scenario.check() else { return Vec::new() };
    let run = Run { version, ..Run::of(&scenario) };
    let context = row.float("gpu_total_gib").and_then(|total| Ok(total - row.float("free_at_start_gib")?));
    [("context", context, run.context_span()), ("non-torch", row.float("non_torch_gib"), run.non_torch_span())]
        .into_iter()
        .filter_map(|(name, measured, span)| Some(Logged { name, measured: measured.ok()?, span }))
        .collect()
}

/// What the logs of one release, GPU and cut say of one figure.
struct Group {
    logs: usize,
    least: f64,
    most: f64,
    span: Span,
}

/// A table in Markdown: by release, GPU and cut what logs say of context and memory beside PyTorch, and what the engine takes.
pub fn by_gpu(data: &Data) -> String {
    let file = data.file("vllm_runs.csv");
    let mut groups: BTreeMap<(String, String, &str), Group> = BTreeMap::new();
    for row in file.rows() {
        let Some(gpu) = card(row.text("gpu"), &mut Vec::new()) else { continue };
        let release = row.text("engine_version");
        let release = if release.starts_with("not stated") { "not stated, before 0.17" } else { release };
        let kind = if row.text("kind").contains("moe") { ", mixtures" } else { "" };
        let on = format!("{}, tp {}, pp {}{kind}", gpu.name, row.text("tp"), row.text("pp"));
        for Logged { name, measured, span } in logged(row) {
            let new = Group { logs: 0, least: measured, most: measured, span };
            let group = groups.entry((on.clone(), release.to_owned(), name)).or_insert(new);
            group.logs += 1;
            (group.least, group.most) = (group.least.min(measured), group.most.max(measured));
        }
    }
    let head = "| GPUs | release of vLLM | figure | logs | logged, GiB | usually, GiB | range, GiB |\n|---|---|---|---|---|---|---|\n";
    let line = |((on, release, name), Group { logs, least, most, span }): ((String, String, &str), Group)| {
        let seen = if least < most { format!("{least:.2} to {most:.2}") } else { format!("{least:.2}") };
        let [low, high, taken] = [span.low, span.high, span.typical].map(gib);
        let range = if low < high { format!("{low:.2} to {high:.2}") } else { "–".into() };
        format!("| {on} | {release} | {name} | {logs} | {seen} | {taken:.2} | {range} |\n")
    };
    let lines: Vec<String> = groups.into_iter().map(line).collect();
    head.to_owned() + &lines.concat()
}

fn gib(bytes: u128) -> f64 {
    bytes as f64 / GIB as f64
}
