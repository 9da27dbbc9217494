//! What issues hold beside a program's own message: words about the GPU, accounts of a cluster, rarer logs. Figures are our own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, only, told};
use memory_wall_reports::explain::{Cause, Explanation, Note, Stated, explain};
use memory_wall_reports::{Kind, Phase, Size, What, read};

const MESSAGE: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.56 GiB of which 1.00 GiB is free.\n";
const REFUSAL: &str = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n";

fn explained(text: &str) -> Explanation {
    explain(&read(text.as_bytes()), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

fn row(explanation: &Explanation, what: What) -> Option<i128> {
    explanation.rows.iter().find(|row| row.what == what).map(|row| row.reported.value())
}

#[test]
fn a_gpu_that_a_person_names_is_in_the_text() {
    for (words, name, id) in [
        ("- GPU: 1x NVIDIA RTX 3090 (24GB)\n", "NVIDIA RTX 3090 (24GB)", "rtx3090"),
        ("**GPU:** NVIDIA GeForce RTX 3090\n", "NVIDIA GeForce RTX 3090", "rtx3090"),
        ("| **GPU** | RTX 3090 |\n", "RTX 3090", "rtx3090"),
        ("* GPU Model: NVIDIA RTX A5000, one of two\n", "NVIDIA RTX A5000", "rtxa5000"),
        ("Hardware: NVIDIA A10G\n", "NVIDIA A10G", "a10g"),
        // SGLang's and LMDeploy's lists of the environment.
        ("GPU 0,1,2,3: NVIDIA GeForce RTX 4090\n", "NVIDIA GeForce RTX 4090", "rtx4090"),
        // sgl-project/sglang#4330, Comfy-Org/ComfyUI#13112, Physical-Intelligence/openpi#379, abetlen/llama-cpp-python#1944, huggingface/trl#3183.
        ("GPU: NVIDIA L40s (48GB VRAM) x 2 (I use 1 when running.)\n", "NVIDIA L40s (48GB VRAM)", "l40s"),
        ("GPU: AMD 9070xt 16G\n", "AMD 9070xt 16G", "rx9070xt"),
        ("GPU: Nvidia RTX 4090\n", "Nvidia RTX 4090", "rtx4090"),
        ("- **GPUs**: 4 x A100 80GB\n", "A100 80GB", "a100-80-sxm"),
        ("- CUDA device(s): NVIDIA L4, NVIDIA L4, NVIDIA L4\n", "NVIDIA L4", "l4"),
        ("GPU: 2x NVIDIA RTX 3090 (24 GB each)\n", "NVIDIA RTX 3090 (24 GB each)", "rtx3090"),
        // Memory of the computer, of all together, or what was in use.
        ("GPU: RTX 4090 (64 GB RAM)\n", "RTX 4090", "rtx4090"),
        ("GPU: 2x RTX 3090 (48 GB total)\n", "RTX 3090", "rtx3090"),
        ("GPU: RTX 4090 (16 GB used)\n", "RTX 4090", "rtx4090"),
        // The same one twice.
        ("GPU: RTX 4090\nGPU 0: NVIDIA GeForce RTX 4090\n", "RTX 4090", "rtx4090"),
    ] {
        for text in [[words, REFUSAL].concat(), [REFUSAL, words].concat()] {
            let found = read(text.as_bytes());
            assert_eq!(found.reports.last().and_then(|report| report.name(What::Gpu)), Some(name), "{text}");
            assert_eq!(explained(&text).gpu.map(|gpu| gpu.id), Some(id), "{text}");
        }
    }
    let sentences = [
        "GPU: it works on an RTX 3090\n",
        "GPU: NVIDIA\n",
        "GPU 0 Compute Capability: 8.6\n",
        "- works on NVIDIA RTX 3090 (24 GB)\n",
        // Headings, of which ollama/ollama#14799 has a laptop's.
        "## CUDA error on RTX 3060 Laptop 6GB\n",
        "## RTX 3060 works and RTX 3090 fails\n",
        "bf16: true\n# a comment of a script: H100 80GB\n",
        // Several, of which none is the one.
        "- NVIDIA RTX 3060\n- NVIDIA RTX 3090\n",
        "GPU: RTX 3060 / RTX 3090\n",
        "GPU: RTX 3090, 1x GTX 1080 Ti\n",
        "GPUs: RTX 4090 + 2x GeForce RTX 3060\n",
        "GPU: T4 / A100 80GB\n",
        "GPU: T4 (fails), NVIDIA H100 (works)\n",
        "GPUs: 2x RTX 3090, 1x P40\n",
        "GPU: RTX 4090 (works), fails on T4\n",
        "GPU 0: NVIDIA RTX 3060\nGPU 1: NVIDIA RTX 3090\n",
        "Machine A: RTX 4090\nMachine B: RTX 3060\n",
        "Works on:\n- RTX 4090\nFails on:\n- T4\n",
        // A laptop's, a processor, and what somebody asks for or tried.
        "GPU: RTX 4090 (Laptop)\n",
        "GPU: RTX 3080, laptop\n",
        "Hardware: Intel i7-13700, 32 GB RAM\n",
        "Hardware: AMD 7800X3D\n",
        "Recommended GPU: RTX 4090\n",
        "Hardware requirements: H100\n",
        "GPU (works): RTX 4090\nGPU (OOM): T4\n",
        "GPU driver: NVIDIA 535\n",
        "GPU hours: 512 H100\n",
        "GPU: RTX 3060 + RTX 3090\n",
        "GPU: RTX 3060 and RTX 3090\n",
        "GPU: RTX 3060 (12 GB), RTX 3090 (24 GB)\n",
    ];
    for words in sentences {
        let text = [words, REFUSAL].concat();
        assert!(!read(text.as_bytes()).reports.iter().any(|report| report.has(What::Gpu)), "{text}");
    }
    // A name alone is nothing that was left behind, and a program knows its GPU better than a person.
    assert!(read(b"GPU: NVIDIA RTX 3090\n").reports.is_empty());
    let log = "GPU: RTX 3090\nggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes\n";
    assert_eq!(told(&only(Kind::LlamaCpp, log)), ["3: gpu0 gpu NVIDIA GeForce RTX 4090"]);
}

#[test]
fn the_memory_behind_a_name_tells_two_of_one_name_apart() {
    for (words, id) in [
        ("GPU: RTX 3060 (6 GB)\n", None),
        ("GPU: RTX 3060 (12 GB)\n", Some("rtx3060-12")),
        ("GPU: 2x A100 (80 GB total)\n", None),
        ("GPU: RTX 4060 Ti\n", None),
        ("GPU: RTX 4060 Ti (16 GB)\n", Some("rtx4060ti-16")),
        ("GPU: RTX 3080 Ti\n", None),
    ] {
        assert_eq!(explained(&[REFUSAL, words].concat()).gpu.map(|gpu| gpu.id), id, "{words}");
    }
}

#[test]
fn how_many_gpus_a_person_has_is_read_too() {
    for (words, count) in [
        ("- GPU: 4x NVIDIA RTX 3090 (24GB each)\n", 4),
        ("| **GPU** | 2 x RTX 3090 |\n", 2),
        ("GPU: RTX 3090 (24 GB) x 8\n", 8),
        ("CUDA device(s): NVIDIA L4, NVIDIA L4, NVIDIA L4\n", 3),
    ] {
        let found = read([REFUSAL, words].concat().as_bytes());
        assert_eq!(found.reports.last().and_then(|report| report.count(What::GpuCount)), Some(count), "{words}");
    }
    // A model on several GPUs is not compared with the memory of one: 16 GB of weights on two GPUs of 12 GB.
    let serve = "vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 8192\n";
    let failed = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
    for (gpus, several) in [("GPU: RTX 3060\n", false), ("GPU: 2x RTX 3060\n", true)] {
        assert_eq!(explained(&[gpus, serve, failed].concat()).several, several, "{gpus}");
    }
}

#[test]
fn a_program_that_states_the_memory_overrules_a_person() {
    let message = MESSAGE.replace("23.56", "79.11");
    for words in ["GPU: RTX 4090\n", "Hardware: NVIDIA H100 PCIe 24GB\n"] {
        let (text, wrong) = if words.contains("4090") { (&*message, "rtx4090") } else { (MESSAGE, "h100-pcie") };
        for text in [[words, text].concat(), [text, words].concat()] {
            assert_ne!(explained(&text).gpu.map(|gpu| gpu.id), Some(wrong), "{text}");
        }
    }
    // Whichever text comes first.
    let card = "Hardware: RTX 4090\nvllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 8192\n";
    for text in [[card, &message].concat(), [&*message, card].concat()] {
        assert_ne!(explained(&text).gpu.map(|gpu| gpu.id), Some("rtx4090"), "{text}");
    }
}

#[test]
fn a_request_beyond_the_gpu_does_not_make_it_full() {
    let text = "CUDA out of memory. Tried to allocate 90.00 GiB. GPU 0 has a total capacity of 23.98 GiB of which 5.00 GiB is free. Of the allocated memory 18.00 GiB is allocated by PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated.";
    let causes = explained(text).causes;
    assert!(matches!(causes[..], [Cause::LargerThanGpu { .. }]), "{causes:?}");
}

#[test]
fn a_server_that_wakes_is_no_server_that_loads() {
    let text = "(main_task pid=7)   File \"/verl/workers/sharding_manager/fsdp_vllm.py\", line 79, in __enter__\n\
        (main_task pid=7)     self.inference_engine.wake_up()\n\
        (main_task pid=7)   File \"/x/vllm/entrypoints/llm.py\", line 1244, in wake_up\n\
        (main_task pid=7)     self.llm_engine.wake_up()\ncuda error: out of memory at /workspace/csrc/cumem_allocator.cpp:62\n";
    let causes = explained(text).causes;
    assert!(matches!(causes[..], [Cause::When(Phase::Wake, None), Cause::OutsideAllocator(_)]), "{causes:?}");
}

#[test]
fn accounts_of_a_cluster_say_that_host_memory_ran_out() {
    for text in [
        "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode\n81.0         python3.12               default          1 OUT_OF_ME+    0:125\n",
        "81.batch   batch   default   8   OUT_OF_MEMORY   0:125\n",
        "Job ID: 81\nState: OUT_OF_MEMORY (exit code 0)\n",
    ] {
        assert!(matches!(explained(text).causes[..], [Cause::Host { asked: None }]), "{text}");
    }
    assert!(
        read(b"VK_ERROR_OUT_OF_MEMORY\nState: COMPLETED (exit code 0)\n")
            .reports
            .iter()
            .all(|report| report.kind != Kind::HostMemory)
    );
    let driver = "failed call to cuInit: CUDA_ERROR_OUT_OF_MEMORY: out of memory at x.cc:10:125\n";
    assert!(!matches!(explained(driver).causes[..], [Cause::Host { .. }, ..]), "{:?}", explained(driver).causes);
    // systemd, and the kernel's first line where the rest was not copied.
    for text in [
        "nixos systemd[1]: ollama.service: Failed with result 'oom-kill'.\n",
        "[597411.1] python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0\n",
    ] {
        assert!(matches!(explained(text).causes[..], [Cause::Host { asked: None }]), "{text}");
    }
    let seff = "Memory Utilized: 5.50 GB\nMemory Efficiency: 68.75% of 8.00 GB (8.00 GB/node)\n";
    assert_told(Kind::System, seff, &["1: host_used 5905580032~10737418", "2: host_limit 8589934592~10737418"]);
    assert!(matches!(explained("81|OUT_OF_MEMORY|64Gn\n").causes[..], [Cause::Host { asked: None }]));
    // Linux's own figures of a GPU, below the command that prints them.
    let files = "$ cat /sys/class/drm/card0/device/mem_info_vram_total\n17163091968\n$ cat /sys/class/drm/card0/device/mem_info_vram_used\n692142080\n";
    assert_told(Kind::System, files, &["2: capacity 17163091968", "4: used 692142080"]);
}

#[test]
fn servers_made_from_vllm_say_the_same_in_other_words() {
    let ascend = "(EngineCore pid=7) INFO 04-15 06:30:01 [worker.py:575] Free memory on device (60.50/61.25 GiB) on startup. Desired GPU memory utilization is (0.9, 55.13 GiB). Actual usage: 14.25 GiB for weights, 1.50 GiB for peak activation, 0.25 GiB for non-torch memory, 0.50 GiB for NPU graph memory. Replace gpu_memory_utilization with `--kv-cache-memory=41473277952` (38.63 GiB) to fit in\n";
    let explanation = explained(ascend);
    // Hundredths of a GiB.
    let gib = |hundredths: i128| Some((hundredths << 30) / 100);
    for (what, size) in [
        (What::Weights, gib(1_425)),
        (What::PeakActivation, gib(150)),
        (What::NonTorch, gib(25)),
        (What::Graphs, gib(50)),
    ] {
        assert_eq!(row(&explanation, what), size, "{what:?}");
    }
    assert_eq!(only(Kind::Vllm, ascend).size(What::KvSuggested), Some(Size::exact(41_473_277_952)));
    let aphrodite = "INFO:     GPU memory breakdown:\nINFO:       Total GPU memory: 23.50 GiB\nINFO:       Memory utilization: 90%\n\
        INFO:       Available for Aphrodite: 21.15 GiB\nINFO:       Model weights: 14.96 GiB\nINFO:       Reserved for KV cache: 4.25 GiB\n\
        INFO:       KV cache for 8192 tokens: 1.00 GiB\nINFO:       Wasted memory: 0.10 GiB\nINFO:       Peak activations memory: 1.50 GiB\n\
        INFO:     # GPU blocks: 2176, # CPU blocks: 1638\nINFO:     Minimum concurrency: 4.25x\n";
    let explanation = explained(aphrodite);
    for (what, size) in [
        (What::Capacity, gib(2_350)),
        (What::Weights, gib(1_496)),
        (What::KvCache, gib(425)),
        (What::KvNeeded, gib(100)),
        (What::PeakActivation, gib(150)),
        (What::MaxModelLen, Some(8_192)),
        (What::KvTokens, Some(34_816)),
    ] {
        assert_eq!(row(&explanation, what), size, "{what:?}");
    }
    assert!(
        read(b"Total GPU memory: 23.50 GiB\nModel weights: 14.96 GiB\n")
            .reports
            .iter()
            .all(|report| report.kind != Kind::Vllm)
    );
    let slept =
        "INFO 04-23 16:21:37 [worker.py:145] Sleep mode freed 19.50 GiB memory, 26.25 GiB memory is still in use.\n";
    assert_told(Kind::Vllm, slept, &["1: used 28185722880~10737418"]);
    let capped = "WARNING 03-08 16:44:29 [compilation.py:1233] Capping cudagraph capture sizes from max 512 to 352 to fit Mamba cache blocks (361 blocks available).\n";
    // Blocks of states hold no tokens, and a server that has them does not stand yet.
    let log = ["INFO 03-08 16:44:02 Initializing a V1 LLM engine (v0.17.0) with config: model='Qwen/Qwen3-Next-80B-A3B-Instruct'\n", capped].concat();
    let explanation = explained(&log);
    assert!(!explanation.stands, "{:?}", explanation.rows);
    assert_eq!(row(&explanation, What::KvTokens), None);
    assert!(explanation.notes.contains(&Note::EndsEarly(Kind::Vllm)), "{:?}", explanation.notes);
    let refused = "ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (310). Each\n";
    assert_eq!(row(&explained(refused), What::KvTokens), None);
}

#[test]
fn llama_cpp_says_what_each_gpu_lacks() {
    let log = "$ llama-fit-params -m DeepSeek-V3.1-UD-Q4_K_XL.gguf -ub 4096\n  Device 0: NVIDIA RTX 6000 Ada Generation, compute capability 8.9, VMM: yes\n  Device 1: NVIDIA RTX 6000 Ada Generation, compute capability 8.9, VMM: yes\n\
        llama_params_fit_impl:   - CUDA0 (NVIDIA RTX 6000 Ada Generation):  48500 total,  50000 used,   2000 deficit\n\
        common_params_fit_impl:   - CUDA1 (NVIDIA RTX 6000 Ada Generation):  48500 total,  40000 used,  8000 free vs. target of  1024\n\
        llama_params_fit_impl: projected to use 90000 MiB of device memory vs. 96000 MiB of free device memory\n\
        llama_params_fit_impl: cannot fulfill margin of 1024 MiB on all devices, need to use 3024 MiB less in total\n";
    let report = only(Kind::LlamaCpp, log);
    for fact in [
        "1: ubatch 4096",
        "4: gpu0 capacity 50855936000~1048576",
        "4: gpu0 placed 52428800000~1048576",
        "5: gpu1 placed 41943040000~1048576",
        "6: projected 94371840000~1048576",
        "7: missing 3170893824~1048576",
    ] {
        assert!(told(&report).iter().any(|it| it == fact), "{fact} in {:?}", told(&report));
    }
    let explanation = explained(log);
    assert_eq!(row(&explanation, What::Projected), Some(90_000 << 20));
    // 96,000 MiB are those of both GPUs.
    assert!(!explanation.notes.contains(&Note::FreeBeyond));
    // One of two GPUs need not hold all of it.
    let second = "  Device 1: AMD Radeon RX 7900 XTX, gfx1100 (0x1100), VMM: no, Wave Size: 32\n";
    let two = format!(
        "  Device 0: AMD Radeon RX 7900 XTX, gfx1100 (0x1100), VMM: no, Wave Size: 32\n{second}llama-server -c 20480 -ngl 99 -m Llama-3.3-70B-Instruct-IQ4_XS.gguf\n"
    );
    assert!(explained(&two).several);
    assert!(!explained(&two.replace(second, "")).several);
    // What both together can't hold does not fit.
    assert!(!explained(&two.replace("Llama-3.3-70B-Instruct-IQ4_XS", "Llama-3.1-405B-Instruct-Q4_K_M")).several);
    // What lies beyond the GPU's memory, subtracted without a sign.
    let table = "llama_memory_breakdown_print: |   - Vulkan0 (RX 9060 XT (RADV GFX1200)) | 16304 = 17592186039416 + (21285 = 18908 +    1837 +     540) +          19 |\n";
    assert_eq!(row(&explained(table), What::Free), Some(-(5_000_i128 << 20)));
}

#[test]
fn trainers_say_their_peak_in_a_step() {
    for line in [
        "{'loss': 0.1, 'memory(GiB)': 72.25, 'train_speed(iter/s)': 0.05, 'epoch': 0.05}\n",
        "{\"loss\": 0.1, \"memory(GiB)\": 72.25, \"train_speed(iter/s)\": 0.05}\n",
    ] {
        assert_told(Kind::Trainer, line, &["1: peak_reserved 77577846784~10737418"]);
    }
    let command = "openrlhf.cli.train_ppo \\\n   --micro_train_batch_size 2 \\\n   --train_batch_size 64 \\\n   --zero_stage 3 \\\n";
    assert_told(Kind::Trainer, command, &["2: batch_size 2", "3: global_batch 64", "4: zero_stage 3"]);
    let banner = "==((====))==  Unsloth 2025.9.9: Fast Gemma3 patching. Transformers: 4.56.2.\n   \\\\   /|    NVIDIA GeForce RTX 5090. Num GPUs = 1. Max memory: 31.357 GB. Platform: Linux.\n";
    let told_of = told(&only(Kind::Unsloth, banner));
    assert_eq!(told_of[1..], ["2: capacity 33669322375~1073741", "2: gpu NVIDIA GeForce RTX 5090"]);
    for (name, id) in
        [("NVIDIA L4", "l4"), ("Tesla T4", "t4"), ("NVIDIA A10G", "a10g"), ("AMD Instinct MI300X", "mi300x")]
    {
        let banner = banner.replace("NVIDIA GeForce RTX 5090", name);
        assert_eq!(only(Kind::Unsloth, &banner).name(What::Gpu), Some(name));
        assert_eq!(explained(&banner).gpu.map(|gpu| gpu.id), Some(id), "{name}");
    }
    let log = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.\n\
        I0000 00:00:17 gpu_device.cc:2022] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 1500 MB memory:  -> device: 0, name: NVIDIA GeForce RTX 2080 Ti, pci bus id: 0000:89:00.0, compute capability: 7.5\n";
    let explanation = explained(log);
    assert_eq!(explanation.gpu.map(|gpu| gpu.id), Some("rtx2080ti"));
    assert_eq!(explanation.causes, [Cause::Limit { allowed: 1_500 << 20, capacity: None }]);
    // A start that took its share has not failed.
    assert!(read(log.lines().nth(1).unwrap().as_bytes()).reports.iter().all(|report| !report.is_failure()));
}
