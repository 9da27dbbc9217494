//! A GPU of the reader's own, of which no more is known than is stated.

use core::num::NonZeroU32;

use super::{CapacityBasis, Gpu, OnChip, Peak, Peaks};
use crate::tables::capability::Capability;
use crate::units::{ByteRate, Bytes};

/// A GPU of the reader's own before anything of it is stated: without memory, bandwidth, rates and links.
pub static OWN: Gpu = Gpu {
    id: "own",
    name: "a GPU of your own",
    vendor: "",
    year: 0,
    printed_gb: 0,
    capacity: Bytes::ZERO,
    capacity_most: Bytes::ZERO,
    capacity_basis: CapacityBasis::Stated,
    memory: "",
    bandwidth: ByteRate(0.0),
    host_link: None,
    peer_link: None,
    peaks: Peaks { fp32: None, tf32: None, fp16: None, bf16: None, fp8: None, int8: None, fp4: None },
    on_chip: OnChip { units: None, l1_kib: None, l2_mib: None, llc_mib: None, boost_mhz: None },
    stated_capability: None,
};

/// The first generation of NVIDIA with bf16.
const WITH_BF16: Capability = Capability::new(8, 0);

impl Peak {
    /// A whole number of TFLOP/s; none is no unit.
    ///
    /// ```
    /// use memory_wall_core::tables::gpus::Peak;
    /// assert_eq!(Peak::whole(312).map(Peak::tflops), Some(312.0));
    /// assert_eq!(Peak::whole(0), None);
    /// ```
    pub const fn whole(tflops: u32) -> Option<Self> {
        match NonZeroU32::new(tflops.saturating_mul(100)) {
            Some(hundredths) => Some(Self(hundredths)),
            None => None,
        }
    }
}

impl Gpu {
    /// Whether it is the reader's own, and in no table.
    pub fn is_own(&self) -> bool {
        self.capacity_basis == CapacityBasis::Stated
    }

    /// The same with so much memory.
    #[must_use]
    pub const fn with_memory(self, memory: Bytes) -> Self {
        Self { capacity: memory, capacity_most: memory, ..self }
    }

    /// The same as a GPU of NVIDIA's with this compute capability; those of computers that share their memory are known by it.
    ///
    /// # Source
    /// NVIDIA's list (developer.nvidia.com/cuda-gpus): 11.0 is Jetson Thor, 12.1 is GB10. Read 2026-11-26.
    #[must_use]
    pub const fn with_capability(self, has: Capability) -> Self {
        let shared = matches!((has.major, has.minor), (11, 0) | (12, 1));
        let memory = if shared { "LPDDR5X" } else { "" };
        Self { vendor: "NVIDIA", memory, stated_capability: Some(has), ..self }
    }

    /// The same with this dense peak in 16 bits: of fp16, and of bf16 where the generation has it.
    #[must_use]
    pub fn with_16_bits(self, peak: Option<Peak>) -> Self {
        let bf16 = peak.filter(|_| self.stated_capability.is_none_or(|has| has >= WITH_BF16));
        Self { peaks: Peaks { fp16: peak, bf16, ..self.peaks }, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::precision::ComputePrecision;
    use crate::tables::capability;
    use crate::tables::classes::Class;

    #[test]
    fn nothing_is_known_of_it_but_what_is_stated() {
        assert!(OWN.is_own() && super::super::GPUS.iter().all(|gpu| !gpu.is_own() && gpu.id != OWN.id));
        assert!(capability::of(&OWN).is_none());
        let turing = OWN.with_capability(Capability::new(7, 5)).with_16_bits(Peak::whole(65));
        assert_eq!(turing.peaks.at(ComputePrecision::Bf16), None);
        assert_eq!(turing.peaks.fp16.map(Peak::tflops), Some(65.0));
        assert_eq!(capability::of(&turing), Some(Capability::new(7, 5)));
        let unknown = OWN.with_16_bits(Peak::whole(65));
        assert!(unknown.peaks.bf16.is_some());
        assert_eq!(OWN.with_capability(Capability::new(12, 1)).class(), Class::Unified);
        assert_eq!(OWN.with_memory(Bytes(7)).reported().range(), None);
    }
}
