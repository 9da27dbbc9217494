//! Texts as people paste them, in the shape of public ones, with figures of our own: cut, folded, of older and newer releases; and what follows from them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, bytes, only, told};
use memory_wall_reports::explain::{Cause, Explanation, Note, Stated, explain};
use memory_wall_reports::{Kind, What, read};

fn explained(text: &str) -> Explanation {
    explain(&read(text.as_bytes()), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

fn row(explanation: &Explanation, what: What) -> i128 {
    let row = explanation.rows.iter().find(|row| row.what == what);
    row.unwrap_or_else(|| panic!("{what:?} in {:?}", explanation.rows)).reported.value()
}

#[test]
fn what_lies_on_gpus_and_what_in_host_memory_are_two_rows() {
    let log = "load_tensors: offloaded 23/57 layers to GPU\n\
        load_tensors:   CPU_Mapped model buffer size = 40000.00 MiB\nload_tensors:   CPU_Mapped model buffer size = 2000.00 MiB\n\
        load_tensors:        CUDA0 model buffer size = 16000.00 MiB\nload_tensors:        CUDA1 model buffer size = 14000.00 MiB\n\
        llama_kv_cache_init:      CUDA0 KV buffer size =   300.00 MiB\nllama_new_context_with_model: KV self size  = 1000.00 MiB, c^KV (f16): 1000.00 MiB, kv^T: not used\n";
    let explanation = explained(log);
    assert_eq!(row(&explanation, What::Weights), 30_000 << 20);
    assert_eq!(row(&explanation, What::HostWeights), 42_000 << 20);
    assert_eq!((row(&explanation, What::GpuLayers), row(&explanation, What::AllLayers)), (23, 57));
    // The excerpt has one of the caches, and the sum of all.
    assert_eq!((row(&explanation, What::KvCache), row(&explanation, What::KvTotal)), (300 << 20, 1_000 << 20));
}

#[test]
fn every_gpu_of_ollama_has_its_number() {
    let line = |name: &str, total: &str, free: &str| {
        format!(
            "time=2025-05-12T12:07:07Z level=INFO source=types.go:130 msg=\"inference compute\" id=GPU-x library=cuda variant=v12 compute=6.1 driver=12.4 name=\"{name}\" total=\"{total}\" available=\"{free}\"\n"
        )
    };
    let log = line("NVIDIA GeForce GTX 1080 Ti", "11.0 GiB", "8.5 GiB")
        + &line("NVIDIA GeForce GTX 1070", "8.0 GiB", "5.5 GiB");
    let report = only(Kind::Ollama, &log);
    for fact in [
        "1: gpu0 capacity 11811160064~107374182",
        "1: gpu0 gpu NVIDIA GeForce GTX 1080 Ti",
        "2: gpu1 capacity 8589934592~107374182",
        "2: gpu1 free 5905580032~107374182",
        "2: gpu1 gpu NVIDIA GeForce GTX 1070",
    ] {
        assert!(told(&report).iter().any(|it| it == fact), "{fact} in {:?}", told(&report));
    }
    assert!(explained(&log).notes.contains(&Note::SeveralGpus(2)));
    let split = "msg=offload library=cuda layers.requested=-1 layers.model=81 layers.offload=44 layers.split=22,22 memory.available=\"[22.0 GiB 21.0 GiB]\" memory.required.allocations=\"[20.5 GiB 20.0 GiB]\"\n";
    let report = only(Kind::Ollama, split);
    assert_eq!(
        told(&report)[2..],
        [
            "1: gpu0 free 23622320128~107374182",
            "1: gpu1 free 22548578304~107374182",
            "1: gpu0 placed 22011707392~107374182",
            "1: gpu1 placed 21474836480~107374182",
        ]
    );
}

#[test]
fn ollama_says_what_the_host_has() {
    let log = "time=1 level=INFO source=server.go:658 msg=\"system memory\" total=\"31.0 GiB\" free=\"26.5 GiB\" free_swap=\"0 B\"\n\
        time=1 level=INFO source=server.go:665 msg=\"gpu memory\" id=0 library=ROCm available=\"6.0 GiB\" free=\"6.5 GiB\" minimum=\"457.0 MiB\" overhead=\"0 B\"\n\
        time=2 level=INFO source=ggml.go:136 msg=\"\" architecture=qwen35 file_type=Q4_K_M name=\"\" description=\"\"\n\
        time=3 level=INFO source=runner.go:1302 msg=load request=\"{Operation:fit LoraPath:[] Parallel:1 BatchSize:512 KvSize:32768 KvCacheType: GPULayers:65[ID:GPU-5068 Layers:65(0..64)]}\"\n\
        time=4 level=DEBUG source=server.go:780 msg=memory success=true required.InputWeights=100 required.CPU.Weights=\"[1000 2000 3000]\" required.CPU.Cache=\"[10 20 0]\" required.CPU.Graph=600\n";
    let report = only(Kind::Ollama, log);
    for (what, size) in [
        (What::HostCapacity, 31 << 30),
        (What::HostFree, 53 << 29),
        (What::Available, 6 << 30),
        (What::Free, 13 << 29),
        (What::Weights, 6_000),
        (What::KvCache, 30),
        (What::Compute, 600),
    ] {
        assert_eq!(bytes(&report, what), size, "{what:?}");
    }
    assert_eq!((report.name(What::FileType), report.count(What::GpuLayers)), (Some("Q4_K_M"), Some(65)));
    // What the refusal says is there is the computer's memory, not a GPU's.
    let refused = "Error: model requires more system memory (160.5 GiB) than is available (13.5 GiB)\n";
    let explanation = explained(refused);
    assert!(explanation.rows.iter().all(|row| row.what != What::Free), "{:?}", explanation.rows);
    assert!(
        matches!(explanation.causes[0], Cause::Refused { available: Some(there), .. } if there == 27 << 29),
        "{:?}",
        explanation.causes
    );
}

#[test]
fn a_buffer_that_is_asked_for_again_is_no_refusal() {
    let log = "1.06.520.077 E ggml_backend_cuda_buffer_type_alloc_buffer: allocating 51000.00 MiB on device 1: cudaMalloc failed: out of memory\n\
        1.06.520.084 E ggml_gallocr_reserve_n_impl: failed to allocate CUDA1 buffer of size 53477376000\n1.06.520.086 E graph_reserve: failed to allocate compute buffers\n\
        1.06.520.107 W sched_reserve: compute buffer allocation failed, retrying without pipeline parallelism\n1.07.304.130 I srv    load_model: initializing, n_slots = 1\n";
    let explanation = explained(log);
    assert!(!only(Kind::Ggml, log).is_failure() && explanation.causes.is_empty(), "{:?}", explanation.causes);
    assert!(explanation.notes.contains(&Note::Retried));
    let again = format!("{log}1.08.000.000 E graph_reserve: failed to allocate compute buffers\n");
    assert!(only(Kind::Ggml, &again).is_failure());
}

#[test]
fn builds_of_2023_say_video_memory() {
    let log = "llm_load_tensors: mem required  =   88.00 MB\nllm_load_tensors: offloaded 43/43 layers to GPU\nllm_load_tensors: VRAM used: 6900.00 MB\n\
        llama_new_context_with_model: n_ctx      = 4096\nllama_kv_cache_init: VRAM kv self = 3200.00 MB\nllama_new_context_with_model: compute buffer total size = 80.50 MB\n";
    let report = only(Kind::LlamaCpp, log);
    for (what, size) in
        [(What::HostWeights, 88), (What::Weights, 6_900), (What::KvCache, 3_200)].map(|(what, mib)| (what, mib << 20))
    {
        assert_eq!(bytes(&report, what), size, "{what:?}");
    }
    let metal = "llama_new_context_with_model: kv self size  =  400.00 MB\nggml_metal_init: GPU name:   Apple M1\nggml_metal_init: recommendedMaxWorkingSetSize  =  5461.00 MB\n\
        ggml_backend_metal_buffer_type_alloc_buffer: allocated buffer, size =   400.00 MiB, ( 5600.00 /  5461.00)ggml_backend_metal_log_allocated_size: warning: current allocated size is greater than the recommended max working set size\n";
    let report = only(Kind::LlamaCpp, metal);
    assert_eq!((bytes(&report, What::KvCache), bytes(&report, What::Used)), (400 << 20, 5_600 << 20));
    let explanation = explained(metal);
    assert!(explanation.notes.contains(&Note::WorkingSet));
    // How much of its memory an Apple GPU may take says nothing of its kind.
    let other = explained("ggml_metal_init: recommendedMaxWorkingSetSize  = 49152.00 MiB\n");
    assert!(other.gpu.is_none() && other.gpus.is_empty(), "{:?}", other.gpus);
}

#[test]
fn a_message_that_a_page_folded_or_quoted_is_read_whole() {
    let margin = " ".repeat(29);
    let folded = format!(
        "CUDA out of memory. Tried to allocate 24.00 MiB. GPU 1 has a total capacity of 47.50 GiB of {margin}which 4.50 MiB is free. Including non-PyTorch memory, this process has 47.25 GiB memory in use. Of the allocated memory 45.50 GiB is allocated by P{margin}yTorch, with 24.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.00 GiB is reserved by PyTorch but unallocated.\n"
    );
    let report = only(Kind::Cuda, &folded);
    for (what, size) in [
        (What::Requested, 24 << 20),
        (What::Free, 9 << 19),
        (What::ProcessUsed, 189 << 28),
        (What::Allocated, 91 << 29),
        (What::PrivatePools, 24 << 20),
        (What::ReservedFree, 1 << 30),
    ] {
        assert_eq!(bytes(&report, what), size, "{what:?}");
        assert_eq!(report.all(what).count(), 1, "{what:?}");
    }
    // Where a number stands is where it stands in the text.
    let free = report.all(What::Free).next().unwrap().place.column;
    assert_eq!(folded.get(free - 1..free + 7), Some("4.50 MiB"));
    let quoted = "panicked at 'Unable to warmup model: Generation(\"Allocation on device 0 would exceed allowed memory. (out of memory)\\nCurrently allocated     : 16.00 GiB\\nRequested               : 4.50 GiB\\nDevice limit            : 22.25 GiB\\nFree (according to CUDA): 11.00 MiB\\nPyTorch limit (set by user-supplied memory fraction)\\n                        : 22.25 GiB\")'\n";
    let report = only(Kind::Cuda, quoted);
    assert_eq!((bytes(&report, What::Requested), bytes(&report, What::Capacity)), (9 << 29, 89 << 28));
}

#[test]
fn a_message_that_is_cut_blames_nobody() {
    let cut = "CUDA out of memory. Tried to allocate 42.00 MiB. GPU 0 has a total capacty of 39.50 GiB of which 32.00 MiB is free. Process 7529 has 39.25 GiB memory in use. Of the allocated memory 37.25 GiB is allo\n";
    let explanation = explained(cut);
    assert!(!explanation.causes.iter().any(|it| matches!(it, Cause::OtherProcess { .. })), "{:?}", explanation.causes);
    assert_eq!(bytes(&only(Kind::Cuda, cut), What::SomeProcess), 157 << 28);
}

#[test]
fn a_gpu_with_little_left_is_full_and_not_fragmented() {
    let message = |reserved: &str, free: &str| {
        explained(&format!("CUDA out of memory. Tried to allocate 720.00 MiB. GPU 0 has a total capacity of 180.00 GiB of which {free} is free. Including non-PyTorch memory, this process has 179.00 GiB memory in use. Of the allocated memory 165.00 GiB is allocated by PyTorch, and {reserved} is reserved by PyTorch but unallocated."))
            .causes
    };
    assert!(matches!(message("2.00 GiB", "400.00 MiB")[0], Cause::NearlyFull { left, .. } if left == 2_448 << 20));
    assert!(matches!(message("12.00 GiB", "400.00 MiB")[0], Cause::Fragmentation { .. }));
    // A limit of the process explains by itself why the driver was not asked.
    let limited = explained("HIP out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 23.50 GiB of which 21.25 GiB is free. 1.05 GiB allowed; Of the allocated memory 1017.00 MiB is allocated by PyTorch, and 55.00 MiB is reserved by PyTorch but unallocated.").causes;
    assert!(matches!(limited[0], Cause::Limit { .. }) && limited.len() == 1, "{limited:?}");
}

#[test]
fn intels_gpus_refuse_for_reasons_of_their_own() {
    let block = "RuntimeError: Current platform can NOT allocate memory block with size larger than 4GB! Tried to allocate 6.50 GiB (GPU  0; 15.50 GiB total capacity; 0 bytes already allocated; 0 bytes reserved in total by PyTorch)\n";
    let report = only(Kind::Xpu, block);
    assert_eq!((bytes(&report, What::OneAllocation), bytes(&report, What::Requested)), (4 << 30, 13 << 29));
    assert_eq!(read(block.as_bytes()).reports.len(), 1);
    assert!(matches!(explained(block).causes[0], Cause::OneAllocation { .. }));
    let beside = "XPU out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 15.00 GiB. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.\n";
    assert!(matches!(explained(beside).causes[0], Cause::Beside { held: 0, .. }), "{:?}", explained(beside).causes);
    let driver = "XPU out of memory. Tried to allocate 15.00 GiB. GPU 0 has a total capacity of 16.00 GiB of which 15.50 GiB is free. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.\n";
    assert!(matches!(explained(driver).causes[0], Cause::Driver { .. }), "{:?}", explained(driver).causes);
}

#[test]
fn compiled_programs_and_tensors_say_why_they_fail() {
    let tpu = "Ran out of memory in memory space hbm. Used 60.50G of 30.75G hbm. Exceeded hbm capacity by 29.75G.\n\nTotal hbm usage >= 61.75G:\n    reserved          1.25G\n    program          60.50G\n    arguments            0B\n\nProgram hbm requirement 60.50G:\n    HLO temp         60.25G (100.0% utilization: Unpadded (60.00G) Padded (60.00G), 0.3% fragmentation (210.89M))\n";
    assert_told(
        Kind::Xla,
        tpu,
        &[
            "1: projected 64961380352~10737418",
            "1: capacity 33017561088~10737418",
            "1: missing 31943819264~10737418",
            "3: total 66303557632~10737418",
            "4: system_reserved 1342177280~10737418",
            "5: program_size 64961380352~10737418",
            "6: arguments 0",
            "9: temporaries 64692944896~10737418",
        ],
    );
    assert!(matches!(explained(tpu).causes[0], Cause::Program { .. }));
    let buffer = "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 15.50G. That was not possible. There are 11.00G free.; (0x0x0_HBM0)\n";
    assert!(matches!(explained(buffer).causes[0], Cause::Buffer { free, .. } if free == 11 << 30));
    let alone = "        Buffer 11:\n                Size: 96.00MiB\n                XLA Label: fusion\n                Shape: bf16[128,6,256,256]\n";
    assert_eq!(bytes(&only(Kind::Xla, alone), What::Buffer), 96 << 20);
    let shape = "Resource exhausted: OOM when allocating tensor with shape[25000,30000] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n";
    assert!(matches!(explained(shape).causes[0], Cause::OneTensor { bytes: 3_000_000_000, each: 4 }));
    let limit = "I bfc_allocator.cc:698] Stats: \nLimit:                  8000000000\nInUse:                  7750000000\nMaxInUse:               7750000000\nMaxAllocSize:           4294967296\nW bfc_allocator.cc:275] Ran out of memory trying to allocate 8.00GiB.  See logs for memory state.\n";
    assert!(matches!(explained(limit).causes[0], Cause::Buffer { asked: 8_589_934_592, free: 250_000_000 }));
    assert_eq!(bytes(&only(Kind::TensorFlow, limit), What::LargestAllocation), 4 << 30);
    let absurd =
        "rocm_driver.cc:606] failed to allocate 127.99TiB (140729850295296 bytes) from device: HIP_ERROR_OutOfMemory\n";
    assert!(matches!(explained(absurd).causes[0], Cause::LargerThanAny { asked: 140_729_850_295_296 }));
}

#[test]
fn tables_of_the_allocator_say_that_memory_ran_out() {
    let table = |ooms: u32| {
        format!(
            "|                  PyTorch CUDA memory summary, device ID 0                 |\n|            CUDA OOMs: {ooms}            |        cudaMalloc retries: 1         |\n| Allocated memory      |    1000 MB |    4800 MB |   89299 MB |   88237 MB |\n| GPU reserved memory   |   12000 MB |   12000 MB |   16924 MB |    4504 MB |\n"
        )
    };
    let explanation = explained(&table(1));
    assert!(
        matches!(explanation.causes[0], Cause::RanOut { times: 1, peak, reserved } if peak == 4_800 << 20 && reserved == 12_000 << 20),
        "{:?}",
        explanation.causes
    );
    assert_eq!(row(&explanation, What::Reserved), 12_000 << 20);
    assert!(explained(&table(0)).causes.is_empty());
    let lines = "[INFO] [utils.py:827:see_memory_usage] MA 4.50 GB         Max_MA 5.00 GB         CA 6.50 GB         Max_CA 7 GB\n[INFO] [utils.py:832:see_memory_usage] CPU Virtual Memory:  used = 50.50 GB, percent = 40.2%\n";
    let explanation = explained(lines);
    assert_eq!((row(&explanation, What::Reserved), row(&explanation, What::HostUsed)), (13 << 29, 101 << 29));
}

#[test]
fn servers_of_other_releases() {
    // The new engine of 0.7 has no blocks in host memory; without its release the newest rules are taken, and that is said.
    let vllm = "VLLM_USE_V1=1 vllm serve x/Llama-3.1-8B --max-model-len 2048 --gpu-memory-utilization 0.98\nINFO 01-30 03:19:14 kv_cache_utils.py:395] # GPU blocks: 1000\nINFO 01-30 03:19:14 kv_cache_utils.py:398] Maximum concurrency for 2048 tokens per request: 7.81x\n";
    let explanation = explained(vllm);
    assert_eq!(row(&explanation, What::KvTokens), 16_000);
    assert!(explanation.notes.contains(&Note::VersionAssumed));
    let sglang = "[2026-06-28 15:16:45] max_total_num_tokens=2000000, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=33, context_len=256000, available_gpu_mem=17.25 GB\n\
        [2026-06-28 15:16:46] Capture target prefill CUDA graph end. elapsed=216.19 s, mem usage=5.25 GB, avail mem=7.25 GB.\n[2026-06-28 15:16:47] Capture target verify CUDA graph end. elapsed=3.00 s, mem usage=0.50 GB, avail mem=6.75 GB.\n";
    let report = only(Kind::Sglang, sglang);
    assert_eq!((report.count(What::MaxBatchedTokens), bytes(&report, What::FreeAfter)), (Some(8_192), 69 << 28));
    assert_eq!(row(&explained(sglang), What::Graphs), 23 << 28, "one after another");
    let pools = |more: &str| {
        format!(
            "KV Cache is allocated. dtype: torch.bfloat16, #tokens: 150000, K size: 10.25 GB, V size: 10.25 GB\n{more}"
        )
    };
    assert_eq!(row(&explained(&pools("")), What::KvCache), 41 << 29);
    let two = explained(&pools(
        "KV Cache is allocated. dtype: torch.bfloat16, #tokens: 180000, K size: 4.25 GB, V size: 4.25 GB\nSWAKVPool mem usage: 29.00 GB, swa size: 150000, full size: 180000\n",
    ));
    assert_eq!(row(&two, What::KvTotal), 29 << 30);
    assert!(two.rows.iter().all(|row| row.what != What::KvCache));
    let tgi = "{ model_id: \"/opt/ml/model\", revision: None, sharded: None, num_shard: Some(8), max_total_tokens: 4096 }\nNot enough memory to handle 16000 total tokens with 2 prefill tokens. You need to decrease `--max-batch-total-tokens` or `--max-batch-prefill-tokens`\n";
    let report = only(Kind::Tgi, tgi);
    assert_eq!((report.count(What::TensorParallel), report.count(What::MaxModelLen)), (Some(8), Some(4_096)));
    assert_eq!(report.count(What::TotalTokens), Some(16_000));
    let image = "docker run --gpus all \\\n ghcr.io/huggingface/text-generation-inference:2.0 \\\n  --model-id x/Llama-3.1-8B --max-total-tokens 11000 --num-shard 4\n";
    assert_eq!(only(Kind::Tgi, image).count(What::MaxModelLen), Some(11_000));
    let tensorrt = "[TensorRT-LLM][INFO] TRTGptModel maxNumSequences: 256\n[TensorRT-LLM][INFO] TRTGptModel maxSequenceLen: 1024\n[TensorRT-LLM][INFO] TRTGptModel maxNumTokens: 16384\n[TensorRT-LLM][INFO] [MemUsageChange] TensorRT-managed allocation in IExecutionContext creation: CPU +0, GPU +0, now: CPU 0, GPU 6683 (MiB)\n";
    let report = only(Kind::TensorRtLlm, tensorrt);
    assert_eq!((report.count(What::MaxNumSeqs), bytes(&report, What::ProgramAllocated)), (Some(256), 6_683 << 20));
    let build = "build.py --max_input_len=2048 --max_output_len=4096 --max_batch_size 4 --model_dir /models/Llama-2-13b/ --use_gpt_attention_plugin float16 --world_size 2\n";
    let report = only(Kind::TensorRtLlm, build);
    assert_eq!((report.count(What::LongestPrompt), report.count(What::LongestAnswer)), (Some(2_048), Some(4_096)));
    let runtime = "[TensorRT-LLM][ERROR] CUDA runtime error in ::cudaMallocAsync(ptr, n, mCudaStream->get()): out of memory (/code/tllmBuffers.h:112)\n";
    assert!(only(Kind::CudaError, runtime).is_failure());
}

#[test]
fn copies_of_the_foreach_step_are_named() {
    let text = "[rank0]:   File \"/env/lib/python3.10/site-packages/torch/optim/adamw.py\", line 782, in adamw\n[rank0]:     func(\n[rank0]:   File \"/env/lib/python3.10/site-packages/torch/optim/adamw.py\", line 606, in _multi_tensor_adamw\n[rank0]:     exp_avg_sq_sqrt = torch._foreach_sqrt(device_exp_avg_sqs)\n[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 130.00 MiB. GPU 0 has a total capacity of 94.99 GiB of which 87.00 MiB is free.\n";
    let causes = explained(text).causes;
    assert!(causes.iter().any(|cause| cause.to_string().contains("fused=True")), "{causes:?}");
}

#[test]
fn trainers_of_other_kinds() {
    let litgpt = "$ python3 finetune/lora.py --precision \"bf16-true\" --checkpoint_dir checkpoints/meta-llama/Llama-2-7b-hf\n{'devices': 1, 'batch_size': 16, 'micro_batch_size': 1, 'gradient_accumulation_iters': 16, 'lora_r': 8}\n";
    let explanation = explained(litgpt);
    assert_eq!(explanation.model.unwrap().preset.unwrap().id, "llama-2-7b");
    assert!(only(Kind::Trainer, litgpt).count(What::MicroBatches) == Some(16));
    let newer = "{'checkpoint_dir': PosixPath('checkpoints/meta-llama/Meta-Llama-3-8B'),\n 'lora_r': 8,\n 'train': TrainArgs(save_interval=1000,\n                    micro_batch_size=1,\n                    max_seq_length=2048,\n";
    let explanation = explained(newer);
    assert_eq!(explanation.model.as_ref().unwrap().preset.unwrap().id, "llama-3-8b");
    assert!(explanation.notes.contains(&Note::TargetsAssumed));
    let mlx = "Iter 860: Train loss 0.413, Learning Rate 1.000e-06, It/sec 0.247, Tokens/sec 159.343, Trained Tokens 473342, Peak mem 100.75 GB\n";
    assert_eq!(bytes(&only(Kind::Trainer, mlx), What::PeakAllocated), 100_750_000_000);
    let maxtext = "\tUsing (GB) 44.50 / 95.75 (46.475196%) on TPU_3(process=0,(1,1,0,0))\n";
    assert!(explained(maxtext).gpus.iter().all(|gpu| gpu.vendor == "Google"));
    assert_told(
        Kind::Maxtext,
        maxtext,
        &["1: gpu3 used 47781511168~10737418", "1: gpu3 capacity 102810779648~10737418"],
    );
    let kernel = "Sep  9 17:10:44 host kernel: Out of memory: Kill process 126138 (python3) score 939 or sacrifice child\nSep  9 17:10:44 host kernel: Killed process 126170 (python3) total-vm:300000000kB, anon-rss:100000000kB, file-rss:0kB\n";
    assert_eq!(bytes(&only(Kind::HostMemory, kernel), What::HostUsed), 102_400_000_000);
}
