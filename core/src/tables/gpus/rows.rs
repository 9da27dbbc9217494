//! The rows of the GPUs, and the macro that reads them.

use super::capacity::{self, capacity, capacity_most};
use super::{CapacityBasis, Gpu, OnChip, Peak, Peaks, sources};
use crate::units::{ByteRate, Bytes};

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
        /// Every GPU, by maker and generation.
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
            stated_capability: None,
        }),*];

        /// The sources of each row above, in its order: apart from it, so that a program that shows none carries none.
        pub(super) static SOURCES: &[&[&str]] = &[$(&[$(sources::$source),+]),*];
    };
}

gpus! {
    "v100-sxm2-16", "V100 SXM2 16GB", "NVIDIA", 2017, 16, [15.78] _ Torch, "HBM2", 900.0, 15.75 150.0,
        [15.7 _ 125.0 _ _ _ _] {80 128 6 _ 1530}, [V100, LLMA, V100_16_SEEN];
    "v100-sxm2-32", "V100 SXM2 32GB", "NVIDIA", 2018, 32, [31.73] [31.74] Torch, "HBM2", 900.0, 15.75 150.0,
        [15.7 _ 125.0 _ _ _ _] {80 128 6 _ 1530}, [V100, V100_32_SEEN];
    "t4", "T4", "NVIDIA", 2018, 16, [14.56] [14.76] Torch, "GDDR6", 320.0, 15.75 _,
        [8.1 _ 65.0 _ _ 130.0 _] {40 96 4 _ 1590}, [T4, T4_SEEN];
    "p40", "Tesla P40", "NVIDIA", 2016, 24, [22.38] [23.7] Torch, "GDDR5", 346.0, 15.75 _,
        [11.76 _ 11.76 _ _ 47.0 _] {30 _ 3 _ 1531}, [P40, P40_SEEN];
    "a100-40-sxm", "A100 SXM4 40GB", "NVIDIA", 2020, 40, 42_298_834_944 [39.59] Torch, "HBM2", 1555.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, A100_40_SEEN];
    "a100-40-pcie", "A100 PCIe 40GB", "NVIDIA", 2020, 40, [39.38] [39.59] Estimated, "HBM2", 1555.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, A100_40_PCIE];
    "a100-80-sxm", "A100 SXM4 80GB", "NVIDIA", 2020, 80, 84_974_239_744 [79.35] Torch, "HBM2e", 2039.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, A100_80_SEEN];
    "a100-80-pcie", "A100 PCIe 80GB", "NVIDIA", 2021, 80, 84_974_239_744 [79.35] Torch, "HBM2e", 1935.0, 31.5 300.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, STAS, LLMA, A100_80_PCIE_SEEN];
    "a800-80-sxm", "A800 SXM4 80GB", "NVIDIA", 2022, 80, 84_974_239_744 [79.35] Estimated, "HBM2e", 2039.0, 31.5 200.0,
        [19.5 156.0 312.0 312.0 _ 624.0 _] {108 192 40 _ 1410}, [A100, LLM_PROF, A800];
    "a30", "A30", "NVIDIA", 2021, 24, [23.5] [23.53] Torch, "HBM2", 933.0, 31.5 100.0,
        [10.3 82.0 165.0 165.0 _ 330.0 _] {56 192 24 _ 1440}, [A30, A30_SEEN];
    "a10", "A10", "NVIDIA", 2021, 24, [21.99] [22.18] Torch, "GDDR6", 600.0, 31.5 _,
        [31.2 62.5 125.0 125.0 _ 250.0 _] {72 128 6 _ 1695}, [A10, A10_SEEN];
    "a10g", "A10G (AWS G5)", "NVIDIA", 2021, 24, [21.99] [22.49] Estimated, "GDDR6", 600.0, 31.5 _,
        [35.0 35.0 70.0 70.0 _ 140.0 _] {80 128 6 _ 1710}, [LLMA, A10G];
    "a40", "A40", "NVIDIA", 2020, 48, [44.3] 48_305_799_168 Estimated, "GDDR6", 696.0, 31.5 56.25,
        [37.4 74.8 149.7 149.7 _ 299.3 _] {84 128 6 _ 1740}, [GA102, SISTER_48_ECC];
    "l4", "L4", "NVIDIA", 2023, 24, [21.96] 24_152_899_584 Estimated, "GDDR6", 300.0, 31.5 _,
        [30.3 60.5 121.0 121.0 242.5 242.5 _] {58 128 48 _ 2040}, [ADA, SISTER_24];
    "l40", "L40", "NVIDIA", 2022, 48, [44.4] _ Torch, "GDDR6", 864.0, 31.5 _,
        [90.5 90.5 181.05 181.05 362.0 362.0 _] {142 128 96 _ 2490}, [L40, L40_SEEN];
    "l40s", "L40S", "NVIDIA", 2023, 48, [44.31] [44.52] Torch, "GDDR6", 864.0, 31.5 _,
        [91.6 183.0 362.05 362.05 733.0 733.0 _] {142 128 96 _ 2520}, [L40, STAS, TITAN, L40S_SEEN];
    "h100-sxm", "H100 SXM5 80GB", "NVIDIA", 2022, 80, [79.1] [79.22] Torch, "HBM3", 3350.0, 63.0 450.0,
        [66.9 494.7 989.4 989.4 1978.9 1978.9 _] {132 256 50 _ 1830}, [H100, STAS, TITAN, H100_SEEN];
    "h100-pcie", "H100 PCIe 80GB", "NVIDIA", 2022, 80, [79.1] [79.22] Estimated, "HBM2e", 2039.0, 63.0 300.0,
        [51.2 378.0 756.0 756.0 1513.0 1513.0 _] {114 256 50 _ 1620}, [H100, STAS, TITAN, H100_PCIE];
    "h100-nvl", "H100 NVL 94GB (per GPU)", "NVIDIA", 2023, 94, [93.0] _ Torch, "HBM3", 3938.0, 63.0 300.0,
        [60.0 417.5 835.0 835.0 1671.0 1671.0 _] {132 256 60 _ 1545}, [H100, TITAN, H100_NVL_SEEN];
    "h800-sxm", "H800 SXM5 80GB", "NVIDIA", 2023, 80, [79.1] [79.22] Estimated, "HBM3", 3350.0, 63.0 200.0,
        [66.9 494.7 989.4 989.4 1978.9 1978.9 _] {132 256 50 _ _}, [H100, LLM_PROF, H800];
    "h200-sxm", "H200 SXM 141GB", "NVIDIA", 2024, 141, [139.72] [139.81] Torch, "HBM3e", 4800.0, 63.0 450.0,
        [66.9 494.7 989.4 989.4 1978.9 1978.9 _] {132 256 60 _ 1830}, [H200, STAS, H200_SEEN];
    "h200-nvl", "H200 NVL 141GB (per GPU)", "NVIDIA", 2024, 141, [139.72] [139.81] Estimated, "HBM3e", 4800.0, 63.0 450.0,
        [60.0 417.5 835.5 835.5 1670.5 1670.5 _] {132 256 60 _ _}, [H200, H200_NVL];
    "h20", "H20 96GB", "NVIDIA", 2024, 96, [95.0] [95.22] Estimated, "HBM3", 4000.0, 63.0 450.0,
        [44.0 74.0 148.0 148.0 296.0 296.0 _] {78 256 60 _ _}, [H20, TITAN, H20_CAPACITY];
    "b200", "B200 (HGX/DGX)", "NVIDIA", 2025, 180, [178.34] [178.36] Torch, "HBM3e", 7700.0, 63.0 900.0,
        [75.0 1100.0 2250.0 2250.0 4500.0 4500.0 9000.0] {148 256 126 _ 1965}, [BLACKWELL, STAS, B200_SEEN];
    "gb200", "GB200 (per GPU, NVL72)", "NVIDIA", 2025, 186, [184.31] 198_674_743_296 Estimated, "HBM3e", 8000.0, 450.0 900.0,
        [80.0 1250.0 2500.0 2500.0 5000.0 5000.0 10000.0] {148 256 126 _ _}, [BLACKWELL, STAS, GB200];
    "b300", "B300 / HGX", "NVIDIA", 2025, 288, 285_120_000_000 288_000_000_000 Estimated, "HBM3e", 8000.0, 63.0 900.0,
        [80.0 1125.0 2250.0 2250.0 4500.0 _ 13500.0] {_ _ _ _ _}, [STAS, B300];
    "gb300", "GB300 (per GPU, NVL72)", "NVIDIA", 2025, 288, [276.4] 298_013_687_808 Estimated, "HBM3e", 8000.0, 450.0 900.0,
        [80.0 1250.0 2500.0 2500.0 5000.0 _ 15000.0] {_ _ _ _ _}, [STAS, AICONFIGURATOR, GB300];
    "h20-3e", "H20-3e 141GB", "NVIDIA", 2025, 141, [139.72] [139.81] Estimated, "HBM3e", 4800.0, 63.0 450.0,
        [44.0 74.0 148.0 148.0 296.0 296.0 _] {78 256 60 _ _}, [H20, H20_3E, H20_3E_CAPACITY];
    "gtx1660ti", "GeForce GTX 1660 Ti", "NVIDIA", 2019, 6, [5.59] [5.8] Estimated, "GDDR6", 288.0, 15.75 _,
        [5.44 _ 10.87 _ _ 21.7 _] {24 96 _ _ 1770}, [TURING, GTX_1660_TI];
    "rtx2080ti", "GeForce RTX 2080 Ti", "NVIDIA", 2018, 11, [10.57] [10.76] Torch, "GDDR6", 616.0, 15.75 50.0,
        [13.45 _ 53.8 _ _ 215.2 _] {68 96 _ _ 1545}, [TURING, RTX_2080_TI_SEEN];
    "rtx2080ti-22", "GeForce RTX 2080 Ti 22GB (modified)", "NVIDIA", 2018, 22, [21.48] [21.67] Estimated, "GDDR6", 616.0, 15.75 50.0,
        [13.45 _ 53.8 _ _ 215.2 _] {68 96 _ _ 1545}, [TURING, RTX_2080_TI_22];
    "rtx3060-12", "GeForce RTX 3060 12GB", "NVIDIA", 2021, 12, [11.62] [11.75] Estimated, "GDDR6", 360.0, 31.5 _,
        [12.7 12.7 25.5 25.5 _ 102.0 _] {28 128 3 _ 1777}, [GA102, RTX_3060];
    "rtx3060ti", "GeForce RTX 3060 Ti", "NVIDIA", 2020, 8, [7.66] [7.78] Estimated, "GDDR6", 448.0, 31.5 _,
        [16.2 16.2 32.4 32.4 _ 129.6 _] {38 128 4 _ 1665}, [GA102, SISTER_8];
    "rtx3070", "GeForce RTX 3070", "NVIDIA", 2020, 8, [7.66] [7.78] Estimated, "GDDR6", 448.0, 31.5 _,
        [20.3 20.3 40.6 40.6 _ 162.6 _] {46 128 4 _ 1725}, [GA102, RTX_3070_SEEN];
    "rtx3080", "GeForce RTX 3080 10GB", "NVIDIA", 2020, 10, [9.64] [9.78] Estimated, "GDDR6X", 760.0, 31.5 _,
        [29.8 29.8 59.5 59.5 _ 238.0 _] {68 128 5 _ 1710}, [GA102, RTX_3080_SEEN];
    "rtx3090", "GeForce RTX 3090", "NVIDIA", 2020, 24, [23.55] [23.7] Torch, "GDDR6X", 936.0, 31.5 56.25,
        [35.6 35.6 71.0 71.0 _ 284.0 _] {82 128 6 _ 1695}, [GA102, RTX_3090_SEEN];
    "rtx3090ti", "GeForce RTX 3090 Ti", "NVIDIA", 2022, 24, [23.49] [23.58] Estimated, "GDDR6X", 1008.0, 31.5 56.25,
        [40.0 40.0 80.0 80.0 _ 320.0 _] {84 128 6 _ 1860}, [GA102_TI, LLAMA_CPP_3090_TI];
    "rtx4060", "GeForce RTX 4060", "NVIDIA", 2023, 8, [7.62] [7.75] Estimated, "GDDR6", 272.0, 15.75 _,
        [15.1 15.1 30.2 30.2 60.5 121.0 _] {24 128 24 _ 2460}, [RTX_4060, RTX_4060_SEEN];
    "rtx4060ti-16", "GeForce RTX 4060 Ti 16GB", "NVIDIA", 2023, 16, [15.55] [15.57] Torch, "GDDR6", 288.0, 15.75 _,
        [22.06 22.06 44.1 44.1 88.2 176.5 _] {34 128 32 _ 2535}, [RTX_4060_TI, RTX_4060_TI_SEEN];
    "rtx4070", "GeForce RTX 4070", "NVIDIA", 2023, 12, [11.5] [11.75] Estimated, "GDDR6X", 504.2, 31.5 _,
        [29.15 29.15 58.3 58.3 116.6 233.2 _] {46 128 36 _ 2475}, [ADA_SLIDES, CONSUMER];
    "rtx4070super", "GeForce RTX 4070 Super", "NVIDIA", 2024, 12, [11.5] [11.75] Estimated, "GDDR6X", 504.2, 31.5 _,
        [35.5 35.5 71.0 71.0 141.9 283.9 _] {56 128 48 _ 2475}, [ADA_SUPER, CONSUMER];
    "rtx4070ti", "GeForce RTX 4070 Ti", "NVIDIA", 2023, 12, [11.5] [11.75] Estimated, "GDDR6X", 504.2, 31.5 _,
        [40.1 40.1 80.2 80.2 160.4 320.7 _] {60 128 48 _ 2610}, [ADA_SLIDES, CONSUMER];
    "rtx4070tisuper", "GeForce RTX 4070 Ti Super", "NVIDIA", 2024, 16, [15.45] [15.75] Estimated, "GDDR6X", 672.3, 31.5 _,
        [44.1 44.1 88.2 88.2 176.4 352.8 _] {66 128 48 _ 2610}, [ADA_SUPER, CONSUMER];
    "rtx4080", "GeForce RTX 4080", "NVIDIA", 2022, 16, [15.45] [15.75] Estimated, "GDDR6X", 716.8, 31.5 _,
        [48.7 48.7 97.5 97.5 194.9 389.9 _] {76 128 64 _ 2505}, [ADA, ADA_SLIDES, CONSUMER];
    "rtx4080super", "GeForce RTX 4080 Super", "NVIDIA", 2024, 16, [15.45] [15.75] Estimated, "GDDR6X", 736.3, 31.5 _,
        [52.2 52.2 104.4 104.4 208.9 417.8 _] {80 128 64 _ 2550}, [ADA_SUPER, CONSUMER];
    "rtx4090", "GeForce RTX 4090", "NVIDIA", 2022, 24, [23.49] [23.68] Torch, "GDDR6X", 1008.0, 31.5 _,
        [82.6 82.6 165.2 165.2 330.3 660.6 _] {128 128 72 _ 2520}, [ADA, ADA_SLIDES, RTX_4090_SEEN];
    "rtx5060", "GeForce RTX 5060", "NVIDIA", 2025, 8, [7.41] [7.71] Estimated, "GDDR7", 448.0, 31.5 _,
        [19.2 19.2 38.4 38.4 76.8 153.5 307.0] {30 128 _ _ 2497}, [RTX_5060, LLAMA_CPP_5060];
    "rtx5060ti-8", "GeForce RTX 5060 Ti 8GB", "NVIDIA", 2025, 8, [7.41] [7.71] Estimated, "GDDR7", 448.0, 31.5 _,
        [23.7 23.7 47.4 47.4 94.9 189.8 379.5] {36 128 32 _ 2572}, [RTX_5060, LLAMA_CPP_5060];
    "rtx5060ti-16", "GeForce RTX 5060 Ti 16GB", "NVIDIA", 2025, 16, [15.45] [15.48] Estimated, "GDDR7", 448.0, 31.5 _,
        [23.7 23.7 47.4 47.4 94.9 189.8 379.5] {36 128 32 _ 2572}, [RTX_5060, LLAMA_CPP_5060_TI];
    "rtx5070", "GeForce RTX 5070", "NVIDIA", 2025, 12, [11.39] [11.69] Estimated, "GDDR7", 672.0, 63.0 _,
        [30.9 30.9 61.7 61.7 123.5 246.9 493.9] {48 128 48 _ 2512}, [RTX_BLACKWELL, RTX_50, LLAMA_CPP_5070];
    "rtx5070ti", "GeForce RTX 5070 Ti", "NVIDIA", 2025, 16, [15.43] [15.48] Estimated, "GDDR7", 896.0, 63.0 _,
        [43.9 43.9 87.9 87.9 175.8 351.5 703.0] {70 128 48 _ 2452}, [RTX_BLACKWELL, RTX_50, LLAMA_CPP_50];
    "rtx5080", "GeForce RTX 5080", "NVIDIA", 2025, 16, [15.43] [15.51] Estimated, "GDDR7", 960.0, 63.0 _,
        [56.3 56.3 112.6 112.6 225.1 450.2 900.4] {84 128 64 _ 2617}, [RTX_BLACKWELL, RTX_50, LLAMA_CPP_50];
    "rtx5090", "GeForce RTX 5090", "NVIDIA", 2025, 32, [31.33] [31.37] Torch, "GDDR7", 1792.0, 63.0 _,
        [104.8 104.8 209.5 209.5 419.0 838.0 1676.0] {170 128 96 _ 2407}, [RTX_BLACKWELL, RTX_5090_SEEN];
    "rtxa4000", "RTX A4000", "NVIDIA", 2021, 16, [15.61] _ Torch, "GDDR6", 448.0, 31.5 _,
        [19.2 38.4 76.7 76.7 _ 153.4 _] {48 128 4 _ 1560}, [RTX_A4000, RTX_A4000_SEEN];
    "rtxa5000", "RTX A5000", "NVIDIA", 2021, 24, [23.49] [23.68] Estimated, "GDDR6", 768.0, 31.5 56.25,
        [27.8 55.6 111.1 111.1 _ 222.2 _] {64 128 6 _ 1695}, [RTX_A5000, SISTER_24_PLAIN];
    "rtxa6000", "RTX A6000", "NVIDIA", 2020, 48, [47.27] [47.54] Estimated, "GDDR6", 768.0, 31.5 56.25,
        [38.7 77.4 154.8 154.8 _ 309.7 _] {84 128 6 _ 1800}, [GA102, TITAN, LLMA, SISTER_48];
    "rtx4000ada", "RTX 4000 Ada", "NVIDIA", 2023, 20, [19.54] [19.7] Estimated, "GDDR6", 360.0, 31.5 _,
        [26.7 53.5 106.9 106.9 213.8 213.8 _] {48 128 48 _ 2175}, [RTX_ADA, RTX_4000_ADA];
    "rtx4500ada", "RTX 4500 Ada", "NVIDIA", 2023, 24, [23.49] [23.68] Estimated, "GDDR6", 432.0, 31.5 _,
        [39.6 79.3 158.5 158.5 317.0 317.0 _] {60 128 48 _ 2580}, [RTX_ADA, SISTER_24_PLAIN];
    "rtx5000ada", "RTX 5000 Ada", "NVIDIA", 2023, 32, [31.27] [31.53] Estimated, "GDDR6", 576.0, 31.5 _,
        [65.3 130.6 261.1 261.1 522.2 522.2 _] {100 128 64 _ 2550}, [RTX_ADA, RTX_5000_ADA];
    "rtx6000ada", "RTX 6000 Ada", "NVIDIA", 2022, 48, [47.27] [47.54] Estimated, "GDDR6", 960.0, 31.5 _,
        [91.1 182.1 364.2 364.2 728.5 728.5 _] {142 128 96 _ 2505}, [ADA, SISTER_48, ADA_6000_ECC];
    "rtxpro4000", "RTX PRO 4000 Blackwell", "NVIDIA", 2025, 24, [23.27] [23.89] Estimated, "GDDR7", 672.0, 63.0 _,
        [46.9 93.8 187.6 187.6 375.3 375.3 750.6] {70 128 48 _ 2617}, [RTX_PRO, RTX_PRO_TOTALS];
    "rtxpro4500", "RTX PRO 4500 Blackwell", "NVIDIA", 2025, 32, [31.23] [31.86] Estimated, "GDDR7", 896.0, 63.0 _,
        [54.9 105.4 210.9 210.9 421.8 421.8 843.5] {82 128 64 _ 2617}, [RTX_PRO, RTX_PRO_TOTALS];
    "rtxpro5000", "RTX PRO 5000 Blackwell 48GB", "NVIDIA", 2025, 48, [47.16] [47.79] Estimated, "GDDR7", 1344.0, 63.0 _,
        [66.9 129.0 258.0 258.0 516.0 516.0 1032.0] {110 128 96 _ 2377}, [RTX_PRO, RTX_PRO_TOTALS];
    "rtxpro5000-72", "RTX PRO 5000 Blackwell 72GB", "NVIDIA", 2025, 72, [71.07] [71.69] Estimated, "GDDR7", 1344.0, 63.0 _,
        [66.9 129.0 258.0 258.0 516.0 516.0 1032.0] {110 128 96 _ 2377}, [RTX_PRO, RTX_PRO_TOTALS];
    "rtxpro6000", "RTX PRO 6000 Blackwell (Workstation)", "NVIDIA", 2025, 96, [94.97] _ Torch, "GDDR7", 1792.0, 63.0 _,
        [126.0 251.9 503.8 503.8 1007.6 1007.6 2015.2] {188 128 128 _ 2617}, [RTX_BLACKWELL, PRO_6000_SEEN];
    "rtxpro6000mq", "RTX PRO 6000 Blackwell Max-Q", "NVIDIA", 2025, 96, [94.97] [95.59] Estimated, "GDDR7", 1792.0, 63.0 _,
        [109.7 219.4 438.9 438.9 877.8 877.8 1755.5] {188 128 128 _ _}, [RTX_BLACKWELL, RTX_PRO_MAXQ, PRO_6000_SISTER];
    "rtxpro6000se", "RTX PRO 6000 Blackwell Server", "NVIDIA", 2025, 96, [94.97] [95.59] Estimated, "GDDR7", 1597.0, 63.0 _,
        [117.0 233.9 467.8 467.8 935.6 935.6 1871.2] {188 128 128 _ 2430}, [RTX_PRO_SERVER, AICONFIGURATOR, PRO_6000_SISTER];
    "gb10", "GB10 (DGX Spark)", "NVIDIA", 2025, 128, [119.61] [121.69] Estimated, "LPDDR5X", 273.0, _ _,
        [29.7 62.5 125.0 125.0 250.0 250.0 500.0] {48 128 24 _ _}, [GB10, GB10_CAPACITY];
    "jetson-thor", "Jetson Thor (T5000)", "NVIDIA", 2025, 128, [122.8] _ Shared, "LPDDR5X", 273.0, _ _,
        [7.8 _ 258.8 258.8 517.5 _ 1035.0] {20 _ _ _ _}, [THOR, THOR_SEEN];
    "mi50-16", "Instinct MI50 16GB", "AMD", 2018, 16, [15.98] [16.0] Estimated, "HBM2", 1024.0, 31.5 92.0,
        [13.3 _ 26.5 _ _ 53.0 _] {60 64 4 _ 1725}, [VEGA_20, LLAMA_CPP_ROCM];
    "mi50-32", "Instinct MI50 32GB", "AMD", 2018, 32, [31.98] [32.0] Estimated, "HBM2", 1024.0, 31.5 92.0,
        [13.3 _ 26.5 _ _ 53.0 _] {60 64 4 _ 1725}, [VEGA_20, LLAMA_CPP_ROCM];
    "mi100", "Instinct MI100", "AMD", 2020, 32, [31.98] [32.0] Estimated, "HBM2", 1228.8, 31.5 138.0,
        [23.1 _ 184.6 92.3 _ 184.6 _] {120 64 8 _ 1502}, [INSTINCT, LLAMA_CPP_ROCM];
    "mi210", "Instinct MI210", "AMD", 2022, 64, 68_702_699_520 _ Torch, "HBM2e", 1638.4, 31.5 150.0,
        [22.6 _ 181.0 181.0 _ 181.0 _] {104 64 8 _ 1700}, [LLMA, INSTINCT, GFX90A_SEEN];
    "mi250x", "Instinct MI250X (one of its two dies)", "AMD", 2021, 64, 68_702_699_520 _ Torch, "HBM2e", 1638.4, 31.5 400.0,
        [23.95 _ 191.5 191.5 _ 191.5 _] {110 64 8 _ 1700}, [INSTINCT, STAS, TITAN, GFX90A_SEEN];
    "mi300x", "Instinct MI300X", "AMD", 2023, 192, [191.45] [191.98] Estimated, "HBM3", 5300.0, 63.0 448.0,
        [163.4 653.7 1307.4 1307.4 2614.9 2614.9 _] {304 64 32 256 2100}, [INSTINCT, STAS, MI300X];
    "mi325x", "Instinct MI325X", "AMD", 2024, 256, [255.69] 274_861_129_728 Estimated, "HBM3e", 6000.0, 63.0 448.0,
        [163.4 653.7 1307.4 1307.4 2614.9 2614.9 _] {304 64 32 256 2100}, [INSTINCT, STAS, MI325X];
    "mi350x", "Instinct MI350X", "AMD", 2025, 288, [287.98] [288.0] Estimated, "HBM3e", 8000.0, 63.0 537.5,
        [144.2 _ 2306.9 2306.9 4613.7 4613.7 9227.5] {256 160 32 256 2200}, [INSTINCT, STAS, MI350X];
    "mi355x", "Instinct MI355X", "AMD", 2025, 288, [287.98] _ Torch, "HBM3e", 8000.0, 63.0 537.5,
        [157.3 _ 2516.6 2516.6 5033.2 5033.2 10066.3] {256 160 32 256 2400}, [INSTINCT, STAS, GFX950_SEEN];
    "radeonvii", "Radeon VII", "AMD", 2019, 16, [15.98] [16.0] Estimated, "HBM2", 1024.0, 15.75 _,
        [13.4 _ 26.9 _ _ 53.8 _] {60 64 4 _ 1750}, [VEGA_20, LLAMA_CPP_ROCM];
    "rx7800xt", "Radeon RX 7800 XT", "AMD", 2023, 16, [15.98] [16.0] Estimated, "GDDR6", 624.0, 31.5 _,
        [37.3 _ 74.6 74.6 _ 74.6 _] {60 64 4 64 2430}, [RADEON_7000, LLAMA_CPP_ROCM];
    "rx7900xt", "Radeon RX 7900 XT", "AMD", 2022, 20, [19.98] [20.0] Estimated, "GDDR6", 800.0, 31.5 _,
        [51.6 _ 103.2 103.2 _ 103.2 _] {84 64 6 80 2400}, [RADEON_7000, LLAMA_CPP_ROCM];
    "rx7900xtx", "Radeon RX 7900 XTX", "AMD", 2022, 24, [23.98] [24.0] Estimated, "GDDR6", 960.0, 31.5 _,
        [61.4 _ 122.8 122.8 _ 122.8 _] {96 64 6 96 2500}, [RADEON, LLAMA_CPP_7900];
    "w7900", "Radeon PRO W7900", "AMD", 2023, 48, [47.98] [48.0] Estimated, "GDDR6", 864.0, 31.5 _,
        [61.3 _ 122.6 122.6 _ 122.6 _] {96 64 6 96 2495}, [RADEON_7000, LLAMA_CPP_ROCM];
    "rx9070xt", "Radeon RX 9070 XT", "AMD", 2025, 16, [15.92] [16.0] Estimated, "GDDR6", 640.0, 63.0 _,
        [48.7 _ 194.6 194.6 389.3 389.3 _] {64 64 8 64 2970}, [RADEON_9000, LLAMA_CPP_GFX12];
    "r9700", "Radeon AI PRO R9700", "AMD", 2025, 32, [31.86] [32.0] Estimated, "GDDR6", 640.0, 63.0 _,
        [47.8 _ 191.4 191.4 382.7 382.7 _] {64 64 8 64 2920}, [RADEON_9000, LLAMA_CPP_GFX12];
    "strix-halo", "Strix Halo (Radeon 8060S)", "AMD", 2025, 128, [62.46] _ Limit, "LPDDR5X", 256.0, _ _,
        [29.7 _ 59.4 59.4 _ _ _] {40 64 2 32 _}, [STRIX_HALO, STRIX_LIMIT];
    "tpu-v4", "TPU v4 (chip)", "Google", 2021, 32, [30.75] _ Xla, "HBM2", 1200.0, _ 300.0,
        [_ _ _ 275.0 _ 275.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN, TPU_V4_SEEN];
    "tpu-v5e", "TPU v5e (chip)", "Google", 2023, 16, [15.75] _ Xla, "HBM2", 819.0, _ 200.0,
        [_ _ _ 197.0 _ 393.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN, TPU_V5E_SEEN];
    "tpu-v5p", "TPU v5p (chip)", "Google", 2023, 95, 102_803_439_616 _ Xla, "HBM2e", 2765.0, _ 600.0,
        [_ _ _ 459.0 _ 918.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN, TPU_V5P_SEEN];
    "tpu-v6e", "TPU v6e Trillium (chip)", "Google", 2024, 32, 33_550_237_696 _ Xla, "HBM", 1638.0, _ 400.0,
        [_ _ _ 918.0 918.0 1836.0 _] {_ _ _ _ _}, [TPU, STAS, TITAN, TPU_V6E_SEEN];
    "tpu-v7x", "TPU v7x Ironwood (chip)", "Google", 2025, 192, 192_000_000_000 _ Printed, "HBM3e", 7370.0, _ 600.0,
        [_ _ _ 2307.0 4614.0 _ _] {_ _ _ _ _}, [TPU, STAS];
    "gaudi2", "Intel Gaudi 2", "Intel", 2022, 96, 96_000_000_000 _ Printed, "HBM2e", 2460.0, 31.5 300.0,
        [_ _ _ 432.0 865.0 _ _] {_ _ 48 _ _}, [GAUDI, STAS];
    "gaudi3", "Intel Gaudi 3", "Intel", 2024, 128, 128_000_000_000 _ Printed, "HBM2e", 3700.0, 63.0 600.0,
        [229.0 459.0 459.0 1677.0 1677.0 _ _] {_ _ 96 _ _}, [GAUDI, STAS];
    "arc-a770", "Arc A770 16GB", "Intel", 2022, 16, 16_225_000_000 16_704_000_000 Estimated, "GDDR6", 560.0, 31.5 _,
        [17.2 _ 131.1 131.1 _ 262.1 _] {32 _ 16 _ _}, [ARC_PRO, ARC_SYCL];
    "arc-b580", "Arc B580", "Intel", 2024, 12, 12_000_000_000 _ Printed, "GDDR6", 456.0, 15.75 _,
        [13.67 _ 109.4 109.4 _ 218.7 _] {20 _ 18 _ 2670}, [ARC];
    "arc-pro-b50", "Arc Pro B50", "Intel", 2025, 16, [15.92] [16.0] Estimated, "GDDR6", 224.0, 31.5 _,
        [10.65 _ 85.2 85.2 _ 170.0 _] {16 _ _ _ 2600}, [ARC_PRO, ARC_SYCL];
    "arc-pro-b60", "Arc Pro B60", "Intel", 2025, 24, 24_000_000_000 _ Printed, "GDDR6", 456.0, 31.5 _,
        [12.28 _ 98.3 98.3 _ 197.0 _] {20 _ _ _ 2400}, [AICONFIGURATOR];
    "arc-pro-b70", "Arc Pro B70", "Intel", 2026, 32, [31.84] [31.89] Estimated, "GDDR6", 608.0, 63.0 _,
        [22.9 _ 183.5 183.5 _ 367.0 _] {32 _ _ _ _}, [ARC_PRO, ARC_SYCL];
    "m1ultra", "Apple M1 Ultra (64-core GPU)", "Apple", 2022, 128, [96.0] [107.52] Limit, "LPDDR5", 800.0, _ _,
        [21.2 _ 21.2 _ _ _ _] {64 _ _ _ _}, [APPLE, APPLE_LIMIT];
    "m2pro", "Apple M2 Pro (19-core GPU)", "Apple", 2023, 32, [21.33] [24.96] Limit, "LPDDR5", 200.0, _ _,
        [6.8 _ 6.8 _ _ _ _] {19 _ _ _ _}, [APPLE, APPLE_LIMIT];
    "m2max", "Apple M2 Max (38-core GPU)", "Apple", 2023, 96, [72.0] [77.76] Limit, "LPDDR5", 400.0, _ _,
        [13.6 _ 13.6 _ _ _ _] {38 _ _ _ _}, [APPLE, APPLE_LIMIT];
    "m2ultra", "Apple M2 Ultra (76-core GPU)", "Apple", 2023, 192, [144.0] [161.28] Limit, "LPDDR5", 800.0, _ _,
        [27.2 _ 27.2 _ _ _ _] {76 _ _ _ _}, [APPLE, APPLE_LIMIT];
    "m3max", "Apple M3 Max (40-core GPU)", "Apple", 2023, 128, [96.0] [107.52] Limit, "LPDDR5", 400.0, _ _,
        [14.2 _ 14.2 14.2 _ _ _] {40 _ _ _ _}, [APPLE, APPLE_LIMIT];
    "m3ultra", "Apple M3 Ultra (80-core GPU)", "Apple", 2025, 512, [384.0] [478.0] Limit, "LPDDR5", 819.0, _ _,
        [28.4 _ 28.4 28.4 _ _ _] {80 _ _ _ _}, [APPLE, APPLE_CORES, APPLE_LIMIT];
    "m4", "Apple M4 (10-core GPU)", "Apple", 2024, 32, [21.33] [24.96] Limit, "LPDDR5X", 120.0, _ _,
        [4.25 _ 4.25 4.25 _ _ _] {10 _ _ _ _}, [APPLE, APPLE_CORES, APPLE_LIMIT];
    "m4pro", "Apple M4 Pro (20-core GPU)", "Apple", 2024, 64, [48.0] [51.84] Limit, "LPDDR5X", 273.0, _ _,
        [8.5 _ 8.5 8.5 _ _ _] {20 _ _ _ _}, [APPLE, APPLE_CORES, APPLE_LIMIT];
    "m4max", "Apple M4 Max (40-core GPU)", "Apple", 2024, 128, [107.52] _ Limit, "LPDDR5X", 546.0, _ _,
        [17.0 _ 17.0 17.0 _ _ _] {40 _ _ _ _}, [APPLE, APPLE_LIMIT];
    "m5", "Apple M5 (10-core GPU)", "Apple", 2025, 32, [21.33] [24.96] Limit, "LPDDR5X", 153.6, _ _,
        [4.6 _ 17.5 17.5 _ _ _] {10 _ _ _ _}, [APPLE_M5, APPLE_LIMIT];
    "m5pro", "Apple M5 Pro (20-core GPU)", "Apple", 2026, 64, [48.0] [51.84] Limit, "LPDDR5X", 307.0, _ _,
        [9.2 _ 35.0 35.0 _ _ _] {20 _ _ _ _}, [APPLE_M5, APPLE_LIMIT];
    "m5max", "Apple M5 Max (40-core GPU)", "Apple", 2026, 128, [107.52] _ Limit, "LPDDR5X", 614.0, _ _,
        [18.4 _ 70.0 70.0 _ _ _] {40 _ _ _ _}, [APPLE_M5, APPLE_LIMIT];
}
