//! Accelerators: what they really hold, move and compute, each row with its source.

use core::num::NonZeroU32;

use crate::precision::ComputePrecision;
use crate::tables::capability::Capability;
use crate::units::{ByteRate, Bytes, FlopRate, MIB};

mod capacity;
mod own;
mod rows;
mod sources;

pub use capacity::{CapacityBasis, Range, Reported};
pub use own::OWN;
pub use rows::GPUS;

/// A peak rate in hundredths of a TFLOP/s, which hold every published figure exactly in half the space of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak(NonZeroU32);

impl Peak {
    const fn of(tflops: f64) -> Option<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "published peaks lie below 100,000 TFLOP/s"
        )]
        let hundredths = (tflops * 100.0 + 0.5) as u32;
        match NonZeroU32::new(hundredths) {
            Some(hundredths) => Some(Self(hundredths)),
            None => None,
        }
    }

    /// In TFLOP/s (int8: TOP/s).
    pub fn tflops(self) -> f64 {
        f64::from(self.0.get()) / 100.0
    }
}

/// Dense peak rates with fp32 accumulation, in TFLOP/s (int8: TOP/s); `None` is not supported or not published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peaks {
    /// Plain fp32.
    pub fp32: Option<Peak>,
    /// TF32 matrix units.
    pub tf32: Option<Peak>,
    /// fp16 matrix units.
    pub fp16: Option<Peak>,
    /// bf16 matrix units.
    pub bf16: Option<Peak>,
    /// fp8 matrix units.
    pub fp8: Option<Peak>,
    /// int8 matrix units.
    pub int8: Option<Peak>,
    /// fp4 matrix units.
    pub fp4: Option<Peak>,
}

impl Peaks {
    /// The peak at one precision.
    pub fn at(&self, precision: ComputePrecision) -> Option<FlopRate> {
        match precision {
            ComputePrecision::Fp32 => self.fp32,
            ComputePrecision::Tf32 => self.tf32,
            ComputePrecision::Fp16 => self.fp16,
            ComputePrecision::Bf16 => self.bf16,
            ComputePrecision::Fp8 => self.fp8,
            ComputePrecision::Int8 => self.int8,
            ComputePrecision::Fp4 => self.fp4,
        }
        .map(|peak| FlopRate::from_tflops(peak.tflops()))
    }
}

/// What lies on the chip itself, beside the memory that is soldered next to it; `None` is not published, or not found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnChip {
    /// Compute units: streaming multiprocessors (NVIDIA), compute units (AMD), cores (Apple).
    pub units: Option<u16>,
    /// L1 cache and shared memory of one unit in KiB, which on NVIDIA are one pool; on AMD the shared memory (LDS) alone.
    pub l1_kib: Option<u16>,
    /// L2 cache in MiB; on Gaudi the shared SRAM.
    pub l2_mib: Option<u16>,
    /// A last-level cache behind the L2 in MiB: the Infinity Cache of an Instinct GPU.
    pub llc_mib: Option<u16>,
    /// Boost clock in MHz.
    pub boost_mhz: Option<u16>,
}

/// One accelerator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gpu {
    /// The name in links and on the command line.
    pub id: &'static str,
    /// The name to show.
    pub name: &'static str,
    /// The maker.
    pub vendor: &'static str,
    /// Year of release.
    pub year: u16,
    /// The gigabytes printed on the box.
    pub printed_gb: u16,
    /// Bytes that a program finds on the GPU: the smallest figure that is commonly reported, since newer drivers keep more for themselves.
    pub capacity: Bytes,
    /// The largest figure that is reported, or that an estimate allows.
    pub capacity_most: Bytes,
    /// How that is known.
    pub capacity_basis: CapacityBasis,
    /// Memory technology.
    pub memory: &'static str,
    /// Bandwidth of its own memory.
    pub bandwidth: ByteRate,
    /// Link to the memory of the computer, in one direction; `None` where there is none or it is the same memory.
    pub host_link: Option<ByteRate>,
    /// Links to other GPUs of the same computer together (NVLink, Infinity Fabric, ICI), in one direction.
    pub peer_link: Option<ByteRate>,
    /// Dense peak rates.
    pub peaks: Peaks,
    /// Compute units, caches and clock.
    pub on_chip: OnChip,
    /// The compute capability where it is stated; that of a row is in a table of its own.
    pub stated_capability: Option<Capability>,
}

impl Gpu {
    /// Where peaks, bandwidth and capacity come from.
    pub fn sources(&self) -> &'static [&'static str] {
        let row = GPUS.iter().zip(rows::SOURCES).find(|(gpu, _)| gpu.id == self.id);
        row.map_or(&[], |(_, sources)| sources)
    }

    /// GPUs that fast links join: eight in a computer, a rack of 72 (GB200 NVL72), or a pod, whose links go from chip to chip.
    pub fn gpus_on_links(&self) -> u64 {
        match (self.id, self.vendor) {
            ("gb200" | "gb300", _) => 72,
            (_, "Google") => 256,
            _ => 8,
        }
    }

    /// Whether its links are bridges, which join two GPUs (four of an MI210); the others of a computer are reached over PCIe.
    ///
    /// # Source
    /// Product briefs of the GPUs with PCIe connectors (nvidia.com, amd.com).
    pub fn bridged(&self) -> bool {
        matches!(
            self.id,
            "a100-40-pcie"
                | "a100-80-pcie"
                | "a40"
                | "h100-pcie"
                | "h100-nvl"
                | "h200-nvl"
                | "a30"
                | "rtx2080ti"
                | "rtx2080ti-22"
                | "rtx3090"
                | "rtx3090ti"
                | "rtxa5000"
                | "rtxa6000"
                | "mi210"
        )
    }

    /// Whether it is no product of its maker's: a GPU with more memory soldered on.
    pub fn is_modified(&self) -> bool {
        self.id == "rtx2080ti-22"
    }

    /// Whether it is AMD's and older than the MI200 series: gfx906 and gfx908, which servers of language models leave out.
    pub fn before_mi200(&self) -> bool {
        matches!(self.id, "mi50-16" | "mi50-32" | "mi100" | "radeonvii")
    }

    /// The caches that all units share, L2 and last-level cache together; `None` where neither is published.
    pub fn cache(&self) -> Option<Bytes> {
        let OnChip { l2_mib, llc_mib, .. } = self.on_chip;
        l2_mib.or(llc_mib)?;
        let mib = [l2_mib, llc_mib].into_iter().flatten().map(u128::from).sum::<u128>();
        Some(Bytes(mib * MIB))
    }
}

/// The day on which the rows were last checked.
pub const CHECKED: &str = "2026-11-20";

/// The GPU with this id.
pub fn by_id(id: &str) -> Option<&'static Gpu> {
    GPUS.iter().find(|gpu| gpu.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_complete_and_plausible() {
        for (place, gpu) in GPUS.iter().enumerate() {
            assert!(!gpu.sources().is_empty() && !gpu.name.is_empty(), "{}", gpu.id);
            assert_eq!(by_id(gpu.id), Some(gpu), "{} is there twice", gpu.id);
            let printed = f64::from(gpu.printed_gb) * 1e9;
            let ratio = gpu.capacity.0 as f64 / printed;
            // Between 9% under the decimal number (ECC of a T4) and the full binary one (7.4% over), of which a TPU v5p is said to have 95 and has 95.74.
            let lent = gpu.capacity_basis == CapacityBasis::Limit;
            assert!(if lent { 0.5..0.95 } else { 0.91..1.083 }.contains(&ratio), "{}: {ratio}", gpu.id);
            assert!(gpu.bandwidth.as_gb_per_s() > 100.0, "{}", gpu.id);
            assert!(gpu.peaks.bf16.or(gpu.peaks.fp16).is_some(), "{}", gpu.id);
            assert!(GPUS.iter().skip(place + 1).all(|other| other.name != gpu.name), "{}", gpu.name);
        }
    }

    #[test]
    fn caches_are_kept_apart_and_added() {
        let cache = |id| by_id(id).and_then(Gpu::cache).map(|bytes| bytes.0 / MIB);
        assert_eq!(cache("a100-80-sxm"), Some(40));
        assert_eq!(cache("h100-sxm"), Some(50));
        assert_eq!(cache("mi300x"), Some(32 + 256));
        assert_eq!(cache("m4max"), None);
        for gpu in GPUS {
            let OnChip { units, l1_kib, l2_mib, boost_mhz, .. } = gpu.on_chip;
            assert!(units.is_none_or(|units| (10..=304).contains(&units)), "{}", gpu.id);
            assert!(l1_kib.is_none_or(|kib| (64..=256).contains(&kib)), "{}", gpu.id);
            assert!(l2_mib.is_none_or(|mib| (2..=128).contains(&mib)), "{}", gpu.id);
            assert!(boost_mhz.is_none_or(|mhz| (1_400..=3_000).contains(&mhz)), "{}", gpu.id);
        }
    }

    #[test]
    fn units_and_clock_give_the_plain_peak() {
        // 128 (V100, T4, A100: 64) fused multiply-adds a unit and clock; GeForce and Ada as NVIDIA prints them.
        for (id, lanes) in [("a100-80-sxm", 64.0), ("rtx4090", 128.0), ("rtxpro6000", 128.0), ("v100-sxm2-32", 64.0)] {
            let gpu = by_id(id).unwrap();
            let OnChip { units, boost_mhz, .. } = gpu.on_chip;
            let tflops = f64::from(units.unwrap()) * lanes * 2.0 * f64::from(boost_mhz.unwrap()) / 1e6;
            let printed = gpu.peaks.fp32.unwrap().tflops();
            assert!((tflops / printed - 1.0).abs() < 0.01, "{id}: {tflops} {printed}");
        }
    }
}
