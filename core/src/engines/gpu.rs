//! What a program's own buffers depend on in a GPU.

use crate::tables::capability;
use crate::tables::gpus::Gpu;
use crate::units::ByteRate;

/// Streaming multiprocessors of a GPU; those of an H100 where no GPU is named, and as many as the largest GPU has where they are not published.
pub(super) fn multiprocessors(gpu: Option<&Gpu>) -> u64 {
    gpu.map_or(132, |gpu| gpu.on_chip.units.map_or(160, u64::from))
}

/// The workspace that PyTorch gives cuBLAS on other GPUs than Hopper's.
pub(super) const SMALL_WORKSPACE: u64 = 4_096 * 1_024 * 2 + 16 * 1_024 * 8;

/// The workspace that PyTorch gives cuBLAS (`CUDABlas.cpp`): 32 MiB with compute capability 9.0, and where no GPU is named or nothing is stated of it.
pub(super) fn cublas_workspace(gpu: Option<&Gpu>) -> u64 {
    let hopper =
        gpu.is_none_or(|gpu| capability::of(gpu).map_or_else(|| gpu.is_own(), |has| (has.major, has.minor) == (9, 0)));
    if hopper { 32 << 20 } else { SMALL_WORKSPACE }
}

/// How the GPUs of a server reach each other, as far as the buffers of communication depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// NVLink through a switch that sums and copies by itself (Hopper and Blackwell servers): NCCL and symmetric memory keep large buffers.
    Switch,
    /// Another fast link: NVLink before Hopper or in pairs, Infinity Fabric.
    Fast,
    /// PCIe, with or without a bridge between pairs.
    Pcie,
}

impl Link {
    /// That of a GPU; a switch where no GPU is named, as in the logs of H100 servers.
    pub fn of(gpu: Option<&Gpu>) -> Self {
        let Some(gpu) = gpu else { return Self::Switch };
        match gpu.peer_link.map_or(0.0, ByteRate::as_gb_per_s) {
            rate if rate < 100.0 => Self::Pcie,
            rate if rate >= 450.0 && gpu.vendor == "NVIDIA" => Self::Switch,
            _ => Self::Fast,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::gpus;

    #[test]
    fn gpus_are_told_apart() {
        let of = |id| (multiprocessors(gpus::by_id(id)), cublas_workspace(gpus::by_id(id)), Link::of(gpus::by_id(id)));
        assert_eq!(of("h200-sxm"), (132, 33_554_432, Link::Switch));
        assert_eq!(of("h20"), (78, 33_554_432, Link::Switch));
        assert_eq!(of("h20-3e"), (78, 33_554_432, Link::Switch));
        assert_eq!(of("a100-80-sxm"), (108, 8_519_680, Link::Fast));
        assert_eq!(of("h800-sxm"), (132, 33_554_432, Link::Fast));
        assert_eq!(of("h100-pcie"), (114, 33_554_432, Link::Fast));
        assert_eq!(of("rtx4090"), (128, 8_519_680, Link::Pcie));
        assert_eq!(of("rtx3090"), (82, 8_519_680, Link::Pcie));
        assert_eq!(of("mi300x").2, Link::Fast);
        assert_eq!(of("no such GPU"), (132, 33_554_432, Link::Switch));
    }
}
