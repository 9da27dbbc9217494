//! Why a model file is not read, in words, with the byte where.

use alloc::string::String;
use core::fmt;

/// A model file that is not read, or not to the end of its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The byte at which it happened, from 0.
    pub at: u64,
    /// Why.
    pub why: Why,
}

/// Why a model file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is no model file that is known.
    Unknown,
    /// It ends within its header.
    CutShort,
    /// A length beyond the end of the file.
    TooLong {
        /// What is so long.
        what: &'static str,
        /// Its length.
        length: u64,
    },
    /// More of something than is read.
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there are.
        count: u64,
        /// How many are read.
        most: u64,
    },
    /// A version of GGUF that is not read.
    Version(u32),
    /// Written for a computer of the other byte order.
    BigEndian,
    /// A header that is no JSON.
    Json(String),
    /// A number that stands for no type.
    NoType {
        /// Of what: a value, or a tensor with its name.
        what: String,
        /// The number, or the name.
        given: String,
    },
    /// Something is there twice.
    Twice {
        /// What: a key or a tensor.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A tensor that cannot be.
    Tensor {
        /// Its name.
        name: String,
        /// What is wrong with it.
        wrong: String,
    },
    /// A value that cannot be.
    Value {
        /// Its key.
        key: String,
        /// What is wrong with it.
        wrong: &'static str,
    },
}

impl Unreadable {
    pub(super) const fn new(at: u64, why: Why) -> Self {
        Self { at, why }
    }
}

/// The name of a tensor or key, cut and without control characters: what a file says is shown as text.
pub(super) fn shown(bytes: &[u8]) -> String {
    let short = bytes.get(..bytes.len().min(100)).unwrap_or_default();
    String::from_utf8_lossy(short).chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("this is neither a safetensors nor a GGUF file"),
            Self::CutShort => f.write_str("the file ends within its header: it was cut short"),
            Self::TooLong { what, length } => write!(f, "{what} of {length} bytes is longer than the file"),
            Self::TooMany { what, count, most } => write!(f, "{count} {what} are more than the {most} that are read"),
            Self::Version(version) => write!(f, "GGUF version {version} is not read; 2 and 3 are"),
            Self::BigEndian => f.write_str("this GGUF file is for computers of the other byte order"),
            Self::Json(reason) => write!(f, "the header is no JSON: {reason}"),
            Self::NoType { what, given } => write!(f, "the type of {what} is {given}, which is not known"),
            Self::Twice { what, name } => write!(f, "{what} {name} is there twice"),
            Self::Tensor { name, wrong } => write!(f, "tensor {name}: {wrong}"),
            Self::Value { key, wrong } => write!(f, "{key}: {wrong}"),
        }
    }
}

impl core::error::Error for Unreadable {}
