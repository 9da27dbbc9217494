//! The tables of an estimate, for people.

use std::fmt::Write;

use memory_wall_core::display::{ByteUnit, Grouped, Percent};
use memory_wall_core::evaluate::StageRanks;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::ByteRate;
use memory_wall_core::{Bytes, Evaluation};

use crate::findings::{Findings, Host};
use crate::text::{Side, Table, wrapped};
use crate::words;

const SIZES: [(&str, Side); 3] = [("Size", Side::Right), ("Share", Side::Right), ("Bytes", Side::Right)];

/// A table of sizes with their share of a whole.
fn sizes(head: &str, rows: impl Iterator<Item = (String, Bytes)>, whole: Bytes, unit: ByteUnit) -> String {
    let [size, share, bytes] = SIZES;
    let mut table = Table::new(&[(head, Side::Left), size, share, bytes]);
    for (name, bytes) in rows {
        let share = Percent(bytes.share_of(whole)).to_string();
        table.row([name, words::size(bytes, unit), share, Grouped(bytes.0).to_string()]);
    }
    table.text()
}

/// The buckets that hold anything, and their sum.
pub(crate) fn buckets(evaluation: &Evaluation, unit: ByteUnit) -> String {
    let held = evaluation.buckets.iter().filter(|(_, bytes)| *bytes > Bytes::ZERO);
    let rows = held.map(|(bucket, bytes)| (words::bucket(*bucket), *bytes)).chain([("Total", evaluation.total)]);
    sizes("Bucket", rows.map(|(name, bytes)| (name.to_owned(), bytes)), evaluation.total, unit)
}

/// The sum at each phase; nothing where there is only one.
pub(crate) fn phases(evaluation: &Evaluation, unit: ByteUnit) -> String {
    if evaluation.phases.iter().count() < 2 {
        return String::new();
    }
    let rows = evaluation.phases.iter().map(|(phase, bytes)| (words::phase(phase).to_owned(), bytes));
    format!("\n{}", sizes("Phase", rows, evaluation.total, unit))
}

/// The three tensors that take most at the peak.
pub(crate) fn largest(evaluation: &Evaluation, unit: ByteUnit) -> String {
    let items = evaluation.largest_items.iter().flatten();
    let rows = items.map(|(item, bytes)| (words::item(*item), *bytes));
    format!("\n{}", sizes("Largest tensors", rows, evaluation.total, unit))
}

/// What the ranks of each stage hold; nothing where there is only one rank. Stages that hold the same share a row.
pub(crate) fn ranks(findings: &Findings, unit: ByteUnit) -> String {
    if findings.rank.parallel.ranks() == 1 {
        return String::new();
    }
    let mut table = Table::new(&[
        ("Stage", Side::Left),
        ("GPUs", Side::Right),
        ("Layers", Side::Right),
        ("Parameters of each", Side::Right),
        ("Peak of each", Side::Right),
        ("Bytes", Side::Right),
        ("When", Side::Left),
    ]);
    let alike = |one: &StageRanks, other: &StageRanks| {
        (one.layers, one.parameters, one.peak_phase, one.total)
            == (other.layers, other.parameters, other.peak_phase, other.total)
    };
    for stages in findings.ranks.chunk_by(alike) {
        let ([first, ..], Some(last)) = (stages, stages.last()) else { continue };
        let name =
            if stages.len() == 1 { first.stage.to_string() } else { format!("{} to {}", first.stage, last.stage) };
        table.row([
            name,
            Grouped(stages.iter().map(|stage| u128::from(stage.ranks)).sum()).to_string(),
            layers(first),
            Grouped(first.parameters.total().into()).to_string(),
            words::size(first.total, unit),
            Grouped(first.total.0).to_string(),
            words::phase(first.peak_phase).into(),
        ]);
    }
    format!("\n{}", table.text())
}

/// The layers of a stage, and how many of them predict further tokens.
fn layers(stage: &StageRanks) -> String {
    let all = Grouped(stage.layers.into());
    if stage.predicting == 0 { all.to_string() } else { format!("{all}, {} of them MTP", stage.predicting) }
}

/// What a rank sends to others in one step; nothing where it is alone.
pub(crate) fn traffic(findings: &Findings, unit: ByteUnit) -> String {
    let total = findings.sent();
    if total == Bytes::ZERO {
        return String::new();
    }
    let step = if findings.rank.mode.trains() { "a step" } else { "a decoding step" };
    let kinds = findings.traffic().into_iter().filter(|(_, bytes)| *bytes > Bytes::ZERO);
    let rows = kinds.map(|(kind, bytes)| (words::traffic(kind), bytes)).chain([("Total", total)]);
    let who = if findings.rank.parallel.pp == 1 { "each" } else { "the busiest" };
    let head = format!("Sent by {who} GPU in {step}");
    format!("\n{}", sizes(&head, rows.map(|(name, bytes)| (name.to_owned(), bytes)), total, unit))
}

/// What waits in host memory and how long it travels; nothing where nothing waits.
pub(crate) fn host(host: Option<&Host>, gpu: Option<&Gpu>, trains: bool, unit: ByteUnit) -> String {
    let Some(host) = host else { return String::new() };
    let step = if trains { "step" } else { "decoding step" };
    let mut text = format!(
        "Offloaded: {} of each GPU wait in host memory; {} travel in each {step}",
        words::size(host.waiting, unit),
        words::size(host.moved, unit)
    );
    let link = gpu.and_then(|gpu| gpu.host_link).map(ByteRate::as_gb_per_s);
    // Writing to a string does not fail.
    let _ = match (host.seconds, link) {
        (Some(seconds), Some(link)) => {
            write!(text, ": {} at the {link} GB/s of the link, if nothing hides it.", duration(seconds))
        }
        _ if gpu.is_some() => write!(text, "; the table has no link of this GPU to host memory."),
        _ => write!(text, "; how long that takes depends on the GPU: see --gpu."),
    };
    format!("\n{}", wrapped(&text, 2))
}

/// Seconds with three digits, in the unit that suits them.
fn duration(seconds: f64) -> String {
    match seconds {
        ..0.001 => format!("{:.3} ms", seconds * 1e3),
        ..1.0 => format!("{:.0} ms", seconds * 1e3),
        ..100.0 => format!("{seconds:.2} s"),
        _ => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_suit_their_size() {
        for (seconds, text) in [(0.000_123_4, "0.123 ms"), (0.25, "250 ms"), (1.234, "1.23 s"), (456.7, "457 s")] {
            assert_eq!(duration(seconds), text);
        }
    }
}
