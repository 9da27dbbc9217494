//! From reports to an explanation: the run that they describe, its estimate beside what they say, the likeliest cause, and what would help.
//!
//! Everything is a value; sentences are the `Display` of causes, notes and contradictions.

mod allocators;
mod buffers;
mod cause;
mod change;
mod contradiction;
mod formats;
mod gpu;
mod measured;
mod message;
mod model;
mod reading;
mod reported;
mod row;
mod sentence;
mod settings;
mod shown;
mod subject;
mod together;

use alloc::string::String;
use alloc::vec::Vec;

use memory_wall_core::profile::{Candidate, Request, Suspect, Tensor, candidates, suspect};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{Attention, Bytes, Checked, Mode, Scenario, ScenarioError};

use crate::files::Opened;
use crate::what::{Kind, Refusal, What};
use crate::{Found, Report, Size, Value};

pub use cause::Cause;
use cause::causes;
use change::Possible;
pub use change::{Change, ChangeKind};
pub use contradiction::Contradiction;
pub use gpu::{named as gpu_named, several_named, with_capacity};
pub use measured::Parts;
pub use message::Message;
pub use model::{FoundModel, Known};
pub use reading::reading;
pub use row::{Number, Row};
pub use settings::Note;
pub use shown::Shown;
use subject::Subject;
use together::{program, together};

/// What the reader says beside the texts.
pub struct Stated<'a> {
    /// The model.
    pub model: Option<FoundModel>,
    /// The GPU.
    pub gpu: Option<&'static Gpu>,
    /// The mode.
    pub mode: Option<Mode>,
    /// Sets every other option that was stated.
    pub adjust: &'a dyn Fn(&mut Scenario),
    /// Whether the sizes of a training run, its batch and its length, are among them.
    pub sizes: bool,
}

/// What there is to say.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The reports that it is about, by their places in the list: of one run.
    pub about: Vec<usize>,
    /// The report that says what went wrong, or the one that says most.
    pub main: Option<usize>,
    /// The model.
    pub model: Option<FoundModel>,
    /// Names of models that the table doesn't have, or why a config can't be read.
    pub unknown_models: Vec<String>,
    /// The GPU, and those that have as much memory where it isn't named.
    pub gpu: Option<&'static Gpu>,
    /// GPUs that could be meant.
    pub gpus: Vec<&'static Gpu>,
    /// What the GPU offers, as it is reported, or as the table says.
    pub capacity: Option<Bytes>,
    /// The run; `None` where the model or the sizes of a step aren't known.
    pub scenario: Option<Result<Checked, ScenarioError>>,
    /// What has to be said of it.
    pub notes: Vec<Note>,
    /// What is reported beside what is estimated.
    pub rows: Vec<Row>,
    /// Of each file that was measured, its parts beside the estimate of them.
    pub parts: Vec<Parts>,
    /// Tensors of the run that have the size of the request.
    pub tensors: Vec<Candidate>,
    /// A single setting that would explain the difference.
    pub suspect: Option<(Suspect, Bytes)>,
    /// What happened, the likeliest first.
    pub causes: Vec<Cause>,
    /// The changes that help most.
    pub changes: Vec<Change>,
    /// What the texts say against each other.
    pub contradictions: Vec<Contradiction>,
    /// Whether a server came up, which shows that it fits, whatever the estimate says.
    pub stands: bool,
    /// Whether the run may lie on several GPUs which together hold it, so that one of them need not hold it.
    pub several: bool,
}

/// Explains what was found: the texts, and the files that were [`add`](crate::files::add)ed to them.
pub fn explain(found: &Found, files: &[Opened], stated: &Stated<'_>) -> Explanation {
    let (main, about) = together(&found.reports);
    let reports: Vec<&Report> = about.iter().filter_map(|at| found.reports.get(*at)).collect();
    let main_report = main.and_then(|at| found.reports.get(at));
    let mut unknown_models = Vec::new();
    let model = stated.model.clone().or_else(|| find_model(&reports, files, &mut unknown_models));
    let reported = reported_capacity(&reports, main_report);
    let gpu = stated.gpu.or_else(|| named_gpu(&reports, reported));
    let gpus = match (gpu, reported) {
        (None, Some(size)) if !is_named(&reports, reported) => {
            with_capacity(size, main_report.and_then(|it| vendor(it.kind)))
        }
        _ => Vec::new(),
    };
    // Of GPUs with one memory any does for the question whether something fits.
    let by_memory = gpu.is_none() && gpus.len() == 1;
    let gpu = gpu.or(if by_memory { gpus.first().copied() } else { None });
    let capacity =
        reported.and_then(|size| u128::try_from(size.bytes).ok()).map(Bytes).or_else(|| gpu.map(|gpu| gpu.capacity));
    let program = program(&reports);
    let mut notes = Vec::new();
    if reports.iter().any(|report| report.kind == Kind::Unsloth) {
        notes.push(Note::Unsloth);
    }
    let described = model.as_ref().and_then(|model| {
        let subject = Subject { reports: &reports, files, program, model };
        subject.scenario(stated, gpu, &mut notes)
    });
    // Without the sizes of a step there is no estimate of it, but of the states that it keeps.
    let sized = described.is_some_and(|(_, sized)| sized);
    let described = described.map(|(scenario, _)| scenario);
    let scenario = described.filter(|_| sized);
    let mut explanation = Explanation {
        several: matches!(&scenario, Some(Ok(scenario)) if cause::several(&reports, scenario, capacity)),
        about,
        main,
        unknown_models,
        gpu,
        gpus,
        capacity,
        rows: Vec::new(),
        parts: Vec::new(),
        tensors: Vec::new(),
        suspect: None,
        causes: Vec::new(),
        changes: Vec::new(),
        contradictions: contradiction::of(&reports, model.as_ref(), stated.model.is_some()),
        model,
        scenario,
        notes,
        stands: reports.iter().any(|report| stands(report)),
    };
    // A cache whose format or whose length is assumed is not estimated.
    let assumed = |note: &Note| matches!(note, Note::CacheFormat | Note::ContextAssumed);
    if let Some(Ok(scenario)) = &explanation.scenario {
        let scenario = *scenario;
        explanation.rows = row::of(&reports, program, &scenario, capacity, !explanation.notes.iter().any(assumed));
        explanation.contradictions.extend(contradiction::of_weights(&explanation.rows));
        let asked =
            main_report.and_then(|report| report.size(What::Requested)).filter(|_| main_report.is_some_and(by_pytorch));
        if let Some(request) = asked.and_then(request).filter(|_| scenario.runtime().is_none()) {
            // A server passes batches of its own through the model, and a fused kernel never writes the scores.
            let scores = scenario.attention == Attention::Eager;
            let written = |candidate: &Candidate| scores || candidate.tensor != Tensor::Scores;
            explanation.tensors = candidates(&scenario, &request).filter(written).collect();
        }
        if let (true, Some(need)) = (scenario.mode.trains(), main_report.and_then(need)) {
            explanation.suspect = suspect(&scenario, need);
        }
    } else {
        explanation.rows = reported::of(&reports);
        // Beside weights of a type that is not modelled the cache is what it is.
        if let (Some(Ok(scenario)), true) = (&described, explanation.notes.contains(&Note::WeightsUnknown)) {
            let estimated = row::of(&reports, program, scenario, capacity, !explanation.notes.iter().any(assumed));
            for row in explanation.rows.iter_mut().filter(|row| row.what == What::KvCache) {
                row.estimated = estimated.iter().find(|it| it.what == row.what).and_then(|it| it.estimated);
            }
        }
    }
    if let Some(Ok(scenario)) = &described {
        explanation.parts = files.iter().filter_map(|opened| Parts::of(opened, scenario, sized)).collect();
    }
    let names = reports.iter().flat_map(|report| report.all(What::Gpu)).filter_map(|fact| match &fact.value {
        Value::Name(name) => Some(&**name),
        _ => None,
    });
    let mut different: Vec<&str> = Vec::new();
    names.for_each(|name| {
        // llama.cpp's table has short names: "GTX 1080 Ti".
        if !different.iter().any(|known| known.ends_with(name)) {
            different.push(name);
        }
    });
    // A name may be written in several ways.
    let mut rows: Vec<&str> = Vec::new();
    for name in different {
        let id = gpu_named(name, reported).map_or(name, |gpu| gpu.id);
        if !rows.contains(&id) {
            rows.push(id);
        }
    }
    if rows.len() > 1 {
        explanation.notes.push(Note::SeveralGpus(rows.len()));
    }
    if reports.iter().any(|report| report.has(What::Retried) && !report.is_failure()) {
        explanation.notes.push(Note::Retried);
    }
    if reports.iter().any(|report| report.has(What::OverWorkingSet)) {
        explanation.notes.push(Note::WorkingSet);
    }
    if reports.iter().any(|report| report.has(What::Unpinned)) {
        explanation.notes.push(Note::Unpinned);
    }
    if let Some(kind) = main_report.and_then(|report| ends_early(report, &reports)) {
        explanation.notes.push(Note::EndsEarly(kind));
    }
    if main_report.is_some_and(message::free_beyond) {
        explanation.notes.push(Note::FreeBeyond);
    }
    if by_memory {
        explanation.notes.push(Note::GpuByMemory);
    }
    explanation.causes = causes(&reports, main_report, &explanation);
    if let (Some(Ok(scenario)), true) = (&explanation.scenario, failed(&reports, &explanation.causes)) {
        let few_blocks = |report: &&Report| report.refusal() == Some(Refusal::StateBlocks);
        let possible = Possible {
            length: reports.iter().find_map(|report| report.count(What::LongestPossible)),
            sequences: reports.iter().copied().find(few_blocks).and_then(|report| report.count(What::KvBlocks)),
        };
        explanation.changes = change::of(scenario, capacity, possible);
    }
    explanation
}

/// Whether a text says whose GPU it is: a name that the table doesn't have is no other GPU with as much memory, and only an Apple GPU has
/// a recommended working set.
fn is_named(reports: &[&Report], capacity: Option<Size>) -> bool {
    reports.iter().any(|report| {
        name_of_gpu(report, capacity).is_some() || report.kind == Kind::LlamaCpp && report.has(What::Allowed)
    })
}

/// Whether a report is that of a server which has its cache and its working space.
fn stands(report: &Report) -> bool {
    let pool = report.has(What::KvTokens) || report.has(What::KvBlocks);
    !report.is_failure() && (pool || report.kind == Kind::LlamaCpp && report.has(What::Compute))
}

/// The server whose log ends before it stands, without a message.
fn ends_early(report: &Report, reports: &[&Report]) -> Option<Kind> {
    let ends = matches!(report.kind, Kind::Vllm | Kind::Sglang)
        && (report.has(What::Version) || report.has(What::Class))
        && !report.has(What::KvTokens)
        && !report.has(What::KvBlocks)
        && !report.has(What::Ready)
        && !reports.iter().any(|report| report.is_failure());
    ends.then_some(report.kind)
}

/// The maker of the GPUs that a kind of report is about, where only his have it.
const fn vendor(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Cuda | Kind::CudaError | Kind::NvidiaSmi | Kind::Dcgm | Kind::Gpustat | Kind::TensorRtLlm => {
            Some("NVIDIA")
        }
        Kind::Hip | Kind::RocmSmi | Kind::AmdSmi => Some("AMD"),
        Kind::Xpu | Kind::XpuSmi => Some("Intel"),
        Kind::Npu | Kind::NpuSmi => Some("Huawei"),
        Kind::Mps | Kind::Metal => Some("Apple"),
        // Of XLA's messages that of a TPU alone names a capacity.
        Kind::Xla | Kind::Maxtext => Some("Google"),
        _ => None,
    }
}

/// Whether there is something to mend.
fn failed(reports: &[&Report], causes: &[Cause]) -> bool {
    reports.iter().any(|report| report.is_failure()) || !causes.is_empty()
}

/// Whether the request of a message is the size of a block of PyTorch's allocator.
fn by_pytorch(report: &Report) -> bool {
    matches!(report.kind, Kind::Cuda | Kind::Hip | Kind::Xpu | Kind::Npu)
}

fn request(size: Size) -> Option<Request> {
    Some(Request { bytes: Bytes(u128::try_from(size.bytes).ok()?), grain: Bytes(size.grain.into()) })
}

/// What the tensors of a run needed: at the peak, or when it died what it held and what it asked for.
fn need(report: &Report) -> Option<Bytes> {
    let bytes = |what| report.greatest(what).and_then(|size: Size| u128::try_from(size.bytes).ok());
    let held =
        bytes(What::PeakAllocated).or_else(|| bytes(What::Allocated)).or_else(|| bytes(What::ProgramAllocated))?;
    let asked = if report.is_failure() { bytes(What::Requested).unwrap_or(0) } else { 0 };
    Some(Bytes(held + asked))
}

/// The model: by its config, by its file, or by a name.
fn find_model(reports: &[&Report], files: &[Opened], unknown: &mut Vec<String>) -> Option<FoundModel> {
    // Where the first is that of a file, the second is what the file itself says.
    let names = || {
        reports.iter().flat_map(|report| {
            let names = report.all(What::Model).filter_map(|fact| match &fact.value {
                Value::Name(name) => Some(&**name),
                _ => None,
            });
            let file = report.name(What::Model).is_some_and(is_gguf);
            names.take(if file { 2 } else { 1 })
        })
    };
    // A config says more than a name.
    for text in reports.iter().filter_map(|report| report.text.as_deref()) {
        match FoundModel::of_config(text, names().next()) {
            Ok(model) => return Some(model),
            Err(error) => unknown.push(error),
        }
    }
    for model in files.iter().filter_map(|opened| FoundModel::of_file(&opened.file, names().next())) {
        match model {
            Ok(model) => return Some(model),
            Err(error) => unknown.push(error),
        }
    }
    let mut best: Option<FoundModel> = None;
    for name in names() {
        match FoundModel::named(name) {
            Some(model)
                if best.as_ref().is_none_or(|known| known.known == Known::PartOfName && model.known == Known::Name) =>
            {
                best = Some(model);
            }
            None if !unknown.iter().any(|known| known == name) => unknown.push(name.into()),
            _ => {}
        }
    }
    best
}

/// Whether a name is that of a GGUF file.
fn is_gguf(name: &str) -> bool {
    name.to_ascii_lowercase().contains(".gguf")
}

/// The memory of the GPU, as it is reported: by the report of the failure first.
fn reported_capacity(reports: &[&Report], main: Option<&Report>) -> Option<Size> {
    let of = |report: &Report| {
        // What a program on an Apple GPU may take is less than the computer's memory.
        let allowed = if report.kind == Kind::LlamaCpp { report.size(What::Allowed) } else { None };
        allowed.or(report.size(What::Capacity)).filter(|size| size.bytes > 0)
    };
    main.and_then(of).or_else(|| reports.iter().find_map(|report| of(report)))
}

fn named_gpu(reports: &[&Report], capacity: Option<Size>) -> Option<&'static Gpu> {
    reports.iter().filter_map(|report| name_of_gpu(report, capacity)).find_map(|name| gpu_named(name, capacity))
}

/// Whether a program never names the GPU, so that a name beside what it says is a person's.
const fn names_no_gpu(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Cuda
            | Kind::Hip
            | Kind::Mps
            | Kind::Xpu
            | Kind::Npu
            | Kind::CudaError
            | Kind::Cublas
            | Kind::HostMemory
            | Kind::Killed
            | Kind::Ggml
            | Kind::Xla
            | Kind::TensorFlow
            | Kind::DeepSpeed
            | Kind::OutOfMemory
            | Kind::Traceback
            | Kind::Vllm
            | Kind::Sglang
            | Kind::TensorRtLlm
            | Kind::Tgi
            | Kind::Lmdeploy
    )
}

/// The GPU that a report names; none where a person named another one than that whose memory a program states.
fn name_of_gpu(report: &Report, capacity: Option<Size>) -> Option<&str> {
    let may_have = |name: &&str| capacity.is_none_or(|size| gpu::may_have(name, size));
    report.name(What::Gpu).filter(|name| !names_no_gpu(report.kind) || may_have(name))
}
