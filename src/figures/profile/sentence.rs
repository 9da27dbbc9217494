//! The whole comparison in words.

use memory_wall_core::Bytes;
use memory_wall_core::display::{Grouped, Percent};
use memory_wall_core::memory::overhead::CONTEXT_BYTES;
use memory_wall_core::profile::{self, Candidate, Request, Row, Span, Tensor};

use super::model::Case;
use crate::live::Snapshot;
use crate::words;

/// The gap and what would explain it, the request that failed, then what lies beyond the tensors.
pub(super) fn sentence(of: &Snapshot, case: &Case) -> String {
    let [gap, kept, outside] = [Row::Unexplained, Row::Kept, Row::Outside].map(|row| case.span(row));
    let held = case.reading.allocated.unwrap_or_default();
    let need = case.reading.need().unwrap_or_default();
    let estimate = gap.map_or(Bytes::ZERO, |gap| gap.from);
    let suspect = profile::suspect(&case.scenario, need);
    let length = |span: Option<Span>| span.map_or(Bytes::ZERO, |span| span.bytes());
    let context = Bytes(CONTEXT_BYTES.into());
    let asked = case.reading.asked;
    let peak = match asked {
        Some(asked) => {
            words::ProfileDied { held: &of.size(held), asked: &of.size(asked), allocated: &of.size(need) }.text()
        }
        None => words::ProfileRan { allocated: &of.size(need) }.text(),
    };
    let shares = [(gap, estimate), (kept, held)].map(|(span, whole)| length(span).share_of(whole));
    let [gap_share, kept_share] = shares.map(|share| Percent(share).to_string());
    let falls = |span: Option<Span>| span.is_some_and(|span| span.to < span.from);
    let [open, _] = shares.map(|share| share > 0.05);
    let less = falls(gap);
    // A run that died would have asked for more: no setting has to explain what is missing.
    let unfinished = less && asked.is_some();
    let (peak, share, estimate) = (&peak, &gap_share, &of.size(estimate));
    let difference = &of.size(length(gap));
    let mut said = vec![match (gap, open, less) {
        (None, ..) => words::profile_gap_none().into(),
        (_, false, _) => words::ProfileGapClose { peak, share, estimate }.text(),
        (_, true, false) => words::ProfileGapMore { peak, gap: difference, share, estimate }.text(),
        (_, true, true) if unfinished => words::ProfileGapDied { peak, gap: difference, share, estimate }.text(),
        (_, true, true) => words::ProfileGapLess { peak, gap: difference, share, estimate }.text(),
    }];
    if open && gap.is_some() && !unfinished {
        said.push(match suspect {
            Some((suspect, tensors)) => {
                words::ProfileSuspected { suspect: words::suspect(suspect), tensors: &of.size(tensors) }.text()
            }
            None => words::profile_nobody().into(),
        });
    }
    said.extend(of.state.asked.map(|request| requested(of, case, &request)));
    if kept.is_some() {
        said.push(if falls(kept) {
            words::profile_kept_less().into()
        } else {
            words::ProfileKept { kept: &of.size(length(kept)), kept_share: &kept_share }.text()
        });
    }
    if outside.is_some_and(|span| !span.expected) {
        let found = &of.size(length(outside));
        said.push(match (falls(outside), length(outside).0 > 3 * context.0) {
            (true, _) => words::profile_outside_less().into(),
            (false, true) => words::ProfileOutsideMore { outside: found, context: &of.size(context) }.text(),
            (false, false) => words::ProfileOutside { outside: found }.text(),
        });
    }
    words::joined(&said, " ")
}

/// Which tensors have the size of the request that failed, and what makes them smaller.
fn requested(of: &Snapshot, case: &Case, request: &Request) -> String {
    let found: Vec<Candidate> = profile::candidates(&case.scenario, request).collect();
    let named = |it: &Candidate| {
        let factors = it.shape.iter().chain([&it.bytes_per_value]).filter(|n| **n > 1);
        let shape = words::joined(&factors.map(|n| Grouped((*n).into()).to_string()).collect::<Vec<_>>(), " × ");
        let name = words::profile_tensor(it.tensor);
        words::ProfileRequestTensor { tensor: name, shape: &shape }.text()
    };
    let looked_at = || profile::looked_at(&case.scenario).map(words::profile_tensor);
    let list = match found.len() {
        0 => words::joined(&looked_at().collect::<Vec<_>>(), "; "),
        _ => words::joined(&found.iter().map(named).collect::<Vec<_>>(), "; "),
    };
    let (asked, tensors) = (&of.size(request.bytes), &list);
    let mut said = match found.len() {
        _ if request.is_block() => words::ProfileRequestBlock { asked }.text(),
        0 => words::ProfileRequestNone { asked, tensors }.text(),
        1 => words::ProfileRequestOne { asked, tensors }.text(),
        _ => words::ProfileRequestSeveral { asked, tensors }.text(),
    };
    if found.is_empty() && !request.is_block() && case.scenario.architecture.moe.is_some() {
        said.push(' ');
        said += words::profile_request_experts();
    }
    let mut fixes: Vec<&str> = found.iter().map(|it| fix(it.tensor)).collect();
    fixes.dedup();
    for fix in fixes {
        said.push(' ');
        said += fix;
    }
    said
}

/// What makes a tensor smaller.
fn fix(tensor: Tensor) -> &'static str {
    match tensor {
        Tensor::Logits => words::profile_fix_logits(),
        Tensor::Scores => words::profile_fix_scores(),
        Tensor::Mlp | Tensor::Stream | Tensor::Cache => words::profile_fix_tokens(),
        Tensor::Table | Tensor::Matrix => words::profile_fix_states(),
    }
}
