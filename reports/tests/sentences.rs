//! What people write around the words of a program: the GPU and the model in a heading or a sentence, and settings of trainers. The texts
//! are our own, in the shape of public issues.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{assert_hides, assert_told, only};
use memory_wall_reports::explain::{Stated, explain, gpu_named, several_named};
use memory_wall_reports::{Kind, What, read};

const REFUSAL: &str = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n";

/// The GPU with how many there are, and the model, that are read beside a message.
fn names(words: &str) -> (Option<String>, Option<u64>, Option<String>) {
    let found = read([words, REFUSAL].concat().as_bytes());
    let name = |what| found.reports.iter().find_map(|report| report.name(what)).map(str::to_owned);
    let count = found.reports.iter().find_map(|report| report.count(What::GpuCount));
    (name(What::Gpu), count, name(What::Model))
}

fn id(words: &str) -> Option<&'static str> {
    let found = read([words, REFUSAL].concat().as_bytes());
    let stated = Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false };
    explain(&found, &[], &stated).gpu.map(|gpu| gpu.id)
}

#[test]
fn a_sentence_names_the_gpu_and_how_many_there_are() {
    for (words, name, count, row) in [
        ("# OOM with 8XH100 and zero3\n", "NVIDIA H100", 8, "h100-sxm"),
        ("# Train it with 8*H100(80GB) OOM\n", "NVIDIA H100 80GB", 8, "h100-sxm"),
        ("# OOM on 8 x H100 80GB HBM3\n", "NVIDIA H100 80GB", 8, "h100-sxm"),
        ("It dies on two L40 GPUs (48G) with the newest release.\n", "NVIDIA L40 48GB", 2, "l40"),
        ("I use five V100-32G GPUs for it\n", "NVIDIA V100 32GB", 5, "v100-sxm2-32"),
        ("OOM on a single RTX 3090 (24GB)\n", "RTX 3090 24GB", 1, "rtx3090"),
        ("trained on a 24GB NVIDIA L4 of a cloud\n", "NVIDIA L4 24GB", 1, "l4"),
        ("## Dual RTX 5090\n", "RTX 5090", 2, "rtx5090"),
        ("on **RTX PRO 6000 Blackwell** (96 GB VRAM, sm_120)\n", "RTX PRO 6000 96GB", 1, "rtxpro6000"),
        ("We have 16xA100 80GB here\n", "NVIDIA A100 80GB", 16, "a100-80-sxm"),
        ("out of CPU memory on A100 80Gx4\n", "NVIDIA A100 80GB", 4, "a100-80-sxm"),
        ("\u{786c}\u{4ef6}\u{4f7f}\u{7528}4\u{5f20}80G A100\n", "NVIDIA A100 80GB", 4, "a100-80-sxm"),
        ("gpu 8 nvidia h200 141Gb\n", "NVIDIA H200 141GB", 8, "h200-sxm"),
        ("Specs: 8 x 4090 instance\n", "RTX 4090", 8, "rtx4090"),
        ("Rented 4x RTX 4090s for it\n", "RTX 4090", 4, "rtx4090"),
        ("the RTX 3090 Ti is full\n", "RTX 3090 Ti", 1, "rtx3090ti"),
        ("our 16xA100 80GB are full, and so is Qwen3-8B\n", "NVIDIA A100 80GB", 16, "a100-80-sxm"),
        ("# OOM with Qwen3-8B\nrun on 8 RTX 3090\n", "RTX 3090", 8, "rtx3090"),
        ("NVIDIA RTX 3090 was full\n", "RTX 3090", 1, "rtx3090"),
        ("with an AMD Instinct MI300X of ours\n", "AMD MI300X", 1, "mi300x"),
        ("on a Radeon RX 7900 XTX\n", "AMD RX 7900 XTX", 1, "rx7900xtx"),
        ("## XPU TP=2 on dual Intel Arc Pro B60\n", "Intel Arc Pro B60", 2, "arc-pro-b60"),
        ("on RTX PRO 5000 Blackwell\n", "RTX PRO 5000", 1, "rtxpro5000"),
        // The same one twice, once with its memory.
        ("# OOM on H100\nWe have 8xH100 80GB.\n", "NVIDIA H100 80GB", 8, "h100-sxm"),
        // Memory of the computer is none of the GPU.
        ("### Runs out with RTX 5090 200GB RAM\n", "RTX 5090", 1, "rtx5090"),
        // A label counts more.
        ("GPU: RTX 3090\nIt dies on the A100 too.\n", "RTX 3090", 1, "rtx3090"),
    ] {
        let (gpu, several, _) = names(words);
        assert_eq!((gpu.as_deref(), several.unwrap_or(1)), (Some(name), count), "{words}");
        assert_eq!(id(words), Some(row), "{words}");
    }
}

#[test]
fn what_a_sentence_leaves_open_names_no_gpu() {
    for words in [
        // Two kinds, in one line or in two.
        "## RTX 3060 works and RTX 3090 fails\n",
        "OOM on H100, and on A100 too\n",
        "OOM on H100.\nThe A100 is fine.\n",
        "A100 40GB is full, A100 80GB is not\n",
        // What is needed, what others have, what it is compared with.
        "It works on an RTX 3090\n",
        "Recommended: RTX 4090\n",
        "You should use an H100 for it\n",
        "This needs 8x H100\n",
        "A benchmark of H100\n",
        // A laptop's has less memory.
        "## CUDA error on RTX 3060 Laptop 6GB\n",
        // Comments of scripts, files, hosts, versions and sizes.
        "bf16: true\n# a comment of a script: H100 80GB\n",
        "see dsv4_fp8_h200_sglang.sh\n",
        "see configs/h200.yaml and https://example.org/h100\n",
        "host H100-07 is down\n",
        "cache of 4090 tokens, step 3090\n",
        "L4 is a layer, T4 a test\n",
        "model M4 of 7\n",
        "RTX is a series\n",
        "a Mac with an M4 Max\n",
        "an M4 Max 36GB, then an M3 Ultra 256GB\n",
        "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S\n",
        "NVIDIA 535\n",
    ] {
        assert_eq!(names(words).0, None, "{words}");
    }
    // How many there are is not taken from a version.
    assert_eq!(names("CUDA 12.4 H100\n").1, None);
    assert_eq!(names("epoch 4 A100\n").1, None);
    // Whatever a sentence says, a program knows its GPU better, and nothing else of the sentence is kept.
    let log = "# alice's RTX 3090 is full\nggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes\n";
    let found = read(log.as_bytes());
    assert_eq!(found.reports[0].name(What::Gpu), Some("NVIDIA GeForce RTX 4090"));
    assert_hides(&read([log, REFUSAL].concat().as_bytes()), &["alice"]);
    // A GPU alone is nothing that was left behind; a GPU and a model are a run, if only in words.
    assert!(read(b"I have an H100\n").reports.is_empty());
    assert!(read(b"Qwen/Qwen3-8B is here\n").reports.is_empty());
    assert_told(
        Kind::Description,
        "Qwen/Qwen3-8B\nis slow on 2x H100\n",
        &["2: gpu_count 2", "2: gpu NVIDIA H100", "1: model Qwen3-8B"],
    );
}

#[test]
fn a_sentence_names_the_model() {
    for (words, name) in [
        ("# Training GRPO (Qwen/Qwen2.5-7B) with LoRA\n", "Qwen2.5-7B"),
        ("- **Model**: Qwen/Qwen3-8B\n", "Qwen3-8B"),
        ("- Model: 2 * meta-llama/Llama-3.1-8B-Instruct\n", "Llama-3.1-8B-Instruct"),
        ("Qwen3-8B runs out of memory\n", "Qwen3-8B"),
        ("started with MODEL=deepseek-ai/DeepSeek-V3 TP=8\n", "DeepSeek-V3"),
        ("when training llama-7b\n", "llama-7b"),
        ("# DeepSeek-V4-Pro FP8 is full\n", "DeepSeek-V4-Pro-FP8"),
        ("- **Model**: deepseek-v3 671B Q2_K_L quantized\n", "deepseek-v3-671B-Q2_K_L"),
        ("# Llama 3.1 70B runs out of memory\n", "Llama-3.1-70B"),
        ("# crashes for qwen3 235b a22b fp8\n", "qwen3-235b-a22b-fp8"),
        ("# DeepSeek-V4-Pro FP8 is full\nwith deepseek-ai/DeepSeek-V4-Pro\n", "DeepSeek-V4-Pro-FP8"),
        ("the `ibm-granite/granite-3.1-8b-instruct` model\n", "granite-3.1-8b-instruct"),
        ("Qwen3-8B-Instruct it is, this Qwen3-8B\n", "Qwen3-8B-Instruct"),
    ] {
        assert_eq!(names(words).2.as_deref(), Some(name), "{words}");
    }
    for words in [
        "OOM with Qwen3-8B, and Qwen3-4B too\n",
        "Qwen3-8B works\n",
        "llama.cpp is full\n",
        "my qwen is full\n",
        "see /srv/alice/Qwen3-8B\n",
        "see Qwen3-8B.gguf.txt\n",
        "the file qwen3_8b_config.json\n",
        "alice/Qwen3-8B is mine\n",
        "https://huggingface.co/Qwen/Qwen3-8B\n",
        "bf16: true\n# base: Qwen/Qwen3-8B\n",
    ] {
        assert_eq!(names(words).2, None, "{words}");
    }
    // The weights lie on GPUs of which nobody says how many: they are not compared with a model that only a person names.
    let log = "# Qwen3-8B on 8x H100\nLoad weight end. quant=fp8, avail mem=12.25 GB, mem usage=2.65 GB.\n";
    assert_eq!(only(Kind::Sglang, log).name(What::Model), None);
    // A command knows it better.
    let command = "# OOM with Qwen3-8B\nvllm serve Qwen/Qwen3-4B --max-model-len 8192\n";
    assert_eq!(only(Kind::Vllm, command).name(What::Model), Some("Qwen3-4B"));
}

#[test]
fn a_heading_names_the_stage_of_zero() {
    let stage = |words: &str| {
        let found = read([words, REFUSAL].concat().as_bytes());
        found.reports.iter().find_map(|report| report.count(What::ZeroStage))
    };
    for words in [
        "# OOM with deepspeed zero3\n",
        "# OOM when using Deepspeed ZERO-3\n",
        "OOM with ZeRO Stage 3\n",
        "in zero stage 3\n",
    ] {
        assert_eq!(stage(words), Some(3), "{words}");
    }
    for words in [
        "zero 3 times\n",
        "it was ZeRO-2\nnow it is ZeRO-3\n",
        "from zero to 3\n",
        "Level Zero 1.26\n",
        "ZeRO-Offload\n",
    ] {
        assert_eq!(stage(words), None, "{words}");
    }
}

/// `GPU 0:`, `GPU 1:`, one a line.
#[test]
fn equal_gpus_that_are_listed_one_a_line_are_several() {
    let list = |count: usize| {
        let line = |gpu| format!("GPU {gpu}: NVIDIA GeForce RTX 4090\n");
        (0..count).map(line).collect::<Vec<_>>().concat()
    };
    assert_eq!(names(&list(1)).1, None);
    assert_eq!(names(&list(4)).1, Some(4));
    assert_eq!(names("GPU 0,1,2,3: NVIDIA GeForce RTX 4090\n").1, Some(4));
    assert_eq!(names("GPU 0-7: NVIDIA H100 80GB HBM3\n").1, Some(8));
    assert_eq!(names("GPU: RTX 4090\nGPU 0: NVIDIA GeForce RTX 4090\n").1, None);
}

#[test]
fn names_that_leave_open_which_gpu_it_is_are_told_from_unknown_ones() {
    let ids = |name: &str| several_named(name).iter().map(|gpu| gpu.id).collect::<Vec<_>>();
    assert!(ids("A100").contains(&"a100-40-sxm") && ids("A100").contains(&"a100-80-sxm"), "{:?}", ids("A100"));
    for name in ["H100 PCIe", "RTX 4090", "Arc A770 8GB", "RTX 3060 6GB", "GPU"] {
        assert_eq!(ids(name), Vec::<&str>::new(), "{name}");
    }
    // There is an A770 with 8 GB, which the table doesn't have.
    assert_eq!(gpu_named("Intel Arc A770 8GB", None).map(|gpu| gpu.id), None);
    assert_eq!(gpu_named("Intel Arc A770 16GB", None).map(|gpu| gpu.id), Some("arc-a770"));
}

/// verl-project/verl#855, om-ai-lab/VLM-R1#337, OpenRLHF/OpenRLHF#398: what commands of trainers say.
#[test]
fn commands_of_trainers_say_lengths_stages_and_shares() {
    let verl = "python3 -m verl.trainer.main_ppo \\\n    data.train_batch_size=64 \\\n    data.max_prompt_length=512 \\\n    data.max_response_length=1024 \\\n    actor_rollout_ref.model.path=deepseek-ai/DeepSeek-R1-Distill-Qwen-14B \\\n    actor_rollout_ref.model.enable_gradient_checkpointing=True \\\n    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 \\\n    actor_rollout_ref.rollout.gpu_memory_utilization=0.4 \\\n";
    assert_told(
        Kind::Trainer,
        verl,
        &[
            "2: global_batch 64",
            "3: longest_prompt 512",
            "4: longest_answer 1024",
            "5: model DeepSeek-R1-Distill-Qwen-14B",
            "6: checkpointing true",
            "7: batch_size 2",
            "8: utilization 0.4",
        ],
    );
    for (file, stage) in [
        ("local_scripts/zero3_offload.json", Some(3)),
        ("examples/deepspeed/ds_z2_config.json", Some(2)),
        ("${REPO_HOME}/local_scripts/zero3_offload.json", Some(3)),
        ("ds_stage_1.json", Some(1)),
        ("ds_config.json", None),
        ("zero30.json", None),
        ("size_z9.json", None),
    ] {
        let text = format!("swift sft --deepspeed {file} --lora_rank 8\n");
        let report = only(Kind::Trainer, &text);
        assert_eq!((report.count(What::ZeroStage), report.count(What::LoraRank)), (stage, Some(8)), "{file}");
    }
    let openrlhf =
        "   --pretrain meta-llama/Meta-Llama-3-8B \\\n   --prompt_max_len 1024 \\\n   --generate_max_len 2048 \\\n";
    assert_told(
        Kind::Trainer,
        openrlhf,
        &["1: model Meta-Llama-3-8B", "2: longest_prompt 1024", "3: longest_answer 2048"],
    );
    let torchrun =
        "torchrun --nproc_per_node=5 train.py \\\n    --max_seq_len 512 \\\n    --per_device_train_batch_size 4 \\\n";
    assert_told(Kind::Trainer, torchrun, &["1: gpu_count 5", "2: seq_length 512", "3: batch_size 4"]);
}

#[test]
fn settings_that_are_commented_out_are_none() {
    let yaml = "base_model: Qwen/Qwen3-8B\n# micro_batch_size: 8\n  # sequence_len: 32768\n// \"gradient_accumulation_steps\": 16\nmicro_batch_size: 2 # gradient_accumulation_steps: 4\n";
    assert_told(Kind::Trainer, yaml, &["1: model Qwen3-8B", "5: batch_size 2"]);
    // A heading is no comment.
    assert_told(Kind::Trainer, "# OOM with per_device_train_batch_size=1\n", &["1: batch_size 1"]);
}

/// meta-llama/llama-cookbook#120, DeepSpeed's start, NVIDIA/TensorRT-LLM#1188, Slurm's scripts, llama.cpp of 2023 and of today.
#[test]
fn more_lines_of_programs() {
    assert_told(
        Kind::Trainer,
        "Max CUDA memory allocated was 42 GB\nMax CUDA memory reserved was 63 GB\nPeak active CUDA memory was 59 GB\n",
        &[
            "1: peak_allocated 45097156608~1073741824",
            "2: peak_reserved 67645734912~1073741824",
            "3: peak_active 63350767616~1073741824",
        ],
    );
    assert_told(
        Kind::DeepSpeed,
        "[INFO] [Rank 0] DeepSpeed info: version=0.16.1, git-hash=unknown\n[INFO] [config.py:733:__init__] Config mesh_device None world_size = 2\n",
        &["1: gpu0 version 0.16.1", "2: gpu_count 2"],
    );
    assert_told(Kind::System, "#SBATCH --mem=64Gb\n", &["1: host_limit 68719476736~1073741824"]);
    assert!(read(b"#SBATCH --mem=64000\n").reports.is_empty());
    let convert = "python ./convert_checkpoint.py --model_dir /srv/data/Llama-2-7b-chat-hf --dtype float16\n";
    assert_told(Kind::TensorRtLlm, convert, &["1: model Llama-2-7b-chat-hf", "1: dtype float16"]);
    assert_told(Kind::LlamaCpp, "print_info: model params     = 6.74 B\n", &["1: parameters 6740000000"]);
    assert_told(Kind::LlamaCpp, "llama_model_load_internal: n_vocab    = 32001\n", &["1: vocab_size 32001"]);
    let failed = read(b"torch.OutOfMemoryError: Allocation on device\n");
    assert!(failed.reports[0].is_failure());
}

/// A cgroup without a limit, and EnzymeAD/Enzyme-JAX#2422, whose words have units where XLA's are bytes.
#[test]
fn what_is_no_limit_and_what_has_a_unit() {
    let killed = "oom-kill:constraint=CONSTRAINT_MEMCG\nmemory: usage 1048576kB, limit 9007199254740988kB, failcnt 0\n";
    assert_told(Kind::HostMemory, killed, &["2: host_used 1073741824~1024"]);
    let set = killed.replace("9007199254740988", "2097152");
    assert_told(Kind::HostMemory, &set, &["2: host_used 1073741824~1024", "2: host_limit 2147483648~1024"]);
    assert_told(Kind::TensorFlow, "Limit:            31.25 GiB\n", &["1: allowed 33554432000~10737418"]);
    assert_told(Kind::TensorFlow, "Limit:            33550136934\n", &["1: allowed 33550136934"]);
}

/// PrincetonUniversity/jobstats#57: cells are empty, and those that stand are below their dashes.
#[test]
fn columns_of_sacct_are_read() {
    let sacct = "JobID            ReqMem     MaxRSS    Elapsed \n\
        ------------ ---------- ---------- ---------- \n\
        81                  10G              00:13:10 \n\
        81.batch                 10466336K   00:13:10 \n";
    let told = ["3: host_limit 10737418240~1073741824", "4: host_process 10717528064~1024"];
    assert_told(Kind::System, sacct, &told);
    let bars = "JobID|State|MaxRSS|ReqMem\n81|OUT_OF_MEMORY||4000Mc\n81.0|OUT_OF_MEMORY|1.50G|\n";
    assert_told(Kind::System, bars, &["3: host_process 1610612736~10737418"]);
    assert!(read(b"sacct --format=JobID,MaxRSS,ReqMem\n").reports.is_empty());
}
