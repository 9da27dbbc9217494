//! Accelerators: what they really hold, move and compute, each row with its source.

use core::num::NonZeroU32;

use crate::precision::ComputePrecision;
use crate::units::{ByteRate, Bytes, FlopRate, MIB};

/// Where a card's capacity comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CapacityBasis {
    /// `torch.cuda.get_device_properties(0).total_memory` of a real card.
    Torch,
    /// The total that `nvidia-smi` (or its like) prints; a program sees a little less.
    Driver,
    /// A driver's total that is commonly given, without a report that confirms it.
    Unconfirmed,
    /// Memory that the whole computer shares.
    Shared,
    /// The printed gigabytes read as binary, as sister cards report them.
    Binary,
    /// The printed gigabytes, for want of a report.
    Printed,
}

impl CapacityBasis {
    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Torch => "reported by PyTorch on the device",
            Self::Driver => "reported by the driver",
            Self::Unconfirmed => "driver total as commonly given, not confirmed by a report",
            Self::Shared => "printed size, shared with the whole computer",
            Self::Binary => "printed size read as binary GB, as sister cards report it",
            Self::Printed => "printed size, no device report found",
        }
    }
}

/// A peak rate in hundredths of a TFLOP/s, which hold every published figure exactly in half the space of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak(NonZeroU32);

impl Peak {
    const fn of(tflops: f64) -> Option<Self> {
        // Published peaks lie below 100,000 TFLOP/s.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
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
    /// Bytes that the device has by its own report, or as close to it as is known: see `capacity_basis`.
    pub capacity: Bytes,
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

/// The table below, in its columns: id, name, maker, year, printed GB, capacity and its basis, memory, GB/s, GB/s to host and to peers (one direction),
/// dense peaks `[fp32 tf32 fp16 bf16 fp8 int8 fp4]`, what is on the chip `{units, KiB of L1 a unit, MiB of L2, MiB of last-level cache, boost MHz}`, sources.
macro_rules! gpus {
    ($($id:literal, $name:literal, $vendor:literal, $year:literal, $printed:literal, $capacity:literal $basis:ident, $memory:literal, $bandwidth:literal, $host:tt $peer:tt,
        [$fp32:tt $tf32:tt $fp16:tt $bf16:tt $fp8:tt $int8:tt $fp4:tt] {$units:tt $l1:tt $l2:tt $llc:tt $mhz:tt}, [$($source:ident),+];)*) => {
        /// Every card, by maker and generation.
        pub static GPUS: &[Gpu] = &[$(Gpu {
            id: $id,
            name: $name,
            vendor: $vendor,
            year: $year,
            printed_gb: $printed,
            capacity: Bytes($capacity),
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
            sources: &[$($source),+],
        }),*];
    };
}

const A10: &str = "NVIDIA A10 data sheet (nvidia.com)";
const A100: &str = "NVIDIA A100 product page, data sheet 1758950 and whitepaper (nvidia.com/en-us/data-center/a100)";
const ADA: &str = "NVIDIA Ada architecture whitepaper v2.1, appendix A, figures as quoted in public repositories";
const ADA_SLIDES: &str = "NVIDIA launch slides of the RTX 40 series, as printed at club386.com";
const APPLE: &str = "Apple press figures as repeated in public repositories; no dense matrix rate is published";
const BLACKWELL: &str = "NVIDIA Blackwell data sheet 3384703, as transcribed at glennklockwood.com";
const DEVICE: &str = "device reports (nvidia-smi, torch get_device_properties) in public repositories";
const GA102: &str = "NVIDIA GA102 whitepaper v2 (nvidia.com), figures as quoted in public repositories";
const GAUDI: &str = "Intel Gaudi 2 and Gaudi 3 whitepapers (intel.com, 839363 and 817486)";
const GB10: &str = "NVIDIA DGX Spark: 1 PFLOP fp4 with sparsity, so half of it dense and an eighth for bf16; a plain bf16 product was measured at 92 TFLOP/s (github.com/huggingface/kernels pull request 283); capacity as its driver reports it (github.com/AlexsJones/llmfit pull request 872)";
const H100: &str = "NVIDIA H100 product page and Hopper whitepaper (nvidia.com/en-us/data-center/h100); dense and sparse table at glennklockwood.com";
const H20: &str = "No NVIDIA page exists; trade press, agreeing with torchtitan";
const H200: &str = "NVIDIA H200 product page (nvidia.com/en-us/data-center/h200)";
const INSTINCT: &str = "AMD Instinct product pages (amd.com) and ROCm GPU specifications (rocm.docs.amd.com)";
const L40: &str = "NVIDIA L40 and L40S data sheet, dense and sparse columns as transcribed at mullet.se";
const LLMA: &str = "llm-analysis card files (github.com/cli99/llm-analysis at d841e40)";
const RTX_BLACKWELL: &str = "NVIDIA RTX Blackwell architecture whitepaper, figures as quoted in public repositories";
const STAS: &str = "ml-engineering accelerator table (github.com/stas00/ml-engineering at 744d01e1)";
const T4: &str = "NVIDIA T4 data sheet 951643 (nvidia.com)";
const TITAN: &str = "torchtitan peak rates (github.com/pytorch/torchtitan at b5bcd76)";
const TPU: &str = "Google Cloud TPU documentation (docs.cloud.google.com/tpu)";
const V100: &str = "NVIDIA V100 data sheet 1165301 (images.nvidia.com)";

gpus! {
    "v100-sxm2-16", "V100 SXM2 16GB", "NVIDIA", 2017, 16, 16_944_988_160 Unconfirmed, "HBM2", 900.0, 15.75 150.0,
        [15.7 _ 125.0 _ _ _ _] {80 128 6 _ 1530}, [V100, LLMA];
    "v100-sxm2-32", "V100 SXM2 32GB", "NVIDIA", 2018, 32, 34_089_205_760 Driver, "HBM2", 900.0, 15.75 150.0,
        [15.7 _ 125.0 _ _ _ _] {80 128 6 _ 1530}, [V100, DEVICE];
    "t4", "T4", "NVIDIA", 2018, 16, 16_106_127_360 Driver, "GDDR6", 320.0, 15.75 _,
        [8.1 _ 65.0 _ _ 130.0 _] {40 96 4 _ 1590}, [T4, DEVICE];
    "a100-40-sxm", "A100 SXM4 40GB", "NVIDIA", 2020, 40, 42_505_076_736 Driver, "HBM2", 1555.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, DEVICE];
    "a100-40-pcie", "A100 PCIe 40GB", "NVIDIA", 2020, 40, 42_284_875_776 Torch, "HBM2", 1555.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, DEVICE];
    "a100-80-sxm", "A100 SXM4 80GB", "NVIDIA", 2020, 80, 85_197_848_576 Torch, "HBM2e", 2039.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, DEVICE];
    "a100-80-pcie", "A100 PCIe 80GB", "NVIDIA", 2021, 80, 85_899_345_920 Unconfirmed, "HBM2e", 1935.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, LLMA];
    "a10", "A10", "NVIDIA", 2021, 24, 24_146_608_128 Driver, "GDDR6", 600.0, 31.5 _,
        [31.2 62.5 125.0 125.0 _ 250.0 _] {72 128 6 _ 1695}, [A10, DEVICE];
    "a10g", "A10G (AWS G5)", "NVIDIA", 2021, 24, 23_684_186_112 Torch, "GDDR6", 600.0, 31.5 _,
        [35.0 35.0 70.0 70.0 _ 140.0 _] {80 128 6 _ 1710}, [LLMA, DEVICE];
    "a40", "A40", "NVIDIA", 2020, 48, 48_305_799_168 Driver, "GDDR6", 696.0, 31.5 56.25,
        [37.4 74.8 149.7 149.7 _ 299.3 _] {84 128 6 _ 1740}, [GA102, DEVICE];
    "l4", "L4", "NVIDIA", 2023, 24, 24_152_899_584 Driver, "GDDR6", 300.0, 31.5 _,
        [30.3 60.5 121.0 121.0 242.5 242.5 _] {58 128 48 _ 2040}, [ADA, DEVICE];
    "l40", "L40", "NVIDIA", 2022, 48, 48_305_799_168 Driver, "GDDR6", 864.0, 31.5 _,
        [90.5 90.5 181.05 181.05 362.0 362.0 _] {142 128 96 _ 2490}, [L40, DEVICE];
    "l40s", "L40S", "NVIDIA", 2023, 48, 47_803_531_264 Torch, "GDDR6", 864.0, 31.5 _,
        [91.6 183.0 362.05 362.05 733.0 733.0 _] {142 128 96 _ 2520}, [L40, STAS, TITAN, DEVICE];
    "h100-sxm", "H100 SXM5 80GB", "NVIDIA", 2022, 80, 85_020_639_232 Torch, "HBM3", 3350.0, 63.0 450.0,
        [66.9 494.7 989.4 989.4 1978.9 1978.9 _] {132 256 50 _ 1830}, [H100, STAS, TITAN, DEVICE];
    "h100-pcie", "H100 PCIe 80GB", "NVIDIA", 2022, 80, 85_520_809_984 Unconfirmed, "HBM2e", 2039.0, 63.0 300.0,
        [51.2 378.0 756.0 756.0 1513.0 1513.0 _] {114 256 50 _ 1620}, [H100, STAS, TITAN];
    "h100-nvl", "H100 NVL 94GB (per GPU)", "NVIDIA", 2023, 94, 100_485_038_080 Driver, "HBM3", 3938.0, 63.0 300.0,
        [60.0 417.5 835.0 835.0 1671.0 1671.0 _] {132 256 60 _ 1545}, [H100, TITAN, DEVICE];
    "h200-sxm", "H200 SXM 141GB", "NVIDIA", 2024, 141, 150_109_945_856 Torch, "HBM3e", 4800.0, 63.0 450.0,
        [66.9 494.7 989.4 989.4 1978.9 1978.9 _] {132 256 60 _ 1830}, [H200, STAS, DEVICE];
    "h20", "H20 96GB", "NVIDIA", 2024, 96, 102_010_716_160 Torch, "HBM3", 4000.0, 63.0 450.0,
        [44.0 74.0 148.0 148.0 296.0 296.0 _] {78 256 60 _ _}, [H20, TITAN, DEVICE];
    "b200", "B200 (HGX/DGX)", "NVIDIA", 2025, 180, 191_514_017_792 Torch, "HBM3e", 7700.0, 63.0 900.0,
        [75.0 1100.0 2250.0 2250.0 4500.0 4500.0 9000.0] {148 256 126 _ 1965}, [BLACKWELL, STAS, DEVICE];
    "gb200", "GB200 (per GPU, NVL72)", "NVIDIA", 2025, 186, 198_674_743_296 Driver, "HBM3e", 8000.0, 450.0 900.0,
        [80.0 1250.0 2500.0 2500.0 5000.0 5000.0 10000.0] {148 256 126 _ _}, [BLACKWELL, STAS, DEVICE];
    "b300", "B300 / HGX", "NVIDIA", 2025, 288, 288_000_000_000 Printed, "HBM3e", 8000.0, 63.0 900.0,
        [80.0 1125.0 2250.0 2250.0 4500.0 _ 13500.0] {_ _ _ _ _}, [STAS];
    "rtx3060-12", "GeForce RTX 3060 12GB", "NVIDIA", 2021, 12, 12_884_901_888 Unconfirmed, "GDDR6", 360.0, 31.5 _,
        [12.7 12.7 25.5 25.5 _ 102.0 _] {28 128 3 _ 1777}, [GA102];
    "rtx3090", "GeForce RTX 3090", "NVIDIA", 2020, 24, 25_769_803_776 Unconfirmed, "GDDR6X", 936.0, 31.5 56.25,
        [35.6 35.6 71.0 71.0 _ 284.0 _] {82 128 6 _ 1695}, [GA102];
    "rtx4070", "GeForce RTX 4070", "NVIDIA", 2023, 12, 12_878_610_432 Driver, "GDDR6X", 504.2, 31.5 _,
        [29.15 29.15 58.3 58.3 116.6 233.2 _] {46 128 36 _ 2475}, [ADA_SLIDES, DEVICE];
    "rtx4080", "GeForce RTX 4080", "NVIDIA", 2022, 16, 17_171_480_576 Driver, "GDDR6X", 716.8, 31.5 _,
        [48.7 48.7 97.5 97.5 194.9 389.9 _] {76 128 64 _ 2505}, [ADA, ADA_SLIDES, DEVICE];
    "rtx4090", "GeForce RTX 4090", "NVIDIA", 2022, 24, 25_757_220_864 Driver, "GDDR6X", 1008.0, 31.5 _,
        [82.6 82.6 165.2 165.2 330.3 660.6 _] {128 128 72 _ 2520}, [ADA, ADA_SLIDES, DEVICE];
    "rtx5090", "GeForce RTX 5090", "NVIDIA", 2025, 32, 34_190_917_632 Driver, "GDDR7", 1792.0, 63.0 _,
        [104.8 104.8 209.5 209.5 419.0 838.0 1676.0] {170 128 96 _ 2407}, [RTX_BLACKWELL, DEVICE];
    "rtxa6000", "RTX A6000", "NVIDIA", 2020, 48, 51_527_024_640 Driver, "GDDR6", 768.0, 31.5 56.25,
        [38.7 77.4 154.8 154.8 _ 309.7 _] {84 128 6 _ 1800}, [GA102, TITAN, LLMA, DEVICE];
    "rtx6000ada", "RTX 6000 Ada", "NVIDIA", 2022, 48, 51_527_024_640 Driver, "GDDR6", 960.0, 31.5 _,
        [91.1 182.1 364.2 364.2 728.5 728.5 _] {142 128 96 _ 2505}, [ADA, DEVICE];
    "rtxpro6000", "RTX PRO 6000 Blackwell (Workstation)", "NVIDIA", 2025, 96, 102_641_958_912 Driver, "GDDR7", 1792.0, 63.0 _,
        [126.0 251.9 503.8 503.8 1007.6 1007.6 2015.2] {188 128 128 _ 2617}, [RTX_BLACKWELL, DEVICE];
    "gb10", "GB10 (DGX Spark)", "NVIDIA", 2025, 128, 130_599_218_053 Driver, "LPDDR5X", 273.0, _ _,
        [29.7 62.5 125.0 125.0 250.0 250.0 500.0] {48 128 24 _ _}, [GB10];
    "mi210", "Instinct MI210", "AMD", 2022, 64, 68_719_476_736 Binary, "HBM2e", 1638.4, 31.5 150.0,
        [22.6 _ 181.0 181.0 _ 181.0 _] {104 64 8 _ 1700}, [LLMA, INSTINCT];
    "mi250x", "Instinct MI250X (one of its two dies)", "AMD", 2021, 64, 68_719_476_736 Binary, "HBM2e", 1638.4, 31.5 400.0,
        [23.95 _ 191.5 191.5 _ 191.5 _] {110 64 8 _ 1700}, [INSTINCT, STAS, TITAN];
    "mi300x", "Instinct MI300X", "AMD", 2023, 192, 206_141_652_992 Torch, "HBM3", 5300.0, 63.0 448.0,
        [163.4 653.7 1307.4 1307.4 2614.9 2614.9 _] {304 64 32 256 2100}, [INSTINCT, STAS, DEVICE];
    "mi325x", "Instinct MI325X", "AMD", 2024, 256, 274_877_906_944 Binary, "HBM3e", 6000.0, 63.0 448.0,
        [163.4 653.7 1307.4 1307.4 2614.9 2614.9 _] {304 64 32 256 2100}, [INSTINCT, STAS];
    "mi355x", "Instinct MI355X", "AMD", 2025, 288, 309_237_645_312 Binary, "HBM3e", 8000.0, 63.0 537.5,
        [157.3 _ 2516.6 2516.6 5033.2 5033.2 10066.3] {256 160 32 256 2400}, [INSTINCT, STAS];
    "tpu-v4", "TPU v4 (chip)", "Google", 2021, 32, 32_000_000_000 Printed, "HBM2", 1200.0, _ 300.0,
        [_ _ _ 275.0 _ 275.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN];
    "tpu-v5e", "TPU v5e (chip)", "Google", 2023, 16, 16_000_000_000 Printed, "HBM2", 819.0, _ 200.0,
        [_ _ _ 197.0 _ 393.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN];
    "tpu-v5p", "TPU v5p (chip)", "Google", 2023, 95, 95_000_000_000 Printed, "HBM2e", 2765.0, _ 600.0,
        [_ _ _ 459.0 _ 918.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN];
    "tpu-v6e", "TPU v6e Trillium (chip)", "Google", 2024, 32, 32_000_000_000 Printed, "HBM", 1638.0, _ 400.0,
        [_ _ _ 918.0 918.0 1836.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN];
    "gaudi2", "Intel Gaudi 2", "Intel", 2022, 96, 96_000_000_000 Printed, "HBM2e", 2460.0, 31.5 300.0,
        [_ _ _ 432.0 865.0 _ _] {_ _ 48 _ _}, [GAUDI, STAS];
    "gaudi3", "Intel Gaudi 3", "Intel", 2024, 128, 128_000_000_000 Printed, "HBM2e", 3700.0, 63.0 600.0,
        [229.0 459.0 459.0 1677.0 1677.0 _ _] {_ _ 96 _ _}, [GAUDI, STAS];
    "m2ultra", "Apple M2 Ultra (76-core GPU)", "Apple", 2023, 192, 192_000_000_000 Shared, "LPDDR5", 800.0, _ _,
        [27.2 _ 27.2 _ _ _ _] {76 _ _ _ _}, [APPLE];
    "m3max", "Apple M3 Max (40-core GPU)", "Apple", 2023, 128, 128_000_000_000 Shared, "LPDDR5", 400.0, _ _,
        [14.2 _ 14.2 14.2 _ _ _] {40 _ _ _ _}, [APPLE];
    "m4max", "Apple M4 Max (40-core GPU)", "Apple", 2024, 128, 128_000_000_000 Shared, "LPDDR5X", 546.0, _ _,
        [17.0 _ 17.0 17.0 _ _ _] {40 _ _ _ _}, [APPLE];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_complete_and_plausible() {
        for (place, gpu) in GPUS.iter().enumerate() {
            assert!(!gpu.sources.is_empty() && !gpu.name.is_empty(), "{}", gpu.id);
            assert_eq!(by_id(gpu.id), Some(gpu), "{} is there twice", gpu.id);
            let printed = f64::from(gpu.printed_gb) * 1e9;
            let ratio = gpu.capacity.0 as f64 / printed;
            // Between 3% under the decimal number (reserved) and the full binary one (7.4% over).
            assert!((0.97..1.08).contains(&ratio), "{}: {ratio}", gpu.id);
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
