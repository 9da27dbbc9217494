//! JSON values, each with its line in the file.

use alloc::string::String;
use alloc::vec::Vec;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The line, from 1 on.
    pub line: u32,
    /// The value.
    pub value: Json,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// Nothing.
    Null,
    /// On or off.
    Bool(bool),
    /// A number as it is written.
    Number(String),
    /// A text.
    Text(String),
    /// Several values.
    List(Vec<Node>),
    /// Values with names, each once, in the order in which they stand.
    Map(Vec<Entry>),
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub key: String,
    /// The line of the name.
    pub line: u32,
    /// The value.
    pub node: Node,
}

impl Json {
    /// What it is, in messages.
    pub fn named(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Bool(value) => alloc::format!("{value}"),
            Self::Number(text) => alloc::format!("the number {text}"),
            Self::Text(text) => alloc::format!("the text {}", crate::value::quoted(text)),
            Self::List(_) => "a list".into(),
            Self::Map(_) => "an object".into(),
        }
    }

    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[Entry] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a name in a map.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number, if it is one.
    pub fn count(&self) -> Option<u32> {
        match self {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }
}
