//! Plans written as commands and config files of other programs.
//!
//! Every line of an export names the option of the plan that it comes from. What a program has no setting for is listed apart, so nothing of a plan is left
//! out without a word: its `sheet` keeps count of it.

mod accelerate;
mod axolotl;
mod deepspeed;
mod llama_server;
mod megatron;
mod ollama;
mod sglang;
mod sheet;
mod text;
mod torchtitan;
mod training_arguments;
mod trtllm;
mod vllm;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use memory_wall_core::scenario::ScenarioError;
use memory_wall_core::{Architecture, Engine, Implementation, Mode, Scenario, WeightFormat, choices};

use crate::plan::Plan;
use sheet::Sheet;

pub(crate) use sheet::asked_for;

choices! {
    /// A program, and what is written for it.
    Target {
        /// The command `vllm serve`.
        Vllm = "vllm";
        /// The command that starts SGLang's server.
        Sglang = "sglang";
        /// The command `trtllm-serve`.
        TrtllmServe = "trtllm-serve";
        /// The command `llama-server` of llama.cpp.
        LlamaServer = "llama-server";
        /// The command `ollama serve` with its environment.
        Ollama = "ollama";
        /// The YAML file of accelerate, with FSDP.
        Accelerate = "accelerate";
        /// The JSON file of DeepSpeed.
        DeepSpeed = "deepspeed";
        /// The JSON file of transformers' `TrainingArguments`.
        TrainingArguments = "training-arguments";
        /// The YAML file of axolotl.
        Axolotl = "axolotl";
        /// The command that starts torchtitan.
        Torchtitan = "torchtitan";
        /// The command that starts Megatron-LM.
        Megatron = "megatron";
    }
}

/// What the text of an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A shell script with one command.
    Shell,
    /// The same, whose settings are variables of the environment.
    Environment,
    /// YAML.
    Yaml,
    /// JSON, which has no comments.
    Json,
}

impl Target {
    /// Its name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::TrtllmServe => "TensorRT-LLM",
            Self::LlamaServer => "llama.cpp",
            Self::Ollama => "Ollama",
            Self::Accelerate => "accelerate",
            Self::DeepSpeed => "DeepSpeed",
            Self::TrainingArguments => "transformers",
            Self::Axolotl => "axolotl",
            Self::Torchtitan => "torchtitan",
            Self::Megatron => "Megatron-LM",
        }
    }

    /// The name of the file.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Vllm => "vllm-serve.sh",
            Self::Sglang => "sglang-serve.sh",
            Self::TrtllmServe => "trtllm-serve.sh",
            Self::LlamaServer => "llama-server.sh",
            Self::Ollama => "ollama-serve.sh",
            Self::Accelerate => "accelerate.yaml",
            Self::DeepSpeed => "deepspeed.json",
            Self::TrainingArguments => "training_arguments.json",
            Self::Axolotl => "axolotl.yaml",
            Self::Torchtitan => "torchtitan.sh",
            Self::Megatron => "megatron.sh",
        }
    }

    /// What its text is.
    pub const fn format(self) -> Format {
        match self {
            Self::Vllm | Self::Sglang | Self::TrtllmServe | Self::LlamaServer | Self::Torchtitan | Self::Megatron => {
                Format::Shell
            }
            Self::Ollama => Format::Environment,
            Self::Accelerate | Self::Axolotl => Format::Yaml,
            Self::DeepSpeed | Self::TrainingArguments => Format::Json,
        }
    }

    /// Whether its file goes to any script that trains, as TRL's.
    const fn serves_any_script(self) -> bool {
        matches!(self, Self::Accelerate | Self::DeepSpeed | Self::TrainingArguments)
    }

    /// Whether it trains; otherwise it serves.
    pub const fn trains(self) -> bool {
        self.implementation().is_some()
    }

    /// The runtime of the engine that it is, if it is one.
    const fn engine(self) -> Option<Engine> {
        match self {
            Self::Vllm => Some(Engine::Vllm),
            Self::LlamaServer | Self::Ollama => Some(Engine::LlamaCpp),
            _ => None,
        }
    }

    /// The training code of the engine that it runs, if it trains.
    const fn implementation(self) -> Option<Implementation> {
        match self {
            Self::Accelerate | Self::DeepSpeed | Self::TrainingArguments | Self::Axolotl => {
                Some(Implementation::Transformers)
            }
            Self::Torchtitan => Some(Implementation::Torchtitan),
            Self::Megatron => Some(Implementation::Megatron),
            Self::Vllm | Self::Sglang | Self::TrtllmServe | Self::LlamaServer | Self::Ollama => None,
        }
    }

    /// The scenario of a plan as the program runs it, not checked yet: what the plan leaves open is what is usual there.
    #[must_use]
    pub fn runs(self, plan: &Plan, scenario: &Scenario) -> Scenario {
        let mut there = *scenario;
        there.serving.engine = self.engine().unwrap_or(there.serving.engine);
        there.training.implementation = self.implementation().unwrap_or(there.training.implementation);
        if plan.get("recipe").is_none() {
            there.training.recipe = there.usual_recipe();
        }
        there
    }

    /// Whether the program spreads the experts of this scenario over its tensor-parallel ranks, so that they are no ranks of their own.
    ///
    /// # Source
    /// `SGLang` 0.5.23, `srt/server_args.py`: `ep_size` divides `tp_size`. TensorRT-LLM, `tensorrt_llm/mapping.py`: `moe_tp_size` × `moe_ep_size` are `tp_size`. Read 2026-11-26.
    pub(crate) fn experts_within(self, scenario: &Scenario) -> bool {
        let cut = &scenario.parallel;
        let divides = |count: u32| count.checked_rem(cut.ep) == Some(0);
        let experts = scenario.architecture.moe.map(|moe| moe.experts);
        matches!(self, Self::Sglang | Self::TrtllmServe)
            && cut.ep > 1
            && cut.dp == 1
            && divides(cut.tp)
            && experts.is_some_and(divides)
    }

    /// Whether the program brings a checkpoint in 16 bits to a format as it loads it, told so in the command.
    pub(crate) const fn quantises(self, weights: WeightFormat) -> bool {
        match self {
            Self::Vllm => matches!(weights, WeightFormat::Fp8 | WeightFormat::Nf4),
            Self::Sglang => matches!(weights, WeightFormat::Fp8),
            _ => false,
        }
    }

    /// The targets that a mode has.
    pub fn of(mode: Mode) -> impl Iterator<Item = Self> {
        Self::EACH.into_iter().filter(move |target| target.trains() == mode.trains())
    }
}

/// A plan as another program takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The program.
    pub target: Target,
    /// The file's text; where its format has comments, they say what [`Export::lines`] and [`Export::left_out`] say.
    pub text: String,
    /// What was written, and which option of the plan it comes from.
    pub lines: Vec<Line>,
    /// What the program has no setting for, and what else is to be known, a sentence each.
    pub left_out: Vec<String>,
}

impl Export {
    /// What a file without comments cannot say: where each value comes from, and what is left out.
    pub fn notes(&self) -> impl Iterator<Item = String> + '_ {
        let lines = self.lines.iter().map(|line| alloc::format!("{line}"));
        lines.chain(self.left_out.iter().map(|left| alloc::format!("not written: {left}")))
    }
}

/// One setting of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The setting: an option of the command, or a key with those above it, `zero_optimization.stage`.
    pub place: String,
    /// Its value; empty for a switch of a command.
    pub value: String,
    /// What of the plan it comes from.
    pub from: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.value.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}: {}", self.place, self.value, self.from)
    }
}

/// Why a plan cannot be written for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// The plan names no model of the table; [`export_of`] takes the shape of another one.
    NoModel,
    /// The plan trains and the program serves, or the other way round.
    Mode(Target, Mode),
    /// The plan cannot run, in the engine's words.
    Refused(Target, ScenarioError),
    /// The program has no word for what the plan asks for, and would do something else without it.
    Cannot(Target, &'static str),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModel => f.write_str("the plan names no model, by whose layers everything is counted and written: say one (model, or config)"),
            Self::Mode(target, mode) => {
                let (does, plan) = if target.trains() { ("trains", "serves") } else { ("serves", "trains") };
                write!(
                    f,
                    "{} {does} a model, and the plan {plan} one (mode {}): a target for it is",
                    target.label(),
                    mode.id()
                )?;
                for (place, other) in Target::of(*mode).enumerate() {
                    write!(f, "{} {}", if place == 0 { "" } else { "," }, other.id())?;
                }
                Ok(())
            }
            Self::Refused(target, error) => {
                let (said, label) = (alloc::format!("{error}"), target.label());
                // A sentence that names the program needs no other word for it.
                if said.starts_with(label) { f.write_str(&said) } else { write!(f, "for {label}: {said}") }
            }
            Self::Cannot(target, what) => write!(f, "{} {what}", target.label()),
        }
    }
}

impl core::error::Error for ExportError {}

/// A plan as another program takes it; its model has to be one of the table.
///
/// # Errors
/// The plan cannot run, not there, or not as the program would understand it.
///
/// # Example
/// ```
/// use memory_wall_plan::export::{Target, export};
/// use memory_wall_plan::file;
/// let plans = file::read("{ \"version\": 1, \"model\": \"llama-3.1-8b\", \"engine\": \"vllm\", \"tp\": 2 }").unwrap();
/// let export = export(&plans[0], Target::Vllm).unwrap();
/// assert!(export.text.contains("vllm serve meta-llama/Llama-3.1-8B \\\n"));
/// assert!(export.text.contains("--tensor-parallel-size 2"));
/// ```
pub fn export(plan: &Plan, target: Target) -> Result<Export, ExportError> {
    let scenario = plan.scenario().ok_or(ExportError::NoModel)?;
    written(plan, &scenario, target)
}

/// The same for a plan whose model is in a file: its shape is `architecture`.
///
/// # Errors
/// As [`export`].
pub fn export_of(plan: &Plan, architecture: Architecture, target: Target) -> Result<Export, ExportError> {
    written(plan, &plan.scenario_of(architecture), target)
}

fn written(plan: &Plan, scenario: &Scenario, target: Target) -> Result<Export, ExportError> {
    if scenario.mode.trains() != target.trains() {
        return Err(ExportError::Mode(target, scenario.mode));
    }
    let there = target.runs(plan, scenario);
    let mut counted = there;
    if target.experts_within(&there) {
        counted.parallel.ep = 1;
    }
    counted.check().map_err(|error| ExportError::Refused(target, error))?;
    if plan.generates(scenario) && !target.serves_any_script() {
        return Err(ExportError::Cannot(
            target,
            "would train on texts: with rl grpo the script is TRL's, which takes the files of accelerate, deepspeed and training-arguments",
        ));
    }
    let mut sheet = Sheet::new(plan, &there, target);
    match target {
        Target::Vllm => vllm::write(&mut sheet),
        Target::Sglang => sglang::write(&mut sheet)?,
        Target::TrtllmServe => trtllm::write(&mut sheet),
        Target::LlamaServer => llama_server::write(&mut sheet),
        Target::Ollama => ollama::write(&mut sheet)?,
        Target::Accelerate => accelerate::write(&mut sheet)?,
        Target::DeepSpeed => deepspeed::write(&mut sheet)?,
        Target::TrainingArguments => training_arguments::write(&mut sheet),
        Target::Axolotl => axolotl::write(&mut sheet)?,
        Target::Torchtitan => torchtitan::write(&mut sheet),
        Target::Megatron => megatron::write(&mut sheet)?,
    }
    Ok(sheet.finish())
}
