//! The errors of all vLLM logs by quantity, release and GPU, as a table for the page that publishes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use memory_wall_core::tables::gpus::Gpu;

use super::vllm::logged as logged_runs;
use super::vllm_starts::logged as logged_starts;
use crate::Data;
use crate::table::percent;

/// One figure of a log beside the engine's.
pub(super) struct Logged {
    /// What it is of.
    pub(super) quantity: &'static str,
    /// The releases that have constants in common.
    pub(super) releases: &'static str,
    /// Where the stretch of releases stands among the others.
    pub(super) since: u32,
    /// The GPU, where the log names one.
    pub(super) gpu: Option<&'static Gpu>,
    /// GPUs of a tensor-parallel group.
    pub(super) ranks: u32,
    /// Predicted over measured, less one, without its sign.
    pub(super) error: f64,
}

/// A table in Markdown: by quantity, releases and GPU how many logs there are, and how far off the usual figure is.
pub fn by_release_and_gpu(data: &Data) -> String {
    let mut groups = BTreeMap::<(&str, u32, &str, String), Vec<f64>>::new();
    for logged in logged_runs(data).into_iter().chain(logged_starts(data)) {
        let gpu = logged.gpu.map_or("not named", |gpu| gpu.name);
        let on = if logged.ranks > 1 { format!("{} × {gpu}", logged.ranks) } else { gpu.to_owned() };
        groups.entry((logged.quantity, logged.since, logged.releases, on)).or_default().push(logged.error);
    }
    let mut table = String::from(
        "| quantity | releases of vLLM | GPUs | logs | median error | largest |\n|---|---|---|---:|---:|---:|\n",
    );
    for ((quantity, _, releases, on), mut errors) in groups {
        errors.sort_by(f64::total_cmp);
        let (Some(median), Some(largest)) = (errors.get((errors.len() - 1) / 2), errors.last()) else { continue };
        // Writing into a string does not fail.
        let _ = writeln!(
            table,
            "| {quantity} | {releases} | {on} | {} | {} | {} |",
            errors.len(),
            percent(*median),
            percent(*largest)
        );
    }
    table
}
