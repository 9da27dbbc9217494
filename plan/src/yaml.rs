//! YAML 1.2, with the words for on and off of 1.1 that Python's reader knows: values with their lines, as from JSON.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::json::{self, DEEPEST, LARGEST, MOST, Unreadable};
use crate::node::{Entry, Json, Node};
use crate::value::quoted;

/// Parses the first document of a YAML text.
///
/// Aliases are not followed: no config of a run needs one, and they let a small text stand for a large one.
///
/// # Errors
/// The text is not valid YAML, is larger than [`LARGEST`], is nested deeper than [`DEEPEST`], repeats a name in one map, or has an alias, a tag or a name that is
/// no text.
///
/// # Example
/// ```
/// let node = memory_wall_plan::yaml::read("bf16: yes\nlora:\n  r: 16 # rank\n").unwrap();
/// let lora = node.value.get("lora").unwrap();
/// assert_eq!((lora.value.get("r").unwrap().line, lora.value.get("r").unwrap().value.count()), (3, Some(16)));
/// ```
pub fn read(text: &str) -> Result<Node, Unreadable> {
    if text.len() > LARGEST {
        return Err(Unreadable { line: 1, what: "the file is larger than 1 MiB, which no config is".into() });
    }
    let mut tree = Tree::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Unreadable {
            line: line(error.marker().line()),
            what: format!("this is no YAML: {}", quoted(error.info())),
        })?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        tree.take(event, &span)?;
    }
    tree.root.ok_or_else(|| Unreadable { line: 1, what: "there is nothing in it".into() })
}

/// The values so far.
#[derive(Default)]
struct Tree {
    /// The lists and maps that are open, the innermost last.
    open: Vec<Open>,
    root: Option<Node>,
}

/// A list or a map that is not closed yet.
struct Open {
    line: u32,
    holds: Holds,
}

enum Holds {
    List(Vec<Node>),
    /// The entries, and the name whose value comes next.
    Map(Vec<Entry>, Option<(String, u32)>),
}

impl Tree {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Unreadable> {
        let line = line(span.start.line());
        let refused = |what: &str| Err(Unreadable { line, what: what.into() });
        match event {
            Event::Alias(_) => return refused("an alias is not followed: write the value out"),
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                return refused("a tag is not followed: write the value out");
            }
            Event::Scalar(text, style, ..) => {
                let node = Node { line, value: scalar(text, style) };
                self.put(node)?;
            }
            Event::SequenceStart(..) => self.open(line, Holds::List(Vec::new()))?,
            Event::MappingStart(..) => self.open(line, Holds::Map(Vec::new(), None))?,
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Open { line, holds }) = self.open.pop() {
                    let value = match holds {
                        Holds::List(items) => Json::List(items),
                        Holds::Map(entries, _) => Json::Map(entries),
                    };
                    self.put(Node { line, value })?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, line: u32, holds: Holds) -> Result<(), Unreadable> {
        if self.open.len() >= DEEPEST as usize {
            return Err(Unreadable { line, what: format!("values stand in one another more than {DEEPEST} deep") });
        }
        self.open.push(Open { line, holds });
        Ok(())
    }

    /// Puts a value where it belongs.
    fn put(&mut self, node: Node) -> Result<(), Unreadable> {
        let line = node.line;
        let refused = |what: String| Err(Unreadable { line, what });
        match self.open.last_mut().map(|open| &mut open.holds) {
            None => self.root = Some(node),
            Some(Holds::List(items)) => items.push(node),
            Some(Holds::Map(entries, key @ None)) => {
                let name = match node.value {
                    Json::Text(text) | Json::Number(text) => text,
                    other => return refused(format!("a name is a text, not {}", other.named())),
                };
                if entries.iter().any(|entry| entry.key == name) {
                    return refused(format!("{} is there twice", quoted(&name)));
                }
                if entries.len() >= MOST {
                    return refused(format!("there are more than {MOST} names in one map"));
                }
                *key = Some((name, line));
            }
            Some(Holds::Map(entries, key)) => {
                if let Some((key, line)) = key.take() {
                    entries.push(Entry { key, line, node });
                }
            }
        }
        Ok(())
    }
}

/// A value without quotes is what it looks like, one with quotes a text.
fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Json {
    if style != ScalarStyle::Plain {
        return Json::Text(text.into_owned());
    }
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(&text));
    if is(&["", "~", "null"]) {
        Json::Null
    } else if is(&["true", "yes", "on"]) {
        Json::Bool(true)
    } else if is(&["false", "no", "off"]) {
        Json::Bool(false)
    } else if json::is_number(&text) {
        Json::Number(text.into_owned())
    } else {
        Json::Text(text.into_owned())
    }
}

/// A line of the parser's, which counts from 1.
fn line(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
