//! Which library shares out the states of a run: `DeepSpeed` and FSDP keep other things beside them.

use super::{Mode, Scenario};
use crate::parallelism::ZeroStage;
use crate::training::{Implementation, Recipe, Sharding};

/// The stage of `DeepSpeed`'s ZeRO that trains a scenario; `None` where another library shards, or none does.
///
/// # Assumes
/// Transformers' code alone, since torchtitan, Megatron-LM and `LitGPT` have optimizers of their own. Where [`Sharding`] is left to the recipe: with 16-bit weights and
/// an fp32 master copy ZeRO is `DeepSpeed`'s, since FSDP keeps shards in one precision; with all states in one precision ZeRO-2 and 3 are FSDP's, as accelerate and torchtune set it
/// up. ZeRO-1 is `DeepSpeed`'s, which takes no less than PyTorch's `ZeroRedundancyOptimizer`. Offload of the optimizer without the weights is `DeepSpeed`'s, since FSDP has
/// none. Beside adapters stages 1 and 2 are `DeepSpeed`'s.
///
/// # Source
/// `DeepSpeed` at edaa722 (0.19.6, 2026-08): `zero/config.py`, where `offload_param` is for stage 3 alone. torchtune: `recipes/full_finetune_distributed.py`, which shards a model in bf16
/// by `fully_shard` without a `MixedPrecisionPolicy`. Read 2026-11-25.
pub fn deepspeed(scenario: &Scenario) -> Option<ZeroStage> {
    let (stage, offload) = (scenario.parallel.zero, scenario.offload);
    if !scenario.mode.trains() || scenario.training.implementation != Implementation::Transformers {
        return None;
    }
    let in_part = matches!(stage, ZeroStage::Optimizer | ZeroStage::Gradients);
    let mixed = matches!(scenario.recipe(), Recipe::Mixed | Recipe::MixedFp32Gradients);
    if scenario.mode == Mode::Training && mixed && offload.optimizer && offload.parameters {
        return Some(ZeroStage::Weights);
    }
    let runs = match (scenario.mode, scenario.training.sharding, scenario.recipe()) {
        (Mode::Training, Sharding::DeepSpeed, _) => true,
        (Mode::Training, Sharding::Fsdp, _) => false,
        (Mode::Training, ..) if offload.optimizer && !offload.parameters => true,
        (Mode::Training, _, Recipe::Mixed | Recipe::MixedFp32Gradients) => true,
        (Mode::Training, _, Recipe::Fp32 | Recipe::Pure) => stage == ZeroStage::Optimizer,
        (Mode::Training, _, Recipe::Autocast | Recipe::WithoutMaster) => false,
        _ => in_part,
    };
    (runs && stage != ZeroStage::None).then_some(stage)
}

/// Whether FSDP shards a full training step of transformers' code, as accelerate and torchtune set it up.
pub fn fsdp(scenario: &Scenario) -> bool {
    scenario.mode == Mode::Training
        && scenario.training.implementation == Implementation::Transformers
        && matches!(scenario.parallel.zero, ZeroStage::Gradients | ZeroStage::Weights)
        && scenario.parallel.shard_ranks() > 1
        && deepspeed(scenario).is_none()
}

/// Whether FSDP gathers weights once a step and keeps them whole until the backward pass has used them (`SHARD_GRAD_OP`).
pub fn keeps_gathered(scenario: &Scenario) -> bool {
    fsdp(scenario) && scenario.parallel.zero == ZeroStage::Gradients
}

/// Whether gradients go to host memory as they are made, beside the optimizer's states there.
///
/// # Assumes
/// `DeepSpeed` moves them from ZeRO-2 on; its ZeRO-1 keeps them all until the backward pass ends. FSDP offloads weights, gradients and states together. Megatron-LM's
/// `--optimizer-cpu-offload` and torchao's `CPUOffloadOptimizer`, as it comes, leave them on the GPU.
///
/// # Source
/// `DeepSpeed` at edaa722: `reduce_ipg_grads` and `copy_grads_in_partition` in `stage_1_and_2.py`, `grad_partitions_flat_buffer` in `stage3.py`. PyTorch: `CPUOffloadPolicy` of
/// `torch.distributed.fsdp`. Megatron-LM: `HybridDeviceOptimizer`. torchao: `offload_gradients=False`. Read 2026-11-25.
pub fn gradients_on_host(scenario: &Scenario) -> bool {
    let offload = scenario.offload;
    offload.optimizer
        && match scenario.training.implementation {
            Implementation::Megatron => false,
            Implementation::Torchtitan | Implementation::Litgpt => offload.parameters,
            Implementation::Transformers => {
                offload.parameters || matches!(scenario.parallel.zero, ZeroStage::Gradients | ZeroStage::Weights)
            }
        }
}
