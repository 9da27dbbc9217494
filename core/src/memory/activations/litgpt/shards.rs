//! What several GPUs add in LitGPT: weights gathered by FSDP, buckets of gradients.

use super::{Code, Era, Product};
use crate::checked::Checked;
use crate::memory::backward::Moment;
use crate::parallelism::ZeroStage;
use crate::scenario::Mode;
use crate::worked::{Factor, Item, Symbol};

/// Whether FSDP shares out the weights.
pub(super) fn over_ranks(scenario: &Checked) -> bool {
    scenario.parallel.shards_from(ZeroStage::Weights) > 1
}

/// The same.
pub(super) fn shared(code: &Code<'_>) -> bool {
    over_ranks(code.sizes.scenario)
}

/// Whether a validation pass has left all weights gathered: LoRA in 2023 ran it in inference mode, in which FSDP gives nothing back. A guess from the code.
pub(super) fn whole_model_gathered(code: &Code<'_>) -> bool {
    shared(code) && !code.full && code.run.era == Era::Y2023
}

/// Weights gathered and gradients under way, at one moment of the backward pass or before it.
///
/// # Formula
/// Gathered: the root unit (embedding, head, final norm) and, unless blocks are computed again, one block; at the end of the backward pass both in any case,
/// and as much again in gradients. Each in the bytes of the weights.
pub(super) fn gathered(code: &Code<'_>, moment: Option<Moment>, product: Product<'_>) {
    buckets(code, product);
    if !shared(code) {
        return;
    }
    let scenario = code.sizes.scenario;
    let held = scenario.local_parameters();
    let bytes = Factor::new(Symbol::BytesPerValue, scenario.weights.unquantised_bytes().into());
    let mut parameters = |item, count| product(item, &[Factor::new(Symbol::Parameters, count), bytes]);
    if whole_model_gathered(code) {
        parameters(Item::GatheredWeights, held.total() + super::added(scenario, code.run));
        return;
    }
    let norm = code.sizes.shape.norm.vectors() * u64::from(code.sizes.shape.hidden_size);
    let root = held.embedding + held.head + norm;
    let block = held.total().saturating_sub(held.embedding + held.head) / code.sizes.local.layers.max(1);
    let end = moment.is_some_and(|moment| moment != Moment::LastLayer);
    parameters(Item::GatheredWeights, if code.recomputes() && !end { root } else { root + block });
    if end && scenario.mode == Mode::Training {
        parameters(Item::ReducedGradients, root + block);
    }
}

/// Buckets in which plain data parallelism sums up gradients: as large as all of them.
pub(super) fn buckets(code: &Code<'_>, product: Product<'_>) {
    let scenario = code.sizes.scenario;
    if scenario.parallel.dp > 1 && scenario.parallel.zero == ZeroStage::None {
        let learning = Factor::new(Symbol::Parameters, super::trained(scenario, code.run));
        let bytes = crate::memory::gradients::bytes_each(scenario);
        product(Item::ReducedGradients, &[learning, Factor::new(Symbol::BytesPerValue, bytes)]);
    }
}
