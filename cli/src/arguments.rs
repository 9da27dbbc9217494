//! The command line: the commands, the options of each, and which was asked for.

use std::ffi::OsString;

use crate::BadInput;
use crate::compare;
use crate::explain;
use crate::export;
use crate::import;
use crate::options::Given;
use crate::plan;
use crate::request::Request;
use crate::roofline::Asked;
use crate::runtime::{self, Layers};
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
    /// The GPUs it knows.
    Gpus {
        /// As JSON.
        json: bool,
    },
    /// The memory of one scenario.
    Estimate(Box<Request>),
    /// A question asked backwards.
    Solve(Question, Box<Request>),
    /// How many layers of llama.cpp go where.
    SolveLayers(Layers, Box<Request>),
    /// What to do about a scenario that does not fit.
    Advise(Box<Request>),
    /// The plans of a file side by side.
    Compare(compare::Asked),
    /// What holds an operation or a model back on a GPU.
    Roofline(Box<Asked>),
    /// What a run left behind, explained.
    Explain(Box<explain::Asked>),
    /// The options as another program takes them.
    Export(Box<export::Asked>),
    /// A command or a config file of another program, as a plan.
    Import(import::Asked),
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

pub(crate) const COMMANDS: [&str; 12] = [
    "estimate", "solve", "advise", "compare", "explain", "roofline", "export", "import", "accuracy", "models", "gpus",
    "help",
];

/// Reads the words behind the program's name.
pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Result<Command, BadInput> {
    let words: Vec<OsString> = words.collect();
    let Some((word, rest)) = words.split_first() else {
        return Err(BadInput(format!("a command is missing: {}", suggest::either(&COMMANDS))));
    };
    let word = word.to_string_lossy();
    match &*word {
        "help" | "--help" | "-h" => return help(rest.first()),
        "--version" | "-V" => return Ok(Command::Version),
        _ => {}
    }
    let command = known(&word)?;
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(Command::Help(Some(command)));
    }
    let mut given = Given::read(command, rest)?;
    if command == "compare" {
        return Ok(Command::Compare(compare::Asked::read(&given)?));
    }
    let name = plan::fill(command, &mut given)?;
    let json = given.has("--json");
    Ok(match command {
        "models" => Command::Models { json },
        "gpus" => Command::Gpus { json },
        "accuracy" => Command::Accuracy { data: given.raw("--data").map(Into::into), rows: given.has("--rows"), json },
        "solve" => {
            if let Some(question) = Layers::read(&given) {
                return Ok(Command::SolveLayers(question, Box::new(Request::read(&given, None)?)));
            }
            let question = Question::read(&given)?;
            Command::Solve(question, Box::new(Request::read(&given, Some(question))?))
        }
        "roofline" => Command::Roofline(Box::new(Asked::read(&given)?)),
        "export" => Command::Export(Box::new(export::Asked::read(&given, name)?)),
        "import" => Command::Import(import::Asked::read(&given)?),
        "explain" => Command::Explain(Box::new(explain::Asked::read(given)?)),
        "advise" => {
            let request = Request::read(&given, None)?;
            runtime::refuse(&request, command)?;
            Command::Advise(Box::new(request))
        }
        _ => Command::Estimate(Box::new(Request::read(&given, None)?)),
    })
}

/// Help about everything, or about one command.
fn help(about: Option<&OsString>) -> Result<Command, BadInput> {
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
