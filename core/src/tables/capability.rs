//! The generation of an NVIDIA GPU, by which programs decide what they run on it.

use core::fmt;

use super::gpus::Gpu;

/// NVIDIA's compute capability, such as 8.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability {
    /// In front of the dot.
    pub major: u8,
    /// Behind it.
    pub minor: u8,
}

/// The first of the generation named Blackwell.
pub const BLACKWELL: Capability = Capability::new(10, 0);

/// The first generation with units for fp8.
pub const NATIVE_FP8: Capability = Capability::new(8, 9);

impl Capability {
    /// From its two numbers.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Capabilities, by how the id of a GPU begins; longer beginnings first. Source: NVIDIA's list (developer.nvidia.com/cuda-gpus), read 2026-11-23.
const CAPABILITIES: [(&str, Capability); 28] = [
    ("p40", Capability::new(6, 1)),
    ("v100", Capability::new(7, 0)),
    ("t4", Capability::new(7, 5)),
    ("gtx16", Capability::new(7, 5)),
    ("rtx20", Capability::new(7, 5)),
    ("a30", Capability::new(8, 0)),
    ("a100", Capability::new(8, 0)),
    ("a800", Capability::new(8, 0)),
    ("a10", Capability::new(8, 6)),
    ("a40", Capability::new(8, 6)),
    ("rtx30", Capability::new(8, 6)),
    ("rtxa", Capability::new(8, 6)),
    ("l4", Capability::new(8, 9)),
    ("rtx40", Capability::new(8, 9)),
    ("rtx4500ada", Capability::new(8, 9)),
    ("rtx5000ada", Capability::new(8, 9)),
    ("rtx6000ada", Capability::new(8, 9)),
    ("h100", Capability::new(9, 0)),
    ("h800", Capability::new(9, 0)),
    ("h20", Capability::new(9, 0)),
    ("b200", Capability::new(10, 0)),
    ("gb200", Capability::new(10, 0)),
    ("b300", Capability::new(10, 3)),
    ("gb300", Capability::new(10, 3)),
    ("jetson-thor", Capability::new(11, 0)),
    ("rtx50", Capability::new(12, 0)),
    ("rtxpro", Capability::new(12, 0)),
    ("gb10", Capability::new(12, 1)),
];

/// The compute capability of a GPU; `None` for other makers' GPUs.
///
/// ```
/// use memory_wall_core::tables::{capability, gpus};
/// let of = |id| capability::of(gpus::by_id(id).unwrap()).map(|it| it.to_string());
/// assert_eq!((of("t4").as_deref(), of("rtx4090").as_deref(), of("mi300x")), (Some("7.5"), Some("8.9"), None));
/// ```
pub fn of(gpu: &Gpu) -> Option<Capability> {
    if gpu.stated_capability.is_some() {
        return gpu.stated_capability;
    }
    let known = CAPABILITIES.iter().find(|(id, _)| gpu.id.starts_with(id));
    known.filter(|_| gpu.vendor == "NVIDIA").map(|(_, capability)| *capability)
}

/// Whether a GPU is of the generation named Blackwell, or of a later one.
pub fn is_blackwell(gpu: &Gpu) -> bool {
    of(gpu).is_some_and(|has| has >= BLACKWELL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::gpus::GPUS;

    #[test]
    fn every_nvidia_gpu_has_one() {
        for gpu in GPUS {
            assert_eq!(of(gpu).is_some(), gpu.vendor == "NVIDIA", "{}", gpu.id);
        }
    }

    #[test]
    fn a_name_that_begins_like_another_generations_is_told_apart() {
        use crate::tables::gpus::by_id;
        for (id, told) in [("rtx5000ada", (8, 9)), ("rtx5060", (12, 0)), ("rtxpro5000", (12, 0)), ("p40", (6, 1))] {
            assert_eq!(by_id(id).and_then(of), Some(Capability::new(told.0, told.1)), "{id}");
        }
    }

    #[test]
    fn native_units_agree_with_it() {
        for gpu in GPUS {
            let Some(capability) = of(gpu) else { continue };
            assert_eq!(capability >= Capability::new(8, 0), gpu.peaks.bf16.is_some(), "{}", gpu.id);
            assert_eq!(capability >= Capability::new(8, 9), gpu.peaks.fp8.is_some(), "{}", gpu.id);
        }
    }
}
