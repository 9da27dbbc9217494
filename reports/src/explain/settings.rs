//! The scenario of a report: its settings, each where it is said, and the others as the engine takes them.

use alloc::vec::Vec;

use memory_wall_core::KvPrecision;
use memory_wall_core::serving::{Serving, Speculation, Version};
use memory_wall_core::tables::drafts::{self, Draft};
use memory_wall_core::{
    Attention, Checkpointing, Engine, Loss, Mode, Recipe, Scenario, Share, WeightFormat, ZeroStage, bounds,
};

use memory_wall_runtimes::pool::Server;

use super::formats::{By, cache, gguf, is_typed, optimizer_of, weights};
use super::model::{FoundModel, Known};
use crate::what::{Kind, What};
use crate::{Report, Value};

/// What has to be said of the scenario that a report describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The release is older than what is modelled, whose rules are taken.
    OldRelease,
    /// The program's own rules are not modelled: weights and cache are compared, and nothing else.
    NoRules(Kind),
    /// The pool is estimated as the program sizes it, by a share or a memory that isn't all in the text.
    Pool(Kind),
    /// How the weights are stored isn't said: 16 bits were taken.
    WeightsAssumed,
    /// More is said to be free than the GPU has.
    FreeBeyond,
    /// The weights are stored in a format that is not modelled, so that nothing but the cache is estimated.
    WeightsUnknown,
    /// How the weights are stored follows from the model's name.
    WeightsByName,
    /// A setting without which there is no estimate of a training run.
    Missing(What),
    /// In which precisions a training run keeps its states isn't said.
    RecipeAssumed,
    /// Which matrices adapters are on isn't read.
    TargetsAssumed,
    /// Unsloth trains, whose kernels are not modelled.
    Unsloth,
    /// A draft model takes memory too, which is not estimated.
    DraftModel,
    /// Guessing ahead takes memory too, which is not modelled for this model or release.
    Guesses,
    /// A buffer did not fit, and the program went on without pipeline parallelism.
    Retried,
    /// The release of a server isn't in the text.
    VersionAssumed,
    /// More is allocated than the recommended working set of an Apple GPU.
    WorkingSet,
    /// Host memory could not be pinned, and is taken as it is.
    Unpinned,
    /// The cache is stored in a format that is not modelled, so that it isn't estimated.
    CacheFormat,
    /// Only some of the layers are on the GPU.
    PartlyOffloaded,
    /// A log ends before its server stands, without a message.
    EndsEarly(Kind),
    /// Several different GPUs are named.
    SeveralGpus(usize),
    /// No GPU is named: the only one of the table with as much memory was taken.
    GpuByMemory,
    /// How long the context is isn't said.
    ContextAssumed,
    /// Slots for adapters take memory too, which is not modelled for this model or release.
    AdapterSlots,
}

/// What a report says about a setting, on any rank.
fn count(reports: &[&Report], what: What) -> Option<u32> {
    let found = reports.iter().find_map(|report| report.count(what))?;
    u32::try_from(found).ok()
}

fn flag(reports: &[&Report], what: What) -> Option<bool> {
    reports.iter().find_map(|report| report.flag(what))
}

fn name<'a>(reports: &[&'a Report], what: What) -> Option<&'a str> {
    reports.iter().find_map(|report| report.name(what))
}

/// The settings of a run as far as its reports say them, on top of a scenario; with what has to be said of them.
pub(super) fn apply(
    reports: &[&Report],
    kind: Kind,
    model: &str,
    stored: Option<WeightFormat>,
    scenario: &mut Scenario,
) -> Vec<Note> {
    let mut notes = Vec::new();
    match kind {
        Kind::Vllm | Kind::Sglang | Kind::TensorRtLlm | Kind::Tgi => {
            served(reports, kind, model, stored, scenario, &mut notes);
        }
        Kind::LlamaCpp | Kind::Ollama | Kind::Ggml | Kind::Gguf => {
            llama_cpp(reports, model, stored, scenario, &mut notes);
        }
        _ => trained(reports, stored, scenario, &mut notes),
    }
    let known = scenario.serving.speculation == Speculation::Mtp || scenario.draft.is_some();
    if name(reports, What::DraftModel).is_some() && !known {
        notes.push(Note::DraftModel);
    }
    notes
}

/// How tokens are guessed ahead, as far as that is modelled, and the head or the model that does so.
pub(super) fn speculation(reports: &[&Report], serving: &mut Serving) -> Option<Draft> {
    let method = name(reports, What::Speculation);
    let draft = name(reports, What::DraftModel).and_then(|name| {
        let model = || FoundModel::named(name).filter(|found| found.known == Known::Name)?.preset;
        drafts::in_repository(name).or_else(|| model().map(|model| Draft::model(model.id, model.architecture)))
    });
    serving.speculation = match (method, draft) {
        // Releases up to 0.13 have a method for each family: `deepseek_mtp`.
        (Some(method), _) if method.ends_with("mtp") => Speculation::Mtp,
        (Some("ngram"), _) => Speculation::Ngram,
        (Some("eagle"), Some(Draft { reads: Some(_), .. })) => Speculation::Eagle,
        (Some("eagle3") | None, Some(Draft { reads: Some(_), .. })) => Speculation::Eagle3,
        (Some("draft_model") | None, Some(Draft { reads: None, .. })) => Speculation::DraftModel,
        _ => return None,
    };
    serving.num_speculative_tokens = count(reports, What::SpeculativeTokens).unwrap_or(1).max(1);
    draft
}

fn served(
    reports: &[&Report],
    kind: Kind,
    model: &str,
    stored: Option<WeightFormat>,
    scenario: &mut Scenario,
    notes: &mut Vec<Note>,
) {
    scenario.mode = Mode::Inference;
    if kind == Kind::Vllm {
        scenario.serving.engine = Engine::Vllm;
        if let Some(version) = name(reports, What::Version).and_then(Version::read) {
            if version < Version::OLDEST {
                notes.push(Note::OldRelease);
            }
            scenario.serving.version = version.max(Version::OLDEST);
        } else {
            notes.push(Note::VersionAssumed);
        }
        scenario.draft = speculation(reports, &mut scenario.serving);
    } else {
        notes.push(if server(kind).is_some() { Note::Pool(kind) } else { Note::NoRules(kind) });
    }
    let (format, known) = weights(name(reports, What::Dtype), name(reports, What::Quantization), model);
    scenario.weights = stored.unwrap_or(format);
    match known {
        By::Setting => {}
        By::Name => notes.push(Note::WeightsByName),
        By::Default if stored.is_some() => {}
        By::Default => notes.push(Note::WeightsAssumed),
    }
    scenario.kv = kv(cache_format(reports), name(reports, What::Dtype), notes);
    let degree =
        |what, bounds: bounds::Bounds| count(reports, what).map_or(1, |ranks| ranks.clamp(bounds.min, bounds.max));
    scenario.parallel.tp = degree(What::TensorParallel, bounds::TP);
    scenario.parallel.pp = degree(What::PipelineParallel, bounds::PP);
    // Ranks of data in SGLang share the same GPUs.
    if kind == Kind::Vllm {
        scenario.parallel.dp = degree(What::DataParallel, bounds::DP);
        if flag(reports, What::ExpertParallel) == Some(true) && scenario.architecture.moe.is_some() {
            scenario.parallel.ep = scenario.parallel.tp.saturating_mul(scenario.parallel.dp);
        }
    }
    if let Some(length) = count(reports, What::MaxModelLen) {
        scenario.seq_length = length.clamp(1, bounds::SEQ_LENGTH.max);
        scenario.serving.max_model_len = Some(scenario.seq_length);
    }
    if let Some(sequences) = count(reports, What::MaxNumSeqs) {
        (scenario.serving.max_num_seqs, scenario.serving.usual_seqs) = (sequences.max(1), false);
    }
    if let Some(tokens) = count(reports, What::MaxBatchedTokens) {
        (scenario.serving.max_num_batched_tokens, scenario.serving.usual_batched_tokens) = (tokens.max(1), false);
    }
    scenario.serving.enforce_eager = flag(reports, What::EnforceEager).unwrap_or(false);
    scenario.serving.language_model_only = flag(reports, What::LanguageModelOnly) == Some(true);
    // A log says what the server resolved it to, which matters where layers keep a state.
    let states = scenario.architecture.linear_attention.is_some();
    scenario.serving.prefix_caching = flag(reports, What::PrefixCaching).filter(|_| kind == Kind::Vllm && states);
    // A dump of all arguments names the slots of a server without adapters too.
    if kind == Kind::Vllm && flag(reports, What::EnableLora) == Some(true) {
        scenario.serving.max_loras = Some(count(reports, What::MaxLoras).unwrap_or(1));
        scenario.serving.max_lora_rank = count(reports, What::MaxLoraRank).unwrap_or(scenario.serving.max_lora_rank);
    }
    let share = reports.iter().find_map(|report| report.millionths(What::Utilization));
    let share = share.and_then(|share| u32::try_from((share + 50) / 100).ok()).map(Share::hundredths);
    scenario.serving.gpu_memory_utilization = share.filter(|share| share.check().is_ok());
}

/// The server with a pool that a program is, where its rules are modelled.
pub(super) fn server(kind: Kind) -> Option<Server> {
    match kind {
        Kind::Sglang => Some(Server::Sglang),
        Kind::TensorRtLlm => Some(Server::TensorRtLlm),
        _ => None,
    }
}

/// The format of the cache: what a backend resolved it to says more than that it is chosen automatically.
fn cache_format<'a>(reports: &[&'a Report]) -> Option<&'a str> {
    let all = || reports.iter().flat_map(|report| report.all(What::KvDtype));
    let names = || all().filter_map(|fact| if let Value::Name(name) = &fact.value { Some(&**name) } else { None });
    names().find(|name| *name != "auto").or_else(|| names().next())
}

/// How the cache is stored; a format that the engine doesn't have is said.
fn kv(named: Option<&str>, dtype: Option<&str>, notes: &mut Vec<Note>) -> KvPrecision {
    let automatic = matches!(named, None | Some("auto"));
    let found = named.and_then(cache).or_else(|| if automatic { dtype.and_then(cache) } else { None });
    if found.is_none() && !automatic {
        notes.push(Note::CacheFormat);
    }
    found.unwrap_or(KvPrecision::Bf16)
}

fn llama_cpp(
    reports: &[&Report],
    model: &str,
    stored: Option<WeightFormat>,
    scenario: &mut Scenario,
    notes: &mut Vec<Note>,
) {
    scenario.mode = Mode::Inference;
    scenario.serving.engine = Engine::LlamaCpp;
    let by_type = name(reports, What::FileType).and_then(gguf).or(stored);
    let typed = name(reports, What::FileType).is_some() && stored.is_none();
    scenario.weights = by_type.or_else(|| gguf(model)).unwrap_or_else(|| {
        notes.push(if typed || is_typed(model) { Note::WeightsUnknown } else { Note::WeightsAssumed });
        WeightFormat::Bf16
    });
    if by_type.is_none() && gguf(model).is_some() {
        notes.push(Note::WeightsByName);
    }
    // llama.cpp takes 16 bits of its own kind where nothing is said.
    scenario.kv = match name(reports, What::KvDtype) {
        None => KvPrecision::Fp16,
        named => kv(named, None, notes),
    };
    let sequences = count(reports, What::Parallel).unwrap_or(1).max(1);
    // Without it the largest cache says how many tokens it holds, of all sequences together.
    let cells = reports.iter().flat_map(|report| report.all(What::Cells));
    let cells =
        cells.filter_map(|fact| if let Value::Count(count) = fact.value { u32::try_from(count).ok() } else { None });
    // A warning at its start says how many each sequence has.
    let each = count(reports, What::MaxModelLen);
    if let Some(context) = count(reports, What::Context)
        .or_else(|| cells.max())
        .or_else(|| each.and_then(|each| each.checked_mul(sequences)))
    {
        // One cache for all sequences has the whole context once, which is as much as each having its part.
        scenario.seq_length = (context / sequences).clamp(1, bounds::SEQ_LENGTH.max);
        scenario.batch = sequences.min(bounds::BATCH.max);
    } else {
        notes.push(Note::ContextAssumed);
    }
    if flag(reports, What::FlashAttention) == Some(false) {
        scenario.attention = Attention::Eager;
    }
    if let (Some(here), Some(all)) = (count(reports, What::GpuLayers), count(reports, What::AllLayers))
        && here < all
    {
        notes.push(Note::PartlyOffloaded);
    }
}

fn trained(reports: &[&Report], stored: Option<WeightFormat>, scenario: &mut Scenario, notes: &mut Vec<Note>) {
    let adapter = name(reports, What::Adapter).map(str::to_ascii_lowercase);
    let has = |word: &str| adapter.as_deref().is_some_and(|adapter| adapter.contains(word));
    let bits = count(reports, What::QuantizationBits);
    // A checkpoint that is stored so is loaded so.
    let named = |words: &str| name(reports, What::Model).is_some_and(|name| name.to_ascii_lowercase().contains(words));
    let four = flag(reports, What::Load4bit) == Some(true) || has("qlora") || bits == Some(4) || named("bnb-4bit");
    let eight = flag(reports, What::Load8bit) == Some(true) || bits == Some(8);
    let adapts = has("lora") || four || eight || count(reports, What::LoraRank).is_some();
    scenario.mode = if four || eight {
        Mode::Qlora
    } else if adapts {
        Mode::Lora
    } else {
        Mode::Training
    };
    scenario.weights = match scenario.mode {
        Mode::Qlora if eight => WeightFormat::Int8,
        Mode::Qlora => stored.filter(|it| Mode::Qlora.takes(*it)).unwrap_or(WeightFormat::Nf4Dq),
        _ if flag(reports, What::Fp16) == Some(true) => WeightFormat::Fp16,
        _ => WeightFormat::Bf16,
    };
    if adapts {
        notes.push(Note::TargetsAssumed);
    }
    if let Some(rank) = count(reports, What::LoraRank) {
        scenario.training.lora.rank = rank.clamp(1, bounds::LORA_RANK.max);
    }
    let mixed = flag(reports, What::Bf16) == Some(true) || flag(reports, What::Fp16) == Some(true);
    if scenario.mode == Mode::Training {
        scenario.training.recipe = if mixed { Recipe::Autocast } else { scenario.training.recipe };
        if mixed {
            scenario.weights = WeightFormat::Fp32;
        }
        notes.push(Note::RecipeAssumed);
    }
    match count(reports, What::BatchSize) {
        Some(batch) => scenario.batch = batch.clamp(1, bounds::BATCH.max),
        None => notes.push(Note::Missing(What::BatchSize)),
    }
    match count(reports, What::SeqLength) {
        Some(length) => scenario.seq_length = length.clamp(1, bounds::SEQ_LENGTH.max),
        None => notes.push(Note::Missing(What::SeqLength)),
    }
    if let Some(steps) = count(reports, What::MicroBatches) {
        scenario.training.micro_batches = steps.clamp(1, bounds::MICRO_BATCHES.max);
    }
    scenario.checkpointing = match flag(reports, What::Checkpointing) {
        Some(true) => Checkpointing::Full,
        Some(false) => Checkpointing::None,
        None => scenario.mode.usual_checkpointing(scenario.training.implementation),
    };
    if let Some(optimizer) = name(reports, What::Optimizer).map(str::to_ascii_lowercase) {
        let (kind, kernel) = optimizer_of(&optimizer);
        (scenario.optimizer, scenario.training.step) = (kind.unwrap_or(scenario.optimizer), kernel);
    }
    if name(reports, What::Attention).is_some_and(|it| it == "eager") {
        scenario.attention = Attention::Eager;
    }
    if flag(reports, What::FusedLoss) == Some(true) {
        scenario.training.loss = Loss::Chunked;
    }
    scenario.training.compile = flag(reports, What::Compile) == Some(true);
    if let Some(stage) = count(reports, What::ZeroStage) {
        scenario.parallel.zero = match stage {
            1 => ZeroStage::Optimizer,
            2 => ZeroStage::Gradients,
            3 => ZeroStage::Weights,
            _ => ZeroStage::None,
        };
    }
}

/// Whether a report says something that only a training run has.
pub(super) fn trains(reports: &[&Report]) -> bool {
    reports.iter().any(|report| {
        matches!(report.kind, Kind::Trainer | Kind::Torchtitan | Kind::Megatron | Kind::Maxtext | Kind::MemoryReport)
            || report.facts.iter().any(|fact| matches!(fact.value, Value::Phase(phase) if phase.trains()))
    })
}
