//! Figures that scripts and monitors print by the names of others: each with numbers of our own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, bytes, only, told};
use memory_wall_reports::explain::{Cause, Stated, explain};
use memory_wall_reports::{Device, Kind, What, read};

fn causes(text: &str) -> Vec<Cause> {
    let stated = Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false };
    explain(&read(text.as_bytes()), &[], &stated).causes
}

#[test]
fn what_a_script_prints_of_pytorch_is_read_by_its_names() {
    for (line, facts) in [
        (
            "memory_allocated: 40.5MB, memory_reserved: 42.0MB",
            ["allocated 42467328~104857", "reserved 44040192~104857"],
        ),
        (
            "torch.cuda.memory_allocated: 2.500000GB\ntorch.cuda.memory_reserved: 4.000000GB",
            ["allocated 2684354560~1073", "reserved 4294967296~1073"],
        ),
        (
            "INFO peak memory allocated: 512 MiB reserved: 768 MiB",
            ["peak_allocated 536870912~1048576", "peak_reserved 805306368~1048576"],
        ),
        (
            "step 3 - CUDA memory allocated: 512.00 MB, reserved: 768.00 MB",
            ["allocated 536870912~10485", "reserved 805306368~10485"],
        ),
        (
            "Max GPU Memory Allocated (GB): 1.5\nPeak Memory Reserved (GB) = 2",
            ["peak_allocated 1610612736~107374182", "peak_reserved 2147483648~1073741824"],
        ),
        (
            "torch.cuda.max_memory_allocated() = 1610612736\ntorch.cuda.max_memory_reserved(0): 2147483648",
            ["peak_allocated 1610612736", "peak_reserved 2147483648"],
        ),
        (
            "reserved memory:16.5 GB\nallocated memory: 2.5 GB",
            ["reserved 17716740096~107374182", "allocated 2684354560~107374182"],
        ),
        (
            "VRAM usage: 10.5 GB\nPeak GPU memory: 12 GiB",
            ["stated_use 11274289152~107374182", "stated_peak 12884901888~1073741824"],
        ),
        // With all their digits these are multiples of 512 bytes only by powers of 1,000.
        (
            "before init cache memory allocated: 1.536000512GB, reserved: 2.000683008GB",
            ["allocated 1536000512~1", "reserved 2000683008~1"],
        ),
    ] {
        let found: Vec<String> =
            told(&only(Kind::Torch, line)).iter().map(|fact| fact.split(": ").nth(1).unwrap().into()).collect();
        assert_eq!(found, facts, "{line}");
    }
    // Code, words, shares and other programs' tables are no figures.
    for line in [
        "print(f\"memory allocated: {torch.cuda.memory_allocated() / 1024**3:.2f} GB\")",
        "the memory allocated by PyTorch is 5 GB",
        "memory allocated: 95%",
        "memory_allocated = 0",
        "max_memory_allocated: 7",
        "if memory_reserved() > 3 GB:",
    ] {
        assert_eq!(read(line.as_bytes()).reports, [], "{line}");
    }
    // What a program's own line says is said once.
    let verl = "After init, memory allocated (GB): 14.25, memory reserved (GB): 15.50";
    assert_eq!(read(verl.as_bytes()).reports.len(), 1);
}

#[test]
fn the_trainers_memory_is_read_from_its_metrics_and_its_table() {
    let metrics = "{'train_runtime': 9.5, 'init_mem_gpu_alloc_delta': 0, 'train_mem_cpu_alloc_delta': 5000, 'train_mem_gpu_alloc_delta': -1048576, 'train_mem_gpu_peaked_delta': 3221225472, 'before_init_mem_gpu': 2147483648, 'epoch': 1.0}";
    assert_told(
        Kind::Torch,
        metrics,
        &["1: stage_kept 0", "1: stage_kept -1048576", "1: stage_peak 3221225472", "1: allocated 2147483648"],
    );
    let table = "***** train metrics *****\n  before_init_mem_cpu        =     2000MB\n  before_init_mem_gpu        =     1303MB\n  train_mem_gpu_alloc_delta  =     2506MB\n  train_mem_gpu_peaked_delta =      394MB\n";
    assert_told(
        Kind::Torch,
        table,
        &["3: allocated 1366294528~1048576", "4: stage_kept 2627731456~1048576", "5: stage_peak 413138944~1048576"],
    );
}

#[test]
fn lightning_says_weights_parameters_and_the_allocators_figures() {
    let summary = "  | Name  | Type | Params | Mode\n---\n0 | model | Net  | 1.3 B  | train\n---\n1.3 B     Trainable params\n0         Non-trainable params\n1.3 B     Total params\n5,200.500 Total estimated model params size (MB)\n";
    assert_told(
        Kind::Lightning,
        summary,
        &["5: trainable_parameters 1300000000", "7: parameters 1300000000", "8: weights 5200500000~1000"],
    );
    assert_told(Kind::Lightning, "Total estimated model params size (MB): 106", &["1: weights 106000000~1000000"]);
    let stats = "'DeviceStatsMonitor.on_train_batch_start/allocated_bytes.all.current': 1073741824.0\nDeviceStatsMonitor.on_train_batch_end/reserved_bytes.all.peak 2147483648\n";
    let report = only(Kind::Torch, stats);
    assert_eq!((bytes(&report, What::Allocated), bytes(&report, What::PeakReserved)), (1 << 30, 2 << 30));
    // PyTorch's own dictionary stays what it was.
    assert_eq!(read(b"{'allocated_bytes.all.current': 4096}").reports[0].kind, Kind::MemoryStats);
}

#[test]
fn the_pair_of_mem_get_info_is_free_and_all() {
    for text in [
        "(8589934592, 25757220864)",
        ">>> torch.cuda.mem_get_info()\n(8589934592, 25757220864)\n",
        "Out[3]: (8589934592, 25757220864)",
        "torch.cuda.mem_get_info(): (8589934592, 25757220864)",
    ] {
        let report = only(Kind::Torch, text);
        assert_eq!((bytes(&report, What::Free), bytes(&report, What::Capacity)), (8 << 30, 25_757_220_864), "{text}");
    }
    // A shape, a pair the wrong way round, and sizes of no GPU.
    for text in ["(4096, 4096)", "(25757220864, 8589934592)", "(1, 25757220864)", "(8589934592, 25757220864, 3)"] {
        assert_eq!(read(text.as_bytes()).reports, [], "{text}");
    }
    let properties =
        "_CudaDeviceProperties(name='NVIDIA A40', major=8, minor=6, total_memory=45634MB, multi_processor_count=84)";
    assert_told(Kind::Torch, properties, &["1: gpu NVIDIA A40", "1: capacity 47850717184~1048576"]);
}

#[test]
fn nvitop_has_the_table_of_nvidia_smi_in_drawn_bars() {
    let table = "╒══════════════╕\n│ NVITOP 1.3.2       Driver Version: 535.54.03      CUDA Driver Version: 12.2 │\n│ GPU  Name        Persistence-M│ Bus-Id        Disp.A │ Volatile Uncorr. ECC │\n╞══════════════╡\n│   0  A100-SXM4-80GB      Off  │ 00000000:01:00.0 Off │                    0 │ MEM: ███▏ 50.0%    │\n│ N/A   31C    P0    61W / 400W │   3.50MiB / 79.50GiB │      0%      Default │ UTL: ▏ 0%          │\n│   1  A100-SXM4-80GB      Off  │ 00000000:02:00.0 Off │                    0 │ MEM: ▏ 0.0%        │\n│ N/A   31C    P0    61W / 400W │        0B / 79.50GiB │      0%      Default │ UTL: ▏ 0%          │\n╘══════════════╛\n[ MEM: ▍ 0.8%            USED: 7.92GiB ]  [ SWP: ▏ 0.0% ]\n│ Processes:                                                            someone@node │\n│ GPU     PID      USER  GPU-MEM %SM  %CPU  %MEM  TIME  COMMAND                     │\n│   0 1234567 C  someone 4921MiB  76   0.0   1.2  5:39  python train.py             │\n";
    let report = only(Kind::NvidiaSmi, table);
    let facts = told(&report);
    for fact in [
        "5: gpu0 gpu A100-SXM4-80GB",
        "6: gpu0 used 3670016~10485",
        "6: gpu0 capacity 85362475008~10737418",
        "8: gpu1 used 0",
        "8: gpu1 capacity 85362475008~10737418",
        "13: gpu0 gpu_process 5160042496~1048576",
    ] {
        assert!(facts.iter().any(|known| known == fact), "{fact} in {facts:?}");
    }
    // Of two rows without the head too, and where the place of a fact stands behind a drawn bar.
    let rows = table.lines().skip(4).take(2).collect::<Vec<_>>().join("\n");
    assert_eq!(only(Kind::NvidiaSmi, &rows).size(What::Used), report.size(What::Used));
    let plain = "| NVITOP 1.0 |\n|   0  ..la V100-SXM2-16GB  Off | 00000000:04:00.0 Off |                    0 |\n| N/A   44C   P0     69W / 300W |  309.5MiB / 16384MiB |     48%      Default |\n| Processes: |\n|   0   18830 C someone  306.0MiB  76    53   0.0   1.2  5:39  /usr/local/bi.. |\n";
    let report = only(Kind::NvidiaSmi, plain);
    assert_eq!((bytes(&report, What::Used), bytes(&report, What::GpuProcess)), ((619 << 20) / 2, 306 << 20));
}

#[test]
fn nvtop_shows_bars_and_processes() {
    let text = " Device 0 [NVIDIA GeForce RTX 3090] PCIe GEN 1@ 8x RX: 7.812 MiB/s TX: 1.953 MiB/s Device 1 [AMD Radeon Graphics] Integrated GPU\n GPU 210MHz  MEM 405MHz  TEMP  47°C FAN N/A% POW  15 /  80 W\n GPU[      0%] MEM[||||||         2.500Gi/24.000Gi] GPU[    0%] MEM[|||||||3.750Gi/4.000Gi]\n    PID USER DEV    TYPE  GPU        GPU MEM    CPU  HOST MEM Command\n   3493 root   0 Compute   0%   2048MiB  39%     1%    396MiB python\n";
    assert_told(
        Kind::Nvtop,
        text,
        &[
            "1: gpu0 gpu NVIDIA GeForce RTX 3090",
            "1: gpu1 gpu AMD Radeon Graphics",
            "3: gpu0 used 2684354560~1073741",
            "3: gpu0 capacity 25769803776~1073741",
            "3: gpu1 used 4026531840~1073741",
            "3: gpu1 capacity 4294967296~1073741",
            "5: gpu0 gpu_process 2147483648~1048576",
        ],
    );
}

#[test]
fn stable_diffusion_cpp_says_where_its_parameters_and_buffers_are() {
    let log = "[DEBUG] ggml_extend.hpp:1050 - vae params backend buffer size =  100.00 MB(VRAM) (248 tensors)\n[DEBUG] ggml_extend.hpp:1050 - clip params backend buffer size =  200.00 MB(RAM) (196 tensors)\n[INFO ] stable-diffusion.cpp:398 - total params memory size = 3072.00MB (VRAM 2048.00MB, RAM 1024.00MB): clip 1024.00MB(RAM), unet 1948.00MB(VRAM), vae 100.00MB(VRAM)\n[DEBUG] ggml_extend.hpp:1188 - vae compute buffer size: 2560.25 MB(VRAM)\n[DEBUG] ggml_extend.hpp:1188 - vae compute buffer size: 512.00 MB (VRAM) on CUDA0\n";
    assert_told(
        Kind::StableDiffusionCpp,
        log,
        &[
            "1: planned_weights 104857600~10485",
            "2: host_weights 209715200~10485",
            "3: total 3221225472~10485",
            "3: weights 2147483648~10485",
            "3: host_weights 1073741824~10485",
            "4: compute_buffer 2684616704~10485",
            "5: compute_buffer 536870912~10485",
        ],
    );
}

#[test]
fn llama_cpp_lists_its_devices_with_their_memory() {
    for (line, gpu) in [
        ("0.00.228.419 I   - CUDA1   : NVIDIA GeForce RTX 3090 (24123 MiB, 23755 MiB free)", "NVIDIA GeForce RTX 3090"),
        ("  CUDA1: NVIDIA GeForce RTX 3090 (24123 MiB, 23755 MiB free)", "NVIDIA GeForce RTX 3090"),
        ("  Vulkan1: AMD Radeon Graphics (RADV GFX1151) (24123 MiB, 23755 MiB free)", "AMD Radeon Graphics"),
    ] {
        let report = only(Kind::LlamaCpp, line);
        let free = report.all(What::Free).next().unwrap();
        assert_eq!((report.name(What::Gpu), free.device), (Some(gpu), Device::Gpu(1)), "{line}");
        assert_eq!(
            (bytes(&report, What::Capacity), bytes(&report, What::Free)),
            (24_123 << 20, 23_755 << 20),
            "{line}"
        );
    }
    let host = "0.00.228.426 I   - CPU     : CPU (31169 MiB, 30000 MiB free)";
    let report = only(Kind::LlamaCpp, host);
    assert_eq!((bytes(&report, What::HostCapacity), bytes(&report, What::HostFree)), (31_169 << 20, 30_000 << 20));
    // What each sequence has stands in a warning, and the context follows from it.
    let warned = "srv load_model: loading model '/data/Qwen3-8B-Q4_K_M.gguf'\nW llama_context: n_ctx_seq (16384) < n_ctx_train (40960) -- the full capacity of the model will not be utilized\n";
    let stated = Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false };
    assert_eq!(explain(&read(warned.as_bytes()), &[], &stated).scenario.unwrap().unwrap().seq_length, 16_384);
}

#[test]
fn one_gpu_of_several_is_not_said_to_be_too_small_for_all_layers() {
    let gpu = |number: u32| format!("  Device {number}: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes\n");
    let command =
        "llama-server -m Mistral-Small-3.1-24B-Instruct-2503-Q8_0.gguf -ngl 99 -c 65536\nCUDA out of memory\n";
    let too_large = |text: &str| causes(text).iter().any(|cause| matches!(cause, Cause::TooLarge { .. }));
    assert!(too_large(&format!("{}{command}", gpu(0))));
    assert!(!too_large(&format!("{}{}{command}", gpu(0), gpu(1))));
    // Nor is a pool whose longest request is not said.
    let server = "torch.OutOfMemoryError: NPU out of memory. Tried to allocate 72.00 MiB (NPU 0; 61.00 GiB total capacity; 56.00 GiB already allocated; 56.00 GiB current active; 5.00 MiB free; 58.00 GiB reserved in total by PyTorch)\npython3 -m sglang.launch_server --model-path x/GLM-5.2-w8a8 --tp-size 16";
    assert!(!too_large(server) && too_large(&format!("{server} --context-length 1048576\n")));
}

#[test]
fn servers_and_trainers_say_more() {
    let estimate = "[LM Studio] Model load size estimate with raw num offload layers 'max' and context length '8192':\n  Model: 14.50 GB\n  Context: 900.00 MB\n  Total: 15.40 GB\n";
    assert_told(
        Kind::LmStudio,
        estimate,
        &[
            "1: context 8192",
            "2: planned_weights 14500000000~10000000",
            "3: planned_cache 900000000~10000",
            "4: planned_total 15400000000~10000000",
        ],
    );
    let tabby = "INFO:     exllamav3 version: 1.4.5\nINFO:     Using configured max_seq_len: 32768 tokens.\nINFO:     Using configured cache_size: 65536 tokens.\nINFO:     Loading model: F:\\models\\qwen3-8B-EXL3-6.0bpw   \n";
    assert_told(
        Kind::Exllama,
        tabby,
        &["1: version 1.4.5", "2: max_model_len 32768", "3: kv_tokens 65536", "4: model qwen3-8B-EXL3-6.0bpw"],
    );
    let diagnosis = "CPU Memory      : 1000.50 GB\nGPU Count       : 2\nGPU 1   Type    : NVIDIA RTX A6000\nGPU 1   Memory  : 47.50 GB\n";
    assert_told(
        Kind::Trainer,
        diagnosis,
        &[
            "1: host_capacity 1074278694912~10737418",
            "3: gpu1 gpu NVIDIA RTX A6000",
            "4: gpu1 capacity 51002736640~10737418",
        ],
    );
    let ray = "PID     MEM(GB) COMMAND\n95412   14.50   ray::LLMRayActor\nRefer to the documentation on how to address the out of memory issue: https://docs.ray.io/en/latest/ray-oom-prevention.html.\n";
    assert_told(Kind::HostMemory, ray, &["2: host_process 15569256448~10737418"]);
    assert!(read(b"RuntimeError: CUDA Error: out of memory at cumem_allocator.cpp:62").reports[0].is_failure());
}

#[test]
fn a_script_calls_vllm_and_torchtitan_counts_retries() {
    let call = "llm = LLM(model=\"Qwen/Qwen3-8B\", max_model_len=4096, gpu_memory_utilization=0.85)";
    assert_told(Kind::Vllm, call, &["1: model Qwen3-8B", "1: max_model_len 4096", "1: utilization 0.85"]);
    let titan = "[titan] WARNING - 2 CUDA memory allocation retries.\n";
    assert_told(Kind::Torchtitan, titan, &["1: alloc_retries 2"]);
}

#[test]
fn words_of_any_program_count_where_nothing_else_is_read() {
    let own = "model arena alloc failed for tensor-span:128 (1792.00 MiB chunk): out of memory";
    assert_told(Kind::OutOfMemory, own, &["1: requested 1879048192~10485"]);
    let beside = format!("{own}\nGPU KV cache size: 7 tokens\n");
    assert!(read(beside.as_bytes()).reports.iter().all(|report| report.kind == Kind::Vllm));
}

#[test]
fn a_message_goes_on_behind_what_a_logger_puts_in_front_of_its_lines() {
    for front in ["tabbyapi-1  | ", "Mar 03 12:00:00 node python[17]: ", "(EngineCore pid=7) ERROR 02-07 [core.py:5] "]
    {
        let text = format!(
            "{front}x.y ERROR: torch.OutOfMemoryError: CUDA out of memory.\n{front}Tried to allocate 260.00 MiB. GPU 1 has a total capacity of 23.50 GiB of which\n{front}190.50 MiB is free. Including non-PyTorch memory, this process has 23.25 GiB\n{front}memory in use. Of the allocated memory 22.50 GiB is allocated by PyTorch, and\n{front}87.50 MiB is reserved by PyTorch but unallocated.\n"
        );
        let report = only(Kind::Cuda, &text);
        let sizes =
            [What::Requested, What::Capacity, What::Free, What::ProcessUsed, What::Allocated, What::ReservedFree];
        let found = sizes.map(|what| report.size(what).map(|size| size.bytes));
        assert_eq!(
            found.map(Option::unwrap),
            [260 << 20, 47 << 29, (381 << 20) / 2, 93 << 28, 45 << 29, (175 << 20) / 2],
            "{front}"
        );
        let free = report.all(What::Free).next().unwrap();
        assert_eq!((free.place.line, free.place.column), (3, front.len() + 1), "{front}");
    }
}
