//! The default output of `rocm-smi`.

use alloc::vec::Vec;

use super::{Row, offset};
use crate::report::{Device, Value};
use crate::scan::Number;
use crate::what::What;

/// A row of `rocm-smi`, whose last two numbers are percent: of the memory, and of the time.
pub(super) fn rocm(text: &[u8], row: Row<'_>) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let Some(gpu) =
        words.next().and_then(Number::read).filter(|number| number.rest.is_empty()).and_then(|it| it.count())
    else {
        return false;
    };
    // The last two columns, of which one may not be known; the fan's may have a percent sign as well.
    let words: Vec<&[u8]> = words.collect();
    let [.., memory, busy] = words.as_slice() else { return false };
    if !memory.ends_with(b"%") || !busy.ends_with(b"%") {
        return false;
    }
    let (Some(share), Ok(gpu)) = (Number::read(memory).and_then(|number| number.millionths()), u16::try_from(gpu))
    else {
        return false;
    };
    row(Device::Gpu(gpu), What::UsedShare, Value::Millionths(share / 100), offset(text, memory));
    true
}
