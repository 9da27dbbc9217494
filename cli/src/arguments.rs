//! The command line: which command, and every option checked before anything is computed.

use std::ffi::OsString;

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::tables::gpus::{self, GPUS, Gpu};
use memory_wall_core::tables::models::{self, MODELS, Model};
use memory_wall_core::{Attention, Checkpointing, KvPrecision, Mode, Optimizer, WeightFormat};

use crate::BadInput;
use crate::options::{Given, Known};
use crate::suggest;
use crate::text::{QUOTED, quote, shortened};

/// What is asked for.
#[derive(Debug)]
pub(crate) enum Command {
    /// How to use the program.
    Help,
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
}

/// Where the model comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// The table.
    Preset(&'static Model),
    /// A `config.json`; `-` is standard input.
    Config(OsString),
}

/// One estimate to make. What is `None` was not given and depends on the model.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) source: Source,
    pub(crate) mode: Mode,
    pub(crate) batch: u32,
    pub(crate) seq_length: Option<u32>,
    pub(crate) weights: Option<WeightFormat>,
    pub(crate) kv: KvPrecision,
    pub(crate) optimizer: Optimizer,
    pub(crate) checkpointing: Checkpointing,
    pub(crate) attention: Attention,
    pub(crate) gpu: Option<&'static Gpu>,
    pub(crate) unit: ByteUnit,
    pub(crate) json: bool,
    /// Options that were given and change nothing.
    pub(crate) notes: Vec<String>,
}

const COMMANDS: [&str; 4] = ["estimate", "models", "gpus", "help"];

const JSON: Known = Known::switch("--json");

const ESTIMATE: [Known; 13] = [
    Known::value("--model", "an id that memory-wall models lists"),
    Known::value("--config", "the path of a config.json, or - for standard input"),
    Known::value("--mode", "inference or training"),
    Known::value("--batch", "a whole number of sequences"),
    Known::value("--seq", "a whole number of tokens"),
    Known::value("--weights", "a weight format such as bf16 or int4"),
    Known::value("--kv", "a KV precision such as bf16 or fp8"),
    Known::value("--optimizer", "an optimizer such as adamw"),
    Known::value("--checkpointing", "none, selective or full"),
    Known::value("--attention", "flash or eager"),
    Known::value("--gpu", "an id that memory-wall gpus lists"),
    Known::value("--unit", "gb or gib"),
    JSON,
];

/// Reads the words behind the program's name.
pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Result<Command, BadInput> {
    let mut words = words.collect::<Vec<_>>().into_iter();
    let Some(command) = words.next().map(|word| word.to_string_lossy().into_owned()) else {
        return Err(BadInput(format!("a command is missing: {}", suggest::either(&COMMANDS))));
    };
    let asks_for_help = words.as_slice().iter().any(|word| word == "--help" || word == "-h");
    match command.as_str() {
        "help" | "--help" | "-h" => Ok(Command::Help),
        "--version" | "-V" => Ok(Command::Version),
        "estimate" | "models" | "gpus" if asks_for_help => Ok(Command::Help),
        "models" => Ok(Command::Models { json: Given::read("models", &[JSON], words)?.has(JSON.name) }),
        "gpus" => Ok(Command::Gpus { json: Given::read("gpus", &[JSON], words)?.has(JSON.name) }),
        "estimate" => request(&Given::read("estimate", &ESTIMATE, words)?).map(|it| Command::Estimate(Box::new(it))),
        other => {
            let nearest = suggest::nearest(other, COMMANDS.into_iter());
            let meant = suggest::did_you_mean(&nearest);
            Err(BadInput(format!("there is no command {}{meant}; see memory-wall help", quote(other))))
        }
    }
}

fn request(given: &Given) -> Result<Request, BadInput> {
    let source = match (given.text("--model"), given.raw("--config")) {
        (Some(_), Some(_)) => {
            return Err(BadInput::new("--model and --config are both given: one of them names the model"));
        }
        (None, None) => {
            return Err(BadInput::new(
                "a model is missing: --model ID (memory-wall models lists them) or --config FILE",
            ));
        }
        (Some(id), None) => {
            Source::Preset(listed("--model", &id, models::by_id(&id), MODELS.iter().map(|it| it.id), "models")?)
        }
        (None, Some(path)) => Source::Config(path.to_owned()),
    };
    let gpu = match given.text("--gpu") {
        Some(id) => Some(listed("--gpu", &id, gpus::by_id(&id), GPUS.iter().map(|it| it.id), "gpus")?),
        None => None,
    };
    let mode = choice(given, "--mode", Mode::ALL, Mode::id)?.unwrap_or(Mode::Inference);
    let json = given.has(JSON.name);
    Ok(Request {
        source,
        mode,
        batch: number(given, "--batch", bounds::BATCH)?.unwrap_or(1),
        seq_length: number(given, "--seq", bounds::SEQ_LENGTH)?,
        weights: choice(given, "--weights", WeightFormat::ALL, WeightFormat::id)?,
        kv: choice(given, "--kv", KvPrecision::ALL, KvPrecision::id)?.unwrap_or(KvPrecision::Bf16),
        optimizer: choice(given, "--optimizer", Optimizer::ALL, Optimizer::id)?.unwrap_or(Optimizer::AdamW),
        checkpointing: choice(given, "--checkpointing", Checkpointing::ALL, Checkpointing::id)?
            .unwrap_or(Checkpointing::None),
        attention: choice(given, "--attention", Attention::ALL, Attention::id)?.unwrap_or(Attention::Flash),
        gpu,
        unit: choice(given, "--unit", &ByteUnit::ALL, ByteUnit::id)?.unwrap_or_default(),
        json,
        notes: idle(given, mode, json),
    })
}

/// A note for each option that was given and changes nothing.
fn idle(given: &Given, mode: Mode, json: bool) -> Vec<String> {
    let idle: &[&str] = match mode {
        Mode::Inference => &["--optimizer", "--checkpointing"],
        Mode::Training | Mode::Lora | Mode::Qlora => &["--kv"],
    };
    let in_mode =
        idle.iter().filter(|name| given.has(name)).map(|name| format!("{name} has no effect in {}", mode.id()));
    let in_json =
        (json && given.has("--unit")).then(|| "--unit has no effect on JSON, which counts in bytes".to_owned());
    in_mode.chain(in_json).collect()
}

/// A row of a table, or a message with the ids that come near.
fn listed<T>(
    option: &str,
    id: &str,
    found: Option<T>,
    ids: impl Iterator<Item = &'static str>,
    command: &str,
) -> Result<T, BadInput> {
    found.ok_or_else(|| {
        let meant = suggest::did_you_mean(&suggest::nearest(id, ids));
        BadInput(format!("{option} {} is not known{meant}; memory-wall {command} lists all", quote(id)))
    })
}

/// One of a few words.
fn choice<T: Copy>(
    given: &Given,
    option: &str,
    all: &[T],
    id: impl Fn(T) -> &'static str,
) -> Result<Option<T>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(None) };
    if let Some(found) = all.iter().copied().find(|choice| id(*choice) == text) {
        return Ok(Some(found));
    }
    let ids: Vec<&str> = all.iter().map(|choice| id(*choice)).collect();
    let meant = suggest::did_you_mean(&suggest::nearest(&text, ids.iter().copied()));
    Err(BadInput(format!("{option} takes {}, not {}{meant}", suggest::either(&ids), quote(&text))))
}

/// A whole number in its range: digits, with `_` between them where that reads better.
fn number(given: &Given, option: &str, bounds: Bounds) -> Result<Option<u32>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(None) };
    let Bounds { min, max, unit, .. } = bounds;
    let range = format!("{} to {}", Grouped(min.into()), Grouped(max.into()));
    let of_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !text.split('_').all(of_digits) {
        return Err(BadInput(format!(
            "{option} takes a whole number of {unit} from {range}, written as {max} or {}, not {}",
            Grouped(max.into()).to_string().replace(',', "_"),
            quote(&text)
        )));
    }
    // Too many digits for 64 bits are out of range as well.
    match text.replace('_', "").parse().map(|value| bounds.check(value)) {
        Ok(Ok(value)) => Ok(Some(value)),
        _ => Err(BadInput(format!("{option} {} is outside {range} {unit}", shortened(&text, QUOTED)))),
    }
}
