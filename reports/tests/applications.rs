//! Applications and libraries that run models of their own, in the shape of public lines and with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, bytes, only, told};
use memory_wall_reports::explain::{Cause, Explanation, Stated, explain};
use memory_wall_reports::{Kind, Refusal, What, read};

fn explained(text: &str) -> Explanation {
    explain(&read(text.as_bytes()), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

/// lmstudio-ai/lmstudio-bug-tracker#1202, and #1038, where it could not say how much.
#[test]
fn lm_studio_refuses_by_its_own_estimate() {
    let text = "Error: Model loading was stopped due to insufficient system resources. Under the current settings, this model requires approximately 273.25 GB of memory, and continuing to load it would likely overload your system";
    assert_told(Kind::LmStudio, text, &["1: refusal guardrails", "1: requested 273250000000~10000000"]);
    let needed = Some(273_250_000_000);
    assert_eq!(explained(text).causes, [Cause::Refused { why: Refusal::Guardrails, needed, available: None }]);
    let unknown = "Model loading was stopped due to insufficient system resources. Under the current settings, this model requires approximately NaN undefined of memory";
    assert_told(Kind::LmStudio, unknown, &["1: refusal guardrails"]);
    assert!(read(b"the job requires approximately 8 GB of memory").reports.is_empty());
}

/// lmstudio-ai/lmstudio-bug-tracker#2240, ml-explore/mlx#3327, cubist38/mlx-openai-server#188.
#[test]
fn mlx_asks_for_more_than_one_buffer_may_have() {
    let text = "RuntimeError: [metal::malloc] Attempting to allocate 48736000000 bytes which is greater than the maximum allowed buffer size of 30150000000 bytes.";
    assert_told(Kind::Metal, text, &["1: requested 48736000000", "1: one_allocation 30150000000"]);
    assert_eq!(explained(text).causes, [Cause::OneAllocation { asked: 48_736_000_000, limit: 30_150_000_000 }]);
    // A size that was subtracted without a sign is not understood, which is said.
    let wrapped = text.replace("48736000000", "18446744069414600704");
    let found = read(wrapped.as_bytes());
    assert_eq!((found.reports.len(), found.odd.len()), (1, 1));
    let many = "`[metal::malloc] Resource limit (499000) exceeded`";
    assert_eq!(told(&only(Kind::Metal, many)), ["1: refusal resources"]);
}

/// `mlx_lm.generate`; "Peak memory" alone may be anybody's.
#[test]
fn mlx_says_its_peak() {
    let text = "Prompt: 1263 tokens, 1122.123 tokens-per-sec\nGeneration: 256 tokens, 61.252 tokens-per-sec\nPeak memory: 4.892 GB\n";
    assert_told(Kind::Mlx, text, &["3: peak_allocated 4892000000~1000000"]);
    assert!(read(b"Peak memory: 4.892 GB\n").reports.is_empty());
}

/// meta-llama/llama-cookbook#56 and hustvl/Senna#17; the others are accelerate's and transformers' words.
#[test]
fn transformers_leaves_weights_off_the_gpu() {
    let text = "ValueError: Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM to fit the quantized model.";
    assert_told(Kind::Transformers, text, &["1: refusal offloaded"]);
    let words = explained(text).causes[0].to_string();
    assert!(words.contains("the GPU does not hold all weights"), "{words}");
    let meta = "WARNING:root:Some parameters are on the meta device because they were offloaded to the cpu and disk.";
    assert_told(Kind::Transformers, meta, &["1: offloaded true"]);
    let buffer = "Current model requires 4294960000 bytes of buffer for offloaded layers, which seems does not fit any GPU's remaining memory.";
    assert_told(Kind::Transformers, buffer, &["1: offload_buffer 4294960000"]);
}

#[test]
fn other_allocators_say_what_they_lack() {
    // `bfc_arena.cc` of ONNX Runtime.
    let onnx = "bfc_arena.cc:342 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Available memory of 2684354560 is smaller than requested bytes of 8589934592";
    assert_told(Kind::OnnxRuntime, onnx, &["1: free 2684354560", "1: requested 8589934592"]);
    assert_eq!(explained(onnx).causes, [Cause::Buffer { asked: 8 << 30, free: 5 << 29 }]);
    let arena = "AllocateRawInternal(size_t, bool, onnxruntime::Stream*) Failed to allocate memory for requested buffer of size 1207959552";
    assert_told(Kind::OnnxRuntime, arena, &["1: requested 1207959552"]);
    // `cuda_allocator.cc` of Paddle.
    let paddle = "Out of memory error on GPU 0. Cannot allocate 1.500000GB memory on GPU 0, 23.250000GB memory has been allocated and available memory is only 256.500000MB.";
    let report = only(Kind::Paddle, paddle);
    assert_eq!(
        (report.size(What::Requested).unwrap().bytes, report.size(What::Free).unwrap().bytes),
        (3 << 29, 513 << 19)
    );
    assert_eq!(explained(paddle).causes, [Cause::Buffer { asked: 3 << 29, free: 513 << 19 }]);
    // CTranslate2, candle and NCCL.
    for text in [
        "RuntimeError: CUDA failed with error out of memory",
        "Error: DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")",
        "Last error:\nCuda failure 2 'out of memory'",
        "Failed to CUDA calloc async 608 bytes",
    ] {
        assert_eq!(told(&only(Kind::CudaError, text)), Vec::<String>::new(), "{text}");
    }
    // LostRuins/koboldcpp#1780.
    only(Kind::Cublas, "CUDA error: the resource allocation failed\n  cublasCreate_v2(&cublas_handles[device])");
    // `exllamav2`.
    assert_told(Kind::Exllama, "RuntimeError: Insufficient VRAM for model and cache", &["1: refusal model_buffer"]);
}

/// google/trax#431 and pytorch/xla#9524.
#[test]
fn pieces_and_memory_on_the_chip() {
    let text = "RESOURCE_EXHAUSTED: Attempting to allocate 31.50M. That was not possible. There are 58.50M free. Due to fragmentation, the largest contiguous region of free memory is 30.50M.; (0x0x0_HBM0)";
    let [asked, free, largest] = [63 << 19, 117 << 19, 61 << 19];
    assert_eq!(explained(text).causes, [Cause::Pieces { asked, free, largest }]);
    let vmem = "XLA:TPU compile permanent error. Ran out of memory in memory space vmem. Used 32.50M of 16.00M vmem. Exceeded vmem capacity by 16.50M";
    assert_told(Kind::Xla, vmem, &["1: vmem_needed 34078720~10485", "1: vmem 16777216~10485"]);
    assert_eq!(explained(vmem).capacity, None);
}

/// Stable Diffusion web UI in two forms, and Forge.
#[test]
fn stable_diffusion_web_ui() {
    let sizes = [
        "1: peak_active 4563402752~10737418",
        "1: peak_reserved 6308233216~10737418",
        "1: used 7945689497~107374182",
        "1: capacity 8589934592~1073741824",
    ];
    let report = only(Kind::WebUi, "A: 4.25 GB, R: 5.875 GB, Sys: 7.4/8 GB (92.1%)");
    assert_eq!(told(&report)[0], sizes[0]);
    assert_eq!(told(&report)[2..], sizes[2..]);
    let older = "Torch active/reserved: 4230/5860 MiB, Sys VRAM: 7400/8192 MiB (90.33%)";
    assert_eq!(only(Kind::WebUi, older).size(What::Capacity).unwrap().bytes, 8 << 30);
    let forge = "[Memory Management] Target: KModel, Free GPU: 7115.50 MB, Model Require: 4897.50 MB, Previously Loaded: 0.00 MB, Inference Require: 1024.00 MB";
    assert_told(Kind::WebUi, forge, &["1: free 7461142528~10485", "1: weights 5135400960~10485"]);
}

/// deepspeedai/DeepSpeed#4158, `memory_allocated` of verl's `performance.py`, Megatron-LM up to 2.1, and Unsloth's notebooks.
#[test]
fn trainers_with_other_words() {
    let timer = "epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=46.2, MemAllocated=17.5GB, MaxMemAllocated=54.0GB";
    assert_told(
        Kind::DeepSpeed,
        timer,
        &["1: allocated 18790481920~107374182", "1: peak_allocated 57982058496~107374182"],
    );
    let verl = "(WorkerDict pid=31) After init actor from HF AutoModel, memory allocated (GB): 14.25, memory reserved (GB): 15.50, device memory used/total (GB): 18.00/79.25\n";
    assert_told(Kind::Trainer, verl, &["1: used 19327352832~10737418", "1: capacity 85094039552~10737418"]);
    assert_told(Kind::Torch, verl, &["1: allocated 15300820992~10737418", "1: reserved 16642998272~10737418"]);
    // From 0.6 with the peaks between them, and the memory of the computer.
    let peaks = "=> After offload, memory allocated (GB): 1.50, max memory allocated (GB): 9.25, memory reserved (GB): 2.50, max memory reserved (GB): 10.75, device memory used/total (GB): 3.00/79.25, cpu_memory: {'total': '512.00 GB', 'used': '96.50 GB', 'free': '400.25 GB', 'shared': '0.25 GB'}\n";
    let report = only(Kind::Torch, peaks);
    let sizes =
        [What::Allocated, What::PeakAllocated, What::Reserved, What::PeakReserved].map(|what| report.all(what).count());
    assert_eq!(sizes, [1; 4], "{report:#?}");
    assert_eq!((bytes(&report, What::Allocated), bytes(&report, What::PeakAllocated)), (3 << 29, 37 << 28));
    assert_eq!((bytes(&report, What::Reserved), bytes(&report, What::PeakReserved)), (5 << 29, 43 << 28));
    let report = only(Kind::Trainer, peaks);
    assert_eq!((bytes(&report, What::HostCapacity), bytes(&report, What::HostUsed)), (512 << 30, 193 << 29));
    let megatron = "after 100 iterations memory (MB) | allocated: 1250.5 | max allocated: 4124.5 | cached: 4600.0 | max cached: 4700.0";
    assert_eq!(only(Kind::Megatron, megatron).size(What::PeakReserved).unwrap().bytes, 4_700 << 20);
    let unsloth =
        "5.5 GB of memory reserved.\nPeak reserved memory = 6.75 GB.\nPeak reserved memory for training = 1.25 GB.\n";
    assert_eq!(only(Kind::Trainer, unsloth).greatest(What::PeakReserved).unwrap().bytes, 27 << 28);
}

/// LostRuins/koboldcpp#1882 and #581, ggml-org/llama.cpp#1706, ollama/ollama#10369, #12586 and #5113.
#[test]
fn relatives_of_llama_cpp() {
    let command = "F:\\AI>F:\\AI\\koboldcpp.exe -m E:\\LLM\\Cydonia-24B-Q8_0.gguf -fa --port 5002 --usecuda 1 -c 100000 -ngl 99\r\n";
    assert_told(
        Kind::LlamaCpp,
        command,
        &["1: model Cydonia-24B-Q8_0.gguf", "1: flash_attention true", "1: context 100000", "1: gpu_layers 99"],
    );
    let names =
        "Namespace(model_param='yi-34b-chat.Q4_K_M.gguf', port=7860, contextsize=4096, gpulayers=1, tensor_split=None)";
    assert_told(Kind::LlamaCpp, names, &["1: model yi-34b-chat.Q4_K_M.gguf", "1: context 4096", "1: gpu_layers 1"]);
    let before_gguf = "llama_model_load_internal: n_ctx      = 512\nllama_model_load_internal: n_layer    = 60\nllama_model_load_internal: mem required  = 2532.50 MB (+ 3124.00 MB per state)\n";
    assert_told(Kind::LlamaCpp, before_gguf, &["1: context 512", "2: layers 60", "3: host_weights 2655518720~10485"]);
    let keys = "ollama[2069]: llama_model_loader: - kv  13:                          qwen2.block_count u32              = 64\n";
    assert_told(Kind::LlamaCpp, keys, &["1: layers 64"]);
    assert_told(Kind::LlamaCpp, "create_memory: n_ctx = 4096 (padded)", &["1: context 4096"]);
    only(
        Kind::Ggml,
        "error=\"llama runner process has terminated: signal: aborted (core dumped) cudaMalloc failed: out of memory\"",
    );
}

/// ollama/ollama#16455: what a server's name begins is no command where words follow it.
#[test]
fn an_error_of_a_server_is_no_command() {
    let text = "llama-server process has terminated: exit status 1: error loading model: unable to allocate CUDA_Host buffer\n";
    assert!(read(text.as_bytes()).reports.iter().all(|report| !report.has(What::Model)));
}

/// vllm-project/vllm#13061 and #28228: the model at the end, and options in short.
#[test]
fn commands_of_vllm_in_other_orders() {
    let text =
        "vllm serve --trust-remote-code --gpu_memory_utilization=0.98  /srv/deepseek-ai/DeepSeek-R1-Distill-Qwen-14B\n";
    assert_told(Kind::Vllm, text, &["1: model DeepSeek-R1-Distill-Qwen-14B", "1: utilization 0.98"]);
    let short = "vllm serve Qwen/Qwen3-8B --tensor_parallel 2 --gpu-memory-util=0.9\n";
    assert_told(Kind::Vllm, short, &["1: model Qwen3-8B", "1: tensor_parallel 2", "1: utilization 0.9"]);
}

/// `bmaltais/kohya_ss#3329`: a message in small letters.
#[test]
fn a_message_without_capital_letters() {
    let text = "\"cuda out of memory. tried to allocate 30.00 mib (gpu 1; 8.00 gib total capacity; 7.00 gib already allocated; 0 bytes free; 7.50 gib reserved in total by pytorch) if reserved memory is >> allocated memory\"";
    assert_told(
        Kind::Cuda,
        text,
        &[
            "1: gpu1 requested 31457280~10485",
            "1: gpu1 capacity 8589934592~10737418",
            "1: gpu1 allocated 7516192768~10737418",
            "1: gpu1 free 0",
            "1: gpu1 reserved 8053063680~10737418",
        ],
    );
}

/// Comfy-Org/ComfyUI#4341: a size that was subtracted without a sign.
#[test]
fn a_free_size_beyond_all_memory_is_not_dropped_in_silence() {
    let text = "HIP out of memory. Tried to allocate 72.00 MiB. GPU 0 has a total capacty of 512.00 MiB of which 17179869183.96 GiB is free. Of the allocated memory 292.00 MiB is allocated by PyTorch, and 137.50 MiB is reserved by PyTorch but unallocated.";
    let found = read(text.as_bytes());
    assert_eq!(found.odd.len(), 1);
    assert!(!found.reports[0].has(What::Free));
}

/// ROCm/legacy-rocm-build#4358: what each node of a graph held at most, and what the process has.
#[test]
fn nodes_of_invokeai() {
    let text = "[2025-02-10 21:49:50,346]::[InvokeAI]::INFO --> Graph stats: 18f9\n\
        \x20                         Node   Calls   Seconds  VRAM Used\n\
        \x20            sdxl_model_loader       1    0.015s     0.000G\n\
        \x20              denoise_latents       1  422.129s     1.500G\n\
        \x20                core_metadata       1    0.000s     0.500G\n\
        TOTAL GRAPH EXECUTION TIME: 440.648s\nRAM used by InvokeAI process: 15.50G (+13.724G)\n\
        RAM used to load models: 12.50G\nVRAM in use: 0.250G\n";
    let report = only(Kind::InvokeAi, text);
    let size = |what| report.greatest(what).unwrap().bytes;
    let all = [What::PeakAllocated, What::HostUsed, What::HostWeights, What::Allocated].map(size);
    assert_eq!(all, [3 << 29, 31 << 29, 25 << 29, 1 << 28]);
}
