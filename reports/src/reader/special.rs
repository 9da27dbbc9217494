//! Texts that begin something which takes more than one pattern to read.

use crate::what::Kind;

/// What other texts begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Traceback,
    Frame,
    Message(Kind),
    NvidiaTable,
    NvidiaRow,
    NvidiaParts,
    NvidiaQuery,
    Csv,
    RocmTable,
    Accelerate,
    Buffers,
    OneBuffer,
    Stats,
}

/// The texts by which they are found.
pub(super) const SPECIAL: &[(&str, Special)] = &[
    ("Traceback (most recent call last)", Special::Traceback),
    ("File \"", Special::Frame),
    ("CUDA out of memory", Special::Message(Kind::Cuda)),
    ("HIP out of memory", Special::Message(Kind::Hip)),
    ("MPS backend out of memory", Special::Message(Kind::Mps)),
    ("XPU out of memory", Special::Message(Kind::Xpu)),
    ("NPU out of memory", Special::Message(Kind::Npu)),
    ("can NOT allocate memory block", Special::Message(Kind::Xpu)),
    ("Tried to allocate", Special::Message(Kind::Cuda)),
    ("NVIDIA-SMI ", Special::NvidiaTable),
    // Rows that were copied without their head.
    ("Off |", Special::NvidiaRow),
    ("On  |", Special::NvidiaRow),
    ("Default |", Special::NvidiaRow),
    ("Process |", Special::NvidiaRow),
    ("MIG devices:", Special::NvidiaParts),
    ("NVSMI LOG", Special::NvidiaQuery),
    ("memory.used", Special::Csv),
    ("memory.total", Special::Csv),
    ("memory.free", Special::Csv),
    ("used_gpu_memory", Special::Csv),
    ("VRAM Total Memory (B),", Special::Csv),
    ("VRAM%", Special::RocmTable),
    ("Memory Usage for loading", Special::Accelerate),
    ("Total hbm usage >=", Special::Buffers),
    ("Peak buffers:", Special::Buffers),
    // One of its buffers, copied without the head.
    ("Buffer ", Special::OneBuffer),
    ("Largest program allocations", Special::Buffers),
    ("allocated_bytes", Special::Stats),
    ("reserved_bytes", Special::Stats),
    ("active_bytes", Special::Stats),
    ("requested_bytes", Special::Stats),
    ("inactive_split_bytes", Special::Stats),
    ("num_ooms", Special::Stats),
    ("num_alloc_retries", Special::Stats),
];
