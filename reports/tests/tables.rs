//! Tables of drivers, of PyTorch's allocator and of estimators, in the shape of the real ones, with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::fmt::Write;

use common::{assert_hides, assert_told, only};
use memory_wall_reports::{Kind, Size, Value, What, read};

const SMI: &str = "Sun May 24 14:08:41 2026\n\
+-----------------------------------------------------------------------------------------+\n\
| NVIDIA-SMI 580.126.09             Driver Version: 580.126.09     CUDA Version: 13.0     |\n\
+-----------------------------------------+------------------------+----------------------+\n\
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n\
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n\
|                                         |                        |               MIG M. |\n\
|=========================================+========================+======================|\n\
|   0  NVIDIA L40S                    On  |   00000000:8D:00.0 Off |                    0 |\n\
| N/A   39C    P0            104W /  325W |   40803MiB /  46068MiB |      0%      Default |\n\
|                                         |                        |                  N/A |\n\
+-----------------------------------------+------------------------+----------------------+\n\
|   1  NVIDIA H100 80GB HBM3          Off |   00000000:9D:00.0 Off |                    0 |\n\
| N/A   39C    P0            104W /  700W |       1MiB /  81559MiB |      0%      Default |\n\
|                                         |                        |             Disabled |\n\
+-----------------------------------------+------------------------+----------------------+\n\
\n\
+-----------------------------------------------------------------------------------------+\n\
| Processes:                                                                              |\n\
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n\
|        ID   ID                                                               Usage      |\n\
|=========================================================================================|\n\
|    0   N/A  N/A            5997      C   /srv/me/venv/bin/python              30794MiB |\n\
|    0   N/A  N/A            6001      C   VLLM::EngineCore                      10000MiB |\n\
+-----------------------------------------------------------------------------------------+\n";

#[test]
fn nvidia_smi_as_a_table() {
    assert_told(
        Kind::NvidiaSmi,
        SMI,
        &[
            "9: gpu0 gpu NVIDIA L40S",
            "10: gpu0 used 42785046528~1048576",
            "10: gpu0 capacity 48305799168~1048576",
            "13: gpu1 gpu NVIDIA H100 80GB HBM3",
            "14: gpu1 used 1048576~1048576",
            "14: gpu1 capacity 85520809984~1048576",
            "23: gpu0 gpu_process 32289849344~1048576",
            "24: gpu0 gpu_process 10485760000~1048576",
        ],
    );
    assert_hides(&read(SMI.as_bytes()), &["/srv", "python", "5997", "8D:00"]);
    // Mebibytes are cut off, not rounded.
    let size = only(Kind::NvidiaSmi, SMI).size(What::Used).unwrap();
    assert_eq!((size.least(), size.most()), (40_803 << 20, (40_804 << 20) + 1));
}

#[test]
fn older_tables_are_narrower() {
    let text = "| NVIDIA-SMI 470.82.01    Driver Version: 470.82.01    CUDA Version: 11.4     |\n\
|   0  Tesla V100-SXM2...  On   | 00000000:00:04.0 Off |                    0 |\n\
| N/A   40C    P0    44W / 300W |  15109MiB / 16160MiB |      0%      Default |\n\
|   1  GeForce RTX 208...  Off  | 00000000:65:00.0 Off |                  N/A |\n\
| 27%   33C    P8     7W / 250W |    271MiB / 11016MiB |      0%      Default |\n";
    assert_told(
        Kind::NvidiaSmi,
        text,
        &[
            "2: gpu0 gpu Tesla V100-SXM2",
            "3: gpu0 used 15842934784~1048576",
            "3: gpu0 capacity 16944988160~1048576",
            "4: gpu1 gpu GeForce RTX 208",
            "5: gpu1 used 284164096~1048576",
            "5: gpu1 capacity 11551113216~1048576",
        ],
    );
}

#[test]
fn nvidia_smi_as_a_query() {
    let text = "==============NVSMI LOG==============\n\nTimestamp                                 : Sun May 24 14:08:41 2026\nAttached GPUs                             : 2\n\
GPU 00000000:8D:00.0\n    Product Name                          : NVIDIA H100 80GB HBM3\n    Serial Number                         : 1650000000000\n    FB Memory Usage\n        Total                             : 81559 MiB\n        Reserved                          : 551 MiB\n        Used                              : 70000 MiB\n        Free                              : 11007 MiB\n    BAR1 Memory Usage\n        Total                             : 131072 MiB\n        Used                              : 1 MiB\n\
GPU 00000000:9D:00.0\n    Product Name                          : NVIDIA H100 80GB HBM3\n    FB Memory Usage\n        Total                             : 81559 MiB\n        Used                              : 0 MiB\n        Free                              : 81007 MiB\n";
    assert_told(
        Kind::NvidiaSmi,
        text,
        &[
            "6: gpu0 gpu NVIDIA H100 80GB HBM3",
            "9: gpu0 capacity 85520809984~1048576",
            "10: gpu0 system_reserved 577765376~1048576",
            "11: gpu0 used 73400320000~1048576",
            "12: gpu0 free 11541676032~1048576",
            "17: gpu1 gpu NVIDIA H100 80GB HBM3",
            "19: gpu1 capacity 85520809984~1048576",
            "20: gpu1 used 0~1048576",
            "21: gpu1 free 84941996032~1048576",
        ],
    );
    assert_hides(&read(text.as_bytes()), &["1650000000000"]);
}

#[test]
fn nvidia_smi_as_comma_separated_values() {
    for text in [
        "index, name, uuid, memory.total [MiB], memory.used [MiB]\n0, NVIDIA A100-SXM4-80GB, GPU-1234, 81920 MiB, 73543 MiB\n1, NVIDIA A100-SXM4-80GB, GPU-5678, 81920 MiB, 4 MiB\n",
        "index, name, uuid, memory.total [MiB], memory.used [MiB]\n0, NVIDIA A100-SXM4-80GB, GPU-1234, 81920, 73543\n1, NVIDIA A100-SXM4-80GB, GPU-5678, 81920, 4\n",
    ] {
        assert_told(
            Kind::NvidiaSmi,
            text,
            &[
                "2: gpu0 gpu NVIDIA A100-SXM4-80GB",
                "2: gpu0 capacity 85899345920~1048576",
                "2: gpu0 used 77115424768~1048576",
                "3: gpu1 gpu NVIDIA A100-SXM4-80GB",
                "3: gpu1 capacity 85899345920~1048576",
                "3: gpu1 used 4194304~1048576",
            ],
        );
        assert_hides(&read(text.as_bytes()), &["GPU-1234"]);
    }
}

#[test]
fn rocm_smi_in_bytes_and_in_percent() {
    assert_told(
        Kind::RocmSmi,
        "GPU[0]\t\t: VRAM Total Memory (B): 68702699520\nGPU[0]\t\t: VRAM Total Used Memory (B): 10932224\nGPU[1]\t\t: VRAM Total Memory (B): 68702699520\n",
        &["1: gpu0 capacity 68702699520", "2: gpu0 used 10932224", "3: gpu1 capacity 68702699520"],
    );
    assert_told(
        Kind::RocmSmi,
        "========================= ROCm System Management Interface =========================\n\
GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%\n\
0    43.0c           41.0W   800Mhz  1600Mhz  0%   auto  300.0W   47%   3%\n\
1    44.0c           42.0W   800Mhz  1600Mhz  0%   auto  300.0W    0%   0%\n\
====================================================================================\n",
        &["3: gpu0 used_share 0.47", "4: gpu1 used_share 0"],
    );
}

#[test]
fn memory_summary_in_both_spellings() {
    for (mib, gib) in [("MiB", "GiB"), ("MB", "GB")] {
        let text = format!(
            "|===========================================================================|\n\
|                  PyTorch CUDA memory summary, device ID 1                 |\n\
|---------------------------------------------------------------------------|\n\
|            CUDA OOMs: 2            |        cudaMalloc retries: 3         |\n\
|===========================================================================|\n\
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n\
|---------------------------------------------------------------------------|\n\
| Allocated memory      |  12057 {mib} |     21 {gib} |   3812 {gib} |   3801 {gib} |\n\
|       from large pool |  12000 {mib} |     20 {gib} |   3812 {gib} |   3801 {gib} |\n\
|---------------------------------------------------------------------------|\n\
| Active memory         |  12057 {mib} |  21500 {mib} |   3812 {gib} |   3801 {gib} |\n\
| Requested memory      |  12001 {mib} |  21400 {mib} |   3812 {gib} |   3801 {gib} |\n\
| GPU reserved memory   |  22084 {mib} |  22084 {mib} |  22084 {mib} |      0 B   |\n\
| Non-releasable memory |    702 {mib} |   1250 {mib} |   3812 {gib} |   3801 {gib} |\n"
        );
        assert_told(
            Kind::MemorySummary,
            &text,
            &[
                "4: ooms 2",
                "4: alloc_retries 3",
                "8: allocated 12642680832~1048576",
                "8: peak_allocated 22548578304~1073741824",
                "11: active 12642680832~1048576",
                "11: peak_active 22544384000~1048576",
                "12: requested_by_tensors 12583960576~1048576",
                "13: reserved 23156752384~1048576",
                "13: peak_reserved 23156752384~1048576",
                "14: inactive_split 736100352~1048576",
            ],
        );
        // "21 GiB" may be up to 22.
        let peak = only(Kind::MemorySummary, &text).size(What::PeakAllocated).unwrap();
        assert_eq!((peak.least(), peak.most()), (21 << 30, (22 << 30) + 1));
    }
}

#[test]
fn memory_stats_flat_and_nested() {
    let flat = "{'active_bytes.all.current': 12642680832, 'active_bytes.all.peak': 22544384000, 'allocated_bytes.all.current': 12642680832, 'allocated_bytes.all.peak': 22548578304, 'allocated_bytes.large_pool.peak': 5, 'num_alloc_retries': 1, 'num_ooms': 0, 'reserved_bytes.all.peak': 23156752384, 'inactive_split_bytes.all.current': 702, 'requested_bytes.all.current': 12583960576}";
    assert_told(
        Kind::MemoryStats,
        flat,
        &[
            "1: active 12642680832",
            "1: peak_active 22544384000",
            "1: allocated 12642680832",
            "1: peak_allocated 22548578304",
            "1: alloc_retries 1",
            "1: ooms 0",
            "1: peak_reserved 23156752384",
            "1: inactive_split 702",
            "1: requested_by_tensors 12583960576",
        ],
    );
    let nested = "{\n  \"allocated_bytes\": {\n    \"all\": {\n      \"current\": 12642680832,\n      \"peak\": 22548578304\n    },\n    \"small_pool\": {\n      \"peak\": 3\n    }\n  },\n  \"reserved_bytes\": {\n    \"all\": {\n      \"peak\": 23156752384\n    }\n  }\n}\n";
    assert_told(
        Kind::MemoryStats,
        nested,
        &["4: allocated 12642680832", "5: peak_allocated 22548578304", "13: peak_reserved 23156752384"],
    );
    // Two printings are two reports.
    assert_eq!(read(format!("{flat}\n{flat}\n").as_bytes()).reports.len(), 2);
}

#[test]
fn accelerate_estimates_by_precision() {
    let text = "┌────────────────────────────────────────────────────┐\n│     Memory Usage for loading `org/Some-Model-7B`      │\n├───────┬─────────────┬──────────┬───────────────────┤\n│ dtype │Largest Layer│Total Size│Training using Adam│\n├───────┼─────────────┼──────────┼───────────────────┤\n│float32│   1.25 GB   │ 27.98 GB │     111.92 GB     │\n│  int4 │  160.0 MB   │  3.5 GB  │        N/A        │\n└───────┴─────────────┴──────────┴───────────────────┘\n";
    assert_told(
        Kind::Accelerate,
        text,
        &[
            "2: model Some-Model-7B",
            "6: dtype float32",
            "6: largest_layer 1342177280~10737418",
            "6: weights_fp32 30043296235~10737418",
            "6: training_size 120173184942~10737418",
            "7: dtype int4",
            "7: largest_layer 167772160~104857",
            "7: weights_4_bits 3758096384~107374182",
        ],
    );
}

#[test]
fn trainers_print_what_they_took() {
    assert_told(
        Kind::DeepSpeed,
        "[2026-01-01 10:00:00,000] [INFO] [utils.py:782:see_memory_usage] Before initializing optimizer states\n[2026-01-01 10:00:00,001] [INFO] [utils.py:783:see_memory_usage] MA 15.01 GB         Max_MA 15.02 GB         CA 15.03 GB         Max_CA 15 GB\n[2026-01-01 10:00:00,002] [INFO] [utils.py:790:see_memory_usage] CPU Virtual Memory:  used = 45.5 GB, percent = 4.5%\n",
        &[
            "2: allocated 16116864778~10737418",
            "2: peak_allocated 16127602196~10737418",
            "2: reserved 16138339614~10737418",
            "2: peak_reserved 16106127360~1073741824",
            "3: host_used 48855252992~107374182",
        ],
    );
    assert_told(
        Kind::Torchtitan,
        "[titan] 2026-01-01 10:00:00 - root - INFO - CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory\n[titan] - INFO - \x1b[34mModel llama3 8B \x1b[31msize: 8,030,261,248 total parameters\x1b[39m\n[titan] - INFO - CUDA memory usage for model: 3.77GiB(4.77%)\n[titan] - INFO - \x1b[31mstep: 10  \x1b[32mloss:  9.5000  \x1b[38;2;54;234;195mmemory: 47.50GiB(60.05%)  \x1b[34mtps: 5,000\x1b[39m\n",
        &[
            "1: gpu NVIDIA H100 80GB HBM3",
            "1: capacity 84932978278~10737418",
            "2: parameters 8030261248",
            "3: reserved 4048006676~10737418",
            "4: peak_reserved 51002736640~10737418",
            "2: model llama3-8B",
        ],
    );
    // LitGPT counts in powers of 1,000.
    assert_told(Kind::Litgpt, "Memory used: 21.43 GB", &["1: peak_allocated 21430000000~10000000"]);
    assert_told(
        Kind::Trainer,
        "***** Running training *****\n  Num examples = 1,000\n  Instantaneous batch size per device = 4\n  Gradient Accumulation steps = 8\n  Number of trainable parameters = 20,971,520\n",
        &["3: batch_size 4", "4: micro_batches 8", "5: trainable_parameters 20971520"],
    );
}

#[test]
fn settings_of_a_training_run_in_yaml_and_on_the_command_line() {
    let yaml = "base_model: meta-llama/Llama-3.1-8B\nload_in_4bit: true\nadapter: qlora\nlora_r: 32\nsequence_len: 4096\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\noptimizer: adamw_bnb_8bit\ngradient_checkpointing: true\nhub_token: hf_abcdefgh\n";
    assert_told(
        Kind::Trainer,
        yaml,
        &[
            "1: model Llama-3.1-8B",
            "2: load_in_4bit true",
            "3: adapter qlora",
            "4: lora_rank 32",
            "5: seq_length 4096",
            "6: batch_size 2",
            "7: micro_batches 4",
            "8: optimizer adamw_bnb_8bit",
            "9: checkpointing true",
        ],
    );
    assert_hides(&read(yaml.as_bytes()), &["hf_abc"]);
    assert_told(
        Kind::Trainer,
        "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 4 --max_seq_length 2048 --optim adamw_torch --bf16 --gradient_checkpointing True --output_dir /scratch/me/out",
        &[
            "1: gpu_count 8",
            "1: model Qwen2.5-7B",
            "1: batch_size 4",
            "1: seq_length 2048",
            "1: optimizer adamw_torch",
            "1: bf16 true",
            "1: checkpointing true",
        ],
    );
}

#[test]
fn a_config_among_other_text_is_kept_for_its_own_reader() {
    let text = "some log line\n{\n  \"architectures\": [\"LlamaForCausalLM\"],\n  \"hidden_size\": 2048,\n  \"model_type\": \"llama\",\n  \"quantization_config\": {\"load_in_4bit\": true}\n}\nmore\n";
    let found = read(text.as_bytes());
    assert_eq!(found.reports.len(), 1);
    let report = &found.reports[0];
    assert_eq!((report.kind, report.from, report.to), (Kind::Config, 2, 7));
    assert!(report.text.as_deref().unwrap().starts_with('{') && report.text.as_deref().unwrap().ends_with('}'));
}

#[test]
fn a_number_that_cannot_be_read_is_said() {
    let found = read(b"Available KV cache memory: 99999999999999999999 GiB\nLoading model weights took 1.5e10 GB\n");
    let places: Vec<_> = found.odd.iter().map(|(_, place)| (place.line, place.column)).collect();
    assert_eq!(places, [(1, 28), (2, 28)]);
    assert!(found.reports.is_empty());
}

#[test]
fn of_many_figures_the_greatest_is_kept() {
    let mut text = String::new();
    for step in 0..1_000 {
        let memory = if step == 700 { 77 } else { 10 + step % 50 };
        writeln!(text, "step: {step}  loss: 1.0  memory: {memory}.00GiB(1%)").unwrap();
    }
    let report = only(Kind::Torchtitan, &text);
    assert_eq!(report.greatest(What::PeakReserved).unwrap().bytes, 77 << 30);
    assert!(report.facts.len() <= memory_wall_reports::SAME);
    assert!(report.facts.iter().all(|fact| matches!(fact.value, Value::Size(Size { grain: 10_737_418, .. }))));
}
