//! axolotl's YAML file.
//!
//! # Source
//! axolotl at 067b021 (2026-11): `choose_dtype` of `utils/config/__init__.py` and `loaders/model.py` load the model in bf16 where `bf16` is on.
//! accelerate at 16cb6eb (2026-07): `utils/fsdp_utils.py` upcasts what FSDP trains to fp32. Read 2026-11-25.

use alloc::string::String;
use alloc::vec::Vec;

use super::Meaning;
use super::reading::{Item, Reading, all, because, flat, model, says, unknown, unread};
use super::training_arguments;
use crate::node::{Json, Node};

const WITHOUT_EFFECT: &[&str] = &[
    "model_type",
    "tokenizer_type",
    "trust_remote_code",
    "strict",
    "datasets",
    "test_datasets",
    "pretraining_dataset",
    "dataset_prepared_path",
    "dataset_processes",
    "dataset_num_proc",
    "val_set_size",
    "output_dir",
    "num_epochs",
    "max_steps",
    "learning_rate",
    "lr_scheduler",
    "warmup_steps",
    "warmup_ratio",
    "weight_decay",
    "max_grad_norm",
    "adam_beta1",
    "adam_beta2",
    "adam_epsilon",
    "train_on_inputs",
    "group_by_length",
    "tf32",
    "logging_steps",
    "saves_per_epoch",
    "save_steps",
    "save_strategy",
    "save_total_limit",
    "evals_per_epoch",
    "eval_steps",
    "eval_strategy",
    "wandb_project",
    "wandb_entity",
    "wandb_watch",
    "wandb_name",
    "wandb_run_id",
    "wandb_log_model",
    "hub_model_id",
    "seed",
    "special_tokens",
    "special_tokens.pad_token",
    "chat_template",
    "lora_alpha",
    "lora_model_dir",
    "lora_fan_in_fan_out",
    "resume_from_checkpoint",
    "local_rank",
    "early_stopping_patience",
    "fsdp_version",
    "shuffle_merged_datasets",
    "fsdp_config.auto_wrap_policy",
    "fsdp_config.transformer_layer_cls_to_wrap",
    "fsdp_config.state_dict_type",
    "fsdp_config.final_state_dict_type",
    "fsdp_config.cpu_ram_efficient_loading",
    "fsdp_config.sync_module_states",
    "fsdp_config.use_orig_params",
    "fsdp_config.fsdp_version",
    "pad_to_sequence_len",
    "debug",
    "xformers_attention",
];

/// What changes nothing where it is off.
const SWITCHES: &[&str] = &[
    "adapter",
    "load_in_4bit",
    "load_in_8bit",
    "bf16",
    "fp16",
    "bfloat16",
    "float16",
    "float32",
    "lora_target_linear",
    "lora_dropout",
    "quantize_moe_experts",
    "flash_attention",
    "sdp_attention",
    "flex_attention",
    "eager_attention",
    "torch_compile",
    "chunked_cross_entropy",
    "fsdp_config.offload_params",
    "sample_packing",
    "eval_sample_packing",
];

pub(super) fn read(reading: &mut Reading, node: &Node) {
    let adapter = node.value.get("adapter").and_then(|found| found.value.text());
    let eight = node.value.get("load_in_8bit").is_some_and(|found| found.value == Json::Bool(true));
    let mode = match adapter {
        Some("qlora") => "qlora",
        Some("lora") if eight => "qlora",
        Some("lora") => "lora",
        _ => "training",
    };
    reading.say("mode", mode);
    let code = Code::of(node);
    for item in flat(node) {
        let half = matches!(item.name.as_str(), "bf16" | "fp16") && (item.on() || item.text() == "auto");
        let meaning = if half && mode == "training" { code.half(&item.name) } else { meaning(&item, mode) };
        reading.keep(&item, meaning);
    }
    let count = |name: &str| node.value.get(name).and_then(|found| found.value.count());
    if let Some(shard) = count("dp_shard_size") {
        let replicas = count("dp_replicate_size").unwrap_or(1);
        reading.say("dp", &alloc::format!("{}", u64::from(shard).saturating_mul(replicas.into())));
        if replicas == 1 {
            reading.plan.unset("shard");
        }
    }
}

/// The code that keeps a run's weights, which decides what a model that was loaded in 16 bits becomes.
#[derive(Clone, Copy, Debug)]
enum Code {
    /// axolotl and Trainer alone.
    Own,
    /// FSDP, as accelerate sets it up.
    Fsdp,
    /// DeepSpeed.
    DeepSpeed,
}

impl Code {
    fn of(node: &Node) -> Self {
        let says = |name: &str| {
            node.value.get(name).is_some_and(|found| {
                !found.value.entries().is_empty() || matches!(&found.value, Json::List(items) if !items.is_empty())
            })
        };
        if node.value.get("deepspeed").is_some_and(|found| found.value.text().is_some_and(|path| !path.is_empty())) {
            Self::DeepSpeed
        } else if says("fsdp") || says("fsdp_config") {
            Self::Fsdp
        } else {
            Self::Own
        }
    }

    /// What `bf16` or `fp16` makes of a model all of whose weights learn.
    fn half(self, weights: &str) -> Meaning {
        match self {
            Self::Own => because(
                all([("weights", weights), ("recipe", "pure")]),
                "axolotl loads the weights in 16 bits, and gradients and states follow them; norms alone may be in fp32",
            ),
            Self::Fsdp => because(
                all([("weights", "fp32"), ("recipe", "autocast")]),
                "axolotl loads the weights in 16 bits, and FSDP upcasts the shards of what it trains to fp32",
            ),
            Self::DeepSpeed => because(
                all([("weights", weights), ("recipe", "mixed")]),
                "DeepSpeed keeps an fp32 copy beside 16-bit weights",
            ),
        }
    }
}

fn meaning(item: &Item, mode: &str) -> Meaning {
    let text = item.text();
    let adapts = mode != "training";
    if SWITCHES.contains(&item.name.as_str()) && item.off() {
        return Meaning::WithoutEffect;
    }
    match item.name.as_str() {
        "base_model" => model(text),
        "sequence_len" => says("seq", text),
        "micro_batch_size" => says("batch", text),
        "gradient_accumulation_steps" => says("micro_batches", text),
        "adapter" => match text {
            "lora" | "qlora" => says("mode", mode),
            _ => unread("no such adapter is modelled"),
        },
        "load_in_4bit" if item.on() && mode == "qlora" => says("weights", "nf4-dq"),
        "load_in_8bit" if item.on() && mode == "qlora" => says("weights", "int8"),
        "bnb_config_kwargs.bnb_4bit_use_double_quant" => says("weights", if item.on() { "nf4-dq" } else { "nf4" }),
        "bf16" | "fp16" if adapts && (item.on() || text == "auto") => Meaning::WithoutEffect,
        "bfloat16" if item.on() && !adapts => all([("weights", "bf16"), ("recipe", "pure")]),
        "float16" if item.on() && !adapts => all([("weights", "fp16"), ("recipe", "pure")]),
        "float32" if item.on() && !adapts => all([("weights", "fp32"), ("recipe", "fp32")]),
        "lora_r" => says("lora_rank", text),
        "lora_target_linear" if item.on() => says("lora_targets", "all"),
        "lora_target_modules" => targets(&item.value),
        "lora_dropout" if text == "0.0" => Meaning::WithoutEffect,
        "lora_dropout" => says("lora_dropout", ""),
        "peft_autocast_adapter_dtype" => says("lora_dtype", if item.on() { "fp32" } else { "bf16" }),
        "quantize_moe_experts" if item.on() => says("quantised_experts", ""),
        "optimizer" => training_arguments::optimizer(text),
        "gradient_checkpointing_kwargs.use_reentrant" if item.on() && adapts => says("reentrant_checkpointing", ""),
        name if name.starts_with("gradient_checkpointing_kwargs") => Meaning::WithoutEffect,
        "gradient_checkpointing" => match text {
            "true" => says("checkpointing", "full"),
            "false" | "" => says("checkpointing", "none"),
            _ => unread("saved tensors in host memory are not modelled"),
        },
        "attn_implementation" => attention(text),
        "flash_attention" | "sdp_attention" | "flex_attention" if item.on() => says("attention", "flash"),
        "eager_attention" if item.on() => says("attention", "eager"),
        "torch_compile" if item.on() => says("compile", ""),
        "liger_fused_linear_cross_entropy" | "cut_cross_entropy" if item.on() => training_arguments::fused_loss(),
        "liger_fused_linear_cross_entropy" | "cut_cross_entropy" => Meaning::WithoutEffect,
        "chunked_cross_entropy" if item.on() => says("loss", "chunked"),
        "tensor_parallel_size" => says("tp", text),
        "context_parallel_size" | "sequence_parallel_degree" => says("cp", text),
        "dp_shard_size" => says("shard", text),
        "dp_replicate_size" => Meaning::Says(Vec::new(), Some("with dp_shard_size it says how many ranks there are")),
        "fsdp_config.reshard_after_forward" => says("zero", if item.on() { "3" } else { "2" }),
        "fsdp_config.offload_params" if item.on() => says("offload", "optimizer,parameters"),
        "fsdp_config.activation_checkpointing" => says("checkpointing", if item.on() { "full" } else { "none" }),
        "sample_packing" if item.on() => {
            because(Meaning::Says(Vec::new(), None), "every sequence is as long as sequence_len, as it is counted")
        }
        "deepspeed" => unread("the file that it names says how states are sharded: import that one too"),
        name if WITHOUT_EFFECT.contains(&name) => Meaning::WithoutEffect,
        _ => unknown(),
    }
}

/// The attention of a model's layers.
fn attention(text: &str) -> Meaning {
    match text {
        "flash_attention_2" | "flash_attention_3" | "sdpa" | "flex_attention" | "xformers" | "sage" => {
            says("attention", "flash")
        }
        "eager" => says("attention", "eager"),
        _ => unknown(),
    }
}

/// Layers with an adapter by the names of their modules; those of an MLP are one target.
fn targets(value: &Json) -> Meaning {
    let names: Vec<&str> = match value {
        Json::List(items) => items.iter().filter_map(|item| item.value.text()).collect(),
        Json::Text(text) => alloc::vec![text.as_str()],
        _ => Vec::new(),
    };
    let mut found: Vec<&str> = Vec::new();
    for name in &names {
        found.push(match *name {
            "q_proj" => "q",
            "k_proj" => "k",
            "v_proj" => "v",
            "o_proj" => "o",
            "gate_proj" | "up_proj" | "down_proj" => "mlp",
            "lm_head" => "head",
            "all-linear" => "all",
            _ => return unread("no target of a plan has this name: q, k, v, o, mlp and head are there"),
        });
    }
    let matrices =
        names.iter().filter(|name| name.ends_with("_proj") && !["q_proj", "k_proj", "v_proj", "o_proj"].contains(name));
    if found.contains(&"mlp") && matrices.count() < 3 {
        return unread("adapters on some matrices of an MLP are not modelled: mlp is all of them");
    }
    let text: String = found.join(",");
    says("lora_targets", &text)
}
