//! Tables: of `nvidia-smi` in its three forms, of `rocm-smi`, of `accelerate estimate-memory`, and the list of XLA's largest buffers.
//!
//! A table is begun by its head, and each line behind it belongs to it until one does not.

use alloc::vec::Vec;

use crate::name;
use crate::pattern;
use crate::report::{Device, Value};
use crate::scan::{self, Number};
use crate::size::{Base, Size, Unit};
use crate::what::{Kind, What};

/// What a row hands on: the device, what it is, its value, and where it stands in the line.
pub(crate) type Row<'a> = &'a mut dyn FnMut(Device, What, Value, usize);

/// Lines of a table that say nothing before it counts as ended.
const IDLE: u16 = 120;
/// Columns of a table.
const COLUMNS: usize = 64;

/// A table that has begun.
#[derive(Debug)]
pub(crate) enum Table {
    /// The default output of `nvidia-smi`.
    Nvidia {
        /// The GPU whose row came last.
        gpu: Option<u16>,
        /// Whether the list of processes has begun.
        processes: bool,
        /// Whether the parts of split GPUs have begun, which are no GPUs.
        parts: bool,
    },
    /// `nvidia-smi -q`.
    NvidiaQuery {
        /// GPUs so far.
        gpus: u16,
        /// Whether the block of the GPU's own memory has begun.
        memory: bool,
    },
    /// `nvidia-smi --query-gpu=... --format=csv`, and `rocm-smi --csv`: the program, the columns, and the rows so far.
    Csv(Kind, Vec<Option<(What, Unit)>>, u16),
    /// The default output of `rocm-smi`.
    Rocm,
    /// `accelerate estimate-memory`.
    Accelerate,
    /// The largest buffers of XLA.
    Buffers,
}

impl Table {
    /// Whose report it is.
    pub(crate) const fn kind(&self) -> Kind {
        match self {
            Self::Nvidia { .. } | Self::NvidiaQuery { .. } => Kind::NvidiaSmi,
            Self::Csv(kind, ..) => *kind,
            Self::Rocm => Kind::RocmSmi,
            Self::Accelerate => Kind::Accelerate,
            Self::Buffers => Kind::Xla,
        }
    }

    /// After how many lines without a number it has ended.
    pub(crate) const fn patience(&self) -> u16 {
        match self {
            Self::NvidiaQuery { .. } => 4 * IDLE,
            Self::Csv(..) | Self::Accelerate => 3,
            Self::Nvidia { .. } | Self::Rocm => 24,
            Self::Buffers => IDLE,
        }
    }

    /// The columns of a head of comma-separated values, if it is one of `nvidia-smi` or `rocm-smi`.
    pub(crate) fn csv(text: &[u8]) -> Option<Self> {
        let mut known = 0;
        let columns = text.split(|byte| *byte == b',').take(COLUMNS).map(|cell| {
            let cell = cell.trim_ascii();
            let unit = if scan::has(cell, "[MiB]") { Unit::MIB } else { Unit::BYTE };
            let name = cell.split(|byte| *byte == b' ').next().unwrap_or_default();
            let what = match name {
                b"Card" if cell.eq_ignore_ascii_case(b"card series") => What::Gpu,
                b"VRAM" if cell == b"VRAM Total Memory (B)" => What::Capacity,
                b"VRAM" if cell == b"VRAM Total Used Memory (B)" => What::Used,
                b"name" => What::Gpu,
                b"index" => What::GpuCount,
                b"memory.total" => What::Capacity,
                b"memory.used" => What::Used,
                b"memory.free" => What::Free,
                b"used_memory" | b"used_gpu_memory" => What::GpuProcess,
                _ => return None,
            };
            known += usize::from(!matches!(what, What::Gpu | What::GpuCount));
            Some((what, unit))
        });
        let columns: Vec<_> = columns.collect();
        let kind = if scan::has(text, "VRAM Total") { Kind::RocmSmi } else { Kind::NvidiaSmi };
        (known > 0 && columns.len() > 1).then_some(Self::Csv(kind, columns, 0))
    }

    /// Whether a line is a row of a GPU in the default output of `nvidia-smi`, that of its name or that of its memory.
    pub(crate) fn is_nvidia_row(text: &[u8]) -> bool {
        let mut facts = 0;
        nvidia(text, &mut None, &mut false, &mut false, &mut |_, _, _, _| facts += 1);
        facts > 0
    }

    /// Takes a line of it; whether it said something.
    pub(crate) fn line(&mut self, text: &[u8], row: Row<'_>) -> bool {
        match self {
            Self::Nvidia { gpu, processes, parts } => nvidia(text, gpu, processes, parts, row),
            Self::NvidiaQuery { gpus, memory } => nvidia_query(text, gpus, memory, row),
            Self::Csv(_, columns, rows) => csv(text, columns, rows, row),
            Self::Rocm => rocm(text, row),
            Self::Accelerate => accelerate(text, row),
            Self::Buffers => buffer(text, row),
        }
    }
}

/// Where a part of a text begins in it.
fn offset(text: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

fn nvidia(text: &[u8], gpu: &mut Option<u16>, processes: &mut bool, parts: &mut bool, row: Row<'_>) -> bool {
    if scan::has(text, "Processes:") {
        *processes = true;
        return true;
    }
    if scan::has(text, "MIG devices:") {
        *parts = true;
        return true;
    }
    // Behind the marks of a quotation or of a notebook.
    let front = text.iter().take_while(|byte| b" \t\"'>#".contains(byte)).count();
    let line = text.get(front..).unwrap_or_default();
    let Some(inner) = line.strip_prefix(b"|") else { return line.first() == Some(&b'+') };
    let mut cells = inner.split(|byte| *byte == b'|');
    let first = cells.next().unwrap_or_default();
    let number = Number::read(first).and_then(|number| Some((u16::try_from(number.count()?).ok()?, number.rest)));
    if *processes {
        // The number of the GPU stands first, and what the process takes last.
        let cell = first.trim_ascii_end();
        let start = cell.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
        let size = cell.get(start..).and_then(|word| Some((Size::read(word, Base::Binary)?.floored(), word)));
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
        let Some(at) = scan::find(cell, b"MiB /") else { continue };
        let (used, total) = (cell, cell.get(at + 5..).unwrap_or_default());
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

fn nvidia_query(text: &[u8], gpus: &mut u16, memory: &mut bool, row: Row<'_>) -> bool {
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

fn csv(text: &[u8], columns: &[Option<(What, Unit)>], rows: &mut u16, row: Row<'_>) -> bool {
    let cells = || text.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
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
            row(Device::Gpu(gpu), what, value, offset(text, cell));
        }
    }
    *rows = rows.saturating_add(u16::from(said));
    said
}

/// A row of `rocm-smi`, whose last two numbers are percent: of the memory, and of the time.
fn rocm(text: &[u8], row: Row<'_>) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let Some(gpu) =
        words.next().and_then(Number::read).filter(|number| number.rest.is_empty()).and_then(|it| it.count())
    else {
        return false;
    };
    let percents: Vec<&[u8]> = words.filter(|word| word.last() == Some(&b'%')).collect();
    let [.., memory, _] = percents.as_slice() else { return false };
    let (Some(share), Ok(gpu)) = (Number::read(memory).and_then(|number| number.millionths()), u16::try_from(gpu))
    else {
        return false;
    };
    row(Device::Gpu(gpu), What::UsedShare, Value::Millionths(share / 100), offset(text, memory));
    true
}

/// "│ float32 │   1.25 GB   │ 27.98 GB │      111.92 GB      │"
fn accelerate(text: &[u8], row: Row<'_>) -> bool {
    let Ok(line) = core::str::from_utf8(text) else { return false };
    let mut cells = line.split(['│', '|']).map(str::trim).filter(|cell| !cell.is_empty());
    let Some(dtype) = cells.next().filter(|cell| matches!(*cell, "float32" | "float16" | "bfloat16" | "int8" | "int4"))
    else {
        // Rules and heads.
        return line.contains(['│', '─', '|', '-']);
    };
    row(Device::Unsaid, What::Dtype, Value::Name(dtype.into()), offset(text, dtype.as_bytes()));
    let weights = match dtype {
        "float32" => What::WeightsFp32,
        "int8" => What::Weights8Bits,
        "int4" => What::Weights4Bits,
        _ => What::Weights16Bits,
    };
    for (cell, what) in cells.zip([What::LargestLayer, weights, What::TrainingSize]) {
        if let Some(size) = Size::read(cell.as_bytes(), Base::Binary) {
            row(Device::Unsaid, what, Value::Size(size), offset(text, cell.as_bytes()));
        }
    }
    true
}

/// A line of what a compiled program takes in all, or of one of XLA's largest buffers: its size, or its shape.
fn buffer(text: &[u8], row: Row<'_>) -> bool {
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
