//! What fused kernels in the manner of Megatron-LM keep for the backward pass: the classic 34 bytes a token and channel.

use crate::architecture::{Latent, Mlp, Projection};
use crate::checked::Checked;
use crate::memory::backward::Moment;
use crate::scenario::Attention;
use crate::training::Checkpointing;
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes that `layers` layers keep on the rank that is looked at.
///
/// # Formula
/// With s tokens of b sequences on this rank, h = `hidden_size`, q and k the widths of queries and keys, f = `intermediate_size`, a = `heads`, t tensor-parallel ranks:
/// inputs of the two norms 4·b·s·h and of the matrices behind them 4·b·s·h, dropout masks 2·b·s·h;
/// queries, keys and values 2·b·s·(q + 2k)/t, the output of attention 2·b·s·q/t (latent attention has values and an output of their own width, and short vectors: `latent`), the MLP 4·b·s·f/t (gated 6·b·s·f/t); eager attention 5·a·b·s²/t.
/// For a GPT with f = 4h that is b·s·h·(10 + 24/t + 5·a·s/(h·t)), and 34 where t is 1; sequence parallelism divides the 10 too.
/// Full checkpointing keeps 2·b·s·h. Without dropout its masks are gone, and 2 of the 5.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// 16-bit activations, fused norms, fused GELU and SwiGLU. Statistics of norms and softmax, a few bytes a token, are left out as in the source.
///
/// # Source
/// Korthikanti et al. 2022 (arXiv 2205.05198), section 4; equal to 66 published values of the Ultra-Scale Playbook within 0.1%.
///
/// # Example
/// ```
/// use memory_wall_core::architecture::{Architecture, Mlp};
/// use memory_wall_core::{Bytes, Mode, Scenario, memory::activations::megatron, worked};
/// let gpt = Architecture { mlp: Mlp::Gelu, dropout: true, ..Architecture::llama([1, 4_096, 32, 32, 128, 16_384, 50_257]) };
/// let scenario = Scenario { mode: Mode::Training, ..Scenario::new(gpt) }.check().unwrap();
/// assert_eq!(worked::total(|sink| megatron::layers(&scenario, 1, sink)), Bytes(34 * 2_048 * 4_096));
/// ```
pub fn layers(scenario: &Checked, layers: u64, sink: &mut dyn FnMut(&Term<'_>)) {
    recomputing(scenario.checkpointing, scenario, layers, sink);
}

/// The same with other checkpointing than the scenario's.
fn recomputing(how: Checkpointing, scenario: &Checked, layers: u64, sink: &mut dyn FnMut(&Term<'_>)) {
    let (shape, local) = (&scenario.architecture, scenario.local());
    let tp = u64::from(scenario.parallel.tp);
    // Norms and dropout are whole on each rank, unless sequence parallelism shares their tokens out.
    let tokens = u64::from(scenario.batch) * local.seq_length;
    let shared = if scenario.parallel.sequence_parallel { tokens.div_ceil(tp) } else { tokens };
    let [whole, cut] = [shared, tokens].map(|tokens| Factor::new(Symbol::Tokens, tokens));
    // MLPs in layers of their own are as large a share of these layers as of all.
    let alone = layers * u64::from(shape.mlp_layers) / u64::from(shape.layers.max(1));
    let (attending, mlps) = if shape.mlp_layers > 0 { (layers - alone, alone) } else { (layers, layers) };
    let l = Factor::new(Symbol::Layers, layers);
    let h = Factor::new(Symbol::HiddenSize, shape.hidden_size.into());
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    if how == Checkpointing::Full {
        product(Item::Checkpoints, &[Factor::number(2), l, whole, h]);
        return;
    }
    let norms = Factor::number(if shape.mlp_layers > 0 { 2 } else { 4 });
    product(Item::NormInputs, &[norms, l, whole, h]);
    product(Item::NormOutputs, &[norms, l, whole, h]);
    if shape.dropout {
        product(Item::DropoutMasks, &[Factor::number(2), l, whole, h]);
    }
    let attention = Factor::new(Symbol::Layers, attending);
    let head_dim = Factor::new(Symbol::HeadDim, shape.head_dim.into());
    let heads = Factor::new(Symbol::Heads, local.heads);
    match shape.projection {
        Projection::Latent(it) => latent(&it, [attention, whole, cut, heads], &mut product),
        Projection::Heads => {
            let kv_heads = Factor::new(Symbol::KvHeads, local.kv_heads);
            product(Item::AttentionTensors, &[Factor::number(4), attention, cut, heads, head_dim]);
            product(Item::AttentionTensors, &[Factor::number(4), attention, cut, kv_heads, head_dim]);
        }
    }
    if scenario.attention == Attention::Eager && how == Checkpointing::None {
        let kept = if shape.dropout { 5 } else { 2 };
        let s = Factor::new(Symbol::SeqLength, local.seq_length);
        let whole_s = Factor::new(Symbol::SeqLength, scenario.seq_length.into());
        let batch = Factor::new(Symbol::Batch, scenario.batch.into());
        product(Item::AttentionScores, &[Factor::number(kept), attention, batch, heads, s, whole_s]);
    }
    let kept = match shape.mlp {
        Mlp::Gated => 6,                                        // gate, up, product
        Mlp::Relu | Mlp::Gelu | Mlp::Xielu | Mlp::GeluNew => 4, // input and output of the activation
    };
    let width = |width: u64| Factor::new(Symbol::IntermediateSize, width);
    let Some(moe) = shape.moe else {
        let l = Factor::new(Symbol::Layers, mlps);
        product(Item::MlpTensors, &[Factor::number(kept), l, cut, width(local.intermediate_size)]);
        return;
    };
    // A token leaves its tensors with each expert that it visits, and its own copy at their door.
    let mixtures = mlps.min(shape.moe_layers().into());
    let dense = mlps - mixtures;
    if dense > 0 {
        let l = Factor::new(Symbol::Layers, dense);
        product(Item::MlpTensors, &[Factor::number(kept), l, cut, width(local.intermediate_size)]);
    }
    let l = Factor::new(Symbol::Layers, mixtures);
    let visits = Factor::new(Symbol::ExpertsPerToken, moe.experts_per_token.into());
    // Where fewer ranks share an expert than a matrix, as many fewer of their tokens come here.
    let across = scenario.experts().width;
    let arriving = Factor::new(Symbol::Tokens, (tokens * across).div_ceil(tp));
    let inside = u64::from(moe.intermediate_size).div_ceil(across);
    product(Item::ExpertTensors, &[Factor::number(kept), l, arriving, visits, width(inside)]);
    product(Item::ExpertTensors, &[Factor::number(2), l, arriving, visits, h]);
    product(Item::RouterTensors, &[Factor::number(4), l, cut, Factor::new(Symbol::Experts, moe.experts.into())]);
    if moe.shared_intermediate_size > 0 {
        let inside = u64::from(moe.shared_intermediate_size).div_ceil(tp);
        product(Item::MlpTensors, &[Factor::number(kept), l, cut, width(inside)]);
    }
}

/// What latent attention keeps: queries and keys of whole heads, values and the output of attention at their own width, and the short vectors in front of their norms and behind them.
///
/// # Source
/// Megatron-LM at 003b4ce, `megatron/core/transformer/multi_latent_attention.py`: queries, keys and values are made contiguous for Transformer Engine, so nothing else of what they are
/// cut from is held. Read 2026-11-26.
fn latent(it: &Latent, [layers, whole, cut, heads]: [Factor; 4], product: &mut impl FnMut(Item, &[Factor])) {
    let width = |width: u32| Factor::new(Symbol::LatentWidth, width.into());
    let [two, four] = [2, 4].map(Factor::number);
    let head_dim = Factor::new(Symbol::HeadDim, (it.nope_dim + it.rope_dim).into());
    product(Item::AttentionTensors, &[four, layers, cut, heads, head_dim]);
    product(Item::AttentionTensors, &[four, layers, cut, heads, Factor::new(Symbol::HeadDim, it.v_dim.into())]);
    for compressed in it.q_lora_rank.into_iter().chain([it.kv_lora_rank]) {
        product(Item::AttentionTensors, &[four, layers, whole, width(compressed)]);
    }
    product(Item::AttentionTensors, &[two, layers, whole, width(it.rope_dim)]);
}

/// What the layers in flight keep when the backward pass begins, and the final norm's input and output, the head's input.
pub fn kept(scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    layers(scenario, scenario.local().layers_in_flight, sink);
    once(scenario, sink);
}

/// The same at one moment of the backward pass, with the layer that is computed again.
pub fn in_backward(scenario: &Checked, moment: Moment, sink: &mut dyn FnMut(&Term<'_>)) {
    let local = scenario.local();
    let held = match moment {
        Moment::LastLayer => local.layers_in_flight,
        // A stage may hold the loss alone.
        Moment::FirstLayer => local.layers.min(1),
        Moment::End => return,
    };
    layers(scenario, held, sink);
    once(scenario, sink);
    if matches!(scenario.checkpointing, Checkpointing::Full | Checkpointing::PerOp) {
        let mut again = |term: &Term<'_>| sink(&Term { item: Item::RecomputedLayer, ..*term });
        recomputing(Checkpointing::None, scenario, local.layers.min(1), &mut again);
    }
}

fn once(scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    let local = scenario.local();
    let tokens = Factor::new(Symbol::Tokens, u64::from(scenario.batch) * local.seq_length);
    let hidden = Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into());
    if local.head {
        sink(&Term { item: Item::FinalNorm, factors: &[Factor::number(4), tokens, hidden], divisor: 1 });
    }
    let predicting = u64::from(scenario.predicting_here());
    if predicting > 0 {
        // Embedding and hidden state in front of their norms, both behind them, the sum in front of the last norm; for each micro-batch that is in the last chunk.
        let parallel = &scenario.parallel;
        let [pp, earlier] = [parallel.pp, (parallel.virtual_stages - 1) * parallel.pp].map(u64::from);
        let in_flight = local.chunks_in_flight.saturating_sub(earlier).clamp(1, pp);
        let factors = [Factor::number(10 * predicting * in_flight), tokens, hidden];
        sink(&Term { item: Item::FinalNorm, factors: &factors, divisor: 1 });
    }
}
