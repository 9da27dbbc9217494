//! What newer releases and rarer programs print: each with numbers of our own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use std::fmt::Write;

use common::{assert_told, bytes, only};
use memory_wall_reports::explain::{Cause, Explanation, Note, Stated, explain};
use memory_wall_reports::{Kind, Reader, Refusal, What};

fn explained(text: &str) -> Explanation {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes());
    explain(&reader.finish(), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

fn row(explanation: &Explanation, what: What) -> Option<i128> {
    explanation.rows.iter().find(|row| row.what == what).map(|row| row.reported.value())
}

#[test]
fn a_pool_for_layers_with_a_window_is_not_the_whole_pool() {
    let log = "[2026-01-31 10:00:00 TP0] Use sliding window memory pool. full_layer_tokens=400000, swa_layer_tokens=320000\n\
        [2026-01-31 10:00:00 TP0] KV Cache is allocated. #tokens: 320000, K size: 8.00 GB, V size: 5.50 GB\n";
    let explanation = explained(log);
    assert_eq!(row(&explanation, What::KvTokens), Some(400_000));
    assert_eq!(row(&explanation, What::KvCache), None);
    let report = only(Kind::Sglang, log);
    assert_eq!((report.count(What::KvTokens), report.count(What::WindowTokens)), (Some(400_000), Some(320_000)));
    // Where both are alike, it is the pool.
    let alike = "Use sliding window memory pool. full_layer_tokens=1000, swa_layer_tokens=1000\nKV Cache is allocated. #tokens: 1000, K size: 1.00 GB, V size: 1.00 GB\n";
    assert_eq!(only(Kind::Sglang, alike).count(What::KvTokens), Some(1_000));
}

#[test]
fn graphs_of_sglang_and_what_is_left_stand_in_either_order() {
    for line in [
        "[TP1] Capture cuda graph end. Time elapsed: 7.5 s. avail mem=0.50 GB. mem usage=1.25 GB.",
        "[TP1] Capture cuda graph end. Time elapsed: 7.5 s. mem usage=1.25 GB. avail mem=0.50 GB.",
        "[TP1] Capture npu graph end. Time elapsed: 7.5 s. mem usage=1.25 GB. avail mem=0.50 GB.",
        "[TP1] Capture target decode CUDA graph end. elapsed=7.5 s. mem usage=1.25 GB. avail mem=0.50 GB.",
    ] {
        let report = only(Kind::Sglang, line);
        assert_eq!((bytes(&report, What::Graphs), bytes(&report, What::FreeAfter)), (5 << 28, 1 << 29), "{line}");
    }
    let refused = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: self.server_args.mem_fraction_static=0.2\n";
    assert_eq!(only(Kind::Sglang, refused).millionths(What::Utilization), Some(200_000));
    // A server that says that it stands has not ended early.
    let begun = "server_args=ServerArgs(model_path='x/Llama-3.1-8B')\nLoad weight end. type=LlamaForCausalLM, dtype=torch.float16, avail mem=60.00 GB\n";
    let early = |text: &str| explained(text).notes.contains(&Note::EndsEarly(Kind::Sglang));
    assert!(early(begun) && !early(&format!("{begun}The server is fired up and ready to roll!\n")));
}

#[test]
fn tensorrt_llm_says_which_length_is_left() {
    let log = "[TensorRT-LLM][WARNING] maxAttentionWindow and maxSequenceLen are too large for at least one sequence to fit in kvCache. they are reduced to 5121\n";
    assert_told(Kind::TensorRtLlm, log, &["1: max_model_len 5121"]);
    let pool = "[TensorRT-LLM][INFO] Max KV cache blocks per sequence: 512 [window size=16384], tokens per block=32, primary blocks=60000, secondary blocks=0, max sequence length=16384\n";
    assert_told(Kind::TensorRtLlm, pool, &["1: block_size 32", "1: kv_blocks 60000", "1: max_model_len 16384"]);
    let short = "[02/14/2025-09:00:00] [TRT-LLM] [I] max_seq_len=65536, max_num_requests=1024, max_num_tokens=4096\n";
    let report = only(Kind::TensorRtLlm, short);
    assert_eq!(report.count(What::MaxNumSeqs), Some(1_024));
    let both = "[TRT-LLM] [W] Both free_gpu_memory_fraction and max_tokens are set (to 0.85 and 8192, respectively). The smaller value will be used.\n";
    assert_eq!(only(Kind::TensorRtLlm, both).millionths(What::Utilization), Some(850_000));
}

#[test]
fn lmdeploy_is_a_server_and_its_library_runs_out_of_memory() {
    let log = "engine_cfg: TurbomindEngineConfig(dtype='auto', model_format='awq', tp=2, session_len=65536, max_batch_size=4, cache_max_entry_count=0.75, cache_block_seq_len=64, max_prefill_token_num=4096)\n\
        [TM][ERROR] CUDA runtime error: out of memory /lmdeploy/src/turbomind/core/allocator.cc:49\n";
    let report = only(Kind::Lmdeploy, log);
    assert_eq!((report.count(What::MaxModelLen), report.count(What::TensorParallel)), (Some(65_536), Some(2)));
    assert_eq!((report.millionths(What::FreeShare), report.millionths(What::Utilization)), (Some(750_000), None));
    assert!(matches!(explained(log).causes[..], [Cause::OutsideAllocator(Kind::CudaError)]));
}

#[test]
fn vllm_says_what_it_needs_without_brackets_and_its_release_elsewhere() {
    let wrapped = "ValueError: To serve at least one request with the model's max seq len (1000000),\n21.5 GiB KV cache is needed, which is larger than the available KV cache memory (16.25 GiB).\nBased on the available memory, the estimated maximum model length is 750000.\n";
    let explanation = explained(wrapped);
    assert!(matches!(
        explanation.causes[..],
        [Cause::Refused { why: Refusal::Length, needed: Some(_), available: Some(_) }]
    ));
    assert_eq!(row(&explanation, What::MaxModelLen), Some(1_000_000));
    let free = "INFO [gpu_worker.py:492] Initial free memory 30.50 GiB, reserved 4.25 GiB memory for KV Cache as specified by kv_cache_memory_bytes config\n";
    assert_told(Kind::Vllm, free, &["1: free 32749125632~10737418", "1: kv_cache 4563402752~10737418"]);
    for text in
        ["vllm-0.15.1-cp312-cp312-linux_x86_64.whl", "[pip3] vllm==0.15.1", "vLLM Version                 : 0.15.1"]
    {
        assert_eq!(only(Kind::Vllm, text).name(What::Version), Some("0.15.1"), "{text}");
    }
}

#[test]
fn llama_cpp_names_devices_and_models_in_other_places() {
    let sycl = "| 0| [level_zero:gpu:0]|                Intel Arc A770 Graphics|  12.55|    512|    1024|   32| 16225M|           1.13.3|\n";
    assert_told(Kind::LlamaCpp, sycl, &["1: gpu0 gpu Intel Arc A770 Graphics", "1: gpu0 capacity 16225000000~1000000"]);
    for (line, gpu) in [
        ("llama_model_load_from_file_impl: using device Vulkan0 (Mali-G715)", "Mali-G715"),
        ("llama_model_load_from_file_impl: using device Vulkan0 (Adreno (TM) 830) - 15000 MiB free", "Adreno (TM) 830"),
        (
            "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 3090) (0000:01:00.0) - 23000 MiB free",
            "NVIDIA GeForce RTX 3090",
        ),
    ] {
        let report = only(Kind::LlamaCpp, line);
        assert_eq!((report.name(What::Gpu), report.all(What::Gpu).count()), (Some(gpu), 1), "{line}");
    }
    for line in [
        "srv    load_model: loading model '/srv/alice/Qwen3-8B-Q4_K_M.gguf'",
        "common_init_result: failed to create context with model '/srv/alice/hub/models--unsloth--Qwen3-8B-GGUF/snapshots/3221f178a6b842d04f1fb42f1c413534adcc0a6a/Qwen3-8B-Q4_K_M.gguf'",
        "srv    load_model: failed to load model, 'Qwen3-8B-Q4_K_M.gguf'",
    ] {
        assert_eq!(only(Kind::LlamaCpp, line).name(What::Model), Some("Qwen3-8B-Q4_K_M.gguf"), "{line}");
    }
    let draft = only(Kind::LlamaCpp, "srv    load_model: loading draft model '/models/Qwen3-0.6B-Q8_0.gguf'");
    assert_eq!(draft.name(What::DraftModel), Some("Qwen3-0.6B-Q8_0.gguf"));
    // Each GPU's part of what all of them share has no number.
    let spread = "llama_kv_cache:     Meta() KV buffer size =  4096.00 MiB\n";
    assert_told(Kind::LlamaCpp, spread, &["1: kv_cache 4294967296~10485"]);
    // Without the context the cells of the largest cache say it.
    let cells = "srv    load_model: loading model 'Llama-3.1-8B-Q4_K_M.gguf'\nllama_kv_cache_init: kv_size = 8192, offload = 1, type_k = 'f16', type_v = 'f16', n_layer = 32, can_shift = 1\n";
    let explanation = explained(cells);
    assert_eq!(explanation.scenario.unwrap().unwrap().seq_length, 8_192);
}

#[test]
fn keys_of_a_gguf_file_are_read_as_its_tools_print_them() {
    let dump = "     10: UINT32     |        1 | llama.block_count = 32\n     11: UINT32     |        1 | llama.attention.head_count_kv = 8\n      4: STRING     |        1 | general.architecture = 'llama'\n";
    assert_told(Kind::LlamaCpp, dump, &["1: layers 32", "2: kv_heads 8", "3: model_class llama"]);
    let page = "|   4 | STRING    |     1 | general.architecture                   | 'llama'    |\n|  10 | UINT32    |     1 | llama.block_count      | 22    |\n";
    assert_told(Kind::LlamaCpp, page, &["1: model_class llama", "2: layers 22"]);
}

#[test]
fn a_cache_that_was_refused_is_not_a_compute_buffer() {
    let log = "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1024.00 MiB on device 0: cudaMalloc failed: out of memory\n\
        llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache\n\
        common_init_from_params: failed to create context with model 'x-Q4_K_M.gguf'\n";
    assert_eq!(only(Kind::Ggml, log).refusal(), Some(Refusal::CacheBuffer));
    let alone = "common_init_from_params: failed to create context with model 'x-Q4_K_M.gguf'\n";
    assert_eq!(only(Kind::Ggml, alone).refusal(), Some(Refusal::Buffer));
}

#[test]
fn what_is_less_than_nothing_is_written_without_its_sign() {
    let table = "common_memory_breakdown_print: |   - CUDA0 (RTX 3090) | 24000 = 23000 + (15600 = 15000 +      400 +     200) + 17592186029816 |\n";
    let report = only(Kind::LlamaCpp, table);
    assert_eq!(bytes(&report, What::Unaccounted), -(14_600 << 20));
    assert_eq!(bytes(&report, What::PlannedWeights), 15_000 << 20);
}

#[test]
fn trainers_say_batch_bits_and_gpu() {
    let banner = "   \\\\   /|    GPU: NVIDIA GeForce RTX 3090. Max memory: 23.5 GB. Platform: Linux.\nO^O/ \\_/ \\    Batch size per device = 2 | Gradient Accumulation steps = 4\n";
    let batch = only(Kind::Trainer, banner);
    assert_eq!((batch.count(What::BatchSize), batch.count(What::MicroBatches)), (Some(2), Some(4)));
    assert_eq!(only(Kind::Unsloth, banner).name(What::Gpu), Some("NVIDIA GeForce RTX 3090"));
    let factory = "{\n  \"model_name_or_path\": \"/srv/models/Meta-Llama-3.1-8B-Instruct\",\n  \"quantization_bit\": 4,\n  \"finetuning_type\": \"lora\",\n  \"cutoff_len\": 1024,\n  \"per_device_train_batch_size\": 1\n}\n";
    let scenario = explained(factory).scenario.unwrap().unwrap();
    assert_eq!(scenario.mode, memory_wall_core::Mode::Qlora);
    assert_eq!(
        explained(&factory.replace("4,", "8,")).scenario.unwrap().unwrap().weights,
        memory_wall_core::WeightFormat::Int8
    );
}

#[test]
fn megatron_says_what_its_formulas_come_to() {
    let log = "Total number of parameters in billions: 7.25\nTheoretical memory footprints: weight and optimizer=40000.50 MB, activation=8000.00 MB, total=48000.50 MB\n\
        [Rank 0] (after 2 iterations) memory (GB) | mem-allocated-gigabytes: 60.5 | mem-reserved-gigabytes: 180.25 | mem-max-allocated-gigabytes: 150.5 | mem-max-reserved-gigabytes: 181.0 | mem-alloc-retires: 0\n";
    let report = only(Kind::Megatron, log);
    assert_eq!(report.count(What::Parameters), Some(7_250_000_000));
    assert_eq!(bytes(&report, What::PlannedStates), 40_000 * (1 << 20) + (1 << 19));
    assert_eq!(bytes(&report, What::PlannedTotal), 48_000 * (1 << 20) + (1 << 19));
    assert_eq!(bytes(&report, What::PeakAllocated), 150_500_000_000);
}

#[test]
fn deepspeed_says_what_zero_needs_on_the_gpu_and_in_the_host() {
    let table = "Estimated memory needed for params, optim states and gradients for a:\nHW: Setup with 1 node, 4 GPUs per node.\nSW: Model with 3000M total params, 65M largest layer params.\n  per CPU  |  per GPU |   Options\n   70.00GB |   0.25GB | offload_param=cpu , offload_optimizer=cpu , zero_init=1\n   60.00GB |   5.50GB | offload_param=none, offload_optimizer=OffloadDeviceEnum.cpu, zero_init=1\n    0.50GB |  45.00GB | offload_param=none, offload_optimizer=none, zero_init=1\n";
    let report = only(Kind::DeepSpeed, table);
    assert_eq!((report.count(What::Parameters), report.count(What::GpuCount)), (Some(3_000_000_000), Some(4)));
    let explanation = explained(table);
    assert_eq!(row(&explanation, What::NotOffloaded), Some(45 << 30));
    assert_eq!(row(&explanation, What::OptimizerOffloaded), Some(11 << 29));
    assert_eq!(row(&explanation, What::AllOffloaded), Some(1 << 28));
}

#[test]
fn tables_that_were_copied_from_a_page_or_a_monitor_are_read() {
    let page = "Memory Usage for a model\n\n| dtype | Largest Layer or Residual Group | Total Size | Training using Adam |\n| --- | --- | ---- | ---- |\n| float32 | 1000.0 MB | 26.5 GB | 106.0 GB |\n| float16/bfloat16 | 500.0 MB | 13.25 GB | 53.0 GB |\n";
    let report = only(Kind::Accelerate, page);
    assert_eq!((bytes(&report, What::Weights16Bits), bytes(&report, What::WeightsFp32)), (53 << 28, 53 << 29));
    let monitor = "# gpu    fb  bar1\n# Idx    MB    MB\n    0  60000     5\n    1    512     3\n";
    assert_told(Kind::NvidiaSmi, monitor, &["3: gpu0 used 62914560000~1048576", "4: gpu1 used 536870912~1048576"]);
    let processes = "# gpu        pid  type    fb   command\n# Idx          #   C/G    MB   name\n    0       1234     C  4096   python\n";
    assert_told(Kind::NvidiaSmi, processes, &["3: gpu0 gpu_process 4294967296~1048576"]);
}

#[test]
fn tpus_say_what_they_lack_in_other_words() {
    let one = "ValueError: Allocation (size=20000000000) would exceed memory (size=17179869184) :: #allocation1 [shape = 'f32[5,1000,1000]']";
    assert_told(Kind::Xla, one, &["1: requested 20000000000", "1: capacity 17179869184"]);
    let cores = "RESOURCE_EXHAUSTED: TPU TensorCore Hbm usage: 30.5G, SparseCore Hbm usage 150.25G, exceeding available bytes: 95.5G";
    let report = only(Kind::Xla, cores);
    assert_eq!((bytes(&report, What::ProgramSize), bytes(&report, What::Capacity)), (61 << 29, 191 << 29));
    let padded = "xla_util.cc:76]      Unpadded size: 48.00M\nxla_util.cc:76]      Extra memory due to padding: 5.5G (128.0x expansion)\n";
    assert_eq!(bytes(&only(Kind::Xla, padded), What::Padding), 11 << 29);
}

#[test]
fn comfyui_and_mlc_say_what_they_load() {
    let comfy = "loaded completely; 95367431640625005117571072.00 MB usable, 4800.00 MB loaded, full load: True\nloaded partially; 9600.00 MB usable, 9500.00 MB loaded, 1700.00 MB offloaded, lowvram patches: 0\nloaded completely; 300.00 MB usable, 160.00 MB loaded, full load: True\n";
    let explanation = explained(comfy);
    assert_eq!(row(&explanation, What::Weights), Some(9_500 << 20));
    let report = only(Kind::ComfyUi, comfy);
    assert_eq!(bytes(&report, What::HostWeights), 1_700 << 20);
    let mlc = "INFO model_metadata.py:94: Total memory usage without KV cache: 2048.00 MB (Parameters: 1024.00 MB. Temporary buffer: 1024.00 MB)\nINFO model_metadata.py:128: KV cache size: 0.125 MB per token in the context window\n";
    let report = only(Kind::Mlc, mlc);
    assert_eq!((bytes(&report, What::Weights), bytes(&report, What::KvPerToken)), (1 << 30, 1 << 17));
}

#[test]
fn a_gpu_that_only_its_memory_names_is_said_to_be_a_guess() {
    let text = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 191.69 GiB of which 1.00 GiB is free.";
    let explanation = explained(text);
    assert!(explanation.gpu.is_some() && explanation.notes.contains(&Note::GpuByMemory));
}

/// jundot/omlx#1998, #1431 and #3683, ddalcu/mlx-serve#64, jjang-ai/vmlx#58, turboderp-org/exllamav3#50.
#[test]
fn servers_on_apple_gpus_say_their_ceilings() {
    let refused = "Error: Prefill would require ~40.50 GB peak (current 38.25 GB + KV+SDPA 2.25 GB) but metal_cap ceiling is 36.00 GB. Raise kernel iogpu.wired_limit_mb\n";
    let report = only(Kind::OutOfMemory, refused);
    assert_eq!((bytes(&report, What::Need), bytes(&report, What::ProcessUsed)), (81 << 29, 153 << 28));
    assert_eq!((bytes(&report, What::Requested), bytes(&report, What::Allowed)), (9 << 28, 36 << 30));
    assert!(explained(refused).causes.iter().any(|cause| matches!(cause, Cause::Limit { .. })));
    let exceeded = "Memory limit exceeded during chunked prefill at 4096/9000 tokens: 26.5GB exceeds ceiling 26.0GB";
    let report = only(Kind::OutOfMemory, exceeded);
    assert_eq!((bytes(&report, What::ProcessUsed), bytes(&report, What::Allowed)), (53 << 29, 26 << 30));
    let log = "omlx.process_memory_enforcer - WARNING - [-] - Metal cap (72.0GB, Apple max_recommended_working_set_size) is below the oMLX static ceiling (92.0GB)\n\
        omlx.process_memory_enforcer - INFO - [-] - Process memory enforcer started (tier=balanced, ceiling=72.0GB, interval=1.0s)\n\
        2026-01-31 10:00:00,000 - omlx.engine_pool - INFO - [-] - Loading model: Qwen3.5-27B-4bit\n\
        omlx.process_memory_enforcer - INFO - [-] - Memory pressure level: soft -> hard (current=60.5GB, soft=54.0GB, hard=60.0GB, ceiling=72.0GB)\n\
        omlx.scheduler - WARNING - [-] - Chunked prefill above max_bytes at 2048 tokens: 61.5GB > 54.0GB (ceiling: 72.0GB)\n\
        omlx.engine_pool - WARNING - [-] - Qwen4-Exp PLE forced to SSD for Qwen3.5-27B-4bit: resident 80.5GB exceeds the 77.3GB memory ceiling (mmap needs 60.0GB).\n  \
        [hot-cache] resident=1536.00 / 2048.00 MB (3/8 entries)\n";
    let report = only(Kind::Mlx, log);
    assert_eq!(report.name(What::Model), Some("Qwen3.5-27B-4bit"));
    assert_eq!((report.all(What::Allowed).count(), bytes(&report, What::Allowed)), (1, 72 << 30));
    assert_eq!(report.greatest(What::ProcessUsed).unwrap().bytes, 123 << 29);
    assert_eq!((bytes(&report, What::PlannedWeights), bytes(&report, What::KvCache)), (60_000_000_000, 3 << 29));
    let bare = "[METAL] Command buffer execution failed: Insufficient Memory";
    assert!(only(Kind::Metal, bare).is_failure());
    let split = "RuntimeError: Insufficient VRAM in split for model and cache";
    assert_eq!(only(Kind::Exllama, split).refusal(), Some(Refusal::ModelBuffer));
}

/// NovaSky-AI/SkyRL#624: a limit of nothing is none.
#[test]
fn the_asynchronous_allocator_of_jax_says_what_it_asked_for() {
    let log = "gpu_cudamallocasync_allocator.cc:361] gpu_async_0 cuMemAllocAsync failed to allocate 34359738368 bytes: RESOURCE_EXHAUSTED: : CUDA_ERROR_OUT_OF_MEMORY: out of memory\n \
        Reported by CUDA: Free memory/Total memory: 21474836480/85899345920\n\
        gpu_cudamallocasync_allocator.cc:366] Stats: Limit:                               0\n\
        InUse:                     64424509440\n";
    let report = only(Kind::TensorFlow, log);
    assert_eq!((bytes(&report, What::Requested), bytes(&report, What::Free)), (32 << 30, 20 << 30));
    assert_eq!((bytes(&report, What::Capacity), bytes(&report, What::ProgramAllocated)), (80 << 30, 60 << 30));
    assert!(!report.has(What::Allowed));
}

/// ggml-org/llama.cpp#27264 and #15009: the router prints each argument in a line, and older builds the context of a sequence.
#[test]
fn a_router_of_llama_cpp_says_what_it_starts() {
    let mut log = String::from("0.09.541.220 I srv          load: spawning server instance with args:\n");
    let flags = "/usr/bin/llama-server --host 127.0.0.1 --jinja --min-p 0.02 --top-k 40 --port 50074 --temperature 0.7 --top-p 0.9 --ctx-size 65536 --cache-type-k q8_0 --cache-type-v q8_0 --flash-attn on -m /models/Qwen3-8B-Q4_K_M.gguf";
    for (at, flag) in flags.split(' ').enumerate() {
        writeln!(log, "0.09.541.{} I srv          load:   {flag}", 221 + at).unwrap();
    }
    log += "0.09.600.000 I srv  ensure_model: waiting until model name=x is fully loaded...\n";
    let report = only(Kind::LlamaCpp, &log);
    assert_eq!((report.count(What::Context), report.name(What::Model)), (Some(65_536), Some("Qwen3-8B-Q4_K_M.gguf")));
    assert_eq!((report.name(What::KvDtype), report.name(What::ValueDtype)), (Some("q8_0"), Some("q8_0")));
    assert_eq!(report.flag(What::FlashAttention), Some(true));
    let context = report.all(What::Context).next().unwrap();
    assert_eq!((context.place.line, context.place.column), (17, 37));
    let older = "llama_context: n_ctx_per_seq (8192) < n_ctx_train (40960) -- the full capacity of the model will not be utilized";
    assert_told(Kind::LlamaCpp, older, &["1: max_model_len 8192", "1: trained_context 40960"]);
}

/// modelscope/ms-swift#3848: a terminal broke a word of the message.
#[test]
fn a_message_is_read_where_a_line_ends_within_a_word() {
    let text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 3 has a total capacity of 39.50 GiB of which 1.25 GiB is free. Process 4711 has 38.25 GiB memory in use. Of the allocated memory 36.50 GiB is allocated by PyTor\nch, and 256.00 MiB is reserved by PyTorch but unallocated.\n";
    let report = only(Kind::Cuda, text);
    assert_eq!((bytes(&report, What::Allocated), bytes(&report, What::ReservedFree)), (73 << 29, 1 << 28));
    assert_eq!(bytes(&report, What::ProcessUsed), 153 << 28);
    assert_eq!(report.facts.len(), 6);
}

/// Lightning's `CSVLogger` sorts its columns by name; rows of other metrics stand between those of the monitor.
#[test]
fn lightnings_monitor_of_a_device_is_read_from_its_file() {
    let names = [
        "active_bytes.all.peak",
        "allocated_bytes.all.current",
        "allocated_bytes.all.peak",
        "num_ooms",
        "reserved_bytes.all.current",
    ];
    let head: Vec<String> = ["end", "start"]
        .iter()
        .flat_map(|hook| {
            (0..40).map(move |at| format!("DeviceStatsMonitor.on_train_batch_{hook}/active.large_pool.unused_{at:02}"))
        })
        .chain(names.map(|name| format!("DeviceStatsMonitor.on_train_batch_start/{name}")))
        .chain(["epoch", "step", "train_loss"].map(String::from))
        .collect();
    let empty = ",".repeat(80);
    let silent = format!("{empty},,,,,0,50,0.25\n").repeat(5);
    let text = format!(
        "{}\n{empty}3221225472.0,1073741824.0,2147483648.0,0.0,4294967296.0,0,49,\n{silent}{empty}3221225472.0,536870912.0,2684354560.0,0.0,4294967296.0,1,99,\n",
        head.join(",")
    );
    assert_told(
        Kind::Torch,
        &text,
        &[
            "2: peak_active 3221225472",
            "2: allocated 1073741824",
            "2: peak_allocated 2147483648",
            "2: reserved 4294967296",
            "8: allocated 536870912",
            "8: peak_allocated 2684354560",
        ],
    );
    let said = "occupied memory:2.50 GB\n\nreserved memory:16.75 GB\n";
    let report = only(Kind::Torch, said);
    assert_eq!((bytes(&report, What::Stated), bytes(&report, What::Reserved)), (5 << 29, 67 << 28));
}

/// ollama/ollama#10417: what it expects of all GPUs is not added to what it then allocates.
#[test]
fn ollamas_estimate_is_not_added_to_its_buffers() {
    let log = "time=2025-05-01T10:00:00.000Z level=INFO source=server.go:138 msg=offload library=cuda layers.requested=-1 layers.model=41 layers.offload=41 layers.split=\"\" memory.available=\"[23.0 GiB]\" memory.weights.total=\"13.0 GiB\"\n\
        time=2025-05-01T10:00:01.000Z level=INFO source=ggml.go:298 msg=\"model weights\" buffer=CUDA0 size=\"13.5 GiB\"\n";
    assert_eq!(row(&explained(log), What::Weights), Some(27 << 29));
}

/// ollama/ollama#12000: a model that sees has an encoder beside its weights, and one that doesn't has a size of none.
#[test]
fn ollamas_encoder_is_told_apart() {
    let estimate = |encoder: &str, graph: &str| {
        format!(
            "msg=offload library=cuda layers.requested=-1 projector.weights=\"{encoder}\" projector.graph=\"{graph}\"\n"
        )
    };
    assert_told(
        Kind::Ollama,
        &estimate("795.9 MiB", "1.0 GiB"),
        &["1: planned_projector 834561638~104857", "1: encoder_compute 1073741824~107374182"],
    );
    assert!(memory_wall_reports::read(estimate("0 B", "0 B").as_bytes()).reports.is_empty());
}

/// modelscope/ms-swift#9403: a command with an option in each line.
#[test]
fn options_of_megatron_are_read_one_in_a_line() {
    let text = "megatron sft \n--tensor_model_parallel_size 4 \n--pipeline_model_parallel_size 2 \n--micro_batch_size 1 \n--global_batch_size 16 \n--max_length 8192 \n";
    assert_told(
        Kind::Trainer,
        text,
        &[
            "2: tensor_parallel 4",
            "3: pipeline_parallel 2",
            "4: batch_size 1",
            "5: global_batch 16",
            "6: seq_length 8192",
        ],
    );
}

/// A name of thousands of letters is none, on either side of its words: a line without spaces is not looked through for each of them.
#[test]
fn names_of_buffers_have_an_end() {
    for letters in [8, 5_000] {
        let name = format!("CUDA{}1", "x".repeat(letters));
        let front = format!("llama_kv_cache: {name} KV buffer size = 5.00 MiB");
        let behind = format!("msg=\"model weights\" device={name} size=\"13.5 GiB\"");
        for text in [front, behind] {
            assert_eq!(
                memory_wall_reports::read(text.as_bytes()).reports.len(),
                usize::from(letters == 8),
                "{letters}"
            );
        }
    }
}
