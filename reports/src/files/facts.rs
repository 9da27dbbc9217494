//! What a file says as a report, so that files and texts are explained together.

#[cfg(feature = "estimate")]
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::File;
use crate::memory_report::{Held, MemoryReport, total};
use crate::model_files::{Class, Gguf, Index, ModelFile, ModelJson, Tensor};
use crate::report::{Device, Fact, Report, Value};
use crate::size::MOST;
#[cfg(feature = "snapshots")]
use crate::snapshot::Snapshot;
use crate::snapshot::{MemoryTimeline, Moment};
use crate::what::{Kind, Phase, What};
use crate::{Place, Size, name};

impl File {
    /// The file as a report of the text `source`. A file has no lines: its facts stand at the first byte.
    pub fn report(&self, source: u16) -> Report {
        let mut facts = Facts(Vec::new());
        let kind = match self {
            Self::Header(file) => facts.header(file),
            Self::Model(ModelJson::Config(_)) => Kind::Config,
            Self::Model(ModelJson::Index(index)) => facts.index(index),
            #[cfg(feature = "snapshots")]
            Self::Snapshot(snapshot) => return snapshot.report(source),
            Self::Peak(peak) => {
                facts.moment(peak.moment);
                Kind::Snapshot
            }
            Self::Report(report) => facts.measured(report),
            Self::Timeline(timeline) => facts.timeline(timeline),
        };
        let mut report = Report::new(kind, source, 1);
        report.extend(facts.0);
        report
    }
}

#[cfg(feature = "snapshots")]
impl Snapshot {
    /// The snapshot as a report of the text `source`, as [`File::report`].
    pub fn report(&self, source: u16) -> Report {
        let mut facts = Facts(Vec::new());
        let kind = facts.snapshot(self);
        let mut report = Report::new(kind, source, 1);
        report.extend(facts.0);
        report
    }
}

/// The parameters of the language model in a file: what sees, hears or predicts further tokens is not counted.
fn parameters(tensors: &[Tensor]) -> u64 {
    let own = tensors.iter().filter(|tensor| !matches!(tensor.class, Class::Tower | Class::Prediction));
    own.fold(0, |sum: u64, tensor| sum.saturating_add(tensor.values()))
}

fn bytes(tensors: &[Tensor]) -> u64 {
    tensors.iter().fold(0, |sum: u64, tensor| sum.saturating_add(tensor.bytes))
}

/// What the keys of a GGUF file say of its model's shape, behind the name of its family.
const SHAPE: [(What, &str); 5] = [
    (What::Layers, "block_count"),
    (What::Heads, "attention.head_count"),
    (What::KvHeads, "attention.head_count_kv"),
    (What::HiddenSize, "embedding_length"),
    (What::TrainedContext, "context_length"),
];

struct Facts(Vec<Fact>);

impl Facts {
    fn add(&mut self, what: What, value: Value) {
        self.0.push(Fact { place: Place { line: 1, column: 1 }, device: Device::Unsaid, what, value });
    }

    /// A size; nothing where there is none, or more than is believed.
    fn size(&mut self, what: What, bytes: u64) {
        if let Some(bytes) = i64::try_from(bytes).ok().filter(|bytes| (1..=MOST).contains(bytes)) {
            self.add(what, Value::Size(Size::exact(bytes)));
        }
    }

    fn count(&mut self, what: What, count: Option<u64>) {
        if let Some(count) = count.filter(|count| *count > 0) {
            self.add(what, Value::Count(count));
        }
    }

    /// A name, as far as it may be shown.
    fn name(&mut self, what: What, text: &str) {
        if let Some(value) = name::value(what, text.as_bytes()) {
            self.add(what, value);
        }
    }

    fn header(&mut self, file: &ModelFile) -> Kind {
        match file {
            ModelFile::Safetensors(file) => {
                self.size(What::Checkpoint, bytes(&file.tensors));
                self.count(What::Parameters, Some(parameters(&file.tensors)));
                Kind::Safetensors
            }
            ModelFile::Gguf(file) => self.gguf(file),
        }
    }

    fn gguf(&mut self, file: &Gguf) -> Kind {
        if let (Some(name), None) = (file.metadata.text("general.name"), file.sidecar()) {
            self.name(What::Model, name);
        }
        if let Some(mix) = file.mix() {
            self.name(What::FileType, mix);
        }
        // One of several parts doesn't say what the model takes.
        if file.parts() == 1 && file.sidecar().is_none() {
            self.size(What::Checkpoint, bytes(&file.tensors));
            self.count(What::Parameters, Some(parameters(&file.tensors)));
        }
        if let (Some(family), None) = (file.metadata.text("general.architecture"), file.sidecar()) {
            for (what, key) in SHAPE {
                self.count(what, file.metadata.whole(&format!("{family}.{key}")));
            }
            self.count(What::VocabSize, file.metadata.length("tokenizer.ggml.tokens"));
        }
        Kind::Gguf
    }

    fn index(&mut self, index: &Index) -> Kind {
        self.size(What::Checkpoint, index.total_size.unwrap_or(0));
        self.count(What::Parameters, index.total_parameters);
        Kind::Index
    }

    #[cfg(feature = "snapshots")]
    fn snapshot(&mut self, snapshot: &Snapshot) -> Kind {
        let Some(device) = snapshot.fullest() else { return Kind::Snapshot };
        let (totals, peak) = (&device.totals, device.trace.peak());
        self.size(What::Allocated, totals.allocated);
        self.size(What::Reserved, totals.reserved);
        self.size(What::InactiveSplit, totals.fragmented);
        if !device.trace.events.is_empty() {
            self.size(What::PeakAllocated, peak.rounded.max(peak.bytes));
            self.size(What::PeakReserved, peak.reserved);
            self.moment(peak.moment);
        }
        Kind::Snapshot
    }

    /// What a snapshot's program was doing at its peak.
    fn moment(&mut self, moment: Moment) {
        let phase = match moment {
            Moment::Forward => Phase::Forward,
            Moment::Backward => Phase::Backward,
            Moment::OptimizerStep => Phase::OptimizerStep,
            Moment::Before | Moment::Elsewhere => return,
        };
        self.add(What::Phase, Value::Phase(phase));
    }

    fn measured(&mut self, report: &MemoryReport) -> Kind {
        self.name(What::Version, &report.torch);
        self.name(What::Optimizer, &report.optimizer);
        if let Some(gpu) = &report.gpu {
            self.name(What::Gpu, &gpu.name);
            self.size(What::Capacity, gpu.total);
            self.size(What::Free, gpu.free);
        }
        if let Some([batch, length]) = report.shapes.get("input_ids").map(Vec::as_slice) {
            self.count(What::BatchSize, Some(*batch));
            self.count(What::SeqLength, Some(*length));
        }
        let stat = |name: &str| report.phases.iter().filter_map(|phase| phase.allocator.get(name)).max();
        for (what, name) in
            [(What::PeakAllocated, "allocated_bytes.all.peak"), (What::PeakReserved, "reserved_bytes.all.peak")]
        {
            self.size(what, stat(name).copied().unwrap_or(0));
        }
        let held = |held: Held| report.phases.iter().map(|phase| total(&phase.bytes, held)).max().unwrap_or(0);
        self.size(What::Weights, held(Held::Weights));
        Kind::MemoryReport
    }

    fn timeline(&mut self, timeline: &MemoryTimeline) -> Kind {
        let sum = |composition: &[u64]| composition.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
        self.size(What::PeakAllocated, timeline.peak().map_or(0, |(_, composition)| sum(&composition)));
        Kind::MemoryTimeline
    }
}

impl Report {
    /// Whether it is that of a file, which has no lines.
    pub const fn is_file(&self) -> bool {
        self.kind.is_file()
    }
}

/// A name without what may not be shown, or nothing.
#[cfg(feature = "estimate")]
pub(crate) fn model_name(text: &str) -> Option<Box<str>> {
    match name::value(What::Model, text.as_bytes()) {
        Some(Value::Name(name)) => Some(name),
        _ => None,
    }
}
