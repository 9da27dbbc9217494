//! `nvidia-smi`: its table, `-q`, `-L`, and what `dmon` and `pmon` print every second.

use alloc::vec::Vec;

use super::{Row, offset, unquoted};
use crate::name;
use crate::report::{Device, Value};
use crate::scan::{self, Number};
use crate::size::{Base, Size, Unit};
use crate::what::What;

/// A line with plain bars in place of those that `nvitop` draws, each byte of it where it was.
pub(super) fn barred(text: &[u8]) -> Vec<u8> {
    let mut line = text.to_vec();
    let bar = "\u{2502}".as_bytes();
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|rest| scan::find(rest, bar)) {
        from += at + bar.len();
        if let Some(place) = line.get_mut(from - bar.len()..from) {
            place.copy_from_slice(b"|  ");
        }
    }
    line
}

/// Used and all of a cell, with their units: `803MiB /  46068MiB`, and of `nvitop` `3.50MiB / 79.65GiB` or `0B / 22.38GiB`.
fn used_of(cell: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = scan::find(cell, b"B /")?;
    Some((cell, cell.get(at + 3..)?))
}

/// "   3493 root   0 Compute   0%   4406MiB  39%     1%    396MiB python": the GPU is the third word, its memory the first with a unit.
pub(super) fn top(text: &[u8], row: Row<'_>) -> bool {
    let words = || text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let number = |word: &[u8]| whole(word).and_then(|it| u16::try_from(it.count()?).ok());
    let process = words().next().and_then(whole).is_some();
    let (Some(gpu), true) = (words().nth(2).and_then(number), process) else { return false };
    let held =
        words().find(|word| word.ends_with(b"iB")).and_then(|word| Some((word, Size::read(word, Base::Binary)?)));
    if let Some((word, size)) = held {
        row(Device::Gpu(gpu), What::GpuProcess, Value::Size(size.floored()), offset(text, word));
    }
    held.is_some()
}

pub(super) fn nvidia(text: &[u8], gpu: &mut Option<u16>, processes: &mut bool, parts: &mut bool, row: Row<'_>) -> bool {
    if scan::has(text, "Processes:") {
        *processes = true;
        return true;
    }
    if scan::has(text, "MIG devices:") {
        *parts = true;
        return true;
    }
    let line = unquoted(text);
    let Some(inner) = line.strip_prefix(b"|") else { return line.first() == Some(&b'+') };
    let mut cells = inner.split(|byte| *byte == b'|');
    let first = cells.next().unwrap_or_default();
    let number = Number::read(first).and_then(|number| Some((u16::try_from(number.count()?).ok()?, number.rest)));
    if *processes {
        // The number of the GPU stands first, and what the process takes last.
        let sized = |word: &[u8]| word.ends_with(b"B").then(|| Size::read(word, Base::Binary))?;
        let words = || first.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        // In `nvitop` the command stands behind it.
        let word = words()
            .next_back()
            .filter(|word| sized(word).is_some())
            .or_else(|| words().find(|word| sized(word).is_some()));
        let size = word.and_then(|word| Some((sized(word)?.floored(), word)));
        if let (Some((gpu, _)), Some((size, word))) = (number, size) {
            row(Device::Gpu(gpu), What::GpuProcess, Value::Size(size), offset(text, word));
        }
        return true;
    }
    if *parts {
        // "|  1    3   0   0  |  14366MiB / 19968MiB | 28      0 |": the GPU, its part in two numbers, and the device's.
        let rest = cells.next().unwrap_or_default();
        if let (Some((gpu, _)), Some(at)) = (number, scan::find(rest, b"MiB /")) {
            for (what, text_of) in
                [(What::PartUsed, rest), (What::PartCapacity, rest.get(at + 5..).unwrap_or_default())]
            {
                if let Some(size) = Size::read(text_of, Base::Binary) {
                    row(Device::Gpu(gpu), what, Value::Size(size.floored()), offset(text, scan::unspaced(text_of)));
                }
            }
        }
        return true;
    }
    // "|   0  NVIDIA L40S                    On  |   00000000:8D:00.0 Off |"
    if let Some((index, rest)) = number.filter(|_| cells.clone().next().is_some_and(|bus| bus.contains(&b':')))
        && rest.first() == Some(&b' ')
    {
        let name = rest.trim_ascii();
        let end = name.windows(2).position(|pair| pair == b"  ").unwrap_or(name.len());
        let name = name.get(..end).unwrap_or(name);
        let name = [&b" On"[..], b" Off"].iter().find_map(|end| name.strip_suffix(*end)).unwrap_or(name);
        *gpu = Some(index);
        if let Some(value) = name::value(What::Gpu, name) {
            row(Device::Gpu(index), What::Gpu, value, offset(text, name));
        }
        return true;
    }
    // "| N/A   39C    P0            104W /  325W |     803MiB /  46068MiB |"
    for cell in core::iter::once(first).chain(cells) {
        let Some((used, total)) = used_of(cell) else { continue };
        let sizes = [(What::Used, used), (What::Capacity, total)];
        for (what, text_of) in sizes {
            if let Some(size) = Size::read(text_of, Base::Binary) {
                let device = gpu.map_or(Device::Unsaid, Device::Gpu);
                row(device, what, Value::Size(size.floored()), offset(text, scan::unspaced(text_of)));
            }
        }
        return true;
    }
    true
}

pub(super) fn nvidia_query(text: &[u8], gpus: &mut u16, memory: &mut bool, row: Row<'_>) -> bool {
    let line = text.trim_ascii();
    // A head of a GPU or of a block has no value.
    if line.starts_with(b"GPU 0") {
        *gpus = gpus.saturating_add(1);
        *memory = false;
        return true;
    }
    let Some(at) = scan::find(text, b" : ") else {
        *memory = line == b"FB Memory Usage";
        return *memory;
    };
    let (name, value) = text.split_at_checked(at).unwrap_or_default();
    let value = value.get(3..).unwrap_or_default();
    let device = Device::Gpu(gpus.saturating_sub(1));
    let what = match name.trim_ascii() {
        b"Product Name" => {
            if let Some(name) = name::value(What::Gpu, value) {
                row(device, What::Gpu, name, offset(text, value));
            }
            return true;
        }
        b"Total" => What::Capacity,
        b"Reserved" => What::SystemReserved,
        b"Used" => What::Used,
        b"Free" => What::Free,
        b"Used GPU Memory" => What::GpuProcess,
        _ => return false,
    };
    let size = Size::read(value, Base::Binary).filter(|_| *memory || what == What::GpuProcess);
    if let Some(size) = size {
        row(device, what, Value::Size(size.floored()), offset(text, value));
    }
    size.is_some()
}

/// A word that is a number and nothing else.
fn whole(word: &[u8]) -> Option<Number<'_>> {
    Number::read(word).filter(|number| number.rest.is_empty())
}

/// "    0  65000    512      0": what is in use on a GPU, or by a process of it.
pub(super) fn monitor(text: &[u8], memory: usize, processes: bool, row: Row<'_>) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    if text.trim_ascii_start().starts_with(b"#") {
        return true;
    }
    let Some(gpu) = words.next().and_then(whole).and_then(|it| u16::try_from(it.count()?).ok()) else { return false };
    let Some(word) = words.nth(memory) else { return false };
    // A GPU without a process has a hyphen there.
    let Some(size) = whole(word).and_then(|number| number.size(Unit::MIB.bytes(Base::Binary))) else { return true };
    let what = if processes { What::GpuProcess } else { What::Used };
    row(Device::Gpu(gpu), what, Value::Size(size.floored()), offset(text, word));
    true
}

/// "GPU 0: NVIDIA L40S (UUID: GPU-...)", and without what stands in brackets as PyTorch's `collect_env` has it.
pub(super) fn listed(text: &[u8], row: Row<'_>) -> bool {
    let number = unquoted(text).strip_prefix(b"GPU ").and_then(Number::read);
    let Some((gpu, name)) =
        number.and_then(|it| Some((u16::try_from(it.count()?).ok()?, it.rest.strip_prefix(b": ")?)))
    else {
        return false;
    };
    let name = name.get(..scan::find(name, b" (UUID: ").unwrap_or(name.len())).unwrap_or_default();
    if let Some(value) = name::value(What::Gpu, name) {
        row(Device::Gpu(gpu), What::Gpu, value, offset(text, name));
    }
    true
}
