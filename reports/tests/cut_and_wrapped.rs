//! What was copied without its end, or wrapped by a page, and what containers and Windows print: each with numbers of our own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, bytes, only};
use memory_wall_reports::explain::{Cause, Explanation, Stated, explain};
use memory_wall_reports::{Device, Kind, Reader, Refusal, What};

fn explained(text: &str) -> Explanation {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes());
    explain(&reader.finish(), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

#[test]
fn arguments_of_sglang_may_be_a_dictionary() {
    let log = "[2026-09-01 10:00:00] server_args={'model_path': 'x/Llama-3.1-8B', 'context_length': 8192, 'mem_fraction_static': 0.8, 'tp_size': 2, 'kv_cache_dtype': 'fp8_e4m3'}\n";
    let report = only(Kind::Sglang, log);
    assert_eq!(report.name(What::Model), Some("Llama-3.1-8B"));
    assert_eq!(report.millionths(What::Utilization), Some(800_000));
    assert_eq!(report.count(What::TensorParallel), Some(2));
}

#[test]
fn states_of_sglang_are_read_without_a_space_before_their_unit() {
    let log =
        "[TP0] Mamba Cache is allocated. max_mamba_cache_size: 40, conv_state size: 0.50GB, ssm_state size: 3.00GB \n";
    let report = only(Kind::Sglang, log);
    let states: Vec<_> = report.all(What::RecurrentState).collect();
    assert_eq!(states.len(), 2);
    assert_eq!(bytes(&report, What::RecurrentState), 1 << 29);
}

#[test]
fn an_executor_of_tensorrt_llm_that_was_not_made_says_what_there_was() {
    let log = "[TRT-LLM] [RANK 1] [E] Failed to initialize executor on rank 1: Executor creation failed due to insufficient GPU memory.\n\n\
        The following component could not be created: KV cache\n\
        Total GPU memory (GiB): 80.00\n\
        Free GPU memory before component creation attempt (GiB): 12.50\n";
    let report = only(Kind::TensorRtLlm, log);
    assert_eq!((bytes(&report, What::Capacity), bytes(&report, What::Free)), (80 << 30, 25 << 29));
    assert_eq!(report.refusal(), Some(Refusal::CacheBuffer));
    let other = log.replace("KV cache", "Additional executor resources");
    assert_eq!(only(Kind::TensorRtLlm, &other).refusal(), Some(Refusal::Component));
}

#[test]
fn a_process_that_is_told_to_use_nothing_is_not_believed() {
    let log = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 2.00 GiB is free. Including non-PyTorch memory, this process has 0 bytes memory in use. Of the allocated memory 40.00 GiB is allocated by PyTorch, and 16.00 MiB is reserved by PyTorch but unallocated.\n";
    let explanation = explained(log);
    let others = explanation.causes.iter().find_map(|cause| match cause {
        Cause::OtherProcess { holds, told, .. } => Some((*holds, *told)),
        _ => None,
    });
    // Of the 78 GiB in use on the GPU: without PyTorch's own memory and 2 GiB for its CUDA context.
    assert_eq!(others, Some(((36 << 30) - (16 << 20), false)));
    let message = memory_wall_reports::explain::Message::of(&only(Kind::Cuda, log));
    assert_eq!(message.outside(), None);
}

#[test]
fn a_gpu_that_others_fill_refuses_the_first_tensor() {
    let log = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 16.00 GiB of which 512.00 MiB is free. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.\n";
    assert!(matches!(explained(log).causes.first(), Some(Cause::OtherProcess { told: false, .. })));
}

#[test]
fn vllm_s_refusal_is_read_where_a_page_wrapped_or_cut_it() {
    let cut = "ValueError: Free memory on device cuda:0 (12.5/24.0 GiB) on startup is less than desired GPU memory utilization\n";
    let report = only(Kind::Vllm, cut);
    assert_eq!(report.refusal(), Some(Refusal::Share));
    assert_eq!((bytes(&report, What::Free), bytes(&report, What::Capacity)), (25 << 29, 24 << 30));
    let wrapped = "ValueError: Free memory on device cuda:0 (12.5/24.0 GiB) on startup\nis less than desired GPU memory utilization (0.75, 18.0 GiB).\n";
    let report = only(Kind::Vllm, wrapped);
    assert_eq!(report.refusal(), Some(Refusal::Share));
    assert_eq!((bytes(&report, What::Budget), report.millionths(What::Utilization)), (18 << 30, Some(750_000)));
}

#[test]
fn a_message_that_is_set_in_goes_on_in_the_next_line() {
    let log = "    jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to\n    allocate 12.50GiB. [executable_name='jit_step']\n";
    assert_eq!(bytes(&only(Kind::Xla, log), What::Requested), 25 << 29);
}

#[test]
fn llama_cpp_on_windows_and_on_the_host_alone() {
    let log = "cmd: C:\\tools\\llama-server.exe -m C:\\models\\Qwen3-8B-Q5_K_M.gguf -c 16384 --cache-type-k q8_0 -np 2\n\
        0.00.349.585 I common_params_fit_impl: projected to use 7000 MiB of host memory vs. 64000 MiB of total host memory\n";
    let report = only(Kind::LlamaCpp, log);
    assert_eq!((report.count(What::Context), report.count(What::Parallel)), (Some(16_384), Some(2)));
    assert_eq!((bytes(&report, What::ProjectedHost), bytes(&report, What::HostCapacity)), (7_000 << 20, 64_000 << 20));
    let device =
        only(Kind::LlamaCpp, "llama_prepare_model_devices: using device Vulkan0 (Adreno (TM) 830) - 8000 MiB free\n");
    assert_eq!((device.name(What::Gpu), bytes(&device, What::Free)), (Some("Adreno (TM) 830"), 8_000 << 20));
}

#[test]
fn a_load_request_of_ollama_is_read_where_it_was_wrapped() {
    let log = "level=INFO source=runner.go:1 msg=load request=\"{Operation:fit LoraPath:[] Parallel:1 BatchSize:512\nFlashAttention:Enabled KvSize:32768 KvCacheType:q8_0 NumThreads:8 GPULayers:33[ID:0 Layers:33(0..32)]\n";
    let report = only(Kind::Ollama, log);
    assert_eq!((report.count(What::Context), report.name(What::KvDtype)), (Some(32_768), Some("q8_0")));
}

#[test]
fn comfy_says_what_its_devices_have() {
    let log = "Total VRAM 24576 MB, total RAM 65536 MB\nDevice: cuda:0 NVIDIA GeForce RTX 3090 : cudaMallocAsync\n";
    let report = only(Kind::ComfyUi, log);
    assert_eq!(report.name(What::Gpu), Some("NVIDIA GeForce RTX 3090"));
    assert_eq!((bytes(&report, What::Capacity), bytes(&report, What::HostCapacity)), (24 << 30, 64 << 30));
    let report = "- **Name:** cuda:0 NVIDIA GeForce RTX 3090 : native\n  - **VRAM Total:** 25769803776\n  - **VRAM Free:** 2147483648\n  - **Torch VRAM Total:** 1073741824\n  - **Torch VRAM Free:** 1048576\n";
    let report = only(Kind::ComfyUi, report);
    assert_eq!((bytes(&report, What::Capacity), bytes(&report, What::Available)), (24 << 30, 2 << 30));
    assert_eq!((bytes(&report, What::Reserved), bytes(&report, What::ReservedFree)), (1 << 30, 1 << 20));
}

#[test]
fn rows_of_gpustat_are_gpus() {
    let log = "[0] NVIDIA H100 80GB HBM3 | 38°C,  53 % | 33000 / 81559 MB | someone(33000M)\n[1] NVIDIA H100 80GB HBM3 | 38'C,   0 % |   10 / 81559 MB |\nAt noon [2] it was 30'C, they said\n";
    let report = only(Kind::Gpustat, log);
    assert_told(
        Kind::Gpustat,
        "[1] NVIDIA H100 80GB HBM3 | 38'C,   0 % |   10 / 81559 MB |\n",
        &["1: gpu1 gpu NVIDIA H100 80GB HBM3", "1: gpu1 used 10485760~1048576", "1: gpu1 capacity 85520809984~1048576"],
    );
    assert_eq!((bytes(&report, What::Used), bytes(&report, What::Capacity)), (33_000 << 20, 81_559 << 20));
    assert_eq!(report.all(What::Used).last().unwrap().device, Device::Gpu(1));
}

#[test]
fn a_share_that_rocm_smi_does_not_know_is_not_the_fan_s() {
    let head = "GPU  Temp   AvgPwr  SCLK    MCLK    Fan    Perf  PwrCap  VRAM%  GPU%\n";
    let row = |shares: &str| format!("{head}1    30.0c  10.0W   852Mhz  167Mhz  14.9%  auto  170.0W  {shares}\n");
    assert_eq!(only(Kind::RocmSmi, &row("25%    0%")).millionths(What::UsedShare), Some(250_000));
    let mut reader = Reader::new();
    reader.feed(row("N/A    0%").as_bytes());
    assert!(reader.finish().reports.is_empty());
}

#[test]
fn what_axolotl_prints_of_memory_is_read() {
    let log = "[2026-01-19 10:00:00,000] [INFO] [axolotl.load_model:1] [PID:1] [RANK:0] GPU memory usage after adapters: 24.500GB (+0.250GB cache, +1.500GB misc)\n";
    let report = only(Kind::Trainer, log);
    assert_eq!((bytes(&report, What::Allocated), bytes(&report, What::ReservedFree)), (49 << 29, 1 << 28));
    assert_eq!(bytes(&report, What::NonTorch), 3 << 29);
    let step = "{'loss': 4.5, 'memory/max_mem_active(gib)': 26.0, 'memory/max_mem_allocated(gib)': 25.5, 'memory/device_mem_reserved(gib)': 30.25}\n";
    let report = only(Kind::Trainer, step);
    assert_eq!((bytes(&report, What::PeakAllocated), bytes(&report, What::Reserved)), (51 << 29, 121 << 28));
}

#[test]
fn what_mlc_s_server_expects_is_read() {
    let log = "INFO engine.py:1: Estimated KVCacheConfig \"max_total_sequence_length\": 20000.\nINFO engine.py:2: Estimated total single GPU memory usage: 14000.50 MB (Parameters: 3600.00 MB. KVCache: 10300.00 MB. Temporary buffer: 100.50 MB)\n";
    let report = only(Kind::Mlc, log);
    assert_eq!(report.count(What::KvTokens), Some(20_000));
    assert_eq!((bytes(&report, What::Weights), bytes(&report, What::KvCache)), (3_600 << 20, 10_300 << 20));
}

#[test]
fn what_an_engine_of_tensorrt_could_not_get_is_read() {
    let log = "W0915 10:00:00.1 134 logging.cc:43] \"Requested amount of GPU memory (22000000000 bytes) could not be allocated. There may not be enough free memory for allocation to succeed.\"\n";
    let report = only(Kind::TensorRtLlm, log);
    assert_eq!((bytes(&report, What::Requested), report.refusal()), (22_000_000_000, Some(Refusal::Buffer)));
}

#[test]
fn what_ollama_asks_the_driver_is_not_host_memory() {
    let log = "level=DEBUG source=gpu.go:1 msg=\"updating cuda memory data\" gpu=GPU-0 name=\"NVIDIA A100-SXM4-80GB\" overhead=\"0 B\" before.total=\"79.5 GiB\" before.free=\"79.0 GiB\" now.total=\"79.5 GiB\" now.free=\"78.5 GiB\" now.used=\"1.0 GiB\"\n";
    let report = only(Kind::Ollama, log);
    assert_eq!((bytes(&report, What::Capacity), bytes(&report, What::Free)), (159 << 29, 157 << 29));
    assert_eq!((report.name(What::Gpu), report.has(What::HostCapacity)), (Some("NVIDIA A100-SXM4-80GB"), false));
}

#[test]
fn what_metal_has_allocated_is_told_again_and_not_added_up() {
    let line = |used: &str| {
        format!(
            "ggml_backend_metal_buffer_type_alloc_buffer: allocated buffer, size =   100.00 MiB, ( {used} /  5461.34)\n"
        )
    };
    let explanation = explained(&[line("5000.00"), line("5100.00")].concat());
    let used = explanation.rows.iter().find(|row| row.what == What::Used).unwrap();
    assert_eq!(used.reported.value(), 5_100 << 20);
}

#[test]
fn nemo_s_peaks_are_bytes() {
    let log = " 0: Training epoch 0, iteration 8/29 | global_batch_size: 512 | max_memory_reserved: 60000000000 | max_memory_allocated: 50000000000 | reduced_train_loss: 10.5\n";
    let report = only(Kind::Trainer, log);
    assert_eq!(
        (bytes(&report, What::PeakReserved), bytes(&report, What::PeakAllocated)),
        (60_000_000_000, 50_000_000_000)
    );
}
