//! Sizes that a program tells of several devices, and of several buffers of one kind.

use alloc::vec::Vec;

use crate::report::{Device, Fact, Value};
use crate::what::{Kind, What};
use crate::{Report, Size};

/// The last size that a program reports of something, on its fullest rank.
pub(super) fn last(report: &Report, what: What) -> Option<Size> {
    let mut devices: Vec<(Device, Size)> = Vec::new();
    for fact in report.all(what) {
        let Value::Size(size) = fact.value else { continue };
        match devices.iter_mut().find(|(device, _)| *device == fact.device) {
            Some((_, known)) => *known = size,
            None => devices.push((fact.device, size)),
        }
    }
    devices.into_iter().filter(|(device, _)| *device != Device::Host).map(|(_, size)| size).max()
}

/// What of a run lies in host memory, beside what lies on GPUs.
pub(super) const HOST: [(What, What); 3] =
    [(What::Weights, What::HostWeights), (What::KvCache, What::HostKvCache), (What::Compute, What::HostCompute)];

/// Whether buffers of a kind are told of GPUs and of the host.
pub(super) fn apart(report: &Report, what: What) -> bool {
    let on = |host: bool| {
        report.all(what).any(|fact| fact.device != Device::Unsaid && (fact.device == Device::Host) == host)
    };
    on(true) && on(false)
}

/// Keys and values of a pool, the last of several.
pub(super) fn halves(report: &Report) -> Option<Size> {
    let (keys, values) = last(report, What::KeyCache).zip(last(report, What::ValueCache))?;
    Some(plus(keys, values))
}

/// Whether a server has one pool on each rank: layers of two kinds have two.
pub(super) fn one_pool(report: &Report) -> bool {
    if report.has(What::WindowTokens) {
        return false;
    }
    let mut keys: Vec<Device> = report.all(What::KeyCache).map(|fact| fact.device).collect();
    let all = keys.len();
    keys.dedup();
    keys.len() == all
}

/// Graphs are captured one after another by `SGLang`, each with a figure of its own.
pub(super) fn graphs(report: &Report) -> Option<Size> {
    if report.kind != Kind::Sglang {
        return last(report, What::Graphs);
    }
    let ranks = report.all(What::Graphs).map(|fact| fact.device);
    let of = |rank: Device| added(report.all(What::Graphs).filter(|fact| fact.device == rank), false);
    ranks.filter_map(of).max()
}

/// The whole cache where it is told as more than the parts that are there.
pub(super) fn whole_cache(report: &Report) -> Option<Size> {
    let total = last(report, What::KvTotal)?;
    let parts = sum(report, What::KvCache, true).map_or(0, |parts| parts.most());
    (total.least() > parts.saturating_add(1 << 20)).then_some(total)
}

pub(super) fn plus(one: Size, other: Size) -> Size {
    Size { bytes: one.bytes.saturating_add(other.bytes), grain: one.grain.saturating_add(other.grain), floor: false }
}

/// Ollama tries layouts one after another, and a table may be printed twice: the last counts. llama.cpp has several buffers of one kind.
pub(super) fn again(report: &Report, what: What) -> bool {
    report.kind == Kind::Ollama || matches!(what, What::PlannedWeights | What::PlannedCache | What::PlannedCompute)
}

/// All buffers of a kind added up, those in host memory too where `host` says so.
pub(super) fn sum(report: &Report, what: What, host: bool) -> Option<Size> {
    added(report.all(what).filter(|fact| host || fact.device != Device::Host), again(report, what))
}

/// Sizes added up, of each device all of them, or the last where one is told again.
pub(super) fn added<'a>(facts: impl Iterator<Item = &'a Fact>, again: bool) -> Option<Size> {
    let mut sizes: Vec<(Device, Size)> = Vec::new();
    for fact in facts {
        let Value::Size(size) = fact.value else { continue };
        if again {
            sizes.retain(|(device, _)| *device != fact.device);
        }
        sizes.push((fact.device, size));
    }
    // Ollama logs an estimate for all GPUs together, and then what it allocates on each: only the latter counts.
    if again && sizes.iter().any(|(device, _)| *device != Device::Unsaid) {
        sizes.retain(|(device, _)| *device != Device::Unsaid);
    }
    sizes.into_iter().map(|(_, size)| size).reduce(plus)
}
