//! What a link can say of a plan, and what it cannot yet.

use memory_wall_app::state::query::{self, decode};
use memory_wall_plan::{OPTIONS, Value, by_name};

/// Options that a link has, each with its key, what else the link has to say for it to matter, and a value.
const IN_LINKS: [(&str, &str, &str, &str); 13] = [
    ("model", "model", "", "qwen3-8b"),
    ("mode", "mode", "", "lora"),
    ("batch", "batch", "", "3"),
    ("seq", "seq", "", "4096"),
    ("weights", "weights", "", "int4"),
    ("attention", "attention", "", "eager"),
    ("kv", "kv", "", "fp8"),
    ("recipe", "recipe", "mode=training", "pure"),
    ("optimizer", "optimizer", "mode=training", "sgd"),
    ("checkpointing", "checkpointing", "mode=training", "full"),
    ("lora_targets", "targets", "mode=lora", "qv"),
    ("lora_dtype", "adapters", "mode=lora", "bf16"),
    ("gpu", "gpu", "", "l4"),
];

/// Options that no link has.
const NOT_YET: [&str; 95] = [
    "config",
    "decoder_first_pipeline_num_layers",
    "decoder_last_pipeline_num_layers",
    "account_for_embedding_in_pipeline_split",
    "account_for_loss_in_pipeline_split",
    "pipeline_model_parallel_layout",
    "offload",
    "engine",
    "engine_version",
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
    "gpu_memory_utilization",
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
    "ngl",
    "fit",
    "n_cpu_moe",
    "cpu_moe",
    "device",
    "tensor_split",
    "ubatch",
    "swa_full",
    "kv_unified",
    "cache_type_k",
    "cache_type_v",
    "no_kv_offload",
    "host_memory",
    "host_bandwidth",
    "gradients",
    "moments",
    "fp8_recipe",
    "fp8_param_gather",
    "activation_func_fp8_input_store",
    // In links `step` is the current line of the program that runs line by line, not the optimizer's kernel.
    "step",
    "implementation",
    "sharding",
    "recompute_modules",
    "loss",
    "compile",
    "async_tp",
    "no_reshard_after_forward",
    "micro_batches",
    "rl",
    "vllm_mode",
    "vllm_gpu_memory_utilization",
    "vllm_tensor_parallel_size",
    "vllm_max_model_length",
    "vllm_enable_sleep_mode",
    "num_generations",
    "steps_per_generation",
    "max_completion_length",
    "reference",
    "lora_rank",
    "lora_dropout",
    "reentrant_checkpointing",
    "no_kbit_upcast",
    "quantised_experts",
    "gpu_memory",
    "gpu_capability",
    "gpu_bandwidth",
    "gpu_tflops",
    "gpu_tflops_fp32",
    "gpu_tflops_fp8",
    "gpu_tflops_fp4",
    "gpu_tops_int8",
    "gpu_link",
    "gpu_host_link",
    "dp",
    "tp",
    "pp",
    "ep",
    "etp",
    "cp",
    "zero",
    "shard",
    "virtual_stages",
    "pipeline_schedule",
    "sequence_parallel",
];

#[test]
fn what_a_link_says_of_a_plan_it_says_in_the_same_words() {
    for (option, key, beside, value) in IN_LINKS {
        let link = format!("{beside}&{key}={value}");
        let decoded = decode(&link);
        assert!(decoded.notices.is_empty(), "{link}: {:?}", decoded.notices);
        let option = by_name(option).unwrap();
        if option.name == "model" {
            assert_eq!(decoded.state.model.id, value);
            continue;
        }
        let said = option.of(&decoded.state.scenario()).map(|value| value.to_string());
        // The page has three sets of targets; a plan has every one.
        let meant = if value == "qv" { "q,v" } else { value };
        assert_eq!(said.as_deref(), Some(meant), "{link}");
    }
}

#[test]
fn what_a_link_cannot_say_yet_is_known() {
    for option in OPTIONS {
        let linked = IN_LINKS.iter().any(|(name, ..)| *name == option.name);
        assert_ne!(linked, NOT_YET.contains(&option.name), "{}", option.name);
        if NOT_YET.contains(&option.name) && option.name != "step" {
            assert!(query::keys().all(|key| key != option.name), "links have {} now", option.name);
        }
    }
    assert!(NOT_YET.iter().all(|name| by_name(name).is_some_and(|option| option.name == *name)));
    assert_eq!(by_name("step").unwrap().kind.word("fused"), Ok(Value::Word("fused")));
}
