//! Plan files: a JSON object, or an array of up to four.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use memory_wall_core::number::Memory;
use memory_wall_core::units::GIB;

use crate::json::{self, Unreadable};
use crate::node::{Entry, Json, Node};
use crate::plan::Plan;
use crate::table::{self, OPTIONS};
use crate::value::{Value, quoted};

/// The version of the format.
pub const VERSION: u32 = 1;
/// The most plans in one file.
pub const MOST: usize = 4;
/// The longest name, in characters.
pub const LONGEST_NAME: usize = 80;

/// Why a file could not be read as a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// It could not be read as JSON.
    Unreadable(Unreadable),
    /// A name that no option has.
    Unknown {
        /// The line.
        line: u32,
        /// The name.
        key: String,
    },
    /// A value that its option does not accept, or that contradicts another.
    Refused {
        /// The line.
        line: u32,
        /// The name; empty where it is about the plan as a whole.
        key: String,
        /// What is wrong.
        what: String,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::Unknown { line, key } => write!(f, "line {line}: a plan has no option {}", quoted(key)),
            Self::Refused { line, key, what } if key.is_empty() => write!(f, "line {line}: {what}"),
            Self::Refused { line, key, what } => write!(f, "line {line}: {key} {what}"),
        }
    }
}

impl core::error::Error for FileError {}

impl From<Unreadable> for FileError {
    fn from(error: Unreadable) -> Self {
        Self::Unreadable(error)
    }
}

/// Reads a plan file.
///
/// # Errors
/// The first mistake in the file, with its line.
///
/// # Example
/// ```
/// use memory_wall_plan::file;
/// let plans = file::read("{ \"version\": 1, \"name\": \"chat\", \"model\": \"llama-3.1-8b\", \"seq\": 32768 }").unwrap();
/// assert_eq!(plans[0].name, "chat");
/// let error = file::read("{\n  \"version\": 1,\n  \"seq\": 0\n}").unwrap_err();
/// assert_eq!(error.to_string(), "line 3: seq is 0, which is outside 1 to 10,000,000 tokens");
/// ```
pub fn read(text: &str) -> Result<Vec<Plan>, FileError> {
    plans(&json::read(text)?)
}

fn plans(node: &Node) -> Result<Vec<Plan>, FileError> {
    let refused = |line, what: String| FileError::Refused { line, key: String::new(), what };
    match &node.value {
        Json::Map(entries) => Ok(alloc::vec![plan(node.line, entries)?]),
        Json::List(items) if items.is_empty() => Err(refused(node.line, "the list has no plan".into())),
        Json::List(items) if items.len() > MOST => {
            Err(refused(node.line, format!("{} plans are more than the {MOST} that a file may have", items.len())))
        }
        Json::List(items) => {
            let mut plans: Vec<Plan> = Vec::new();
            for item in items {
                let Json::Map(entries) = &item.value else {
                    return Err(refused(item.line, format!("a plan is an object, not {}", item.value.named())));
                };
                let next = plan(item.line, entries)?;
                if plans.iter().any(|before| before.name == next.name) {
                    let name = if next.name.is_empty() {
                        "no name".into()
                    } else {
                        format!("the name {}", quoted(&next.name))
                    };
                    return Err(refused(item.line, format!("two plans have {name}, by which they are told apart")));
                }
                plans.push(next);
            }
            Ok(plans)
        }
        other => {
            Err(refused(node.line, format!("a plan is an object, or a list of up to {MOST}, not {}", other.named())))
        }
    }
}

fn plan(line: u32, entries: &[Entry]) -> Result<Plan, FileError> {
    let refused =
        |entry: &Entry, what: String| FileError::Refused { line: entry.node.line, key: entry.key.clone(), what };
    let mut plan = Plan::default();
    let mut version = None;
    for entry in entries {
        let value = &entry.node.value;
        match entry.key.as_str() {
            "version" => {
                if value.count() != Some(VERSION) {
                    let what = format!("is {VERSION} for what this program reads, not {}", value.named());
                    return Err(refused(entry, what));
                }
                version = Some(VERSION);
            }
            "name" => plan.name = name(value).map_err(|what| refused(entry, what))?,
            key => {
                let Some(option) = table::by_name(key) else {
                    return Err(FileError::Unknown { line: entry.line, key: key.into() });
                };
                plan.set(option.name, option.kind.read(&entry.node).map_err(|what| refused(entry, what))?);
            }
        }
    }
    if version.is_none() {
        let what = format!("the plan has no \"version\": {VERSION}");
        return Err(FileError::Refused { line, key: String::new(), what });
    }
    if let (Some(_), Some(entry)) = (plan.get("model"), entries.iter().find(|entry| entry.key == "config")) {
        return Err(refused(entry, "and model are both there: one of them names the model".into()));
    }
    Ok(plan)
}

fn name(value: &Json) -> Result<String, String> {
    let Some(name) = value.text() else { return Err(format!("is a text, not {}", value.named())) };
    if name.chars().count() > LONGEST_NAME {
        return Err(format!("has more than {LONGEST_NAME} characters"));
    }
    if name.chars().any(char::is_control) {
        return Err("has characters that cannot be seen".into());
    }
    Ok(name.into())
}

/// Writes a plan file with one plan or several.
///
/// # Example
/// ```
/// use memory_wall_plan::{Plan, file};
/// let plan = Plan::new("empty");
/// assert_eq!(file::write(&[plan]), "{\n  \"version\": 1,\n  \"name\": \"empty\"\n}\n");
/// ```
pub fn write(plans: &[Plan]) -> String {
    if let [plan] = plans {
        return written(plan, "") + "\n";
    }
    let plans: Vec<String> = plans.iter().map(|plan| written(plan, "  ")).collect();
    format!("[\n  {}\n]\n", plans.join(",\n  "))
}

fn written(plan: &Plan, margin: &str) -> String {
    let mut lines = alloc::vec![format!("\"version\": {VERSION}"), format!("\"name\": {}", json::quoted(&plan.name))];
    lines.extend(plan.said().map(|(option, value)| format!("\"{}\": {}", option.name, self::value(value))));
    let lines = lines.join(&format!(",\n{margin}  "));
    format!("{{\n{margin}  {lines}\n{margin}}}")
}

/// A value in JSON.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Count(count) => count.to_string(),
        Value::Percent(share) => share.in_percent().to_string(),
        Value::Memory(bytes) if bytes.0.is_multiple_of(GIB) => (bytes.0 / GIB).to_string(),
        Value::Memory(bytes) => json::quoted(&Memory(*bytes).to_string()),
        Value::Word(word) if json::is_number(word) => (*word).into(),
        Value::Word(word) => json::quoted(word),
        Value::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| json::quoted(word)).collect();
            format!("[{}]", words.join(", "))
        }
        Value::Counts(counts) => {
            let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
            format!("[{}]", counts.join(", "))
        }
        Value::Release(release) => json::quoted(&release.to_string()),
        Value::Layout(layout) => json::quoted(&layout.to_string()),
        Value::On => "true".into(),
        Value::Path(path) => json::quoted(path),
        Value::Own(model) => model.to_string(),
    }
}

/// Every name that a file may have, for messages.
pub fn names() -> impl Iterator<Item = &'static str> {
    ["version", "name"].into_iter().chain(OPTIONS.iter().map(|option| option.name))
}
