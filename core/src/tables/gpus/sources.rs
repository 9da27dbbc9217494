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
pub(super) const H20_3E: &str = "HGX H20 141GB HBM3e in NVIDIA's Secure AI Compatibility Matrix (nvidia.com/en-us/data-center/solutions/confidential-computing); an H20 with the memory of an H200, 4.8 TB/s (flopper.io/gpu/nvidia-h20-141gb/spec-sheet). Read 2026-11-26";
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

// Of the GPUs added on 2026-11-23. Makers' figures are as quoted in public repositories.

pub(super) const ADA_SUPER: &str = "NVIDIA GeForce RTX 4080 Super: 10,240 cores at 2,550 MHz, 836 AI TOPS with sparsity, figures as quoted in public repositories";
pub(super) const AICONFIGURATOR: &str = "AIConfigurator system files (github.com/ai-dynamo/aiconfigurator at 095f58a)";
pub(super) const APPLE_CORES: &str =
    "No rate is published: that of the largest chip of its generation by the number of GPU cores";
pub(super) const ARC: &str = "Intel Arc B580: 437.45 int4 TOPS at 2,670 MHz, as printed at hmc-tech.com; half of it for int8, a quarter at 16 bits";
pub(super) const GA102_TI: &str =
    "NVIDIA GeForce RTX 3090 Ti: 10,752 cores at 1,860 MHz; rates a core and clock as those of the RTX 3090";
pub(super) const LLM_PROF: &str = "LLM-Prof hardware table (github.com/citsjtu2020/LLM-Prof): NVLink of 400 GB/s both ways together, compute as before";
pub(super) const RADEON: &str = "AMD Radeon RX 7900 XTX: 61.4 TFLOPS, twice that at 16 bits (github.com/Avarok-Cybersecurity/atlas issue 1067); caches by LACT (github.com/ilya-zlobintsev/LACT pull request 533)";
pub(super) const RTX_50: &str =
    "NVIDIA launch table of the RTX 50 series, as printed at tweaktown.com: 988, 1,406 and 1,801 AI TOPS with sparsity";
pub(super) const RTX_4060: &str = "NVIDIA GeForce RTX 4060: 24 multiprocessors at 2,460 MHz, 272 GB/s, PCIe 4.0 x8, 24 MB of L2, as printed in public reviews; matrix units as in the other GPUs of the series";
pub(super) const RTX_4060_TI: &str = "NVIDIA GeForce RTX 4060 Ti: 34 multiprocessors at 2,535 MHz, 288 GB/s, PCIe 4.0 x8, as printed at cputronic.com and thefpsreview.com; matrix units as in the other GPUs of the series";
pub(super) const RTX_A5000: &str = "NVIDIA RTX A5000 data sheet: 27.8 TFLOPS, 222.2 with sparsity at 16 bits, figures as quoted in public repositories";
pub(super) const RTX_PRO_MAXQ: &str =
    "NVIDIA data sheet 3519233: 3,511 AI TOPS with sparsity, figures as quoted in public repositories";
pub(super) const RTX_PRO_SERVER: &str =
    "NVIDIA RTX PRO 6000 Blackwell Server Edition: 1,597 GB/s, as quoted in public repositories";
pub(super) const STRIX_HALO: &str = "AMD Ryzen AI Max+ 395: 40 compute units at 2.9 GHz, 256 GB/s (github.com/AlexsJones/llmfit at 3f44fd3); the GPU's part of the memory is set by the system";
pub(super) const THOR: &str = "NVIDIA Jetson T5000: 2,070 fp4 TFLOPS with sparsity, as quoted in public repositories, so half of it dense and a quarter of that at 16 bits";

// Of the GPUs added on 2026-11-26.

pub(super) const A30: &str =
    "NVIDIA A30 data sheet: 165 TFLOPS at 16 bits, 933 GB/s, figures as quoted in public repositories";
pub(super) const APPLE_M5: &str = "Apple: 153, 307 and 614 GB/s. No rate is published: 18.4 TFLOPS of an M5 Max and about 70 at 16 bits by its neural accelerators are those of skorppio.com, smaller chips by the number of GPU cores";
pub(super) const ARC_PRO: &str = "Intel Arc A770: 262 int8 TOPS, 560 GB/s; Arc Pro B50 and B70: 170 and 367 int8 TOPS, 224 and 608 GB/s, figures as quoted at zolotukhin.ai; half of it at 16 bits";
pub(super) const P40: &str = "NVIDIA Tesla P40 data sheet: 12 TFLOPS, 47 int8 TOPS, 346 GB/s. It has no matrix units and adds in fp16 at a 64th of that rate, so that programs multiply fp16 weights in fp32";
pub(super) const RADEON_7000: &str = "AMD Radeon RX 7800 XT, RX 7900 XT and PRO W7900 product pages: 37.3, 51.6 and 61.3 TFLOPS, twice that at 16 bits, figures as quoted in public repositories";
pub(super) const RADEON_9000: &str = "AMD Radeon RX 9070 XT and AI PRO R9700 product pages: 195 and 191 TFLOPS at 16 bits without sparsity, 640 GB/s, figures as quoted in public repositories";
pub(super) const RTX_5060: &str = "NVIDIA GeForce RTX 5060 and 5060 Ti: 614 and 759 AI TOPS with sparsity, 448 GB/s, PCIe 5.0 x8, figures as quoted in public repositories";
pub(super) const RTX_A4000: &str = "NVIDIA RTX A4000 data sheet: 19.2 TFLOPS, 153.4 with sparsity at 16 bits, figures as quoted in public repositories";
pub(super) const RTX_ADA: &str = "NVIDIA RTX 4000, 4500 and 5000 Ada data sheets: 427.6, 634.0 and 1,044.4 TFLOPS of fp8 with sparsity, figures as quoted in public repositories";
pub(super) const RTX_PRO: &str = "NVIDIA RTX PRO 4500 and 5000 Blackwell: 1,687 and 2,064 AI TOPS with sparsity; RTX PRO 4000: a core and clock as the RTX PRO 6000; cores and clocks as printed at technical.city";
pub(super) const TURING: &str = "NVIDIA Turing whitepaper (RTX 2080 Ti: 53.8 TFLOPS of fp16 with fp32 accumulation); the GTX 1660 Ti has no matrix units and computes in fp16 at twice the rate of fp32";
pub(super) const VEGA_20: &str = "AMD Instinct MI50 and Radeon VII product pages: no matrix units, twice the rate of fp32 in fp16, 1,024 GB/s, figures as quoted in public repositories";

// What the system lets a GPU that shares the memory of its computer take by itself.
pub(super) const APPLE_LIMIT: &str = "Metal's recommendedMaxWorkingSetSize: 21.33 GiB of 32 (21,845 MiB: github.com/ollama/ollama issue 434), 48.00 GiB of 64 and 72.00 GiB of 96 (49,152 and 73,728 MiB: github.com/ggml-org/llama.cpp issue 3213), 96.00 GiB of 128 and 144.00 GiB of 192 (github.com/raullenchai/Rapid-MLX pull request 183), and 107.52 GiB of 128 on M4 and M5 Max and with macOS 26 (github.com/antirez/ds4 pull request 893). Newer macOS lends more: 24.96 GiB of 32 (26,800.60 MB on an M4 and an M2 Max), 37.44 GiB of 48 (M4 Pro) and 51.84 GiB of 64 (55,662.79 MB on an M3 Max), in public logs of llama.cpp read 2026-11-25. Of 96 and 192 no such report was found: estimated up to the part that 64 have, 77.76 GiB, and that 128 have, 161.28. No report of 512 was found: estimated between three quarters, 384.00 GiB, and the part that 256 have, 239, of which 478 are as many";
pub(super) const STRIX_LIMIT: &str = "Linux lends half of the memory by itself (GTT): 63,968 MiB, so 62.46 GiB of 128 (github.com/antirez/ds4 issue 475); ttm.pages_limit or the firmware give 96 to 120 (github.com/noamsto/nix-amd-ai issue 42)";

// Capacities that PyTorch, CUDA or HIP reported on Linux. Where several drivers were seen, the table takes the smallest figure.

pub(super) const A100_40_SEEN: &str = "39.39 GiB by deviceQuery on an A100-SXM4-40GB with CUDA 12.2 (github.com/bottlerocket-os/bottlerocket pull request 3873); 39.59 GiB with older drivers (github.com/bigscience-workshop/t-zero issue 12)";
pub(super) const A100_80_SEEN: &str = "79.14 GiB on an A100-SXM4-80GB with CUDA 12.6 (github.com/GusSand/CoT_Exploration, October 2025; 84,974,239,744 bytes in a PyTorch trace of such a GPU), 79.25 GiB (github.com/levihsu/OOTDiffusion issue 235, March 2025), 79.35 GiB with older drivers";
pub(super) const A100_80_PCIE_SEEN: &str = "84,974,239,744 bytes (79.14 GiB) on an A100 80GB PCIe (github.com/TruNcat3/cuButterfly, September 2026), 79.35 GiB with older drivers";
pub(super) const A10_SEEN: &str = "21.99 GiB (github.com/zai-org/CogVLM issue 236, December 2023), 22.18 GiB (github.com/OpenBMB/MiniCPM-V issue 640, October 2024)";
pub(super) const RTX_3070_SEEN: &str = "7.76 GiB (github.com/sshan-zhao/GASDA issue 19, 2021) and 7.78 GiB (github.com/meta-llama/codellama issue 82, 2023); estimated down to 7.66 GiB with newer drivers, which keep more";
pub(super) const RTX_3080_SEEN: &str = "9.78 GiB (github.com/zai-org/CogVideo issue 34, 2023); estimated down to 9.64 GiB with newer drivers, which keep more";
pub(super) const RTX_4060_SEEN: &str = "7.75 GiB in an out-of-memory message of April 2025 (github.com/ESRSchao/EdgeRegNet issue 2, a laptop's); estimated down to 7.62 GiB with newer drivers, which keep more";
pub(super) const RTX_4060_TI_SEEN: &str = "15.55 GiB (github.com/boson-ai/higgs-audio issue 48, July 2025), 15,944 MiB by llama.cpp under Linux; all 16,379 MiB are reported under Windows";
pub(super) const ADA_6000_ECC: &str = "With ECC on it reports 44.43 GiB (github.com/DINGYANB/MTVCrafter issue 21)";
pub(super) const B200_SEEN: &str = "178.35 GiB (github.com/stas00/the-art-of-debugging at 6572af6), 178.34 GiB by OpenCL with a newer driver (github.com/nejeoui/MPA-OpenCl at 21c000b), up to 178.36 GiB with others";
pub(super) const GFX90A_SEEN: &str = "67,092,480 KiB (63.98 GiB) by rocminfo on gfx90a (github.com/ROCm/legacy-rocm-build issue 4563), which PyTorch prints as 63.98 GiB";
pub(super) const GFX950_SEEN: &str =
    "287.98 GiB in an out-of-memory message on gfx950 (github.com/ROCm/TheRock issue 2118)";
pub(super) const H100_NVL_SEEN: &str = "93.00 GiB in an out-of-memory message (github.com/ali-vilab/VACE issue 56)";
pub(super) const H100_SEEN: &str = "79.10 GiB in a log of vLLM (github.com/huggingface/trl issue 2688, January 2025), 79.11 GiB (github.com/vllm-project/vllm issue 27508), 79.18 GiB (github.com/kolyangg/mlops-assignment at daaf8cb), 79.22 GiB (github.com/vllm-project/vllm pull request 12126)";
pub(super) const H200_SEEN: &str = "139.72 GiB in an out-of-memory message (huggingface.co/blog/LinkedIn/gpt-oss-agentic-rl, January 2026), 139.80 GiB in a log of TensorRT-LLM (github.com/faradawn/bench3 at 2d98d58), 139.81 GiB (github.com/sungwon-chae/arxiv_confi)";
pub(super) const L40S_SEEN: &str = "44.31 GiB on each of four L40S (github.com/sudeshmu/mixture_of_recursions), 44.39 GiB to 44.52 GiB with other drivers";
pub(super) const L40_SEEN: &str = "44.40 GiB in an out-of-memory message (github.com/QwenLM/Qwen3-VL issue 2097)";
pub(super) const PRO_6000_SEEN: &str = "94.97 GiB by CUDA (github.com/antirez/ds4 issue 431)";
pub(super) const RTX_3090_SEEN: &str = "23.56 GiB (github.com/noonghunna/club-3090 at 4a29ab5, github.com/wtdcode/vllm-backport issue 34), 23.55 GiB in an out-of-memory message of January 2026 (github.com/claymore666/liga-hessen-news-aggregator at 8c77fb7), 23.70 GiB with older ones (github.com/xiaoxiangAQ/GAS-Net issue 7)";
pub(super) const RTX_4090_SEEN: &str = "23.52 GiB (github.com/vllm-project/vllm issue 42049, github.com/Soul-AILab/SoulX-FlashTalk issue 5), 23.49 GiB in an out-of-memory message of November 2025 (github.com/timlawrenz/FLENwheel at 886f9db), 23.64 GiB (github.com/ali-vilab/VGen issue 104) and 23.68 GiB (github.com/zai-org/CogVideo issue 36) with older drivers";
pub(super) const RTX_5090_SEEN: &str = "31.36 GiB (github.com/TrajectoryCrafter/TrajectoryCrafter issue 20), 31.37 GiB (github.com/vllm-project/vllm issue 14452), 31.33 GiB in an out-of-memory message of February 2026 (github.com/kvcache-ai/ktransformers issue 1860)";
pub(super) const T4_SEEN: &str = "14.56 GiB (github.com/Zheng-Chong/CatVTON issue 133), 14.76 GiB with older drivers (github.com/xinge008/Cylinder3D issue 109)";
pub(super) const V100_16_SEEN: &str = "15.78 GiB in an out-of-memory message (github.com/kchengiva/Shift-GCN issue 34)";
pub(super) const V100_32_SEEN: &str = "31.74 GiB in an out-of-memory message (github.com/liucongg/ChatGLM-Finetuning issue 73), 31.73 GiB by OpenCL on a V100-PCIE-32GB (github.com/nejeoui/MPA-OpenCl at 21c000b)";

pub(super) const A30_SEEN: &str = "23.50 GiB (github.com/LHRLAB/ChatKBQA issue 2, November 2023), 23.53 GiB (github.com/google/RB-Modulation issue 5, September 2024)";
pub(super) const P40_SEEN: &str = "22.38 GiB with ECC on (github.com/LinkSoul-AI/Chinese-Llama-2-7b issue 56, github.com/OpenGVLab/LLaMA-Adapter issue 151). With ECC off the driver's total is 24,576 MiB (github.com/dphnAI/sonar issue 522), of which an RTX 3090 reports up to 23.70";
pub(super) const RTX_2080_TI_SEEN: &str = "10.57 GiB with vLLM 0.13 (github.com/vllm-project/vllm issue 19445, January 2026), 10.76 GiB with older drivers, in public out-of-memory messages";
pub(super) const RTX_A4000_SEEN: &str =
    "15.61 GiB in an out-of-memory message (github.com/DengKaiCQ/VGGT-Long issue 6, July 2025)";

// Ranges where no report that names the GPU was found.

pub(super) const A100_40_PCIE: &str = "Estimated 39.38 to 39.59 GiB: an A100 of 40 GB whose form is not named prints 39.38 GiB (github.com/QwenLM/Qwen3-VL issue 881, March 2025), older drivers 39.59";
pub(super) const A10G: &str = "Estimated 21.99 GiB, the least that an A10 with the same driver's total prints, to 22.49 GiB (github.com/AUTOMATIC1111/stable-diffusion-webui issue 1259, September 2022); messages of 2026 print 22.06";
pub(super) const B300: &str =
    "Estimated 99 to 100% of the printed 288 GB: a B200 reports 0.4% less than its driver's total";
pub(super) const CONSUMER: &str =
    "Estimated: the driver's total less 0.25 to 0.55 GiB, as the RTX 3060, 3090, 4090 and 5090 report it";
pub(super) const GB10_CAPACITY: &str = "Estimated 119.61 GiB, which out-of-memory messages of such systems print, to 121.69 GiB (github.com/MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks issue 47; 121.63 in github.com/sostrowsk/dgx-spark-local-llm at 4b54864); the operating system takes its part of it";
pub(super) const GB200: &str =
    "Estimated 184.31 GiB, which out-of-memory messages of such systems print, to the driver's 189,471 MiB";
pub(super) const H20_CAPACITY: &str = "Estimated 95.00 to 95.22 GiB, which out-of-memory messages of GPUs with a driver's total of 97,871 MiB print; an H20 with driver 610 shows 95.1 (github.com/jia-heng/FlagOpBench, August 2026)";
pub(super) const H20_3E_CAPACITY: &str =
    "Estimated 139.72 to 139.81 GiB: what an H200 reports, whose driver names the same total of 143,771 MiB";
pub(super) const H100_PCIE: &str =
    "Estimated 79.10 to 79.22 GiB: what the SXM module reports, whose driver names the same total of 81,559 MiB";
pub(super) const MI300X: &str = "Estimated 191.45 to 191.98 GiB: messages of HIP on GPUs with 192 GB print 191.45 (github.com/RLFoundation/docker_rocm_test, ROCm 6.4), 191.69 and 191.98 GiB";
pub(super) const MI325X: &str = "Estimated 255.69 to 255.98 GiB: out-of-memory messages of GPUs with 256 GiB";
pub(super) const RTX_3060: &str = "11.75 GiB (github.com/smy20011/dreambooth-gui issue 78); estimated down to 11.62 GiB with newer drivers, as GPUs of 12,288 MiB print it";
pub(super) const SISTER_24: &str = "Estimated 21.96 GiB, the least that GPUs with 24 GB and ECC print (an A10 reports 21.99 to 22.18), to the driver's total";
pub(super) const SISTER_48: &str =
    "Estimated 47.27 to 47.54 GiB: what GPUs with a driver's total of 49,140 MiB (ECC off) print";
pub(super) const SISTER_48_ECC: &str =
    "Estimated 44.30 GiB to the driver's 46,068 MiB: L40 and L40S report 44.31 to 44.52 GiB of the same total";
pub(super) const A800: &str =
    "Estimated 79.14 to 79.35 GiB: what the A100 SXM4 of 80 GB reports, which is the same but for NVLink";
pub(super) const GB300: &str =
    "Estimated 276.40 GiB, 0.4% less than the driver's total of 284,208 MiB as of a B200, to that total";
pub(super) const H200_NVL: &str =
    "Estimated 139.72 to 139.81 GiB: what the SXM module reports, whose driver names the same total of 143,771 MiB";
pub(super) const H800: &str =
    "Estimated 79.10 to 79.22 GiB: what the H100 SXM5 reports, which is the same but for NVLink and fp64";
pub(super) const LLAMA_CPP_3090_TI: &str = "Estimated 23.49 GiB, as an RTX 4090 with the same driver total reports with newer drivers, to 23.58: logs of llama.cpp in public repositories print 24,112 and 24,142 MiB";
pub(super) const LLAMA_CPP_50: &str = "Estimated 15.43 to 15.51 GiB: logs of llama.cpp in public repositories print 15,808 and 15,842 MiB of an RTX 5070 Ti and 15,880 MiB of an RTX 5080";
pub(super) const LLAMA_CPP_5070: &str = "Estimated: the driver's total of 12,227 MiB less 0.25 to 0.55 GiB";
pub(super) const LLAMA_CPP_7900: &str = "Estimated 23.98 GiB, which logs of llama.cpp with ROCm in public repositories print as 24,560 MiB, to 24,576 MiB in others";
pub(super) const MI350X: &str = "Estimated 287.98 to 288.00 GiB: an MI355X of the same memory reports 287.98";
pub(super) const PRO_6000_SISTER: &str = "Estimated 94.97 GiB, which the Workstation Edition with the same driver's total of 97,887 MiB reports, to that total";
pub(super) const SISTER_24_PLAIN: &str =
    "Estimated 23.49 to 23.68 GiB: what an RTX 4090 with the same driver's total of 24,564 MiB prints";
pub(super) const THOR_SEEN: &str =
    "122.80 GiB: logs of llama.cpp in public repositories print 125,748 MiB, all memory of the computer";

pub(super) const ARC_SYCL: &str = "Estimated from what SYCL calls the global memory in logs of llama.cpp in public repositories: 16,225 to 16,704 MB of an A770, 16,304 MiB of a B50, 32,602 to 32,656 MiB of a B70";
pub(super) const GTX_1660_TI: &str = "Estimated 5.59 to 5.80 GiB: a log of llama.cpp in a public repository prints 5,747 MiB, 5.61 GiB; older drivers keep less";
pub(super) const LLAMA_CPP_5060: &str = "Estimated: the driver's total of 8,151 MiB less 0.25 to 0.55 GiB; of an RTX 5060 a public repository quotes 7,708 MiB by llama.cpp, 7.53 GiB";
pub(super) const LLAMA_CPP_5060_TI: &str =
    "Estimated 15.45 to 15.48 GiB: logs of llama.cpp in public repositories print 15,825 to 15,850 MiB";
pub(super) const LLAMA_CPP_GFX12: &str = "Estimated from 15.92 and 31.86 GiB, which logs of llama.cpp with ROCm in public repositories print as 16,304 and 32,624 MiB, to all of the memory";
pub(super) const LLAMA_CPP_ROCM: &str = "Estimated from 0.02 GiB less than all of the memory, as logs of llama.cpp with ROCm in public repositories print it (16,368 MiB of an MI50 and an RX 7800 XT, 20,464 of an RX 7900 XT, 32,752 of an MI50 with 32 GB), to all of it";
pub(super) const RTX_2080_TI_22: &str = "Estimated 21.48 GiB to 21.67 (github.com/vllm-project/vllm issue 2140, June 2024): newer drivers keep 0.19 more of the 11 GB";
pub(super) const RTX_4000_ADA: &str =
    "Estimated 19.54 GiB, which reports of PyTorch in public repositories print, to 19.70 with older drivers";
pub(super) const RTX_5000_ADA: &str = "Estimated: the driver's total of 32,760 MiB less 0.46 to 0.72 GiB, as GPUs with 48 GB of the same generation report it";
pub(super) const RTX_PRO_TOTALS: &str = "Estimated: the driver's total of 24,467, 32,623, 48,935 and 73,415 MiB less 0.62 GiB, as an RTX PRO 6000 reports it, to that total";
pub(super) const SISTER_8: &str =
    "Estimated 7.66 to 7.78 GiB: what an RTX 3070 with the same driver's total of 8,192 MiB reports";

// TPUs: what XLA calls the capacity of HBM.
pub(super) const TPU_V4_SEEN: &str = "30.75 GiB of HBM in an out-of-memory message of XLA (github.com/erfanzar/EasyDeL issue 166), beside 1.25 GiB reserved";
pub(super) const TPU_V5E_SEEN: &str = "15.75 GiB of HBM in an out-of-memory message of XLA (github.com/GoogleCloudPlatform/kubernetes-engine-samples pull request 1467)";
pub(super) const TPU_V5P_SEEN: &str = "95.74 GiB of HBM in all in the metrics of libtpu (github.com/AI-Hypercomputer/cloud-accelerator-diagnostics, tpu_info/metrics_test.py at abf9f4b), as in XLA's messages";
pub(super) const TPU_V6E_SEEN: &str =
    "31.25 GiB a device in a log of vLLM (github.com/vllm-project/vllm pull request 16211), as in XLA's messages";
