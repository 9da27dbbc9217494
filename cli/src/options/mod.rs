//! The options of the commands: what there is, and what was given.

pub(crate) mod table;
mod unmodelled;

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use table::Known;

use crate::BadInput;
use crate::suggest;
use crate::text::quote;

/// A command with its options, as clap knows it.
pub(crate) fn clap(command: &'static str, options: &[Known]) -> clap::Command {
    let arguments = options.iter().map(|option| {
        let argument = Arg::new(option.name)
            .long(option.name.trim_start_matches('-'))
            .help(option.about.clone())
            .help_heading(option.group);
        match option.value {
            // `--batch -1` is a value, and refused as one.
            Some(value) => {
                argument.value_name(value.name).value_parser(value_parser!(OsString)).allow_negative_numbers(true)
            }
            None => argument.action(ArgAction::SetTrue),
        }
    });
    let command = clap::Command::new(command)
        .no_binary_name(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(arguments);
    // The commands that take files.
    if takes_files(command.get_name()) {
        let files = Arg::new(FILES).num_args(0..).value_parser(value_parser!(OsString));
        let help = if command.get_name() == "import" {
            "a command or a config file; - or none reads standard input"
        } else {
            "the texts, read together; - or none reads standard input"
        };
        return command.arg(files.help(help).help_heading("What is read"));
    }
    command
}

/// The name of what stands behind a command without an option.
const FILES: &str = "FILE";

/// Whether a command takes files.
fn takes_files(command: &str) -> bool {
    matches!(command, "explain" | "import")
}

/// The options that were given, each once, as `--name value` or `--name=value`.
#[derive(Debug, Default)]
pub(crate) struct Given(Vec<(&'static str, OsString)>);

impl Given {
    /// Reads all words behind a command.
    pub(crate) fn read(command: &'static str, words: &[OsString]) -> Result<Self, BadInput> {
        let options = table::of(command);
        let matches = clap(command, &options)
            .try_get_matches_from(words)
            .map_err(|error| Fault { command, options: &options, words }.of(&error))?;
        let mut given: Vec<_> = options.iter().filter_map(|option| arrived(option, &matches)).collect();
        given.sort_by_key(|(place, ..)| *place);
        let mut given: Vec<_> = given.into_iter().map(|(_, name, value)| (name, value)).collect();
        if takes_files(command) {
            let files = matches.get_many::<OsString>(FILES).unwrap_or_default();
            given.extend(files.map(|file| (FILES, file.clone())));
        }
        Ok(Self(given))
    }

    /// Whether the option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// The names of all that were given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|(name, _)| *name)
    }

    /// The files that were named.
    pub(crate) fn files(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter().filter(|(name, _)| *name == FILES).map(|(_, file)| file.as_os_str())
    }

    /// Adds an option of the command that was not given.
    pub(crate) fn add(&mut self, name: &'static str, value: OsString) {
        if !self.has(name) {
            self.0.push((name, value));
        }
    }

    /// The option's value, as it came.
    pub(crate) fn raw(&self, name: &str) -> Option<&OsStr> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_os_str())
    }

    /// The option's value as text; what is not UTF-8 becomes a replacement character, which no name contains.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.raw(name).map(|value| value.to_string_lossy().into_owned())
    }
}

/// Where an option stood, its name and its value; `None` if it was not given.
fn arrived(option: &Known, matches: &ArgMatches) -> Option<(usize, &'static str, OsString)> {
    let value = match option.value {
        Some(_) => matches.get_one::<OsString>(option.name)?.clone(),
        None => matches.get_flag(option.name).then(OsString::new)?,
    };
    Some((matches.index_of(option.name)?, option.name, value))
}

/// Words that are no options of a command.
struct Fault<'a> {
    command: &'static str,
    options: &'a [Known],
    words: &'a [OsString],
}

impl Fault<'_> {
    /// What clap found, in one line of ours.
    fn of(&self, error: &clap::Error) -> BadInput {
        let about = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(about)) => about.as_str(),
            _ => "",
        };
        // `--seq <N>`, as usage has it.
        let option = self.options.iter().find(|option| Some(option.name) == about.split([' ', '=']).next());
        match (error.kind(), option) {
            (ErrorKind::ArgumentConflict, Some(option)) => BadInput(format!("{} is given twice", option.name)),
            (ErrorKind::TooManyValues, Some(option)) => BadInput(format!("{} takes no value", option.name)),
            (_, Some(Known { name, value: Some(value), .. })) => {
                BadInput(format!("{name} needs a value: {}", value.expected))
            }
            _ => self.unknown(about),
        }
    }

    /// A word that is no option of the command.
    fn unknown(&self, word: &str) -> BadInput {
        let command = self.command;
        if let Some((program, reason)) = unmodelled::reason(word) {
            return BadInput(format!("{word} of {program} is not modelled: {reason}"));
        }
        if word.starts_with('-') {
            let nearest = suggest::nearest(word, self.options.iter().map(|option| option.name));
            let meant = suggest::did_you_mean(&nearest);
            return BadInput(format!("{command} has no option {}{meant}; see memory-wall help", quote(word)));
        }
        // Behind a switch it was meant as its value.
        let switch = self.words.windows(2).find_map(|pair| match pair {
            [before, here] if here.to_string_lossy() == word => {
                self.options.iter().find(|option| option.value.is_none() && *option.name == **before)
            }
            _ => None,
        });
        let reason = switch.map(|switch| format!(" ({} takes no value)", switch.name)).unwrap_or_default();
        BadInput(format!("{command} takes options only, not {}{reason}; see memory-wall help", quote(word)))
    }
}
