//! The YAML file of accelerate, with FSDP 2.
//!
//! # Source
//! accelerate 1.15.0: `commands/config/config_args.py`, `utils/dataclasses.py`, `parallelism_config.py`. Read 2026-11-25.

use memory_wall_core::scenario::sharding::deepspeed;
use memory_wall_core::{Checkpointing, Recipe, Scenario, Sharding, ZeroStage};

use super::ExportError;
use super::sheet::Sheet;

pub(super) fn write(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    let (parallel, offload) = (&scenario.parallel, &scenario.offload);
    sheet.because("compute_environment", "LOCAL_MACHINE", "accelerate asks for it");
    let shards = match parallel.zero {
        ZeroStage::None => false,
        ZeroStage::Optimizer => {
            return Err(sheet
                .cannot("shards gradients with the optimizer states: zero is 0, 2 or 3 there, and 1 is DeepSpeed's"));
        }
        ZeroStage::Gradients | ZeroStage::Weights if scenario.training.sharding == Sharding::DeepSpeed => {
            return Err(
                sheet.cannot("is written with FSDP 2: sharding deepspeed is a file of its own, target deepspeed")
            );
        }
        ZeroStage::Gradients | ZeroStage::Weights => true,
    };
    sheet.implied("sharding");
    let ranks = u32::try_from(parallel.ranks()).unwrap_or(u32::MAX);
    let kind = if shards {
        "FSDP"
    } else if ranks > 1 {
        "MULTI_GPU"
    } else {
        "NO"
    };
    sheet.set("distributed_type", kind, &["zero"]);
    sheet.set("num_processes", ranks, &["dp", "tp", "cp"]);
    sheet.set("mixed_precision", mixed(sheet), &["weights", "recipe"]);
    if scenario.recipe() == Recipe::WithoutMaster {
        sheet.note("recipe without-master: the training code loads the weights in 16 bits and makes an optimizer with fp32 states");
    }
    if offload.optimizer != offload.parameters {
        return Err(sheet.cannot(
            "offloads weights, gradients and optimizer states together: offload takes optimizer and parameters there",
        ));
    }
    if shards {
        sharded(sheet);
    } else {
        if parallel.dp > 1 && parallel.tp > 1 {
            return Err(
                sheet.cannot("has no tensor parallelism beside plain data parallelism: zero takes 2 or 3 there")
            );
        }
        if offload.parameters {
            return Err(sheet.cannot("offloads with FSDP alone, which is zero 2 or 3"));
        }
        sheet.leave("checkpointing", "without FSDP the training code turns it on");
    }
    if parallel.tp > 1 || parallel.cp > 1 || shards && parallel.shard.is_some() {
        degrees(sheet);
    }
    if scenario.training.compile {
        sheet.set("dynamo_config.dynamo_backend", "INDUCTOR", &["compile"]);
    }
    sheet.note(
        "more than one computer: num_machines, machine_rank, main_process_ip and main_process_port are yours to add",
    );
    for option in ["batch", "micro_batches", "seq", "optimizer", "attention", "step", "loss"] {
        sheet.leave(option, "the training code says it");
    }
    sheet.leave("model", "the training code loads the model");
    sheet.leave("config", "the training code loads the model");
    sheet.adapters("the training code puts adapters on the model (peft)");
    Ok(())
}

/// In what is computed.
fn mixed(sheet: &Sheet<'_>) -> &'static str {
    let scenario = sheet.scenario;
    match scenario.recipe() {
        Recipe::Mixed | Recipe::MixedFp32Gradients | Recipe::Autocast if sheet.half() => "fp16",
        Recipe::Mixed | Recipe::MixedFp32Gradients | Recipe::Autocast => "bf16",
        Recipe::Fp32 | Recipe::Pure | Recipe::WithoutMaster => "no",
    }
}

/// Why a file says FSDP 2.
pub(super) fn fsdp_reason(scenario: &Scenario) -> &'static str {
    if deepspeed(scenario).is_some() {
        "the plan is counted as DeepSpeed's, which is target deepspeed; FSDP 2 trains as recipe autocast does"
    } else {
        "FSDP 2 is what the plan is counted as"
    }
}

/// The settings of FSDP.
fn sharded(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    sheet.because("fsdp_config.fsdp_version", 2, fsdp_reason(scenario));
    let whole = scenario.parallel.zero == ZeroStage::Weights && scenario.training.reshard_after_forward;
    sheet.set("fsdp_config.fsdp_reshard_after_forward", whole, &["zero"]);
    if !whole {
        sheet.note("zero 2: FSDP 2 shards the weights between steps, and keeps them whole from the forward to the backward pass");
    }
    sheet.because(
        "fsdp_config.fsdp_auto_wrap_policy",
        "TRANSFORMER_BASED_WRAP",
        "the plan fetches weights layer by layer",
    );
    match scenario.checkpointing {
        Checkpointing::None => sheet.set("fsdp_config.fsdp_activation_checkpointing", false, &["checkpointing"]),
        Checkpointing::Full => sheet.set("fsdp_config.fsdp_activation_checkpointing", true, &["checkpointing"]),
        _ => sheet.leave("checkpointing", "accelerate recomputes whole layers or nothing: the training code does this"),
    }
    if scenario.offload.parameters {
        sheet.set("fsdp_config.fsdp_offload_params", true, &["offload"]);
    }
}

/// The degrees of parallelism where there is more than one kind.
fn degrees(sheet: &mut Sheet<'_>) {
    let parallel = &sheet.scenario.parallel;
    let shard = match parallel.zero {
        ZeroStage::None => 1,
        _ => parallel.shard.unwrap_or(parallel.dp),
    };
    let replicas = parallel.dp.checked_div(shard).unwrap_or(1);
    sheet.set("parallelism_config.parallelism_config_dp_replicate_size", replicas, &["dp", "shard"]);
    sheet.set("parallelism_config.parallelism_config_dp_shard_size", shard, &["dp", "shard"]);
    sheet.set("parallelism_config.parallelism_config_tp_size", parallel.tp, &["tp"]);
    sheet.set("parallelism_config.parallelism_config_cp_size", parallel.cp, &["cp"]);
}
