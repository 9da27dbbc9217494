//! What a binding says, as a value; how values are written stands here alone.

use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Figure, Grouped, Size};

use crate::charts::wall;

/// What a binding says.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Words.
    Text(String),
    /// HTML of our own making.
    Html(String),
    /// A place or a length in a drawing, in percent.
    Percent(f64),
    /// A number with three digits, see [`number`].
    Number(f64),
    /// A whole number.
    Count(u64),
    /// A size, in the reader's unit.
    Size(Bytes),
    /// Whether an attribute is there.
    Flag(bool),
}

impl Answer {
    /// As the page writes it. A flag that is up is not empty.
    pub fn text(self, unit: ByteUnit) -> String {
        match self {
            Self::Text(text) | Self::Html(text) => text,
            Self::Percent(percent) => wall::percent(percent),
            Self::Number(value) => number(value),
            Self::Count(count) => Grouped(count.into()).to_string(),
            Self::Size(bytes) => Size::new(bytes, unit).to_string(),
            Self::Flag(up) => if up { "1" } else { "" }.into(),
        }
    }

    /// A size, or a dash where there is none.
    pub fn size(bytes: Option<Bytes>) -> Self {
        bytes.map_or_else(|| Self::Text(dash().into()), Self::Size)
    }
}

/// Stands where there is nothing to say.
pub const fn dash() -> &'static str {
    "–"
}

/// Three digits without zeros behind the point: `16`, `12.6`.
pub fn number(value: f64) -> String {
    let text = Figure(value).to_string();
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').into(),
        None => text,
    }
}

/// A round size without its decimals: `10 GB` for `10.0 GB`.
pub fn round(size: &str) -> String {
    let Some((whole, rest)) = size.split_once('.') else { return size.into() };
    format!("{whole}{}", rest.trim_start_matches('0'))
}
