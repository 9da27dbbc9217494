//! Hostile input: truncation, huge numbers, long lines, deep nesting, noise. Nothing panics, and everything is bounded in time.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "common/hostile.rs"]
mod hostile;

use std::fmt::Write;
use std::time::{Duration, Instant};

use hostile::ask_everything;
use memory_wall_reports::{Kind, read};
use proptest::prelude::*;

/// A sample of each kind, short.
const SAMPLES: &[&str] = &[
    "# TP=8 on a TPU v4-32, 512GB of system RAM\nM3 Max with 64GB, tensor parallel size 4, 8 3090 GPUs; cpu ram 1.5TB, GLM-4.5 Air, x-7b.Q4_K_M.gguf\nNot enough memory. Please try to increase --mem-fraction-static\n",
    "- **GPU:** 2x NVIDIA RTX 3090 (24GB)\n| **GPU** | RTX 4090 |\n81.0  python3.12  default  1 OUT_OF_ME+  0:125\nMemory Efficiency: 68.75% of 8.00 GB (8.00 GB/node)\nmem_info_vram_total\n17163091968\n## OOM on 8*H100(80GB)\nModel: a/b-1\ngpu,total_vram,used_vram\n0,196592,283\n",
    "Traceback (most recent call last):\n  File \"/x/torch/optim/adamw.py\", line 1, in _init_group\n    state[\"exp_avg\"] = torch.zeros_like(p)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.11 GiB of which 512.00 MiB is free. Process 4711 has 10.25 GiB memory in use. Including non-PyTorch memory, this process has 68.36 GiB memory in use. Of the allocated memory 64.50 GiB is allocated by PyTorch, with 250.00 MiB allocated in private pools (e.g., CUDA Graphs), and 2.75 GiB is reserved by PyTorch but unallocated.\n",
    "RuntimeError: MPS backend out of memory (MPS allocated: 17.68 GB, other allocations: 398.68 MB, max allowed: 18.13 GB). Tried to allocate 256.00 MB on private pool.\n",
    "non-default args: {'model': 'meta-llama/Llama-3.1-8B-Instruct', 'max_model_len': 32000, 'gpu_memory_utilization': 0.92, 'speculative_config': {'model': 'a/b-1'}}\nInitializing a V1 LLM engine (v0.11.0) with config: model='meta-llama/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, quantization=None\nModel loading took 14.9596 GiB memory and 20.67 seconds\nAvailable KV cache memory: 4.75 GiB\nGPU KV cache size: 38,944 tokens\nFree memory on device (21.89/22.04 GiB) on startup. Desired GPU memory utilization is (0.92, 20.28 GiB). Actual usage is 14.96 GiB for weight, 0.57 GiB for peak activation, 0.02 GiB for non-torch memory, and 0.38 GiB for CUDAGraph memory.\n",
    "ValueError: To serve at least one request with the model's max seq len (262144), (18.35 GiB KV cache is needed, which is larger than the available KV cache memory (8.72 GiB). Based on the available memory, the estimated maximum model length is 124512.\n",
    "server_args=ServerArgs(model_path='org/Qwen3-8B', tp_size=2)\n[2026-01-01 10:00:00 TP1] Load weight end. type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail mem=70.80 GB, mem usage=7.56 GB.\n[2026-01-01 10:00:00 TP1] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 409600, K size: 25.00 GB, V size: 25.00 GB\n",
    "text_generation_launcher: Args {\n    model_id: \"x/Llama-3.1-8B\",\n    num_shard: Some(\n        2,\n    ),\n}\nKV-cache blocks: 123456, size: 1\n",
    "  Device 0: NVIDIA RTX A6000, compute capability 8.6, VMM: yes, VRAM: 48531 MiB\nprint_info: general.name          = Qwen3 8B\nprint_info: file type   = Q4_K - Medium\nprint_info: file size   = 4.68 GiB (4.91 BPW)\nload_tensors:        CUDA0 model buffer size =  4455.34 MiB\nllama_context: n_ctx         = 32768\nllama_kv_cache:      CUDA0 KV buffer size =  4608.00 MiB\nllama_kv_cache: size = 4608.00 MiB ( 32768 cells,  36 layers,  1/1 seqs), K (f16): 2304.00 MiB, V (f16): 2304.00 MiB\nsched_reserve:      CUDA0 compute buffer size =   304.75 MiB\n",
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.50 MiB on device 1: cudaMalloc failed: out of memory\nllama_model_load: error loading model: unable to allocate CUDA1 buffer\n",
    "| NVIDIA-SMI 580.126.09             Driver Version: 580.126.09     CUDA Version: 13.0     |\n|   0  NVIDIA L40S                    On  |   00000000:8D:00.0 Off |                    0 |\n| N/A   39C    P0            104W /  325W |   40803MiB /  46068MiB |      0%      Default |\n| Processes:                                                                              |\n|    0   N/A  N/A            5997      C   python                                30794MiB |\n",
    "index, name, memory.total [MiB], memory.used [MiB]\n0, NVIDIA A100-SXM4-80GB, 81920 MiB, 73543 MiB\n",
    "{\"allocated_bytes\": {\"all\": {\"current\": 4096, \"peak\": 8192}}, \"num_ooms\": 1}\n",
    "|                  PyTorch CUDA memory summary, device ID 1                 |\n| Allocated memory      |  12057 MiB |     21 GiB |   3812 GiB |   3801 GiB |\n",
    "│ Memory Usage for loading `org/Some-Model-7B` │\n│float32│   1.25 GB   │ 27.98 GB │     111.92 GB     │\n",
    "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.\nPeak buffers:\n\tBuffer 1:\n\t\tSize: 8.00GiB\n\t\tShape: f32[16,1024,131072]\n",
    "OOM when allocating tensor with shape[32,512,64,64] and type float on /job:localhost/replica:0\n",
    "base_model: meta-llama/Llama-3.1-8B\nload_in_4bit: true\nlora_r: 32\nsequence_len: 4096\nmicro_batch_size: 2\n",
    "{\n  \"architectures\": [\"LlamaForCausalLM\"],\n  \"hidden_size\": 2048,\n  \"intermediate_size\": 8192,\n  \"model_type\": \"llama\",\n  \"num_attention_heads\": 32,\n  \"num_hidden_layers\": 16,\n  \"num_key_value_heads\": 8,\n  \"vocab_size\": 128256\n}\n",
    "common_memory_breakdown_print: | memory breakdown [MiB] | total    free     self   model   context   compute    unaccounted |\ncommon_memory_breakdown_print: |   - CUDA0 (NVIDIA A40)   | 48539 = 40123 + ( 8201 =  6144 +    1536 +     521) +         215 |\ncommon_memory_breakdown_print: |   - Host                 |                   1100 =   600 +       0 +     500                |\n",
    "[Rank 3] (after 20 iterations) memory (MB) | allocated: 3270.5 | max allocated: 5670.25 | reserved: 6406.0 | max reserved: 6500.0\n",
    "[TensorRT-LLM][INFO] Allocate 8589934592 bytes for k/v cache. \n[TensorRT-LLM][INFO] Using 10240 tokens in paged KV cache.\n",
    "Ran out of memory in memory space hbm. Used 20.50G of 15.50G hbm.\n Exceeded hbm capacity by 5.00G.\n\nTotal hbm usage >= 21.00G:\n",
    "E tensorflow/stream_executor/cuda/cuda_blas.cc:225] failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED\n",
    "memory_allocated: 40.5MB, memory_reserved: 42.0MB\n>>> torch.cuda.mem_get_info()\n(8589934592, 25757220864)\n{'train_mem_gpu_peaked_delta': 3221225472, 'before_init_mem_gpu': 2147483648}\n",
    "│ NVITOP 1.3.2 │\n│   0  A100-SXM4-80GB      Off  │ 00000000:01:00.0 Off │ 0 │\n│ N/A   31C    P0    61W / 400W │   3.50MiB / 79.50GiB │ 0% Default │\n│ Processes: │\n│   0 1234567 C  someone 4921MiB  76 python │\n",
    " Device 0 [NVIDIA GeForce RTX 3090] PCIe\n GPU[ 0%] MEM[|||  2.500Gi/24.000Gi]\n PID USER DEV TYPE GPU GPU MEM CPU HOST MEM Command\n 3493 root 0 Compute 0% 2048MiB 39% python\n",
    "1.3 B     Total params\n5,200.500 Total estimated model params size (MB)\nPeak GPU alloc failed (5 MiB): out of memory\n",
    "Out of memory: Killed process 4711 (python) total-vm:80000000kB, anon-rss:62914560kB, file-rss:0kB\n",
    "GPU = NVIDIA A100-SXM4-80GB. Max memory = 79.25 GB.\n7.5 GB of memory reserved.\nO^O/ \\_/ \\    Batch size per device = 16 | Gradient accumulation steps = 2\n \"-____-\"     Trainable parameters = 66,060,288 of 4,088,528,384 (1.62% trained)\n",
    "device,GPU use (%),VRAM Total Memory (B),VRAM Total Used Memory (B),Card Series\ncard0,0,21458059264,27856896,Radeon RX 7900 XT\n",
    "| MIG devices:                                                                |\n|  1    3   0   0  |  14366MiB / 19968MiB | 28      0 |  2   0    1    0    0 |\n",
    "NPU out of memory. NPUWorkspaceAllocator tried to allocate 180.00 MiB(NPU 1; 60.50 GiB total capacity; 86.50 MiB free).\n",
    "ggml_cuda_host_malloc: failed to allocate 1900,50 MiB of pinned memory: invalid argument\n",
    "time=2026-04-02T13:13:15.944Z level=INFO source=device.go:240 msg=\"model weights\" device=CUDA0 size=\"13.3 GiB\"\n",
    "GPU 0: NVIDIA L40S (UUID: GPU-0a1b)\n0, NVIDIA L40S, 46068 MiB, 350 MiB, 45000 MiB\n",
    "# gpu        pid  type    fb   command\n    0       4711     C  2048   python\n",
    "DeviceStatsMonitor.on_train_batch_end/allocated_bytes.all.peak,step\n1048576.0,49\n",
    "Mem:   125Gi   12Gi   98Gi   1.0Gi   14Gi   110Gi\nNVRM: Xid (PCI:0000:c1:00): 31, pid=7\n",
    "Mach Virtual Memory Statistics: (page size of 16384 bytes)\nPages free: 5000.\nPages speculative: 100.\n",
    " Node   Calls   Seconds  VRAM Used\n  denoise_latents  1  42.5s  1.012G\n",
    "msg=\"starting llama server\" cmd=\"/x/ollama runner --model /x/y\n --ctx-size 4096 --parallel 2\"\n",
    "Intel XPU-SMI v2.0\n|   0  Intel(R) Arc(TM) A770   Off  | 0000:03:00.0  Off |\n| N/A 45W | 3642MiB / 16288MiB | N/A Default |\n",
    "Prefill would require ~40.50 GB peak (current 38.25 GB + KV+SDPA 2.25 GB) but metal_cap ceiling is 36.00 GB.\n",
    "srv  load: spawning server instance with args:\nsrv  load:   --ctx-size\nsrv  load:   4096\nsrv  x\n",
    "* Dumping 2 tensor(s)\n      1:   81920 |   256,   320,     1,     1 | Q8_0    | token_embd.weight\n      2:     512 |   512,     1,     1,     1 | F32     | output_norm.weight\n",
];

#[test]
fn every_sample_says_something() {
    for sample in SAMPLES {
        assert!(!ask_everything(sample.as_bytes()).reports.is_empty(), "{sample}");
    }
    ask_everything(SAMPLES.concat().as_bytes());
}

#[test]
fn a_text_that_is_cut_anywhere_is_read_up_to_there() {
    for sample in SAMPLES {
        for end in 0..sample.len() {
            let _ = read(sample.as_bytes().get(..end).unwrap());
            let _ = read(sample.as_bytes().get(end..).unwrap());
        }
        for end in (0..sample.len()).step_by(29) {
            ask_everything(sample.as_bytes().get(..end).unwrap());
        }
    }
}

#[test]
fn numbers_without_bound_are_odd_and_not_believed() {
    for number in [
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "99999999999999999999999999999999999999",
        "1e30",
        "0.00000000000000000000000000001",
        "-1",
        "NaN",
        "0x10",
        "١٢",
    ] {
        for sample in SAMPLES {
            // Every number of the sample, one at a time.
            let digits: Vec<usize> =
                sample.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
            for at in digits.iter().step_by(9) {
                let end = sample[*at..]
                    .find(|c: char| !c.is_ascii_digit() && c != '.')
                    .map_or(sample.len(), |length| at + length);
                let changed = format!("{}{number}{}", &sample[..*at], &sample[end..]);
                let _ = ask_everything(changed.as_bytes());
            }
        }
    }
}

/// Runs within a time that even a slow machine without optimisation keeps.
fn within(what: &str, limit: Duration, run: impl FnOnce()) {
    let start = Instant::now();
    run();
    assert!(start.elapsed() < limit, "{what} took {:?}", start.elapsed());
}

#[test]
fn large_and_deep_texts_end_in_time() {
    let long = "Available KV cache memory: ".repeat(100_000);
    let nested = "{\"a\":".repeat(200_000);
    let brackets = format!("non-default args: {}", "{'model': (".repeat(100_000));
    let quotes = format!("non-default args: {{{}", "'".repeat(1_000_000));
    let frames = "  File \"/x/y.py\", line 1, in forward\n    x = self.mlp(x)\n".repeat(20_000);
    let colours = "\u{1b}[31m".repeat(300_000);
    let escapes = "\u{1b}]".repeat(300_000);
    let messages = "CUDA out of memory. Tried to allocate 1.00 GiB. ".repeat(40_000);
    let dots = format!("Available KV cache memory: {}", "1.".repeat(500_000));
    let names = "\"name\":\"a\",\"size\":1,\"digest\":\"x\",".repeat(32_000);
    let models = "\"model_id\":\"a".repeat(80_000);
    let nodes = "Memory on the node (IP ) was ".repeat(36_000);
    let mut tables = String::new();
    for gpu in 0..20_000 {
        writeln!(tables, "NVIDIA-SMI \n|   {gpu}  NVIDIA L40S  On  | 0:8D |\n| 1W | 1MiB / 2MiB |").unwrap();
    }
    for (what, text) in [
        ("one long line", long),
        ("nested JSON", nested),
        ("nested arguments", brackets),
        ("quotes", quotes),
        ("frames", frames),
        ("colours", colours),
        ("escapes", escapes),
        ("messages", messages),
        ("points", dots),
        ("names", names),
        ("models", models),
        ("nodes", nodes),
        ("tables", tables),
    ] {
        within(what, Duration::from_secs(20), || {
            let found = read(text.as_bytes());
            assert!(found.reports.len() <= memory_wall_reports::MOST_REPORTS);
        });
    }
}

/// A line of a megabyte of what each reader looks for: a tenth of a second each when optimised, and this build is.
#[test]
fn a_line_of_a_megabyte_of_anything_is_read_in_a_tenth_of_a_second() {
    let own = |text: &str| text.repeat((1 << 20) / text.len());
    let mut slowest = (Duration::ZERO, String::new());
    let pieces = [
        "vllm:gpu_cache_usage_perc{model_name=\"a\"} 0.5 ",
        "DCGM_FI_DEV_FB_USED{gpu=\"0\",modelName=\"NVIDIA A40\"} 5 ",
        "7",
        "1.",
        "1,",
        "(",
        "[",
        "{",
        "}",
        "{\"a\":",
        "[{\"b\":[",
        "'",
        "\"",
        "\\",
        "│",
        "|",
        "Off | ",
        "Default | ",
        "0 x Off │ ",
        "| 1MiB / 2MiB ",
        "CUDA1: ",
        "MEM[|||",
        "memory_allocated: ",
        "memory allocated: (GB) ",
        "mem_get_info((",
        "(8589934592, ",
        "Tried to allocate ",
        "CUDA out of memory. ",
        "GPU 1 Type : ",
        "train_mem_gpu_peaked_delta': ",
        "allocated_bytes': {'all': ",
        "msg=load request=\"",
        "required.CUDA0.Weights=\"[1 ",
        "non-default args: {'model': ",
        "--max-model-len 5 ",
        "llama-server ",
        "llama-server -m x -c 5 ",
        "vllm serve ",
        "vllm serve a/b-1 --x ",
        "non-default args: {",
        "ollama runner ",
        "cmd=\"ollama runner ",
        "Mem: ",
        "Mem: 1Gi 1Gi ",
        "VRAM Used ",
        "Mach Virtual Memory Statistics: (page size of ",
        "XPU-SMI v",
        "NVRM: Xid (",
        "memory on device cuda:0 (",
        "Model: 1 / ",
        "memory.available=\"[1 GiB]\" library=cpu ",
        "increase --gpu-memory-utilization from 0.5 to ",
        "amdgpu: ",
        "File \"x\", line 1, in y ",
        "Buffer 1:",
        "\u{1b}[0m",
        " ",
        "a ",
        "total params memory size = 1MB (VRAM ",
        "blk.0.weight ",
        "# gpu ",
        "\u{a0}",
        "out of memory alloc 5 ",
        "required.",
        "Dumping 5 ",
        "PROCESSOR ",
        "PROCESSOR NNNNNNNN ",
        "GPU 0,1: nvidia ",
        "GPU: 4x NVIDIA RTX/",
        "Num GPUs = OUT_OF_ME+ ",
        "Memory Usage for loading ",
        "Max_MA/",
        "DeviceStatsMonitor.a/b,",
        "\u{1b}[0mCUDA out of memory. \u{1b}[0m",
    ];
    for piece in pieces.into_iter().chain(SAMPLES.iter().copied()) {
        let line = own(&piece.replace('\n', " "));
        // What the machine does beside it is no part of the time: the least of three.
        let took = (0..3).map(|_| {
            let start = Instant::now();
            let found = read(line.as_bytes());
            assert!(found.reports.len() <= memory_wall_reports::MOST_REPORTS);
            start.elapsed()
        });
        let took = took.min().unwrap();
        if took > slowest.0 {
            slowest = (took, piece.chars().take(60).collect());
        }
        println!("{took:?} {}", piece.chars().take(60).collect::<String>());
    }
    assert!(slowest.0 < Duration::from_millis(if cfg!(debug_assertions) { 5_000 } else { 100 }), "{slowest:?}");
}

/// A host, a person or a sentence behind "GPU" is no GPU's name.
#[test]
fn hosts_that_are_called_by_their_gpus_are_not_shown() {
    for words in [
        "GPU node: H100-07.corp.internal",
        "GPU node: H100-07",
        "GPU host: A100-DC1-RACK7",
        "Hardware: RTX3090.example.org",
        "Hardware: Tesla T4 alice",
        "GPU server: RTX 3090 NODE12",
    ] {
        let text = format!("{words}\nRuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n");
        let found = ask_everything(text.as_bytes());
        assert_eq!(found.reports.len(), 1, "{text}");
        assert!(!found.reports[0].has(memory_wall_reports::What::Gpu), "{:?}", found.reports[0].facts);
    }
}

#[test]
fn a_megabyte_in_one_line_is_read_in_pieces_and_said() {
    let long = "x ".repeat(1 << 19);
    let text = format!("{long}Available KV cache memory: 1.00 GiB {long}\nGPU KV cache size: 7 tokens\n");
    let found = ask_everything(text.as_bytes());
    assert_eq!((found.cut, found.lines, found.reports.len()), (1, 2, 1));
    let places: Vec<_> = found.reports[0].facts.iter().map(|fact| (fact.place.line, fact.place.column)).collect();
    assert_eq!(places, [(1, long.len() + 28), (2, 20)]);
}

/// What the shell of Windows writes for `>`, in either order of bytes.
#[test]
fn texts_in_utf_16_are_read() {
    for sample in SAMPLES {
        let known = read(sample.as_bytes());
        for big in [false, true] {
            let units = [0xFEFF].into_iter().chain(sample.encode_utf16());
            let bytes: Vec<u8> =
                units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect();
            let found = ask_everything(&bytes);
            assert_eq!(found.reports.len(), known.reports.len(), "{sample}");
            // Only the columns of letters beyond ASCII differ, and there are none before the facts.
            assert_eq!(found.reports, known.reports, "{sample}");
        }
    }
}

/// A terminal of 80 columns breaks words and numbers.
#[test]
fn texts_that_a_terminal_folded_are_read_as_the_whole_ones() {
    let said = |found: &memory_wall_reports::Found| {
        let facts = found.reports.iter().flat_map(|report| &report.facts);
        facts.map(|fact| (fact.what, fact.device, fact.value.clone())).collect::<Vec<_>>()
    };
    for sample in &SAMPLES[..6] {
        let folded = |width: usize| {
            let lines = sample.lines().flat_map(|line| line.as_bytes().chunks(width));
            lines.map(|line| [line, b"\n"].concat()).collect::<Vec<_>>().concat()
        };
        for width in [80, 100, 132] {
            // Where only one line is so long, or none, nothing says that it was folded.
            if sample.lines().map(|line| (line.len() - 1) / width).sum::<usize>() >= 3 {
                assert_eq!(said(&ask_everything(&folded(width))), said(&read(sample.as_bytes())), "{width}: {sample}");
            }
        }
    }
}

/// A hundred megabytes are read in two seconds when optimised; a hundredth of them here.
#[test]
fn many_messages_of_many_sizes_end_in_time() {
    let mut text = String::new();
    for message in 0..100_000 {
        writeln!(text, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}.00 MiB. GPU 0 has a total capacity of 79.11 GiB of which 12.00 MiB is free.", message % 1_000 + 1).unwrap();
    }
    within("many messages", Duration::from_secs(8), || {
        let found = read(text.as_bytes());
        assert_eq!((found.reports.len(), found.left_out), (64, 100_000 - 6_400));
    });
}

#[test]
fn noise_holds_nothing() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let noise: Vec<u8> = (0..1 << 20)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        })
        .collect();
    let found = ask_everything(&noise);
    assert_eq!(found.reports, []);
    // Nor do other files of models and programs.
    for magic in [&b"GGUF\x03\0\0\0"[..], b"\x80\x04\x95", b"PK\x03\x04", b"\x7fELF", b"\x1f\x8b\x08"] {
        assert_eq!(ask_everything(&[magic, &noise[..4_096]].concat()).reports, []);
    }
}

#[test]
fn thousands_of_reports_are_counted() {
    let mut text = String::new();
    for run in 0..500 {
        writeln!(text, "CUDA out of memory. Tried to allocate {run}.00 GiB.").unwrap();
    }
    let found = ask_everything(text.as_bytes());
    assert_eq!((found.reports.len(), found.left_out), (64, 436));
    assert!(found.reports.iter().all(|report| report.kind == Kind::Cuda));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        ask_everything(&bytes);
    }

    #[test]
    fn mutated_samples_are_read(sample in 0..SAMPLES.len(), edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..4), 1..12)) {
        let mut bytes = SAMPLES[sample].as_bytes().to_vec();
        for (at, byte, kind) in edits {
            let at = at.index(bytes.len() + 1);
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 if at < bytes.len() => { bytes.remove(at); }
                _ => {
                    // A piece of another sample in the middle of this one.
                    let other = SAMPLES[usize::from(byte) % SAMPLES.len()].as_bytes();
                    let length = other.len().min(64);
                    bytes.splice(at..at, other[..length].iter().copied());
                }
            }
        }
        ask_everything(&bytes);
    }
}
