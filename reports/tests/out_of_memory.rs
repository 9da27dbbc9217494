//! Messages of runs that ran out of memory, in the shape of the real ones, with figures of our own.
//!
//! A size is asserted as the bytes that its digits stand for, and one unit of the last digit behind `~`: 1 GiB / 100 is 10,737,418.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::fmt::Write;

use common::{assert_told, bytes, only, told};
use memory_wall_reports::explain::Message;
use memory_wall_reports::{Kind, Part, Phase, Refusal, What, read};

#[test]
fn pytorch_2_with_every_sentence() {
    // 2.15: another process, the process itself, private pools, what is reserved; the hint about segments has no number.
    let text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 1 has a total capacity of 79.11 GiB of which 512.00 MiB is free. \
        Process 4711 has 10.25 GiB memory in use. Including non-PyTorch memory, this process has 68.36 GiB memory in use. 70.00 GiB allowed; \
        Of the allocated memory 64.50 GiB is allocated by PyTorch, with 250.00 MiB allocated in private pools (e.g., CUDA Graphs), \
        and 2.75 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting \
        PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.";
    assert_told(
        Kind::Cuda,
        text,
        &[
            "1: gpu1 requested 2104533975~10737418",
            "1: gpu1 capacity 84943715696~10737418",
            "1: gpu1 free 536870912~10485",
            "1: gpu1 other_process 11005853696~10737418",
            "1: gpu1 process_used 73400991088~10737418",
            "1: gpu1 allowed 75161927680~10737418",
            "1: gpu1 allocated 69256347648~10737418",
            "1: gpu1 private_pools 262144000~10485",
            "1: gpu1 reserved_free 2952790016~10737418",
        ],
    );
    let report = only(Kind::Cuda, text);
    let message = Message::of(&report);
    // 68.36 - 64.5 - 2.75 = 1.11 GiB of context and libraries; 1.96 < 0.5 + 2.75: it would fit in one piece.
    assert_eq!(message.outside(), Some(73_400_991_088 - 69_256_347_648 - 2_952_790_016));
    assert!(message.missing().unwrap() < 0);
}

#[test]
fn pytorch_2_1_misspells_the_capacity() {
    let text = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 MiB. GPU 0 has a total capacty of 23.69 GiB of which 17.69 MiB is free. \
        Including non-PyTorch memory, this process has 23.65 GiB memory in use. Of the allocated memory 23.00 GiB is allocated by PyTorch, and 180.12 MiB is reserved by PyTorch but unallocated. \
        If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.";
    assert_told(
        Kind::Cuda,
        text,
        &[
            "1: gpu0 requested 33554432~10485",
            "1: gpu0 capacity 25436943810~10737418",
            "1: gpu0 free 18549309~10485",
            "1: gpu0 process_used 25393994137~10737418",
            "1: gpu0 allocated 24696061952~10737418",
            "1: gpu0 reserved_free 188869509~10485",
        ],
    );
}

#[test]
fn pytorch_1_counts_what_is_reserved_in_total() {
    let text = "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 3; 7.79 GiB total capacity; 5.36 GiB already allocated; 19.31 MiB free; 5.42 GiB reserved in total by PyTorch)";
    assert_told(
        Kind::Cuda,
        text,
        &[
            "1: gpu3 requested 20971520~10485",
            "1: gpu3 capacity 8364448808~10737418",
            "1: gpu3 allocated 5755256176~10737418",
            "1: gpu3 free 20248002~10485",
            "1: gpu3 reserved 5819680686~10737418",
        ],
    );
    let message = Message::of(&only(Kind::Cuda, text));
    assert_eq!(message.reserved_free.unwrap().bytes, 5_819_680_686 - 5_755_256_176);
    // Up to 1.3 it is called cached.
    let old = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 10.92 GiB total capacity; 8.44 GiB already allocated; 1.09 GiB free; 896.50 MiB cached)";
    let report = only(Kind::Cuda, old);
    assert_eq!(bytes(&report, What::ReservedFree), 940_048_384);
    assert_eq!(bytes(&report, What::Free), 1_170_378_588);
}

#[test]
fn a_message_that_was_broken_into_lines_is_one() {
    let text = "x\ntorch.OutOfMemoryError: CUDA out of memory. Tried to\nallocate 1.96 GiB. GPU 0 has a total capacity of 79.11\nGiB of which 512.00 MiB is free. Of the allocated memory 64.50\n  GiB is allocated by PyTorch, and 2.75 GiB is reserved by PyTorch but\nunallocated.\nmore";
    assert_told(
        Kind::Cuda,
        text,
        &[
            "3: gpu0 requested 2104533975~10737418",
            "3: gpu0 capacity 84943715696~10737418",
            "4: gpu0 free 536870912~10485",
            "4: gpu0 allocated 69256347648~10737418",
            "5: gpu0 reserved_free 2952790016~10737418",
        ],
    );
}

#[test]
fn without_its_head_it_is_a_message_still() {
    let report = only(
        Kind::Cuda,
        "Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 15.77 GiB of which 1.00 GiB is free.",
    );
    assert_eq!(told(&report).len(), 3);
}

#[test]
fn other_makers_have_messages_of_their_own() {
    let hip = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 80.00 MiB. GPU 0 has a total capacity of 15.92 GiB of which 0 bytes is free. Of the allocated memory 15.63 GiB is allocated by PyTorch, and 19.68 MiB is reserved by PyTorch but unallocated.";
    assert_told(
        Kind::Hip,
        hip,
        &[
            "1: gpu0 requested 83886080~10485",
            "1: gpu0 capacity 17093969838~10737418",
            "1: gpu0 free 0",
            "1: gpu0 allocated 16782584709~10737418",
            "1: gpu0 reserved_free 20635975~10485",
        ],
    );
    let mps = "RuntimeError: MPS backend out of memory (MPS allocated: 17.68 GB, other allocations: 398.68 MB, max allowed: 18.13 GB). Tried to allocate 256.00 MB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure).";
    assert_told(
        Kind::Mps,
        mps,
        &[
            "1: allocated 18983755448~10737418",
            "1: other_allocations 418046279~10485",
            "1: allowed 19466939269~10737418",
            "1: requested 268435456~10485",
        ],
    );
    let xpu = "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 15.91 GiB. Of the allocated memory 14.02 GiB is allocated by PyTorch, and 1.11 GiB is reserved by PyTorch but unallocated.";
    let report = only(Kind::Xpu, xpu);
    assert_eq!((bytes(&report, What::Requested), bytes(&report, What::Capacity)), (2_684_354_560, 17_083_232_419));
    let asynchronous = "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated     : 22.50 GiB\nRequested               : 5.00 GiB\nDevice limit            : 23.99 GiB\nFree (according to CUDA): 16.00 MiB\nPyTorch limit (set by user-supplied memory fraction)\n                        : 17179869184.00 GiB\n";
    assert_told(
        Kind::Cuda,
        asynchronous,
        &[
            "2: allocated 24159191040~10737418",
            "3: requested 5368709120~10737418",
            "4: capacity 25759066357~10737418",
            "5: free 16777216~10485",
        ],
    );
}

#[test]
fn what_fails_outside_the_allocator_has_no_numbers() {
    for (text, kind) in [
        (
            "RuntimeError: CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported",
            Kind::CudaError,
        ),
        ("torch.AcceleratorError: CUDA error: out of memory", Kind::CudaError),
        (
            "RuntimeError: cuda runtime error (2) : out of memory at /pytorch/THCCachingHostAllocator.cpp:278",
            Kind::CudaError,
        ),
        ("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", Kind::Cublas),
    ] {
        let report = only(kind, text);
        assert!(report.is_failure() && report.facts.is_empty(), "{text}");
    }
    assert_told(
        Kind::HostMemory,
        "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 68719476736 bytes. Error code 12 (Cannot allocate memory)",
        &["1: requested 68719476736"],
    );
}

#[test]
fn ranks_that_say_the_same_are_one_report() {
    let line = "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.00 MiB is free. Of the allocated memory 1.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.\n";
    let found = read(format!("{line}{line}").as_bytes());
    assert_eq!((found.reports.len(), found.reports[0].times), (1, 2));
    let other = line.replace("GPU 0", "GPU 1").replace("rank0", "rank1");
    assert_eq!(read(format!("{line}{other}").as_bytes()).reports.len(), 2);
}

/// A traceback with these frames, and a message behind it.
fn traceback(frames: &[(&str, &str, &str)]) -> memory_wall_reports::Report {
    let mut text = "Traceback (most recent call last):\n".to_owned();
    for (file, function, code) in frames {
        let file = format!("/srv/somebody/env/lib/python3.12/site-packages/{file}");
        writeln!(text, "  File \"{file}\", line 42, in {function}\n    {code}").unwrap();
    }
    text += "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.00 MiB is free.\n";
    let report = only(Kind::Cuda, &text);
    common::assert_hides(&read(text.as_bytes()), &["somebody", "site-packages"]);
    report
}

#[test]
fn the_traceback_names_the_phase() {
    const TRAIN: (&str, &str, &str) =
        ("transformers/trainer.py", "training_step", "loss = self.compute_loss(model, inputs)");
    for (frames, phase, part) in [
        (
            &[
                TRAIN,
                (
                    "transformers/models/llama/modeling_llama.py",
                    "forward",
                    "inputs_embeds = self.embed_tokens(input_ids)",
                ),
            ][..],
            Phase::Forward,
            Some(Part::Embedding),
        ),
        (
            &[
                TRAIN,
                (
                    "transformers/models/llama/modeling_llama.py",
                    "forward",
                    "attn_output, attn_weights = attention_interface(",
                ),
            ],
            Phase::Forward,
            Some(Part::Attention),
        ),
        (
            &[
                TRAIN,
                (
                    "transformers/models/llama/modeling_llama.py",
                    "forward",
                    "down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))",
                ),
            ],
            Phase::Forward,
            Some(Part::Mlp),
        ),
        (
            &[TRAIN, ("transformers/loss/loss_utils.py", "ForCausalLMLoss", "logits = logits.float()")],
            Phase::Loss,
            Some(Part::Head),
        ),
        (
            &[
                TRAIN,
                ("torch/_tensor.py", "backward", "torch.autograd.backward("),
                ("torch/autograd/graph.py", "_engine_run_backward", "return Variable._execution_engine.run_backward("),
            ],
            Phase::Backward,
            None,
        ),
        (
            &[
                ("torch/optim/adamw.py", "step", "has_complex = self._init_group("),
                ("torch/optim/adam.py", "_init_group", "state[\"exp_avg\"] = torch.zeros_like(p)"),
            ],
            Phase::OptimizerFirstStep,
            None,
        ),
        (
            &[
                ("transformers/modeling_utils.py", "from_pretrained", ") = cls._load_pretrained_model("),
                ("transformers/modeling_utils.py", "_load_state_dict_into_meta_model", "param = param.to(dtype)"),
            ],
            Phase::Load,
            None,
        ),
        (
            &[
                (
                    "vllm/v1/worker/gpu_worker.py",
                    "initialize_from_config",
                    "self.model_runner.initialize_kv_cache(kv_cache_config)",
                ),
                ("vllm/v1/worker/gpu_model_runner.py", "_allocate_kv_cache_tensors", "tensor = torch.zeros("),
            ],
            Phase::KvCache,
            None,
        ),
    ] {
        let report = traceback(frames);
        assert_eq!((report.phase(), report.part()), (Some(phase), part), "{frames:?}");
        assert_eq!(report.from, 1);
    }
}

#[test]
fn ggml_says_which_buffer() {
    let text = "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.50 MiB on device 1: cudaMalloc failed: out of memory\n\
        alloc_tensor_range: failed to allocate CUDA1 buffer of size 4295491584\n\
        llama_model_load: error loading model: unable to allocate CUDA1 buffer\n";
    assert_told(
        Kind::Ggml,
        text,
        &["1: gpu1 requested 4295491584~10485", "2: gpu1 requested 4295491584", "3: refusal model_buffer"],
    );
    let cache = "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8192.00 MiB on device 0: cudaMalloc failed: out of memory\nllama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache\n";
    assert_eq!(only(Kind::Ggml, cache).refusal(), Some(Refusal::CacheBuffer));
    let compute = "ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size 587202560\nllama_init_from_model: failed to initialize the context: failed to allocate compute pp buffers\n";
    let report = only(Kind::Ggml, compute);
    assert_eq!((report.refusal(), bytes(&report, What::Requested)), (Some(Refusal::ComputeBuffer), 587_202_560));
    // llama.cpp issue 15009: what follows says only which buffer it was.
    let limit = "ggml_vulkan: Device memory allocation of size 4757131264 failed.\nggml_vulkan: Requested buffer size exceeds device memory allocation limit: ErrorOutOfDeviceMemory\nggml_gallocr_reserve_n: failed to allocate Vulkan0 buffer of size 4757131264\n";
    let report = only(Kind::Ggml, limit);
    assert_eq!((report.refusal(), bytes(&report, What::Requested)), (Some(Refusal::AllocationLimit), 4_757_131_264));
    let vulkan = "ggml_vulkan: Device memory allocation of size 1073741824 failed.\nggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory\n";
    assert_eq!(bytes(&only(Kind::Ggml, vulkan), What::Requested), 1 << 30);
}

#[test]
fn xla_lists_what_the_program_takes() {
    let text = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.\n\
        BufferAssignment OOM Debugging.\n\
        BufferAssignment stats:\n\
        \x20            parameter allocation:    1.50GiB\n\
        \x20             constant allocation:         0B\n\
        \x20       maybe_live_out allocation:  512.0MiB\n\
        \x20    preallocated temp allocation:   16.00GiB\n\
        \x20                total allocation:   18.00GiB\n\
        Peak buffers:\n\
        \tBuffer 1:\n\
        \t\tSize: 8.00GiB\n\
        \t\tOperator: op_name=\"jit(step)/dot_general\" source_file=\"/srv/somebody/train.py\" source_line=12\n\
        \t\tShape: f32[16,1024,131072]\n";
    assert_told(
        Kind::Xla,
        text,
        &[
            "1: requested 17179869184",
            "4: arguments 1610612736~10737418",
            "5: constants 0",
            "6: outputs 536870912~104857",
            "7: temporaries 17179869184~10737418",
            "8: total 19327352832~10737418",
            "11: buffer 8589934592~10737418",
            "13: dtype f32",
            "13: tensor [16, 1024, 131072]",
        ],
    );
    common::assert_hides(&read(text.as_bytes()), &["somebody", "train.py"]);
    let tpu = "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 20.93G of 15.48G hbm. Exceeded hbm capacity by 5.45G.";
    assert_told(
        Kind::Xla,
        tpu,
        &["1: projected 22473416376~10737418", "1: capacity 16621523435~10737418", "1: missing 5851892940~10737418"],
    );
}

#[test]
fn tensorflow_names_the_tensor() {
    let text = "ResourceExhaustedError: OOM when allocating tensor with shape[32,512,64,64] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Conv2D]";
    assert_told(Kind::TensorFlow, text, &["1: tensor [32, 512, 64, 64]", "1: dtype float"]);
    let pool = "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.25GiB (rounded to 2415919104)requested by op Conv2D\n\
        Limit:                     11330868019\nInUse:                      9126805504\nMaxInUse:                  10200547328\n";
    assert_told(
        Kind::TensorFlow,
        pool,
        &[
            "1: requested 2415919104~10737418",
            "2: allowed 11330868019",
            "3: program_allocated 9126805504",
            "4: peak_allocated 10200547328",
        ],
    );
    // flatironinstitute/nemos#345: XLA tries a faster algorithm that needs more memory, and goes on without it.
    let tried = "Allocator (GPU_0_bfc) ran out of memory trying to allocate 3.37GiB with freed_by_count=0. The caller indicates that this is not a failure, but this may mean that there could be performance gains if more memory were available.\n";
    assert!(read(tried.as_bytes()).reports.iter().all(|report| report.kind != Kind::TensorFlow));
}
