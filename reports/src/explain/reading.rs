//! The three numbers that an estimate is held against, and the request that a run died of: what a panel with fields shows.

use memory_wall_core::Bytes;
use memory_wall_core::profile::{Reading, Request};

use super::Message;
use crate::what::{Kind, What};
use crate::{Found, Report, Size};

/// What was measured, by all reports together; of a run that died what it held then, and what it asked for.
///
/// ```
/// use memory_wall_core::Bytes;
/// use memory_wall_reports::{explain::reading, read};
/// let found = read(b"{'allocated_bytes.all.peak': 4096, 'reserved_bytes.all.peak': 8192}");
/// let (reading, request) = reading(&found);
/// assert_eq!((reading.allocated, reading.reserved), (Some(Bytes(4096)), Some(Bytes(8192))));
/// assert_eq!((reading.used, request), (None, None));
/// ```
pub fn reading(found: &Found) -> (Reading, Option<Request>) {
    let reports = || found.reports.iter();
    let died =
        reports().rfind(|report| matches!(report.kind, Kind::Cuda | Kind::Hip | Kind::Xpu | Kind::Npu | Kind::Mps));
    let message = died.map(Message::of).unwrap_or_default();
    let greatest = |what| reports().filter_map(|report| report.greatest(what)).max().and_then(bytes);
    let asked = message.asked.and_then(|size| Some(Request { bytes: bytes(size)?, grain: Bytes(size.grain.into()) }));
    // A request comes on top of what was there when it failed, not on top of an earlier peak.
    let live = message.allocated.and_then(bytes);
    let held = live.zip(message.reserved_free.and_then(bytes)).map(|(live, free)| live + free);
    let allocated = if asked.is_some() { live } else { greatest(What::PeakAllocated).or(live) };
    let smi = |report: &Report| if report.kind == Kind::NvidiaSmi { report.greatest(What::Used) } else { None };
    let used = message.process.or_else(|| reports().filter_map(smi).max()).and_then(bytes);
    let reserved = if asked.is_some() { held } else { None };
    let reading = Reading {
        allocated,
        asked: asked.map(|request| request.bytes),
        reserved: reserved.or_else(|| greatest(What::PeakReserved)),
        used,
    };
    (reading, asked)
}

fn bytes(size: Size) -> Option<Bytes> {
    u128::try_from(size.bytes).ok().map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use memory_wall_core::profile;

    /// Texts that both readers know, and what both must say.
    #[test]
    fn what_the_panel_reads_today_is_read_alike() {
        for text in [
            "{'allocated_bytes.all.peak': 22548578304, 'reserved_bytes.all.peak': 23156752384, 'x': 1}",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.11 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 68.36 GiB memory in use. Of the allocated memory 64.50 GiB is allocated by PyTorch, and 2.75 GiB is reserved by PyTorch but unallocated.",
            "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 3; 7.79 GiB total capacity; 5.36 GiB already allocated; 19.31 MiB free; 5.42 GiB reserved in total by PyTorch)",
            "|                  PyTorch CUDA memory summary, device ID 0                 |\n| Allocated memory      |  12057 MiB |  21504 MiB |   3812 GiB |   3801 GiB |\n| GPU reserved memory   |  22084 MiB |  22084 MiB |  22084 MiB |      0 B   |\n",
            "|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n| N/A   34C    P0             284W / 400W |      4MiB / 81920MiB |    100%      Default |\n|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:0F:00.0 Off |                    0 |\n| N/A   41C    P0             301W / 400W |  15012MiB / 81920MiB |    100%      Default |\n",
            "| N/A   41C    P0             301W / 400W |  15012MiB / 81920MiB |    100%      Default |",
            "| NVIDIA-SMI 580.1 |\n|   0  NVIDIA L40S   On  |   00000000:8D:00.0 Off |  0 |\n| N/A   39C    P0   104W /  325W |     803MiB /  46068MiB |      0%      Default |\n",
        ] {
            let before = profile::read(text);
            let (reading, request) = reading(&read(text.as_bytes()));
            let found = before.found.map(profile::Found::size);
            // The old reader cuts each of the sizes that are added up.
            let near = |one: Option<Bytes>, other: Option<Bytes>| match (one, other) {
                (Some(one), Some(other)) => one.0.abs_diff(other.0) <= 1,
                (one, other) => one == other,
            };
            assert!(
                near(reading.allocated, found[0]) && near(reading.reserved, found[1]) && near(reading.used, found[2]),
                "{reading:?} {found:?}"
            );
            assert_eq!(request.map(|request| request.bytes), before.asked.map(|request| request.bytes), "{text}");
        }
    }
}
