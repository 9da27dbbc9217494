//! What stock code holds in the middle of the backward pass.

use super::attention::{self, Product};
use super::{block, of_layers, once, recomputes, weight_copies};
use crate::architecture::{Mlp, Norm};
use crate::memory::activations::Sink;
use crate::memory::activations::sizes::{Kinds, Sizes};
use crate::memory::backward::Moment;
use crate::memory::gradients;
use crate::scenario::{Attention, Scenario};
use crate::training::Checkpointing;
use crate::worked::{Factor, Item, Symbol, Term};

/// What is there at one moment of the backward pass.
///
/// # Formula
/// At a layer: what is held of the layers still to come, the layer computed again under checkpointing, the gradient of the residual stream r·T·h, and the widest
/// gradients inside the layer ([`Work`]). At the end: the gradient of the embedding's output, r·T·h, unless those of tied tables are larger.
///
/// # Units
/// Bytes.
///
/// # Source
/// Inventories at the peak of steps run with PyTorch 2.15: Llama 3.1 8B checkpointed at 8,192 tokens, Llama 2 7B and Mixtral 8x7B at 4,096, equal to the byte
/// but for 8 bytes of the loss and 24 or 32 of the kernels.
pub fn terms(scenario: &Scenario, moment: Moment, sink: Sink<'_>) {
    let sizes = Sizes::of(scenario);
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    let gradient = [Factor::number(sizes.r), sizes.stream_tokens, sizes.hidden];
    let held = match moment {
        Moment::End => {
            if !scenario.tied_here() {
                product(Item::LayerWorkspace, &gradient);
            }
            return;
        }
        Moment::LastLayer => sizes.held,
        Moment::FirstLayer => sizes.held - (sizes.local.chunk_layers - 1),
    };
    let work = Work::of(&sizes);
    let one = Kinds::one(&sizes);
    let checkpointing = scenario.checkpointing;
    if checkpointing == Checkpointing::None && work != Work::Mlp {
        // The MLP of the layer at work is done.
        block::terms(&sizes, &Kinds::of(sizes.shape, held - 1), true, &mut product);
        block::outside_mlp(&sizes, &one, true, &mut product);
    } else {
        // What the layer at work kept is among its tensors: the results of operations, and its input where a norm keeps that as it is.
        let input = sizes.r == 4 || sizes.shape.norm == Norm::LayerNorm;
        let own = match checkpointing {
            Checkpointing::PerOp => 1,
            Checkpointing::Full => u64::from(input),
            Checkpointing::Selective | Checkpointing::None => 0,
        };
        of_layers(&sizes, held - own, &mut product);
    }
    once(&sizes, &mut product);
    let mut again = |_, factors: &[Factor]| product(Item::RecomputedLayer, factors);
    match checkpointing {
        Checkpointing::Full | Checkpointing::PerOp if work == Work::Mlp => {
            block::terms(&sizes, &one, true, &mut again);
        }
        Checkpointing::Full | Checkpointing::PerOp => block::outside_mlp(&sizes, &one, true, &mut again),
        Checkpointing::Selective => attention::scores(&sizes, &one, &mut again),
        Checkpointing::None => {}
    }
    product(Item::LayerWorkspace, &gradient);
    work.terms(&sizes, &one, &mut product);
    if sizes.autocast {
        let layers = if recomputes(scenario) { 1 } else { held.min(sizes.local.layers) };
        weight_copies(&sizes, layers, false, &mut product);
    }
}

/// The widest operation in the backward pass of one layer.
///
/// # Formula
/// In the MLP: all that the layer kept, and 2·e·T·f for the gradients of gate and up, while that of the product takes the place of the product.
/// In grouped experts, once the gradients of their weights are made: the layer without what the experts kept, and N·(e·(2f + 2h) + 20) + 4E for their gradients.
/// In eager scores: the layer without its MLP, and 2·e·`batch`·a·s² (with dropout e) for the gradients of the scores.
///
/// # Assumes
/// Of scores and single experts derived from the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// In the MLP, all of whose tensors are there.
    Mlp,
    /// In a mixture of experts, whose tensors have given way to gradients.
    Experts,
    /// In the scores of eager attention, when the MLP is done.
    Scores,
}

impl Work {
    /// That of the layer at work.
    pub fn of(sizes: &Sizes<'_>) -> Self {
        let scenario = sizes.scenario;
        let one = Kinds::one(sizes);
        let scores = scenario.attention == Attention::Eager && one.linear == 0;
        let experts = one.moe > 0 && scenario.training.stock.grouped_experts;
        if !scores && !experts {
            return Self::Mlp;
        }
        // By then the gradients of the MLP's other matrices exist.
        let gradients = gradients::of_inner_matrices(scenario);
        let mut mlp = 0;
        block::mlp(sizes, &one, &mut |item, factors| mlp += Term { item, factors, divisor: 1 }.bytes().0);
        let mut best = (Self::Mlp, mlp + Self::Mlp.bytes(sizes, &one));
        for (there, work) in [(experts, Self::Experts), (scores, Self::Scores)] {
            let bytes = gradients + work.bytes(sizes, &one);
            if there && bytes > best.1 {
                best = (work, bytes);
            }
        }
        best.0
    }

    fn bytes(self, sizes: &Sizes<'_>, one: &Kinds) -> u128 {
        let mut sum = 0;
        self.terms(sizes, one, &mut |item, factors| sum += Term { item, factors, divisor: 1 }.bytes().0);
        sum
    }

    /// The gradients that are alive at once, beyond the tensors whose place they take.
    fn terms(self, sizes: &Sizes<'_>, one: &Kinds, product: Product<'_>) {
        let (shape, e, t) = (sizes.shape, sizes.e, sizes.tokens);
        let item = Item::LayerWorkspace;
        let dense = Factor::new(Symbol::IntermediateSize, sizes.local.intermediate_size);
        let count = match shape.mlp {
            Mlp::Gated | Mlp::Relu | Mlp::GeluNew => 2,
            Mlp::Gelu => 1,
        };
        let experts = shape.moe.filter(|_| one.moe > 0).map(|moe| {
            let visited = Factor::new(Symbol::ExpertsPerToken, moe.experts_per_token.into());
            (moe, visited, sizes.width(moe.intermediate_size))
        });
        match (self, experts) {
            (Self::Mlp, None) => product(item, &[Factor::number(count * e), t, dense]),
            (Self::Mlp, Some((_, visited, width))) => product(item, &[Factor::number(count * e), t, visited, width]),
            (Self::Experts, Some((moe, visited, width))) => {
                block::router(sizes, 1, &moe, product);
                product(item, &[Factor::number(2 * e), t, visited, width]);
                product(item, &[Factor::number(2 * e), t, visited, sizes.hidden]);
                product(item, &[Factor::number(20), t, visited]);
                product(item, &[Factor::number(4), Factor::new(Symbol::Experts, moe.experts.into())]);
            }
            (Self::Experts, None) => {}
            (Self::Scores, _) => {
                attention::score_product(sizes, 1, if shape.dropout { e } else { 2 * e }, item, product);
            }
        }
    }
}
