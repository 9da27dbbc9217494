//! What the driver and its libraries take before the first tensor.

use crate::checked::Checked;
use crate::parallelism::ZeroStage;
use crate::scenario::Scenario;
use crate::scenario::sharding;
use crate::training::Implementation;
use crate::worked::{Factor, Item, Term};

/// CUDA context, kernels and library workspaces of one process: an estimate, of 0.3 to 0.9 GiB.
pub const CONTEXT_BYTES: u64 = 512 << 20;

/// What several ranks of Megatron-LM were seen to take at most beside what is counted, in percent of it.
///
/// # Source
/// github.com/modelscope/ms-swift at 3602360 (2026-08), `examples/megatron`: 57 to 75 GiB reported by nvidia-smi, 9 to 16% more than is counted for their settings. Read 2026-11-25.
const MEGATRON_PERCENT: u128 = 16;

/// The same of mixtures of experts, whose tokens are counted evenly over experts and ranks.
///
/// # Source
/// github.com/NVIDIA/Megatron-LM at d98e8a6 (2026-08), `tests/functional_tests/test_cases/moe/gpt3_mcore_te_tp2_pp2_ep4_etp1_*`: peaks 4.5 and 6.3 GB above what is counted, 21 to 29% of it without
/// the scores of eager attention (rows F004 and F005 of `accuracy/data/megatron_runs.csv`). Read 2026-11-27.
const MEGATRON_PERCENT_OF_MIXTURES: u128 = 30;

/// Percent of the need below which a margin of several ranks of Megatron-LM counts as tight.
pub fn megatron_percent(scenario: &Scenario) -> u128 {
    if scenario.architecture.moe.is_some() { MEGATRON_PERCENT_OF_MIXTURES } else { MEGATRON_PERCENT }
}

/// Whether several ranks of Megatron-LM train, which take more than is counted.
pub fn of_megatron(scenario: &Scenario) -> bool {
    let megatron = scenario.training.implementation == Implementation::Megatron;
    scenario.mode.trains() && megatron && scenario.parallel.ranks() > 1
}

/// Bytes that every process takes on a GPU.
///
/// # Formula
/// 512 MiB.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// One process on one GPU. What programs that serve a model add, graphs and communication buffers, is in [`crate::engines`].
///
/// # Source
/// 0.3 to 0.8 GiB is what a context and the cuBLAS workspaces were seen to take on A100 and H100; on an H200 with PyTorch 2.11 for CUDA 13, 0.75 to 0.85 GiB beside PyTorch's pool in
/// training, and 64 MiB of workspaces in it (`accuracy/data/one_gpu_steps.csv`); vLLM 0.19 logs 0.25 to 0.27 GiB beside the context.
pub fn terms(_scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    sink(&Term { item: Item::DeviceContext, factors: &[Factor::number(CONTEXT_BYTES)], divisor: 1 });
}

/// Below this share of the capacity a margin counts as tight. Of what PyTorch's allocator had reserved at the end of a
/// training step, 10 to 13% was measured to be free: a tenth covers most such runs, and not every one.
pub const TIGHT_PERCENT: u128 = 10;

/// The same where FSDP or `DeepSpeed`'s ZeRO-3 gathers layers on a stream of its own, whose blocks of memory serve nothing else, and for adapters on several GPUs.
///
/// # Source
/// `DeepSpeed` 0.19.6: `overlap_comm` is on with stage 3 unless it is told otherwise (`runtime/zero/config.py`), and then weights are gathered on `__allgather_stream` and gradients reduced
/// on `reduce_and_partition_stream`. A full training step of Qwen2.5 32B over eight A800, 87% of each by calculation, died (hiyouga/LlamaFactory issue 6999). Read 2026-11-26.
/// foundation-model-stack/fms-acceleration, `scripts/benchmarks/refs/a100_80gb.csv`: of what FSDP's runs with adapters had reserved beside the context, 12 to 37% was more than PyTorch
/// ever allocated; `QLoRA` of Llama 2 70B with 4 sequences of 4,096 tokens on each of two GPUs, 87% of a GPU by calculation, died. Read 2026-11-25. Adapters whose
/// gradients alone are exchanged: `AnswerDotAI/fsdp_qlora`, `benchmarks_03_2024.md`, its runs with DDP, whose reserved memory is up to a quarter more than is counted. Read 2026-11-26.
const TIGHT_PERCENT_OF_SEVERAL: u128 = 20;

/// Percent of the GPU below which a margin counts as tight.
pub fn tight_percent(scenario: &Checked) -> u128 {
    let exchanged = scenario.mode.adapts() && scenario.parallel.dp > 1;
    let by_zero3 = sharding::deepspeed(scenario) == Some(ZeroStage::Weights) && scenario.parallel.shard_ranks() > 1;
    if exchanged || by_zero3 || sharding::fsdp(scenario) || scenario.frozen_by_fsdp() {
        TIGHT_PERCENT_OF_SEVERAL
    } else {
        TIGHT_PERCENT
    }
}
