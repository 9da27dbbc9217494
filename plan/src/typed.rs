//! Values as people type them into a field, and as a link says them.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use memory_wall_core::Share;
use memory_wall_core::bounds::Bounds;
use memory_wall_core::layout::{Layout, LayoutError};
use memory_wall_core::number::{self, Kilo};

use crate::own_model::OwnModel;
use crate::value::{Kind, Value};

/// Why what was typed is no value of its option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistyped {
    /// It is no whole number in this range.
    Number(Bounds),
    /// It is no memory in this range of GiB.
    Memory(Bounds),
    /// It is none of the words that the option takes.
    Word,
    /// It is no release that is modelled.
    Release,
    /// It is no layout of a pipeline, for this reason.
    Layout(LayoutError),
    /// It is no config of a model that is known, for this reason.
    Config(String),
}

impl Kind {
    /// Reads what was typed; a letter behind a number counts as `kilo` says.
    ///
    /// # Errors
    /// It is no value of the option.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::number::Kilo;
    /// use memory_wall_plan::{Value, by_name};
    /// let seq = by_name("seq").unwrap().kind;
    /// assert_eq!(seq.typed("32k", Kilo::Binary), Ok(Value::Count(32_768)));
    /// assert!(seq.typed("many", Kilo::Binary).is_err());
    /// ```
    pub fn typed(self, text: &str, kilo: Kilo) -> Result<Value, Mistyped> {
        let text = text.trim();
        match self {
            Self::Count(bounds) => whole(text, kilo, bounds).map(Value::Count),
            Self::Memory(bounds) => self.memory(text).map_err(|_| Mistyped::Memory(bounds)),
            Self::Percent(bounds) => {
                let share = Share::read_percent(text.trim_end_matches('%').trim_end());
                let share = share.and_then(|share| share.check().ok());
                share.map(Value::Percent).ok_or(Mistyped::Number(bounds))
            }
            Self::Choice(_) | Self::Row(..) => self.word(text).map_err(|_| Mistyped::Word),
            Self::Layout => Layout::read(text).map(Value::Layout).map_err(Mistyped::Layout),
            Self::Release => self.word(text).map_err(|_| Mistyped::Release),
            Self::List(..) => self.words(text.split(',')).map_err(|_| Mistyped::Word),
            Self::Rows(_, ids, most) => {
                let (ids, parts) = (ids(), text.split(',').map(str::trim));
                let rows = parts.map(|part| ids.iter().copied().find(|id| id.eq_ignore_ascii_case(part)));
                let rows: Option<Vec<&str>> = rows.collect();
                rows.filter(|rows| rows.len() <= most).map(Value::Words).ok_or(Mistyped::Word)
            }
            Self::Counts(bounds, most) => {
                let counts: Result<Vec<u32>, _> = text.split(',').map(|part| whole(part, kilo, bounds)).collect();
                counts.and_then(
                    |counts| if counts.len() <= most { Ok(Value::Counts(counts)) } else { Err(Mistyped::Word) },
                )
            }
            Self::Switch => (text == ON).then_some(Value::On).ok_or(Mistyped::Word),
            Self::Config => OwnModel::read(text).map(Value::Own).map_err(Mistyped::Config),
        }
    }
}

/// How a link says that a switch is on.
const ON: &str = "1";

/// A value as [`Kind::typed`] reads it.
pub struct AsTyped<'a>(pub &'a Value);

impl fmt::Display for AsTyped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::On => f.write_str(ON),
            Value::Percent(share) => share.in_percent().fmt(f),
            value => value.fmt(f),
        }
    }
}

fn whole(text: &str, kilo: Kilo, bounds: Bounds) -> Result<u32, Mistyped> {
    let wrong = || Mistyped::Number(bounds);
    bounds.check(number::read(text, kilo).ok_or_else(wrong)?).map_err(|_| wrong())
}
