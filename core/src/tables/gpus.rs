//! Accelerators: what they really hold, move and compute, each row with its source.

use core::num::NonZeroU32;

use crate::precision::ComputePrecision;
use crate::units::{ByteRate, Bytes, FlopRate, MIB};

mod capacity;
mod sources;

pub use capacity::{CapacityBasis, Range, Reported};
use capacity::{capacity, capacity_most};

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
    /// A last-level cache behind the L2 in MiB: the Infinity Cache of an Instinct card.
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
    /// Links to other cards of the same computer together (NVLink, Infinity Fabric, ICI), in one direction.
    pub peer_link: Option<ByteRate>,
    /// Dense peak rates.
    pub peaks: Peaks,
    /// Compute units, caches and clock.
    pub on_chip: OnChip,
    /// Where peaks, bandwidth and capacity come from.
    pub sources: &'static [&'static str],
}

impl Gpu {
    /// Cards that fast links join: eight in a computer, a rack of 72 (GB200 NVL72), or a pod, whose links go from chip to chip.
    pub fn cards_on_links(&self) -> u64 {
        match (self.id, self.vendor) {
            ("gb200", _) => 72,
            (_, "Google") => 256,
            _ => 8,
        }
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

/// The card with this id.
pub fn by_id(id: &str) -> Option<&'static Gpu> {
    GPUS.iter().find(|gpu| gpu.id == id)
}

/// A peak rate, or `_` for none.
macro_rules! rate {
    (_) => {
        None
    };
    ($tflops:literal) => {
        Peak::of($tflops)
    };
}

/// A link in GB/s, or `_` for none.
macro_rules! link {
    (_) => {
        None
    };
    ($rate:literal) => {
        Some(ByteRate::from_gb_per_s($rate))
    };
}

/// A whole number, or `_` for none.
macro_rules! number {
    (_) => {
        None
    };
    ($number:literal) => {
        Some($number)
    };
}

/// The table below, in its columns: id, name, maker, year, printed GB, least and most capacity (bytes, or `[GiB]` as reported) and their basis, memory, GB/s, GB/s to host and to peers (one direction),
/// dense peaks `[fp32 tf32 fp16 bf16 fp8 int8 fp4]`, what is on the chip `{units, KiB of L1 a unit, MiB of L2, MiB of last-level cache, boost MHz}`, sources.
macro_rules! gpus {
    ($($id:literal, $name:literal, $vendor:literal, $year:literal, $printed:literal, $least:tt $most:tt $basis:ident, $memory:literal, $bandwidth:literal, $host:tt $peer:tt,
        [$fp32:tt $tf32:tt $fp16:tt $bf16:tt $fp8:tt $int8:tt $fp4:tt] {$units:tt $l1:tt $l2:tt $llc:tt $mhz:tt}, [$($source:ident),+];)*) => {
        /// Every card, by maker and generation.
        pub static GPUS: &[Gpu] = &[$(Gpu {
            id: $id,
            name: $name,
            vendor: $vendor,
            year: $year,
            printed_gb: $printed,
            capacity: capacity!($least),
            capacity_most: capacity_most!($least $most),
            capacity_basis: CapacityBasis::$basis,
            memory: $memory,
            bandwidth: ByteRate::from_gb_per_s($bandwidth),
            host_link: link!($host),
            peer_link: link!($peer),
            peaks: Peaks {
                fp32: rate!($fp32),
                tf32: rate!($tf32),
                fp16: rate!($fp16),
                bf16: rate!($bf16),
                fp8: rate!($fp8),
                int8: rate!($int8),
                fp4: rate!($fp4),
            },
            on_chip: OnChip {
                units: number!($units),
                l1_kib: number!($l1),
                l2_mib: number!($l2),
                llc_mib: number!($llc),
                boost_mhz: number!($mhz),
            },
            sources: &[$(sources::$source),+],
        }),*];
    };
}

gpus! {
    "v100-sxm2-16", "V100 SXM2 16GB", "NVIDIA", 2017, 16, [15.78] _ Torch, "HBM2", 900.0, 15.75 150.0,
        [15.7 _ 125.0 _ _ _ _] {80 128 6 _ 1530}, [V100, LLMA, V100_16_SEEN];
    "v100-sxm2-32", "V100 SXM2 32GB", "NVIDIA", 2018, 32, [31.74] _ Torch, "HBM2", 900.0, 15.75 150.0,
        [15.7 _ 125.0 _ _ _ _] {80 128 6 _ 1530}, [V100, V100_32_SEEN];
    "t4", "T4", "NVIDIA", 2018, 16, [14.56] [14.76] Torch, "GDDR6", 320.0, 15.75 _,
        [8.1 _ 65.0 _ _ 130.0 _] {40 96 4 _ 1590}, [T4, T4_SEEN];
    "a100-40-sxm", "A100 SXM4 40GB", "NVIDIA", 2020, 40, 42_298_834_944 [39.59] Torch, "HBM2", 1555.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, A100_40_SEEN];
    "a100-40-pcie", "A100 PCIe 40GB", "NVIDIA", 2020, 40, 42_284_875_776 _ Torch, "HBM2", 1555.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, A100_40_PCIE_SEEN];
    "a100-80-sxm", "A100 SXM4 80GB", "NVIDIA", 2020, 80, 85_197_848_576 _ Torch, "HBM2e", 2039.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, A100_80_SEEN];
    "a100-80-pcie", "A100 PCIe 80GB", "NVIDIA", 2021, 80, [79.1] [79.35] Estimated, "HBM2e", 1935.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, LLMA, A100_80_PCIE];
    "a10", "A10", "NVIDIA", 2021, 24, [22.03] 24_146_608_128 Estimated, "GDDR6", 600.0, 31.5 _,
        [31.2 62.5 125.0 125.0 _ 250.0 _] {72 128 6 _ 1695}, [A10, SISTER_24];
    "a10g", "A10G (AWS G5)", "NVIDIA", 2021, 24, 23_684_186_112 _ Torch, "GDDR6", 600.0, 31.5 _,
        [35.0 35.0 70.0 70.0 _ 140.0 _] {80 128 6 _ 1710}, [LLMA, A10G_SEEN];
    "a40", "A40", "NVIDIA", 2020, 48, [44.3] 48_305_799_168 Estimated, "GDDR6", 696.0, 31.5 56.25,
        [37.4 74.8 149.7 149.7 _ 299.3 _] {84 128 6 _ 1740}, [GA102, SISTER_48_ECC];
    "l4", "L4", "NVIDIA", 2023, 24, [22.03] 24_152_899_584 Estimated, "GDDR6", 300.0, 31.5 _,
        [30.3 60.5 121.0 121.0 242.5 242.5 _] {58 128 48 _ 2040}, [ADA, SISTER_24];
    "l40", "L40", "NVIDIA", 2022, 48, [44.4] _ Torch, "GDDR6", 864.0, 31.5 _,
        [90.5 90.5 181.05 181.05 362.0 362.0 _] {142 128 96 _ 2490}, [L40, L40_SEEN];
    "l40s", "L40S", "NVIDIA", 2023, 48, 47_803_531_264 _ Torch, "GDDR6", 864.0, 31.5 _,
        [91.6 183.0 362.05 362.05 733.0 733.0 _] {142 128 96 _ 2520}, [L40, STAS, TITAN, L40S_SEEN];
    "h100-sxm", "H100 SXM5 80GB", "NVIDIA", 2022, 80, 85_020_639_232 [79.22] Torch, "HBM3", 3350.0, 63.0 450.0,
        [66.9 494.7 989.4 989.4 1978.9 1978.9 _] {132 256 50 _ 1830}, [H100, STAS, TITAN, H100_SEEN];
    "h100-pcie", "H100 PCIe 80GB", "NVIDIA", 2022, 80, [79.1] [79.22] Estimated, "HBM2e", 2039.0, 63.0 300.0,
        [51.2 378.0 756.0 756.0 1513.0 1513.0 _] {114 256 50 _ 1620}, [H100, STAS, TITAN, H100_PCIE];
    "h100-nvl", "H100 NVL 94GB (per GPU)", "NVIDIA", 2023, 94, [93.0] _ Torch, "HBM3", 3938.0, 63.0 300.0,
        [60.0 417.5 835.0 835.0 1671.0 1671.0 _] {132 256 60 _ 1545}, [H100, TITAN, H100_NVL_SEEN];
    "h200-sxm", "H200 SXM 141GB", "NVIDIA", 2024, 141, 150_109_945_856 _ Torch, "HBM3e", 4800.0, 63.0 450.0,
        [66.9 494.7 989.4 989.4 1978.9 1978.9 _] {132 256 60 _ 1830}, [H200, STAS, H200_SEEN];
    "h20", "H20 96GB", "NVIDIA", 2024, 96, 102_010_716_160 _ Torch, "HBM3", 4000.0, 63.0 450.0,
        [44.0 74.0 148.0 148.0 296.0 296.0 _] {78 256 60 _ _}, [H20, TITAN, H20_SEEN];
    "b200", "B200 (HGX/DGX)", "NVIDIA", 2025, 180, 191_514_017_792 _ Torch, "HBM3e", 7700.0, 63.0 900.0,
        [75.0 1100.0 2250.0 2250.0 4500.0 4500.0 9000.0] {148 256 126 _ 1965}, [BLACKWELL, STAS, B200_SEEN];
    "gb200", "GB200 (per GPU, NVL72)", "NVIDIA", 2025, 186, [184.31] 198_674_743_296 Estimated, "HBM3e", 8000.0, 450.0 900.0,
        [80.0 1250.0 2500.0 2500.0 5000.0 5000.0 10000.0] {148 256 126 _ _}, [BLACKWELL, STAS, GB200];
    "b300", "B300 / HGX", "NVIDIA", 2025, 288, 285_120_000_000 288_000_000_000 Estimated, "HBM3e", 8000.0, 63.0 900.0,
        [80.0 1125.0 2250.0 2250.0 4500.0 _ 13500.0] {_ _ _ _ _}, [STAS, B300];
    "rtx3060-12", "GeForce RTX 3060 12GB", "NVIDIA", 2021, 12, [11.62] [11.75] Estimated, "GDDR6", 360.0, 31.5 _,
        [12.7 12.7 25.5 25.5 _ 102.0 _] {28 128 3 _ 1777}, [GA102, RTX_3060];
    "rtx3090", "GeForce RTX 3090", "NVIDIA", 2020, 24, [23.56] [23.7] Torch, "GDDR6X", 936.0, 31.5 56.25,
        [35.6 35.6 71.0 71.0 _ 284.0 _] {82 128 6 _ 1695}, [GA102, RTX_3090_SEEN];
    "rtx4070", "GeForce RTX 4070", "NVIDIA", 2023, 12, [11.5] [11.75] Estimated, "GDDR6X", 504.2, 31.5 _,
        [29.15 29.15 58.3 58.3 116.6 233.2 _] {46 128 36 _ 2475}, [ADA_SLIDES, CONSUMER];
    "rtx4080", "GeForce RTX 4080", "NVIDIA", 2022, 16, [15.45] [15.75] Estimated, "GDDR6X", 716.8, 31.5 _,
        [48.7 48.7 97.5 97.5 194.9 389.9 _] {76 128 64 _ 2505}, [ADA, ADA_SLIDES, CONSUMER];
    "rtx4090", "GeForce RTX 4090", "NVIDIA", 2022, 24, [23.52] [23.68] Torch, "GDDR6X", 1008.0, 31.5 _,
        [82.6 82.6 165.2 165.2 330.3 660.6 _] {128 128 72 _ 2520}, [ADA, ADA_SLIDES, RTX_4090_SEEN];
    "rtx5090", "GeForce RTX 5090", "NVIDIA", 2025, 32, [31.36] [31.37] Torch, "GDDR7", 1792.0, 63.0 _,
        [104.8 104.8 209.5 209.5 419.0 838.0 1676.0] {170 128 96 _ 2407}, [RTX_BLACKWELL, RTX_5090_SEEN];
    "rtxa6000", "RTX A6000", "NVIDIA", 2020, 48, [47.27] [47.54] Estimated, "GDDR6", 768.0, 31.5 56.25,
        [38.7 77.4 154.8 154.8 _ 309.7 _] {84 128 6 _ 1800}, [GA102, TITAN, LLMA, SISTER_48];
    "rtx6000ada", "RTX 6000 Ada", "NVIDIA", 2022, 48, [47.27] [47.54] Estimated, "GDDR6", 960.0, 31.5 _,
        [91.1 182.1 364.2 364.2 728.5 728.5 _] {142 128 96 _ 2505}, [ADA, SISTER_48, ADA_6000_ECC];
    "rtxpro6000", "RTX PRO 6000 Blackwell (Workstation)", "NVIDIA", 2025, 96, [94.97] _ Torch, "GDDR7", 1792.0, 63.0 _,
        [126.0 251.9 503.8 503.8 1007.6 1007.6 2015.2] {188 128 128 _ 2617}, [RTX_BLACKWELL, PRO_6000_SEEN];
    "gb10", "GB10 (DGX Spark)", "NVIDIA", 2025, 128, [119.61] [121.69] Torch, "LPDDR5X", 273.0, _ _,
        [29.7 62.5 125.0 125.0 250.0 250.0 500.0] {48 128 24 _ _}, [GB10, GB10_SEEN];
    "mi210", "Instinct MI210", "AMD", 2022, 64, 68_702_699_520 _ Torch, "HBM2e", 1638.4, 31.5 150.0,
        [22.6 _ 181.0 181.0 _ 181.0 _] {104 64 8 _ 1700}, [LLMA, INSTINCT, GFX90A_SEEN];
    "mi250x", "Instinct MI250X (one of its two dies)", "AMD", 2021, 64, 68_702_699_520 _ Torch, "HBM2e", 1638.4, 31.5 400.0,
        [23.95 _ 191.5 191.5 _ 191.5 _] {110 64 8 _ 1700}, [INSTINCT, STAS, TITAN, GFX90A_SEEN];
    "mi300x", "Instinct MI300X", "AMD", 2023, 192, 206_141_652_992 _ Torch, "HBM3", 5300.0, 63.0 448.0,
        [163.4 653.7 1307.4 1307.4 2614.9 2614.9 _] {304 64 32 256 2100}, [INSTINCT, STAS, MI300X_SEEN];
    "mi325x", "Instinct MI325X", "AMD", 2024, 256, [255.69] 274_861_129_728 Estimated, "HBM3e", 6000.0, 63.0 448.0,
        [163.4 653.7 1307.4 1307.4 2614.9 2614.9 _] {304 64 32 256 2100}, [INSTINCT, STAS, MI325X];
    "mi355x", "Instinct MI355X", "AMD", 2025, 288, [287.98] _ Torch, "HBM3e", 8000.0, 63.0 537.5,
        [157.3 _ 2516.6 2516.6 5033.2 5033.2 10066.3] {256 160 32 256 2400}, [INSTINCT, STAS, GFX950_SEEN];
    "tpu-v4", "TPU v4 (chip)", "Google", 2021, 32, 32_000_000_000 _ Printed, "HBM2", 1200.0, _ 300.0,
        [_ _ _ 275.0 _ 275.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN];
    "tpu-v5e", "TPU v5e (chip)", "Google", 2023, 16, 16_000_000_000 _ Printed, "HBM2", 819.0, _ 200.0,
        [_ _ _ 197.0 _ 393.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN];
    "tpu-v5p", "TPU v5p (chip)", "Google", 2023, 95, 95_000_000_000 _ Printed, "HBM2e", 2765.0, _ 600.0,
        [_ _ _ 459.0 _ 918.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN];
    "tpu-v6e", "TPU v6e Trillium (chip)", "Google", 2024, 32, 32_000_000_000 _ Printed, "HBM", 1638.0, _ 400.0,
        [_ _ _ 918.0 918.0 1836.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN];
    "gaudi2", "Intel Gaudi 2", "Intel", 2022, 96, 96_000_000_000 _ Printed, "HBM2e", 2460.0, 31.5 300.0,
        [_ _ _ 432.0 865.0 _ _] {_ _ 48 _ _}, [GAUDI, STAS];
    "gaudi3", "Intel Gaudi 3", "Intel", 2024, 128, 128_000_000_000 _ Printed, "HBM2e", 3700.0, 63.0 600.0,
        [229.0 459.0 459.0 1677.0 1677.0 _ _] {_ _ 96 _ _}, [GAUDI, STAS];
    "m2ultra", "Apple M2 Ultra (76-core GPU)", "Apple", 2023, 192, 192_000_000_000 _ Shared, "LPDDR5", 800.0, _ _,
        [27.2 _ 27.2 _ _ _ _] {76 _ _ _ _}, [APPLE];
    "m3max", "Apple M3 Max (40-core GPU)", "Apple", 2023, 128, 128_000_000_000 _ Shared, "LPDDR5", 400.0, _ _,
        [14.2 _ 14.2 14.2 _ _ _] {40 _ _ _ _}, [APPLE];
    "m4max", "Apple M4 Max (40-core GPU)", "Apple", 2024, 128, 128_000_000_000 _ Shared, "LPDDR5X", 546.0, _ _,
        [17.0 _ 17.0 17.0 _ _ _] {40 _ _ _ _}, [APPLE];
}

#[cfg(test)]
mod tests {
    extern crate alloc;

    use alloc::{format, string::ToString};

    use super::*;

    #[test]
    fn rows_are_complete_and_plausible() {
        for (place, gpu) in GPUS.iter().enumerate() {
            assert!(!gpu.sources.is_empty() && !gpu.name.is_empty(), "{}", gpu.id);
            assert_eq!(by_id(gpu.id), Some(gpu), "{} is there twice", gpu.id);
            let printed = f64::from(gpu.printed_gb) * 1e9;
            let ratio = gpu.capacity.0 as f64 / printed;
            // Between 9% under the decimal number (ECC of a T4) and the full binary one (7.4% over).
            assert!((0.91..1.08).contains(&ratio), "{}: {ratio}", gpu.id);
            assert!(gpu.bandwidth.as_gb_per_s() > 100.0, "{}", gpu.id);
            assert!(gpu.peaks.bf16.or(gpu.peaks.fp16).is_some(), "{}", gpu.id);
            assert!(GPUS.iter().skip(place + 1).all(|other| other.name != gpu.name), "{}", gpu.name);
        }
    }

    #[test]
    fn a_capacity_of_pytorch_is_a_figure_that_its_source_quotes() {
        for gpu in GPUS {
            let gib = format!("{:.2} GiB", gpu.capacity.as_gib());
            let quoted = gpu.sources.iter().any(|source| source.contains(&gib));
            assert!(gpu.capacity_basis != CapacityBasis::Torch || quoted, "{}: no source says {gib}", gpu.id);
            let ranged = gpu.sources.iter().any(|source| source.contains("stimated"));
            assert!(gpu.capacity_basis != CapacityBasis::Estimated || ranged, "{}: an estimate says so", gpu.id);
            assert!(gpu.capacity <= gpu.capacity_most, "{}", gpu.id);
            let range = gpu.reported().range().is_some();
            assert!(gpu.capacity_basis != CapacityBasis::Estimated || range, "{}: an estimate is a range", gpu.id);
        }
    }

    #[test]
    fn no_gpu_takes_the_total_of_nvidia_smi_for_what_a_program_finds() {
        // `memory.total` of nvidia-smi in MiB.
        for (id, driver) in [
            ("t4", 15_360),
            ("a10", 23_028),
            ("a40", 46_068),
            ("l4", 23_034),
            ("l40s", 46_068),
            ("a100-80-sxm", 81_920),
            ("h100-sxm", 81_559),
            ("gb200", 189_471),
            ("rtx3060-12", 12_288),
            ("rtx3090", 24_576),
            ("rtx4070", 12_282),
            ("rtx4080", 16_376),
            ("rtx4090", 24_564),
            ("rtx5090", 32_607),
            ("rtxa6000", 49_140),
            ("rtx6000ada", 49_140),
            ("rtxpro6000", 97_887),
        ] {
            let lost = driver * MIB - by_id(id).unwrap().capacity.0;
            // 0.25 to 3 GiB of the largest.
            assert!((MIB * 250..MIB * 3_000).contains(&lost), "{id}: {lost}");
        }
        assert!(by_id("rtx4090").unwrap().capacity.0 <= 25_450_000_000);
    }

    #[test]
    fn what_is_known_of_a_capacity_is_said() {
        let said = |id| by_id(id).unwrap().reported().to_string();
        assert!(said("rtx4090").contains("23.52 to 23.68 GiB"), "{}", said("rtx4090"));
        assert!(said("rtx4070").contains("estimate, 11.50 to 11.75 GiB"), "{}", said("rtx4070"));
        assert_eq!(said("a100-80-sxm"), "The capacity is what PyTorch reports on the device.");
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
            assert!(units.is_none_or(|units| (28..=304).contains(&units)), "{}", gpu.id);
            assert!(l1_kib.is_none_or(|kib| (64..=256).contains(&kib)), "{}", gpu.id);
            assert!(l2_mib.is_none_or(|mib| (3..=128).contains(&mib)), "{}", gpu.id);
            assert!(boost_mhz.is_none_or(|mhz| (1_400..=2_700).contains(&mhz)), "{}", gpu.id);
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

    #[test]
    fn an_eighty_gigabyte_card_holds_neither_80_gb_nor_80_gib() {
        let a100 = by_id("a100-80-sxm").map(|gpu| gpu.capacity);
        assert_eq!(a100, Some(Bytes(85_197_848_576)));
    }
}
