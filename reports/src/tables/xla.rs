//! The list of XLA's largest buffers.

use super::{Row, offset};
use crate::name;
use crate::pattern;
use crate::report::{Device, Value};
use crate::scan;
use crate::size::{Base, Size};
use crate::what::What;

/// A line of what a compiled program takes in all, or of one of XLA's largest buffers: its size, or its shape.
pub(super) fn buffer(text: &[u8], row: Row<'_>) -> bool {
    let part =
        [(&b"reserved"[..], What::SystemReserved), (b"program", What::ProgramSize), (b"arguments", What::Arguments)];
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    if let (Some(name), Some(word), None) = (words.next(), words.next(), words.next())
        && let Some((_, what)) = part.into_iter().find(|(known, _)| *known == name)
        && let Some(value) = Size::read(word, Base::Binary)
    {
        row(Device::Unsaid, what, Value::Size(value), offset(text, word));
        return true;
    }
    if let Some(size) = scan::behind(text, "HLO temp ")
        && let Some(value) = Size::read(size, Base::Binary)
    {
        row(Device::Unsaid, What::Temporaries, Value::Size(value), offset(text, scan::unspaced(size)));
        return true;
    }
    if let Some(size) = scan::behind(text, "Extra memory due to padding: ")
        && let Some(value) = Size::read(size, Base::Binary)
    {
        row(Device::Unsaid, What::Padding, Value::Size(value), offset(text, size));
        return true;
    }
    if let Some(size) = scan::behind(text, "Size: ")
        && let Some(value) = Size::read(size, Base::Binary)
    {
        row(Device::Unsaid, What::Buffer, Value::Size(value), offset(text, size));
        return true;
    }
    if let Some(shape) = scan::behind(text, "Shape: ") {
        let length = shape.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (dtype, rest) = shape.split_at_checked(length).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b']').unwrap_or(rest.len());
        let dimensions = rest.get(1..end).filter(|_| rest.first() == Some(&b'[')).and_then(pattern::shape);
        if let (Some(dimensions), Some(dtype)) = (dimensions, name::value(What::Dtype, dtype)) {
            row(Device::Unsaid, What::Dtype, dtype, offset(text, shape));
            row(Device::Unsaid, What::Tensor, dimensions, offset(text, rest));
            return true;
        }
    }
    false
}
