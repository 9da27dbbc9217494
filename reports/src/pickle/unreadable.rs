//! Why a pickle is not read, in words, with the byte where.

use alloc::string::String;
use core::fmt;

use crate::values::Limit;

/// A pickle that is not read, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The byte at which it happened, from 0.
    pub at: usize,
    /// Why.
    pub why: Why,
}

/// Why a pickle is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It does not begin as one.
    NoPickle,
    /// A protocol that is not read.
    Protocol(u8),
    /// An opcode that imports, calls or builds something.
    Executes {
        /// Its name.
        opcode: &'static str,
        /// What it would import, where the pickle says so.
        what: String,
    },
    /// An opcode that plain data of these protocols does not have.
    NotData(&'static str),
    /// A byte that is no opcode.
    NoOpcode(u8),
    /// It ends in the middle.
    CutShort,
    /// A length beyond the end of the file.
    TooLong(u64),
    /// A number of more than 64 bits.
    WideNumber(usize),
    /// It takes a value from an empty stack.
    NothingThere,
    /// It closes a list that was not opened.
    NoMark,
    /// It refers to a value that it has not numbered.
    Memo(u32),
    /// It adds items to something else than a list or an object.
    NoContainer(&'static str),
    /// An object with a name that has no value.
    NameWithoutValue,
    /// Bytes behind the end.
    AfterTheEnd(usize),
    /// It passes a limit.
    Limit(Limit),
}

impl From<Limit> for Why {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPickle => f.write_str("this is not a pickle of protocol 2 to 5"),
            Self::Protocol(protocol) => write!(f, "pickle protocol {protocol} is not read; 2 to 5 are"),
            Self::Executes { opcode, what } => {
                write!(f, "{opcode}")?;
                if !what.is_empty() {
                    write!(f, " of {what}")?;
                }
                f.write_str(
                    " would run code in Python. A memory snapshot holds plain data only, so this file is not read; nothing was run",
                )
            }
            Self::NotData(opcode) => write!(f, "{opcode} is not an opcode that a memory snapshot has"),
            Self::NoOpcode(byte) => write!(f, "0x{byte:02x} is not an opcode of a pickle"),
            Self::CutShort => f.write_str("the file ends in the middle: it was cut short"),
            Self::TooLong(length) => {
                write!(f, "a length of {length} bytes is more than the rest of the file")
            }
            Self::WideNumber(bytes) => write!(f, "a number of {bytes} bytes is wider than 64 bits"),
            Self::NothingThere => f.write_str("it takes a value where there is none: the pickle is broken"),
            Self::NoMark => f.write_str("it closes a list that was not opened: the pickle is broken"),
            Self::Memo(number) => write!(f, "it refers to value {number}, which it has not numbered"),
            Self::NoContainer(kind) => write!(f, "it adds items to {kind}: the pickle is broken"),
            Self::NameWithoutValue => f.write_str("an object has a name without a value: the pickle is broken"),
            Self::AfterTheEnd(bytes) => {
                write!(f, "{bytes} bytes follow the end of the pickle: this is not a single memory snapshot")
            }
            Self::Limit(limit) => limit.fmt(f),
        }
    }
}

impl core::error::Error for Unreadable {}
