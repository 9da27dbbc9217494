//! The header of a safetensors file: eight bytes of length and a JSON object.
//!
//! Source: github.com/huggingface/safetensors, README.md ("Format") and safetensors/src/tensor.rs (what is refused); checked 2026-11-24.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::by_name::ByName;
use crate::order::sorted;
use crate::values::{Container, Value, Values, read_json};

use super::breakdown::Tensor;
use super::class::Class;
use super::dtype::Dtype;
use super::unreadable::{Unreadable, Why, shown};

/// The longest header, the format's own limit.
pub const LONGEST_HEADER: u64 = 100_000_000;
/// Dimensions of a tensor at most; PyTorch has 64.
const MOST_DIMENSIONS: usize = 64;

/// A safetensors file, by its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Safetensors {
    /// Its tensors, in the order of their data.
    pub tensors: Vec<Tensor>,
    /// What the file says of itself: usually the framework that wrote it. Training programs put paths here, which belong in no link and no export.
    pub metadata: Vec<(String, String)>,
    /// Bytes of the header, with its length.
    pub header: u64,
    /// Bytes of data that the header promises and the file lacks: it is not complete.
    pub missing: u64,
    /// Bytes behind the data of the last tensor: safetensors itself refuses to load such a file.
    pub trailing: u64,
}

/// Reads the header in two pieces.
#[derive(Debug)]
pub struct SafetensorsReader {
    length: u64,
    header: Option<u64>,
    done: Option<Safetensors>,
}

impl SafetensorsReader {
    /// For a file of so many bytes.
    pub const fn new(length: u64) -> Self {
        Self { length, header: None, done: None }
    }

    /// The bytes that are needed next; nothing once the header is read.
    pub fn wants(&self) -> Option<Range<u64>> {
        match self.header {
            _ if self.done.is_some() => None,
            None => Some(0..8),
            Some(header) => Some(8..8 + header),
        }
    }

    /// Takes the bytes that were wanted.
    ///
    /// # Errors
    /// The header is no header of a safetensors file.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        let Some(header) = self.header else {
            let length = bytes.first_chunk::<8>().ok_or(Unreadable::new(bytes.len() as u64, Why::CutShort))?;
            let header = u64::from_le_bytes(*length);
            if header > LONGEST_HEADER {
                let why = Why::TooMany { what: "bytes of header", count: header, most: LONGEST_HEADER };
                return Err(Unreadable::new(0, why));
            }
            if header.checked_add(8).is_none_or(|end| end > self.length) {
                return Err(Unreadable::new(0, Why::TooLong { what: "a header", length: header }));
            }
            self.header = Some(header);
            return Ok(());
        };
        let text = usize::try_from(header).ok().and_then(|header| bytes.get(..header));
        let text = text.ok_or(Unreadable::new(8 + bytes.len() as u64, Why::CutShort))?;
        self.done = Some(read(text, self.length)?);
        Ok(())
    }

    /// What was read, once nothing more is wanted.
    pub fn finish(self) -> Option<Safetensors> {
        self.done
    }
}

fn read(text: &[u8], length: u64) -> Result<Safetensors, Unreadable> {
    let (values, root) = read_json(text, &mut ()).map_err(|error| {
        // A header is one line as a rule.
        let column = if error.place.line == 1 { error.place.column as u64 - 1 } else { 0 };
        Unreadable::new(8 + column, Why::Json(error.reason))
    })?;
    let Value::Object(root) = root else {
        return Err(Unreadable::new(8, Why::Json(format!("it is {} and no object", root.kind()))));
    };
    let (mut placed, mut metadata): (Vec<(Range<u64>, Tensor)>, _) = (Vec::new(), Vec::new());
    for (name, value) in values.fields(root) {
        let wrong = |wrong: &str| {
            let name = shown(name);
            Unreadable::new(8, Why::Tensor { name, wrong: wrong.into() })
        };
        let Value::Object(fields) = value else { return Err(wrong(&format!("it is {}", value.kind()))) };
        if name == b"__metadata__" {
            let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            metadata.extend(values.fields(fields).filter_map(|(key, value)| match value {
                Value::Text(text) => Some((lossy(key), lossy(values.text(text)))),
                _ => None,
            }));
            continue;
        }
        placed.push(tensor(&values, name, fields).map_err(|words| wrong(&words))?);
    }
    let mut names = ByName::new();
    if let Some((_, twice)) = placed.iter().find(|(_, tensor)| !names.insert(&tensor.name, ())) {
        let name = shown(twice.name.as_bytes());
        return Err(Unreadable::new(8, Why::Twice { what: "tensor", name }));
    }
    let placed = sorted(placed, |(range, _)| (range.start, range.end));
    let mut end = 0;
    for (range, tensor) in &placed {
        if range.start != end {
            let (name, wrong) = (
                shown(tensor.name.as_bytes()),
                format!("its data begins at byte {} and the data before it ends at {end}", range.start),
            );
            return Err(Unreadable::new(8, Why::Tensor { name, wrong }));
        }
        end = range.end;
    }
    let header = 8 + text.len() as u64;
    let data = length.saturating_sub(header);
    let tensors = placed.into_iter().map(|(_, tensor)| tensor).collect();
    let (missing, trailing) = (end.saturating_sub(data), data.saturating_sub(end));
    Ok(Safetensors { tensors, metadata, header, missing, trailing })
}

fn tensor(values: &Values<'_>, name: &[u8], fields: Container) -> Result<(Range<u64>, Tensor), String> {
    let (mut dtype, mut shape, mut offsets) = (None, None, None);
    for (field, value) in values.fields(fields).take(16) {
        match (field, value) {
            (b"dtype", Value::Text(text)) => dtype = Some(text),
            (b"shape", Value::List(list)) => shape = Some(list),
            (b"data_offsets", Value::List(list)) => offsets = Some(list),
            _ => {}
        }
    }
    let (Some(dtype), Some(shape), Some(offsets)) = (dtype, shape, offsets) else {
        return Err("dtype, shape or data_offsets is missing".into());
    };
    let dtype = values.text(dtype);
    let dtype = Dtype::of_safetensors(dtype).ok_or_else(|| format!("its type {} is not known", shown(dtype)))?;
    let shape: Vec<Value> = values.items(shape).take(MOST_DIMENSIONS + 1).collect();
    if shape.len() > MOST_DIMENSIONS {
        return Err(format!("it has more than {MOST_DIMENSIONS} dimensions"));
    }
    let shape: Vec<u64> =
        shape.into_iter().map(Value::whole).collect::<Option<_>>().ok_or("its shape is no list of numbers")?;
    let count = shape.iter().try_fold(1_u64, |all, side| all.checked_mul(*side));
    let bytes = count
        .and_then(|count| dtype.size(count))
        .ok_or("its shape has no whole number of bytes that fits in 64 bits")?;
    let ends: Vec<Option<u64>> = values.items(offsets).take(3).map(Value::whole).collect();
    let [Some(start), Some(end)] = ends[..] else { return Err("its data_offsets are not two numbers".into()) };
    if end.checked_sub(start) != Some(bytes) {
        return Err(format!("its shape takes {bytes} bytes and its data_offsets are {start} and {end}"));
    }
    let name = String::from_utf8_lossy(name).into_owned();
    let class = Class::of(&name);
    Ok((start..end, Tensor { name, dtype, shape, bytes, class }))
}
