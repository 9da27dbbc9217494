//! What a number means beyond its line: by its size, its program, or what was read before it.

use crate::report::{Fact, Report, Value};
use crate::what::{Kind, What};

/// A limit that is none: the kernel's is 2^63 bytes in whole pages.
const NO_LIMIT: i64 = 1 << 50;

/// Whether a number stands for nothing: XLA's limit, Ollama's of a model without an encoder, the kernel's without a limit.
pub(super) fn is_none(fact: &Fact) -> bool {
    match (fact.what, &fact.value) {
        (What::Allowed | What::PlannedProjector | What::EncoderCompute, Value::Size(size)) => size.bytes == 0,
        (What::HostLimit, Value::Size(size)) => size.bytes >= NO_LIMIT,
        _ => false,
    }
}

/// Whether a program prints the same lines of each GPU in turn, without its number.
pub(super) const fn is_listing(kind: Kind) -> bool {
    matches!(kind, Kind::RocmSmi | Kind::AmdSmi | Kind::XpuSmi | Kind::Nvtop)
}

/// Whether tokens are those of the pool for layers with a window, which is told with the words of any pool.
pub(super) fn of_window(report: &Report, fact: &Fact) -> bool {
    let is = |what: What| report.facts.iter().any(|known| known.what == what && known.value == fact.value);
    fact.what == What::KvTokens && is(What::WindowTokens) && !is(What::KvTokens)
}

/// What a number of `SGLang` is about: the draft model prints the same lines as the model, behind it.
pub(super) fn of_draft(report: &Report, fact: &Fact) -> What {
    let there = |what| report.all(what).any(|known| known.device == fact.device);
    match fact.what {
        What::Weights if there(What::Weights) => What::DraftWeights,
        What::KvCache | What::KeyCache | What::ValueCache if there(What::FreeAfter) => What::DraftCache,
        what => what,
    }
}
