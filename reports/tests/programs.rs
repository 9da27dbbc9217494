//! Lines of programs that print their memory in few words or many forms, in the shape of the real ones, with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::{assert_hides, assert_told, only, told};
use memory_wall_reports::explain::{Explanation, Note, Number, Stated, explain};
use memory_wall_reports::{Kind, What, read};

const MIB: u64 = 1 << 20;

fn explained(text: &str) -> Explanation {
    explain(&read(text.as_bytes()), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

/// Both names of the function in llama.cpp; Ollama passes the lines on.
#[test]
fn llama_cpp_as_a_table_of_all_memory() {
    for prefix in ["common_memory_breakdown_print", "0.07.123.456 I llama_memory_breakdown_print"] {
        let text = format!(
            "{prefix}: | memory breakdown [MiB]    | total    free     self   model   context   compute    unaccounted |\n\
{prefix}: |   - CUDA0 (NVIDIA A40)    | 48539 = 40123 + ( 8201 =  6144 +    1536 +     521) +         215 |\n\
{prefix}: |   - CUDA1 (RTX 3090 (x4)) | 24125 = 20000 + ( 4000 =  3000 +     768 +     232) +         125 |\n\
{prefix}: |   - Host                  |                   1100 =   600 +       0 +     500                |\n"
        );
        let expected = [
            "2: gpu0 gpu NVIDIA A40".to_owned(),
            format!("2: gpu0 capacity {}~1048576", 48_539 * MIB),
            format!("2: gpu0 free {}~1048576", 40_123 * MIB),
            format!("2: gpu0 planned_weights {}~1048576", 6_144 * MIB),
            format!("2: gpu0 planned_cache {}~1048576", 1_536 * MIB),
            format!("2: gpu0 planned_compute {}~1048576", 521 * MIB),
            format!("2: gpu0 unaccounted {}~1048576", 215 * MIB),
            "3: gpu1 gpu RTX 3090 (x4)".to_owned(),
            format!("3: gpu1 capacity {}~1048576", 24_125 * MIB),
            format!("3: gpu1 free {}~1048576", 20_000 * MIB),
            format!("3: gpu1 planned_weights {}~1048576", 3_000 * MIB),
            format!("3: gpu1 planned_cache {}~1048576", 768 * MIB),
            format!("3: gpu1 planned_compute {}~1048576", 232 * MIB),
            format!("3: gpu1 unaccounted {}~1048576", 125 * MIB),
            format!("4: host planned_weights {}~1048576", 600 * MIB),
            "4: host planned_cache 0~1048576".to_owned(),
            format!("4: host planned_compute {}~1048576", 500 * MIB),
        ];
        assert_eq!(told(&only(Kind::LlamaCpp, &text)), expected, "{text}");
    }
}

/// Releases from 0.7 to 0.11: a buffer where later ones say a device.
#[test]
fn ollama_counts_each_gpu_of_several() {
    let text = "time=2025-07-18T14:50:57.066Z level=INFO source=ggml.go:365 msg=\"model weights\" buffer=CUDA0 size=\"10.5 GiB\"\n\
time=2025-07-18T14:50:57.066Z level=INFO source=ggml.go:365 msg=\"model weights\" buffer=CUDA1 size=\"11.0 GiB\"\n\
time=2025-07-18T14:50:57.066Z level=INFO source=ggml.go:365 msg=\"model weights\" buffer=CPU size=\"512.0 MiB\"\n\
time=2025-07-18T14:50:58.066Z level=INFO source=ggml.go:438 msg=\"kv cache\" buffer=CUDA1 size=\"2.0 GiB\"\n\
time=2025-07-18T14:50:58.130Z level=INFO source=ggml.go:672 msg=\"compute graph\" backend=CUDA0 buffer_type=CUDA0 size=\"1.5 GiB\"\n\
time=2025-07-18T14:50:58.130Z level=INFO source=ggml.go:672 msg=\"compute graph\" backend=CPU buffer_type=CUDA_Host size=\"0 B\"\n";
    let again = format!("{}{text}", text.replace("10.5 GiB", "10.4 GiB"));
    let rows = explained(&again).rows;
    let row = rows.iter().find(|row| row.what == What::Weights).unwrap();
    assert_eq!(row.reported.value(), 43 << 29, "the last of two layouts, on both GPUs");
    let host = rows.iter().find(|row| row.what == What::HostWeights).unwrap();
    assert_eq!(host.reported.value(), 1 << 29);
    assert_told(
        Kind::Ollama,
        text,
        &[
            "1: gpu0 weights 11274289152~107374182",
            "2: gpu1 weights 11811160064~107374182",
            "3: host weights 536870912~104857",
            "4: gpu1 kv_cache 2147483648~107374182",
            "5: gpu0 compute_buffer 1610612736~107374182",
            "6: host compute_buffer 0",
        ],
    );
    let warns = "level=WARN source=sched.go:687 msg=\"gpu VRAM usage didn't recover within timeout\" seconds=5.5 runner.size=\"12.0 GiB\" runner.vram=\"3.5 GiB\" runner.parallel=2 runner.model=/srv/me/blobs/sha256-6e9f90f0";
    let told = ["1: total 12884901888~107374182", "1: projected 3758096384~107374182", "1: parallel 2"];
    assert_told(Kind::Ollama, warns, &told);
}

#[test]
fn megatron_prints_megabytes_of_2_to_the_20() {
    let text = " > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 4015263744\n\
[Rank 3] (after 20 iterations) memory (MB) | allocated: 3270.5 | max allocated: 5670.25 | reserved: 6406.0 | max reserved: 6500.0\n";
    assert_told(
        Kind::Megatron,
        text,
        &[
            "1: parameters 4015263744",
            "2: gpu3 allocated 3429367808~104857",
            "2: gpu3 peak_allocated 5945688064~10485",
            "2: gpu3 reserved 6717177856~104857",
            "2: gpu3 peak_reserved 6815744000~104857",
        ],
    );
}

#[test]
fn tensorrt_llm_of_2023_and_2024() {
    let text = "python /srv/me/examples/llama/build.py --model_dir /srv/me/models/Llama-2-13b --dtype float16 --use_gpt_attention_plugin float16 --max_batch_size 24 --tokens_per_block 16\n\
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 2048.50 MiB for execution context memory.\n\
[TensorRT-LLM][INFO] Allocate 8589934592 bytes for k/v cache. \n\
[TensorRT-LLM][INFO] Using 10240 tokens in paged KV cache.\n";
    assert_told(
        Kind::TensorRtLlm,
        text,
        &[
            "1: model Llama-2-13b",
            "1: dtype float16",
            "1: max_num_seqs 24",
            "1: block_size 16",
            "2: execution_context 2148007936~10485",
            "3: kv_cache 8589934592",
            "4: kv_tokens 10240",
        ],
    );
    assert_hides(&read(text.as_bytes()), &["/srv"]);
}

#[test]
fn xla_on_a_tpu_with_and_without_a_line_break() {
    let broken = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 20.50G of 15.50G hbm.\n Exceeded hbm capacity by 5.00G.\n\nTotal hbm usage >= 21.00G:\n    reserved        512.00M\n";
    let expected = [
        "1: projected 22011707392~10737418",
        "1: capacity 16642998272~10737418",
        "2: missing 5368709120~10737418",
        "4: total 22548578304~10737418",
        "5: system_reserved 536870912~10485",
    ];
    assert_told(Kind::Xla, broken, &expected);
    let buffer = "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 12.50G. That was not possible. There are 10.25G free.; (0x0x0_HBM0)";
    assert_told(Kind::Xla, buffer, &["1: requested 13421772800~10737418", "1: free 11005853696~10737418"]);
}

/// `PyTorch`'s cudaMallocAsync says "Currently allocated" too, behind a head of its own.
#[test]
fn torch_xla_is_no_message_of_cuda() {
    let text = "RuntimeError: Resource exhausted: From /job:tpu_worker/replica:0/task:0:\n\
Attempting to reserve 3.50G at the bottom of memory. That was not possible. There are 1.50G free, 0B reserved, and 1.50G reservable.; \n\
HBM capacity 8.00G:\n\
       Top-of-Memory reserved:  512.00M (     536,870,912 bytes)\n\
          Currently allocated:    6.00G (   6,442,450,944 bytes)\n";
    assert_told(
        Kind::Xla,
        text,
        &[
            "2: requested 3758096384~10737418",
            "2: free 1610612736~10737418",
            "3: capacity 8589934592~10737418",
            "4: system_reserved 536870912",
            "5: program_allocated 6442450944",
        ],
    );
    assert_eq!(read(text.as_bytes()).reports.len(), 1);
}

#[test]
fn tensorflow_fails_under_its_own_name() {
    for text in [
        "E tensorflow/stream_executor/cuda/cuda_blas.cc:225] failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED",
        "E tensorflow/stream_executor/cuda/cuda_blas.cc:366] could not create cublas handle: CUBLAS_STATUS_ALLOC_FAILED",
    ] {
        let found = read(text.as_bytes());
        assert_eq!(found.reports.iter().map(|report| report.kind).collect::<Vec<_>>(), [Kind::TensorFlow], "{text}");
        let causes = explained(text).causes;
        assert!(causes.iter().any(|cause| cause.to_string().contains("set_memory_growth")), "{causes:?}");
    }
    assert_eq!(only(Kind::Cublas, "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED").facts, []);
    assert_told(
        Kind::TensorFlow,
        "E tensorflow/compiler/xla/stream_executor/rocm/rocm_driver.cc:606] failed to allocate 1.50GiB (1610612736 bytes) from device: HIP_ERROR_OutOfMemory",
        &["1: requested 1610612736"],
    );
}

#[test]
fn the_kernel_says_what_it_killed() {
    for text in [
        "[12345.678901] Out of memory: Killed process 4711 (python) total-vm:80000000kB, anon-rss:62914560kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:169956kB oom_score_adj:0",
        "kernel: Memory cgroup out of memory: Killed process 4711 (python3) total-vm:80000000kB, anon-rss:62914560kB, file-rss:4kB",
    ] {
        assert_told(Kind::HostMemory, text, &["1: address_space 81920000000~1024", "1: host_used 64424509440~1024"]);
        assert_hides(&read(text.as_bytes()), &["4711", "python", "1000"]);
    }
}

#[test]
fn unsloth_prints_a_banner() {
    let text = "GPU = NVIDIA A100-SXM4-80GB. Max memory = 79.25 GB.\n\
7.5 GB of memory reserved.\n\
==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 1\n\
   \\\\   /|    Num examples = 6,261 | Num Epochs = 1 | Total steps = 196\n\
O^O/ \\_/ \\    Batch size per device = 16 | Gradient accumulation steps = 2\n\
\\        /    Data Parallel GPUs = 1 | Total batch size (16 x 2 x 1) = 32\n \
\"-____-\"     Trainable parameters = 66,060,288 of 4,088,528,384 (1.62% trained)\n";
    let report = only(Kind::Trainer, text);
    assert_eq!(report.count(What::BatchSize), Some(16));
    assert_eq!(report.count(What::MicroBatches), Some(2));
    assert_eq!(report.count(What::TrainableParameters), Some(66_060_288));
    assert_eq!(report.count(What::Parameters), Some(4_088_528_384));
    assert_eq!(report.name(What::Gpu), Some("NVIDIA A100-SXM4-80GB"));
    assert_eq!(report.size(What::Capacity).map(|size| size.bytes), Some(79 * (1 << 30) + (1 << 28)));
    assert_eq!(report.size(What::PeakReserved).map(|size| size.bytes), Some(15 << 29));
}

#[test]
fn parts_of_a_split_gpu_stand_alone_or_below_their_gpu() {
    let parts = "| MIG devices:                                                                |\n\
+------------------+----------------------+-----------+-----------------------+\n\
| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |\n\
|==================+======================+===========+=======================|\n\
|  1    3   0   0  |  14366MiB / 19968MiB | 28      0 |  2   0    1    0    0 |\n\
|                  |      4MiB / 32767MiB |           |                       |\n\
+------------------+----------------------+-----------+-----------------------+\n\
|  1    5   0   1  |  14366MiB / 19968MiB | 28      0 |  2   0    1    0    0 |\n";
    let of = |line: u64| {
        [
            format!("{line}: gpu1 mig_used {}~1048576", 14_366 * MIB),
            format!("{line}: gpu1 mig_capacity {}~1048576", 19_968 * MIB),
        ]
    };
    assert_eq!(told(&only(Kind::NvidiaSmi, parts)), [of(5), of(8)].concat());
    let gpu = "| NVIDIA-SMI 580.126.09             Driver Version: 580.126.09     CUDA Version: 13.0     |\n\
|   1  NVIDIA A100-SXM4-40GB          On  |   00000000:8D:00.0 Off |                   On |\n\
| N/A   39C    P0            104W /  400W |   28740MiB /  40960MiB |      N/A     Default |\n";
    let whole = told(&only(Kind::NvidiaSmi, &format!("{gpu}{parts}")));
    assert_eq!(whole.get(3..), Some(&[of(8), of(11)].concat()[..]), "{whole:?}");
}

#[test]
fn memory_that_cannot_be_pinned_is_no_failure() {
    // With the comma as the point, as a German or French machine prints it.
    for (text, said) in [
        (
            "ggml_cuda_host_malloc: failed to allocate 1900,50 MiB of pinned memory: invalid argument",
            "1: unpinned 1992818688~10485",
        ),
        (
            "ggml_cuda_host_malloc: failed to allocate 1,900.50 MiB of pinned memory: out of memory",
            "1: unpinned 1992818688~10485",
        ),
        (
            "ggml_vulkan: Failed to allocate pinned memory.\nggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory",
            "1: unpinned true",
        ),
    ] {
        assert_told(Kind::LlamaCpp, text, &[said]);
        assert!(!only(Kind::LlamaCpp, text).is_failure());
        assert!(explained(text).notes.contains(&Note::Unpinned), "{text}");
    }
    let buffer = "load_tensors:        CUDA0 model buffer size =  4455,25 MiB";
    assert_told(Kind::LlamaCpp, buffer, &["1: gpu0 weights 4671668224~10485"]);
}

#[test]
fn ascend_npus_have_messages_of_their_own() {
    let text = "RuntimeError: NPU out of memory. Tried to allocate 1.50 GiB (NPU 2; 60.50 GiB total capacity; 50.25 GiB already allocated; 50.25 GiB current active; 512.00 MiB free; 52.00 GiB reserved in total by PyTorch)";
    assert_told(
        Kind::Npu,
        text,
        &[
            "1: gpu2 requested 1610612736~10737418",
            "1: gpu2 capacity 64961380352~10737418",
            "1: gpu2 allocated 53955526656~10737418",
            "1: gpu2 active 53955526656~10737418",
            "1: gpu2 free 536870912~10485",
            "1: gpu2 reserved 55834574848~10737418",
        ],
    );
    let workspace = "NPU out of memory. NPUWorkspaceAllocator tried to allocate 180.00 MiB(NPU 1; 60.50 GiB total capacity; 86.50 MiB free). If you want to reduce memory usage, take a try to set the environment variable TASK_QUEUE_ENABLE=1.";
    assert_told(
        Kind::Npu,
        workspace,
        &["1: gpu1 requested 188743680~10485", "1: gpu1 capacity 64961380352~10737418", "1: gpu1 free 90701824~10485"],
    );
    assert!(explained(workspace).gpus.is_empty());
}

/// A start of vLLM 0.25 as `sostrowsk/dgx-spark-local-llm` logs it, with the cache in 16 bits and in 8; both pools have what the engine counts for them.
#[test]
fn vllm_guesses_ahead_with_the_models_own_layers() {
    let text = |model: &str, dtype: &str, pool: &str, tokens: &str| {
        format!(
            "(APIServer pid=1) INFO non-default args: {{'speculative_config': {{'method': 'mtp', 'num_speculative_tokens': 3}}, 'model': 'me/{model}', 'max_model_len': 262144, 'max_num_seqs': 32, 'max_num_batched_tokens': 8192, 'gpu_memory_utilization': 0.85}}\n\
(EngineCore pid=2) INFO Initializing a V1 LLM engine (v0.25.1) with config: model='me/{model}', speculative_config=SpeculativeConfig(method='mtp', model='me/{model}', num_spec_tokens=3), dtype=torch.bfloat16, kv_cache_dtype=auto\n\
(EngineCore pid=2) INFO FlashInfer resolved query dtypes: prefill=torch.bfloat16, decode=torch.bfloat16, kv_cache_dtype={dtype}, arch=sm121\n\
(EngineCore pid=2) INFO Available KV cache memory: {pool} GiB\n\
(EngineCore pid=2) INFO GPU KV cache size: {tokens} tokens\n"
        )
    };
    for (model, dtype, pool, tokens) in [
        ("Qwen3.6-35B-A3B-NVFP4", "torch.bfloat16", "74.22", "3,366,051"),
        ("Qwen3.8-27B-NVFP4", "torch.float8_e4m3fn", "76.4", "2,192,477"),
    ] {
        let text = text(model, dtype, pool, tokens);
        let report = only(Kind::Vllm, &text);
        assert_eq!(report.name(What::Speculation), Some("mtp"));
        assert_eq!(report.count(What::SpeculativeTokens), Some(3));
        let explanation = explained(&text);
        assert!(!explanation.notes.contains(&Note::DraftModel), "{:?}", explanation.notes);
        let row = explanation.rows.iter().find(|row| row.what == What::KvTokens).unwrap();
        let Some(Number::Count(estimated)) = row.estimated else { panic!("{row:?}") };
        let reported = row.reported.value().unsigned_abs();
        assert!(estimated.abs_diff(reported) < reported / 100, "{estimated} for {reported}");
    }
}

#[test]
fn guesses_that_are_not_modelled_are_said_and_the_rest_is_estimated() {
    let text = "vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 8192 --speculative-config '{\"method\": \"mtp\", \"num_speculative_tokens\": 2}'\nAvailable KV cache memory: 20.00 GiB\nGPU KV cache size: 163,840 tokens\n";
    let report = only(Kind::Vllm, text);
    assert_eq!((report.name(What::Speculation), report.count(What::SpeculativeTokens)), (Some("mtp"), Some(2)));
    let explanation = explained(text);
    assert!(explanation.notes.contains(&Note::Guesses));
    let row = explanation.rows.iter().find(|row| row.what == What::KvTokens).unwrap();
    assert!(row.agrees(), "{row:?}");
    // A head that is known is estimated: Qwen3 8B with one, vLLM 0.31 on an RTX 5070 Ti.
    let head = "INFO [api_server.py] vLLM API server version 0.31.0\nnon-default args: {'model': 'Qwen/Qwen3-8B-AWQ', 'max_model_len': 16384, 'speculative_config': {'method': 'eagle3', 'model': 'RedHatAI/Qwen3-8B-speculator.eagle3', 'num_speculative_tokens': 3}}\nAvailable KV cache memory: 4.34 GiB\nGPU KV cache size: 30,784 tokens\n";
    let explanation = explained(head);
    assert!(!explanation.notes.contains(&Note::DraftModel) && !explanation.notes.contains(&Note::Guesses));
    let row = explanation.rows.iter().find(|row| row.what == What::KvTokens).unwrap();
    let Some(Number::Count(estimated)) = row.estimated else { panic!("{row:?}") };
    assert!(estimated.abs_diff(30_784) < 100, "{estimated}");
    // Another draft model takes memory that is not estimated.
    let draft = text.replace("\"mtp\"", "\"eagle3\", \"model\": \"me/EAGLE3-Llama-8B\"");
    assert!(explained(&draft).notes.contains(&Note::DraftModel));
}

#[test]
fn each_row_of_an_estimate_says_its_precision() {
    let text = "Memory Usage for loading `org/some-model-7b`:\n\n\
| dtype   | Largest Layer | Total Size | Training using Adam |\n\
|---------|---------------|------------|---------------------|\n\
| float32 | 2.00 GB       | 28.00 GB   | 112.00 GB           |\n\
| float16 | 1.00 GB       | 14.00 GB   | 56.00 GB            |\n\
| int8    | 512.00 MB     | 7.00 GB    | 28.00 GB            |\n\
| int4    | 256.00 MB     | 3.50 GB    | 14.00 GB            |\n";
    let rows = explained(text).rows;
    let of = |what: What| rows.iter().find(|row| row.what == what).map(|row| row.reported.value() / (1 << 29));
    assert_eq!(
        [What::WeightsFp32, What::Weights16Bits, What::Weights8Bits, What::Weights4Bits].map(of),
        [Some(56), Some(28), Some(14), Some(7)]
    );
    assert_eq!(of(What::Weights), None);
}

/// Rows of a cluster's log, each folded where it was: one of them between words, one within a number.
#[test]
fn what_ends_in_the_middle_of_a_line_goes_on_in_the_next() {
    let text = "(EngineCore_0 pid=1257) (RayWorkerWrapper pid=374) INFO 09-03 04:41:48 [gpu_model_runner.py:2007] Model loading \n\
took 7.25 GiB and 198.627679 seconds\n\
(EngineCore_0 pid=1257) (RayWorkerWrapper pid=1384) INFO 09-03 04:42:58 [gpu_model_runner.py:2708] Graph capturing finished in 11\n \
secs, took 1.50 GiB\n\
(EngineCore_0 pid=1257) INFO 09-03 04:42:58 [kv_cache_utils.py:849] GPU KV cache size: 41\n\
2,944 tokens\n\
(EngineCore_0 pid=1257) INFO 09-03 04:42:58 [gpu_worker.py:276] Available KV cache memory: \n\
(EngineCore_0 pid=1257) INFO 09-03 04:42:59 [gpu_worker.py:276] 5.00 GiB\n";
    assert_told(
        Kind::Vllm,
        text,
        &["2: weights 7784628224~10737418", "4: cuda_graphs 1610612736~10737418", "5: kv_tokens 412944"],
    );
    let odd = read(
        b"(EngineCore_0 pid=1257) INFO 09-03 04:42:58 [gpu_worker.py:276] Available KV cache memory: 1e30\nno more\n",
    );
    assert_eq!(odd.odd.len(), 1);
}
