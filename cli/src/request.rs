//! The scenario that the options describe, whatever is asked about it.

use std::ffi::OsString;

use memory_wall_core::architecture::Architecture;
use memory_wall_core::bounds;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::scenario::{Unsupported, sixteen_bits};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::tables::models::Model;
use memory_wall_core::{
    AdapterPrecision, Attention, Checked, Checkpointing, Engine, Gradients, Implementation, KvPrecision, LoraTargets,
    Loss, Mode, Offload, Optimizer, Parallelism, Recipe, Scenario, Serving, StepKernel, Training, WeightFormat,
    ZeroStage,
};

use crate::options::Given;
use crate::runtime::{self, Named, Runtime};
use crate::solve::Question;
use crate::{BadInput, idle, named, refusal, values};

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
    /// What a runtime is told that no scenario has a place for.
    pub(crate) runtime: Option<Runtime>,
    /// Powers of 1,000 or of 1,024.
    pub(crate) unit: ByteUnit,
    /// For programs.
    pub(crate) json: bool,
    /// Options that were given and change nothing.
    pub(crate) notes: Vec<String>,
}

/// A shape that every cut divides no worse than any model.
const STAND_IN: Architecture = Architecture::llama([1; 7]);

/// What others call the layers that carry an adapter.
const TARGET_ALIASES: [(&str, &str); 11] = [
    ("q_proj", "q"),
    ("query", "q"),
    ("k_proj", "k"),
    ("key", "k"),
    ("v_proj", "v"),
    ("value", "v"),
    ("o_proj", "o"),
    ("gate_proj", "mlp"),
    ("up_proj", "mlp"),
    ("down_proj", "mlp"),
    ("all-linear", "all"),
];

/// What others call the states that are offloaded.
const OFFLOAD_ALIASES: [(&str, &str); 5] = [
    ("weights", "parameters"),
    ("params", "parameters"),
    ("kv_cache", "kv"),
    ("cache", "kv"),
    ("optimizer_states", "optimizer"),
];

impl Request {
    /// Reads the options; `question` is what they are asked, if anything backwards.
    pub(crate) fn read(given: &Given, question: Option<Question>) -> Result<Self, BadInput> {
        Self::of(source(given, question)?, given, question)
    }

    /// Reads the options of which none is needed, since something else describes the scenario.
    pub(crate) fn stated(given: &Given) -> Result<Self, BadInput> {
        let source = if given.has("--model") || given.has("--config") { source(given, None)? } else { None };
        Self::of(source, given, None)
    }

    /// What the options say beside the model.
    pub(crate) const fn settings(&self) -> &Scenario {
        &self.settings
    }

    fn of(source: Option<Source>, given: &Given, question: Option<Question>) -> Result<Self, BadInput> {
        let mode = values::choice(given, "--mode", Mode::ALL, Mode::id)?.unwrap_or(Mode::Inference);
        let start = Scenario::new(STAND_IN);
        let gpu = gpu(given, question)?;
        let weights = values::choice(given, "--weights", WeightFormat::ALL, WeightFormat::id)?;
        // A GPU without bf16 keeps a 16-bit cache in fp16.
        let own = if sixteen_bits(None, gpu) == WeightFormat::Fp16 { KvPrecision::Fp16 } else { start.kv };
        let kv = values::choice(given, "--kv", KvPrecision::ALL, KvPrecision::id)?;
        let training = training(given, start.training)?;
        let mut settings = Scenario {
            mode,
            batch: values::count(given, "--batch", bounds::BATCH)?.unwrap_or(start.batch),
            seq_length: values::count(given, "--seq", bounds::SEQ_LENGTH)?.unwrap_or(start.seq_length),
            weights: weights.unwrap_or(mode.nearest(start.weights)),
            kv: kv.unwrap_or(own),
            optimizer: values::choice(given, "--optimizer", Optimizer::ALL, Optimizer::id)?.unwrap_or(start.optimizer),
            checkpointing: values::choice(given, "--checkpointing", Checkpointing::ALL, Checkpointing::id)?
                .unwrap_or(mode.usual_checkpointing(training.implementation)),
            attention: values::choice(given, "--attention", Attention::ALL, Attention::id)?.unwrap_or(start.attention),
            training,
            serving: serving(given, gpu, question)?,
            parallel: parallel(given)?,
            offload: offload(given)?,
            gpu,
            ..start
        };
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
        let runtime = Runtime::read(given, &settings, &mut notes)?;
        match question {
            // What is looked for starts from what is usual.
            Some(Question::Gpus) => {
                let Parallelism { cp, sequence_parallel, .. } = settings.parallel;
                settings.parallel = Parallelism { cp, sequence_parallel, ..Parallelism::ONE };
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

fn gpu(given: &Given, question: Option<Question>) -> Result<Option<&'static Gpu>, BadInput> {
    match (given.text("--gpu"), question) {
        (Some(id), _) => named::gpu("--gpu", &id).map(Some),
        (None, None | Some(Question::Gpu)) => Ok(None),
        (None, Some(question)) => Err(BadInput(format!(
            "a GPU is missing: solve --for {} needs --gpu ID (memory-wall gpus lists them)",
            question.id()
        ))),
    }
}

fn training(given: &Given, start: Training) -> Result<Training, BadInput> {
    let loss = values::choice(given, "--loss", Loss::ALL, Loss::id)?;
    let chunked = given.has("--chunked-loss");
    if let Some(loss) = loss.filter(|loss| chunked && *loss != Loss::Chunked) {
        return Err(BadInput(format!(
            "--chunked-loss and --loss {} contradict each other: one of them names the loss",
            loss.id()
        )));
    }
    let mut lora = start.lora;
    lora.rank = values::count(given, "--lora-rank", bounds::LORA_RANK)?.unwrap_or(lora.rank);
    lora.targets = targets(given)?.unwrap_or(lora.targets);
    lora.precision =
        values::choice(given, "--lora-dtype", AdapterPrecision::ALL, AdapterPrecision::id)?.unwrap_or(lora.precision);
    lora.dropout = given.has("--lora-dropout");
    lora.upcast = !given.has("--no-kbit-upcast");
    lora.experts = given.has("--quantised-experts");
    Ok(Training {
        recipe: values::choice(given, "--recipe", Recipe::ALL, Recipe::id)?.unwrap_or(start.recipe),
        gradients: values::choice(given, "--gradients", Gradients::ALL, Gradients::id)?.unwrap_or(start.gradients),
        step: values::choice(given, "--step", StepKernel::ALL, StepKernel::id)?.unwrap_or(start.step),
        implementation: values::choice(given, "--implementation", Implementation::ALL, Implementation::id)?
            .unwrap_or(start.implementation),
        loss: if chunked { Loss::Chunked } else { loss.unwrap_or(start.loss) },
        compile: given.has("--compile"),
        async_tp: given.has("--async-tp"),
        reshard_after_forward: !given.has("--no-reshard-after-forward"),
        micro_batches: values::count(given, "--micro-batches", bounds::MICRO_BATCHES)?.unwrap_or(start.micro_batches),
        lora,
        ..start
    })
}

fn targets(given: &Given) -> Result<Option<LoraTargets>, BadInput> {
    let words = ["q", "k", "v", "o", "mlp", "head", "attention", "all"];
    let Some(chosen) = values::list(given, "--lora-targets", &words, &TARGET_ALIASES)? else { return Ok(None) };
    let has = |word: &str| chosen.contains(&word);
    let all = has("all");
    let attention = all || has("attention");
    Ok(Some(LoraTargets {
        q: attention || has("q"),
        k: attention || has("k"),
        v: attention || has("v"),
        o: attention || has("o"),
        mlp: all || has("mlp"),
        head: has("head"),
    }))
}

fn serving(given: &Given, gpu: Option<&Gpu>, question: Option<Question>) -> Result<Serving, BadInput> {
    let start = Serving::DEFAULT;
    let sequences = values::count(given, "--max-num-seqs", bounds::MAX_NUM_SEQS)?;
    let tokens = values::count_in_vllm(given, "--max-num-batched-tokens", bounds::MAX_NUM_BATCHED_TOKENS)?;
    let serving = Serving {
        engine: runtime::named(given)?.map_or(start.engine, Named::engine),
        max_num_seqs: sequences.unwrap_or(start.max_num_seqs),
        max_num_batched_tokens: tokens.unwrap_or(start.max_num_batched_tokens),
        usual_seqs: sequences.is_none(),
        usual_batched_tokens: tokens.is_none(),
        enforce_eager: given.has("--enforce-eager"),
        utilization_percent: values::percent(given, "--gpu-memory-utilization")?,
        // The longest context that fits is the longest limit.
        max_model_len: values::count_in_vllm(given, "--max-model-len", bounds::MAX_MODEL_LEN)?
            .filter(|_| question != Some(Question::Context)),
        version: values::release(given, "--engine-version")?.unwrap_or(start.version),
    };
    Ok(gpu.map_or_else(|| serving.on_any(), |gpu| serving.on(gpu)))
}

fn parallel(given: &Given) -> Result<Parallelism, BadInput> {
    let ranks = |option, bounds| values::count(given, option, bounds).map(|ranks| ranks.unwrap_or(1));
    Ok(Parallelism {
        dp: ranks("--dp", bounds::DP)?,
        tp: ranks("--tp", bounds::TP)?,
        pp: ranks("--pp", bounds::PP)?,
        ep: ranks("--ep", bounds::EP)?,
        cp: ranks("--cp", bounds::CP)?,
        zero: values::choice(given, "--zero", ZeroStage::ALL, ZeroStage::id)?.unwrap_or(ZeroStage::None),
        shard: values::count(given, "--shard", bounds::DP)?,
        virtual_stages: ranks("--virtual-stages", bounds::VIRTUAL_STAGES)?,
        sequence_parallel: given.has("--sequence-parallel"),
        ..Parallelism::ONE
    })
}

fn offload(given: &Given) -> Result<Offload, BadInput> {
    let words = ["optimizer", "parameters", "kv"];
    let chosen = values::list(given, "--offload", &words, &OFFLOAD_ALIASES)?.unwrap_or_default();
    let has = |word: &str| chosen.contains(&word);
    Ok(Offload { optimizer: has("optimizer"), parameters: has("parameters"), kv_cache: has("kv") })
}
