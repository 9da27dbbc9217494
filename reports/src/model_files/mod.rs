//! Model files by their headers, whatever their size: safetensors, GGUF, an index of several files, a `config.json`.
//!
//! A reader says which bytes it wants next ([`Reader::wants`]) and takes them ([`Reader::give`]), so that a browser slices a file and
//! a command seeks in it. Nothing but headers is asked for.

mod breakdown;
mod class;
#[cfg(feature = "estimate")]
mod config;
mod dtype;
mod gguf;
mod index;
mod safetensors;
mod unreadable;
#[cfg(not(feature = "estimate"))]
mod unshaped;

use alloc::boxed::Box;
use core::ops::Range;

pub use breakdown::{Share, Tensor, breakdown};
pub use class::{CLASSES, Class};
#[cfg(feature = "estimate")]
pub use config::{Described, NotUsed, kv_bytes_per_token};
pub use dtype::Dtype;
#[cfg(feature = "estimate")]
pub use gguf::NoArchitecture;
pub use gguf::{Gguf, GgufReader, Metadata, Scalar, Sidecar};
pub use index::Index;
pub use safetensors::{LONGEST_HEADER, Safetensors, SafetensorsReader};
pub use unreadable::{Unreadable, Why};
#[cfg(not(feature = "estimate"))]
pub use unshaped::Described;

use crate::values::{JsonError, Value, read_json};

/// Bytes that tell what a file is.
pub const HEAD: usize = 16;

/// Reads the header of a model file piece by piece.
#[derive(Debug)]
pub enum Reader {
    /// A safetensors file.
    Safetensors(SafetensorsReader),
    /// A GGUF file.
    Gguf(GgufReader),
}

/// What a header said.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelFile {
    /// A safetensors file.
    Safetensors(Safetensors),
    /// A GGUF file.
    Gguf(Gguf),
}

impl Reader {
    /// A reader for a file that begins with `head`, of which [`HEAD`] bytes are enough; nothing where it is no model file.
    ///
    /// # Example
    /// ```
    /// use memory_wall_reports::model_files::{ModelFile, Reader};
    /// let file = [&[60, 0, 0, 0, 0, 0, 0, 0][..], br#"{"test":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}}"#, &[0; 16]].concat();
    /// let mut reader = Reader::of(&file[..16], file.len() as u64).unwrap();
    /// while let Some(range) = reader.wants() {
    ///     reader.give(&file[range.start as usize..range.end as usize]).unwrap();
    /// }
    /// let Some(ModelFile::Safetensors(read)) = reader.finish() else { panic!() };
    /// assert_eq!(read.tensors[0].bytes, 16);
    /// ```
    pub fn of(head: &[u8], length: u64) -> Option<Self> {
        if head.starts_with(gguf::MAGIC) {
            return Some(Self::Gguf(GgufReader::new(length)));
        }
        let header = u64::from_le_bytes(*head.first_chunk()?);
        let opens = head.get(8).is_some_and(|byte| *byte == b'{');
        // Eight letters are no length of a header: "```json" in front of a list.
        let text = head.get(7).is_some_and(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
        (opens && header > 1 && !text).then(|| Self::Safetensors(SafetensorsReader::new(length)))
    }

    /// The bytes that are needed next; nothing once the header is read.
    pub fn wants(&self) -> Option<Range<u64>> {
        match self {
            Self::Safetensors(reader) => reader.wants(),
            Self::Gguf(reader) => reader.wants(),
        }
    }

    /// Takes the bytes that were wanted, or the first of them.
    ///
    /// # Errors
    /// The header is broken, or passes a limit.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        match self {
            Self::Safetensors(reader) => reader.give(bytes),
            Self::Gguf(reader) => reader.give(bytes),
        }
    }

    /// What the header said, once nothing more is wanted.
    pub fn finish(self) -> Option<ModelFile> {
        match self {
            Self::Safetensors(reader) => reader.finish().map(ModelFile::Safetensors),
            Self::Gguf(reader) => reader.finish().map(ModelFile::Gguf),
        }
    }
}

/// Reads the header of a file that is in memory as a whole.
///
/// # Errors
/// It is no model file, its header is broken, or it passes a limit.
pub fn read(file: &[u8]) -> Result<ModelFile, Unreadable> {
    let mut reader = Reader::of(file, file.len() as u64).ok_or(Unreadable::new(0, Why::Unknown))?;
    while let Some(range) = reader.wants() {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(file.len());
        reader.give(file.get(place(range.start)..place(range.end)).unwrap_or_default())?;
    }
    reader.finish().ok_or(Unreadable::new(0, Why::Unknown))
}

/// A JSON file that belongs to a model.
#[derive(Clone, Debug)]
pub enum ModelJson {
    /// A `config.json`.
    Config(Box<Described>),
    /// The index of a checkpoint in several files.
    Index(Index),
}

/// Reads a JSON file that belongs to a model; nothing where it is JSON of another kind.
///
/// # Errors
/// It is no JSON.
pub fn read_model_json(text: &[u8]) -> Result<Option<ModelJson>, JsonError> {
    let (values, root) = read_json(text, &mut ())?;
    let Value::Object(root) = root else { return Ok(None) };
    if Index::is_one(&values, root) {
        return Ok(Some(ModelJson::Index(Index::of(&values, root))));
    }
    let has = |name: &[u8]| values.field(root, name).is_some();
    if has(b"model_type") || has(b"architectures") {
        return Ok(Some(ModelJson::Config(Box::new(Described::of(text)?))));
    }
    Ok(None)
}
