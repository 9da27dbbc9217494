//! From reports to an explanation: the run that they describe, its estimate beside what they say, the likeliest cause, and what would help.
//!
//! Everything is a value; sentences are the `Display` of causes, notes and contradictions.

mod cause;
mod change;
mod contradiction;
mod formats;
mod gpu;
mod measured;
mod model;
mod reading;
mod row;
mod sentence;
mod settings;
mod shown;

use alloc::string::String;
use alloc::vec::Vec;

use memory_wall_core::profile::{Candidate, Request, Suspect, Tensor, candidates, suspect};
use memory_wall_core::scenario::Unsupported;
use memory_wall_core::serving::Speculation;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{Architecture, Attention, Bytes, Checked, Engine, Mode, Scenario, ScenarioError};

use crate::files::{File, Opened};
use crate::order::sorted;
use crate::what::{Kind, Refusal, What};
use crate::{Found, Report, Size, Value};

use cause::causes;
pub use cause::{Cause, Message};
use change::Possible;
pub use change::{Change, ChangeKind};
pub use contradiction::Contradiction;
pub use gpu::{named as gpu_named, with_capacity};
pub use measured::Parts;
pub use model::{FoundModel, Known};
pub use reading::reading;
pub use row::{Number, Row};
pub use settings::Note;
pub use shown::Shown;

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
        // A name that the table doesn't have is no other GPU with as much memory.
        (None, Some(size)) if !reports.iter().any(|report| report.has(What::Gpu)) => with_capacity(size, main_report.and_then(|it| vendor(it.kind))),
        _ => Vec::new(),
    };
    // Of GPUs with one memory any does for the question whether something fits.
    let gpu = gpu.or(if gpus.len() == 1 { gpus.first().copied() } else { None });
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
    if let Some(Ok(scenario)) = &explanation.scenario {
        let scenario = *scenario;
        explanation.rows =
            row::of(&reports, program, &scenario, capacity, !explanation.notes.contains(&Note::CacheFormat));
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
        explanation.rows = row::reported(&reports);
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
        if !different.contains(&name) {
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
        && !reports.iter().any(|report| report.is_failure());
    ends.then_some(report.kind)
}

/// The maker of the GPUs that a kind of report is about, where only his have it.
const fn vendor(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Cuda | Kind::CudaError | Kind::NvidiaSmi | Kind::TensorRtLlm => Some("NVIDIA"),
        Kind::Hip | Kind::RocmSmi => Some("AMD"),
        Kind::Xpu => Some("Intel"),
        Kind::Mps => Some("Apple"),
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

/// The main report, and all that belong to its run.
///
/// What says that memory ran out is looked at first, the last of several. Of two starts of one server, or two printings of one table,
/// only one belongs to the run: the one before the failure, or the last.
fn together(reports: &[Report]) -> (Option<usize>, Vec<usize>) {
    let last = |wanted: &dyn Fn(&Report) -> bool| reports.iter().rposition(wanted);
    let server = |report: &Report| {
        matches!(report.kind, Kind::Vllm | Kind::Sglang | Kind::TensorRtLlm | Kind::Tgi | Kind::LlamaCpp | Kind::Ollama)
    };
    // A command that is only named, and a start that came to nothing, say less than a start with figures.
    let figures = |report: &Report| {
        let counts = [What::KvTokens, What::KvBlocks];
        report.facts.iter().any(|fact| matches!(fact.value, Value::Size(_)) || counts.contains(&fact.what))
    };
    let main = last(&Report::is_failure)
        .or_else(|| last(&|report| server(report) && figures(report)))
        .or_else(|| last(&|report| server(report) && report.facts.len() > 1))
        .or_else(|| last(&|report| !report.facts.is_empty() && report.kind != Kind::Traceback))
        .or_else(|| last(&|_| true));
    let Some(main) = main else { return (None, Vec::new()) };
    // The nearest report in front of the main one, or the nearest behind it.
    let nearest = |wanted: &dyn Fn(&Report) -> bool| {
        let all = reports.iter().enumerate().filter(|(_, report)| wanted(report)).map(|(at, _)| at);
        all.min_by_key(|at| if *at <= main { (0, main - *at) } else { (1, *at - main) })
    };
    let mut about: Vec<usize> = Vec::new();
    // Two servers are two runs; Ollama's prints as llama.cpp does.
    let alike = |kind: Kind| if kind == Kind::Ollama { Kind::LlamaCpp } else { kind };
    let kind = reports.get(main).filter(|report| server(report)).map(|report| alike(report.kind));
    let other_run = |report: &Report| server(report) && kind.is_some_and(|kind| kind != alike(report.kind));
    for report in reports.iter().filter(|report| !other_run(report)) {
        let own = nearest(&|other| other.kind == report.kind);
        // A message that was copied without its log has no model; the log beside it has.
        let nameless = own.and_then(|at| reports.get(at)).is_some_and(|report| !report.has(What::Model));
        let named = nearest(&|other| nameless && other.kind == report.kind && other.has(What::Model));
        // A checkpoint may be in several files.
        let files = reports.iter().enumerate().filter(|(_, other)| other.is_file()).map(|(at, _)| at);
        for at in [own, named].into_iter().flatten().chain(files) {
            if !about.contains(&at) {
                about.push(at);
            }
        }
    }
    // The main report speaks first.
    (Some(main), sorted(about, |at| (u64::from(*at != main), *at as u64)))
}

/// The program whose run it is.
fn program(reports: &[&Report]) -> Kind {
    let order = [
        Kind::Vllm,
        Kind::Sglang,
        Kind::TensorRtLlm,
        Kind::Tgi,
        Kind::LlamaCpp,
        Kind::Ollama,
        Kind::Ggml,
        Kind::Gguf,
        Kind::Trainer,
        Kind::Torchtitan,
        Kind::Megatron,
        Kind::Maxtext,
        Kind::Litgpt,
    ];
    order.into_iter().find(|kind| reports.iter().any(|report| report.kind == *kind)).unwrap_or(Kind::Trainer)
}

/// The model: by its config, by its file, or by a name.
fn find_model(reports: &[&Report], files: &[Opened], unknown: &mut Vec<String>) -> Option<FoundModel> {
    let names = || reports.iter().filter_map(|report| report.name(What::Model));
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
    reports.iter().filter_map(|report| report.name(What::Gpu)).find_map(|name| gpu_named(name, capacity))
}

/// A run with all that is known of it.
struct Subject<'a> {
    reports: &'a [&'a Report],
    files: &'a [Opened],
    program: Kind,
    model: &'a FoundModel,
}

impl Subject<'_> {
    /// The scenario, and whether the sizes of a step are known; `None` where nothing says what the run did.
    fn scenario(
        &self,
        stated: &Stated<'_>,
        gpu: Option<&'static Gpu>,
        notes: &mut Vec<Note>,
    ) -> Option<(Result<Checked, ScenarioError>, bool)> {
        let architecture: Architecture = self.model.architecture;
        let mut scenario = Scenario::new(architecture);
        let served = matches!(
            self.program,
            Kind::Vllm | Kind::Sglang | Kind::TensorRtLlm | Kind::Tgi | Kind::LlamaCpp | Kind::Ollama | Kind::Ggml
        );
        let trains = settings::trains(self.reports) || measured::trains(self.files);
        let known = served || trains || stated.mode.is_some();
        if !known {
            return None;
        }
        *notes = settings::apply(self.reports, self.program, &self.model_name(), self.model.stored, &mut scenario);
        for opened in self.files {
            if let File::Report(report) = &opened.file {
                measured::describe(report, &mut scenario, notes);
            }
        }
        if let Some(mode) = stated.mode {
            scenario.mode = mode;
            scenario.weights = mode.nearest(scenario.weights);
            if mode.trains() && served {
                scenario.serving.engine = Engine::Exact;
            }
        }
        (stated.adjust)(&mut scenario);
        if stated.sizes {
            notes.retain(|note| !matches!(note, Note::Missing(_)));
        }
        if scenario.mode == Mode::Inference {
            notes.retain(|note| !matches!(note, Note::Missing(_) | Note::RecipeAssumed));
        }
        let sized = !scenario.mode.trains() || !notes.iter().any(|note| matches!(note, Note::Missing(_)));
        // What a model was made for is the longest that a server takes by itself.
        let most = [architecture.trained_context, architecture.end_of_table()].into_iter().flatten().min();
        if served && scenario.serving.max_model_len.is_none() && self.program != Kind::LlamaCpp {
            scenario.seq_length = most.unwrap_or(scenario.seq_length);
        }
        if let Some(gpu) = gpu {
            let own = (scenario.weights, scenario.kv);
            scenario = scenario.on(gpu);
            (scenario.weights, scenario.kv) = own;
        }
        let checked = scenario.check();
        if let Err(ScenarioError::Runtime(Unsupported::LoraSlots { .. })) = checked {
            notes.push(Note::AdapterSlots);
            scenario.serving.max_loras = None;
            return Some((scenario.check(), sized));
        }
        // Where what guesses ahead is not modelled, the rest of the run is estimated without it.
        if let Err(ScenarioError::Runtime(Unsupported::Speculation(_))) = checked {
            notes.push(Note::Guesses);
            scenario.serving.speculation = Speculation::None;
            return Some((scenario.check(), sized));
        }
        Some((checked, sized))
    }

    /// The name of the model as the texts have it, which may say how it is stored.
    fn model_name(&self) -> String {
        let name = self.reports.iter().find_map(|report| report.name(What::Model));
        name.unwrap_or(&self.model.name).into()
    }
}
