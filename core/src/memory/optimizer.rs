//! What the optimizer keeps between steps, and what its step needs for a moment.

use crate::checked::Checked;
use crate::fp8::{Fp8Recipe, Moments};
use crate::memory::deepspeed::{self, Settings};
use crate::memory::{Phase, adapters};
use crate::parallelism::ZeroStage;
use crate::precision::{Block, WeightFormat};
use crate::scenario::{Mode, Scenario, sharding};
use crate::training::{Implementation, Optimizer, Recipe, StepKernel};
use crate::units::Bytes;
use crate::worked::{Factor, Item, Symbol, Term};

/// One 8-bit value in blocks of 256 with an fp32 scale (bitsandbytes).
const EIGHT_BIT: Block = Block { values: 256, bytes: 260 };

/// Bytes of master weights and moments; nothing in inference.
///
/// # Formula
/// parameters × (4 for the fp32 master copy in mixed precision + the moments).
/// With moments in 16 or 8 bits ([`Moments`]) Megatron-LM keeps, of the copy, the 2 bytes beyond bf16 weights alone; all 4 of fp16 weights and beside fp8 recipes other than delayed scaling.
/// Moments in fp32, in pure 16-bit training in 16 bits: `AdamW` two; 8-bit `AdamW` 2 × 260/256 bytes; Lion and momentum one; plain SGD none;
/// Adafactor a row and a column for each matrix; Muon one for the matrices of the layers and two elsewhere.
/// ZeRO-1 to 3 divide all of it by the data-parallel ranks. A step through PyTorch's `foreach` makes one more copy of all parameters, and so does Megatron-LM's of gradients
/// in 16 bits, unless its moments are in fewer bits; moments in 8 bits are both in fp32 meanwhile, 8 bytes a parameter; `DeepSpeed`'s copies gradients twice ([`deepspeed`]).
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Mixed precision with a master copy: 16 bytes a parameter in all with `AdamW` (2 weight + 2 gradient + 12 here).
/// Without a master copy 12 remain. Pure 16-bit training keeps both moments in 16 bits: 8 bytes in all. States that wait in host memory are not here.
///
/// # Source
/// Rajbhandari et al. 2020 (`ZeRO`), section 3.1; Dettmers et al. 2022 for 8-bit blocks; Shazeer and Stern 2018 (Adafactor); Chen et al. 2023 (Lion);
/// Jordan et al. 2024 (Muon); Megatron-LM at d98e8a6: `store_param_remainders` and `use_precision_aware_optimizer_no_fp8_or_ds_fp8` of `megatron/core/optimizer/optimizer_config.py`, `step` of `FusedAdam` of NVIDIA/TransformerEngine at d0067d0 (`transformer_engine/pytorch/optimizers/fused_adam.py`), read 2026-11-27; states and the copy of `foreach` measured with PyTorch 2.15.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Mode, Phase, Scenario, memory::optimizer, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// let scenario = scenario.check().unwrap();
/// assert_eq!(worked::total(|sink| optimizer::terms(&scenario, Phase::Loss, sink)), Bytes(84_000_000_000));
/// ```
pub fn terms(scenario: &Checked, phase: Phase, sink: &mut dyn FnMut(&Term<'_>)) {
    if !scenario.mode.trains() {
        return;
    }
    // The first step makes its states only when it ends.
    if !scenario.offload.optimizer && phase != Phase::FirstStep {
        states(scenario, sink);
    }
    if phase != Phase::OptimizerStep || scenario.offload.optimizer {
        return;
    }
    let copies = copies_by(scenario) == Some(StepKernel::Foreach);
    if let Some([values, bytes]) = deepspeed::in_step(scenario, &Settings::DEFAULT) {
        let factors = [Factor::new(Symbol::Parameters, values), Factor::new(Symbol::BytesPerValue, bytes)];
        sink(&Term { item: Item::StepTemporary, factors: &factors, divisor: 1 });
    } else if copies || widens(scenario) || unscales(scenario) {
        let copy = if copies || widens(scenario) { plain(scenario).bytes } else { 0 };
        let bytes = copy + if unscales(scenario) { 8 } else { 0 };
        put(scenario, Item::StepTemporary, scenario.trained_parameters(), Block { values: 1, bytes }, sink);
    } else if scenario.optimizer == Optimizer::Adafactor {
        let factors = [Factor::new(Symbol::Parameters, widest(scenario)), Factor::number(in_adafactor(scenario))];
        sink(&Term { item: Item::StepTemporary, factors: &factors, divisor: 1 });
    }
}

/// Bytes of each value of a parameter for a moment of Adafactor's step: its square and the update in fp32, and in 16 bits also fp32 copies of gradient and weight.
///
/// # Source
/// transformers 5.17: `step` of `Adafactor` in `optimization.py`; 16 bytes a value of the largest table on an H200 (set `one-gpu-steps` of the crate `memory-wall-accuracy`).
fn in_adafactor(scenario: &Checked) -> u64 {
    if plain(scenario) == Block::BF16 { 16 } else { 8 }
}

/// Values of the largest parameter that learns on this rank: a table, a matrix, or the gates of all experts, which are one tensor.
fn widest(scenario: &Checked) -> u64 {
    let (shape, local) = (&scenario.architecture, scenario.local_parameters());
    if scenario.mode != Mode::Training {
        let widest = shape.hidden_size.max(shape.intermediate_size);
        return u64::from(widest) * u64::from(scenario.training.lora.rank);
    }
    let [hidden, width, ranks] = [shape.hidden_size, shape.intermediate_size, scenario.parallel.tp].map(u64::from);
    let matrix = if shape.has_dense_mlp() { hidden * width.div_ceil(ranks.max(1)) } else { 0 };
    let experts = local.experts / scenario.local().layers.max(1) * 2 / 3;
    local.embedding.max(local.head).max(matrix).max(experts)
}

/// The master copy and the moments of a rank, wherever they are.
pub(super) fn states(scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    let (trained, full, wide) = (scenario.trained_parameters(), scenario.mode == Mode::Training, plain(scenario));
    let mut state = |item, parameters, block| put(scenario, item, parameters, block, sink);
    if full && has_master(scenario) {
        state(Item::MasterWeights, trained, if keeps_remainders(scenario) { Block::BF16 } else { wide });
    }
    match scenario.optimizer {
        Optimizer::AdamW => {
            let each = match scenario.training.moments {
                _ if !full => wide,
                Moments::ByRecipe => wide,
                Moments::Bf16 => Block::BF16,
                Moments::Fp8 => Fp8Recipe::Tensorwise.saved(),
            };
            state(Item::FirstMoment, trained, each);
            state(Item::SecondMoment, trained, each);
        }
        Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => {
            state(Item::FirstMoment, trained, EIGHT_BIT);
            state(Item::SecondMoment, trained, EIGHT_BIT);
        }
        // bitsandbytes keeps them in fp32, whatever the weights are in.
        Optimizer::PagedAdamW => {
            state(Item::FirstMoment, trained, Block::FP32);
            state(Item::SecondMoment, trained, Block::FP32);
        }
        Optimizer::Adafactor => state(Item::SecondMoment, factored(scenario, trained), Block::FP32),
        Optimizer::Lion | Optimizer::SgdMomentum => state(Item::FirstMoment, trained, wide),
        Optimizer::Muon => {
            let local = scenario.local_parameters();
            let matrices = if full { (local.matrices + local.experts).min(trained) } else { trained };
            state(Item::FirstMoment, trained, wide);
            state(Item::SecondMoment, trained - matrices, wide);
        }
        Optimizer::Sgd => {}
    }
}

/// Bytes of the states that the driver may move from the GPU to host memory while something else needs the room.
///
/// # Formula
/// Both moments of the matrices: 2 bytes a value in 8 bits, without the scales, and 8 in fp32. Norms, biases and the smaller matrices of adapters are below 100,000 values, from which on bitsandbytes pages.
///
/// # Assumes
/// A step on an NVIDIA GPU under Linux. Where ranks share out the states of adapters, none: how large their parts are is not modelled.
///
/// # Source
/// bitsandbytes 0.50.2: `get_state_buffer` of `optim/optimizer.py`, `get_paged` and `cget_managed_ptr`, which is `cudaMallocManaged`; the scales are plain tensors. CUDA C++ programming guide,
/// "Unified Memory": managed memory is evicted to the host when the GPU is oversubscribed, but for Windows. Read 2026-11-25.
pub fn evictable(scenario: &Checked) -> Bytes {
    let each = match scenario.optimizer {
        Optimizer::PagedAdamW8bit => 2,
        Optimizer::PagedAdamW => 8,
        _ => return Bytes::ZERO,
    };
    let elsewhere = scenario.gpu.is_some_and(|gpu| gpu.vendor != "NVIDIA");
    if !scenario.mode.trains() || scenario.offload.optimizer || elsewhere {
        return Bytes::ZERO;
    }
    if scenario.mode.adapts() {
        let large = crate::checked::adapters::in_large(scenario, PAGED);
        let whole = scenario.shared_out(large, ZeroStage::Optimizer) == large;
        return Bytes(if whole { u128::from(large) * each } else { 0 });
    }
    let vectors = scenario.local_parameters().vectors;
    let paged = scenario.shared_out(scenario.trained_parameters().saturating_sub(vectors), ZeroStage::Optimizer);
    Bytes(u128::from(paged) * each)
}

/// Values from which on bitsandbytes pages the states of a tensor.
const PAGED: u64 = 100_000;

/// One kind of state of so many parameters.
fn put(scenario: &Checked, item: Item, parameters: u64, block: Block, sink: &mut dyn FnMut(&Term<'_>)) {
    if parameters == 0 {
        return;
    }
    let symbol = if block.values == 1 { Symbol::BytesPerValue } else { Symbol::BytesPerBlock };
    sink(&Term {
        item,
        factors: &[
            Factor::new(Symbol::Parameters, scenario.shared_out(parameters, ZeroStage::Optimizer)),
            Factor::new(symbol, block.bytes.into()),
        ],
        divisor: block.values,
    });
}

/// The kernel of a step whose memory it decides: with `foreach` `AdamW`'s square root is made beside what it is taken of. `None` where the step is taken on the CPU or by another optimizer, or
/// where `DeepSpeed`'s ZeRO-1 and 2 have freed as much before.
///
/// # Source
/// `DeepSpeed` at edaa722: `step` of `stage_1_and_2.py` frees gradients and their flattened copy before `_optimizer_step`, 4 bytes a parameter of the part.
pub fn copies_by(scenario: &Scenario) -> Option<StepKernel> {
    let freed = matches!(sharding::deepspeed(scenario), Some(ZeroStage::Optimizer | ZeroStage::Gradients));
    let here =
        scenario.mode.trains() && scenario.optimizer == Optimizer::AdamW && !scenario.offload.optimizer && !freed;
    here.then_some(scenario.training.step)
}

/// Bytes of the copy that a step by `foreach` makes.
pub fn copy_of_step(scenario: &Checked) -> Bytes {
    let mut bytes = Bytes::ZERO;
    put(scenario, Item::StepTemporary, scenario.trained_parameters(), plain(scenario), &mut |term| {
        bytes += term.bytes();
    });
    bytes
}

/// Whether the step has both moments in fp32 for as long as it lasts, beside those in 8 bits. Moments in bf16 are read and written by the fused kernel as they are.
fn unscales(scenario: &Checked) -> bool {
    scenario.mode == Mode::Training && scenario.training.moments == Moments::Fp8
}

/// Whether the step makes an fp32 copy of gradients in 16 bits: Megatron-LM's does, with and without its distributed optimizer, but for what [`hands_over`] says.
///
/// # Source
/// Megatron-LM: `shard_main_param.grad = shard_model_grad.float()` in `distrib_optimizer.py`, and `main_grad.float()` in `optimizer.py`. Read 2026-11-25.
fn widens(scenario: &Checked) -> bool {
    scenario.mode == Mode::Training
        && scenario.training.implementation == Implementation::Megatron
        && scenario.recipe() == Recipe::Mixed
        && !hands_over(scenario)
}

/// Whether the optimizer updates a copy of the weights. `DeepSpeed`'s ZeRO clones its partition even where that has the same precision.
///
/// # Source
/// 16.17 GiB between the steps of 6.86 billion parameters in 16 bits on four GPUs with ZeRO-3: 10 bytes a parameter, not 8 (set `deepspeed-steps` of the crate `memory-wall-accuracy`).
pub(super) fn has_master(scenario: &Checked) -> bool {
    let cloned = sharding::deepspeed(scenario).is_some();
    match scenario.recipe() {
        Recipe::Mixed | Recipe::MixedFp32Gradients => true,
        Recipe::WithoutMaster => false,
        Recipe::Pure | Recipe::Fp32 | Recipe::Autocast => cloned,
    }
}

/// Whether Transformer Engine's `AdamW` takes weights and gradients in 16 bits as they are (`decoupled_grad`): with moments in fewer bits, beside no fp8 or delayed scaling.
fn hands_over(scenario: &Checked) -> bool {
    let recipe = scenario.transformer_engine();
    scenario.training.moments != Moments::ByRecipe && matches!(recipe, Fp8Recipe::None | Fp8Recipe::Delayed)
}

/// Whether the master copy is what fp32 has beyond bf16, which Transformer Engine's `AdamW` puts together with weights in bf16; of those in fp16 it keeps all of fp32.
fn keeps_remainders(scenario: &Checked) -> bool {
    hands_over(scenario) && scenario.weights == WeightFormat::Bf16
}

/// The precision of moments that are not quantised: that of the parameters which the step updates.
pub(super) fn plain(scenario: &Checked) -> Block {
    match (scenario.mode, scenario.recipe()) {
        (Mode::Training, Recipe::Pure) => Block::BF16,
        (Mode::Training, _) => Block::FP32,
        _ if adapters::bytes_each(scenario) == 4 => Block::FP32,
        _ => Block::BF16,
    }
}

/// Values that Adafactor keeps on this rank: a row and a column for each matrix, one for each entry of a vector.
fn factored(scenario: &Checked, trained: u64) -> u64 {
    let (shape, local, held) = (&scenario.architecture, scenario.local(), scenario.local_parameters());
    if scenario.mode != Mode::Training {
        // The thin matrices of adapters: their long sides.
        return (trained / u64::from(scenario.training.lora.rank)).max(1);
    }
    let [h, d] = [shape.hidden_size, shape.head_dim].map(u64::from);
    let [q, k] = [local.heads * d, local.kv_heads * d];
    let attention = 2 * (h + q) + 2 * (h + k);
    let mlp = |width: u64| shape.mlp.matrices() * (h + width);
    let experts = shape.moe.map_or(0, |moe| {
        let each = mlp(u64::from(moe.intermediate_size).div_ceil(scenario.parallel.tp.into()));
        u64::from(moe.experts).div_ceil(scenario.parallel.ep.into()) * each
    });
    let tables =
        if local.embedding { local.vocab_size + h } else { 0 } + if held.head > 0 { local.vocab_size + h } else { 0 };
    local.layers * (attention + mlp(local.intermediate_size) + experts) + tables + held.vectors + held.routers
}
