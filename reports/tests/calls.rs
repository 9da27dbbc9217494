//! Settings in calls of scripts and in long commands, and lines of more programs. The texts are our own, in the shape of public issues.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, only};
use memory_wall_reports::explain::{Stated, explain};
use memory_wall_reports::{Kind, What, read};

#[test]
fn calls_of_vllm_are_read_over_their_lines() {
    let call = "llm = LLM(\n    model=\"Qwen/Qwen3-8B\",\n    tensor_parallel_size=2,\n    max_model_len=4096,\n    gpu_memory_utilization=0.9,\n)\n";
    let told = ["2: model Qwen3-8B", "3: tensor_parallel 2", "4: max_model_len 4096", "5: utilization 0.9"];
    assert_told(Kind::Vllm, call, &told);
    for name in ["AsyncEngineArgs", "EngineArgs"] {
        let text = format!("args = {name}(model=\"Qwen/Qwen3-8B\",\n    dtype=\"bfloat16\")\n");
        let report = only(Kind::Vllm, &text);
        assert_eq!((report.name(What::Model), report.name(What::Dtype)), (Some("Qwen3-8B"), Some("bfloat16")));
    }
    // Whose call it is stays open without a setting that only one library has.
    for text in [
        "llm = LLM(model=\"x/Big-7B\", tensor_parallel_size=2)\n",
        "LLM(7)\n",
        "an LLM (small)\n",
        "FastLLM(max_model_len)\n",
    ] {
        assert!(read(text.as_bytes()).reports.iter().all(|report| report.kind != Kind::Vllm), "{text}");
    }
}

#[test]
fn calls_that_make_adapters_say_their_rank() {
    let config = "peft_config = LoraConfig(task_type=TaskType.CAUSAL_LM,\n        inference_mode=False,\n        r=12,\n        lora_alpha=32)\n";
    assert_told(Kind::Trainer, config, &["3: lora_rank 12"]);
    let unsloth = "model = FastLanguageModel.get_peft_model(\n    model,\n    r = 16,\n    lora_alpha = 32,\n)\n";
    assert_told(Kind::Trainer, unsloth, &["3: lora_rank 16"]);
    for text in ["LoraConfig(lora_alpha=32)\n", "r=12\n", "plot(r=12)\n"] {
        assert!(read(text.as_bytes()).reports.iter().all(|report| !report.has(What::LoraRank)), "{text}");
    }
}

#[test]
fn long_commands_are_read_to_their_end_and_count_the_gpus_of_all_nodes() {
    let mut command = String::from("python3 -m verl.trainer.main_ppo \\\n    data.train_batch_size=64 \\\n");
    command += &"    some.other.setting=1 \\\n".repeat(40);
    command += "    actor_rollout_ref.model.path=/srv/Qwen2.5-VL/7B \\\n    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \\\n    trainer.n_gpus_per_node=8 \\\n    trainer.nnodes=2\n";
    assert_told(
        Kind::Trainer,
        &command,
        &[
            "2: global_batch 64",
            "43: model Qwen2.5-VL-7B",
            "44: rollout_tensor_parallel 2",
            "45: gpu_count 16",
            "46: nodes 2",
        ],
    );
    assert_told(Kind::Trainer, "deepspeed --num_gpus 8 --num_nodes 3 train.py\n", &["1: gpu_count 24", "1: nodes 3"]);
    assert_told(Kind::Trainer, "torchrun --nproc_per_node=4 train.py\n", &["1: gpu_count 4"]);
    // Ranks of a server that generates are none of the trainer.
    assert_eq!(only(Kind::Trainer, &command).count(What::TensorParallel), None);
}

#[test]
fn mlx_says_what_it_trains_and_how_long_sequences_may_be() {
    assert_told(
        Kind::Trainer,
        "Trainable parameters: 1.045% (83.886M/8030.261M)\n[WARNING] Some sequences are longer than 8192 tokens. The longest sentence 19487 will be truncated to 8192. Consider pre-splitting your data to save memory.\n",
        &["1: trainable_parameters 83886000", "1: parameters 8030261000", "2: seq_length 8192"],
    );
    assert_told(
        Kind::Metal,
        "std::runtime_error: Attempting to allocate 19081554496 bytes which is greater than the maximum allowed buffer size of 17179869184 bytes.\n",
        &["1: requested 19081554496", "1: one_allocation 17179869184"],
    );
    assert_told(Kind::Trainer, "grad_checkpoint: true\n", &["1: checkpointing true"]);
}

#[test]
fn more_programs_say_why_they_do_not_start() {
    let unsloth = "Failed to load model: About 12 GB of this model does not fit in GPU memory and would run from system RAM. Only about 9 GB is available and 2 GB of that is kept free.\n";
    let told = ["1: missing 12884901888~1073741824", "1: refusal system_memory", "1: host_free 9663676416~1073741824"];
    assert_told(Kind::Unsloth, unsloth, &told);
    for text in [
        "\"Not enough resources to load the model with the current settings\"\n",
        "not enough resources to run model with the current settings\n",
    ] {
        assert_told(Kind::LmStudio, text, &["1: refusal guardrails"]);
    }
    assert_told(Kind::LmStudio, "    \"n_gpu_layers\": 81\n", &["1: gpu_layers 81"]);
    for step in ["Decode", "Prefill"] {
        let text =
            format!("RuntimeError: {step} out of memory. Try to lower your batch size.\nTry to allocate 148 tokens.\n");
        assert_told(Kind::Sglang, &text, &["1: refusal total_tokens"]);
    }
    let npu = "PID:7 Memory_Allocation_Failure(EL0004): Failed to allocate memory requested by APP module.\n";
    assert!(only(Kind::Npu, npu).is_failure());
    assert_told(
        Kind::Ollama,
        "level=DEBUG source=memory.go:107 msg=evaluating library=cuda gpu_count=2 available=\"[23.3 GiB 15.5 GiB]\"\n",
        &["1: gpu0 free 25018184499~107374182", "1: gpu1 free 16642998272~107374182"],
    );
    assert_told(
        Kind::TensorRtLlm,
        "python3 build.py --model_dir ./llama --dtype float16 \\\n  --max_batch_size \"32\" --max_input_len 2048 --tp_size 2\n",
        &["1: model llama", "1: dtype float16", "2: max_num_seqs 32", "2: longest_prompt 2048", "2: tensor_parallel 2"],
    );
}

/// NVIDIA/TensorRT-LLM#8843: the states of a hybrid model are more than what the share leaves of a small GPU.
#[test]
fn states_beyond_the_pool_are_no_number() {
    let text = "GPU: NVIDIA GeForce RTX 5060 Ti (16 GB)\ntrtllm-serve \"nvidia/NVIDIA-Nemotron-Nano-9B-v2-NVFP4\" \\\n  --max_num_tokens 30000 \\\n  --max_seq_len 30000 \\\n  --max_batch_size 1 \\\n  --port 8000\n";
    let found = read(text.as_bytes());
    assert_eq!(found.reports[0].count(What::MaxModelLen), Some(30_000));
    let stated = Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false };
    let explanation = explain(&found, &[], &stated);
    assert_eq!(explanation.gpu.map(|gpu| gpu.id), Some("rtx5060ti-16"));
    assert!(explanation.scenario.is_some());
}
