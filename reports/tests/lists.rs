//! What people paste without its head, or with only a command above it: rows of `nvidia-smi`, names of GPUs, a file's tensors.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

mod common;

use common::{assert_told, bytes, only};
use memory_wall_reports::explain::{Explanation, Note, Stated, explain};
use memory_wall_reports::{Kind, Reader, What, read};

fn explained(text: &str) -> Explanation {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes());
    explain(&reader.finish(), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

#[test]
fn gpus_are_listed_by_name_alone() {
    let list = "$ nvidia-smi -L\nGPU 0: NVIDIA L40S (UUID: GPU-0a1b)\nGPU 1: Tesla T4 (UUID: GPU-2c3d)\n  MIG 1g.5gb Device 0: (UUID: MIG-GPU-2c3d/1/0)\n";
    assert_told(Kind::NvidiaSmi, list, &["2: gpu0 gpu NVIDIA L40S", "3: gpu1 gpu Tesla T4"]);
    let environment = "CUDA_MODULE_LOADING set to: LAZY\nGPU models and configuration: \nGPU 0: NVIDIA H200\n\nNvidia driver version: 570.1\n";
    assert_told(Kind::NvidiaSmi, environment, &["3: gpu0 gpu NVIDIA H200"]);
    // Of one machine: its sizes stand below.
    let both = "# GPU 0: Tesla T4 (UUID: GPU-0a1b)\n# name, memory.total [MiB], memory.used [MiB]\n# Tesla T4, 15360 MiB, 1024 MiB\n";
    let report = only(Kind::NvidiaSmi, both);
    assert_eq!((report.name(What::Gpu), bytes(&report, What::Capacity)), (Some("Tesla T4"), 15_360 << 20));
    assert!(read(b"GPU 0: nothing that is known\n").reports.is_empty());
}

#[test]
fn a_command_says_the_columns_of_rows_without_a_head() {
    let rows = "nvidia-smi --query-gpu=index,memory.used,memory.total --format=csv,noheader\n0, 40516 MiB, 81920 MiB\n3, 100 MiB, 81920 MiB\n";
    let told = [
        "2: gpu0 used 42484105216~1048576",
        "2: gpu0 capacity 85899345920~1048576",
        "3: gpu3 used 104857600~1048576",
        "3: gpu3 capacity 85899345920~1048576",
    ];
    assert_told(Kind::NvidiaSmi, rows, &told);
    let bare = "$ nvidia-smi --query-gpu=name,memory.free --format=csv,noheader,nounits\nNVIDIA L40S, 512\n";
    assert_told(Kind::NvidiaSmi, bare, &["2: gpu0 gpu NVIDIA L40S", "2: gpu0 free 536870912~1048576"]);
    // A head of its own goes before the command.
    let both = "$ nvidia-smi --query-gpu=name,memory.total,power.limit --format=csv\nname, memory.total [MiB], power.limit [W]\nNVIDIA L40S, 46068 MiB, 350.00 W\n";
    assert_told(Kind::NvidiaSmi, both, &["3: gpu0 gpu NVIDIA L40S", "3: gpu0 capacity 48305799168~1048576"]);
}

#[test]
fn rows_without_command_and_head_say_only_what_they_can_mean() {
    let rows = "0, NVIDIA GeForce RTX 3090, 24576 MiB, 1 MiB, 24175 MiB, 0 %\n1, NVIDIA L40S, 46068 MiB, 350 MiB\n";
    let told =
        ["1: gpu0 gpu NVIDIA GeForce RTX 3090", "1: gpu0 capacity 25769803776~1048576", "2: gpu1 gpu NVIDIA L40S"];
    assert_told(Kind::NvidiaSmi, rows, &told);
    // One size is all of the memory, or what is in use or free of it.
    assert_told(Kind::NvidiaSmi, "hardware: Tesla T4, 9000 MiB\n", &["1: gpu0 gpu Tesla T4"]);
    for prose in ["We have an NVIDIA L40S, and 9000 MiB of it are in use\n", "NVIDIA says so\n"] {
        assert!(read(prose.as_bytes()).reports.is_empty(), "{prose}");
    }
}

#[test]
fn a_gpu_without_a_process_does_not_end_the_list() {
    let idle = "    1          -     -     -   -\n".repeat(5);
    let list = format!(
        "# gpu        pid  type    fb   command\n# Idx          #   C/G    MB   name\n{idle}    7       4711     C  2048   python\n"
    );
    assert_told(Kind::NvidiaSmi, &list, &["8: gpu7 gpu_process 2147483648~1048576"]);
}

const DUMP: &str = "      3: UINT64     |        1 | GGUF.kv_count = 9\n* Dumping 3 tensor(s)\n      1:   81920 |   256,   320,     1,     1 | Q8_0    | token_embd.weight\n      2:     512 |   512,     1,     1,     1 | F32     | blk.0.attn_norm.weight\n      3:  262144 |   256,  1024,     1,     1 | Q4_K    | blk.0.ffn_up.weight\n";

#[test]
fn a_file_s_tensors_are_added_up_once_all_are_there() {
    // 320 rows of 8 blocks of 34 bytes, 512 of 4, 1,024 blocks of 144.
    let sum = 320 * 8 * 34 + 512 * 4 + 1_024 * 144;
    let report = only(Kind::LlamaCpp, DUMP);
    assert_eq!((report.count(What::HiddenSize), report.count(What::VocabSize)), (Some(256), Some(320)));
    assert_eq!((report.count(What::IntermediateSize), report.count(What::Layers)), (Some(1_024), Some(1)));
    assert_eq!((report.count(What::Parameters), bytes(&report, What::Checkpoint)), (Some(81_920 + 512 + 262_144), sum));
    // Some are left out: their sum would be of a part.
    let part = DUMP.replace(DUMP.lines().nth(3).unwrap(), "");
    let report = only(Kind::LlamaCpp, &part);
    assert_eq!(
        (report.count(What::VocabSize), report.has(What::Parameters), report.has(What::Checkpoint)),
        (Some(320), false, false)
    );
}

#[test]
fn tensors_are_read_as_the_loader_and_a_page_list_them() {
    let loader = "llama_model_loader: loaded meta data with 9 key-value pairs and 2 tensors from x.gguf (version GGUF V1)\nllama_model_loader: - tensor    0:                token_embd.weight q4_0     [   768, 32000,     1,     1 ]\nllama_model_loader: - tensor    1:               output_norm.weight f32      [   768,     1,     1,     1 ]\n";
    let report = only(Kind::LlamaCpp, loader);
    assert_eq!(bytes(&report, What::Checkpoint), 768 * 32_000 / 32 * 18 + 768 * 4);
    assert_eq!((report.count(What::HiddenSize), report.count(What::VocabSize)), (Some(768), Some(32_000)));
    let page =
        "|    0 | token_embd.weight  | Token Embedding (W) | (~131M) 131072000 |  2560 x 51200 x 1 x 1 | Q6_K |\n";
    let report = only(Kind::LlamaCpp, page);
    assert_eq!((report.count(What::HiddenSize), report.count(What::VocabSize)), (Some(2_560), Some(51_200)));
    // Dimensions whose product no file has.
    let wide = DUMP.replace("320", "18446744073709551615");
    assert!(!only(Kind::LlamaCpp, &wide).has(What::Checkpoint));
    assert!(
        read(b"model has unused tensor blk.46.nextn.enorm.weight (size = 16384 bytes) -- ignoring\n")
            .reports
            .is_empty()
    );
}

#[test]
fn a_folded_message_in_a_quotation_is_whole() {
    let quoted = "> HIP out of memory. Tried to allocate\n> 84.00 MiB. GPU 0 has a total capacity of 512.00 MiB of which 0 bytes\n> is free. Of the allocated memory 100.00 MiB is allocated by PyTorch,\n> and 22.00 MiB is reserved by PyTorch but unallocated\n";
    let report = only(Kind::Hip, quoted);
    assert_eq!((bytes(&report, What::Requested), bytes(&report, What::Free)), (84 << 20, 0));
}

#[test]
fn one_gpu_under_two_names_is_one() {
    let table = "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce GTX 1080 Ti) (0000:03:00.0) - 8720 MiB free\nllama_memory_breakdown_print: |   - CUDA0 (GTX 1080 Ti) | 11165 = 8702 + (10001 =  9814 +     134 +      51) +    300 |\n";
    assert!(!explained(table).notes.iter().any(|note| matches!(note, Note::SeveralGpus(_))));
    let device = only(
        Kind::LlamaCpp,
        "  Device 0: Radeon 8060S Graphics, gfx1151 (0x1151), VMM: no, Wave Size: 32, VRAM: 65536 MiB\n",
    );
    assert_eq!((device.name(What::Gpu), bytes(&device, What::Capacity)), (Some("Radeon 8060S Graphics"), 64 << 30));
}

#[test]
fn metal_is_named_by_its_own_name_and_mlx_by_its_command() {
    let log = "mlx_lm.lora \\\n  --model ./Qwen3-8B \\\n  --batch-size 2 \\\n  --max-seq-length 3000 --grad-checkpoint\nlibc++abi: terminating: [METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)\n";
    let run = only(Kind::Trainer, log);
    assert_eq!((run.name(What::Model), run.count(What::BatchSize)), (Some("Qwen3-8B"), Some(2)));
    assert_eq!((run.count(What::SeqLength), run.flag(What::Checkpointing)), (Some(3_000), Some(true)));
    assert!(only(Kind::Metal, log).is_failure());
}

#[test]
fn settings_and_terms_of_more_programs_are_read() {
    let build =
        "trtllm-build --checkpoint_dir X1 \\\n  --max_batch_size 4 --max_input_len 4000 --max_num_tokens 8000\n";
    let report = only(Kind::TensorRtLlm, build);
    assert_eq!((report.count(What::MaxNumSeqs), report.count(What::MaxBatchedTokens)), (Some(4), Some(8_000)));
    assert_eq!(read(build.as_bytes()).reports.len(), 1);
    let copied = "Initializing an LLM engine (v0.5.4) with config\n~~~\nmodel='/mnt/models/models--meta-llama--llama-3-1-70b-instruct', speculative_config=None, dtype=torch.float16, max_seq_len=100000, tensor_parallel_size=2\n";
    let report = only(Kind::Vllm, copied);
    assert_eq!((report.count(What::MaxModelLen), report.count(What::TensorParallel)), (Some(100_000), Some(2)));
    let explanation = explained(copied);
    assert_eq!(explanation.model.unwrap().preset.map(|model| model.id), Some("llama-3.1-70b"));
    let ascend = only(Kind::Vllm, "Using max model len 4000\nAvailable memory: 43.5 GiB, total memory: 60.5 GiB\n");
    assert_eq!((ascend.count(What::MaxModelLen), bytes(&ascend, What::KvCache)), (Some(4_000), 87 << 29));
    let step = only(
        Kind::Trainer,
        "Step 1 | loss:2.5 peak_memory_active:40.5 peak_memory_alloc:52.5 peak_memory_reserved:56.5 \n",
    );
    assert_eq!((bytes(&step, What::PeakAllocated), bytes(&step, What::PeakReserved)), (105 << 29, 113 << 29));
    assert!(only(Kind::Cuda, "- **Exception Message:** Allocation on device \n").is_failure());
    let keys = "     8: STRING     |        1 | general.name = 'Some 7B'\n    11: UINT32     |        1 | llama.attention.key_length = 96\n    12: UINT32     |        1 | llama.feed_forward_length = 8000\n";
    let report = only(Kind::LlamaCpp, keys);
    assert_eq!((report.count(What::HeadDim), report.count(What::IntermediateSize)), (Some(96), Some(8_000)));
    assert_eq!(report.name(What::Model), Some("Some 7B"));
}
