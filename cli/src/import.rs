//! `memory-wall import`: a command or a config file of another program as a plan.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use memory_wall_plan::file::{self, LONGEST_NAME};
use memory_wall_plan::import::import;

use crate::options::Given;
use crate::text::quote;
use crate::{Answer, BadInput, Exit, config_file, json};

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The file; `-` is standard input.
    path: OsString,
    /// For programs.
    json: bool,
}

impl Asked {
    /// Reads the options and the one file.
    pub(crate) fn read(given: &Given) -> Result<Self, BadInput> {
        let mut files = given.files();
        let path = files.next().unwrap_or(OsStr::new("-")).to_owned();
        match files.next() {
            None => Ok(Self { path, json: given.has("--json") }),
            Some(other) => Err(BadInput(format!(
                "import reads one command or file at a time, not {} as well",
                quote(&other.to_string_lossy())
            ))),
        }
    }
}

/// Prints the plan, what was not understood, and what was read in a way that needs a sentence.
pub(crate) fn answer(asked: &Asked) -> Result<Answer, BadInput> {
    let named = quote(&asked.path.to_string_lossy());
    let (_, text) = config_file::text(&asked.path, "config").map_err(|why| BadInput(format!("{named} {why}")))?;
    let mut found = import(&text).map_err(|error| BadInput(format!("{named}: {error}")))?;
    found.plan.name = name(&asked.path);
    let output = if asked.json {
        json::text(&json::import::Read::new(&found))?
    } else {
        file::write(std::slice::from_ref(&found.plan))
    };
    let mut notes = Vec::new();
    if !asked.json {
        notes.extend(found.to_be_known().map(ToString::to_string));
        if found.plan.get("model").is_none() {
            notes.push("no model is named: --model ID or --config FILE beside --plan names one".into());
        }
    }
    Ok(Answer { output, notes, exit: Exit::Yes })
}

/// The plan is called as its file is.
fn name(path: &OsStr) -> String {
    let stem = Path::new(path).file_stem().filter(|_| path != "-").unwrap_or_default().to_string_lossy();
    stem.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect()
}
