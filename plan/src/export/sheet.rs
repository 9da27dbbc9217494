//! What is written of a plan for a program: settings with their origin, and what is left out.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use memory_wall_core::scenario::sixteen_bits;
use memory_wall_core::tables::models::Model;
use memory_wall_core::{Engine, Scenario, Share, WeightFormat};

use super::{Export, ExportError, Format, Line, Target, text};
use crate::hub;
use crate::option::{PlanOption, Scope};
use crate::plan::Plan;
use crate::table;
use crate::value::Value;

/// The most GPUs that one computer is taken to have.
const ON_ONE: u64 = 8;

/// A value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Datum {
    /// A switch of a command, without a value.
    Switch,
    /// A word that some formats put in quotes.
    Word(String),
    /// A number as it is written.
    Number(String),
    /// On or off.
    Bool(bool),
    /// Several words.
    List(Vec<String>),
    /// A word that the reader has to give, with a sentence that says what it is: a shell refuses the command until then.
    Asked(String),
}

/// The variable of a shell in which the reader names a checkpoint.
pub(super) const ASKED: &str = "QUANTISED_MODEL";
/// What a shell says where it is not set, before the model and between that and its format.
const ASKED_OF: &str = "the id or the folder of ";
const ASKED_IN: &str = " with ";

/// The model and the format that a command of an export asks for, read back from its variable.
pub(crate) fn asked_for(word: &str) -> Option<(&str, &str)> {
    let sentence = word.strip_prefix("${")?.strip_prefix(ASKED)?.strip_prefix(":?")?.strip_prefix(ASKED_OF)?;
    sentence.strip_suffix(" weights}")?.split_once(ASKED_IN)
}

impl From<u32> for Datum {
    fn from(number: u32) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<&str> for Datum {
    fn from(word: &str) -> Self {
        Self::Word(word.into())
    }
}

impl From<bool> for Datum {
    fn from(on: bool) -> Self {
        Self::Bool(on)
    }
}

impl Datum {
    /// A share of a GPU: `0.92`.
    pub(super) fn share(share: Share) -> Self {
        Self::Number(share.to_string())
    }

    /// As it is said in a sentence.
    pub(super) fn plain(&self) -> String {
        match self {
            Self::Switch => String::new(),
            Self::Word(text) | Self::Number(text) => text.clone(),
            Self::Bool(on) => on.to_string(),
            Self::List(items) => items.join(","),
            Self::Asked(_) => ASKED.into(),
        }
    }
}

/// A setting.
#[derive(Debug)]
pub(super) struct Setting {
    /// The option of a command, or a key with those above it.
    pub(super) place: &'static str,
    /// Its value.
    pub(super) value: Datum,
    /// Where it comes from.
    pub(super) from: String,
}

/// What is written so far.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    /// The plan.
    pub(super) plan: &'a Plan,
    /// Its scenario, run by the target.
    pub(super) scenario: &'a Scenario,
    target: Target,
    /// The beginning of a command.
    command: Vec<Datum>,
    /// What of the command's words comes from the plan.
    lines: Vec<Line>,
    settings: Vec<Setting>,
    left_out: Vec<String>,
    /// Options that the target follows without a setting.
    implied: Vec<String>,
    /// Options that something was said about.
    told: Vec<&'static str>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(plan: &'a Plan, scenario: &'a Scenario, target: Target) -> Self {
        let mut sheet = Self {
            plan,
            scenario,
            target,
            command: Vec::new(),
            lines: Vec::new(),
            settings: Vec::new(),
            left_out: Vec::new(),
            implied: Vec::new(),
            told: Vec::new(),
        };
        // Serving or training is what the target does; which adapters there are is not.
        if !scenario.mode.adapts() {
            sheet.implied("mode");
        }
        sheet
    }

    /// The words that the command begins with.
    pub(super) fn command(&mut self, words: &[&str]) {
        self.command.extend(words.iter().map(|word| Datum::from(*word)));
    }

    /// The launcher of PyTorch, on as many ranks as the plan has.
    pub(super) fn torchrun(&mut self) {
        let ranks = self.scenario.parallel.ranks();
        let started = if ranks <= ON_ONE { ranks.to_string() } else { "GPUS".into() };
        self.command(&["torchrun", "--nproc_per_node", &started]);
        if ranks > ON_ONE {
            self.command(&["--nnodes", "NODES"]);
            self.note(format!("{ranks} ranks: put computers in place of NODES and the GPUs of each in place of GPUS"));
        }
    }

    /// The words that the command begins with, and the model behind them.
    pub(super) fn command_with_model(&mut self, words: &[&str]) {
        self.command(words);
        let published = self.model();
        let from = self.origin(if self.says("config") { "config" } else { "model" });
        let model = self.checkpoint(published);
        self.lines.push(Line { place: model.plain(), value: String::new(), from });
        self.command.push(model);
    }

    /// The checkpoint that a server loads: the published one, or where that is stored in another format than the plan has, one that is in this format.
    fn checkpoint(&mut self, published: String) -> Datum {
        let weights = self.scenario.weights;
        let Some(model) = self.plan.model().filter(|model| hub::repository(model.id).is_some()) else {
            return Datum::Word(published);
        };
        let fits = match model.published() {
            Some(format) => format == weights,
            None => weights.is_plain() && weights.trainable() || self.target.quantises(weights),
        };
        if fits {
            return Datum::Word(published);
        }
        let (id, format) = (model.id, weights.id());
        let stored = hub::quantised(id, weights);
        let short = stored.and_then(hub::shorter).filter(|context| self.longest() > *context);
        let stretched = self.target == Target::Vllm;
        if let Some(context) = short {
            let from = format!(
                "YaRN, without which the repository in {format} takes {context} tokens; short texts may lose by it"
            );
            if stretched {
                self.because("--hf-overrides", hub::YARN, from);
            } else {
                self.note(format!("seq: its config.json needs {from}"));
            }
        }
        if let Some(repository) = stored.filter(|_| short.is_none() || stretched) {
            self.note(format!(
                "weights {format}: {repository} holds the model in this format, and {published} in another"
            ));
            return Datum::from(repository);
        }
        self.note(format!(
"model {id}: {published} is stored in another format than {format}, and would be loaded so; start this file with {ASKED}=ID, a repository or a folder with {format} weights"
        ));
        Datum::Asked(format!("{ASKED_OF}{id}{ASKED_IN}{format} weights"))
    }

    /// A setting that comes from options of the plan.
    pub(super) fn set(&mut self, place: &'static str, value: impl Into<Datum>, options: &[&'static str]) {
        let from: Vec<String> = options.iter().map(|option| self.origin(option)).collect();
        for option in options {
            self.told(option);
        }
        self.because(place, value, from.join("; "));
    }

    /// A setting that no option of the plan says by itself, with its reason.
    pub(super) fn because(&mut self, place: &'static str, value: impl Into<Datum>, from: impl Into<String>) {
        self.settings.push(Setting { place, value: value.into(), from: from.into() });
    }

    /// An option that needs no setting, since the target does so by itself.
    pub(super) fn implied(&mut self, option: &'static str) {
        if self.says(option) && !self.told.contains(&option) {
            self.implied.push(self.origin(option));
        }
        self.told(option);
    }

    /// Marks an option as one that something was said about.
    fn told(&mut self, option: &'static str) {
        if !self.told.contains(&option) {
            self.told.push(option);
        }
    }

    /// An option that the target has no setting for, if the plan says it.
    pub(super) fn leave(&mut self, option: &'static str, why: &str) {
        if self.plan.get(option).is_some() && !self.told.contains(&option) {
            let line = format!("{}: {why}", self.origin(option));
            self.left_out.push(line);
            self.told(option);
        }
    }

    /// The options of adapters, for a target that leaves them to the training code.
    pub(super) fn adapters(&mut self, why: &str) {
        for option in [
            "lora_rank",
            "lora_targets",
            "lora_dtype",
            "lora_dropout",
            "reentrant_checkpointing",
            "no_kbit_upcast",
            "quantised_experts",
        ] {
            self.leave(option, why);
        }
    }

    /// An error of the target.
    pub(super) const fn cannot(&self, what: &'static str) -> ExportError {
        ExportError::Cannot(self.target, what)
    }

    /// Something else to know.
    pub(super) fn note(&mut self, sentence: impl Into<String>) {
        self.left_out.push(sentence.into());
    }

    /// A number of ranks or the like, where it is more than one or the plan says it.
    pub(super) fn degree(&mut self, place: &'static str, degree: u32, option: &'static str) {
        if degree > 1 || self.says(option) {
            self.set(place, degree, &[option]);
        }
    }

    /// An option of the runtime's own, by its own name there, if the plan says it.
    pub(super) fn own(&mut self, place: &'static str, option: &'static str) -> bool {
        let datum = match self.plan.get(option) {
            None => return false,
            Some(Value::Count(count)) => Datum::from(*count),
            Some(Value::Percent(share)) => Datum::share(*share),
            Some(Value::On) => Datum::Switch,
            Some(value) => Datum::Word(value.to_string()),
        };
        self.set(place, datum, &[option]);
        true
    }

    /// How many requests a server may run at once: what the plan counts, or where it counts none what it allows vLLM.
    pub(super) fn at_once(&mut self, place: &'static str) {
        if self.says("max_num_seqs") && !self.says("batch") {
            self.set(place, self.scenario.serving.max_num_seqs, &["max_num_seqs"]);
        } else {
            self.set(place, self.scenario.batch, &["batch"]);
        }
    }

    /// Tokens of the longest request that the command allows.
    fn longest(&self) -> u32 {
        let own = ["context_length", "max_seq_len"].map(|option| match self.plan.get(option) {
            Some(Value::Count(tokens)) => *tokens,
            _ => 0,
        });
        own.into_iter().fold(self.scenario.longest_request(), u32::max)
    }

    /// Whether the plan says an option.
    pub(super) fn says(&self, option: &str) -> bool {
        self.plan.get(option).is_some()
    }

    /// An option with its value, and whether the plan says it.
    fn origin(&self, name: &str) -> String {
        let said = self.plan.get(name).cloned();
        let taken = || table::by_name(name).and_then(|option| option.of(self.scenario));
        match (said, taken()) {
            (Some(Value::On), _) => name.into(),
            (Some(value), _) => format!("{name} {value}"),
            (None, Some(value)) => format!("{name} {value}, the default"),
            (None, None) => format!("{name}, which is not said"),
        }
    }

    /// The model as the target names it, with what is to be said about it.
    pub(super) fn model(&mut self) -> String {
        let (name, note) = match (self.plan.get("model"), self.plan.get("config")) {
            (Some(Value::Word(id)), _) => match hub::repository(id) {
                Some(repository) => (String::from(repository), None),
                None => (
                    "MODEL".into(),
                    Some(format!(
                        "model {id}: no checkpoint of it is published; put the id or the folder of one in place of MODEL"
                    )),
                ),
            },
            (_, Some(Value::Path(path))) => {
                let folder =
                    path.strip_suffix("config.json").map(|folder| folder.strip_suffix(['/', '\\']).unwrap_or(folder));
                match folder {
                    Some(folder) => {
                        let folder = if folder.is_empty() { "." } else { folder };
                        let folder = if folder.starts_with('-') { format!("./{folder}") } else { folder.into() };
                        (folder, Some("config: the folder of that file is given as the model, and needs the weights beside it".into()))
                    }
                    None => {
                        ("MODEL".into(), Some("config: put the id or the folder of the model in place of MODEL".into()))
                    }
                }
            }
            _ => (
                "MODEL".into(),
                Some("the plan names no model: put the id or the folder of one in place of MODEL".into()),
            ),
        };
        self.left_out.extend(note);
        self.language_part();
        self.told("model");
        self.told("config");
        name
    }

    /// Whether training computes in fp16 where it computes in 16 bits: as its weights are, and beside wider or narrower ones where the GPU has no bf16.
    pub(super) fn half(&self) -> bool {
        let Scenario { weights, gpu, .. } = *self.scenario;
        let narrow = if weights == WeightFormat::Bf16 { weights } else { sixteen_bits(None, gpu) };
        [weights, narrow].contains(&WeightFormat::Fp16)
    }

    /// Whether the published weights are stored as the plan has them, in less than 16 bits.
    pub(super) fn as_published(&self) -> bool {
        self.plan.model().and_then(Model::published) == Some(self.scenario.weights)
    }

    /// The type of the weights, or how a server quantises them as it loads them; `stored` says what it does with other checkpoints.
    pub(super) fn weights(&mut self, stored: &str) {
        use WeightFormat::{Bf16, Fp8, Fp16, Fp32};
        match self.scenario.weights {
            _ if self.as_published() => self.implied("weights"),
            Fp32 => self.set("--dtype", "float32", &["weights"]),
            Fp16 => self.set("--dtype", "float16", &["weights"]),
            Bf16 => self.set("--dtype", "bfloat16", &["weights"]),
            Fp8 => {
                self.set("--quantization", "fp8", &["weights"]);
                self.note("weights fp8: a checkpoint in 16 bits is quantised as it is loaded; of one that is stored in fp8, leave --quantization out");
            }
            format => self.leave("weights", &format!("{stored}: the model has to be one in {}", format.label())),
        }
    }

    /// Says where the plan counts a part of a model alone.
    pub(super) fn language_part(&mut self) {
        if let Some(model) = self.plan.model().filter(|model| model.name.ends_with("(text)")) {
            self.note(format!(
                "model {}: the plan counts the language model; what sees or hears comes on top",
                model.id
            ));
        }
    }

    /// Says which runtime the plan is counted for, where that is another one.
    pub(super) fn counted_for(&mut self, own: &str) {
        match self.plan.get("engine").map(ToString::to_string) {
            Some(engine) if engine == own => self.implied("engine"),
            engine => self.note(format!(
                "engine {}: the plan is not counted as {} runs it; memory-wall estimate --engine {own} does that",
                engine.as_deref().unwrap_or(Engine::Exact.id()),
                self.target.label(),
            )),
        }
        self.told("engine");
    }

    /// The whole file.
    pub(super) fn finish(mut self) -> Export {
        if self.target.implementation() == Some(self.scenario.training.implementation) {
            self.implied("implementation");
        }
        self.leave("mode", "the training code puts adapters on the model (peft)");
        self.leave("gpu", "it runs on the GPUs of the machine that it is started on");
        let rest: Vec<&'static PlanOption> = self.plan.said().map(|(option, _)| option).collect();
        for option in rest {
            let why = match option.scope {
                Scope::Rollout if self.plan.generates(self.scenario) => self.in_trl(option.name).into(),
                _ => format!("{} has no setting for it", self.target.label()),
            };
            self.leave(option.name, &why);
        }
        if !self.implied.is_empty() {
            let implied = format!("{}: as {} does by itself", self.implied.join("; "), self.target.label());
            self.left_out.push(implied);
        }
        let title = self.title();
        let (mut lines, settings) = (self.lines, self.settings);
        lines.extend(settings.iter().map(|it| Line {
            place: it.place.into(),
            value: it.value.plain(),
            from: it.from.clone(),
        }));
        let head = text::Head { title: &title, lines: &lines, left_out: &self.left_out };
        let text = match self.target.format() {
            Format::Shell => text::shell(&head, &self.command, &settings),
            Format::Environment => text::environment(&head, &self.command, &settings),
            Format::Yaml => text::yaml(&head, &settings),
            Format::Json => text::json(&settings),
        };
        Export { target: self.target, text, lines, left_out: self.left_out }
    }

    /// Where TRL has what a plan says of learning from what is generated.
    fn in_trl(&self, option: &str) -> &'static str {
        match (option, self.plan.get(option)) {
            ("rl", _) => "it is what TRL's GRPOTrainer does, which the training code makes",
            ("reference", Some(Value::Word("none"))) => "TRL's setting is beta, which is 0 then",
            ("reference", Some(Value::Word("resident"))) => "TRL's setting is beta, any value above 0",
            ("reference", _) => "TRL has no setting for it",
            _ => "the training code is TRL's, whose GRPOConfig has it",
        }
    }

    /// The first comment.
    fn title(&self) -> String {
        let name = if self.plan.name.is_empty() { String::new() } else { format!(" \"{}\"", self.plan.name) };
        format!("The plan{name} for {}, written by memory-wall.", self.target.label())
    }
}
