//! What adapters keep beside a frozen model.

use super::attention::{Product, mask_bytes};
use crate::memory::activations::sizes::{Kinds, Sizes};
use crate::worked::{Factor, Item, Symbol};

/// What the adapters of layers of these kinds keep.
///
/// # Formula
/// For each target e·T·`rank`, the input of its second matrix. Without dropout the input of the first is the tensor that the frozen matrix reads, kept once
/// ([`super::super::sizes::Learns`]); with dropout each target keeps a dropped copy of its input and a mask, (e + 1) bytes a value.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Adapters in the precision of the 16-bit tensors. In a mixture of experts the width of a dense MLP stands for that of the experts.
///
/// # Source
/// The code of `peft`; not measured.
pub(super) fn terms(sizes: &Sizes<'_>, kinds: &Kinds, product: Product<'_>) {
    if !sizes.scenario.mode.adapts() {
        return;
    }
    let lora = sizes.scenario.training.lora;
    let (e, t) = (sizes.e, sizes.tokens);
    let l = Factor::new(Symbol::Layers, kinds.layers);
    let inner = if lora.targets.mlp { sizes.shape.mlp.matrices() } else { 0 };
    let projections = [lora.targets.q, lora.targets.k, lora.targets.v].map(u64::from).iter().sum::<u64>();
    let targets = Factor::number(projections + u64::from(lora.targets.o) + inner);
    product(Item::AdapterTensors, &[Factor::number(e), l, t, targets, Factor::number(lora.rank.into())]);
    if !lora.dropout {
        return;
    }
    let dropped = e + mask_bytes(sizes);
    let narrow = Factor::number(dropped * (projections + inner.saturating_sub(1)));
    product(Item::AdapterTensors, &[narrow, l, t, sizes.hidden]);
    if lora.targets.o {
        let dim = Factor::new(Symbol::HeadDim, sizes.shape.head_dim.into());
        product(Item::AdapterTensors, &[Factor::number(dropped), l, t, sizes.heads, dim]);
    }
    if lora.targets.mlp {
        let width = Factor::new(Symbol::IntermediateSize, sizes.local.intermediate_size);
        product(Item::AdapterTensors, &[Factor::number(dropped), l, t, width]);
    }
}
