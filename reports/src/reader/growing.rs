//! Reports that still grow: facts, tables and tracebacks come to them line by line.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::special::{SPECIAL, Special};
use super::{MOST_REPORTS, State};
use crate::by_name::ByName;
use crate::line::Line;
use crate::report::{Device, Fact, Report, Value};
use crate::stats;
use crate::tables::{Table, headless};
use crate::what::{Kind, What};

/// Lines between a traceback and the message that ends it.
pub(super) const NEAR: usize = 12;
/// Lines between two messages of ggml that belong together.
const TOGETHER: usize = 40;

impl State {
    /// The report of a kind that still grows, or a new one.
    pub(super) fn report(&mut self, kind: Kind, start: bool, line: usize) -> &mut Report {
        let far = |report: &Report| kind == Kind::Ggml && line > report.to + TOGETHER;
        // A program that starts again begins a new report once the one before has come to something.
        let done = |report: &Report| {
            far(report)
                // Two patterns may know the same beginning.
                || start
                    && report.from < line
                    && (report.is_failure()
                        || report.has(What::KvTokens)
                        || report.has(What::KvBlocks)
                        || report.has(What::Weights)
                        || report.has(What::Allocated)
                        || report.has(What::PeakReserved))
        };
        if let Some(at) = self.open.iter().position(|report| report.kind == kind && done(report)) {
            let report = self.open.swap_remove(at);
            self.close(report);
        }
        let at = self.open.iter().position(|report| report.kind == kind).unwrap_or_else(|| {
            self.open.push(Report::new(kind, self.source, line));
            self.open.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the place was found or made just above")]
        &mut self.open[at]
    }

    /// Puts what the traceback told with the message that ended it.
    pub(super) fn blame(&mut self, kind: Kind, line: usize) {
        let Some(trace) = self.trace.take_if(|trace| line <= trace.last + NEAR) else { return };
        let phase = trace.phase.map(|(phase, place)| (What::Phase, Value::Phase(phase), place));
        let part = trace.part.map(|(part, place)| (What::Part, Value::Part(part), place));
        let Some(report) = self.open.iter_mut().find(|report| report.kind == kind) else { return };
        for (what, value, place) in [phase, part].into_iter().flatten() {
            report.add(Fact { place, device: Device::Unsaid, what, value });
            report.from = report.from.min(place.line);
        }
        report.from = report.from.min(trace.first);
    }

    /// A traceback whose message did not come is kept for the case that nothing else says what happened.
    pub(super) fn keep_orphan(&mut self) {
        let Some(trace) = self.trace.take() else { return };
        let mut report = Report::new(Kind::Traceback, self.source, trace.first);
        if let Some((phase, place)) = trace.phase {
            report.add(Fact { place, device: Device::Unsaid, what: What::Phase, value: Value::Phase(phase) });
        }
        if let Some((part, place)) = trace.part {
            report.add(Fact { place, device: Device::Unsaid, what: What::Part, value: Value::Part(part) });
        }
        report.to = report.to.max(trace.last);
        if !report.facts.is_empty() {
            self.orphan = Some(Box::new(report));
        }
    }

    /// Keeps a report; where it stands among those that are kept, or the one that says the same.
    pub(super) fn close(&mut self, report: Report) -> Option<usize> {
        let said = |fact: &Fact| (fact.what, fact.device);
        let same = |one: &Fact, other: &Fact| said(one) == said(other) && one.value == other.value;
        if report.facts.is_empty() && !report.is_failure() && report.text.is_none() {
            return None;
        }
        let failed = report.is_failure();
        let alike = |known: &Report| {
            failed
                && known.kind == report.kind
                && known.source == report.source
                && known.facts.len() == report.facts.len()
                && known.facts.iter().zip(&report.facts).all(|(one, other)| same(one, other))
        };
        let at = self.found.reports.iter().position(alike);
        if let Some(known) = at.and_then(|at| self.found.reports.get_mut(at)) {
            known.times = known.times.saturating_add(1);
            known.to = known.to.max(report.to);
            return at;
        }
        if self.found.reports.len() == MOST_REPORTS {
            self.found.left_out += 1;
            return None;
        }
        self.found.reports.push(report);
        Some(self.found.reports.len() - 1)
    }

    pub(super) fn end_of_source(&mut self) {
        self.end_joined();
        self.go_on(&Line::default());
        self.settle();
        self.keep_orphan();
        self.table = None;
        self.tensors = None;
        self.nested = None;
        self.json = None;
        self.seen = ByName::new();
        self.sentences = (0, 0);
        for report in core::mem::take(&mut self.open) {
            self.close(report);
        }
    }

    pub(super) fn begin(&mut self, table: Table, line: usize) {
        let kind = table.kind();
        // Each printing is a report of its own, but for a list of names above it.
        let printed = |report: &Report| report.kind == kind && report.facts.iter().any(|fact| fact.what != What::Gpu);
        if let Some(at) = self.open.iter().position(printed) {
            let report = self.open.swap_remove(at);
            self.close(report);
        }
        self.report(kind, false, line);
        self.table = Some(table);
        self.idle = 0;
    }

    pub(super) fn in_table(&mut self, line: &Line) {
        let Some(mut table) = self.table.take() else { return };
        let kind = table.kind();
        let mut facts = Vec::new();
        let said = table.line(&line.text, &mut |device, what, value, at| {
            facts.push(Fact { place: line.place(at), device, what, value });
        });
        if !facts.is_empty() {
            let report = self.report(kind, false, line.number());
            report.extend(facts);
        }
        self.idle = if said { 0 } else { self.idle + 1 };
        if self.idle < table.patience() {
            self.table = Some(table);
        }
    }

    /// A row of `nvidia-smi` that was copied without its head.
    pub(super) fn headless(&mut self, line: &Line) {
        let known = self.open.iter().find(|report| report.kind == Kind::NvidiaSmi);
        let gpus = known.map_or(0, |report| report.all(What::Gpu).count());
        let mut facts = Vec::new();
        headless(&line.text, u16::try_from(gpus).unwrap_or(u16::MAX), &mut |device, what, value, at| {
            facts.push(Fact { place: line.place(at), device, what, value });
        });
        if !facts.is_empty() {
            self.report(Kind::NvidiaSmi, false, line.number()).extend(facts);
        }
    }

    pub(super) fn in_stats(&mut self, line: &Line, hits: &[(u16, usize)]) {
        let first = self.patterns.len() + self.settings.len();
        let special = |mark: u16| usize::from(mark).checked_sub(first).and_then(|at| SPECIAL.get(at));
        let begins = hits.iter().any(|(mark, _)| special(*mark).is_some_and(|(_, special)| *special == Special::Stats));
        if !begins && self.nested.is_none() {
            return;
        }
        let mut nested = self.nested.take().unwrap_or_default();
        let mut facts = Vec::new();
        let said = stats::read(&line.text, &mut nested, |what, value, at| {
            facts.push(Fact { place: line.place(at), device: Device::Unsaid, what, value });
        });
        for fact in facts {
            // Of several printings each is a report of its own.
            let again = |report: &Report| {
                report.kind == Kind::MemoryStats && fact.what != What::Retries && report.has(fact.what)
            };
            if let Some(at) = self.open.iter().position(again) {
                let report = self.open.swap_remove(at);
                self.close(report);
            }
            self.report(Kind::MemoryStats, false, fact.place.line).add(fact);
        }
        nested.idle = if said { 0 } else { nested.idle + 1 };
        if nested.idle < 4 {
            self.nested = Some(nested);
        }
    }
}
