//! Tools of GPUs and NPUs other than `nvidia-smi`, in the shape of public output and with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::assert_told;
use memory_wall_reports::Kind;
use memory_wall_reports::explain::{Stated, explain};

/// vllm-project/vllm-ascend#264 and #12980, whose table is wider and has the numbers of both chips of a module.
#[test]
fn npu_smi() {
    let text = "| npu-smi 24.1.rc1                 Version: 24.1.rc1                                             |\n\
        | NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n\
        | Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n\
        +===========================+===============+====================================================+\n\
        | 0     910B2C              | OK            | 86.8        35                0    / 0             |\n\
        | 0                         | 0000:66:00.0  | 0           0    / 0          59000/ 65536         |\n\
        +===========================+===============+====================================================+\n\
        | 1     Ascend910           | OK            | -           34                0    / 0             |\n\
        | 1     1                   | 0000:9F:00.0  | 0           0    / 0          2800 / 65536         |\n";
    assert_told(
        Kind::NpuSmi,
        text,
        &[
            "5: gpu0 gpu Ascend 910B2C",
            "6: gpu0 used 61865984000~1048576",
            "6: gpu0 capacity 68719476736~1048576",
            "8: gpu1 gpu Ascend 910",
            "9: gpu1 used 2936012800~1048576",
            "9: gpu1 capacity 68719476736~1048576",
        ],
    );
    let found = memory_wall_reports::read(text.as_bytes());
    let stated = Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false };
    // No GPU of another maker is taken for it by its memory.
    assert!(explain(&found, &[], &stated).gpus.is_empty());
}

/// The table of `ROCm` 7, `amd-smi monitor` and `amd-smi metric --mem-usage`, as `amdsmi_commands.py` prints them.
#[test]
fn amd_smi() {
    let table = "| AMD-SMI 26.0.0+37d1      amdgpu version: 6.14.14  ROCm version: 7.0.0    |\n\
        | GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |\n\
        |=====================================+========================================|\n\
        | 0000:05:00.0    AMD Instinct MI300X | 0 %      40 C    0           142/750 W |\n\
        |   0       0       2        SPX/NPS1 | 0 %        N/A           285/196592 MB |\n";
    assert_told(
        Kind::AmdSmi,
        table,
        &["4: gpu AMD Instinct MI300X", "5: gpu0 used 298844160~1048576", "5: gpu0 capacity 206141652992~1048576"],
    );
    let monitor = "GPU  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%      VRAM_USAGE\n  0  146 W   45 C   39 C   132 MHz    0 %    0 %   0.5/192.0 GB\n  1  141 W   42 C   37 C   132 MHz    0 %    0 % 180.5/192.0 GB\n";
    assert_told(
        Kind::AmdSmi,
        monitor,
        &[
            "2: gpu0 used 536870912~107374182",
            "2: gpu0 capacity 206158430208~107374182",
            "3: gpu1 used 193810399232~107374182",
            "3: gpu1 capacity 206158430208~107374182",
        ],
    );
    let columns = "GPU  POWER  GPU_TEMP  VRAM_USED  VRAM_TOTAL\n  1  35 W  41 C  283 MB  196592 MB\n";
    assert_told(Kind::AmdSmi, columns, &["2: gpu1 used 296747008~1048576", "2: gpu1 capacity 206141652992~1048576"]);
    let metric = "GPU: 0\n    MEM_USAGE:\n        TOTAL_VRAM: 196592 MB\n        USED_VRAM: 283 MB\nGPU: 1\n        TOTAL_VRAM: 196592 MB\n        USED_VRAM: 284 MB\n";
    assert_told(
        Kind::AmdSmi,
        metric,
        &[
            "3: gpu0 capacity 206141652992~1048576",
            "4: gpu0 used 296747008~1048576",
            "6: gpu1 capacity 206141652992~1048576",
            "7: gpu1 used 297795584~1048576",
        ],
    );
}

/// `amd-smi metric --mem-usage --csv`, whose numbers are MB of 2^20 bytes, and `rocm-smi --showproductname --csv`.
#[test]
fn amds_tools_print_values_between_commas() {
    let metric = "gpu,total_vram,used_vram,free_vram,total_visible_vram\n0,196592,283,196309,196592\n1,196592,284,196308,196592\n";
    assert_told(
        Kind::AmdSmi,
        metric,
        &[
            "2: gpu0 capacity 206141652992~1048576",
            "2: gpu0 used 296747008~1048576",
            "2: gpu0 free 205844905984~1048576",
            "3: gpu1 capacity 206141652992~1048576",
            "3: gpu1 used 297795584~1048576",
            "3: gpu1 free 205843857408~1048576",
        ],
    );
    let product = "device,Card Series,Card Model,Card Vendor\ncard0,AMD Instinct MI210,0x740f,AMD\n";
    assert_told(Kind::RocmSmi, product, &["2: gpu0 gpu AMD Instinct MI210"]);
}

/// `rocm-smi --showmeminfo vram --json`: each card is one.
#[test]
fn cards_of_rocm_smi_are_told_apart() {
    let text = "{\"card0\": {\"VRAM Total Memory (B)\": \"68702699520\", \"VRAM Total Used Memory (B)\": \"10960896\"}, \"card1\": {\"VRAM Total Memory (B)\": \"68702699520\", \"VRAM Total Used Memory (B)\": \"50960896000\"}}";
    assert_told(
        Kind::RocmSmi,
        text,
        &[
            "1: gpu0 capacity 68702699520",
            "1: gpu0 used 10960896",
            "1: gpu1 capacity 68702699520",
            "1: gpu1 used 50960896000",
        ],
    );
}

/// intel/llm-scaler#578, and `xpu-smi stats`.
#[test]
fn xpu_smi() {
    let text = "| 0         | Device Name: Intel(R) Arc(TM) Pro B60 Graphics                                       |\n|           | Memory Physical Size: 24480.00 MiB                                                   |\n| GPU Memory Used (MiB)       | 24512                                                              |\n";
    assert_told(
        Kind::XpuSmi,
        text,
        &[
            "1: gpu0 gpu Intel(R) Arc(TM) Pro B60 Graphics",
            "2: gpu0 capacity 25669140480~10485",
            "3: gpu0 used 25702694912~1048576",
        ],
    );
}

/// DCGM's exporter.
#[test]
fn dcgm() {
    let text = "DCGM_FI_DEV_FB_FREE{gpu=\"3\",UUID=\"GPU-604a\",device=\"nvidia3\",modelName=\"NVIDIA A100-SXM4-80GB\",Hostname=\"n1\"} 3000\nDCGM_FI_DEV_FB_USED{gpu=\"3\",UUID=\"GPU-604a\",device=\"nvidia3\",modelName=\"NVIDIA A100-SXM4-80GB\",Hostname=\"n1\"} 78000\n";
    assert_told(
        Kind::Dcgm,
        text,
        &["1: gpu3 gpu NVIDIA A100-SXM4-80GB", "1: gpu3 free 3145728000~1048576", "2: gpu3 used 81788928000~1048576"],
    );
}

/// meta-llama/llama-cookbook#333: PyTorch's `collect_env` where there is one GPU.
#[test]
fn the_only_gpu_of_an_environment() {
    let text =
        "GPU models and configuration: GPU 0: NVIDIA GeForce RTX 3080 Laptop GPU\nNvidia driver version: 546.12\n";
    assert_told(Kind::NvidiaSmi, text, &["1: gpu0 gpu NVIDIA GeForce RTX 3080 Laptop GPU"]);
}

/// intel/xpumanager#145: from 2.0 in the form of `nvidia-smi`.
#[test]
fn xpu_smi_in_the_form_of_nvidias() {
    let text = "|            Intel XPU-SMI v2.0    Driver: 96E1802B    Level Zero: 1.32.0             |\n\
        | GPU  Name                    Persistence-M   | Bus-Id            Disp.A   |   Volatile Uncorr. ECC |\n\
        |   0  Intel(R) Arc(TM) A770   Off             | 0000:03:00.0      Off      |               Disabled |\n\
        |      Graphics                                |                            |                        |\n\
        | N/A               N/A  45W / 190W            | 3500MiB / 16288MiB         |      N/A       Default |\n";
    let expected = [
        "3: gpu0 gpu Intel(R) Arc(TM) A770",
        "5: gpu0 used 3670016000~1048576",
        "5: gpu0 capacity 17079205888~1048576",
    ];
    assert_told(Kind::XpuSmi, text, &expected);
}
