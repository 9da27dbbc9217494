//! `TrainingArguments` of transformers, as the JSON file that `HfArgumentParser` reads.
//!
//! # Source
//! transformers 5.24.0: `training_args.py`, `hf_argparser.py`. Read 2026-11-25.

use memory_wall_core::{Checkpointing, Optimizer, Recipe, StepKernel};

use super::sheet::Sheet;

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    sheet.set("per_device_train_batch_size", scenario.batch, &["batch"]);
    sheet.set("gradient_accumulation_steps", scenario.training.micro_batches, &["micro_batches"]);
    precision(sheet);
    match optimizer(scenario.optimizer, scenario.training.step) {
        Some(name) => sheet.set("optim", name, &["optimizer", "step"]),
        None => sheet.leave("optimizer", "Trainer makes none of this kind: the training code hands it over"),
    }
    match scenario.checkpointing {
        Checkpointing::None => sheet.set("gradient_checkpointing", false, &["checkpointing"]),
        Checkpointing::Full => sheet.set("gradient_checkpointing", true, &["checkpointing"]),
        _ => sheet.leave("checkpointing", "Trainer recomputes whole layers or nothing"),
    }
    if scenario.training.stock.reentrant {
        sheet.set("gradient_checkpointing_kwargs.use_reentrant", true, &["reentrant_checkpointing"]);
    }
    if scenario.training.compile {
        sheet.set("torch_compile", true, &["compile"]);
    }
    sheet.leave(
        "seq",
        if sheet.plan.generates(scenario) {
            "prompts are the data's; TRL's GRPOConfig has the rest as max_completion_length"
        } else {
            "the length is the data's; TRL's SFTConfig has it as max_length"
        },
    );
    sheet.leave("model", "the training code loads the model");
    sheet.leave("config", "the training code loads the model");
    sheet.leave("attention", "the training code loads the model with attn_implementation");
    for option in ["dp", "zero", "sharding", "shard", "tp", "cp", "offload"] {
        sheet.leave(option, "the file of accelerate or DeepSpeed says it, which the launcher takes");
    }
    sheet.leave("loss", "use_liger_kernel brings a loss in chunks, along with other kernels");
    sheet.adapters("the training code puts adapters on the model (peft)");
}

/// In what is computed; the training code loads the weights.
fn precision(sheet: &mut Sheet<'_>) {
    let half = sheet.half();
    let place = if half { "fp16" } else { "bf16" };
    match sheet.scenario.recipe() {
        Recipe::Mixed | Recipe::MixedFp32Gradients => {
            sheet.set(place, true, &["weights", "recipe"]);
            if !sheet.scenario.mode.adapts() {
                sheet.note("recipe: 16-bit weights beside an fp32 copy are DeepSpeed's; Trainer alone keeps weights as they are loaded");
            }
        }
        Recipe::Autocast => {
            sheet.set(place, true, &["recipe"]);
            sheet.leave("weights", "the training code loads the model in fp32");
        }
        Recipe::Fp32 => sheet.set(place, false, &["weights", "recipe"]),
        Recipe::Pure | Recipe::WithoutMaster => {
            sheet.set(place, false, &["recipe"]);
            sheet.leave("weights", "the training code loads the model in 16 bits, and nothing is cast on the way");
        }
    }
}

/// The name of an optimizer, with its kernel.
pub(super) const fn optimizer(optimizer: Optimizer, step: StepKernel) -> Option<&'static str> {
    Some(match (optimizer, step) {
        (Optimizer::AdamW, StepKernel::Fused) => "adamw_torch_fused",
        (Optimizer::AdamW, StepKernel::Foreach) => "adamw_torch",
        (Optimizer::AdamW8bit, _) => "adamw_bnb_8bit",
        (Optimizer::PagedAdamW8bit, _) => "paged_adamw_8bit",
        (Optimizer::PagedAdamW, _) => "paged_adamw_32bit",
        (Optimizer::Adafactor, _) => "adafactor",
        (Optimizer::Lion, _) => "lion_32bit",
        (Optimizer::Sgd, _) => "sgd",
        (Optimizer::SgdMomentum | Optimizer::Muon, _) => return None,
    })
}
