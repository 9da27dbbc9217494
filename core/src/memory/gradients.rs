//! One gradient for each parameter that learns.

use crate::checked::Checked;
use crate::memory::backward::{self, Moment};
use crate::memory::{Phase, activations, adapters};
use crate::parallelism::ZeroStage;
use crate::scenario::{Mode, Scenario, sharding};
use crate::training::{Gradients, Implementation, Recipe};
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes of the gradients; nothing in inference.
///
/// # Formula
/// parameters × bytes: 2 in mixed and pure 16-bit training and without a master copy, 4 in fp32, autocast and where fp32 gradients are kept.
/// ZeRO-2 and 3 divide them by the data-parallel ranks. With adapters: the adapters' parameters only.
/// In the backward pass: those that exist at its fullest moment ([`in_backward`]).
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Unless [`crate::Gradients`] says otherwise, mixed precision keeps its gradient buffers from step to step, as Megatron-LM and DeepSpeed do. Elsewhere
/// gradients are freed after each step (PyTorch's `zero_grad` since 2.0), so that none exist when backward begins, unless micro-batches add theirs up.
///
/// # Source
/// Rajbhandari et al. 2020 (`ZeRO`), section 3.1; measured steps of PyTorch 2.15 (gradient bytes equal parameter bytes in 157 of 157).
pub fn terms(scenario: &Checked, phase: Phase, sink: &mut dyn FnMut(&Term<'_>)) {
    let exist = match phase {
        Phase::Backward => return in_backward(scenario, backward::fullest(scenario).0, sink),
        Phase::OptimizerStep => true,
        Phase::Forward | Phase::FirstStep | Phase::ForwardEnd | Phase::Loss => before_backward(scenario),
    };
    if scenario.mode.trains() && exist {
        product(scenario, scenario.trained_parameters(), phase, sink);
    }
}

/// Bytes of the gradients at one moment of the backward pass.
///
/// # Formula
/// In the last layer, whose turn is first: head, final norm and the last matrix of that layer. In the first layer: all but the embedding's and the layer's own,
/// of which the last matrix is done. At the end: all; and where two tables are tied, 2 × `vocab_size` × `hidden_size` × bytes beside them,
/// the gradients of the table as head and as embedding, whose sum is counted among all.
///
/// # Assumes
/// Layers of equal size. In the middle of eager scores the MLP's gradients are done.
///
/// # Source
/// Inventories of steps run with PyTorch 2.15: 14,691,065,856 bytes in the first layer of Llama 3.1 8B, and the ends of 6 steps, to the byte.
///
/// # Example
/// ```
/// use memory_wall_core::memory::{backward::Moment, gradients};
/// use memory_wall_core::{Mode, Recipe, Scenario, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// (scenario.mode, scenario.training.recipe) = (Mode::Training, Recipe::Pure);
/// let scenario = scenario.check().unwrap();
/// let first = worked::total(|sink| gradients::in_backward(&scenario, Moment::FirstLayer, sink));
/// assert_eq!(first.0, 14_691_065_856);
/// ```
pub fn in_backward(scenario: &Checked, moment: Moment, sink: &mut dyn FnMut(&Term<'_>)) {
    if !scenario.mode.trains() {
        return;
    }
    let trained = scenario.trained_parameters();
    // A rounded count has no tensors to leave out.
    let whole = before_backward(scenario)
        || scenario.mode != Mode::Training
        || moment == Moment::End
        || scenario.architecture.rounded_parameters.is_some();
    product(scenario, if whole { trained } else { existing(scenario, moment) }, Phase::Backward, sink);
    // FSDP adds them up before it shares them out, on a stream whose blocks are counted with the activations.
    let reduced = scenario.torchtitan();
    if moment == Moment::End && scenario.mode == Mode::Training && scenario.tied_here() && !reduced {
        let vocab = Factor::new(Symbol::VocabSize, scenario.local().vocab_size);
        let hidden = Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into());
        let factors = [Factor::number(2), vocab, hidden, Factor::new(Symbol::BytesPerValue, bytes_each(scenario))];
        sink(&Term { item: Item::TableGradients, factors: &factors, divisor: 1 });
    }
}

fn product(scenario: &Checked, parameters: u64, phase: Phase, sink: &mut dyn FnMut(&Term<'_>)) {
    let in_step = phase == Phase::OptimizerStep;
    let zero_one = sharding::deepspeed(scenario) == Some(ZeroStage::Optimizer);
    let [here, bytes] = if adds_whole(scenario) && !in_step {
        [parameters, if sharding::fsdp(scenario) { scenario.value_bytes() } else { bytes_each(scenario) }]
    } else if sharding::gradients_on_host(scenario) || in_step && zero_one && scenario.offload.optimizer {
        return;
    } else {
        // What DeepSpeed's ZeRO-1 has reduced for other ranks is gone before the step.
        let stage = if zero_one && in_step { ZeroStage::Optimizer } else { ZeroStage::Gradients };
        [scenario.shared_out(parameters, stage), bytes_each(scenario)]
    };
    let factors = [Factor::new(Symbol::Parameters, here), Factor::new(Symbol::BytesPerValue, bytes)];
    sink(&Term { item: Item::Gradients, factors: &factors, divisor: 1 });
}

/// Whether whole gradients of several micro-batches are added up on each rank, of which only the last one shares them out: `LitGPT` does so, and accelerate with FSDP.
///
/// # Source
/// transformers 5.24.0, `trainer.py`: all micro-batches but the last run under `Accelerator.no_sync`, unless `DeepSpeed` trains or `sync_each_batch` is set. accelerate 1.15.0:
/// `no_sync` calls `set_requires_gradient_sync(False)` of FSDP2, which then adds gradients up in the precision of the gathered weights. Read 2026-11-25.
pub(crate) fn adds_whole(scenario: &Checked) -> bool {
    let fsdp = scenario.training.implementation == Implementation::Litgpt || sharding::fsdp(scenario);
    fsdp && scenario.training.micro_batches > 1
}

/// Bytes of one gradient.
pub fn bytes_each(scenario: &Checked) -> u64 {
    match (scenario.mode, scenario.recipe()) {
        (Mode::Training, Recipe::Mixed | Recipe::WithoutMaster | Recipe::Pure) => 2,
        (Mode::Training, _) => 4,
        _ => adapters::bytes_each(scenario),
    }
}

/// Whether gradients stay allocated from one step to the next.
pub fn between_steps(scenario: &Scenario) -> bool {
    match scenario.training.gradients {
        Gradients::Kept => true,
        Gradients::Freed => false,
        Gradients::ByRecipe => {
            scenario.mode == Mode::Training
                && matches!(scenario.recipe(), Recipe::Mixed | Recipe::MixedFp32Gradients)
                && sharding::deepspeed(scenario) != Some(ZeroStage::Optimizer)
        }
    }
}

/// Whether all gradients exist when the backward pass begins.
pub fn before_backward(scenario: &Checked) -> bool {
    // FSDP2 reduces gradients on a stream of its own, whose blocks of memory serve nothing else and so are held from step to step.
    // DeepSpeed has its partition whole from the first transfer on, or always.
    let partition = matches!(sharding::deepspeed(scenario), Some(ZeroStage::Gradients | ZeroStage::Weights));
    between_steps(scenario) || scenario.torchtitan() || scenario.training.micro_batches > 1 || partition
}

/// Parameters whose gradients exist at one moment in a layer, where none existed before.
fn existing(scenario: &Checked, moment: Moment) -> u64 {
    let (shape, local, held) = (&scenario.architecture, scenario.local(), scenario.local_parameters());
    let final_norm = if local.head { shape.norm.vectors() * u64::from(shape.hidden_size) } else { 0 };
    let matrix = mlp_matrix(scenario);
    let done = if activations::mlp_done(scenario) { shape.mlp.matrices() * matrix } else { matrix };
    let table = if scenario.tied_here() { held.embedding } else { 0 };
    if moment == Moment::LastLayer {
        return table + held.head + final_norm + done;
    }
    let layers = held.matrices + held.experts + held.routers + (held.vectors - final_norm);
    let own = (layers / local.layers.max(1)).saturating_sub(done);
    held.head + table + final_norm + (layers - own)
}

/// One matrix of a layer's MLP, or of all its experts.
pub(super) fn mlp_matrix(scenario: &Checked) -> u64 {
    let shape = &scenario.architecture;
    let h = u64::from(shape.hidden_size);
    match shape.moe {
        Some(moe) => {
            let experts = u64::from(moe.experts).div_ceil(scenario.parallel.ep.into());
            experts * h * u64::from(moe.intermediate_size).div_ceil(scenario.experts().width)
        }
        None => h * scenario.local().intermediate_size,
    }
}

/// Bytes that the gradients of an MLP's matrices but the last one add while a layer's backward pass runs; nothing where they exist all along.
pub fn of_inner_matrices(scenario: &Checked) -> u128 {
    let rounded = scenario.architecture.rounded_parameters.is_some();
    if before_backward(scenario) || scenario.mode != Mode::Training || rounded {
        return 0;
    }
    let matrices = (scenario.architecture.mlp.matrices() - 1) * mlp_matrix(scenario);
    let each = matrices.div_ceil(scenario.parallel.shards_from(ZeroStage::Gradients));
    u128::from(each) * u128::from(bytes_each(scenario))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::models;
    use crate::worked;

    #[test]
    fn whether_gradients_stay_is_a_choice_of_its_own() {
        let llama = models::by_id("llama-2-7b").unwrap().architecture;
        let mut scenario = Scenario { mode: Mode::Training, ..Scenario::new(llama) };
        let when_backward_begins =
            |scenario: &Scenario| worked::total(|sink| terms(&scenario.check().unwrap(), Phase::Loss, sink)).0;
        for (recipe, usual) in [(Recipe::Mixed, 2), (Recipe::MixedFp32Gradients, 4), (Recipe::Pure, 0)] {
            scenario.training.recipe = recipe;
            for (gradients, bytes) in
                [(Gradients::ByRecipe, usual), (Gradients::Kept, usual.max(2)), (Gradients::Freed, 0)]
            {
                scenario.training.gradients = gradients;
                assert_eq!(when_backward_begins(&scenario), bytes * 6_738_415_616, "{recipe:?} {gradients:?}");
            }
        }
    }
}
