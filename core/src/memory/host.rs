//! What a training step keeps in host memory, where states or weights are offloaded.

use crate::checked::Checked;
use crate::memory::{gradients, optimizer, weights};
use crate::parallelism::ZeroStage;
use crate::scenario::{Mode, sharding};
use crate::training::Implementation;
use crate::units::{Bytes, GIB};
use crate::verdict::Verdict;
use crate::worked::{self, Item};

/// GPUs of one computer, whose processes share its memory.
const GPUS_OF_A_COMPUTER: u64 = 8;

/// What the processes of one computer keep in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Bytes of each.
    pub each: Bytes,
    /// How many there are: one a GPU.
    pub ranks: u64,
}

impl Host {
    /// Of all of them, by what the code allocates.
    pub fn least(self) -> Bytes {
        Bytes(self.each.0 * u128::from(self.ranks))
    }

    /// The same with half as much again, which `DeepSpeed`'s own estimate allows for buffers.
    ///
    /// # Source
    /// `additional_buffer_factor=1.5` of `estimate_zero2_model_states_mem_needs` and `estimate_zero3_model_states_mem_needs`. PyTorch rounds pinned blocks up to powers of two
    /// (`CachingHostAllocator`). Read 2026-11-25.
    pub fn most(self) -> Bytes {
        Bytes(self.least().0 * 3 / 2)
    }

    /// Whether a computer with so many GiB holds it: tight below [`Host::most`].
    pub fn verdict(self, gib: u32) -> Verdict {
        let memory = Bytes(u128::from(gib) * GIB);
        if memory < self.least() {
            Verdict::DoesNotFit
        } else if memory < self.most() {
            Verdict::Tight
        } else {
            Verdict::Fits
        }
    }
}

/// What a training step keeps in host memory; `None` where nothing is offloaded.
///
/// # Formula
/// A process keeps the states of its part of the parameters and, for the step on the CPU, their gradients in the precision of the states. `DeepSpeed` on top: with ZeRO-3 its part
/// of the gradients once more, as they come; with ZeRO-1 and 2 room for its part of the weights, and where micro-batches add up those gradients too. Offloaded weights:
/// its shard of them, or the layers where nothing is sharded. With 16-bit weights, an fp32 master copy and `AdamW`: 18 bytes a parameter of the part with ZeRO-2, 18 with ZeRO-3, 20 with its weights.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Eight GPUs in a computer, or all that there are; states that are pinned and those that are not are counted alike. What Python, the loader of the data and the loading of a
/// checkpoint take is not counted.
///
/// # Source
/// `DeepSpeed` at edaa722: `grad_partitions_flat_buffer`, `initialize_optimizer_states` and `_create_param_groups_fp16_flat_cpu_memory` in `stage3.py`;
/// `single_partition_of_fp32_groups`, `param_buffer_of_bit16_for_cpu_offload_groups` and `accumulated_grads_in_cpu` in `stage_1_and_2.py`. Megatron-LM: `HybridDeviceOptimizer`. torchao:
/// `CPUOffloadOptimizer`, which keeps a copy of the weights. Read 2026-11-25. Issue 7693 of DeepSpeed: 18 bytes a parameter with ZeRO-2.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Mode, Offload, Scenario, ZeroStage, memory::host, tables::models};
/// let mut scenario = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
/// (scenario.mode, scenario.parallel.zero, scenario.parallel.dp) = (Mode::Training, ZeroStage::Weights, 8);
/// scenario.offload = Offload { optimizer: true, parameters: true, kv_cache: false };
/// assert_eq!(host::of(&scenario.check().unwrap()).unwrap().least(), Bytes(20 * 7_000_000_000));
/// ```
pub fn of(scenario: &Checked) -> Option<Host> {
    let offload = scenario.offload;
    if !scenario.mode.trains() || !(offload.optimizer || offload.parameters) {
        return None;
    }
    let mut each = 0;
    if offload.optimizer {
        let part = scenario.shared_out(scenario.trained_parameters(), ZeroStage::Optimizer);
        each += worked::total(|sink| optimizer::states(scenario, sink)).0 + u128::from(part * beside_states(scenario));
    }
    if offload.parameters {
        each += if sharding::deepspeed(scenario).is_some() || scenario.parallel.zero != ZeroStage::None {
            weights::shard(scenario)
        } else {
            weights::layers(scenario)
        };
    }
    Some(Host { each: Bytes(each), ranks: scenario.parallel.ranks().min(GPUS_OF_A_COMPUTER) })
}

/// Bytes a parameter beside the optimizer's states: gradients, and copies of weights.
fn beside_states(scenario: &Checked) -> u64 {
    let [own, wide] = [gradients::bytes_each(scenario), u64::from(optimizer::plain(scenario).bytes)];
    if scenario.mode != Mode::Training {
        return own;
    }
    let weight = u64::from(weights::layout(scenario, Item::LayerMatrices, false).bytes);
    match (sharding::deepspeed(scenario), scenario.training.implementation) {
        (Some(ZeroStage::Weights), _) => wide + own,
        (Some(_), _) => {
            let adds_up = scenario.training.micro_batches > 1 && wide != own;
            wide + weight + if adds_up { own } else { 0 }
        }
        (None, Implementation::Megatron) => wide,
        // A copy of the weights is stepped there, unless the weights are there themselves.
        (None, _) if scenario.offload.parameters || optimizer::has_master(scenario) => own,
        (None, _) => own + weight,
    }
}

/// Whether the memory of the computer holds what is kept there; `None` where nobody said how much there is.
pub fn verdict(scenario: &Checked) -> Option<Verdict> {
    let gib = scenario.host_memory?;
    Some(of(scenario)?.verdict(gib))
}
