//! `TrainingArguments` of transformers, as JSON.

use super::Meaning;
use super::reading::{Item, Reading, all, loaded, says, unknown, unread};
use crate::node::Node;

/// Settings about learning, logging and saving, which change no memory that is counted.
const WITHOUT_EFFECT: &[&str] = &[
    "output_dir",
    "num_train_epochs",
    "max_steps",
    "learning_rate",
    "lr_scheduler_type",
    "warmup_steps",
    "warmup_ratio",
    "weight_decay",
    "adam_beta1",
    "adam_beta2",
    "adam_epsilon",
    "max_grad_norm",
    "logging_strategy",
    "logging_steps",
    "logging_first_step",
    "report_to",
    "run_name",
    "save_strategy",
    "save_steps",
    "save_total_limit",
    "save_only_model",
    "seed",
    "data_seed",
    "do_train",
    "do_eval",
    "do_predict",
    "eval_strategy",
    "eval_steps",
    "push_to_hub",
    "hub_model_id",
    "disable_tqdm",
    "ddp_timeout",
    "dataloader_num_workers",
    "remove_unused_columns",
    "tf32",
    "overwrite_output_dir",
];

pub(super) fn read(reading: &mut Reading, node: &Node) {
    reading.say("mode", "training");
    reading.each(node, |_, item| meaning(item));
}

fn meaning(item: &Item) -> Meaning {
    let text = item.text();
    match item.name.as_str() {
        "per_device_train_batch_size" => says("batch", text),
        "gradient_accumulation_steps" => says("micro_batches", text),
        "max_length" | "max_seq_length" => says("seq", text),
        "bf16" | "fp16" if item.on() => loaded("autocast"),
        "optim" => optimizer(text),
        "gradient_checkpointing" | "activation_checkpointing" => {
            says("checkpointing", if item.on() { "full" } else { "none" })
        }
        "torch_compile" if item.on() => says("compile", ""),
        "bf16" | "fp16" | "torch_compile" => Meaning::WithoutEffect,
        "use_liger_kernel" if item.on() => fused_loss(),
        name if name.starts_with("gradient_checkpointing_kwargs") || WITHOUT_EFFECT.contains(&name) => {
            Meaning::WithoutEffect
        }
        _ => unknown(),
    }
}

/// A loss that never holds all logits.
pub(super) fn fused_loss() -> Meaning {
    unread("its fused kernels are not modelled; loss chunked is the nearest of them")
}

/// An optimizer by its name there, with its kernel.
pub(super) fn optimizer(name: &str) -> Meaning {
    match name {
        "adamw_torch_fused" => all([("optimizer", "adamw"), ("step", "fused")]),
        "adamw_torch" => all([("optimizer", "adamw"), ("step", "foreach")]),
        "adamw_bnb_8bit" | "adamw_8bit" => says("optimizer", "adamw8bit"),
        "paged_adamw_8bit" => says("optimizer", "paged-adamw8bit"),
        "paged_adamw_32bit" | "paged_adamw" => says("optimizer", "paged-adamw"),
        "adafactor" => says("optimizer", "adafactor"),
        "lion_32bit" => says("optimizer", "lion"),
        "muon" => says("optimizer", "muon"),
        "sgd" => says("optimizer", "sgd"),
        "lomo" | "adalomo" => unread(
            "the optimizer steps within the backward pass, which is not modelled: it holds hardly any gradients, and less than any optimizer here",
        ),
        _ => unread("what this optimizer keeps is not modelled"),
    }
}
