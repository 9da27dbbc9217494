//! What stock code keeps of one block beside its attention: norms, MLP, mixture of experts, dropout.

use super::adapters;
use super::attention::{self, Product, mask_bytes, normed_bytes};
use crate::architecture::{LinearKind, Mlp, Moe, Norm, NormWeight, Projection};
use crate::memory::activations::sizes::{Kinds, Sizes};
use crate::worked::{Factor, Item, Symbol, Term};

/// Everything that layers of these kinds keep; of eager attention the scores too, where `with_scores`.
///
/// # Formula
/// The norms, their outputs as inputs of the matrix multiplications, attention, the MLP and the dropout masks; for a Llama-type layer in bf16
/// with flash attention T·(16h + 4q + 4k + 8f + 4a + 8) + 24, in fp32 on a CPU T·(24h + 8q + 8k + 16f + 4a + 8),
/// under autocast T·(26h + 4q + 4k + 8f + 4a + 8) + 24; with eager attention in bf16 T·(16h + 8q + 8f + 8) + 6·`batch`·a·s².
///
/// # Units
/// Bytes.
///
/// # Assumes
/// See the parts. The classic constant of 34·T·h (Korthikanti et al. 2022) is GPT-2's case with a fused GELU and dropout, less 16 bytes a token.
///
/// # Source
/// Tensors saved by PyTorch 2.15 with transformers 5.23, equal to the byte in all 284 configurations that the project carries.
pub(super) fn terms(sizes: &Sizes<'_>, kinds: &Kinds, with_scores: bool, product: Product<'_>) {
    outside_mlp(sizes, kinds, with_scores, product);
    mlp(sizes, kinds, product);
}

/// Bytes of some of a block's terms.
pub(super) fn bytes(terms: impl FnOnce(Product<'_>)) -> u128 {
    let mut sum = 0;
    terms(&mut |item, factors| sum += Term { item, factors, divisor: 1 }.bytes().0);
    sum
}

/// One layer of the fullest kind.
pub(super) fn fullest(sizes: &Sizes<'_>) -> Kinds {
    let all = Kinds::of(sizes.shape, sizes.shape.layers.into());
    let fullest = || all.each().max_by_key(|kind| bytes(|product| terms(sizes, kind, true, product)));
    all.only().or_else(fullest).unwrap_or(all)
}

/// What they keep outside their MLPs.
pub(super) fn outside_mlp(sizes: &Sizes<'_>, kinds: &Kinds, with_scores: bool, product: Product<'_>) {
    let shape = sizes.shape;
    let count = shape.norms_per_layer.into();
    norm(sizes, kinds.layers, count, Item::NormInputs, product);
    norm_outputs(sizes, kinds, product);
    if shape.dropout {
        let l = Factor::new(Symbol::Layers, kinds.layers);
        product(Item::DropoutMasks, &[Factor::number(2 * mask_bytes(sizes)), l, sizes.stream_tokens, sizes.hidden]);
    }
    attention::terms(sizes, kinds, with_scores, product);
    adapters::terms(sizes, kinds, product);
}

/// What `count` norms in each of `layers` layers keep.
///
/// # Formula
/// RMSNorm: 4·T·h for an fp32 copy of the input (in fp32 the input itself), 4·T for the scale of each token, and the normalised copy in the
/// precision r of the residual stream, r·T·h. `OLMo` 2's RMSNorm stays in fp32, 8·T·h + 4·T, and Gemma's copies its weight: 4·h more.
/// LayerNorm: its input r·T·h and two statistics a token of 4 bytes each (2 on a CPU in 16 bits).
///
/// # Assumes
/// A frozen weight does not need the normalised copy. Norms side by side before a parallel block share their input where they keep it as it is.
pub(super) fn norm(sizes: &Sizes<'_>, layers: u64, count: u64, item: Item, product: Product<'_>) {
    let (t, h, r) = (sizes.stream_tokens, sizes.hidden, sizes.r);
    let l = Factor::new(Symbol::Layers, layers);
    match sizes.shape.norm {
        Norm::RmsNorm => {
            let normed = if sizes.learns.norms { normed_bytes(sizes, r) } else { 0 };
            product(item, &[Factor::number(count * (4 + normed)), l, t, h]);
            product(item, &[Factor::number(count * 4), l, t]);
            if sizes.shape.norm_weight == NormWeight::WithFp32Copy {
                product(item, &[Factor::number(count * 4), l, h]);
            }
        }
        Norm::LayerNorm | Norm::Unbiased => {
            let inputs = if sizes.shape.parallel_residual { count.min(1) } else { count };
            let statistic = if sizes.cuda || r == 4 { 4 } else { 2 };
            product(item, &[Factor::number(inputs * r), l, t, h]);
            product(item, &[Factor::number(count * 2 * statistic), l, t]);
        }
    }
}

/// Outputs of the norms, kept as inputs of the matrix multiplications: once, or under autocast as one 16-bit copy for each matrix that reads them.
fn norm_outputs(sizes: &Sizes<'_>, kinds: &Kinds, product: Product<'_>) {
    let shape = sizes.shape;
    // Before attention and before the MLP; a parallel block with one norm has one output.
    let mlp = u64::from(shape.norms_per_layer > 1 || shape.mlp_layers > 0);
    let mut copies = 0;
    if sizes.autocast {
        let attention = match (shape.projection, shape.norm, shape.mlp) {
            (Projection::Latent(_), ..) => 2,
            // One matrix for all three, as in GPT-2, BLOOM and Falcon.
            (_, Norm::LayerNorm, Mlp::Gelu | Mlp::GeluNew) => 1,
            _ => 3,
        };
        let linear = match shape.linear_attention.map(|it| it.kind) {
            Some(LinearKind::GatedDelta) => 2,
            _ => 1,
        };
        copies += (kinds.full + kinds.sliding) * attention + kinds.linear * linear;
        copies += kinds.dense * (shape.mlp.matrices() - 1);
        if let Some(moe) = shape.moe {
            let shared = if moe.shared_intermediate_size > 0 { shape.mlp.matrices() - 1 } else { 0 };
            copies += kinds.moe * (1 + shared + u64::from(moe.shared_gate));
        }
    } else {
        // Adapters stand beside attention over tokens, dense MLPs and shared experts only.
        let [attending, dense] = if sizes.scenario.mode.adapts() {
            let shared = shape.moe.is_some_and(|moe| moe.shared_intermediate_size > 0);
            [kinds.full + kinds.sliding, if shared { kinds.dense + kinds.moe } else { kinds.dense }]
        } else {
            [kinds.full + kinds.sliding + kinds.linear, kinds.dense + kinds.moe]
        };
        copies += if sizes.learns.attention_in { attending } else { 0 };
        copies += if sizes.learns.mlp { dense * mlp } else { 0 };
    }
    if copies > 0 {
        let l = Factor::new(Symbol::Layers, copies);
        product(Item::NormOutputs, &[Factor::number(sizes.e), l, sizes.stream_tokens, sizes.hidden]);
    }
}

/// What the MLPs keep: dense ones, and mixtures with their routers and shared experts.
pub(super) fn mlp(sizes: &Sizes<'_>, kinds: &Kinds, product: Product<'_>) {
    let shape = sizes.shape;
    if kinds.dense > 0 {
        let width = Factor::new(Symbol::IntermediateSize, sizes.local.intermediate_size);
        let l = Factor::new(Symbol::Layers, kinds.dense);
        product(Item::MlpTensors, &[Factor::number(tensors(sizes, sizes.learns.mlp)), l, sizes.tokens, width]);
    }
    if let Some(moe) = shape.moe
        && kinds.moe > 0
    {
        experts(sizes, kinds.moe, &moe, product);
    }
}

/// Bytes that an MLP keeps for each token and unit of its width.
///
/// # Formula
/// Gated: gate, up, act(gate) and their product, 4·e. GELU in one kernel: input and output, 2·e. `ReLU`: its output, e.
/// GPT-2's `gelu_new` is composed in Python and keeps three more, 5·e; under autocast on CUDA its cube is taken in fp32, 4 + 4 + 4 + 2 + 2.
///
/// # Assumes
/// A frozen second matrix does not need its input.
fn tensors(sizes: &Sizes<'_>, learns: bool) -> u64 {
    let e = sizes.e;
    match (sizes.shape.mlp, sizes.autocast) {
        (Mlp::Gated, _) => e * if learns { 4 } else { 3 },
        (Mlp::Gelu | Mlp::Xielu, _) => e * if learns { 2 } else { 1 },
        (Mlp::Relu, _) => e,
        (Mlp::GeluNew, true) if sizes.cuda => 16,
        (Mlp::GeluNew, _) => e * if learns { 5 } else { 4 },
    }
}

/// A mixture of experts in each of `layers` layers.
///
/// # Formula
/// With E = `experts`, K = `experts_per_token`, N = T·K visits: the router T·(4E + 12K + 4); the experts one after the other
/// N·(20 + e·(3h + 4f)), or as one grouped multiplication N·(28 + e·(2h + 4f)) + 4E. Shared experts keep what an MLP keeps, and their gate e·T·h.
///
/// # Assumes
/// Tokens spread evenly over the ranks that share the experts. Beside adapters the routed experts are frozen and need neither their inputs nor those of their
/// second matrix.
fn experts(sizes: &Sizes<'_>, layers: u64, moe: &Moe, product: Product<'_>) {
    let (e, t) = (sizes.e, sizes.tokens);
    let l = Factor::new(Symbol::Layers, layers);
    let all = Factor::new(Symbol::Experts, moe.experts.into());
    let visited = Factor::new(Symbol::ExpertsPerToken, moe.experts_per_token.into());
    router(sizes, layers, moe, product);
    let grouped = sizes.scenario.training.stock.grouped_experts;
    let (inputs, indices) = if grouped { (2, 28) } else { (3, 20) };
    let learn = !sizes.scenario.mode.adapts();
    let inputs = if learn { inputs } else { inputs - 1 };
    // gpt-oss clamps gate and up and adds one to up, which keeps three more.
    let clamped = if moe.expert_biases { 3 * e } else { 0 };
    product(Item::ExpertTensors, &[Factor::number(inputs * e), l, t, visited, sizes.hidden]);
    product(
        Item::ExpertTensors,
        &[Factor::number(tensors(sizes, learn) + clamped), l, t, visited, sizes.width(moe.intermediate_size)],
    );
    product(Item::ExpertTensors, &[Factor::number(indices), l, t, visited]);
    if grouped {
        product(Item::ExpertTensors, &[Factor::number(4), l, all]);
    }
    if moe.shared_intermediate_size > 0 {
        let width = sizes.width(moe.shared_intermediate_size);
        product(Item::MlpTensors, &[Factor::number(tensors(sizes, sizes.learns.mlp)), l, t, width]);
        if moe.shared_gate {
            product(Item::MlpTensors, &[Factor::number(e), l, t, sizes.hidden]);
        }
    }
}

/// What the routers of `layers` layers keep.
pub(super) fn router(sizes: &Sizes<'_>, layers: u64, moe: &Moe, product: Product<'_>) {
    let t = sizes.tokens;
    let l = Factor::new(Symbol::Layers, layers);
    product(Item::RouterTensors, &[Factor::number(4), l, t, Factor::new(Symbol::Experts, moe.experts.into())]);
    let visited = Factor::new(Symbol::ExpertsPerToken, moe.experts_per_token.into());
    product(Item::RouterTensors, &[Factor::number(12), l, t, visited]);
    product(Item::RouterTensors, &[Factor::number(4), l, t]);
}
