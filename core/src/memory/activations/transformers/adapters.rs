//! What adapters keep beside a frozen model, and what a quantised model unpacks.

use super::attention::Product;
use crate::architecture::Projection;
use crate::checked::Checked;
use crate::memory::activations::sizes::{Kinds, Sizes};
use crate::memory::adapters;
use crate::scenario::Mode;
use crate::training::Recipe;
use crate::worked::{Factor, Item, Symbol};

/// How many values a target reads of each token.
#[derive(Clone, Copy)]
enum Inputs {
    /// So many.
    Width(Factor),
    /// So many heads of so many values.
    Heads(Factor, Factor),
}

/// What the adapters of layers of these kinds keep.
///
/// # Formula
/// With w bytes a value, those of the adapters ([`adapters::bytes_each`]), 2 under autocast: for each target w·T·`rank`, the input of its second matrix,
/// and w·T·inputs, a copy of the input of its first, which each target makes for itself; with dropout a mask of 1 byte a value besides.
/// Adapters as wide as the model, without dropout and autocast, share the tensor that the matrix beside them reads, kept once
/// ([`super::super::sizes::Learns`]).
///
/// # Units
/// Bytes.
///
/// # Assumes
/// All layers alike: the first, whose input needs no gradient, keeps one norm and its masks less. Targets as [`adapters::parameters`] counts them.
///
/// # Source
/// Derived from the laws of stock code and from the code of `peft`; the list of tensors seen in a small Llama on a CPU (`peft` 0.17). Whole runs: set `peft-peaks` of the
/// crate `memory-wall-accuracy`.
pub(super) fn terms(sizes: &Sizes<'_>, kinds: &Kinds, product: Product<'_>) {
    if !sizes.scenario.mode.adapts() {
        return;
    }
    let (shape, targets) = (sizes.shape, sizes.scenario.training.lora.targets);
    let attending = kinds.full + kinds.sliding;
    let mut target = |layers, matrices, inputs| one(sizes, layers, matrices, inputs, product);
    let dim = |dim: u32| Factor::new(Symbol::HeadDim, dim.into());
    let values = if let Projection::Latent(it) = shape.projection {
        if targets.q {
            target(attending, 1, Inputs::Width(sizes.hidden));
            if let Some(rank) = it.q_lora_rank {
                target(attending, 1, Inputs::Width(dim(rank)));
            }
        }
        if targets.k || targets.v {
            target(attending, 1, Inputs::Width(sizes.hidden));
            target(attending, 1, Inputs::Width(dim(it.kv_lora_rank)));
        }
        it.v_dim
    } else {
        let projections = [targets.q, targets.k, targets.v].map(u64::from).iter().sum();
        target(attending, projections, Inputs::Width(sizes.hidden));
        shape.head_dim
    };
    target(attending, targets.o.into(), Inputs::Heads(sizes.heads, dim(values)));
    if targets.mlp {
        let inner = shape.mlp.matrices() - 1;
        target(kinds.dense, inner, Inputs::Width(sizes.hidden));
        target(kinds.dense, 1, Inputs::Width(Factor::new(Symbol::IntermediateSize, sizes.local.intermediate_size)));
        if let Some(shared) = shape.moe.map(|moe| moe.shared_intermediate_size).filter(|shared| *shared > 0) {
            target(kinds.moe, inner, Inputs::Width(sizes.hidden));
            target(kinds.moe, 1, Inputs::Width(sizes.width(shared)));
        }
    }
}

/// What the adapter beside the head keeps.
pub(super) fn head(sizes: &Sizes<'_>, product: Product<'_>) {
    if sizes.scenario.mode.adapts() && sizes.scenario.training.lora.targets.head {
        one(sizes, 1, 1, Inputs::Width(sizes.hidden), product);
    }
}

/// Adapters beside `matrices` matrices with the same inputs, in each of `layers` layers.
fn one(sizes: &Sizes<'_>, layers: u64, matrices: u64, inputs: Inputs, product: Product<'_>) {
    if layers * matrices == 0 {
        return;
    }
    let (scenario, t) = (sizes.scenario, sizes.tokens);
    let lora = scenario.training.lora;
    let w = width(scenario);
    let l = Factor::new(Symbol::Layers, layers);
    let mask = match (lora.dropout, sizes.cuda) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => w,
    };
    product(Item::AdapterTensors, &[Factor::number(w * matrices), l, t, Factor::number(lora.rank.into())]);
    if copies_inputs(scenario) {
        let bytes = Factor::number((w + mask) * matrices);
        match inputs {
            Inputs::Width(width) => product(Item::AdapterTensors, &[bytes, l, t, width]),
            Inputs::Heads(heads, dim) => product(Item::AdapterTensors, &[bytes, l, t, heads, dim]),
        }
    }
}

/// Bytes of a value that an adapter keeps.
fn width(scenario: &Checked) -> u64 {
    if scenario.recipe() == Recipe::Autocast { 2 } else { adapters::bytes_each(scenario) }
}

/// Whether each adapter keeps a copy of its input, and not the tensor that the frozen matrix reads.
pub(crate) fn copies_inputs(scenario: &Checked) -> bool {
    scenario.training.lora.dropout
        || scenario.recipe() == Recipe::Autocast
        || adapters::bytes_each(scenario) != scenario.value_bytes()
}

/// The largest matrix of a layer in 16 bits, unpacked for its multiplication.
///
/// # Formula
/// 2 × inputs × outputs, or 4 beside fp32 weights: in the precision of the multiplication, whatever hidden states are in.
///
/// # Assumes
/// One matrix at a time. bitsandbytes from 0.43.2 on keeps no input of a frozen 4-bit matrix; earlier versions kept each.
///
/// # Source
/// bitsandbytes' `MatMul4Bit` and its pull request 1270.
pub(super) fn unpacked(sizes: &Sizes<'_>, product: Product<'_>) {
    if sizes.scenario.mode != Mode::Qlora {
        return;
    }
    let width = sizes.shape.moe.map_or(sizes.local.intermediate_size, |moe| {
        sizes.width(moe.intermediate_size.max(moe.shared_intermediate_size)).value
    });
    let widest = width.max(sizes.local.heads * u64::from(sizes.shape.head_dim));
    let widest = Factor::new(Symbol::IntermediateSize, widest);
    product(Item::DequantizedWeights, &[Factor::number(sizes.scenario.activation_bytes()), sizes.hidden, widest]);
}

#[cfg(test)]
mod tests {
    use crate::architecture::Architecture;
    use crate::memory::Phase;
    use crate::memory::activations;
    use crate::precision::WeightFormat;
    use crate::scenario::{Mode, Scenario};
    use crate::tables::models;
    use crate::training::{AdapterPrecision, LoraTargets, Recipe};
    use crate::worked::{Item, total};

    /// The small Llama that was run: 192 tokens, 3 layers.
    fn small(targets: LoraTargets) -> Scenario {
        let shape = Architecture::llama([3, 256, 8, 4, 32, 704, 512]);
        let mut scenario = Scenario { mode: Mode::Lora, batch: 2, seq_length: 96, ..Scenario::new(shape) };
        (scenario.training.lora.rank, scenario.training.lora.targets) = (8, targets);
        scenario
    }

    fn of(scenario: &Scenario, item: Item, phase: Phase) -> u128 {
        let only = |sink: &mut dyn FnMut(&crate::worked::Term<'_>)| {
            activations::terms(&scenario.check().unwrap(), phase, &mut |term| {
                if term.item == item {
                    sink(term);
                }
            });
        };
        total(only).0
    }

    #[test]
    fn adapters_keep_the_tensors_that_were_seen() {
        let kept = |scenario: &Scenario| of(scenario, Item::AdapterTensors, Phase::Loss);
        // 6 copies of 192 × 256 and 6 of 192 × 8 in fp32; with all matrices 18, 3 of 192 × 704 and 21.
        let mut qv = small(LoraTargets::QV);
        assert_eq!(kept(&qv), 6 * 4 * 192 * (256 + 8));
        let all = small(LoraTargets::ALL_LINEAR);
        assert_eq!(kept(&all), 4 * 192 * (18 * 256 + 3 * 704 + 21 * 8));
        // Under autocast the same in 16 bits.
        qv.training.recipe = Recipe::Autocast;
        assert_eq!(kept(&qv), 6 * 2 * 192 * (256 + 8));
        // What a frozen matrix reads is not kept: 3 tensors of the MLP, and no norm's output.
        assert_eq!(of(&all, Item::MlpTensors, Phase::Loss), 9 * 2 * 192 * 704);
        assert_eq!(of(&all, Item::NormOutputs, Phase::Loss), 0);
    }

    #[test]
    fn adapters_in_16_bits_share_what_the_matrices_beside_them_read() {
        let mut all = small(LoraTargets::ALL_LINEAR);
        all.training.lora.precision = AdapterPrecision::Bf16;
        // 21 inputs of second matrices; the inputs of the first ones are the norms' outputs, attention's output and the product in the MLP.
        assert_eq!(of(&all, Item::AdapterTensors, Phase::Loss), 21 * 2 * 192 * 8);
        assert_eq!(of(&all, Item::NormOutputs, Phase::Loss), 6 * 2 * 192 * 256);
        assert_eq!(of(&all, Item::MlpTensors, Phase::Loss), 12 * 2 * 192 * 704);
    }

    #[test]
    fn whether_lora_saves_activations_depends_on_targets_and_precision() {
        let llama = models::by_id("llama-2-7b").unwrap().architecture;
        let saved = |mode, targets, precision| {
            let mut scenario = Scenario { mode, ..Scenario::new(llama) };
            (scenario.training.lora.targets, scenario.training.lora.precision) = (targets, precision);
            total(|sink| activations::terms(&scenario.check().unwrap(), Phase::Loss, sink)).0 / 10_000_000
        };
        let lora = |targets, precision| saved(Mode::Lora, targets, precision);
        let [fp32, bf16] = [AdapterPrecision::Fp32, AdapterPrecision::Bf16];
        // In units of 10 MB: more than full training with peft's defaults on all matrices, otherwise less.
        assert_eq!(saved(Mode::Training, LoraTargets::QV, fp32), 1_229);
        assert_eq!(lora(LoraTargets::ALL_LINEAR, fp32), 1_802);
        assert_eq!(lora(LoraTargets::ATTENTION, fp32), 1_297);
        assert_eq!(lora(LoraTargets::QV, fp32), 1_082);
        assert_eq!(lora(LoraTargets::ALL_LINEAR, bf16), 1_119);
        assert_eq!(lora(LoraTargets::QV, bf16), 920);
    }

    #[test]
    fn k_bit_preparation_keeps_hidden_states_in_fp32() {
        let mut scenario = small(LoraTargets::QV);
        (scenario.mode, scenario.weights) = (Mode::Qlora, WeightFormat::Nf4Dq);
        let kept = |scenario: &Scenario, item| of(scenario, item, Phase::Loss);
        // Adapters and hidden states are both in fp32, so queries and values share one input.
        assert_eq!(kept(&scenario, Item::AdapterTensors), 6 * 4 * 192 * 8);
        assert_eq!(kept(&scenario, Item::NormOutputs), 3 * 4 * 192 * 256);
        assert_eq!(kept(&scenario, Item::MlpTensors), 9 * 4 * 192 * 704);
        // A matrix is unpacked in the 16 bits that it is multiplied in.
        assert_eq!(of(&scenario, Item::DequantizedWeights, Phase::Backward), 2 * 256 * 704);
        // Without that step everything is as beside a model in bf16.
        scenario.training.lora.upcast = false;
        for item in [Item::AdapterTensors, Item::NormOutputs, Item::MlpTensors] {
            assert_eq!(kept(&scenario, item), kept(&small(LoraTargets::QV), item));
        }
    }

    #[test]
    fn fsdp_holds_done_layers_where_checkpoints_are_reentrant() {
        let llama = models::by_id("llama-2-70b").unwrap().architecture;
        let mut scenario = Scenario {
            mode: Mode::Qlora,
            batch: 2,
            seq_length: 4_096,
            weights: WeightFormat::Nf4Dq,
            ..Scenario::new(llama)
        };
        scenario.checkpointing = crate::Checkpointing::Full;
        (scenario.parallel.dp, scenario.parallel.zero) = (2, crate::ZeroStage::Weights);
        let peak = |scenario: &Scenario| crate::evaluate::total(&scenario.check().unwrap()).0;
        let usual = peak(&scenario);
        // The layers are flattened into one tensor each, whose norms are not upcast.
        scenario.training.lora.upcast = false;
        assert_eq!(peak(&scenario), usual);
        // All inputs but that of the first layer, whose turn it is, and their gradients: 2 × 79 tensors, one of which is there anyway.
        scenario.training.stock.reentrant = true;
        let tensor = 2 * 2 * 4_096 * 8_192;
        assert_eq!(peak(&scenario) - usual, 78 * tensor);
        // Adding up over micro-batches changes nothing of that.
        scenario.training.micro_batches = 4;
        assert_eq!(peak(&scenario) - usual, 78 * tensor);
        // One GPU, and layers that keep all, hold nothing back.
        for change in
            [|it: &mut Scenario| it.parallel.dp = 1, |it: &mut Scenario| it.checkpointing = crate::Checkpointing::None]
        {
            change(&mut scenario);
            let with = peak(&scenario);
            scenario.training.stock.reentrant = false;
            assert_eq!(with, peak(&scenario));
            (scenario.training.stock.reentrant, scenario.parallel.dp) = (true, 2);
        }
    }

    #[test]
    fn a_mask_comes_with_dropout() {
        let mut dropped = small(LoraTargets::QV);
        dropped.training.lora.dropout = true;
        assert_eq!(of(&dropped, Item::AdapterTensors, Phase::Loss), 6 * 192 * (4 * (256 + 8) + 256));
    }

    #[test]
    fn a_quantised_matrix_is_unpacked_on_the_way_back() {
        let mut scenario = small(LoraTargets::QV);
        assert_eq!(of(&scenario, Item::DequantizedWeights, Phase::Backward), 0);
        (scenario.mode, scenario.weights) = (Mode::Qlora, WeightFormat::Nf4);
        assert_eq!(of(&scenario, Item::DequantizedWeights, Phase::Backward), 2 * 256 * 704);
        assert_eq!(of(&scenario, Item::DequantizedWeights, Phase::Loss), 0);
    }
}
