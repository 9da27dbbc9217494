//! Why a snapshot is not read, in words.

use alloc::string::String;
use core::fmt;

use crate::values::Unread;

/// Why a snapshot is not read.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    /// It is no pickle and no JSON, it is broken, or it would run code.
    Unread(Unread),
    /// A file of another kind, by its first bytes.
    Other(&'static str),
    /// Plain data without segments and traces.
    NoSnapshot,
    /// A part that is not what it should be.
    Part {
        /// The part: `segments[3].blocks[0].size`.
        path: String,
        /// What it should be.
        wanted: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// A list that stands in several places at once, which no program writes.
    Shared(&'static str),
}

impl From<Unread> for Refused {
    fn from(error: Unread) -> Self {
        Self::Unread(error)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread(error) => error.fmt(f),
            Self::Other(kind) => f.write_str(kind),
            Self::NoSnapshot => f.write_str(
                "this holds plain data, but neither the segments nor the traces of a memory snapshot; torch.cuda.memory._dump_snapshot(\"snapshot.pickle\") writes one",
            ),
            Self::Part { path, wanted, found } => write!(f, "{path} should be {wanted} and is {found}"),
            Self::Shared(part) => {
                write!(f, "{part} repeats entries that it holds already, as no memory snapshot does")
            }
        }
    }
}

impl core::error::Error for Refused {}

/// Why a file that is often taken for a snapshot is none, by its first bytes.
pub fn not_read(input: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| input.starts_with(magic);
    if starts(b"\x1f\x8b") {
        Some("this file is packed with gzip: unpack it first")
    } else if starts(b"PK\x03\x04") {
        Some("this is a checkpoint that torch.save wrote, or another archive: it holds tensors and no memory snapshot")
    } else if starts(b"version https://git-lfs.github.com/spec/") {
        Some("this is a pointer of Git LFS and not the file itself, which `git lfs pull` fetches")
    } else if starts(b"SQLite format 3\0") {
        Some("this is a database and not a memory snapshot")
    } else {
        None
    }
}
