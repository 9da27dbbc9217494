//! Splitting the words behind a command into options and their values.

use std::ffi::{OsStr, OsString};

use crate::BadInput;
use crate::suggest;
use crate::text::quote;

/// An option that a command knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// With its two dashes.
    pub(crate) name: &'static str,
    /// What its value is, in words; `None` for a switch.
    pub(crate) value: Option<&'static str>,
}

impl Known {
    /// An option with a value.
    pub(crate) const fn value(name: &'static str, what: &'static str) -> Self {
        Self { name, value: Some(what) }
    }

    /// An option without one.
    pub(crate) const fn switch(name: &'static str) -> Self {
        Self { name, value: None }
    }
}

/// The options that were given, each once, as `--name value` or `--name=value`.
#[derive(Debug, Default)]
pub(crate) struct Given(Vec<(&'static str, OsString)>);

impl Given {
    /// Reads all words; `command` is named in messages.
    pub(crate) fn read(
        command: &str,
        known: &[&[Known]],
        words: impl Iterator<Item = OsString>,
    ) -> Result<Self, BadInput> {
        let known: Vec<Known> = known.concat();
        let mut given = Self::default();
        let mut words = words.peekable();
        let mut last_switch = None;
        while let Some(word) = words.next() {
            let (name, mut value) = split(&word);
            let Some(option) = known.iter().find(|option| *option.name == *name) else {
                return Err(unknown(command, &known, &name, last_switch));
            };
            last_switch = option.value.is_none().then_some(option.name);
            if given.has(option.name) {
                return Err(BadInput(format!("{} is given twice", option.name)));
            }
            match (option.value, &value) {
                (None, Some(_)) => return Err(BadInput(format!("{} takes no value", option.name))),
                (Some(what), None) => {
                    // What looks like the next option is not taken for a value; a lone or single dash is (`-`, `-1`).
                    value = words.next_if(|next| !next.as_encoded_bytes().starts_with(b"--"));
                    if value.is_none() {
                        return Err(BadInput(format!("{} needs a value: {what}", option.name)));
                    }
                }
                _ => {}
            }
            given.0.push((option.name, value.unwrap_or_default()));
        }
        Ok(given)
    }

    /// Whether the option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// The names of all that were given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|(name, _)| *name)
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

/// `--name=value` in its two parts; anything else is a name.
fn split(word: &OsStr) -> (String, Option<OsString>) {
    match word.to_str().and_then(|word| word.split_once('=')) {
        Some((name, value)) if name.starts_with("--") => (name.into(), Some(value.into())),
        _ => (word.to_string_lossy().into_owned(), None),
    }
}

/// What is wrong with a word that is no option of the command, behind the switch before it, if any.
fn unknown(command: &str, known: &[Known], name: &str, switch: Option<&str>) -> BadInput {
    if !name.starts_with('-') {
        let reason = switch.map(|switch| format!(" ({switch} takes no value)")).unwrap_or_default();
        return BadInput(format!("{command} takes options only, not {}{reason}; see memory-wall help", quote(name)));
    }
    let nearest = suggest::nearest(name, known.iter().map(|option| option.name));
    BadInput(format!(
        "{command} has no option {}{}; see memory-wall help",
        quote(name),
        suggest::did_you_mean(&nearest)
    ))
}
