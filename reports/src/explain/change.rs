//! What to change: the three changes that help most, each recomputed by the engine.

use alloc::vec::Vec;

use memory_wall_core::advise::{Mitigation, Risk, ladder};
use memory_wall_core::engines::vllm;
use memory_wall_core::units::SignedBytes;
use memory_wall_core::{Bytes, Checked, Engine, Scenario, Verdict, evaluate};

use crate::order::sorted;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// A fix of the engine's ladder.
    Mitigation(Mitigation),
    /// A shorter longest request.
    ShorterRequests,
    /// A larger share of the GPU.
    LargerShare,
    /// Fewer sequences at once.
    FewerSequences,
}

impl ChangeKind {
    /// The name in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Mitigation(mitigation) => mitigation.id(),
            Self::ShorterRequests => "shorter-requests",
            Self::LargerShare => "larger-share",
            Self::FewerSequences => "fewer-sequences",
        }
    }
}

/// A change with what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// What is changed.
    pub kind: ChangeKind,
    /// The run with it.
    pub scenario: Checked,
    /// The peak with it.
    pub total: Bytes,
    /// What it saves of the peak.
    pub saved: SignedBytes,
    /// Whether it fits then, where the GPU's memory is known.
    pub verdict: Option<Verdict>,
}

/// Changes that are told.
const TOLD: usize = 3;

/// The changes that help most.
///
/// First comes what the server itself asks for. Then those with which the run fits, of these the ones that leave results as they are; then what saves most.
pub(super) fn of(scenario: &Checked, capacity: Option<Bytes>, possible: Possible) -> Vec<Change> {
    let before = evaluate::total(scenario);
    let verdict = |changed: &Checked| capacity.map(|capacity| evaluate::verdict_on(changed, capacity));
    let change = |kind, changed: Checked| {
        let total = evaluate::total(&changed);
        Change { kind, scenario: changed, total, saved: before.minus(total), verdict: verdict(&changed) }
    };
    let mut changes: Vec<Change> = ladder(scenario)
        .filter_map(|(mitigation, effect)| Some(change(ChangeKind::Mitigation(mitigation), effect.ok()?.scenario)))
        .filter(|change| change.saved.0 > 0 || change.verdict.is_some_and(Verdict::holds))
        .collect();
    // What the server says is possible is: where the estimate has less room, the server is right.
    let told = |change: Change| Change { verdict: change.verdict.filter(|it| *it != Verdict::DoesNotFit), ..change };
    if scenario.runtime() == Some(Engine::Vllm) {
        let most = scenario.serving.max_num_seqs;
        let fewer = possible.sequences.and_then(|count| u32::try_from(count).ok()).filter(|it| (1..most).contains(it));
        if let Some(fewer) = fewer.and_then(|it| scenario.with(|to| limit(to, it)).ok()) {
            changes.push(told(change(ChangeKind::FewerSequences, fewer)));
        }
        let shorter = possible
            .length
            .and_then(|length| u32::try_from(length).ok())
            .filter(|length| *length > 0 && *length < scenario.longest_request());
        if let Some(shorter) = shorter.and_then(|length| shortened(scenario, length)) {
            changes.push(told(change(ChangeKind::ShorterRequests, shorter)));
        }
        if let Some(larger) =
            vllm::with_largest_share(scenario).filter(|it| it.serving.utilization() > scenario.serving.utilization())
        {
            changes.push(change(ChangeKind::LargerShare, larger));
        }
    }
    let mut changes = sorted(changes, |change| {
        let fits = change.verdict.is_some_and(Verdict::holds);
        let saved = u64::try_from(change.saved.0.max(0)).unwrap_or(u64::MAX);
        let first = u64::from(change.kind != ChangeKind::FewerSequences) << 16;
        (first | u64::from(!fits) << 8 | u64::from(risk(change.kind)), !saved)
    });
    changes.truncate(TOLD);
    changes
}

/// What a server that does not start says is possible.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Possible {
    /// The longest request.
    pub(super) length: Option<u64>,
    /// Sequences at once.
    pub(super) sequences: Option<u64>,
}

/// Limits the sequences that run at once.
fn limit(scenario: &mut Scenario, sequences: u32) {
    (scenario.serving.max_num_seqs, scenario.serving.usual_seqs) = (sequences, false);
}

/// The scenario with shorter requests.
fn shortened(scenario: &Checked, length: u32) -> Option<Checked> {
    scenario
        .with(|it| {
            it.seq_length = it.seq_length.min(length);
            it.serving.max_model_len = Some(length);
        })
        .ok()
}

/// What a change may do to results, and whether it costs hardware: what is free comes first.
fn risk(kind: ChangeKind) -> u8 {
    match kind {
        ChangeKind::ShorterRequests | ChangeKind::LargerShare | ChangeKind::FewerSequences => 0,
        ChangeKind::Mitigation(Mitigation::BiggerGpu | Mitigation::TensorParallel | Mitigation::PipelineParallel) => 3,
        ChangeKind::Mitigation(
            Mitigation::OffloadParameters | Mitigation::OffloadCache | Mitigation::OffloadOptimizer,
        ) => 2,
        ChangeKind::Mitigation(mitigation) => match mitigation.risk() {
            Risk::None => 0,
            Risk::Low => 1,
            Risk::Medium => 2,
            Risk::High => 4,
        },
    }
}
