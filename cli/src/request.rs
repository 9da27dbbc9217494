//! The scenario that the options describe, whatever is asked about it.

use std::ffi::{OsStr, OsString};

use memory_wall_core::architecture::Architecture;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::scenario::{Unsupported, sixteen_bits};
use memory_wall_core::tables::drafts::Draft;
use memory_wall_core::tables::gpus::{Gpu, OWN};
use memory_wall_core::tables::models::Model;
use memory_wall_core::{
    Checked, Engine, KvPrecision, Loss, Mode, Parallelism, Scenario, Speculation, WeightFormat, ZeroStage,
};
use memory_wall_plan::OPTIONS;
use memory_wall_plan::runtime::Runtime;
use memory_wall_plan::runtime::rollout::CHECKPOINTING;

use crate::options::Given;
use crate::solve::Question;
use crate::text::quote;
use crate::{BadInput, config_file, formats, idle, named, refusal, runtime, values};

/// Where the model comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// The table.
    Preset(&'static Model),
    /// A `config.json`; `-` is standard input.
    Config(OsString),
}

/// The options of a scenario, each checked by itself.
#[derive(Debug)]
pub(crate) struct Request {
    /// The model; `None` only where the largest model is looked for and none is named.
    pub(crate) source: Option<Source>,
    /// Everything but the model, whose shape is [`STAND_IN`] until [`Request::scenario`].
    settings: Scenario,
    /// Whether `--seq` was given: the default depends on the model.
    pub(crate) seq_given: bool,
    /// The cache's format where `--kv` names it.
    kv: Option<KvPrecision>,
    /// Whether `--weights` was given.
    pub(crate) weights_given: bool,
    /// Settings of a runtime that are not in the scenario.
    pub(crate) runtime: Option<Runtime>,
    /// Powers of 1,000 or of 1,024.
    pub(crate) unit: ByteUnit,
    /// For programs.
    pub(crate) json: bool,
    /// Options that were given and change nothing.
    pub(crate) notes: Vec<String>,
}

/// A shape that every cut divides no worse than any model, and whose matrices are whole groups of any quantisation.
const STAND_IN: Architecture = Architecture::llama([1, 128, 1, 1, 128, 128, 1]);

impl Request {
    /// Reads the options; `question` is what they are asked, if anything backwards.
    pub(crate) fn read(given: &Given, question: Option<Question>) -> Result<Self, BadInput> {
        Self::of(source(given, question)?, given, question)
    }

    /// Reads the options of which none is needed, since something else describes the scenario.
    pub(crate) fn stated(given: &Given) -> Result<Self, BadInput> {
        if given.text("--gpu").is_some_and(|id| is_own(&id)) {
            return Err(BadInput::new(
                "--gpu own: a report is compared with GPUs of the table, which memory-wall gpus lists",
            ));
        }
        let source = if given.has("--model") || given.has("--config") { source(given, None)? } else { None };
        Self::of(source, given, None)
    }

    /// What the options say beside the model.
    pub(crate) const fn settings(&self) -> &Scenario {
        &self.settings
    }

    fn of(source: Option<Source>, given: &Given, question: Option<Question>) -> Result<Self, BadInput> {
        let start = Scenario::new(STAND_IN);
        let mut settings = start;
        settings.gpu = gpu(given, question)?;
        for option in OPTIONS {
            if let Some(value) = values::typed(given, option)? {
                option.set(&mut settings, &value);
            }
        }
        if let Some(path) = given.raw("--draft-config") {
            settings.draft = Some(draft(given, path, settings.serving.speculation)?);
        }
        if given.has("--chunked-loss") {
            settings.training.loss = chunked(given, settings.training.loss)?;
        }
        let gpu = settings.gpu;
        let (mode, kv) = (settings.mode, given.has("--kv").then_some(settings.kv));
        let weights = given.has("--weights").then_some(settings.weights);
        if weights.is_none() {
            settings.weights = mode.nearest(start.weights);
        }
        // A GPU without bf16 keeps a 16-bit cache in fp16.
        if kv.is_none() && sixteen_bits(None, gpu) == WeightFormat::Fp16 {
            settings.kv = KvPrecision::Fp16;
        }
        if !given.has("--checkpointing") {
            settings.checkpointing = mode.usual_checkpointing(settings.training.implementation);
        }
        // The longest context that fits is the longest limit.
        settings.serving.max_model_len = settings.serving.max_model_len.filter(|_| question != Some(Question::Context));
        settings.serving = gpu.map_or_else(|| settings.serving.on_any(), |gpu| settings.serving.on(gpu));
        if !given.has("--recipe") {
            settings.training.recipe = settings.usual_recipe();
        }
        let json = given.has("--json");
        let unit = values::choice(given, "--unit", &ByteUnit::EACH, ByteUnit::id)?.unwrap_or_default();
        let mut notes = idle::notes(given, &settings, question);
        let (asked_gpu, asked_model) = (given.text("--gpu"), given.text("--model"));
        let preset = match &source {
            Some(Source::Preset(model)) => Some(*model),
            _ => None,
        };
        notes.extend(named::notes(asked_gpu.as_deref().zip(gpu), asked_model.as_deref().zip(preset)));
        notes.extend(given.text("--weights").as_deref().and_then(formats::note));
        let runtime = runtime::read(given, &settings, &mut notes)?;
        if matches!(runtime, Some(Runtime::Rollout(_))) && !given.has("--checkpointing") {
            settings.checkpointing = CHECKPOINTING;
        }
        match question {
            // What is looked for starts from what is usual.
            Some(Question::Gpus) => {
                let Parallelism { cp, sequence_parallel, .. } = settings.parallel;
                let zero = if idle::by_its_own_fsdp(&settings) { settings.parallel.zero } else { ZeroStage::None };
                settings.parallel = Parallelism { cp, sequence_parallel, zero, ..Parallelism::ONE };
            }
            Some(Question::Weights) => settings.weights = mode.nearest(start.weights),
            _ => {}
        }
        if let Some(gpu) = gpu.filter(|_| weights.is_none() || question == Some(Question::Weights)) {
            settings = settings.on(gpu);
        }
        Ok(Self {
            source,
            settings,
            seq_given: given.has("--seq"),
            kv,
            weights_given: weights.is_some(),
            runtime,
            unit,
            json,
            notes,
        })
    }

    /// The scenario of a model, if its parts go together.
    pub(crate) fn scenario(
        &self,
        architecture: Architecture,
        stored: Option<WeightFormat>,
    ) -> Result<Checked, BadInput> {
        // A model with learned positions cannot go beyond them, and under vLLM none goes beyond what it was made for: nor does the default.
        let learned = architecture.end_of_table();
        let served = self.settings.runtime() == Some(Engine::Vllm);
        let most = [learned, architecture.trained_context.filter(|_| served)].into_iter().flatten().min();
        let most = most.filter(|_| !self.seq_given).unwrap_or(u32::MAX);
        let seq_length = self.settings.seq_length.min(most);
        if let Some(end) = learned.filter(|end| *end < seq_length) {
            return Err(BadInput::new(format!("--seq {seq_length}: {}", Unsupported::BeyondTable { seq_length, end })));
        }
        // How the checkpoint is stored is how it is served, or frozen, unless something else was asked for.
        let weights = match (stored, self.settings.mode) {
            (Some(stored), Mode::Inference) if !self.weights_given && self.settings.serving.engine.loads(stored) => {
                stored
            }
            (Some(stored), mode @ Mode::Qlora) if !self.weights_given && mode.takes(stored) => stored,
            _ => self.settings.weights,
        };
        let mut scenario = Scenario { architecture, seq_length, weights, ..self.settings };
        if let Some(Runtime::Pool(..)) = self.runtime {
            // Its expert-parallel ranks are tensor-parallel ones, and what a rank holds is the same with whole experts and with parts of all.
            scenario.parallel.ep = 1;
        }
        // vLLM takes bf16 by itself for a model that it refuses to run in fp16, however its files are stored.
        if !self.weights_given && scenario.weights == WeightFormat::Fp16 && !scenario.has_fp16() {
            scenario.weights = WeightFormat::Bf16;
        }
        if let Some(gpu) = scenario.gpu.filter(|_| !self.weights_given) {
            scenario = scenario.on(gpu);
        }
        // Unless it is told otherwise, vLLM caches in the precision in which it computes.
        if served && self.kv.is_none() && scenario.weights == WeightFormat::Fp32 {
            scenario.kv = KvPrecision::Fp32;
        }
        scenario.check().map_err(|error| refusal::of(&scenario, &error))
    }

    /// Uses these weights, as if `--weights` had named them.
    pub(crate) fn use_weights(&mut self, weights: WeightFormat) {
        (self.settings.weights, self.weights_given) = (weights, true);
    }

    /// The scenario without its model; only the parts that do not depend on one are checked.
    pub(crate) fn without_model(&self) -> Result<Scenario, BadInput> {
        let alone = Scenario { parallel: Parallelism::ONE, ..self.settings };
        alone.check().map_err(|error| refusal::of(&alone, &error))?;
        Ok(self.settings)
    }
}

fn source(given: &Given, question: Option<Question>) -> Result<Option<Source>, BadInput> {
    Ok(match (given.text("--model"), given.raw("--config")) {
        (Some(_), Some(_)) => {
            return Err(BadInput::new("--model and --config are both given: one of them names the model"));
        }
        (None, None) if question == Some(Question::Model) => None,
        (None, None) => {
            return Err(BadInput::new(
                "a model is missing: --model ID (memory-wall models lists them), --config FILE or --plan FILE",
            ));
        }
        (Some(id), None) => Some(Source::Preset(named::model(&id)?)),
        (None, Some(path)) => Some(Source::Config(path.to_owned())),
    })
}

/// Whether a GPU is called as the reader's own.
pub(crate) fn is_own(id: &str) -> bool {
    id.trim().eq_ignore_ascii_case(OWN.id)
}

fn gpu(given: &Given, question: Option<Question>) -> Result<Option<&'static Gpu>, BadInput> {
    match (given.text("--gpu"), question) {
        (Some(id), _) if is_own(&id) => Ok(Some(&OWN)),
        (Some(id), _) => named::gpu("--gpu", &id).map(Some),
        (None, None | Some(Question::Gpu)) => Ok(None),
        (None, Some(question)) => Err(BadInput(format!(
            "a GPU is missing: solve --for {} needs --gpu ID (memory-wall gpus lists them)",
            question.id()
        ))),
    }
}

/// The head or the model of a file, which `--draft` must not name too.
fn draft(given: &Given, path: &OsStr, method: Speculation) -> Result<Draft, BadInput> {
    if given.has("--draft") {
        return Err(BadInput::new("--draft and --draft-config are both given: one of them names what guesses ahead"));
    }
    let config = config_file::read("--draft-config", path)?.config;
    let draft = config.draft(method != Speculation::DraftModel);
    draft.map_err(|error| BadInput(format!("--draft-config {}: {error}", quote(&path.to_string_lossy()))))
}

/// The loss that `--chunked-loss` names, which `--loss` must not contradict.
fn chunked(given: &Given, loss: Loss) -> Result<Loss, BadInput> {
    if given.has("--loss") && loss != Loss::Chunked {
        return Err(BadInput(format!(
            "--chunked-loss and --loss {} contradict each other: one of them names the loss",
            loss.id()
        )));
    }
    Ok(Loss::Chunked)
}
