//! The inputs in their groups: every option of the table once, those first that nearly every plan says.

use memory_wall_plan::{PlanOption, by_name};

use crate::board::{PRICE, Slot, TOKENS};

/// Inputs that belong together.
pub(crate) struct Group {
    /// Its name, by which it has its words.
    pub(crate) id: &'static str,
    /// What is always there.
    pub(crate) first: &'static [Slot],
    /// What opens behind it.
    pub(crate) more: &'static [Slot],
}

/// Every group, in the order in which a run is thought up.
pub(crate) static GROUPS: &[Group] = &[
    Group { id: "model", first: &["model", "config", "mode", "weights", "kv"], more: &["attention"] },
    Group { id: "load", first: &["seq", "batch"], more: &[] },
    Group {
        id: "gpus",
        first: &["gpu", "gpu_memory", "gpu_capability", "gpu_bandwidth", "gpu_tflops", "gpu_link", "tp", "dp"],
        more: &[
            "pp",
            "ep",
            "cp",
            "offload",
            "gpu_tflops_fp8",
            "gpu_tflops_fp4",
            "gpu_tops_int8",
            "gpu_tflops_fp32",
            "gpu_host_link",
        ],
    },
    Group {
        id: "runtime",
        first: &["engine", "fit", "ngl", "n_cpu_moe", "host_memory", "host_bandwidth"],
        more: &[
            "engine_version",
            "gpu_memory_utilization",
            "max_model_len",
            "max_num_seqs",
            "max_num_batched_tokens",
            "enforce_eager",
            "language_model_only",
            "prefix_caching",
            "max_loras",
            "max_lora_rank",
            "speculative",
            "num_speculative_tokens",
            "draft",
            "mem_fraction_static",
            "chunked_prefill_size",
            "max_running_requests",
            "context_length",
            "max_total_tokens",
            "disable_cuda_graph",
            "kv_cache_free_gpu_memory_fraction",
            "max_batch_size",
            "max_num_tokens",
            "max_seq_len",
            "device",
            "tensor_split",
            "cpu_moe",
            "ubatch",
            "cache_type_k",
            "cache_type_v",
            "no_kv_offload",
            "swa_full",
            "kv_unified",
        ],
    },
    Group {
        id: "training",
        first: &["implementation", "optimizer", "recipe", "checkpointing", "zero"],
        more: &[
            "recompute_modules",
            "fp8_recipe",
            "fp8_param_gather",
            "activation_func_fp8_input_store",
            "moments",
            "gradients",
            "step",
            "loss",
            "compile",
            "micro_batches",
            "sharding",
            "shard",
            "etp",
            "sequence_parallel",
            "async_tp",
            "no_reshard_after_forward",
            "virtual_stages",
            "pipeline_schedule",
            "decoder_first_pipeline_num_layers",
            "decoder_last_pipeline_num_layers",
            "account_for_embedding_in_pipeline_split",
            "account_for_loss_in_pipeline_split",
            "pipeline_model_parallel_layout",
        ],
    },
    Group {
        id: "rollout",
        first: &["rl"],
        more: &[
            "vllm_mode",
            "max_completion_length",
            "num_generations",
            "vllm_gpu_memory_utilization",
            "vllm_enable_sleep_mode",
            "vllm_max_model_length",
            "vllm_tensor_parallel_size",
            "reference",
            "steps_per_generation",
        ],
    },
    Group {
        id: "adapters",
        first: &["lora_rank", "lora_targets"],
        more: &["lora_dtype", "lora_dropout", "reentrant_checkpointing", "no_kbit_upcast", "quantised_experts"],
    },
    Group { id: "money", first: &[PRICE, TOKENS], more: &[] },
];

/// The option that a slot sets, if it is one.
pub(crate) fn option(slot: Slot) -> Option<&'static PlanOption> {
    by_name(slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;
    use memory_wall_plan::OPTIONS;

    /// What the command can say, the page can say, and the other way round.
    #[test]
    fn every_option_stands_in_one_group_and_has_its_words() {
        let slots: Vec<Slot> = GROUPS.iter().flat_map(|group| group.first.iter().chain(group.more)).copied().collect();
        for (place, slot) in slots.iter().enumerate() {
            assert!(!slots[..place].contains(slot), "{slot} is there twice");
            assert!(option(slot).is_some() || [PRICE, TOKENS].contains(slot), "{slot} is no option");
        }
        let left = OPTIONS.iter().map(|option| option.name).filter(|name| !slots.contains(name));
        assert_eq!(left.collect::<Vec<_>>(), Vec::<&str>::new());
        for slot in slots {
            assert!(!words::OPTION.of(slot).is_empty(), "{slot} has no words");
        }
        for group in GROUPS {
            assert!(!words::INPUTS.of(group.id).is_empty(), "{}", group.id);
        }
    }
}
