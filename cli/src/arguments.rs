//! The command line: the commands, the options of each, and which was asked for.

use std::ffi::OsString;

use crate::BadInput;
use crate::options::{Given, Known};
use crate::request::Request;
use crate::roofline::Asked;
use crate::solve::Question;
use crate::suggest;
use crate::text::quote;

/// What is asked for.
#[derive(Debug)]
pub(crate) enum Command {
    /// How to use the program, or one of its commands.
    Help(Option<&'static str>),
    /// Its version.
    Version,
    /// The models it knows.
    Models {
        /// As JSON.
        json: bool,
    },
    /// The cards it knows.
    Gpus {
        /// As JSON.
        json: bool,
    },
    /// The memory of one scenario.
    Estimate(Box<Request>),
    /// A question asked backwards.
    Solve(Question, Box<Request>),
    /// What to do about a scenario that does not fit.
    Advise(Box<Request>),
    /// What holds an operation or a model back on a card.
    Roofline(Box<Asked>),
    /// The engine against measured runs.
    Accuracy {
        /// A folder with measured rows of one's own.
        data: Option<OsString>,
        /// Row by row.
        rows: bool,
        /// As JSON.
        json: bool,
    },
}

pub(crate) const COMMANDS: [&str; 8] =
    ["estimate", "solve", "advise", "roofline", "accuracy", "models", "gpus", "help"];

const JSON: Known = Known::switch("--json");

pub(crate) const MODEL: [Known; 2] = [
    Known::value("--model", "an id that memory-wall models lists"),
    Known::value("--config", "the path of a config.json, or - for standard input"),
];

pub(crate) const RUN: [Known; 6] = [
    Known::value("--mode", "inference, training, lora or qlora"),
    Known::value("--batch", "a whole number of sequences"),
    Known::value("--seq", "a whole number of tokens"),
    Known::value("--weights", "a weight format such as bf16 or int4"),
    Known::value("--attention", "flash or eager"),
    Known::value("--offload", "one or more of optimizer, parameters and kv, with commas between them"),
];

pub(crate) const SERVING: [Known; 6] = [
    Known::value("--kv", "a KV precision such as bf16 or fp8"),
    Known::value("--engine", "exact, hf, vllm or llamacpp"),
    Known::value("--max-model-len", "a whole number of tokens"),
    Known::value("--max-num-seqs", "a whole number of sequences"),
    Known::value("--max-num-batched-tokens", "a whole number of tokens"),
    Known::value("--gpu-memory-utilization", "percent of the card, such as 90 or 0.9"),
];

pub(crate) const TRAINING: [Known; 17] = [
    Known::value("--recipe", "a recipe such as mixed or pure"),
    Known::value("--gradients", "by-recipe, kept or freed"),
    Known::value("--optimizer", "an optimizer such as adamw"),
    Known::value("--step", "fused or foreach"),
    Known::value("--implementation", "transformers, megatron, torchtitan or litgpt"),
    Known::value("--checkpointing", "none, selective, per-op or full"),
    Known::value("--loss", "plain, chunked or compiled"),
    Known::switch("--chunked-loss"),
    Known::switch("--compile"),
    Known::switch("--async-tp"),
    Known::switch("--no-reshard-after-forward"),
    Known::value("--micro-batches", "a whole number of micro-batches"),
    Known::value("--lora-rank", "a whole number"),
    Known::value("--lora-targets", "all, attention, or some of q, k, v, o, mlp and head, with commas between them"),
    Known::value("--lora-dtype", "fp32 or bf16"),
    Known::switch("--lora-dropout"),
    Known::switch("--no-kbit-upcast"),
];

pub(crate) const CARDS: [Known; 10] = [
    Known::value("--gpu", "an id that memory-wall gpus lists"),
    Known::value("--dp", "a whole number of ranks"),
    Known::value("--tp", "a whole number of ranks"),
    Known::value("--pp", "a whole number of stages"),
    Known::value("--ep", "a whole number of ranks"),
    Known::value("--cp", "a whole number of ranks"),
    Known::value("--zero", "0, 1, 2 or 3"),
    Known::value("--shard", "a whole number of ranks"),
    Known::value("--virtual-stages", "a whole number of chunks"),
    Known::switch("--sequence-parallel"),
];

pub(crate) const OUTPUT: [Known; 2] = [Known::value("--unit", "gb or gib"), JSON];

pub(crate) const FOR: [Known; 1] = [Known::value("--for", "context, batch, gpus, gpu, model or weights")];

pub(crate) const ROOF: [Known; 7] = [
    Known::value("--precision", "a precision such as bf16 or fp8"),
    Known::value("--flops", "a number of FLOPs such as 1.5e12"),
    Known::value("--bytes", "a number of bytes such as 2e9"),
    Known::value("--gemm", "three whole numbers, M,N,K"),
    Known::value("--accounting", "reads-and-writes or reads-only"),
    Known::value("--kernels", "fused or separate"),
    Known::value("--efficiency", "a share such as 0.5, or two, of peak and bandwidth"),
];

pub(crate) const ACCURACY: [Known; 3] =
    [Known::value("--data", "the path of a folder with measured rows"), Known::switch("--rows"), JSON];

/// The options of a command.
pub(crate) fn options(command: &str) -> Vec<&'static [Known]> {
    let scenario: [&[Known]; 6] = [&MODEL, &RUN, &SERVING, &TRAINING, &CARDS, &OUTPUT];
    match command {
        "estimate" | "advise" => scenario.to_vec(),
        "roofline" => [&ROOF as &[Known]].into_iter().chain(scenario).collect(),
        "solve" => [&FOR as &[Known]].into_iter().chain(scenario).collect(),
        "accuracy" => vec![&ACCURACY],
        "models" | "gpus" => vec![&[JSON]],
        _ => Vec::new(),
    }
}

/// Reads the words behind the program's name.
pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Result<Command, BadInput> {
    let mut words = words.collect::<Vec<_>>().into_iter();
    let Some(word) = words.next().map(|word| word.to_string_lossy().into_owned()) else {
        return Err(BadInput(format!("a command is missing: {}", suggest::either(&COMMANDS))));
    };
    match word.as_str() {
        "help" | "--help" | "-h" => return help(words.next()),
        "--version" | "-V" => return Ok(Command::Version),
        _ => {}
    }
    let command = known(&word)?;
    if words.as_slice().iter().any(|word| word == "--help" || word == "-h") {
        return Ok(Command::Help(Some(command)));
    }
    let given = Given::read(command, &options(command), words)?;
    let json = given.has(JSON.name);
    Ok(match command {
        "models" => Command::Models { json },
        "gpus" => Command::Gpus { json },
        "accuracy" => Command::Accuracy { data: given.raw("--data").map(Into::into), rows: given.has("--rows"), json },
        "solve" => {
            let question = Question::read(&given)?;
            Command::Solve(question, Box::new(Request::read(&given, Some(question))?))
        }
        "roofline" => Command::Roofline(Box::new(Asked::read(&given)?)),
        "advise" => Command::Advise(Box::new(Request::read(&given, None)?)),
        _ => Command::Estimate(Box::new(Request::read(&given, None)?)),
    })
}

/// Help about everything, or about one command.
fn help(about: Option<OsString>) -> Result<Command, BadInput> {
    let Some(about) = about else { return Ok(Command::Help(None)) };
    let command = known(&about.to_string_lossy())?;
    Ok(Command::Help((command != "help").then_some(command)))
}

/// The command of this name, or what may have been meant.
fn known(word: &str) -> Result<&'static str, BadInput> {
    COMMANDS.into_iter().find(|command| *command == word).ok_or_else(|| {
        let meant = suggest::did_you_mean(&suggest::nearest(word, COMMANDS.into_iter()));
        BadInput(format!("there is no command {}{meant}; see memory-wall help", quote(word)))
    })
}
