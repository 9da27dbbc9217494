//! accelerate's YAML file.

use alloc::string::ToString;

use super::Meaning;
use super::reading::{Item, Reading, all, flat, loaded, says, unknown, unread};
use crate::node::{Json, Node};

const WITHOUT_EFFECT: &[&str] = &[
    "compute_environment",
    "debug",
    "downcast_bf16",
    "machine_rank",
    "main_process_ip",
    "main_process_port",
    "main_training_function",
    "num_machines",
    "rdzv_backend",
    "same_network",
    "use_cpu",
    "enable_cpu_affinity",
    "tpu_env",
    "tpu_use_cluster",
    "tpu_use_sudo",
    "gpu_ids",
    "fsdp_config.fsdp_version",
    "fsdp_config.fsdp_auto_wrap_policy",
    "fsdp_config.fsdp_transformer_layer_cls_to_wrap",
    "fsdp_config.fsdp_state_dict_type",
    "fsdp_config.fsdp_cpu_ram_efficient_loading",
    "fsdp_config.fsdp_sync_module_states",
    "fsdp_config.fsdp_use_orig_params",
    "fsdp_config.fsdp_backward_prefetch",
    "fsdp_config.fsdp_forward_prefetch",
    "deepspeed_config.deepspeed_multinode_launcher",
    "deepspeed_config.zero3_save_16bit_model",
];

pub(super) fn read(reading: &mut Reading, node: &Node) {
    reading.say("mode", "training");
    let by_deepspeed = node.value.get("distributed_type").is_some_and(|found| found.value.text() == Some("DEEPSPEED"));
    let by_file = reading_of(node, "deepspeed_config_file").is_some();
    let mut items = flat(node);
    let sharded = node
        .value
        .entries()
        .iter()
        .find(|entry| entry.key == "distributed_type")
        .filter(|found| matches!(found.node.value.text(), Some("FSDP" | "DEEPSPEED")));
    // In older files `fp16` says it.
    if let Some(sharded) = sharded
        && !by_file
        && ["mixed_precision", "fp16"].iter().all(|name| node.value.get(name).is_none())
    {
        items.push(Item { line: sharded.line, name: "mixed_precision".into(), value: Json::Null });
    }
    for item in items {
        let meaning = match (item.name.as_str(), item.text()) {
            // It keeps an fp32 copy beside weights in 16 bits, whatever they were loaded in.
            ("mixed_precision", "bf16") if by_deepspeed => all([("weights", "bf16"), ("recipe", "mixed")]),
            ("mixed_precision", "fp16") if by_deepspeed => all([("weights", "fp16"), ("recipe", "mixed")]),
            // DeepSpeed's own file says it there.
            ("mixed_precision", "") if by_file => Meaning::WithoutEffect,
            ("mixed_precision", "no" | "false" | "") if by_deepspeed => all([("weights", "fp32"), ("recipe", "fp32")]),
            _ => meaning(&item),
        };
        reading.keep(&item, meaning);
    }
    // In one precision throughout it would be counted as FSDP's.
    let said = |option: &str| reading.plan.get(option).map(ToString::to_string).unwrap_or_default();
    if by_deepspeed && said("recipe") == "fp32" && !matches!(said("zero").as_str(), "" | "0") {
        reading.say("sharding", "deepspeed");
    }
    degrees(reading, node);
}

fn meaning(item: &Item) -> Meaning {
    let text = item.text();
    match item.name.as_str() {
        "distributed_type" => match text {
            // The stage is what the settings of FSDP say; without one it is full sharding.
            "FSDP" => says("zero", "3"),
            "MULTI_GPU" | "NO" | "false" => says("zero", "0"),
            "DEEPSPEED" => Meaning::WithoutEffect,
            _ => unknown(),
        },
        "num_processes" => says("dp", text),
        "mixed_precision" => match text {
            "bf16" | "fp16" => loaded("autocast"),
            // What nothing says is no.
            "no" | "false" | "" => loaded("fp32"),
            _ => unread("accelerate's way to fp8 is not modelled"),
        },
        "fsdp_config.fsdp_reshard_after_forward" | "fsdp_config.fsdp_sharding_strategy" => match text {
            "true" | "FULL_SHARD" | "1" => says("zero", "3"),
            "false" | "SHARD_GRAD_OP" | "2" => says("zero", "2"),
            "NO_SHARD" | "3" => says("zero", "0"),
            _ => unread("hybrid sharding is dp with shard"),
        },
        "fsdp_config.fsdp_offload_params" if item.on() => says("offload", "optimizer,parameters"),
        "fsdp_config.fsdp_offload_params" => Meaning::WithoutEffect,
        "fsdp_config.fsdp_activation_checkpointing" => says("checkpointing", if item.on() { "full" } else { "none" }),
        "parallelism_config.parallelism_config_tp_size" => says("tp", text),
        "parallelism_config.parallelism_config_cp_size" => says("cp", text),
        "parallelism_config.parallelism_config_dp_shard_size" => says("shard", text),
        "parallelism_config.parallelism_config_dp_replicate_size" => {
            Meaning::Says(alloc::vec::Vec::new(), Some("with the shards it says how many ranks there are"))
        }
        "dynamo_config.dynamo_backend" if text.eq_ignore_ascii_case("inductor") => says("compile", ""),
        "dynamo_config.dynamo_backend" if text.eq_ignore_ascii_case("no") || text == "false" => Meaning::WithoutEffect,
        "deepspeed_config.zero_stage" => says("zero", text),
        "deepspeed_config.gradient_accumulation_steps" => says("micro_batches", text),
        "deepspeed_config.offload_optimizer_device" if text == "cpu" => says("offload", "optimizer"),
        "deepspeed_config.offload_param_device" if text == "cpu" => says("offload", "parameters"),
        "deepspeed_config.offload_optimizer_device" | "deepspeed_config.offload_param_device" if text == "none" => {
            Meaning::WithoutEffect
        }
        name if WITHOUT_EFFECT.contains(&name) => Meaning::WithoutEffect,
        _ => unknown(),
    }
}

/// Processes are ranks of every kind; those of data parallelism are what is left of them.
fn degrees(reading: &mut Reading, node: &Node) {
    let count = |name: &str| {
        let config = node.value.get("parallelism_config")?;
        config.value.get(name)?.value.count()
    };
    let others =
        [reading.said_count("tp"), reading.said_count("cp")].into_iter().flatten().fold(1, u32::saturating_mul);
    if let Some(processes) = reading.said_count("dp")
        && others > 1
        && processes.is_multiple_of(others)
    {
        reading.say("dp", &(processes / others).to_string());
    }
    let whole = |name| reading_of(node, name).is_some_and(|device| device == "cpu");
    if whole("offload_optimizer_device") && whole("offload_param_device") {
        reading.say("offload", "optimizer,parameters");
    }
    // A group as large as all ranks is no group.
    if count("parallelism_config_dp_replicate_size").is_some_and(|replicas| replicas == 1) {
        reading.plan.unset("shard");
    }
}

/// A setting of DeepSpeed in the file.
fn reading_of<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    node.value.get("deepspeed_config")?.value.get(name)?.value.text()
}
