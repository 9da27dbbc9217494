//! Commands and config files of other programs, read as plans: line by line, what was understood and what was not.

mod accelerate;
mod axolotl;
mod deepspeed;
mod llama_server;
mod reading;
mod sglang;
mod training_arguments;
mod trtllm;
mod vllm;
mod words;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::export::Target;
use crate::json::{self, Unreadable};
use crate::node::Node;
use crate::plan::Plan;
use crate::value::Value;
use crate::yaml;
use reading::Reading;
use words::Command;

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Whose command or file it is.
    pub source: Target,
    /// The plan; it has a model where the text names one of the table.
    pub plan: Plan,
    /// Every setting of the text, in its order.
    pub settings: Vec<Setting>,
}

impl Import {
    /// The settings that are not in the plan, and may change what it needs.
    pub fn not_understood(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter().filter(|setting| matches!(setting.meaning, Meaning::Unread(_)))
    }

    /// The settings that a reader should know about: those that are not understood, and those that were read in a way that needs a sentence.
    pub fn to_be_known(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter().filter(|setting| matches!(setting.meaning, Meaning::Unread(_) | Meaning::Says(_, Some(_))))
    }
}

/// A setting of a command or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The line of the text, from 1 on.
    pub line: u32,
    /// What stands there, shortened: `--tensor-parallel-size 2`.
    pub said: String,
    /// What it means.
    pub meaning: Meaning,
}

/// What a setting means for a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It says these options; the sentence says how, where that needs one.
    Says(Vec<(&'static str, Value)>, Option<&'static str>),
    /// It changes nothing that is counted.
    WithoutEffect,
    /// It is not understood, or no option of a plan says it: why.
    Unread(String),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: ", self.line, self.said)?;
        match &self.meaning {
            Meaning::Says(options, note) => {
                for (place, (option, value)) in options.iter().enumerate() {
                    write!(f, "{}{option} {value}", if place == 0 { "" } else { ", " })?;
                }
                note.map_or(Ok(()), |note| write!(f, " ({note})"))
            }
            Meaning::WithoutEffect => f.write_str("changes nothing that is counted"),
            Meaning::Unread(why) => write!(f, "not understood: {why}"),
        }
    }
}

/// Reads a command or a config file: `vllm serve`, `llama-server`, the servers of `SGLang` and TensorRT-LLM, the files of DeepSpeed, accelerate, axolotl and `TrainingArguments`.
///
/// # Errors
/// The text is none of these, or broken, with its line.
///
/// # Example
/// ```
/// let import = memory_wall_plan::import::import("vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 2 --max-model-len 32k").unwrap();
/// assert_eq!(import.plan.get("tp").unwrap().to_string(), "2");
/// assert_eq!(import.plan.get("max_model_len").unwrap().to_string(), "32000");
/// ```
pub fn import(text: &str) -> Result<Import, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with(['{', '[']) {
        return file(&json::read(text)?);
    }
    // A command has a program's name in it, which no file of the others has at such a place.
    match words::commands(text) {
        Ok(commands) if commands.iter().any(is_known) => Ok(of_command(&commands)),
        found => match yaml::read(text) {
            Ok(node) if !node.value.entries().is_empty() => file(&node),
            other => Err(found.err().or(other.err()).unwrap_or_else(unknown)),
        },
    }
}

/// Whether a command is one that is read.
fn is_known(command: &Command) -> bool {
    program(command).is_some()
}

/// The program of a command, and how many of its words name it.
fn program(command: &Command) -> Option<(Target, usize)> {
    vllm::named(command)
        .map(|words| (Target::Vllm, words))
        .or_else(|| sglang::named(command).map(|words| (Target::Sglang, words)))
        .or_else(|| trtllm::named(command).map(|words| (Target::TrtllmServe, words)))
        .or_else(|| llama_server::named(command).map(|words| (Target::LlamaServer, words)))
}

fn of_command(commands: &[Command]) -> Import {
    let mut reading = Reading::default();
    let mut source = Target::Vllm;
    for command in commands {
        let Some((target, named)) = program(command) else { continue };
        source = target;
        let arguments = command.words.get(named..).unwrap_or_default();
        match target {
            Target::Sglang => sglang::read(&mut reading, arguments),
            Target::TrtllmServe => trtllm::read(&mut reading, arguments),
            Target::LlamaServer => llama_server::read(&mut reading, arguments),
            _ => {
                vllm::read(&mut reading, arguments);
                if let Some(image) = command.words.get(..named).and_then(<[_]>::last) {
                    vllm::release(&mut reading, image);
                }
            }
        }
        // One server is one plan.
        break;
    }
    reading.finish(source)
}

/// A file by the names in it.
fn file(node: &Node) -> Result<Import, Unreadable> {
    let has = |names: &[&str]| names.iter().any(|name| node.value.get(name).is_some());
    let mut reading = Reading::default();
    let source = if has(&["version"]) && has(&["model", "config", "mode"]) {
        return Err(Unreadable { line: node.line, what: "this is a plan already: --plan reads it".into() });
    } else if has(&["architectures", "model_type"]) && !has(&["base_model"]) {
        // axolotl names the class of its base model as model_type.
        return Err(Unreadable { line: node.line, what: "this is a model's config.json: --config reads it".into() });
    } else if has(&["zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size"]) {
        deepspeed::read(&mut reading, node);
        Target::DeepSpeed
    } else if has(&["distributed_type", "compute_environment"]) {
        accelerate::read(&mut reading, node);
        Target::Accelerate
    } else if has(&["base_model", "sequence_len", "micro_batch_size"]) {
        axolotl::read(&mut reading, node);
        Target::Axolotl
    } else if has(&["per_device_train_batch_size", "gradient_accumulation_steps", "output_dir", "optim"]) {
        training_arguments::read(&mut reading, node);
        Target::TrainingArguments
    } else {
        return Err(unknown());
    };
    Ok(reading.finish(source))
}

fn unknown() -> Unreadable {
    Unreadable {
        line: 1,
        what: "this is no command or file that is read: vllm serve, llama-server, SGLang's server, trtllm-serve, DeepSpeed's JSON, accelerate's YAML, axolotl's YAML and TrainingArguments as JSON are".into(),
    }
}
