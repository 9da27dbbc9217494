//! What the drivers' tools print line by line; their tables are read by [`crate::tables`].
//!
//! Read in November 2026: `rocm_smi.py` of `ROCm` (`--showmeminfo vram`, plain and JSON), `amd-smi metric` (`amdsmi_commands.py`, whose MB
//! are powers of 1,024), `xpu-smi stats` and `discovery` (intel/llm-scaler#578), DCGM's exporter, and `nvtop`, whose Gi are powers of 1,024
//! (Syllo/nvtop#243).

use super::line;
use crate::pattern::{Hole, Pattern};
use crate::size::Unit;
use crate::what::{Kind, What};

const fn rocm(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::RocmSmi, text, holes)
}

const USED: &[Hole] = &[Hole::Device, Hole::Skip, Hole::Name(What::Gpu), Hole::Skip, Hole::Of(What::Used, Unit::MIB)];
const FREE: &[Hole] = &[Hole::Device, Hole::Skip, Hole::Name(What::Gpu), Hole::Skip, Hole::Of(What::Free, Unit::MIB)];

pub(super) const LINES: &[Pattern] = &[
    rocm("GPU[{}] : VRAM Total Memory (B): {}", &[Hole::Device, Hole::Of(What::Capacity, Unit::BYTE)]),
    rocm("GPU[{}] : VRAM Total Used Memory (B): {}", &[Hole::Device, Hole::Of(What::Used, Unit::BYTE)]),
    rocm("GPU[{}] : Card series: {}", &[Hole::Device, Hole::Name(What::Gpu)]),
    rocm("GPU[{}] : Card Series: {}", &[Hole::Device, Hole::Name(What::Gpu)]),
    line(Kind::AmdSmi, "MARKET_NAME: {}", &[Hole::Name(What::Gpu)]),
    line(Kind::AmdSmi, "TOTAL_VRAM: {}", &[Hole::Size(What::Capacity)]),
    line(Kind::AmdSmi, "USED_VRAM: {}", &[Hole::Size(What::Used)]),
    line(Kind::AmdSmi, "FREE_VRAM: {}", &[Hole::Size(What::Free)]),
    line(Kind::XpuSmi, "Device Name: {} |", &[Hole::Name(What::Gpu)]),
    line(Kind::XpuSmi, "Memory Physical Size: {}", &[Hole::Size(What::Capacity)]),
    line(Kind::XpuSmi, "GPU Memory Used (MiB)  | {}", &[Hole::Of(What::Used, Unit::MIB)]),
    line(Kind::Dcgm, "DCGM_FI_DEV_FB_USED{gpu=\"{}\",{}modelName=\"{}\"{}} {}", USED),
    line(Kind::Dcgm, "DCGM_FI_DEV_FB_FREE{gpu=\"{}\",{}modelName=\"{}\"{}} {}", FREE),
    line(Kind::Nvtop, "Device {} [{}]", &[Hole::Device, Hole::Name(What::Gpu)]),
    line(Kind::Nvtop, "MEM[{}{}/{}]", &[Hole::Bar, Hole::Size(What::Used), Hole::Size(What::Capacity)]),
    // PyTorch's `collect_env` where there is one.
    line(Kind::NvidiaSmi, "GPU models and configuration: GPU {}: {}", &[Hole::Device, Hole::Name(What::Gpu)]),
    rocm("\"Card Series\": \"{}\"", &[Hole::Name(What::Gpu)]),
    rocm("\"VRAM Total Memory (B)\": \"{}\"", &[Hole::Of(What::Capacity, Unit::BYTE)]),
    rocm("\"VRAM Total Used Memory (B)\": \"{}\"", &[Hole::Of(What::Used, Unit::BYTE)]),
];
