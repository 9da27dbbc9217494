//! The header of a GGUF file, versions 2 and 3, read in stretches: keys with values, and what each tensor is.
//!
//! Tokenizers are lists of hundreds of thousands of strings: they are passed over, and long values are not even asked for.
//!
//! Source: github.com/ggml-org/ggml, docs/gguf.md; what is refused is what github.com/ggml-org/llama.cpp, ggml/src/gguf.cpp refuses; checked 2026-11-24.

#[cfg(feature = "estimate")]
mod architecture;
mod cursor;
mod kind;
mod metadata;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::ops::Range;

#[cfg(feature = "estimate")]
pub use architecture::NoArchitecture;
pub use kind::Sidecar;
pub use metadata::{Metadata, Scalar};

use crate::by_name::ByName;

use super::breakdown::Tensor;
use super::class::Class;
use super::dtype::Dtype;
use super::unreadable::{Unreadable, Why, shown};
use cursor::Cursor;
use metadata::{ARRAY, STRING, scalar, width};

/// How a GGUF file begins.
pub(super) const MAGIC: &[u8] = b"GGUF";

/// Bytes that are asked for at once.
const STRETCH: u64 = 1 << 18;
/// Keys at most; real files have a hundred.
const MOST_KEYS: u64 = 1 << 16;
/// Tensors at most; the largest models have a few thousand in a file.
const MOST_TENSORS: u64 = 1 << 20;
/// Items of a list of strings at most: the largest vocabularies have a million.
const MOST_STRINGS: u64 = 1 << 24;
/// Bytes of a key and of a tensor's name, as the format has it.
const LONGEST_NAME: u64 = 65_535;
/// Bytes of a text that is kept.
const KEPT_TEXT: u64 = 4_096;
/// Numbers of a list that is kept: one for each layer.
const KEPT_LIST: u64 = 1_024;
/// Dimensions of a tensor at most.
const MOST_DIMENSIONS: u32 = 4;
/// Where data may begin if the file says nothing.
const ALIGNMENT: u64 = 32;

/// A GGUF file, by its header.
#[derive(Clone, Debug, PartialEq)]
pub struct Gguf {
    /// The version of the format.
    pub version: u32,
    /// Its keys and values.
    pub metadata: Metadata,
    /// Its tensors, in the order of the file.
    pub tensors: Vec<Tensor>,
    /// Where the data begins.
    pub data: u64,
    /// Bytes of data that the header promises and the file lacks: it is not complete.
    pub missing: u64,
}

/// What is read next.
#[derive(Debug)]
enum State {
    Head,
    Key,
    /// A list of strings of which so many are left.
    Strings(u64),
    Tensor,
    Done,
}

/// Reads the header stretch by stretch.
#[derive(Debug)]
pub struct GgufReader {
    length: u64,
    at: u64,
    state: State,
    keys: u64,
    tensors: u64,
    file: Gguf,
    names: ByName<()>,
    /// Where the data of each tensor should begin, after the data's beginning.
    next: u64,
}

/// An item that was read, or that its bytes are not all there.
type Item = Result<Option<()>, Unreadable>;

impl GgufReader {
    /// For a file of so many bytes.
    pub const fn new(length: u64) -> Self {
        let metadata = Metadata { values: ByName::new() };
        let file = Gguf { version: 0, metadata, tensors: Vec::new(), data: 0, missing: 0 };
        Self { length, at: 0, state: State::Head, keys: 0, tensors: 0, file, names: ByName::new(), next: 0 }
    }

    /// The bytes that are needed next; nothing once the header is read.
    pub fn wants(&self) -> Option<Range<u64>> {
        match self.state {
            State::Done => None,
            _ => Some(self.at..self.length.min(self.at.saturating_add(STRETCH))),
        }
    }

    /// Takes the bytes that were wanted, or the first of them.
    ///
    /// # Errors
    /// The header is broken, or passes a limit.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        let origin = self.at;
        loop {
            let passed = usize::try_from(self.at - origin).unwrap_or(usize::MAX);
            let Some(rest) = bytes.get(passed..) else {
                // A long value was passed over, beyond what was given.
                return if self.at <= self.length { Ok(()) } else { Err(self.refuse(Why::CutShort)) };
            };
            let mut cursor = Cursor::new(rest);
            let read = match self.state {
                State::Done => return Ok(()),
                State::Head => self.head(&mut cursor)?,
                State::Key => self.key(&mut cursor)?,
                State::Strings(left) => self.string(&mut cursor, left)?,
                State::Tensor => self.tensor(&mut cursor)?,
            };
            if read.is_none() {
                // Every item is far shorter than a stretch: what is not all there is cut off.
                let is_last = origin.saturating_add(bytes.len() as u64) >= self.length;
                return if is_last || self.at == origin { Err(self.refuse(Why::CutShort)) } else { Ok(()) };
            }
            self.at += cursor.at() as u64;
            self.advance()?;
        }
    }

    /// What was read, once nothing more is wanted.
    pub fn finish(self) -> Option<Gguf> {
        matches!(self.state, State::Done).then_some(self.file)
    }

    const fn refuse(&self, why: Why) -> Unreadable {
        Unreadable::new(self.at, why)
    }

    /// Goes on to what comes next.
    fn advance(&mut self) -> Result<(), Unreadable> {
        self.state = match self.state {
            State::Strings(left) if left > 0 => return Ok(()),
            State::Done => return Ok(()),
            _ if self.keys > 0 => State::Key,
            _ if self.tensors > 0 => State::Tensor,
            _ => {
                self.end()?;
                State::Done
            }
        };
        Ok(())
    }

    fn head(&mut self, cursor: &mut Cursor<'_>) -> Item {
        let (Some(magic), Some(version)) = (cursor.take(4), cursor.u32()) else { return Ok(None) };
        if magic != MAGIC {
            return Err(self.refuse(Why::Unknown));
        }
        match version {
            2 | 3 => {}
            _ if version.swap_bytes() < 1 << 16 && version >= 1 << 16 => {
                return Err(Unreadable::new(4, Why::BigEndian));
            }
            _ => return Err(Unreadable::new(4, Why::Version(version))),
        }
        let (Some(tensors), Some(keys)) = (cursor.u64(), cursor.u64()) else { return Ok(None) };
        for (at, what, count, most) in [(8, "tensors", tensors, MOST_TENSORS), (16, "keys", keys, MOST_KEYS)] {
            if count > most {
                return Err(Unreadable::new(at, Why::TooMany { what, count, most }));
            }
        }
        (self.file.version, self.tensors, self.keys) = (version, tensors, keys);
        Ok(Some(()))
    }

    /// A string's bytes; what is longer than the file is refused.
    fn name<'a>(&self, cursor: &mut Cursor<'a>, what: &'static str) -> Result<Option<&'a [u8]>, Unreadable> {
        let Some(length) = cursor.u64() else { return Ok(None) };
        if length > LONGEST_NAME {
            return Err(self.refuse(Why::TooLong { what, length }));
        }
        Ok(cursor.take(length))
    }

    fn key(&mut self, cursor: &mut Cursor<'_>) -> Item {
        let Some(key) = self.name(cursor, "a key")? else { return Ok(None) };
        let Some(kind) = cursor.u32() else { return Ok(None) };
        let unknown =
            |kind: u32| self.refuse(Why::NoType { what: format!("key {}", shown(key)), given: format!("{kind}") });
        let mut strings = 0;
        let mut passed = 0;
        let value = match kind {
            STRING => {
                let Some(length) = cursor.u64() else { return Ok(None) };
                if length > KEPT_TEXT {
                    passed = length;
                    Scalar::LongText(length)
                } else {
                    let Some(text) = cursor.take(length) else { return Ok(None) };
                    Scalar::Text(String::from_utf8_lossy(text).into_owned())
                }
            }
            ARRAY => {
                let (Some(inner), Some(count)) = (cursor.u32(), cursor.u64()) else { return Ok(None) };
                match width(inner) {
                    Some(_) if count <= KEPT_LIST => {
                        let mut numbers = Vec::new();
                        for _ in 0..count {
                            let Some(number) = scalar(cursor, inner) else { return Ok(None) };
                            numbers.push(number);
                        }
                        let whole = numbers.iter().map(|number| match number {
                            Scalar::Whole(number) => Some(*number),
                            Scalar::Switch(switch) => Some(u64::from(*switch)),
                            _ => None,
                        });
                        whole.collect::<Option<Vec<u64>>>().map_or(Scalar::LongList(count), Scalar::List)
                    }
                    Some(width) => {
                        let what = "a list";
                        passed = count
                            .checked_mul(width)
                            .ok_or_else(|| self.refuse(Why::TooLong { what, length: count }))?;
                        Scalar::LongList(count)
                    }
                    None if inner == STRING => {
                        if count > MOST_STRINGS {
                            let what = "strings in a list";
                            return Err(self.refuse(Why::TooMany { what, count, most: MOST_STRINGS }));
                        }
                        strings = count;
                        Scalar::LongList(count)
                    }
                    None => return Err(unknown(inner)),
                }
            }
            _ if width(kind).is_some() => match scalar(cursor, kind) {
                Some(value) => value,
                None => return Ok(None),
            },
            _ => return Err(unknown(kind)),
        };
        let left = self.length.saturating_sub(self.at).saturating_sub(cursor.at() as u64);
        if passed > left {
            return Err(self.refuse(Why::TooLong { what: "a value", length: passed }));
        }
        if !self.file.metadata.values.insert(&String::from_utf8_lossy(key), value) {
            return Err(self.refuse(Why::Twice { what: "key", name: shown(key) }));
        }
        self.keys -= 1;
        self.at += passed;
        if strings > 0 {
            self.state = State::Strings(strings);
        }
        Ok(Some(()))
    }

    /// Passes over one string of a list.
    fn string(&mut self, cursor: &mut Cursor<'_>, left: u64) -> Item {
        let Some(length) = cursor.u64() else { return Ok(None) };
        if length > self.length.saturating_sub(self.at).saturating_sub(8) {
            return Err(self.refuse(Why::TooLong { what: "a string", length }));
        }
        self.at += length;
        self.state = State::Strings(left - 1);
        Ok(Some(()))
    }

    fn tensor(&mut self, cursor: &mut Cursor<'_>) -> Item {
        let Some(name) = self.name(cursor, "a tensor's name")? else { return Ok(None) };
        let wrong = |wrong: String| self.refuse(Why::Tensor { name: shown(name), wrong });
        let Some(dimensions) = cursor.u32() else { return Ok(None) };
        if dimensions > MOST_DIMENSIONS {
            return Err(wrong(format!("it has {dimensions} dimensions, and {MOST_DIMENSIONS} is the most")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            let Some(side) = cursor.u64() else { return Ok(None) };
            shape.push(side);
        }
        let (Some(kind), Some(offset)) = (cursor.u32(), cursor.u64()) else { return Ok(None) };
        let what = || format!("tensor {}", shown(name));
        let dtype =
            Dtype::of_ggml(kind).ok_or_else(|| self.refuse(Why::NoType { what: what(), given: format!("{kind}") }))?;
        let count = shape.iter().try_fold(1_u64, |all, side| all.checked_mul(*side));
        let row = shape.first().copied().unwrap_or(1);
        let bytes = count.and_then(|count| dtype.size(count)).filter(|_| row.is_multiple_of(dtype.values.into()));
        let bytes = bytes.ok_or_else(|| {
            let mut sides = String::new();
            for (place, side) in shape.iter().enumerate() {
                _ = write!(sides, "{}{side}", if place == 0 { "" } else { " × " });
            }
            wrong(format!("{sides} values of {dtype} are no whole number of blocks that fits in 64 bits"))
        })?;
        if offset != self.next {
            return Err(wrong(format!("its data begins at {offset} and should begin at {}", self.next)));
        }
        let alignment = self.alignment()?;
        let after = offset.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(alignment));
        let name = String::from_utf8_lossy(name).into_owned();
        if !self.names.insert(&name, ()) {
            return Err(self.refuse(Why::Twice { what: "tensor", name: shown(name.as_bytes()) }));
        }
        self.next = after.ok_or_else(|| self.refuse(Why::TooLong { what: "a tensor", length: bytes }))?;
        let class = Class::of(&name);
        self.file.tensors.push(Tensor { name, dtype, shape, bytes, class });
        self.tensors -= 1;
        Ok(Some(()))
    }

    fn alignment(&self) -> Result<u64, Unreadable> {
        let key = "general.alignment";
        match self.file.metadata.get(key) {
            None => Ok(ALIGNMENT),
            Some(Scalar::Whole(bytes)) if bytes.is_power_of_two() && *bytes <= 1 << 30 => Ok(*bytes),
            Some(_) => Err(self.refuse(Why::Value { key: key.into(), wrong: "it is no power of two" })),
        }
    }

    /// What is known once all tensors are.
    fn end(&mut self) -> Result<(), Unreadable> {
        let alignment = self.alignment()?;
        self.file.data = self.at.next_multiple_of(alignment);
        // Data need not be padded at the end of the file.
        let last = self.file.tensors.last().map_or(0, |tensor| tensor.bytes);
        let unpadded = self.next.saturating_sub(last.next_multiple_of(alignment)).saturating_add(last);
        let promised = self.file.data.saturating_add(unpadded);
        self.file.missing = if unpadded == 0 { 0 } else { promised.saturating_sub(self.length) };
        if self.file.metadata.text("general.architecture") == Some("clip") {
            for tensor in &mut self.file.tensors {
                tensor.class = Class::Tower;
            }
        }
        Ok(())
    }
}
