//! The JSON file of DeepSpeed.
//!
//! # Source
//! DeepSpeed 0.19.8: `runtime/config.py`, `runtime/constants.py`, `runtime/precision_config.py`, `runtime/zero/config.py`, `runtime/tensor_parallel/config.py`. Read 2026-11-25.

use memory_wall_core::scenario::sharding;
use memory_wall_core::{Mode, Optimizer, Recipe, Sharding, ZeroStage};

use super::ExportError;
use super::sheet::{Datum, Sheet};

pub(super) fn write(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    let (parallel, offload) = (&scenario.parallel, &scenario.offload);
    sheet.set("train_micro_batch_size_per_gpu", scenario.batch, &["batch"]);
    sheet.set("gradient_accumulation_steps", scenario.training.micro_batches, &["micro_batches"]);
    precision(sheet)?;
    sheet.set("zero_optimization.stage", Datum::Number(parallel.zero.id().into()), &["zero"]);
    if scenario.training.sharding == Sharding::DeepSpeed {
        sheet.implied("sharding");
    }
    if offload.parameters && parallel.zero != ZeroStage::Weights {
        return Err(sheet.cannot("offloads parameters with ZeRO-3 alone (zero 3)"));
    }
    if offload.optimizer && parallel.zero == ZeroStage::None {
        return Err(sheet.cannot("offloads optimizer states with ZeRO alone (zero 1, 2 or 3)"));
    }
    if offload.optimizer {
        sheet.set("zero_optimization.offload_optimizer.device", "cpu", &["offload"]);
    }
    if offload.parameters {
        sheet.set("zero_optimization.offload_param.device", "cpu", &["offload"]);
    }
    match scenario.optimizer {
        Optimizer::AdamW => sheet.set("optimizer.type", "AdamW", &["optimizer"]),
        Optimizer::Lion => sheet.set("optimizer.type", "Lion", &["optimizer"]),
        Optimizer::Muon => sheet.set("optimizer.type", "Muon", &["optimizer"]),
        _ => {
            sheet.leave("optimizer", "DeepSpeed makes none of this kind: the training code makes it and hands it over");
            if parallel.zero != ZeroStage::None {
                let from = "with ZeRO, DeepSpeed refuses other optimizers otherwise";
                sheet.because("zero_allow_untested_optimizer", true, from);
            }
        }
    }
    if sheet.plan.get("optimizer").is_some() || scenario.optimizer == Optimizer::AdamW {
        sheet.note(
            "the learning rate and other parameters of the optimizer are not in a plan: optimizer.params has them",
        );
    }
    if parallel.tp > 1 {
        sheet.set("tensor_parallel.autotp_size", parallel.tp, &["tp"]);
    }
    sheet.leave("dp", "DeepSpeed takes the ranks that its launcher starts");
    sheet.leave("seq", "the training code cuts the sequences");
    sheet.leave("model", "the training code loads the model");
    sheet.leave("config", "the training code loads the model");
    sheet.leave(
        "checkpointing",
        "the training code turns it on; activation_checkpointing says only how it is partitioned",
    );
    sheet.leave("shard", "a group smaller than all ranks is MiCS, which the training code sets up");
    sheet.leave("cp", "DeepSpeed's own sequence parallelism (Ulysses) is another one");
    sheet.adapters("the training code puts adapters on the model (peft)");
    Ok(())
}

/// In what the states are kept.
fn precision(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let (recipe, alone) = (sheet.scenario.recipe(), sheet.scenario.parallel.zero == ZeroStage::None);
    if alone && matches!(recipe, Recipe::Pure | Recipe::MixedFp32Gradients) {
        return Err(sheet.cannot(
            "keeps all states in bf16, or gradients in fp32 beside 16-bit weights, with ZeRO alone (zero 1, 2 or 3)",
        ));
    }
    let half = sheet.half();
    let enabled = if half { "fp16.enabled" } else { "bf16.enabled" };
    let others = !alone && sheet.scenario.mode == Mode::Training && sharding::deepspeed(sheet.scenario).is_none();
    match recipe {
        Recipe::Pure | Recipe::Fp32 if others => {
            return Err(sheet.cannot(
                "clones a rank's part of the weights: with ZeRO-2 or 3 recipes pure and fp32 are counted as FSDP's (target accelerate) unless sharding is deepspeed",
            ));
        }
        Recipe::Mixed | Recipe::MixedFp32Gradients => {
            sheet.set(enabled, true, &["weights", "recipe"]);
            let narrow = if half { "fp16" } else { "bf16" };
            let gradients = if recipe == Recipe::Mixed { narrow } else { "fp32" };
            sheet.set("data_types.grad_accum_dtype", gradients, &["recipe"]);
        }
        Recipe::Pure if !half => {
            sheet.set(enabled, true, &["weights", "recipe"]);
            sheet.set("bf16.bf16_master_weights_and_grads", true, &["recipe"]);
            sheet.set("bf16.bf16_optimizer_states", true, &["recipe"]);
        }
        Recipe::Autocast
            if sharding::fsdp(sheet.scenario) || sheet.scenario.training.sharding == Sharding::DeepSpeed =>
        {
            return Err(sheet.cannot("has autocast of its own, whose states are other than those counted here: with ZeRO-2 or 3 recipe autocast is FSDP's (target accelerate)"));
        }
        Recipe::Autocast => {
            sheet.set("torch_autocast.enabled", true, &["recipe"]);
            sheet.set("torch_autocast.dtype", if half { "float16" } else { "bfloat16" }, &["recipe"]);
            sheet.implied("weights");
        }
        Recipe::Fp32 => {
            sheet.set(enabled, false, &["weights", "recipe"]);
        }
        Recipe::Pure | Recipe::WithoutMaster => {
            return Err(sheet.cannot("keeps an fp32 copy of 16-bit weights, or all states in bf16: recipe takes mixed, mixed-fp32-grads, autocast, fp32, or pure with bf16 weights"));
        }
    }
    Ok(())
}
