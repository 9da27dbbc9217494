//! What the drivers' tools print line by line; their tables are read by [`crate::tables`].
//!
//! Read in November 2026: `rocm_smi.py` of `ROCm` (`--showmeminfo vram`, plain and JSON).

use super::line;
use crate::pattern::{Hole, Pattern};
use crate::size::Unit;
use crate::what::{Kind, What};

const fn rocm(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::RocmSmi, text, holes)
}

pub(super) const LINES: &[Pattern] = &[
    rocm("GPU[{}] : VRAM Total Memory (B): {}", &[Hole::Device, Hole::Of(What::Capacity, Unit::BYTE)]),
    rocm("GPU[{}] : VRAM Total Used Memory (B): {}", &[Hole::Device, Hole::Of(What::Used, Unit::BYTE)]),
    rocm("GPU[{}] : Card series: {}", &[Hole::Device, Hole::Name(What::Gpu)]),
    rocm("GPU[{}] : Card Series: {}", &[Hole::Device, Hole::Name(What::Gpu)]),
    rocm("\"Card Series\": \"{}\"", &[Hole::Name(What::Gpu)]),
    rocm("\"VRAM Total Memory (B)\": \"{}\"", &[Hole::Of(What::Capacity, Unit::BYTE)]),
    rocm("\"VRAM Total Used Memory (B)\": \"{}\"", &[Hole::Of(What::Used, Unit::BYTE)]),
];
