//! Where the figures of the GPUs come from, and below, where a capacity was reported: the figures stand in the text.

pub(super) const A10: &str = "NVIDIA A10 data sheet (nvidia.com)";
pub(super) const A100: &str =
    "NVIDIA A100 product page, data sheet 1758950 and whitepaper (nvidia.com/en-us/data-center/a100)";
pub(super) const ADA: &str =
    "NVIDIA Ada architecture whitepaper v2.1, appendix A, figures as quoted in public repositories";
pub(super) const ADA_SLIDES: &str = "NVIDIA launch slides of the RTX 40 series, as printed at club386.com";
pub(super) const APPLE: &str =
    "Apple press figures as repeated in public repositories; no dense matrix rate is published";
pub(super) const BLACKWELL: &str = "NVIDIA Blackwell data sheet 3384703, as transcribed at glennklockwood.com";
pub(super) const GA102: &str = "NVIDIA GA102 whitepaper v2 (nvidia.com), figures as quoted in public repositories";
pub(super) const GAUDI: &str = "Intel Gaudi 2 and Gaudi 3 whitepapers (intel.com, 839363 and 817486)";
pub(super) const GB10: &str = "NVIDIA DGX Spark: 1 PFLOP fp4 with sparsity, so half of it dense and an eighth for bf16; a plain bf16 product was measured at 92 TFLOP/s (github.com/huggingface/kernels pull request 283)";
pub(super) const H100: &str = "NVIDIA H100 product page and Hopper whitepaper (nvidia.com/en-us/data-center/h100); dense and sparse table at glennklockwood.com";
pub(super) const H20: &str = "No NVIDIA page exists; trade press, agreeing with torchtitan";
pub(super) const H200: &str = "NVIDIA H200 product page (nvidia.com/en-us/data-center/h200)";
pub(super) const INSTINCT: &str =
    "AMD Instinct product pages (amd.com) and ROCm GPU specifications (rocm.docs.amd.com)";
pub(super) const L40: &str = "NVIDIA L40 and L40S data sheet, dense and sparse columns as transcribed at mullet.se";
pub(super) const LLMA: &str = "llm-analysis card files (github.com/cli99/llm-analysis at d841e40)";
pub(super) const RTX_BLACKWELL: &str =
    "NVIDIA RTX Blackwell architecture whitepaper, figures as quoted in public repositories";
pub(super) const STAS: &str = "ml-engineering accelerator table (github.com/stas00/ml-engineering at 744d01e1)";
pub(super) const T4: &str = "NVIDIA T4 data sheet 951643 (nvidia.com)";
pub(super) const TITAN: &str = "torchtitan peak rates (github.com/pytorch/torchtitan at b5bcd76)";
pub(super) const TPU: &str = "Google Cloud TPU documentation (docs.cloud.google.com/tpu)";
pub(super) const V100: &str = "NVIDIA V100 data sheet 1165301 (images.nvidia.com)";

// Capacities that PyTorch, CUDA or HIP reported on Linux. Where several drivers were seen, the table takes the smallest figure.

pub(super) const A100_40_SEEN: &str = "39.39 GiB by deviceQuery on an A100-SXM4-40GB with CUDA 12.2 (github.com/bottlerocket-os/bottlerocket pull request 3873); 39.59 GiB with older drivers (github.com/bigscience-workshop/t-zero issue 12)";
pub(super) const A100_40_PCIE_SEEN: &str =
    "40,326 MiB (39.38 GiB) by torch get_device_properties, in public repositories";
pub(super) const A100_80_SEEN: &str = "81,251 MiB (79.35 GiB) by torch get_device_properties, in public repositories";
pub(super) const A10G_SEEN: &str = "22,587 MiB (22.06 GiB) by torch get_device_properties, in public repositories";
pub(super) const ADA_6000_ECC: &str = "With ECC on it reports 44.43 GiB (github.com/DINGYANB/MTVCrafter issue 21)";
pub(super) const B200_SEEN: &str = "182,642 MiB (178.36 GiB) by torch get_device_properties, in public repositories";
pub(super) const GB10_SEEN: &str = "121.63 GiB in vLLM (github.com/sostrowsk/dgx-spark-local-llm at 4b54864), 121.69 GiB (github.com/MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks issue 47), 119.61 GiB to 119.70 GiB in out-of-memory messages with older systems; the operating system takes its part of it";
pub(super) const GFX90A_SEEN: &str = "67,092,480 KiB (63.98 GiB) by rocminfo on gfx90a (github.com/ROCm/legacy-rocm-build issue 4563), which PyTorch prints as 63.98 GiB";
pub(super) const GFX950_SEEN: &str =
    "287.98 GiB in an out-of-memory message on gfx950 (github.com/ROCm/TheRock issue 2118)";
pub(super) const H100_NVL_SEEN: &str = "93.00 GiB in an out-of-memory message (github.com/ali-vilab/VACE issue 56)";
pub(super) const H100_SEEN: &str = "79.18 GiB in a log of vLLM (github.com/kolyangg/mlops-assignment at daaf8cb), 79.22 GiB (github.com/vllm-project/vllm pull request 12126)";
pub(super) const H200_SEEN: &str = "139.80 GiB in a log of TensorRT-LLM (github.com/faradawn/bench3 at 2d98d58)";
pub(super) const H20_SEEN: &str = "97,285 MiB (95.00 GiB) by torch get_device_properties, in public repositories";
pub(super) const L40S_SEEN: &str = "45,589 MiB (44.52 GiB) by torch get_device_properties, in public repositories; the same figure in github.com/vllm-project/vllm issue 14011";
pub(super) const L40_SEEN: &str = "44.40 GiB in an out-of-memory message (github.com/QwenLM/Qwen3-VL issue 2097)";
pub(super) const MI300X_SEEN: &str = "196,592 MiB (191.98 GiB) by torch get_device_properties, in public repositories";
pub(super) const PRO_6000_SEEN: &str = "94.97 GiB by CUDA (github.com/antirez/ds4 issue 431)";
pub(super) const RTX_3090_SEEN: &str = "23.56 GiB (github.com/noonghunna/club-3090 at 4a29ab5, github.com/wtdcode/vllm-backport issue 34), 23.70 GiB with older drivers (github.com/xiaoxiangAQ/GAS-Net issue 7)";
pub(super) const RTX_4090_SEEN: &str = "23.52 GiB (github.com/vllm-project/vllm issue 42049, github.com/Soul-AILab/SoulX-FlashTalk issue 5), 23.64 GiB (github.com/ali-vilab/VGen issue 104) and 23.68 GiB (github.com/zai-org/CogVideo issue 36) with older drivers";
pub(super) const RTX_5090_SEEN: &str = "31.36 GiB (github.com/TrajectoryCrafter/TrajectoryCrafter issue 20), 31.37 GiB (github.com/vllm-project/vllm issue 14452)";
pub(super) const T4_SEEN: &str = "14.56 GiB (github.com/Zheng-Chong/CatVTON issue 133), 14.76 GiB with older drivers (github.com/xinge008/Cylinder3D issue 109)";
pub(super) const V100_16_SEEN: &str = "15.78 GiB in an out-of-memory message (github.com/kchengiva/Shift-GCN issue 34)";
pub(super) const V100_32_SEEN: &str =
    "31.74 GiB in an out-of-memory message (github.com/liucongg/ChatGLM-Finetuning issue 73)";

// Ranges where no report that names the GPU was found.

pub(super) const A100_80_PCIE: &str =
    "Estimated 79.10 to 79.35 GiB: as the SXM module (79.35), less what newer drivers take from GPUs of 80 GB";
pub(super) const B300: &str =
    "Estimated 99 to 100% of the printed 288 GB: a B200 reports 0.4% less than its driver's total";
pub(super) const CONSUMER: &str =
    "Estimated: the driver's total less 0.25 to 0.55 GiB, as the RTX 3060, 3090, 4090 and 5090 report it";
pub(super) const GB200: &str =
    "Estimated 184.31 GiB, which out-of-memory messages of such systems print, to the driver's 189,471 MiB";
pub(super) const H100_PCIE: &str = "Estimated 79.10 to 79.22 GiB: a dump of get_device_properties says 81,008 MiB (79.11 GiB), its repository is not on record";
pub(super) const MI325X: &str = "Estimated 255.69 to 255.98 GiB: out-of-memory messages of GPUs with 256 GiB";
pub(super) const RTX_3060: &str = "11.75 GiB (github.com/smy20011/dreambooth-gui issue 78); estimated down to 11.62 GiB with newer drivers, as GPUs of 12,288 MiB print it";
pub(super) const SISTER_24: &str =
    "Estimated 22.03 GiB, the least that GPUs with 24 GB and ECC print (an A10G reports 22.06), to the driver's total";
pub(super) const SISTER_48: &str =
    "Estimated 47.27 to 47.54 GiB: what GPUs with a driver's total of 49,140 MiB (ECC off) print";
pub(super) const SISTER_48_ECC: &str =
    "Estimated 44.30 GiB to the driver's 46,068 MiB: an L40 reports 44.40 GiB, an L40S 44.52 GiB of the same total";
