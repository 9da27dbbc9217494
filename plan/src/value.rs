//! Values of options, and the kinds of value that options accept.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use memory_wall_core::Bytes;
use memory_wall_core::Share;
use memory_wall_core::bounds::Bounds;
use memory_wall_core::display::Grouped;
use memory_wall_core::layout::Layout;
use memory_wall_core::number::{Memory, memory};
use memory_wall_core::serving::Version;
use memory_wall_core::units::GIB;

use crate::node::{Json, Node};
use crate::own_model::OwnModel;

/// The kind of value that an option accepts.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number in its range, in its unit.
    Count(Bounds),
    /// Memory in a range of GiB, by any unit.
    Memory(Bounds),
    /// Percent of a GPU, with up to two places.
    Percent(Bounds),
    /// One of a few words.
    Choice(fn() -> Vec<&'static str>),
    /// A row of a table that this command lists.
    Row(&'static str, fn() -> Vec<&'static str>),
    /// Several of a few words, and words that stand for some of them.
    List(&'static [&'static str], &'static [(&'static str, &'static [&'static str])]),
    /// Rows of a table, several and some of them more than once, up to so many.
    Rows(&'static str, fn() -> Vec<&'static str>, usize),
    /// Several whole numbers in one range, up to so many.
    Counts(Bounds, usize),
    /// A release of a program, from the oldest that is modelled on.
    Release,
    /// The stages of a pipeline as Megatron-LM writes them.
    Layout,
    /// On, or not there.
    Switch,
    /// A model by its `config.json`: the path of that file, or what stands in it.
    Config,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Count(u32),
    /// Memory.
    Memory(Bytes),
    /// Percent.
    Percent(Share),
    /// One word.
    Word(&'static str),
    /// Several and at least one: of a list in its order and each once, of rows as they are given.
    Words(Vec<&'static str>),
    /// Several numbers, in the order in which they are given.
    Counts(Vec<u32>),
    /// A release.
    Release(Version),
    /// A layout of a pipeline.
    Layout(Layout),
    /// A switch that is on.
    On,
    /// A file.
    Path(String),
    /// A model of the reader's own.
    Own(OwnModel),
}

/// As it is typed after its option; empty for a switch.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Memory(bytes) => Memory(*bytes).fmt(f),
            Self::Percent(share) => write!(f, "{}%", share.in_percent()),
            Self::Word(word) => f.write_str(word),
            Self::Words(words) => f.write_str(&words.join(",")),
            Self::Counts(counts) => {
                let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
                f.write_str(&counts.join(","))
            }
            Self::Release(release) => write!(f, "{release}"),
            Self::Layout(layout) => layout.fmt(f),
            Self::On => Ok(()),
            Self::Path(path) => f.write_str(path),
            Self::Own(model) => model.fmt(f),
        }
    }
}

/// The longest path that is read.
const LONGEST_PATH: usize = 4_096;
/// The longest part of a value that a message repeats.
const QUOTED: usize = 60;

impl Kind {
    /// What is counted, in the plural; empty where nothing is.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Count(bounds) | Self::Memory(bounds) | Self::Percent(bounds) | Self::Counts(bounds, _) => bounds.unit,
            _ => "",
        }
    }

    /// Reads a value of a file.
    ///
    /// # Errors
    /// The value has the wrong kind or unit, or is out of range. The message says what is accepted, without the option's name.
    pub fn read(self, node: &Node) -> Result<Value, String> {
        match (self, &node.value) {
            (Self::Count(bounds), Json::Number(text)) => whole(text, bounds).map(Value::Count),
            (Self::Memory(_), Json::Number(text) | Json::Text(text)) => self.memory(text),
            (Self::Percent(bounds), Json::Number(text)) => percent(text, bounds).map(Value::Percent),
            (Self::Choice(_) | Self::Row(..) | Self::Release | Self::Layout, Json::Text(text) | Json::Number(text)) => {
                self.word(text)
            }
            (Self::List(..), Json::List(items)) => self.list(items),
            (Self::List(..), Json::Text(text)) => self.words(text.split(',')),
            (Self::Rows(_, ids, most), Json::List(items)) => self.rows(items, &ids(), most),
            (Self::Counts(bounds, most), Json::List(items)) => self.counts(items, bounds, most),
            (Self::Switch, Json::Bool(true)) => Ok(Value::On),
            (Self::Switch, Json::Bool(false)) => Err("is a switch: true, or left out".into()),
            (Self::Config, Json::Map(_)) => OwnModel::of(node).map(Value::Own),
            (Self::Config, Json::Text(text)) if text.is_empty() || text.len() > LONGEST_PATH => {
                Err("is no path of a file".into())
            }
            (Self::Config, Json::Text(text)) => Ok(Value::Path(text.clone())),
            _ => Err(alloc::format!("takes {}, not {}", self.expected(), node.value.named())),
        }
    }

    /// What it has to be, in messages.
    pub fn expected(self) -> String {
        match self {
            Self::Count(bounds) => {
                let of = if bounds.unit.is_empty() { "" } else { " of " };
                alloc::format!("a whole number{of}{}, written as {} without quotes", bounds.unit, bounds.max)
            }
            Self::Memory(Bounds { min, max, .. }) => {
                let [min, max] = [min, max].map(|it| Grouped(it.into()));
                alloc::format!("{min} to {max} GiB, written as 110, 22.49 or \"25.4 GB\"")
            }
            Self::Percent(_) => "percent, written as 90 or 92.5".into(),
            Self::Choice(ids) => either(&ids()),
            Self::Row(command, _) => alloc::format!("an id that memory-wall {command} lists"),
            Self::List(words, _) => alloc::format!("a list of {}", either(words)),
            Self::Rows(command, _, most) => {
                alloc::format!("a list of up to {most} ids that memory-wall {command} lists")
            }
            Self::Counts(bounds, most) => {
                alloc::format!("a list of up to {most} whole numbers from {} to {}", bounds.min, bounds.max)
            }
            Self::Release => {
                alloc::format!("a release from {} on, written as \"{}\"", Version::OLDEST, Version::NEWEST)
            }
            Self::Layout => "a layout of Megatron-LM, written as \"Et|(tt|)*30mL\"".into(),
            Self::Switch => "true".into(),
            Self::Config => "the path of a config.json as a text, or what stands in it as an object".into(),
        }
    }

    /// One word, of whatever kind it is.
    ///
    /// # Errors
    /// It is none of those that are known.
    pub fn word(self, text: &str) -> Result<Value, String> {
        let refused = || alloc::format!("takes {}, not {}", self.expected(), quoted(text));
        match self {
            Self::Choice(ids) | Self::Row(_, ids) => {
                ids().into_iter().find(|id| id.eq_ignore_ascii_case(text)).map(Value::Word).ok_or_else(refused)
            }
            Self::Release => {
                // A name of our own would not be read back.
                let release = Version::read(text).filter(|release| release.to_string().len() <= QUOTED);
                release.filter(|release| *release >= Version::OLDEST).map(Value::Release).ok_or_else(refused)
            }
            Self::Layout => {
                Layout::read(text).map(Value::Layout).map_err(|why| alloc::format!("{} {why}", quoted(text)))
            }
            _ => Err(refused()),
        }
    }

    /// Memory, in its range.
    ///
    /// # Errors
    /// It is none, or out of range.
    pub fn memory(self, text: &str) -> Result<Value, String> {
        let refused = || alloc::format!("takes {}, not {}", self.expected(), quoted(text));
        let Self::Memory(bounds) = self else { return Err(refused()) };
        let range = u128::from(bounds.min) * GIB..=u128::from(bounds.max) * GIB;
        memory(text).filter(|bytes| range.contains(&bytes.0)).map(Value::Memory).ok_or_else(refused)
    }

    fn list(self, items: &[Node]) -> Result<Value, String> {
        let mut words = Vec::new();
        for item in items {
            match &item.value {
                Json::Text(text) => words.push(text.as_str()),
                other => return Err(alloc::format!("takes {}, not {}", self.expected(), other.named())),
            }
        }
        self.words(words.into_iter())
    }

    fn rows(self, items: &[Node], ids: &[&'static str], most: usize) -> Result<Value, String> {
        let mut chosen = Vec::new();
        for item in items {
            let id = item.value.text().and_then(|text| ids.iter().find(|id| id.eq_ignore_ascii_case(text)));
            match id {
                Some(id) => chosen.push(*id),
                None => return Err(alloc::format!("takes {}, not {}", self.expected(), item.value.named())),
            }
        }
        if chosen.is_empty() || chosen.len() > most {
            return Err(alloc::format!("takes {}", self.expected()));
        }
        Ok(Value::Words(chosen))
    }

    fn counts(self, items: &[Node], bounds: Bounds, most: usize) -> Result<Value, String> {
        let mut counts = Vec::new();
        for item in items {
            match &item.value {
                Json::Number(text) => counts.push(whole(text, bounds)?),
                other => return Err(alloc::format!("takes {}, not {}", self.expected(), other.named())),
            }
        }
        if counts.is_empty() || counts.len() > most {
            return Err(alloc::format!("takes {}", self.expected()));
        }
        Ok(Value::Counts(counts))
    }

    /// Several words, with those that stand for some of them.
    ///
    /// # Errors
    /// One is none of those that are known, or there is none.
    pub fn words<'a>(self, given: impl Iterator<Item = &'a str>) -> Result<Value, String> {
        let Self::List(all, short) = self else { return Err("is no list".into()) };
        let mut chosen: Vec<&'static str> = Vec::new();
        for part in given.map(str::trim) {
            let same = |word: &&'static str| word.eq_ignore_ascii_case(part);
            if let Some(word) = all.iter().copied().find(same) {
                chosen.push(word);
            } else if let Some((_, words)) = short.iter().find(|(word, _)| same(word)) {
                chosen.extend(words.iter());
            } else {
                return Err(alloc::format!("takes {}, not {}", self.expected(), quoted(part)));
            }
        }
        let words: Vec<&str> = all.iter().copied().filter(|word| chosen.contains(word)).collect();
        if words.is_empty() { Err("is an empty list: leave it out".into()) } else { Ok(Value::Words(words)) }
    }
}

/// A whole number as JSON writes it, in its range.
fn whole(text: &str, bounds: Bounds) -> Result<u32, String> {
    let Some(value) = digits(text) else {
        let of = if bounds.unit.is_empty() { "" } else { " of " };
        return Err(alloc::format!("takes a whole number{of}{}, not {}", bounds.unit, bare(text)));
    };
    bounds.check(value).map_err(|_| outside(value, bounds))
}

/// Percent with up to two places; a fraction of one is another unit.
fn percent(text: &str, bounds: Bounds) -> Result<Share, String> {
    let below = |share: &Share| *share < Share::percent(bounds.min) && text.contains('.');
    let share = Share::read_percent(text).filter(|share| !below(share));
    let share = share.ok_or_else(|| alloc::format!("counts in percent, as 90 or 92.5, not {}", bare(text)))?;
    share.check().map_err(|wrong| outside(wrong.value, bounds))
}

fn outside(value: u64, bounds: Bounds) -> String {
    let [min, max] = [bounds.min, bounds.max].map(|it| Grouped(it.into()));
    let unit = if bounds.unit.is_empty() { "" } else { " " };
    let value = Grouped(value.into());
    alloc::format!("is {value}, which is outside {min} to {max}{unit}{}", bounds.unit)
}

/// Digits as a number; too many are as large as 64 bits hold, and out of any range.
fn digits(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

/// `a, b or c`.
pub(crate) fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).into(),
        [rest @ .., last] => alloc::format!("{} or {last}", rest.join(", ")),
    }
}

/// Foreign text in a message. What can't be seen is written as `\u{b}`, and counts as it is written.
pub(crate) fn quoted(text: &str) -> String {
    let mut room = QUOTED;
    let fits = |letter: &char| {
        let written = if *letter == '\'' { 1 } else { letter.escape_debug().count() };
        let fits = written <= room;
        room = room.saturating_sub(written);
        fits
    };
    let letters = text.chars().take_while(fits).count();
    alloc::format!("{:?}", shortened(text, letters))
}

/// The same where a number should stand: without quotes, unless something in it is not to be seen.
fn bare(text: &str) -> String {
    if text.chars().any(char::is_control) { quoted(text) } else { shortened(text, QUOTED) }
}

fn shortened(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
