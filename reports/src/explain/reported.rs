//! What reports say where the run is not known: rows without an estimate.

use alloc::vec::Vec;

use super::buffers::{HOST, added, again, apart, graphs, halves, last, one_pool, sum, whole_cache};
use super::row::{Number, Row, tokens_of};
use crate::Report;
use crate::report::Device;
use crate::what::{Kind, What};

/// What is reported, without an estimate beside it.
pub(super) fn of(reports: &[&Report]) -> Vec<Row> {
    const TOLD: [What; 43] = [
        What::Weights,
        What::WeightsFp32,
        What::Weights16Bits,
        What::Weights8Bits,
        What::Weights4Bits,
        What::PlannedWeights,
        What::Checkpoint,
        What::PeakActivation,
        What::NonTorch,
        What::Graphs,
        What::GraphsEstimated,
        What::KvCache,
        What::KvTotal,
        What::PlannedCache,
        What::KvNeeded,
        What::Allocated,
        What::PeakAllocated,
        What::Reserved,
        What::PeakReserved,
        What::ReservedFree,
        What::HostUsed,
        What::Compute,
        What::PlannedCompute,
        What::Total,
        What::Used,
        What::Free,
        What::Capacity,
        What::HostCapacity,
        What::HostLimit,
        What::ExecutionContext,
        What::PartUsed,
        What::PartCapacity,
        What::Unpinned,
        What::Projected,
        What::ProgramAllocated,
        What::PlannedStates,
        What::PlannedActivations,
        What::PlannedTotal,
        What::NotOffloaded,
        What::OptimizerOffloaded,
        What::AllOffloaded,
        What::KvPerToken,
        What::NonKv,
    ];
    /// Settings and counts that stand by themselves.
    const COUNTED: [What; 17] = [
        What::LongestPossible,
        What::MaxModelLen,
        What::MaxNumSeqs,
        What::MaxBatchedTokens,
        What::LongestPrompt,
        What::PrefillTokens,
        What::TensorParallel,
        What::GpuLayers,
        What::AllLayers,
        What::Context,
        What::Parallel,
        What::BatchSize,
        What::SeqLength,
        What::MicroBatches,
        What::LoraRank,
        What::TrainableParameters,
        What::Parameters,
    ];
    let mut rows: Vec<Row> = Vec::new();
    for report in reports {
        for what in TOLD {
            let size = match what {
                What::Capacity | What::Free => report.size(what),
                What::HostCapacity => report.last_size(what),
                // That of a draft model is printed behind that of the model.
                What::Checkpoint => report.greatest(what),
                // What lies on GPUs, where the rest is told apart.
                What::Weights | What::KvCache | What::Compute if apart(report, what) => sum(report, what, false),
                What::KvCache if report.kind == Kind::Sglang && report.has(What::KeyCache) => {
                    halves(report).filter(|_| one_pool(report))
                }
                What::KvTotal => whole_cache(report),
                // Models come and go: the largest is the model.
                What::Weights if report.kind == Kind::ComfyUi => report.greatest(what),
                What::Graphs => graphs(report),
                // Told again as buffers come.
                What::Used => last(report, what),
                _ if matches!(report.kind, Kind::LlamaCpp | Kind::Ollama) => sum(report, what, true),
                _ => last(report, what),
            };
            if let Some(size) = size.filter(|_| !rows.iter().any(|row| row.what == what)) {
                rows.push(Row::size(what, size, None));
            }
        }
        for (what, part) in HOST.into_iter().filter(|(what, _)| apart(report, *what)) {
            let host = report.all(what).filter(|fact| fact.device == Device::Host);
            if let Some(size) = added(host, again(report, what)).filter(|_| !rows.iter().any(|row| row.what == part)) {
                rows.push(Row::size(part, size, None));
            }
        }
        let counts = COUNTED.into_iter().map(|what| (what, report.count(what)));
        for (what, count) in [(What::KvTokens, tokens_of(report))].into_iter().chain(counts) {
            if let Some(count) = count.filter(|_| !rows.iter().any(|row| row.what == what)) {
                rows.push(Row { what, reported: Number::Count(count.into()), grain: 0, estimated: None });
            }
        }
    }
    rows
}
