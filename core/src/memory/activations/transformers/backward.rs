//! What stock code holds in the middle of the backward pass.

use super::attention::{self, Product};
use super::{adapters, block, of_layers, once, recomputes, weight_copies};
use crate::architecture::{Mlp, Norm};
use crate::checked::Checked;
use crate::memory::activations::Sink;
use crate::memory::activations::sizes::{Kinds, Sizes};
use crate::memory::backward::Moment;
use crate::memory::gradients;
use crate::training::Checkpointing;
use crate::worked::{Factor, Item, Symbol, Term};

/// What is there at one moment of the backward pass.
///
/// # Formula
/// At a layer: what is held of the layers still to come, the layer computed again under checkpointing, the gradient of the residual stream r·T·h, and the widest
/// gradients inside the layer ([`AtWork`]). At the end: the gradient of the embedding's output, r·T·h, unless those of tied tables are larger.
/// Where FSDP holds on to what is done ([`holds_done_layers`]): also the input of each layer that is done, r·T·h, and the gradient of that input, r·T·h.
///
/// # Units
/// Bytes.
///
/// # Source
/// Inventories at the peak of steps run with PyTorch 2.15: Llama 3.1 8B checkpointed at 8,192 tokens, Llama 2 7B and Mixtral 8x7B at 4,096, equal to the byte
/// but for 8 bytes of the loss and 24 or 32 of the kernels. What FSDP holds: set `adapter-peaks` of the crate `memory-wall-accuracy`.
pub fn terms(scenario: &Checked, moment: Moment, sink: Sink<'_>) {
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
    let at_work = AtWork::of(&sizes);
    let checkpointing = scenario.checkpointing;
    once(&sizes, &mut product);
    if at_work.uniform && !recomputes(scenario) {
        // One layer like the others: the sum of both, written as one.
        let scores = checkpointing == Checkpointing::None;
        block::outside_mlp(&sizes, &Kinds::of(sizes.shape, held), scores, &mut product);
        let mlps = Kinds::of(sizes.shape, held - u64::from(at_work.mlp_done()));
        block::mlp(&sizes, &mlps, &mut product);
        if !scores {
            attention::scores(&sizes, &at_work.layer, &mut |_, factors| product(Item::RecomputedLayer, factors));
        }
    } else {
        // What the layer at work kept is among its tensors; under full checkpointing that is its input where a norm keeps that as it is.
        let own = match checkpointing {
            Checkpointing::Full => u64::from(sizes.r == 4 || sizes.shape.norm == Norm::LayerNorm),
            Checkpointing::None | Checkpointing::Selective | Checkpointing::PerOp => 1,
        };
        of_layers(&sizes, held - own, &mut product);
        let done = sizes.held - held;
        if done > 0 && holds_done_layers(scenario) {
            let l = Factor::new(Symbol::Layers, done);
            product(Item::Checkpoints, &[Factor::number(sizes.r), l, sizes.stream_tokens, sizes.hidden]);
            // The gradient that comes into the layer at work is one of theirs, and counted below.
            let l = Factor::new(Symbol::Layers, done - 1);
            product(Item::LayerWorkspace, &[Factor::number(sizes.r), l, sizes.stream_tokens, sizes.hidden]);
        }
        at_work.kept(&sizes, &mut |item, factors| {
            let again = match checkpointing {
                Checkpointing::None => false,
                Checkpointing::Selective => item == Item::AttentionScores,
                Checkpointing::PerOp | Checkpointing::Full => true,
            };
            product(if again { Item::RecomputedLayer } else { item }, factors);
        });
    }
    product(Item::LayerWorkspace, &gradient);
    at_work.gradients(&sizes, &mut product);
    adapters::unpacked(&sizes, &mut product);
    if sizes.autocast {
        let layers = if recomputes(scenario) { 1 } else { held.min(sizes.local.layers) };
        weight_copies(&sizes, layers, false, &mut product);
    }
}

/// Whether the input of every layer and its gradient stay until the backward pass ends.
///
/// FSDP gives frozen weights back when the gradients of a layer's inputs are there. It learns that by `register_multi_grad_hook`, whose closure holds the
/// nodes that accumulate these gradients until all hooks are removed at the end. Inside a re-entrant checkpoint the inputs are leaves of a graph of their own, so each
/// of these nodes owns its tensor and the gradient of it.
///
/// # Assumes
/// FSDP's unit is called inside the checkpoint. From transformers 4.52 on a layer checkpoints itself inside its unit, whose inputs are no leaves, and since 5.0 checkpoints are not re-entrant.
///
/// # Source
/// PyTorch: `_register_post_backward_reshard_only_hook` in `torch/distributed/fsdp/_runtime_utils.py`, `register_multi_grad_hook` and `_get_grad_fn_or_grad_acc` in
/// `torch/autograd/graph.py`. transformers pull requests 37223 (`GradientCheckpointingLayer`) and 43203. Pytorch issue 169349 says the same of FSDP2 before PyTorch 2.10. Read 2026-11-25.
pub fn holds_done_layers(scenario: &Checked) -> bool {
    scenario.training.stock.reentrant && would_hold_done_layers(scenario)
}

/// Whether they would stay if checkpoints were re-entrant.
pub fn would_hold_done_layers(scenario: &Checked) -> bool {
    scenario.checkpointing == Checkpointing::Full && scenario.frozen_by_fsdp()
}

/// An operation that can be the widest in the backward pass of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// In the MLP, all of whose tensors are there.
    Mlp,
    /// In a mixture of experts, whose tensors have given way to gradients.
    Experts,
    /// In the scores of eager attention, when the MLP is done.
    Scores,
}

/// The layer whose backward pass runs, and its widest operation.
///
/// # Formula
/// In the MLP: all that the layer kept, and 2·e·T·f for the gradients of gate and up, while that of the product takes the place of the product; of experts one after
/// the other, those of the tokens that one expert sees.
/// In grouped experts, once the gradients of their weights are made: the layer without what the experts kept, and N·(e·(2f + 2h) + 20) + 4E for their gradients.
/// In eager scores: the layer without its MLP, and the gradients of the scores (`attention::score_gradients`).
///
/// # Assumes
/// Scores, and experts one after the other, are derived from the code.
#[derive(Clone, Copy, Debug)]
pub struct AtWork {
    layer: Kinds,
    work: Work,
    /// Whether all layers are of this kind.
    uniform: bool,
}

impl AtWork {
    /// The kind of layer and the operation that take most together.
    pub fn of(sizes: &Sizes<'_>) -> Self {
        let all = Kinds::of(sizes.shape, sizes.shape.layers.into());
        let mut best = None;
        match all.only() {
            Some(layer) => Self::widest(sizes, layer, true, &mut best),
            None => all.each().for_each(|layer| Self::widest(sizes, layer, false, &mut best)),
        }
        best.map_or(Self { layer: all, work: Work::Mlp, uniform: false }, |(at_work, _)| at_work)
    }

    /// Keeps what is wider, the best so far or an operation in this layer.
    fn widest(sizes: &Sizes<'_>, layer: Kinds, uniform: bool, best: &mut Option<(Self, u128)>) {
        let mlp = Self { layer, work: Work::Mlp, uniform };
        let scores = attention::writes_scores(sizes, &layer) && layer.linear == 0;
        let experts = sizes.scenario.training.stock.grouped_experts && layer.moe > 0;
        if uniform && !scores && !experts {
            // As in nearly all models with fused attention, nothing is to be compared.
            *best = Some((mlp, 0));
            return;
        }
        for (work, there) in [(Work::Mlp, true), (Work::Experts, experts), (Work::Scores, scores)] {
            if there {
                let at_work = Self { work, ..mlp };
                let bytes = at_work.bytes(sizes);
                if best.is_none_or(|(_, most)| bytes > most) {
                    *best = Some((at_work, bytes));
                }
            }
        }
    }

    /// Whether the gradients of the whole MLP exist by then, or only those of its last matrix.
    pub fn mlp_done(&self) -> bool {
        self.work != Work::Mlp
    }

    /// What the options differ in: of layers that are all alike, not what is outside the MLP.
    fn bytes(&self, sizes: &Sizes<'_>) -> u128 {
        let outside = if self.uniform {
            0
        } else {
            block::bytes(|product| block::outside_mlp(sizes, &self.layer, true, product))
        };
        let mlp = if self.mlp_done() {
            gradients::of_inner_matrices(sizes.scenario)
        } else {
            block::bytes(|product| block::mlp(sizes, &self.layer, product))
        };
        outside + mlp + block::bytes(|product| self.gradients(sizes, product))
    }

    /// What is left of the tensors that the layer kept.
    fn kept(&self, sizes: &Sizes<'_>, product: Product<'_>) {
        if self.mlp_done() {
            block::outside_mlp(sizes, &self.layer, true, product);
        } else {
            block::terms(sizes, &self.layer, true, product);
        }
    }

    /// The gradients that are alive at once, beyond the tensors whose place they take.
    fn gradients(&self, sizes: &Sizes<'_>, product: Product<'_>) {
        let (shape, e, t) = (sizes.shape, sizes.e, sizes.tokens);
        let item = Item::LayerWorkspace;
        let count = match shape.mlp {
            Mlp::Gated | Mlp::Relu | Mlp::GeluNew => 2,
            Mlp::Gelu | Mlp::Xielu => 1,
        };
        let experts = shape.moe.filter(|_| self.layer.moe > 0).map(|moe| {
            let visited = Factor::new(Symbol::ExpertsPerToken, moe.experts_per_token.into());
            (moe, visited, sizes.width(moe.intermediate_size))
        });
        match (self.work, experts) {
            (Work::Mlp, None) => {
                let width = Factor::new(Symbol::IntermediateSize, sizes.local.intermediate_size);
                product(item, &[Factor::number(count * e), t, width]);
            }
            (Work::Mlp, Some((moe, visited, width))) if !sizes.scenario.training.stock.grouped_experts => {
                // One expert after the other: the gradients of the tokens that one of them sees.
                let seen = (t.value * visited.value).div_ceil(u64::from(moe.experts).max(1));
                product(item, &[Factor::number(count * e), Factor::new(Symbol::Tokens, seen), width]);
            }
            (Work::Mlp, Some((_, visited, width))) => product(item, &[Factor::number(count * e), t, visited, width]),
            (Work::Experts, Some((moe, visited, width))) => {
                block::router(sizes, 1, &moe, product);
                product(item, &[Factor::number(2 * e), t, visited, width]);
                product(item, &[Factor::number(2 * e), t, visited, sizes.hidden]);
                product(item, &[Factor::number(20), t, visited]);
                product(item, &[Factor::number(4), Factor::new(Symbol::Experts, moe.experts.into())]);
            }
            (Work::Experts, None) => {}
            (Work::Scores, _) => {
                attention::score_product(sizes, 1, attention::score_gradients(sizes), item, product);
            }
        }
    }
}
