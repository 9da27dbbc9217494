//! The options of reinforcement learning, called as TRL calls them.

use memory_wall_runtimes::rollout::Told;

use super::{Known, switch, value};

pub(super) fn rollout() -> Vec<Known> {
    let start = Told::default();
    vec![
        value(
            "--rl",
            "NAME",
            "grpo",
            "in training, lora or qlora: grpo, as TRL runs it with vLLM; --batch is per_device_train_batch_size, --seq is prompt and completion together, --micro-batches is gradient_accumulation_steps, --loss chunked is use_liger_kernel; --checkpointing is full unless told, as TRL's",
        ),
        value(
            "--vllm-mode",
            "WHERE",
            "colocate or server",
            "where vLLM generates: colocate (default: on the trainer's GPUs), server (on GPUs of its own, which are not counted)",
        ),
        value(
            "--vllm-gpu-memory-utilization",
            "P",
            "percent of the GPU such as 30, 30% or 0.3",
            format!("share of each GPU that vLLM takes beside the trainer; default {}", start.share),
        ),
        value(
            "--vllm-tensor-parallel-size",
            "N",
            "a whole number of GPUs",
            format!("GPUs that share one vLLM; default {}", start.tp),
        ),
        value(
            "--vllm-max-model-length",
            "N",
            "a whole number of tokens",
            "longest request that vLLM accepts; default as long as the model was made for",
        ),
        switch("--vllm-enable-sleep-mode", "vLLM frees its weights and its KV cache during the training step"),
        value(
            "--num-generations",
            "N",
            "a whole number of completions",
            format!("completions of each prompt, which are compared; default {}", start.generations),
        ),
        value(
            "--steps-per-generation",
            "N",
            "a whole number of micro-batches",
            "micro-batches whose completions are generated at once; default --micro-batches",
        ),
        value(
            "--max-completion-length",
            "N",
            "a whole number of tokens",
            format!("tokens of the longest completion, part of --seq; default {}", start.completion),
        ),
        value(
            "--reference",
            "WHERE",
            "none, resident or offloaded",
            "the reference model of the KL penalty: none (default: beta 0), resident (beta above 0; with adapters, the base model without them), offloaded (in host memory except during its forward pass, as in verl)",
        ),
    ]
}
