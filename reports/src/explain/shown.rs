//! Estimates and changes as they are shown, on the page and on a terminal.

use alloc::format;
use alloc::string::{String, ToString as _};

use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::{Bytes, Verdict};

use super::{Change, Number, Row};
use crate::capital;

/// How numbers are written.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The unit of bytes.
    pub unit: ByteUnit,
    /// Whether with the letters of a terminal: a plain space before the unit, and a hyphen for a minus.
    pub plain: bool,
}

impl Shown {
    /// Three digits and the unit that suits them.
    pub fn size(self, bytes: Bytes) -> String {
        let size = Size::new(bytes, self.unit);
        if self.plain { size.plain().to_string() } else { size.to_string() }
    }

    /// A size with its minus, if it has one.
    pub fn signed(self, bytes: i128) -> String {
        format!("{}{}", if bytes < 0 { self.minus() } else { "" }, self.size(Bytes(bytes.unsigned_abs())))
    }

    /// By how much what is measured differs from an estimate.
    pub fn difference(self, measured: Bytes, estimated: Bytes) -> String {
        let sign = if measured < estimated { self.minus() } else { "+" };
        match measured.0.abs_diff(estimated.0) {
            0 => "same".into(),
            size => format!("{sign}{}", self.size(Bytes(size))),
        }
    }

    const fn minus(self) -> &'static str {
        if self.plain { "-" } else { "−" }
    }

    fn number(self, number: Number) -> String {
        match number {
            Number::Bytes(bytes) => self.signed(bytes),
            Number::Count(count) => Grouped(count).to_string(),
        }
    }
}

impl Row {
    /// The cells of its line: the term, reported, estimated, and the difference.
    pub fn cells(&self, shown: Shown) -> [String; 4] {
        let difference = self.difference().map(|difference| {
            let sign = if difference < 0 { shown.minus() } else { "+" };
            let size = difference.unsigned_abs();
            match self.reported {
                _ if self.agrees() => "same".into(),
                Number::Bytes(_) => format!("{sign}{}", shown.size(Bytes(size))),
                Number::Count(_) => format!("{sign}{}", Grouped(size)),
            }
        });
        let estimated = self.estimated.map(|number| shown.number(number));
        let term = capital(self.what.words()).to_string();
        [term, shown.number(self.reported), estimated.unwrap_or_default(), difference.unwrap_or_default()]
    }
}

impl Change {
    /// What it saves, and whether the run fits then, as the end of a sentence.
    pub fn effect(&self, shown: Shown) -> String {
        let size = shown.size(Bytes(self.saved.0.unsigned_abs()));
        let saved = match self.saved.0 {
            0 => String::new(),
            saved if saved > 0 => format!(", {size} less at the peak"),
            _ => format!(", {size} more at the peak"),
        };
        let then = match self.verdict {
            Some(Verdict::Fits) => "; it fits then",
            Some(Verdict::Tight) => "; it is tight then",
            Some(Verdict::Queues) => "; it starts then, and some requests wait",
            Some(Verdict::DoesNotFit) => "; it still does not fit then",
            None => "",
        };
        format!("{saved}{then}.")
    }
}
