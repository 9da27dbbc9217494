//! A scenario against its GPU, in lines for people.

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::vllm::{self, Refusal, Start};
use memory_wall_core::evaluate::only_newer_holds;
use memory_wall_core::tables::gpus::{CapacityBasis, Gpu};
use memory_wall_core::{Bytes, Checked, Engine, Fit, Scenario, Verdict, evaluate};

use crate::text::wrapped;
use crate::{changes, words};

/// The lines.
pub(crate) fn text(gpu: &Gpu, fit: &Fit, scenario: &Checked, unit: ByteUnit) -> String {
    let sign = words::sign(fit.margin);
    let margin = fit.margin.magnitude();
    let per_rank = if scenario.parallel.dp == 1 { "" } else { " on each rank" };
    let batch = format!("{}{per_rank}", Grouped(scenario.batch.into()));
    let seq_length = Grouped(scenario.seq_length.into());
    let ranks = scenario.parallel.ranks();
    let each = if ranks == 1 { String::new() } else { format!("{} × ", Grouped(ranks.into())) };
    let stated = scenario.gpu_memory.is_some() && fit.capacity != gpu.capacity;
    let lines = [
        ("GPU", format!("{each}{} ({})", gpu.name, gpu.id)),
        (
            "Capacity",
            format!(
                "{} = {}, {}{}{}",
                words::size(fit.capacity, unit),
                fit.capacity,
                if stated { "as stated".into() } else { basis(gpu) },
                gpu.reported().range().filter(|_| !stated).map(|range| format!(" ({range})")).unwrap_or_default(),
                limit(fit, scenario, unit)
            ),
        ),
        ("Verdict", words::verdict(fit.verdict, scenario, unit)),
        ("Margin", format!("{sign}{} = {sign}{margin}{}", words::size(margin, unit), beside(scenario, unit))),
        (
            "Longest context",
            format!(
                "{} at batch {batch}{}{}",
                largest(fit.longest(scenario), bounds::SEQ_LENGTH),
                newer(scenario, &scenario.with_seq_length(fit.longest(scenario).max(1))),
                shorter(scenario, fit).to_owned() + &made_for(scenario, fit.max_seq)
            ),
        ),
        (
            "Largest batch",
            format!(
                "{} at seq_length {seq_length}{}",
                largest_batch(fit.max_batch, scenario),
                newer(scenario, &scenario.with_batch(fit.max_batch.max(1)))
            ),
        ),
    ];
    let mut text: String = lines.iter().map(|(name, value)| wrapped(&format!("{name:<15}  {value}"), 17)).collect();
    if let Some(other) = settings(fit, scenario) {
        text += &other;
    }
    if !fit.verdict.holds() {
        text += &wrapped("What helps: memory-wall advise with the same options recomputes every known fix.", 2);
    }
    text
}

/// Where the scenario fits with what every macOS lends its GPU, and the largest there is only with what a newer one does: that it is so.
fn newer(scenario: &Checked, largest: &Checked) -> &'static str {
    let only = |it| only_newer_holds(it).is_some();
    if only(largest) && !only(scenario) { ", tightly and on a newer macOS" } else { "" }
}

/// Where the capacity comes from; of a part of the computer's memory, how much there is in all.
fn basis(gpu: &Gpu) -> String {
    let label = gpu.capacity_basis.label();
    match gpu.capacity_basis {
        CapacityBasis::Limit => format!("{label}, which has {} GB", gpu.printed_gb),
        _ => label.into(),
    }
}

/// Where vLLM does not start, the settings with which it does, if there are any.
fn settings(fit: &Fit, scenario: &Checked) -> Option<String> {
    if fit.verdict != Verdict::DoesNotFit {
        return None;
    }
    let other = vllm::with_mildest_settings(scenario)?;
    let there = evaluate(&other).fit?;
    let verdict = if there.verdict == Verdict::Fits { "fits" } else { "starts, and is tight" };
    let changes = changes::between(scenario, &other).join(" ");
    let longest = largest(there.longest(&other), bounds::SEQ_LENGTH);
    let batch = largest_batch(there.max_batch, &other);
    Some(wrapped(
        &format!(
            "{:<15}  {changes}: {verdict}, with a longest context of {longest} and a largest batch of {batch}",
            "Instead"
        ),
        17,
    ))
}

/// What the longest context asks for where the stated cap is too long for the pool, or where vLLM has room for no cache at all with the length that was asked for.
fn shorter(scenario: &Checked, fit: &Fit) -> &'static str {
    if fit.max_seq == 0 {
        return "";
    }
    match words::started(scenario).and_then(|start| start.refusal) {
        Some(Refusal::NoBlocks { .. }) => {
            ", with --max-model-len no longer than that: vLLM then sizes its pool by a pass of fewer tokens, which takes less"
        }
        _ if fit.limit == Bytes::ZERO && scenario.serving.max_model_len.is_some() => {
            ", with --max-model-len no longer than that"
        }
        _ => "",
    }
}

/// What of the GPU the run may take, where a program takes a share of it.
fn limit(fit: &Fit, scenario: &Scenario, unit: ByteUnit) -> String {
    if fit.limit == fit.capacity {
        return String::new();
    }
    if scenario.runtime() != Some(Engine::Vllm) {
        return format!("; {} of it to be taken", words::size(fit.limit, unit));
    }
    let share = scenario.serving.utilization().in_percent();
    if fit.limit == Bytes::ZERO {
        return format!("; vLLM does not start with its share of {share}%, see the verdict");
    }
    format!(
        "; {} of it to be taken: the program's share of {share}% and what it keeps beside it",
        words::size(fit.limit, unit)
    )
}

/// Of vLLM that starts, what the margin is of, and what is left of the GPU beside the share.
fn beside(scenario: &Checked, unit: ByteUnit) -> String {
    match words::started(scenario) {
        Some(start) if start.refusal.is_none() => {
            format!(" in the pool; {} beside the share", words::signed(start.outside, unit))
        }
        Some(Start { refusal: Some(Refusal::States { sequences, .. }), .. }) => {
            format!(" for the states of {} sequences", Grouped(sequences.into()))
        }
        _ => String::new(),
    }
}

/// How far memory goes is one thing, what the model was made for another.
pub(crate) fn made_for(scenario: &Scenario, seq_length: u32) -> String {
    match scenario.architecture.trained_context {
        Some(context) if context < seq_length => format!("; the model was made for {}", Grouped(context.into())),
        _ => String::new(),
    }
}

/// The largest batch: of all data-parallel ranks first, then of each.
pub(crate) fn largest_batch(found: u32, scenario: &Scenario) -> String {
    match scenario.parallel.dp {
        1 => largest(found, bounds::BATCH),
        _ if found == 0 => "none fits".into(),
        ranks => words::in_all(found.into(), "sequence", ranks.into()),
    }
}

/// The answer to "how much at most".
fn largest(found: u32, bounds: Bounds) -> String {
    match found {
        0 => "none fits".into(),
        _ if found == bounds.max => {
            format!("at least {}, the largest that is asked about,", words::counted(found, bounds))
        }
        _ => words::counted(found, bounds),
    }
}
