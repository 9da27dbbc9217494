//! Tables of other programs' estimates: `accelerate estimate-memory`, and DeepSpeed's formulas for ZeRO.

use super::{Row, offset};
use crate::report::{Device, Value};
use crate::scan::{self, Number};
use crate::size::{Base, MOST, Size};
use crate::what::What;

/// "│ float32 │   1.25 GB   │ 27.98 GB │      111.92 GB      │"
pub(super) fn accelerate(text: &[u8], row: Row<'_>) -> bool {
    let Ok(line) = core::str::from_utf8(text) else { return false };
    let mut cells = line.split(['│', '|']).map(str::trim).filter(|cell| !cell.is_empty());
    let dtypes = ["float32", "float16/bfloat16", "float16", "bfloat16", "int8", "int4"];
    let Some(dtype) = cells.next().filter(|cell| dtypes.contains(cell)) else {
        // Rules and heads.
        return line.contains(['│', '─', '|', '-']);
    };
    let first = dtype.split('/').next().unwrap_or(dtype);
    row(Device::Unsaid, What::Dtype, Value::Name(first.into()), offset(text, dtype.as_bytes()));
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

/// `70.00GB | 0.25GB | offload_param=cpu , offload_optimizer=cpu , zero_init=1`: host memory and each GPU's, with what is offloaded.
pub(super) fn zero(text: &[u8], row: Row<'_>) -> bool {
    // "HW: Setup with 1 node, 8 GPUs per node." and "SW: Model with 2783M total params, 65M largest layer params."
    if let Some(rest) = scan::behind(text, "SW: Model with ") {
        let million = Number::read(rest).filter(|number| number.rest.starts_with(b"M total params"));
        if let Some(count) = million.and_then(|number| number.count()?.checked_mul(1_000_000)) {
            row(Device::Unsaid, What::Parameters, Value::Count(count), offset(text, rest));
        }
        return true;
    }
    if let Some(rest) = scan::behind(text, " node, ").filter(|_| scan::has(text, "HW: Setup with ")) {
        if let Some(count) = Number::read(rest).and_then(|number| number.count()) {
            row(Device::Unsaid, What::GpuCount, Value::Count(count), offset(text, rest));
        }
        return true;
    }
    let mut cells = text.split(|byte| *byte == b'|').map(<[u8]>::trim_ascii);
    let (Some(host), Some(gpu), Some(options)) = (cells.next(), cells.next(), cells.next()) else { return false };
    let offloads = |name: &str| scan::behind(options, name).is_some_and(|value| !value.starts_with(b"none"));
    // Up to 0.4 the options had other names, of which one is 0 or 1.
    let what = if offloads("offload_param=") || scan::has(options, "cpu_offload_params=1") {
        What::AllOffloaded
    } else if offloads("offload_optimizer=") || scan::has(options, "cpu_offload=1") {
        What::OptimizerOffloaded
    } else if scan::has(options, "offload") {
        What::NotOffloaded
    } else {
        return false;
    };
    for (cell, device) in [(gpu, Device::Unsaid), (host, Device::Host)] {
        if let Some(size) = Size::read(cell, Base::Binary) {
            row(device, what, Value::Size(size), offset(text, cell));
        }
    }
    true
}

/// `   denoise_latents   1  422.129s   1.012G`: the most that `PyTorch` held during a node, told where it is more than before.
pub(super) fn node(text: &[u8], most: &mut i64, row: Row<'_>) -> bool {
    let text = text.trim_ascii_end();
    let at = text.iter().rposition(|byte| *byte == b' ').unwrap_or_default();
    let (front, word) = text.split_at_checked(at).unwrap_or_default();
    let size = Size::read(word.trim_ascii_start(), Base::Binary).filter(|_| front.trim_ascii_end().ends_with(b"s"));
    if let Some(size) = size.filter(|size| size.bytes > *most) {
        *most = size.bytes;
        row(Device::Unsaid, What::PeakAllocated, Value::Size(size), at + 1);
    }
    size.is_some()
}

/// "Pages free:   4096.": those that are free, inactive and speculative can be had, and the last of them comes last.
pub(super) fn page(text: &[u8], bytes: u64, free: &mut i64, row: Row<'_>) -> bool {
    let Some(number) = scan::behind(text, ":") else { return false };
    let name = |word: &str| text.starts_with(word.as_bytes());
    let last = name("Pages speculative");
    if last || name("Pages free") || name("Pages inactive") {
        let size = Number::read(scan::unspaced(number)).and_then(|pages| pages.size(bytes));
        *free = free.saturating_add(size.map_or(0, |size| size.bytes)).min(MOST);
    }
    if last {
        row(Device::Host, What::HostFree, Value::Size(Size::exact(*free)), offset(text, number));
    }
    name("Pages ")
}
