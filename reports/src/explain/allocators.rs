//! What the numbers of other allocators than PyTorch's say of the cause.

use super::Cause;
use crate::what::What;
use crate::{Report, Value};

/// More than any one GPU has.
const ANY: i64 = 1 << 40;

/// What XLA's own numbers say.
pub(super) fn by_xla(report: &Report) -> Option<Cause> {
    let bytes = |what| report.size(what).map(|size| size.bytes);
    if let (Some(needs), Some(capacity)) = (bytes(What::Projected), bytes(What::Capacity)) {
        return Some(Cause::Program { needs, capacity });
    }
    let asked = bytes(What::Requested)?;
    if let Some(capacity) = bytes(What::Capacity).filter(|capacity| asked > *capacity) {
        return Some(Cause::LargerThanGpu { asked, capacity });
    }
    let free = bytes(What::Free)?;
    if let Some(largest) = bytes(What::LargestFree).filter(|largest| *largest < asked && asked <= free) {
        return Some(Cause::Pieces { asked, free, largest });
    }
    (asked > free).then_some(Cause::Buffer { asked, free })
}

/// A request of more than the driver gives at once.
pub(super) fn one_allocation(report: &Report) -> Option<Cause> {
    let bytes = |what| report.size(what).map(|size| size.bytes);
    Some(Cause::OneAllocation { asked: bytes(What::Requested)?, limit: bytes(What::OneAllocation)? })
}

/// What TensorFlow's own numbers say: its allocator's, or the tensor that it names.
pub(super) fn by_tensorflow(report: &Report) -> Option<Cause> {
    let bytes = |what| report.size(what).map(|size| size.bytes);
    let asked = bytes(What::Requested);
    if let Some(asked) = asked.filter(|asked| *asked > ANY) {
        return Some(Cause::LargerThanAny { asked });
    }
    let free = bytes(What::Allowed).zip(bytes(What::ProgramAllocated)).map(|(limit, used)| (limit - used).max(0));
    match asked.zip(free) {
        Some((asked, free)) if asked > free => Some(Cause::Buffer { asked, free }),
        _ => by_shape(report),
    }
}

/// The tensor that TensorFlow names: its dimensions and its type.
fn by_shape(report: &Report) -> Option<Cause> {
    let shape = report
        .all(What::Tensor)
        .find_map(|fact| if let Value::Shape(shape) = &fact.value { Some(shape) } else { None })?;
    let each = match report.name(What::Dtype)? {
        "float" | "int32" | "uint32" => 4,
        "half" | "bfloat16" | "int16" => 2,
        "double" | "int64" | "complex64" => 8,
        "int8" | "uint8" | "bool" => 1,
        _ => return None,
    };
    let bytes = shape.iter().try_fold(each, |bytes: u64, side| bytes.checked_mul(*side))?;
    Some(Cause::OneTensor { bytes: i64::try_from(bytes).ok()?, each })
}

/// What the allocator counted, where memory ran out.
pub(super) fn by_table(report: &Report) -> Option<Cause> {
    let times = report.count(What::OutOfMemoryEvents).filter(|times| *times > 0)?;
    let bytes = |what| report.greatest(what).map(|size| size.bytes);
    Some(Cause::RanOut { times, peak: bytes(What::PeakAllocated)?, reserved: bytes(What::PeakReserved)? })
}
