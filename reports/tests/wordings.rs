//! Lines as other releases and other programs word them, and what must not be made of a text: each with numbers of our own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, only, told};
use memory_wall_reports::explain::{Cause, Explanation, Note, Stated, explain};
use memory_wall_reports::{Kind, Pile, Reader, What, read};

fn explained(text: &str) -> Explanation {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes());
    explain(&reader.finish(), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

fn row(explanation: &Explanation, what: What) -> i128 {
    let row = explanation.rows.iter().find(|row| row.what == what);
    row.unwrap_or_else(|| panic!("{what:?} in {:?}", explanation.rows)).reported.value()
}

#[test]
fn blocks_in_capitals_are_blocks_and_16_tokens_each() {
    let log = "INFO 04-18 14:00:00 api_server.py:1] vLLM API server version 0.7.2\nINFO 04-18 14:20:00 executor_base.py:110] # CUDA blocks: 1000, # CPU blocks: 200\n";
    assert_told(Kind::Vllm, log, &["1: version 0.7.2", "2: kv_blocks 1000", "2: host_kv_blocks 200"]);
    let explanation = explained(log);
    assert_eq!(row(&explanation, What::KvTokens), 16_000);
    assert!(explanation.causes.is_empty() && explanation.notes.is_empty(), "{:?}", explanation.notes);
}

#[test]
fn a_command_that_is_only_named_takes_no_figures_away() {
    let log = "INFO Initializing a V1 LLM engine (v0.10.2) with config: model='x/Llama-3.1-8B', dtype=torch.bfloat16, max_seq_len=4096\n\
        INFO Model loading took 5.50 GiB and 3 seconds\nINFO Available KV cache memory: 15.25 GiB\nINFO GPU KV cache size: 400,000 tokens\n\
        WARNING [launcher.py:98] /opt/conda/bin/python /opt/conda/bin/vllm serve /srv/models/Llama-3.1-8B --port 8001 --max-num-seqs 1\n";
    let explanation = explained(log);
    assert_eq!(row(&explanation, What::KvTokens), 400_000);
    assert!(explanation.causes.is_empty());
    // A server whose cache stands refuses no length: that is another start in the same paste.
    let two = "Available KV cache memory: 10.50 GiB\nGPU KV cache size: 230,000 tokens\n\
        ValueError: To serve at least one request with the models's max seq len (221000), (10.12 GiB KV cache is needed, which is larger than the available KV cache memory (5.50 GiB). Based on the available memory, the estimated maximum model length is 122080.\n";
    let explanation = explained(two);
    assert!(explanation.rows.iter().all(|row| row.what != What::KvTokens), "{:?}", explanation.rows);
    assert_eq!(row(&explanation, What::LongestPossible), 122_080);
    // Two servers side by side are two runs.
    let both = "Available KV cache memory: 8.00 GiB\nGPU KV cache size: 170,000 tokens\n\nKV Cache is allocated. #tokens: 360000, K size: 8.25 GB, V size: 8.25 GB\n";
    let explanation = explained(both);
    assert_eq!(explanation.about.len(), 1);
}

#[test]
fn ollama_says_its_memory_before_its_command_and_by_buffer() {
    let old = "time=1 level=INFO source=server.go:175 msg=offload library=cuda layers.requested=-1 layers.model=49 layers.offload=48 layers.split=\"\" memory.available=\"[11.0 GiB]\" memory.required.full=\"11.5 GiB\" memory.required.partial=\"9.0 GiB\" memory.required.kv=\"1.0 GiB\" memory.weights.total=\"6.5 GiB\"\n\
        time=2 level=INFO source=server.go:438 msg=\"starting llama server\" cmd=\"/usr/bin/ollama runner --model /srv/alice/sha256-1 --ctx-size 8192 --parallel 1\"\n";
    let report = only(Kind::Ollama, old);
    assert_eq!((report.count(What::GpuLayers), report.count(What::Context)), (Some(48), Some(8_192)));
    assert_eq!(report.size(What::Weights).unwrap().bytes, 13 << 29);
    let new = "level=INFO source=ggml.go:362 msg=\"offloaded 41/41 layers to GPU\"\nlevel=INFO source=ggml.go:365 msg=\"model weights\" buffer=CUDA0 size=\"11.5 GiB\"\nlevel=INFO source=ggml.go:365 msg=\"model weights\" buffer=CUDA1 size=\"12.0 GiB\"\nlevel=INFO source=ggml.go:672 msg=\"compute graph\" backend=CUDA0 buffer_type=CUDA0 size=\"1.0 GiB\"\n";
    let explanation = explained(new);
    assert_eq!(row(&explanation, What::Weights), 47 << 29);
    assert_eq!(row(&explanation, What::Compute), 1 << 30);
    // A computer without a GPU.
    let host = "time=1 level=INFO source=types.go:60 msg=\"inference compute\" id=cpu library=cpu compute=\"\" name=cpu description=cpu total=\"15.0 GiB\" available=\"14.0 GiB\"\n";
    let explanation = explained(host);
    assert_eq!((explanation.capacity, row(&explanation, What::HostCapacity)), (None, 15 << 30));
}

#[test]
fn a_table_of_all_memory_is_read_device_by_device() {
    let table = "common_memory_breakdown_print: | memory breakdown [MiB] | total    free     self   model   context   compute    unaccounted |\n\
        common_memory_breakdown_print: |   - CUDA0 (RTX 3090)   | 24000 = 23000 + (15600 = 15000 +     400 +     200) +      -14600 |\n\
        common_memory_breakdown_print: |   - Host               |                    800 =   700 +       0 +     100                |\n";
    assert_told(
        Kind::LlamaCpp,
        table,
        &[
            "2: gpu0 gpu RTX 3090",
            "2: gpu0 capacity 25165824000~1048576",
            "2: gpu0 free 24117248000~1048576",
            "2: gpu0 planned_weights 15728640000~1048576",
            "2: gpu0 planned_cache 419430400~1048576",
            "2: gpu0 planned_compute 209715200~1048576",
            "2: gpu0 unaccounted -15309209600~1048576",
            "3: host planned_weights 734003200~1048576",
            "3: host planned_cache 0~1048576",
            "3: host planned_compute 104857600~1048576",
        ],
    );
    assert_eq!(row(&explained(&format!("{table}{table}")), What::PlannedWeights), 15_700 << 20);
}

#[test]
fn older_words_of_other_programs_are_read() {
    let tensorrt = "[TensorRT-LLM][INFO] Allocate 64000000000 bytes for k/v cache. \n[TensorRT-LLM][INFO] Using 130000 tokens in paged KV cache.\n[TensorRT-LLM][INFO] [MemUsageChange] Allocated 2250.50 MiB for execution context memory.\n";
    assert_told(
        Kind::TensorRtLlm,
        tensorrt,
        &["1: kv_cache 64000000000", "2: kv_tokens 130000", "3: execution_context 2359820288~10485"],
    );
    let megatron = "[Rank 0] (after 20 iterations) memory (MB) | allocated: 3270.5 | max allocated: 5670.25 | reserved: 6406.0 | max reserved: 6408.0\n";
    let report = only(Kind::Megatron, megatron);
    let size = |what| report.size(what).unwrap().bytes;
    assert_eq!((size(What::PeakAllocated), size(What::PeakReserved)), (5_945_688_064, 6_719_275_008));
    let unsloth = "   \\\\   /|    Num examples = 6,000 | Num Epochs = 1 | Total steps = 196\nO^O/ \\_/ \\    Batch size per device = 16 | Gradient accumulation steps = 2\n \"-____-\"     Trainable parameters = 66,060,288 of 4,073,997,824 (1.62% trained)\nGPU = NVIDIA H100 80GB HBM3. Max memory = 79.5 GB.\n7.75 GB of memory reserved.\n";
    assert_told(
        Kind::Trainer,
        unsloth,
        &[
            "2: batch_size 16",
            "2: micro_batches 2",
            "3: trainable_parameters 66060288",
            "3: parameters 4073997824",
            "4: gpu NVIDIA H100 80GB HBM3",
            "4: capacity 85362475008~107374182",
            "5: peak_reserved 8321499136~10737418",
        ],
    );
    let csv = "device,GPU use (%),VRAM Total Memory (B),VRAM Total Used Memory (B),Card Series,Card Model\ncard0,0,21458000000,27000000,Radeon RX 7900 XT,0x744c\n";
    assert_told(
        Kind::RocmSmi,
        csv,
        &["2: gpu0 capacity 21458000000", "2: gpu0 used 27000000", "2: gpu0 gpu Radeon RX 7900 XT"],
    );
}

#[test]
fn other_messages_of_full_memory_are_read() {
    let hbm = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 21.50G of 15.48G hbm.\n Exceeded hbm capacity by 6.02G.\n";
    let report = only(Kind::Xla, hbm);
    assert!(
        report.has(What::Missing) && report.has(What::Capacity) && report.has(What::Projected),
        "{:?}",
        told(&report)
    );
    let buffer = "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 15.50G. That was not possible. There are 11.00G free.; (0x0x0_HBM0)\n";
    assert_eq!(only(Kind::Xla, buffer).size(What::Requested).unwrap().bytes, 31 << 29);
    let tpu = "RuntimeError: Resource exhausted: From /job:tpu_worker/replica:0/task:0:\nAttempting to reserve 4.00G at the bottom of memory. That was not possible. There are 2.00G free, 0B reserved, and 2.00G reservable.; \nHBM capacity 8.00G:\n          Currently allocated:    6.00G (   6,442,450,944 bytes)\n";
    let found = read(tpu.as_bytes());
    assert!(found.reports.iter().all(|report| report.kind == Kind::Xla), "{found:?}");
    assert_eq!(found.reports[0].size(What::Capacity).unwrap().bytes, 8 << 30);
    let rocm = "E tensorflow/stream_executor/rocm/rocm_driver.cc:606] failed to allocate 1.00TiB (1099511627776 bytes) from device: HIP_ERROR_OutOfMemory\n";
    assert_eq!(only(Kind::TensorFlow, rocm).size(What::Requested).unwrap().bytes, 1 << 40);
    let npu = "NPU out of memory. Tried to allocate 180.00 MiB (NPU 1; 60.96 GiB total capacity; 58.00 GiB already allocated; 86.81 MiB free; 58.50 GiB reserved in total by PyTorch)\n";
    assert!(only(Kind::Npu, npu).has(What::Capacity));
    let own = "NPU out of memory. NPUWorkspaceAllocator tried to allocate 180.00 MiB(NPU 1; 60.96 GiB total capacity; 86.00 MiB free).\n";
    assert_eq!(only(Kind::Npu, own).size(What::Free).unwrap().bytes, 86 << 20);
    let kernel = "2026-04-29T14:55:41 Out of memory: Killed process 1440763 (python) total-vm:87033376kB, anon-rss:60000000kB, file-rss:0kB\n";
    assert_eq!(only(Kind::HostMemory, kernel).size(What::HostUsed).unwrap().bytes, 60_000_000 << 10);
    let metal = "ggml_metal_add_buffer: error: failed to allocate 'data            ' buffer, size = 19283.25 MiB\n";
    assert!(only(Kind::Ggml, metal).has(What::Requested));
    let slots =
        "RuntimeError: alloc_req_slots runs out of memory. Please set a smaller number for `--max-running-requests`.\n";
    let slots = explained(slots).causes;
    assert!(matches!(slots[..], [Cause::Refused { .. }]) && slots[0].to_string().starts_with("More requests came"));
    let negative = "[DP0 TP0] Load weight end. type=DeepseekV3ForCausalLM, dtype=torch.bfloat16, avail mem=21.50 GB, mem usage=166.50 GB.\n[DP0 TP0] max_total_tokens=131072 is larger than the profiled value -561981. Use the profiled value instead.\n";
    assert!(matches!(explained(negative).causes[..], [Cause::Refused { .. }]));
}

#[test]
fn a_cause_is_no_stronger_than_the_message() {
    let message = |asked: &str, capacity: &str, free: &str, rest: &str| {
        explained(&format!("CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of {capacity} of which {free} is free. {rest}")).causes
    };
    let own = |process: &str, allocated: &str, reserved: &str| {
        format!(
            "Including non-PyTorch memory, this process has {process} memory in use. Of the allocated memory {allocated} is allocated by PyTorch, and {reserved} is reserved by PyTorch but unallocated."
        )
    };
    // Far more is free than was asked for.
    let driver = message("12.00 MiB", "24.00 GiB", "9.00 GiB", &own("14.00 GiB", "13.00 GiB", "500.00 MiB"));
    assert!(
        matches!(driver[0], Cause::Driver { .. }) && !driver.iter().any(|it| matches!(it, Cause::Fragmentation { .. })),
        "{driver:?}"
    );
    // 98% are allocated: what lies free between tensors is not why.
    let full = message("28.00 MiB", "15.71 GiB", "20.00 MiB", &own("15.60 GiB", "15.39 GiB", "71.70 MiB"));
    assert!(matches!(full[0], Cause::NearlyFull { .. }), "{full:?}");
    // More than there is.
    let larger = message("16.00 GiB", "15.24 GiB", "15.00 GiB", &own("200.00 MiB", "10.00 MiB", "0 bytes"));
    assert!(matches!(larger[0], Cause::LargerThanGpu { .. }), "{larger:?}");
    // In a container the own process has a number, and the others are the cause.
    let container = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 14.75 GiB of which 1.50 GiB is free. Process 11 has 6.75 GiB memory in use. Process 12 has 512.00 MiB memory in use. Process 13 has 5.00 GiB memory in use. Of the allocated memory 4.50 GiB is allocated by PyTorch, and 2.10 GiB is reserved by PyTorch but unallocated.";
    let report = only(Kind::Cuda, container);
    let process = report.size(What::ProcessUsed).unwrap().bytes;
    assert_eq!((process, report.all(What::OtherProcess).count()), (27 << 28, 2));
    assert!(matches!(explained(container).causes[0], Cause::OtherProcess { .. }));
    // Up to 2.0 neither the process nor the others are told.
    let old = explained("CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 44.50 GiB total capacity; 28.00 GiB already allocated; 10.00 MiB free; 28.25 GiB reserved in total by PyTorch)").causes;
    assert!(matches!(old[0], Cause::OtherProcess { holds, .. } if holds > 14 << 30), "{old:?}");
    // A message of CUDA is about no Apple GPU.
    let gpus = explained("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.57 GiB of which 1.00 GiB is free.").gpus;
    assert!(!gpus.is_empty() && gpus.iter().all(|gpu| gpu.vendor == "NVIDIA"), "{gpus:?}");
}

#[test]
fn what_a_backend_resolved_is_the_format_of_the_cache() {
    let log = "INFO Initializing a V1 LLM engine (v0.25.1) with config: model='x/Llama-3.1-8B', dtype=torch.bfloat16, max_seq_len=4096, kv_cache_dtype=auto\n\
        INFO [flashinfer.py:780] FlashInfer resolved query dtypes: prefill=torch.bfloat16, decode=torch.bfloat16, decode_backend=native, kv_cache_dtype=torch.float8_e4m3fn, arch=sm121\nINFO GPU KV cache size: 400,000 tokens\n";
    let scenario = explained(log).scenario.unwrap().unwrap();
    assert_eq!(scenario.kv, memory_wall_core::KvPrecision::Fp8);
}

/// Qwen3.5 35B A3B: ten layers with a cache, thirty with a state. By requests: 12.8 of 262,144 tokens each.
#[test]
fn a_pool_that_is_told_by_requests_is_compared_by_requests() {
    let log = "INFO Initializing a V1 LLM engine (v0.25.1) with config: model='x/Qwen3.5-35B-A3B', dtype=torch.bfloat16, max_seq_len=262144, kv_cache_dtype=auto\n\
        INFO Available KV cache memory: 74.25 GiB\nINFO GPU KV cache size: 3,355,443 tokens\nINFO Maximum concurrency for 262,144 tokens per request: 12.80x\n";
    let explanation = explained(log);
    let row = explanation.rows.iter().find(|row| row.what == What::KvTokens).unwrap();
    let estimated = row.estimated.unwrap().value();
    assert!((2_800_000..4_200_000).contains(&estimated), "{estimated}");
}

#[test]
fn several_gpus_are_said_and_an_apple_gpu_has_what_it_may_take() {
    let two = "  Device 0: NVIDIA GeForce RTX 4070 Ti, compute capability 8.9, VMM: yes\n  Device 1: NVIDIA GeForce RTX 3090 Ti, compute capability 8.6, VMM: yes\nllm_load_tensors:      CUDA0 buffer size =  5400.00 MiB\n";
    assert!(explained(two).notes.contains(&Note::SeveralGpus(2)));
    let apple = "ggml_metal_device_init: recommendedMaxWorkingSetSize  = 12713.12 MB\nllama_model_load_from_file_impl: using device MTL0 (Apple M4) (unknown id) - 12123 MiB free\nload_tensors:  MTL0_Mapped model buffer size =  5000.00 MiB\n";
    assert_eq!(explained(apple).capacity.unwrap().0, 12_713_120_000);
}

#[test]
fn a_text_in_utf_16_and_a_pointer_of_git_lfs_are_told() {
    let text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 1.00 GiB is free.\r\n";
    for big in [false, true] {
        let mut bytes = if big { vec![0xFE, 0xFF] } else { vec![0xFF, 0xFE] };
        bytes.extend(text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }));
        let found = read(&bytes);
        assert_eq!(found.reports.len(), 1, "{found:?}");
        assert_eq!(found.reports[0].size(What::Requested).unwrap().bytes, 2 << 30);
    }
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 2669283096\n";
    let mut pile = Pile::default();
    pile.begin(pointer, pointer.len() as u64);
    pile.end();
    assert!(pile.finish().unread[0].1.contains("git lfs pull"));
}
