//! The keys and values of a GGUF file, as far as they say something of its size.

use alloc::string::String;
use alloc::vec::Vec;

use crate::by_name::ByName;

use super::cursor::Cursor;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A whole number from 0.
    Whole(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number.
    Number(f64),
    /// True or false.
    Switch(bool),
    /// Text of up to 4,096 bytes.
    Text(String),
    /// Text that is longer: its length.
    LongText(u64),
    /// A short list of numbers.
    List(Vec<u64>),
    /// A list that is longer, or of something else: its length.
    LongList(u64),
}

/// The keys and values of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    pub(super) values: ByName<Scalar>,
}

impl Metadata {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Scalar> {
        self.values.get(key)
    }

    /// All keys with their values, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Scalar)> {
        self.values.iter()
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(Scalar::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A whole number.
    pub fn whole(&self, key: &str) -> Option<u64> {
        match self.get(key) {
            Some(Scalar::Whole(number)) => Some(*number),
            _ => None,
        }
    }

    /// The length of a list.
    pub fn length(&self, key: &str) -> Option<u64> {
        match self.get(key) {
            Some(Scalar::List(list)) => u64::try_from(list.len()).ok(),
            Some(Scalar::LongList(length)) => Some(*length),
            _ => None,
        }
    }
}

/// The types of values by their numbers.
///
/// Source: github.com/ggml-org/ggml, docs/gguf.md (`gguf_metadata_value_type`); checked 2026-11-24.
pub(super) const STRING: u32 = 8;
pub(super) const ARRAY: u32 = 9;
const BOOL: u32 = 7;

/// Bytes of a value of a fixed size.
pub(super) const fn width(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | BOOL => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

/// A value of a fixed size; `None` where the bytes end, or the type has no fixed size.
pub(super) fn scalar(cursor: &mut Cursor<'_>, kind: u32) -> Option<Scalar> {
    let signed = |number: i64| u64::try_from(number).map_or(Scalar::Negative(number), Scalar::Whole);
    Some(match kind {
        0 => Scalar::Whole(cursor.u8()?.into()),
        1 => signed(cursor.u8()?.cast_signed().into()),
        2 => Scalar::Whole(cursor.u16()?.into()),
        3 => signed(cursor.u16()?.cast_signed().into()),
        4 => Scalar::Whole(cursor.u32()?.into()),
        5 => signed(cursor.u32()?.cast_signed().into()),
        6 => Scalar::Number(f32::from_bits(cursor.u32()?).into()),
        BOOL => Scalar::Switch(cursor.u8()? != 0),
        10 => Scalar::Whole(cursor.u64()?),
        11 => signed(cursor.u64()?.cast_signed()),
        12 => Scalar::Number(f64::from_bits(cursor.u64()?)),
        _ => return None,
    })
}
