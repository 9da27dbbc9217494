//! Tables of other makers' accelerators, `npu-smi` and `amd-smi`, and of the models that Ollama has loaded.

use alloc::format;
use alloc::vec::Vec;

use super::{Row, offset, unquoted};
use crate::name;
use crate::report::{Device, Value};
use crate::scan::{self, Number};
use crate::size::{Base, Unit};
use crate::what::What;

/// The cells of a line between bars.
fn cells(text: &[u8]) -> Option<Vec<&[u8]>> {
    let inner = unquoted(text).trim_ascii_end().strip_prefix(b"|")?.strip_suffix(b"|")?;
    Some(inner.split(|byte| *byte == b'|').map(<[u8]>::trim_ascii).collect())
}

/// A chip of `npu-smi info` has two lines: its name, and its memory behind the address of its bus.
///
/// `| 0   910B3 | OK | 97.3   49   0 / 0 |` and `| 0 | 0000:C1:00.0 | 0   0 / 0   3373 / 65536 |`, in MB of 2^20 bytes.
pub(super) fn npu(text: &[u8], chips: &mut u16, row: Row<'_>) -> bool {
    let Some(cells) = cells(text) else { return unquoted(text).first() == Some(&b'+') };
    let [first, second, last] = cells.as_slice() else { return false };
    let device = Device::Gpu(*chips);
    if !second.contains(&b':') {
        let name = first.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        let text_of = core::str::from_utf8(name).unwrap_or_default();
        let known = text_of.strip_prefix("Ascend").unwrap_or(text_of);
        if known.starts_with(|c: char| c.is_ascii_digit())
            && let Some(value) = name::value(What::Gpu, format!("Ascend {known}").as_bytes())
        {
            row(device, What::Gpu, value, offset(text, name));
        }
        return true;
    }
    // The last pair is that of the memory, the one in front of it that of the host.
    let Some(at) = last.iter().rposition(|byte| *byte == b'/') else { return true };
    let (used, total) = (last.get(..at).unwrap_or_default().trim_ascii_end(), last.get(at + 1..).unwrap_or_default());
    let used = used.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let mebibytes = |text: &[u8]| Number::read(text).and_then(|it| it.size(Unit::MIB.bytes(Base::Binary)));
    if let (Some(used_size), Some(total_size)) = (mebibytes(used), mebibytes(total))
        && total_size.bytes > 0
    {
        row(device, What::Used, Value::Size(used_size.floored()), offset(text, used));
        row(device, What::Capacity, Value::Size(total_size.floored()), offset(text, scan::unspaced(total)));
        *chips = chips.saturating_add(1);
    }
    true
}

/// A GPU of `amd-smi`: `| 0  0  2  SPX/NPS1 | 0 %  N/A   285/196592 MB |`, or `0  146 W ...  0.3/192.0 GB` of its monitor, in powers of 1,024.
pub(super) fn amd(text: &[u8], row: Row<'_>) -> bool {
    let line = unquoted(text);
    let line = line.strip_prefix(b"|").unwrap_or(line).trim_ascii();
    let line = line.strip_suffix(b"|").unwrap_or(line).trim_ascii_end();
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    // "| 0000:05:00.0    AMD Instinct MI300X | 0 %  40 °C |": its memory follows in the next line.
    if let Some(at) = scan::find(line, b"AMD ").filter(|_| words.first().is_some_and(|word| word.contains(&b':'))) {
        let name = line.get(at..).unwrap_or_default();
        let name = name.split(|byte| *byte == b'|').next().unwrap_or_default();
        if let Some(value) = name::value(What::Gpu, name) {
            row(Device::Unsaid, What::Gpu, value, offset(text, name));
        }
        return true;
    }
    let gpu = words.first().copied().and_then(Number::read).filter(|number| number.rest.is_empty());
    let Some(gpu) = gpu.and_then(|it| u16::try_from(it.count()?).ok()) else { return line.starts_with(b"+") };
    let unit = |word: &[u8]| Unit::read(word).filter(|(_, rest)| rest.is_empty()).map(|(unit, _)| unit);
    let (pair, size) = match words.as_slice() {
        [.., pair, size] if pair.contains(&b'/') => {
            let at = pair.iter().position(|byte| *byte == b'/').unwrap_or_default();
            (pair.split_at_checked(at), *size)
        }
        // Up to ROCm 6.3 in columns of their own.
        [.., used, one, total, other] if one == other => (Some((*used, *total)), *other),
        _ => return false,
    };
    let (Some((used, total)), Some(unit)) = (pair, unit(size)) else { return false };
    let total = total.strip_prefix(b"/").unwrap_or(total);
    let bytes = unit.bytes(Base::Binary);
    let sizes = [(What::Used, used), (What::Capacity, total)];
    for (what, word) in sizes {
        if let Some(size) = Number::read(word).filter(|it| it.rest.is_empty()).and_then(|it| it.size(bytes)) {
            row(Device::Gpu(gpu), what, Value::Size(size), offset(text, word));
        }
    }
    true
}

/// A model of `ollama ps`: `gpt-oss:20b  f2b8351c629c  14 GB  12%/88% CPU/GPU  8192  4 minutes from now`, whose GB are powers of 1,000.
pub(super) fn loaded(text: &[u8], context: bool, row: Row<'_>) -> bool {
    let words: Vec<&[u8]> = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let [name, id, number, unit, share, processor, rest @ ..] = words.as_slice() else { return false };
    if !id.iter().all(u8::is_ascii_hexdigit) || !share.ends_with(b"%") {
        return false;
    }
    let (Some(number_read), Some((unit, _))) = (Number::read(number), Unit::read(unit)) else { return false };
    if let Some(value) = name::value(What::Model, name) {
        row(Device::Unsaid, What::Model, value, offset(text, name));
    }
    if let Some(size) = number_read.size(unit.bytes(Base::Decimal)) {
        row(Device::Unsaid, What::Total, Value::Size(size), offset(text, number));
    }
    // "12%/88% CPU/GPU", "100% GPU", "100% CPU".
    let last = share.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let percent = Number::read(last).and_then(|number| number.millionths()).map(|share| share / 100);
    let on_gpu = if *processor == b"CPU" { Some(0) } else { percent };
    if let Some(share_of) = on_gpu {
        row(Device::Unsaid, What::GpuShare, Value::Millionths(share_of), offset(text, share));
    }
    let tokens = rest.first().filter(|_| context).and_then(|word| Some((Number::read(word)?.count()?, *word)));
    if let Some((tokens, word)) = tokens {
        row(Device::Unsaid, What::Context, Value::Count(tokens), offset(text, word));
    }
    true
}
