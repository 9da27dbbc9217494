//! What a pickle or a JSON text holds: plain values in arenas, without recursion and without copies.
//!
//! A value is 16 bytes and `Copy`; lists and objects are numbers of containers, so that sharing and cycles cost nothing.
//! Small parts that a file repeats a million times are handed to a [`Collector`] as soon as they are complete, which keeps them in its own form.

mod json;
mod written;

pub use json::{JsonError, read_json};
pub use written::Written;

use alloc::vec::Vec;

use crate::pickle::Unreadable;

/// A piece of text: a range of the input, or of what was unescaped beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    start: u32,
    length: u32,
}

/// What a collector made of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Its kind, a number that the collector knows.
    pub kind: u8,
    /// Its place among the collector's own.
    pub index: u32,
}

/// The number of a list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Container(u32);

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// `None` or `null`.
    Nothing,
    /// True or false.
    Switch(bool),
    /// A whole number from 0.
    Whole(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number.
    Number(f64),
    /// Text, or bytes.
    Text(Text),
    /// A list or a tuple.
    List(Container),
    /// An object: names with values.
    Object(Container),
    /// A list or an object that a collector has taken.
    Record(Record),
}

impl Value {
    /// What it is, in words.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Switch(_) => "true or false",
            Self::Whole(_) => "a whole number",
            Self::Negative(_) => "a negative number",
            Self::Number(_) => "a fraction",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Record(_) => "a record",
        }
    }

    /// A whole number from 0.
    pub const fn whole(self) -> Option<u64> {
        if let Self::Whole(number) = self { Some(number) } else { None }
    }
}

/// Takes small containers over as soon as they are complete.
pub trait Collector {
    /// An object with names and values in turn; `None` leaves it among the values.
    fn object(&mut self, values: &Values<'_>, pairs: &[Value]) -> Option<Record>;
    /// A list; `None` leaves it among the values.
    fn list(&mut self, values: &Values<'_>, items: &[Value]) -> Option<Record>;
}

/// Takes nothing.
impl Collector for () {
    fn object(&mut self, _: &Values<'_>, _: &[Value]) -> Option<Record> {
        None
    }
    fn list(&mut self, _: &Values<'_>, _: &[Value]) -> Option<Record> {
        None
    }
}

/// Items of a container: a run of the arena and, where it grew later, the container that goes on with it.
#[derive(Clone, Copy, Debug)]
enum Items {
    Run { start: u32, length: u32, next: u32, last: u32 },
    Taken(Record),
}

const NONE: u32 = u32::MAX;

/// Bytes of input for each container that is allowed; what real programs write has one in ten or fewer.
const INPUT_PER_CONTAINER: usize = 4;
/// Containers that are allowed however short the input.
const FEW_CONTAINERS: usize = 1_024;
/// Values that are kept at most: 16 bytes each.
pub const MOST_VALUES: usize = 1 << 25;
/// Bytes of input at most.
pub const LONGEST_INPUT: usize = 300_000_000;

/// A limit that an input passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// More lists and objects than an input of this length may have.
    Containers,
    /// More values than [`MOST_VALUES`].
    Values,
    /// A longer input than [`LONGEST_INPUT`].
    Input,
}

impl core::fmt::Display for Limit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Containers => f.write_str(
                "it holds more lists and objects than any real file of its size, so it is not read any further",
            ),
            Self::Values => write!(f, "it holds more than {MOST_VALUES} values"),
            Self::Input => write!(f, "it is longer than {} MB, the most that is read", LONGEST_INPUT / 1_000_000),
        }
    }
}

/// All values of one input.
#[derive(Debug)]
pub struct Values<'a> {
    input: &'a [u8],
    extra: Vec<u8>,
    arena: Vec<Value>,
    containers: Vec<Items>,
}

impl<'a> Values<'a> {
    /// None yet.
    pub(crate) fn of(input: &'a [u8]) -> Result<Self, Limit> {
        if input.len() > LONGEST_INPUT {
            return Err(Limit::Input);
        }
        Ok(Self { input, extra: Vec::new(), arena: Vec::new(), containers: Vec::new() })
    }

    /// The bytes of a text.
    pub fn text(&self, text: Text) -> &[u8] {
        let (start, length) = (text.start as usize, text.length as usize);
        let (bytes, start) = match start.checked_sub(self.input.len()) {
            Some(start) => (&self.extra[..], start),
            None => (self.input, start),
        };
        bytes.get(start..start.saturating_add(length)).unwrap_or_default()
    }

    /// A value, with containers that were taken as the records that they became.
    pub fn resolve(&self, value: Value) -> Value {
        match value {
            Value::List(container) | Value::Object(container) => match self.containers.get(container.0 as usize) {
                Some(Items::Taken(record)) => Value::Record(*record),
                _ => value,
            },
            _ => value,
        }
    }

    /// The items of a list, or names and values of an object in turn.
    pub fn items(&self, container: Container) -> impl Iterator<Item = Value> + '_ {
        let mut at = container.0;
        let mut run: &[Value] = &[];
        core::iter::from_fn(move || {
            loop {
                if let Some((first, rest)) = run.split_first() {
                    run = rest;
                    return Some(self.resolve(*first));
                }
                let Some(Items::Run { start, length, next, .. }) = self.containers.get(at as usize).copied() else {
                    return None;
                };
                at = next;
                run = self.arena.get(start as usize..start as usize + length as usize).unwrap_or_default();
            }
        })
    }

    /// Names and values of an object; what has no text for a name is passed over.
    pub fn fields(&self, container: Container) -> impl Iterator<Item = (&[u8], Value)> + '_ {
        let mut items = self.items(container);
        core::iter::from_fn(move || {
            loop {
                let (name, value) = (items.next()?, items.next()?);
                if let Value::Text(name) = name {
                    return Some((self.text(name), value));
                }
            }
        })
    }

    /// The value of a field; of one that is given twice the last, as other programs take it.
    pub fn field(&self, container: Container, name: &[u8]) -> Option<Value> {
        self.fields(container).filter(|(given, _)| *given == name).last().map(|(_, value)| value)
    }

    /// How many values are kept: what a walk over all of them may cost.
    pub fn count(&self) -> usize {
        self.arena.len() + self.containers.len()
    }

    /// A text that stands in the input.
    pub(crate) fn borrowed(start: usize, length: usize) -> Option<Text> {
        Some(Text { start: u32::try_from(start).ok()?, length: u32::try_from(length).ok()? })
    }

    /// A text that does not stand in the input as it is.
    pub(crate) fn unescaped(&mut self, bytes: &[u8]) -> Option<Text> {
        let start = self.input.len() + self.extra.len();
        let text = Self::borrowed(start, bytes.len())?;
        self.extra.extend_from_slice(bytes);
        Some(text)
    }

    /// A new list or object without items.
    pub(crate) fn open(&mut self) -> Result<Container, Limit> {
        let count = self.containers.len();
        if count >= self.input.len() / INPUT_PER_CONTAINER + FEW_CONTAINERS {
            return Err(Limit::Containers);
        }
        let number = u32::try_from(count).map_err(|_| Limit::Containers)?;
        self.containers.push(Items::Run { start: 0, length: 0, next: NONE, last: number });
        Ok(Container(number))
    }

    /// Adds items to a list, or names and values in turn to an object. Containers that were taken stay as they were taken.
    pub(crate) fn extend(&mut self, container: Container, items: &[Value]) -> Result<(), Limit> {
        let Some(Items::Run { last, .. }) = self.containers.get(container.0 as usize).copied() else { return Ok(()) };
        let end = self.arena.len();
        if end + items.len() > MOST_VALUES {
            return Err(Limit::Values);
        }
        let (start, added) = (low(end), low(items.len()));
        let Some(Items::Run { start: run, length, .. }) = self.containers.get_mut(last as usize) else { return Ok(()) };
        if *length == 0 {
            (*run, *length) = (start, added);
        } else if *run + *length == start {
            *length += added;
        } else {
            let next = self.open()?.0;
            if let Some(Items::Run { start: run, length, .. }) = self.containers.get_mut(next as usize) {
                (*run, *length) = (start, added);
            }
            if let Some(Items::Run { next: after, .. }) = self.containers.get_mut(last as usize) {
                *after = next;
            }
            if let Some(Items::Run { last, .. }) = self.containers.get_mut(container.0 as usize) {
                *last = next;
            }
        }
        self.arena.extend_from_slice(items);
        Ok(())
    }

    /// Whether nothing was added to a container yet.
    pub(crate) fn is_empty(&self, container: Container) -> bool {
        matches!(self.containers.get(container.0 as usize), Some(Items::Run { length: 0, .. }))
    }

    /// Lets a record stand for a container.
    pub(crate) fn take(&mut self, container: Container, record: Record) {
        if let Some(items) = self.containers.get_mut(container.0 as usize) {
            *items = Items::Taken(record);
        }
    }
}

/// Lengths here are below `MOST_VALUES`.
fn low(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

/// Reads a pickle or a JSON text, whichever it is.
///
/// # Errors
/// It is neither, it passes a limit, or it is broken.
pub fn read<'a>(input: &'a [u8], collector: &mut impl Collector) -> Result<(Values<'a>, Value), Unread> {
    if input.first() == Some(&0x80) {
        return crate::pickle::read(input, collector).map_err(Unread::Pickle);
    }
    read_json(input, collector).map_err(Unread::Json)
}

/// Why neither a pickle nor a JSON text could be read.
#[derive(Clone, Debug, PartialEq)]
pub enum Unread {
    /// The pickle's reason.
    Pickle(Unreadable),
    /// The JSON text's reason.
    Json(JsonError),
}

impl core::fmt::Display for Unread {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Pickle(error) => error.fmt(f),
            Self::Json(error) => error.fmt(f),
        }
    }
}
