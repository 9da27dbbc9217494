//! What was read of a command or a config file, for programs.

use std::collections::BTreeMap;

use memory_wall_plan::import::{Import, Meaning};
use serde::Serialize;

/// The answer of `import --json`.
#[derive(Debug, Serialize)]
pub(crate) struct Read<'a> {
    source: &'static str,
    /// Options as they are typed.
    plan: BTreeMap<&'static str, String>,
    settings: Vec<Row<'a>>,
}

/// A setting of the text.
#[derive(Debug, Serialize)]
struct Row<'a> {
    line: u32,
    setting: &'a str,
    /// `says`, `without-effect` or `not-understood`.
    meaning: &'static str,
    options: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

impl<'a> Read<'a> {
    pub(crate) fn new(import: &'a Import) -> Self {
        let settings = import.settings.iter().map(|setting| {
            let (meaning, options, why) = match &setting.meaning {
                Meaning::Says(options, note) => ("says", options.as_slice(), *note),
                Meaning::WithoutEffect => ("without-effect", [].as_slice(), None),
                Meaning::Unread(why) => ("not-understood", [].as_slice(), Some(why.as_str())),
            };
            let options = options.iter().map(|(option, value)| (*option, typed(value))).collect();
            Row { line: setting.line, setting: &setting.said, meaning, options, why }
        });
        Self {
            source: import.source.id(),
            plan: import.plan.said().map(|(option, value)| (option.name, typed(value))).collect(),
            settings: settings.collect(),
        }
    }
}

/// A value as it is typed; a switch is on.
fn typed(value: &memory_wall_plan::Value) -> String {
    match value {
        memory_wall_plan::Value::On => "true".into(),
        value => value.to_string(),
    }
}
