//! Comma-separated values of `nvidia-smi`, `rocm-smi` and `amd-smi`, with a head, with the command that says the columns, or with neither.

use alloc::vec::Vec;

use super::{Row, Table, offset, unquoted};
use crate::name;
use crate::reader::figures::monitored;
use crate::report::{Device, Value};
use crate::scan::{self, Number};
use crate::size::{Base, Size, Unit};
use crate::what::{Kind, What};

/// Columns of a table.
const COLUMNS: usize = 64;
/// Columns of Lightning's.
const MONITORED: usize = 512;

impl Table {
    /// The columns of a head of comma-separated values, or of the command that asks for them, if they are of a driver's tool.
    pub(crate) fn csv(text: &[u8]) -> Option<Self> {
        let asked = scan::behind(text, "--query-gpu=").or_else(|| scan::behind(text, "--query-compute-apps="));
        let words =
            asked.and_then(|list| list.split(|byte| byte.is_ascii_whitespace() || b"\"'`".contains(byte)).next());
        let (kind, most) = match text {
            text if text.starts_with(b"DeviceStats") => (Kind::Torch, MONITORED),
            text if scan::has(text, "VRAM Total") || scan::has(text, "Card Series,") => (Kind::RocmSmi, COLUMNS),
            text if text.starts_with(b"gpu,total_vram,") => (Kind::AmdSmi, COLUMNS),
            _ => (Kind::NvidiaSmi, COLUMNS),
        };
        let mut known = 0;
        let columns = words.unwrap_or_else(|| unquoted(text)).split(|byte| *byte == b',').take(most).map(|cell| {
            let cell = cell.trim_ascii();
            // What stands behind a command has no unit only where it was told to leave it out.
            let unit = if asked.is_some() || scan::has(cell, "[MiB]") || kind == Kind::AmdSmi {
                Unit::MIB
            } else {
                Unit::BYTE
            };
            let name = cell.split(|byte| *byte == b' ').next().unwrap_or_default();
            let what = match name {
                b"Card" if cell.eq_ignore_ascii_case(b"card series") => What::Gpu,
                b"VRAM" if cell == b"VRAM Total Memory (B)" => What::Capacity,
                b"VRAM" if cell == b"VRAM Total Used Memory (B)" => What::Used,
                b"name" | b"gpu_name" => What::Gpu,
                b"index" | b"gpu" => What::GpuCount,
                b"memory.total" | b"total_vram" => What::Capacity,
                b"memory.used" | b"used_vram" => What::Used,
                b"memory.free" | b"free_vram" => What::Free,
                b"used_memory" | b"used_gpu_memory" => What::GpuProcess,
                // Lightning's `DeviceStatsMonitor`, of which each row is a step.
                name => name.split(|byte| *byte == b'/').nth(1).and_then(monitored)?,
            };
            known += usize::from(what != What::GpuCount && (what != What::Gpu || kind == Kind::RocmSmi));
            Some((what, unit))
        });
        let columns: Vec<_> = columns.collect();
        (known > 0 && columns.len() > 1).then_some(Self::Csv(kind, columns, 0))
    }

    /// Whether another head may follow: a command stands above that of its rows, and a list of names above anything.
    pub(crate) const fn gives_way(&self) -> bool {
        matches!(self, Self::Csv(_, _, 0) | Self::Listed)
    }
}

pub(super) fn csv(kind: Kind, text: &[u8], columns: &[Option<(What, Unit)>], rows: &mut u16, row: Row<'_>) -> bool {
    let cells = || unquoted(text).split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    if cells().count() != columns.len() {
        return false;
    }
    let count =
        |cell: &[u8]| Number::read(cell).filter(|number| number.rest.is_empty()).and_then(|number| number.count());
    let index = cells().zip(columns).find(|(_, column)| matches!(column, Some((What::GpuCount, _))));
    let gpu = index.and_then(|(cell, _)| count(cell)).and_then(|index| u16::try_from(index).ok()).unwrap_or(*rows);
    let mut said = false;
    for (cell, column) in cells().zip(columns) {
        let value = match column {
            Some((What::Gpu, _)) => name::value(What::Gpu, cell).map(|value| (What::Gpu, value)),
            Some((What::GpuCount, _)) | None => None,
            Some((what, unit)) => {
                let number = Number::read(cell);
                // "81920 MiB", or "81920" below a head with the unit.
                let size = number.and_then(|number| match Unit::read(number.rest) {
                    Some((unit, _)) => number.size(unit.bytes(Base::Binary)),
                    None => number.size(unit.bytes(Base::Binary)).filter(|_| number.rest.is_empty()),
                });
                size.map(|size| (*what, Value::Size(size.floored())))
            }
        };
        if let Some((what, value)) = value {
            said = true;
            let device = if kind == Kind::Torch { Device::Unsaid } else { Device::Gpu(gpu) };
            row(device, what, value, offset(text, cell));
        }
    }
    *rows = rows.saturating_add(u16::from(said));
    // Rows of Lightning's between those of the monitor have its columns empty.
    said || kind == Kind::Torch
}

/// A row without a head: a GPU's name, and its memory where three sizes can only be all of it and its two parts.
pub(crate) fn headless(text: &[u8], gpus: u16, row: Row<'_>) -> bool {
    let cells = || unquoted(text).split(|byte| *byte == b',').map(<[u8]>::trim_ascii).take(COLUMNS);
    let mebibytes = |cell: &[u8]| {
        let size = Size::read(cell, Base::Binary)?;
        cell.ends_with(b" MiB").then(|| size.floored())
    };
    let named = cells().find_map(|cell| {
        let cell = scan::behind(cell, ": ").unwrap_or(cell);
        ["NVIDIA ", "Tesla ", "Quadro "]
            .iter()
            .any(|maker| cell.starts_with(maker.as_bytes()))
            .then(|| Some((cell, name::value(What::Gpu, cell)?)))?
    });
    let sizes: Vec<(&[u8], Size)> = cells().filter_map(|cell| Some((cell, mebibytes(cell)?))).collect();
    let (Some((name, value)), false) = (named, sizes.is_empty()) else { return false };
    let index = cells().next().and_then(Number::read).filter(|number| number.rest.is_empty());
    let gpu = index.and_then(|number| u16::try_from(number.count()?).ok()).unwrap_or(gpus);
    row(Device::Gpu(gpu), What::Gpu, value, offset(text, name));
    if let (Some((cell, all)), 3) = (sizes.iter().max_by_key(|(_, size)| size.bytes), sizes.len()) {
        // The driver keeps a few percent for itself.
        let parts = sizes.iter().map(|(_, size)| size.bytes).sum::<i64>() - all.bytes;
        if parts <= all.bytes && parts > all.bytes - all.bytes / 16 {
            row(Device::Gpu(gpu), What::Capacity, Value::Size(*all), offset(text, cell));
        }
    }
    true
}
