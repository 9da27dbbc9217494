//! Logs of servers, in the shape of the real ones of each release, with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::{assert_hides, assert_told, bytes, only};
use memory_wall_reports::{Device, Kind, Refusal, What, read};

#[test]
fn vllm_0_4_counts_blocks() {
    let text = "INFO 05-01 10:00:00 llm_engine.py:100] Initializing an LLM engine (v0.4.2) with config: model='facebook/opt-13b', speculative_config=None, tokenizer='facebook/opt-13b', dtype=torch.float16, max_seq_len=2048, download_dir=None, tensor_parallel_size=2, quantization=None, enforce_eager=False, kv_cache_dtype=auto, seed=0)\n\
        INFO 05-01 10:00:20 model_runner.py:172] Loading model weights took 12.0333 GB\n\
        INFO 05-01 10:00:22 gpu_executor.py:114] # GPU blocks: 7448, # CPU blocks: 655\n";
    assert_told(
        Kind::Vllm,
        text,
        &[
            "1: version 0.4.2",
            "1: model opt-13b",
            "1: dtype float16",
            "1: max_model_len 2048",
            "1: tensor_parallel 2",
            "1: enforce_eager false",
            "1: kv_dtype auto",
            "2: weights 12920657490~107374",
            "3: kv_blocks 7448",
            "3: host_kv_blocks 655",
        ],
    );
}

#[test]
fn vllm_0_6_profiles_in_one_line() {
    let text = "INFO 12-06 11:39:36 worker.py:232] Memory profiling results: total_gpu_memory=23.65GiB initial_memory_usage=3.09GiB peak_torch_memory=15.12GiB memory_usage_post_profile=15.62Gib non_torch_memory=0.47GiB kv_cache_size=5.54GiB gpu_memory_utilization=0.90\n\
        INFO 12-06 11:39:36 gpu_executor.py:117] Maximum concurrency for 8192 tokens per request: 5.53x\n";
    assert_told(
        Kind::Vllm,
        text,
        &[
            "1: capacity 25393994137~10737418",
            "1: used 3317862236~10737418",
            "1: peak_allocated 16234976378~10737418",
            "1: non_torch 504658657~10737418",
            "1: kv_cache 5948529704~10737418",
            "1: utilization 0.9",
            "2: max_model_len 8192",
            "2: concurrency 5.53",
        ],
    );
}

#[test]
fn vllm_0_7_profiles_in_three_lines() {
    let text = "INFO 02-10 09:12:55 model_runner.py:1115] Loading model weights took 14.9888 GB\n\
        INFO 02-10 09:13:07 worker.py:267] Memory profiling takes 11.85 seconds\n\
        INFO 02-10 09:13:07 worker.py:267] the current vLLM instance can use total_gpu_memory (79.11GiB) x gpu_memory_utilization (0.90) = 71.20GiB\n\
        INFO 02-10 09:13:07 worker.py:267] model weights take 14.99GiB; non_torch_memory takes 0.35GiB; PyTorch activation peak memory takes 1.24GiB; the rest of the memory reserved for KV Cache is 54.62GiB.\n\
        INFO 02-10 09:13:08 executor_base.py:110] # cuda blocks: 27968, # CPU blocks: 2048\n";
    assert_told(
        Kind::Vllm,
        text,
        &[
            "1: weights 16094101451~107374",
            "3: capacity 84943715696~10737418",
            "3: utilization 0.9",
            "3: budget 76450417868~10737418",
            "4: weights 16095389941~10737418",
            "4: non_torch 375809638~10737418",
            "4: peak_activation 1331439861~10737418",
            "4: kv_cache 58647778426~10737418",
            "5: kv_blocks 27968",
            "5: host_kv_blocks 2048",
        ],
    );
}

#[test]
fn vllm_0_11_says_what_it_used() {
    let text = "(APIServer pid=100) INFO 10-13 13:42:34 [utils.py:233] non-default args: {'model_tag': '/data/models/Qwen3-8B', 'host': '10.1.2.3', 'api_key': 'sk-secret', 'model': '/data/models/Qwen3-8B', 'max_model_len': 32768, 'gpu_memory_utilization': 0.92, 'max_num_seqs': 128, 'enable_lora': True, 'lora_modules': [{'name': 'a', 'path': '/data/a'}], 'max_loras': 4, 'max_lora_rank': 64, 'max_cpu_loras': 8, 'speculative_config': {'model': 'org/Qwen3-0.6B', 'num_speculative_tokens': 3}}\n\
        (EngineCore_DP0 pid=200) INFO 10-13 13:43:00 [gpu_model_runner.py:2653] Model loading took 15.2683 GiB and 12.108878 seconds\n\
        (EngineCore_DP0 pid=200) INFO 10-13 13:43:20 [gpu_worker.py:298] Available KV cache memory: 4.75 GiB\n\
        (EngineCore_DP0 pid=200) INFO 10-13 13:43:20 [kv_cache_utils.py:1087] GPU KV cache size: 34,560 tokens\n\
        (EngineCore_DP0 pid=200) INFO 10-13 13:43:20 [kv_cache_utils.py:1091] Maximum concurrency for 32,768 tokens per request: 1.05x\n\
        (EngineCore_DP0 pid=200) INFO 10-13 13:43:24 [gpu_model_runner.py:3480] Graph capturing finished in 4 secs, took -0.41 GiB\n\
        (EngineCore_DP0 pid=200) INFO 10-13 13:43:25 [gpu_worker.py:391] Free memory on device (23.21/23.65 GiB) on startup. Desired GPU memory utilization is (0.92, 21.76 GiB). Actual usage is 15.27 GiB for weight, 1.17 GiB for peak activation, 0.02 GiB for non-torch memory, and 0.14 GiB for CUDAGraph memory. Replace gpu_memory_utilization config with `--kv-cache-memory=5000000000` (4.66 GiB) to fit into requested memory, or `--kv-cache-memory=6000000000` (5.59 GiB) to fully utilize gpu memory. Current kv cache memory in use is 5100273664 bytes.\n";
    assert_told(
        Kind::Vllm,
        text,
        &[
            "1: model Qwen3-8B",
            "1: max_model_len 32768",
            "1: utilization 0.92",
            "1: max_num_seqs 128",
            "1: enable_lora true",
            "1: max_loras 4",
            "1: max_lora_rank 64",
            "1: max_cpu_loras 8",
            "1: draft_model Qwen3-0.6B",
            "1: speculative_tokens 3",
            "2: weights 16394212291~107374",
            "3: kv_cache 5100273664~10737418",
            "4: kv_tokens 34560",
            "5: concurrency 1.05",
            "6: cuda_graphs -440234147~10737418",
            "7: free 24921547735~10737418",
            "7: capacity 25393994137~10737418",
            "7: budget 23364622090~10737418",
            "7: weights 16396037652~10737418",
            "7: peak_activation 1256277934~10737418",
            "7: non_torch 21474836~10737418",
            "7: cuda_graphs 150323855~10737418",
            "7: kv_suggested 5000000000",
            "7: kv_cache 5100273664",
        ],
    );
    assert_hides(&read(text.as_bytes()), &["/data", "10.1.2.3", "sk-secret", "org/"]);
}

#[test]
fn vllm_0_21_and_later_count_graphs_inside() {
    let text = "(EngineCore pid=300) INFO 08-01 17:36:31 [core.py:114] Initializing a V1 LLM engine (v0.25.1) with config: model='org/Some-27B-NVFP4', speculative_config=None, dtype=torch.bfloat16, max_seq_len=262144, tensor_parallel_size=4, quantization=compressed-tensors, kv_cache_dtype=fp8, compilation_config={'mode': 3, 'model': 'no', 'dtype': 'no'}\n\
        (Worker_TP2 pid=512) INFO 08-01 17:40:00 [gpu_model_runner.py:5515] Model loading took 19.07 GiB memory and 58.214395 seconds\n\
        (EngineCore pid=300) INFO 08-01 17:40:01 [interface.py:890] Setting attention block size to 1072 tokens to ensure that attention page size is >= mamba page size.\n\
        (Worker_TP2 pid=512) INFO 08-01 17:40:30 [gpu_model_runner.py:6639] Estimated CUDA graph memory: 0.86 GiB total\n\
        (Worker_TP2 pid=512) INFO 08-01 17:40:30 [gpu_worker.py:359] Available KV cache memory: 4.87 GiB\n\
        (Worker_TP2 pid=512) INFO 08-01 17:40:30 [gpu_worker.py:553] CUDA graph memory profiling is enabled (default since v0.21.0). The current --gpu-memory-utilization=0.9700 is equivalent to --gpu-memory-utilization=0.9574 without CUDA graph memory profiling. To maintain the same effective KV cache size as before, increase --gpu-memory-utilization to 0.9826.\n\
        (EngineCore pid=300) INFO 08-01 17:40:31 [kv_cache_utils.py:2393] GPU KV cache size: 651,081 tokens, Maximum concurrency for 262,144 tokens per request: 2.48x\n\
        (Worker_TP2 pid=512) INFO 08-01 17:41:00 [gpu_worker.py:771] CUDA graph pool memory: 1.02 GiB (actual), 0.86 GiB (estimated), difference: 0.16 GiB (15.7%).\n\
        (Worker_TP2 pid=512) INFO 08-01 17:41:00 [gpu_worker.py:935] Free memory on device cuda:2 (31.23/31.86 GiB) on startup. Desired GPU memory utilization is (0.97, 30.9 GiB). Actual usage is 24.58 GiB for consumed memory (weights + non-torch), 1.46 GiB for peak activation, and 1.02 GiB for CUDAGraph memory.\n";
    assert_told(
        Kind::Vllm,
        text,
        &[
            "1: version 0.25.1",
            "1: model Some-27B-NVFP4",
            "1: dtype bfloat16",
            "1: max_model_len 262144",
            "1: tensor_parallel 4",
            "1: quantization compressed-tensors",
            "1: kv_dtype fp8",
            "2: gpu2 weights 20476256583~10737418",
            "3: block_size 1072",
            "4: gpu2 cuda_graphs_estimated 923417968~10737418",
            "5: gpu2 kv_cache 5229122682~10737418",
            "6: gpu2 utilization 0.97",
            "6: gpu2 equivalent_utilization 0.9574",
            "7: kv_tokens 651081",
            "7: concurrency 2.48",
            "8: gpu2 cuda_graphs 1095216660~10737418",
            "9: gpu2 free 33532957163~10737418",
            "9: gpu2 capacity 34209414512~10737418",
            "9: gpu2 budget 33178622361~107374182",
            "9: gpu2 consumed 26392574033~10737418",
            "9: gpu2 peak_activation 1567663063~10737418",
        ],
    );
}

#[test]
fn vllm_refuses_in_many_words() {
    for (text, why, what, value) in [
        (
            "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (52368). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
            Refusal::Length,
            What::KvTokens,
            52_368,
        ),
        (
            "ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (12.00 GiB).  Try increasing `gpu_memory_utilization`",
            Refusal::Length,
            What::MaxModelLen,
            131_072,
        ),
        (
            "(EngineCore pid=1) ERROR 08-01 ValueError: To serve at least one request with the model's max seq len (262144), (18.35 GiB KV cache is needed, which is larger than the available KV cache memory (8.72 GiB). Based on the available memory, the estimated maximum model length is 124512. Try",
            Refusal::Length,
            What::LongestPossible,
            124_512,
        ),
        (
            "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.",
            Refusal::Sampler,
            What::WarmUpRequests,
            1_024,
        ),
        (
            "ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (310). Each",
            Refusal::StateBlocks,
            What::KvBlocks,
            310,
        ),
    ] {
        let report = only(Kind::Vllm, text);
        assert_eq!((report.refusal(), report.count(what)), (Some(why), Some(value)), "{text}");
        assert!(report.is_failure());
    }
    for (text, why) in [
        (
            "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.",
            Refusal::NoBlocks,
        ),
        (
            "AssertionError: Error in memory profiling. Initial free memory 84143570944, current free memory 84743570944. This happens when",
            Refusal::Profiling,
        ),
    ] {
        assert_eq!(only(Kind::Vllm, text).refusal(), Some(why), "{text}");
    }
    let share = "ValueError: Free memory on device (10.51/23.65 GiB) on startup is less than desired GPU memory utilization (0.9, 21.28 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.";
    assert_told(
        Kind::Vllm,
        share,
        &[
            "1: free 11285026570~10737418",
            "1: capacity 25393994137~10737418",
            "1: utilization 0.9",
            "1: budget 22849226014~10737418",
            "1: refusal share",
        ],
    );
    let length = only(
        Kind::Vllm,
        "ValueError: To serve at least one request with the model's max seq len (262144), (18.35 GiB KV cache is needed, which is larger than the available KV cache memory (8.72 GiB).",
    );
    assert_eq!((bytes(&length, What::KvNeeded), bytes(&length, What::KvCache)), (19_703_162_470, 9_363_028_705));
}

#[test]
fn a_second_start_is_a_report_of_its_own() {
    let start = "INFO 10-13 [utils.py:233] non-default args: {'model': 'a/b-1', 'max_model_len': 4096}\nINFO 10-13 [gpu_model_runner.py:1] Model loading took 1.00 GiB and 1 seconds\nINFO 10-13 [kv_cache_utils.py:1087] GPU KV cache size: 1,024 tokens\n";
    let found = read(format!("{start}{start}").as_bytes());
    assert_eq!(found.reports.iter().map(|report| (report.from, report.to)).collect::<Vec<_>>(), [(1, 3), (4, 6)]);
}

#[test]
fn sglang_tells_each_rank() {
    let text = "[2026-08-01 23:37:40] server_args=ServerArgs(model_path='org/Some-Model-9B', tokenizer_path='/srv/me/x', dtype='auto', context_length=65536, quantization=None, kv_cache_dtype='auto', mem_fraction_static=0.85, max_running_requests=48, chunked_prefill_size=8192, tp_size=2, dp_size=1, disable_cuda_graph=False, speculative_draft_model_path='org/Draft-1B')\n\
        [2026-08-01 23:37:49 TP1] Init torch distributed ends. elapsed=0.23 s, mem usage=0.53 GB\n\
        [2026-08-01 23:37:50 TP1] Load weight begin. avail mem=78.36 GB\n\
        [2026-08-01 23:39:39 TP1] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=70.80 GB, mem usage=7.56 GB.\n\
        [2026-08-01 23:39:55 TP1] Load weight end. elapsed=12.25 s, type=LlamaForCausalLMEagle3, avail mem=69.22 GB, mem usage=1.58 GB.\n\
        [2026-08-01 23:40:01 TP1] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 409600, K size: 25.00 GB, V size: 25.00 GB\n\
        [2026-08-01 23:40:01 TP1] Memory pool end. avail mem=19.22 GB\n\
        [2026-08-01 23:40:05 TP1] KV Cache is allocated. #tokens: 409600, K size: 0.78 GB, V size: 0.78 GB\n\
        [2026-08-01 23:40:30 TP1] Capture cuda graph end. Time elapsed: 20.73 s. mem usage=1.71 GB. avail mem=17.14 GB.\n\
        [2026-08-01 23:40:31 TP0] max_total_num_tokens=409600, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=48, context_len=65536, available_gpu_mem=17.14 GB\n";
    assert_told(
        Kind::Sglang,
        text,
        &[
            "1: model Some-Model-9B",
            "1: dtype auto",
            "1: max_model_len 65536",
            "1: kv_dtype auto",
            "1: utilization 0.85",
            "1: max_num_seqs 48",
            "1: max_num_batched_tokens 8192",
            "1: tensor_parallel 2",
            "1: data_parallel 1",
            "1: enforce_eager false",
            "1: draft_model Draft-1B",
            "2: gpu1 non_torch 569083166~10737418",
            "3: gpu1 free 84138409328~10737418",
            "4: gpu1 model_class LlamaForCausalLM",
            "4: gpu1 dtype bfloat16",
            "4: gpu1 weights 8117488189~10737418",
            "4: gpu1 free_after_weights 76020921139~10737418",
            "5: gpu1 model_class LlamaForCausalLMEagle3",
            "5: gpu1 draft_weights 1696512081~10737418",
            "5: gpu1 free_after_weights 74324409057~10737418",
            "6: gpu1 kv_dtype bfloat16",
            "6: gpu1 kv_tokens 409600",
            "6: gpu1 key_cache 26843545600~10737418",
            "6: gpu1 value_cache 26843545600~10737418",
            "7: gpu1 free_after 20637317857~10737418",
            "8: gpu1 draft_cache 837518622~10737418",
            "9: gpu1 cuda_graphs 1836098519~10737418",
            "9: gpu1 free_after 18403934863~10737418",
            "10: gpu0 kv_tokens 409600",
            "10: gpu0 max_num_batched_tokens 8192",
            "10: gpu0 max_num_seqs 48",
            "10: gpu0 max_model_len 65536",
            "10: gpu0 free_after 18403934863~10737418",
        ],
    );
    assert_hides(&read(text.as_bytes()), &["/srv", "org/"]);
}

#[test]
fn tensorrt_llm_profiles_and_fills() {
    let text = "[TensorRT-LLM] TensorRT LLM version: 1.2.0rc4\n\
        [12/07/2025-00:20:27] [TRT-LLM] [I] Prefetching /srv/.cache/huggingface/hub/models--meta-llama--Meta-Llama-3-8B-Instruct/snapshots/8afb486c1db24fe5011ec46dfbe5b5dccdb575c2/model-00002-of-00004.safetensors to memory...\n\
        [12/07/2025-00:21:00] [TRT-LLM] [I] Memory used after loading model weights (inside torch) in memory usage profiling: 15.06 GiB\n\
        [12/07/2025-00:21:00] [TRT-LLM] [I] Memory dynamically allocated during inference (inside torch) in memory usage profiling: 0.14 GiB\n\
        [12/07/2025-00:21:00] [TRT-LLM] [I] Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage profiling: 2.55 GiB\n\
        [12/07/2025-00:21:00] [TRT-LLM] [I] Peak memory during memory usage profiling (torch + non-torch): 17.75 GiB, available KV cache memory when calculating max tokens: 50.00 GiB, fraction is set 0.8, kv size is 131072. device total memory 80.25 GiB, , tmp kv_mem 0.13 GiB\n\
        [TensorRT-LLM][INFO] Max KV cache blocks per sequence: 33 [window size=1025], tokens per block=32, primary blocks=12800, secondary blocks=0, max sequence length=1025\n\
        [TensorRT-LLM][INFO] [MemUsageChange] Allocated 50.00 GiB for max tokens in paged KV cache (409600).\n\
        [12/07/2025-00:21:00] [TRT-LLM] [I] max_seq_len=1025, max_num_requests=32, max_num_tokens=1024, max_batch_size=32\n";
    assert_told(
        Kind::TensorRtLlm,
        text,
        &[
            "1: version 1.2.0rc4",
            "2: model Meta-Llama-3-8B-Instruct",
            "3: weights 16170551869~10737418",
            "4: peak_activation 150323855~10737418",
            "5: non_torch 2738041651~10737418",
            "6: non_kv 19058917376~10737418",
            "6: kv_cache 53687091200~10737418",
            "6: utilization 0.8",
            "6: kv_per_token 131072",
            "6: capacity 86167781376~10737418",
            "7: block_size 32",
            "7: kv_blocks 12800",
            "7: max_model_len 1025",
            "8: kv_tokens 409600",
            "9: max_num_seqs 32",
            "9: max_num_batched_tokens 1024",
        ],
    );
}

#[test]
fn tgi_counts_in_decimal_gigabytes() {
    let text = "2026-01-01T10:00:00.000000Z  INFO text_generation_launcher: Args {\n    model_id: \"meta-llama/Llama-3.1-8B-Instruct\",\n    num_shard: Some(\n        2,\n    ),\n    quantize: None,\n    max_total_tokens: Some(\n        8192,\n    ),\n    hostname: \"3f2a\",\n    cuda_memory_fraction: 0.95,\n}\n\
        2026-01-01T10:00:40.000000Z  INFO text_generation_launcher: KV-cache blocks: 123456, size: 1\n\
        2026-01-01T10:00:41.000000Z  INFO text_generation_router_v3: backends/v3/src/lib.rs:137: Setting max batch total tokens to 123456\n\
        2026-01-01T10:00:42.000000Z  INFO text_generation_launcher: Free RAM after cuda graphs 1.25GB\n";
    assert_told(
        Kind::Tgi,
        text,
        &[
            "2: model Llama-3.1-8B-Instruct",
            "4: tensor_parallel 2",
            "8: max_model_len 8192",
            "11: utilization 0.95",
            "13: kv_blocks 123456",
            "13: block_size 1",
            "14: kv_tokens 123456",
            "15: free_after 1250000000~10000000",
        ],
    );
    let refused = "Error: Backend(Warmup(Generation(\"Not enough memory to handle 4096 prefill tokens. You need to decrease `--max-batch-prefill-tokens`\")))";
    let report = only(Kind::Tgi, refused);
    assert_eq!((report.refusal(), report.count(What::PrefillTokens)), (Some(Refusal::Prefill), Some(4_096)));
    let longest = only(Kind::Tgi, "Not enough memory to handle `max_total_tokens=131072`");
    assert_eq!((longest.refusal(), longest.count(What::MaxModelLen)), (Some(Refusal::MaxTotalTokens), Some(131_072)));
}

/// llama.cpp with a model that has a window in most layers: two caches, the second of which may be as large as the first.
const LLAMA: &str = "  Device 0: NVIDIA RTX A6000, compute capability 8.6, VMM: yes, VRAM: 48531 MiB\n\
    build_info: b8854-de71b5f81\n\
    llama_params_fit_impl: projected to use 14554 MiB of device memory vs. 14807 MiB of free device memory\n\
    llama_model_load_from_file_impl: using device CUDA0 (NVIDIA RTX A6000) (0000:47:00.0) - 48246 MiB free\n\
    llama_model_loader: loaded meta data with 60 key-value pairs and 658 tensors from /srv/me/gemma.gguf (version GGUF V3 (latest))\n\
    print_info: file type   = IQ4_NL - 4.5 bpw\n\
    print_info: file size   = 12.48 GiB (4.25 BPW)\n\
    print_info: n_layer               = 30\n\
    print_info: n_head_kv             = [8, 8, 2]\n\
    print_info: general.name          = Gemma-4-26B-A4B-It\n\
    load_tensors: offloaded 31/31 layers to GPU\n\
    load_tensors:        CUDA0 model buffer size = 12782.11 MiB\n\
    load_tensors:    CUDA_Host model buffer size =   748.00 MiB\n\
    llama_context: n_seq_max     = 2\n\
    llama_context: n_ctx         = 32768\n\
    llama_context: flash_attn    = enabled\n\
    llama_context: kv_unified    = false\n\
    llama_kv_cache:      CUDA0 KV buffer size =   640.00 MiB\n\
    llama_kv_cache: size =  640.00 MiB ( 16384 cells,   5 layers,  2/2 seqs), K (f16):  320.00 MiB, V (f16):  320.00 MiB\n\
    llama_kv_cache:      CUDA0 KV buffer size =   640.00 MiB\n\
    llama_memory_recurrent:      CUDA0 RS buffer size =   134.00 MiB\n\
    sched_reserve:      CUDA0 compute buffer size =   532.63 MiB\n\
    sched_reserve:  CUDA_Host compute buffer size =    46.02 MiB\n";

#[test]
fn llama_cpp_tells_each_buffer() {
    assert_told(
        Kind::LlamaCpp,
        LLAMA,
        &[
            "1: gpu0 gpu NVIDIA RTX A6000",
            "1: gpu0 capacity 50888441856~1048576",
            "2: build 8854",
            "3: projected 15260975104~1048576",
            "3: free 15526264832~1048576",
            "4: gpu0 free 50589597696~1048576",
            "6: file_type IQ4_NL - 4.5 bpw",
            "7: checkpoint 13400297963~10737418",
            "8: layers 30",
            "10: model Gemma-4-26B-A4B-It",
            "11: gpu_layers 31",
            "11: all_layers 31",
            "12: gpu0 weights 13403013775~10485",
            "13: host weights 784334848~10485",
            "14: parallel 2",
            "15: context 32768",
            "16: flash_attention true",
            "17: unified_cache false",
            "18: gpu0 kv_cache 671088640~10485",
            "19: kv_total 671088640~10485",
            "19: cells 16384",
            "19: cached_layers 5",
            "19: kv_dtype f16",
            "19: key_cache 335544320~10485",
            "19: value_dtype f16",
            "19: value_cache 335544320~10485",
            "20: gpu0 kv_cache 671088640~10485",
            "21: gpu0 recurrent_state 140509184~10485",
            "22: gpu0 compute_buffer 558503034~10485",
            "23: host compute_buffer 48255467~10485",
        ],
    );
    assert_hides(&read(LLAMA.as_bytes()), &["/srv"]);
}

#[test]
fn older_llama_cpp_has_other_prefixes() {
    let text = "llm_load_print_meta: model ftype      = Q8_0\nllm_load_print_meta: model size       = 1.22 GiB (8.50 BPW)\nllm_load_print_meta: general.name     = Llama 3.2 1B Instruct\n\
        llm_load_tensors:        CPU buffer size =  1518.57 MiB\nllama_new_context_with_model: n_ctx      = 4096\nllama_kv_cache_init:        CPU KV buffer size =   128.00 MiB\n\
        llama_new_context_with_model: KV self size  =  128.00 MiB, K (f16):   64.00 MiB, V (f16):   64.00 MiB\nllama_new_context_with_model:        CPU compute buffer size =   280.01 MiB\n";
    assert_told(
        Kind::LlamaCpp,
        text,
        &[
            "1: file_type Q8_0",
            "2: checkpoint 1309965025~10737418",
            "3: model Llama 3.2 1B Instruct",
            "4: host weights 1592336056~10485",
            "5: context 4096",
            "6: host kv_cache 134217728~10485",
            "7: kv_total 134217728~10485",
            "7: kv_dtype f16",
            "7: key_cache 67108864~10485",
            "7: value_dtype f16",
            "7: value_cache 67108864~10485",
            "8: host compute_buffer 293611765~10485",
        ],
    );
}

#[test]
fn ollama_writes_pairs() {
    let text = "time=2026-04-02T13:12:02.143Z level=INFO source=routes.go:1850 msg=\"Listening on 10.0.0.7:11434 (version 0.18.2)\"\n\
        time=2026-04-02T13:12:02.143Z level=INFO source=types.go:42 msg=\"inference compute\" id=GPU-f7223551-58e6 filter_id=\"\" library=CUDA compute=8.6 name=CUDA0 description=\"NVIDIA GeForce RTX 3090\" libdirs=ollama,cuda_v12 driver=12.8 pci_id=0000:61:00.0 type=discrete total=\"24.0 GiB\" available=\"23.6 GiB\"\n\
        time=2026-04-02T13:13:15.900Z level=INFO source=server.go:247 msg=\"starting runner\" cmd=\"/usr/local/bin/ollama runner --ollama-engine --model /srv/.ollama/models/blobs/sha256-6a0746a1ec1aef3e7ec53868f220ff6e389f6f8ef87a01d77c96807de94ca2aa --port 41234\"\n\
        time=2026-04-02T13:13:15.942Z level=INFO source=sched.go:484 msg=\"system memory\" total=\"1007.6 GiB\" free=\"949.8 GiB\" free_swap=\"0 B\"\n\
        time=2026-04-02T13:13:15.942Z level=INFO source=sched.go:491 msg=\"gpu memory\" id=GPU-f7223551 library=CUDA available=\"23.1 GiB\" free=\"23.6 GiB\" minimum=\"457.0 MiB\" overhead=\"0 B\"\n\
        time=2026-04-02T13:13:15.944Z level=INFO source=device.go:240 msg=\"model weights\" device=CUDA0 size=\"13.3 GiB\"\n\
        time=2026-04-02T13:13:15.944Z level=INFO source=device.go:245 msg=\"model weights\" device=CPU size=\"563.7 MiB\"\n\
        time=2026-04-02T13:13:15.944Z level=INFO source=device.go:251 msg=\"kv cache\" device=CUDA0 size=\"6.1 GiB\"\n\
        time=2026-04-02T13:13:15.944Z level=INFO source=device.go:262 msg=\"compute graph\" device=CUDA0 size=\"955.7 MiB\"\n\
        time=2026-04-02T13:13:15.944Z level=INFO source=device.go:272 msg=\"total memory\" size=\"20.9 GiB\"\n";
    assert_told(
        Kind::Ollama,
        text,
        &[
            "1: version 0.18.2",
            "2: gpu0 gpu NVIDIA GeForce RTX 3090",
            "2: gpu0 capacity 25769803776~107374182",
            "2: gpu0 free 25340307046~107374182",
            "4: host_capacity 1081902261862~107374182",
            "4: host_free 1019839984435~107374182",
            "5: available 24803436134~107374182",
            "5: free 25340307046~107374182",
            "6: gpu0 weights 14280766259~107374182",
            "7: host weights 591082291~104857",
            "8: gpu0 kv_cache 6549825126~107374182",
            "9: gpu0 compute_buffer 1002124083~104857",
            "10: total 22441204121~107374182",
        ],
    );
    assert_hides(&read(text.as_bytes()), &["10.0.0.7", "GPU-f7", "/srv", "sha256"]);
    let refused = "Error: model requires more system memory (24.4 GiB) than is available (15.1 GiB)";
    let report = only(Kind::Ollama, refused);
    assert_eq!((report.refusal(), bytes(&report, What::Requested)), (Some(Refusal::SystemMemory), 26_199_300_505));
}

#[test]
fn commands_are_read_as_they_are_typed() {
    let text = "$ vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 32k \\\n    --tensor-parallel-size 2 --enforce-eager \\\n    --api-key sk-secret\n";
    assert_told(
        Kind::Vllm,
        text,
        &["1: model Llama-3.1-8B-Instruct", "1: max_model_len 32000", "2: tensor_parallel 2", "2: enforce_eager true"],
    );
    let llama = "./llama-server -m /srv/me/Qwen3-8B-Q4_K_M.gguf -c 16384 -ngl 99 -np 2 -ctk q8_0 -fa on --host 0.0.0.0";
    assert_told(
        Kind::LlamaCpp,
        llama,
        &[
            "1: model Qwen3-8B-Q4_K_M.gguf",
            "1: context 16384",
            "1: gpu_layers 99",
            "1: parallel 2",
            "1: kv_dtype q8_0",
            "1: flash_attention true",
        ],
    );
}

#[test]
fn facts_of_ranks_keep_their_ranks() {
    let report = only(
        Kind::Vllm,
        "(Worker_TP3 pid=1) INFO 08-01 [gpu_worker.py:1] Available KV cache memory: 4.87 GiB\n(Worker_TP0 pid=2) INFO 08-01 [gpu_worker.py:1] Available KV cache memory: 4.87 GiB\n",
    );
    assert_eq!(report.facts.iter().map(|fact| fact.device).collect::<Vec<_>>(), [Device::Gpu(3), Device::Gpu(0)]);
}
