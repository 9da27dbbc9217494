//! Stock PyTorch with the modelling code of Hugging Face transformers, run eagerly.
//!
//! # Source
//! Lists of saved tensors read from PyTorch 2.15 and transformers 5.23, equal to the byte to all 284 measured configurations that the project carries, of Llama, Mistral, Qwen 2,
//! Qwen 3, Gemma 2, Mixtral and GPT-2 (set `saved-activations-total` of the crate `memory-wall-accuracy`). [`measured`] says for which questions that holds.
//! Fused norms, fused MLPs and `torch.compile` keep less.

mod adapters;
mod attention;
pub mod backward;
mod block;
#[cfg(test)]
mod tests;

use super::Sink;
use super::sizes::{Kinds, Sizes};
use crate::architecture::{Architecture, Mlp, Norm, Positions, Projection};
use crate::checked::Checked;
use crate::memory::Phase;
use crate::parallelism::{Parallelism, ZeroStage};
use crate::scenario::{Attention, Mode, sharding};
use crate::training::{Checkpointing, Implementation, Recipe};
use crate::worked::{Factor, Item, Symbol, Term};
pub(crate) use adapters::copies_inputs;
use attention::Product;

/// What the forward pass leaves behind.
///
/// # Formula
/// layers held × a layer ([`one_layer`]) + what is kept once: rotary tables 2·s·`head_dim`·r; learned positions 8·s and the dropout mask of the
/// embedding; the final norm and its output as input of the head, e·T·h; under autocast 2 bytes for each weight of a matrix, unless ZeRO-3 shards them.
/// Full checkpointing keeps r·T·h a layer instead, 8·s for position ids and, with eager attention, one mask e·`batch`·s² for each kind of layer.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Per-operation checkpointing, in torchtitan's manner: the layer's input, queries, values, the output of attention with its statistics, the gate (or up) projection
/// and the output of a gated MLP. Selective checkpointing: all but the scores. Autocast with checkpointing: the cache of 16-bit weights lives until the forward pass ends, and where ZeRO-3 shards the weights there is none.
///
/// # Source
/// See the module's page; per-operation checkpointing: torchtitan's policy, which keeps all matrix multiplications but every second one.
///
/// # Example
/// ```
/// use memory_wall_core::{Checkpointing, Mode, Phase, Scenario, memory::activations, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// (scenario.mode, scenario.checkpointing) = (Mode::Training, Checkpointing::Full);
/// let scenario = scenario.check().unwrap();
/// let mut inputs = 0;
/// activations::terms(&scenario, Phase::Loss, &mut |term| {
///     inputs += if term.item == worked::Item::Checkpoints { term.bytes().0 } else { 0 };
/// });
/// assert_eq!(inputs, 32 * 2 * 2_048 * 4_096);
/// ```
pub fn kept(scenario: &Checked, phase: Phase, sink: Sink<'_>) {
    let sizes = Sizes::of(scenario);
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    of_layers(&sizes, sizes.held, &mut product);
    once(&sizes, &mut product);
    if sizes.local.head {
        block::norm(&sizes, 1, 1, Item::FinalNorm, &mut product);
        if sizes.autocast && phase == Phase::ForwardEnd {
            // The norm's own output, of which the head keeps a 16-bit copy, lives until the forward pass returns.
            product(Item::FinalNorm, &[Factor::number(sizes.r), sizes.stream_tokens, sizes.hidden]);
        }
        if sizes.learns.head {
            product(Item::FinalNorm, &[Factor::number(sizes.e), sizes.stream_tokens, sizes.hidden]);
        }
        adapters::head(&sizes, &mut product);
    }
    if sizes.autocast {
        let layers = if recomputes(scenario) && phase != Phase::ForwardEnd { 0 } else { sizes.local.layers };
        weight_copies(&sizes, layers, sizes.local.head, &mut product);
    }
}

/// Everything that one layer keeps when nothing is recomputed; of several kinds of layers, the fullest.
///
/// # Formula
/// A Llama-type layer in bf16 with flash attention keeps T·(16h + 4q + 4k + 8f + 4a + 8) + 24 with T = tokens, h = `hidden_size`, q and k the widths of
/// queries and keys, f = `intermediate_size`, a = `heads`; with eager attention T·(16h + 8q + 8f + 8) + 6·`batch`·a·s².
pub fn one_layer(scenario: &Checked, sink: Sink<'_>) {
    let sizes = Sizes::of(scenario);
    block::terms(&sizes, &block::fullest(&sizes), true, &mut |item, factors| sink(&Term { item, factors, divisor: 1 }));
}

/// Whether whole layers are computed again.
fn recomputes(scenario: &Checked) -> bool {
    matches!(scenario.checkpointing, Checkpointing::Full | Checkpointing::PerOp)
}

/// What `layers` layers keep, as the checkpointing says.
fn of_layers(sizes: &Sizes<'_>, layers: u64, product: Product<'_>) {
    let kinds = Kinds::of(sizes.shape, layers);
    match sizes.scenario.checkpointing {
        Checkpointing::None => block::terms(sizes, &kinds, true, product),
        Checkpointing::Selective => block::terms(sizes, &kinds, false, product),
        Checkpointing::Full => {
            layer_inputs(sizes, layers, product);
            arguments(sizes, product);
        }
        Checkpointing::PerOp => {
            layer_inputs(sizes, layers, product);
            operations(sizes, &kinds, product);
        }
    }
}

/// The input of each layer.
fn layer_inputs(sizes: &Sizes<'_>, layers: u64, product: Product<'_>) {
    let l = Factor::new(Symbol::Layers, layers);
    product(Item::Checkpoints, &[Factor::new(Symbol::BytesPerValue, sizes.r), l, sizes.stream_tokens, sizes.hidden]);
}

/// What full checkpointing keeps once, as arguments to call the layers again: position ids, and the masks: in the precision of the
/// residual stream for eager attention, otherwise as booleans.
fn arguments(sizes: &Sizes<'_>, product: Product<'_>) {
    let shape = sizes.shape;
    if shape.positions == Positions::Rotary {
        product(Item::EmbeddingTensors, &[Factor::number(8), sizes.seq]);
    }
    // One mask for all layers of a kind.
    let sliding = shape.sliding_window.map_or(0, |sliding| sliding.layers);
    let (some_full, some_sliding) = (u64::from(sliding < shape.layers), u64::from(sliding > 0));
    let bytes = match sizes.scenario.attention {
        Attention::Eager => sizes.r * (some_full + some_sliding),
        Attention::Flash if sizes.masked() => some_full + some_sliding,
        Attention::Flash if sizes.masked_window() => some_sliding,
        Attention::Flash => 0,
    };
    if bytes > 0 {
        let all = Factor::new(Symbol::SeqLength, sizes.scenario.seq_length.into());
        product(Item::AttentionMask, &[Factor::number(bytes), sizes.batch, sizes.seq, all]);
    }
}

/// What per-operation checkpointing keeps beside the layers' inputs.
fn operations(sizes: &Sizes<'_>, kinds: &Kinds, product: Product<'_>) {
    let (shape, e, t) = (sizes.shape, sizes.e, sizes.tokens);
    let dim = Factor::new(Symbol::HeadDim, shape.head_dim.into());
    let attending = Factor::new(Symbol::Layers, kinds.full + kinds.sliding);
    product(Item::AttentionTensors, &[Factor::number(2 * e), attending, t, sizes.heads, dim]);
    let kv_heads = Factor::new(Symbol::KvHeads, sizes.local.kv_heads);
    product(Item::AttentionTensors, &[Factor::number(e), attending, t, kv_heads, dim]);
    product(Item::SoftmaxStatistics, &[Factor::number(4), attending, t, sizes.heads]);
    if kinds.dense > 0 {
        let l = Factor::new(Symbol::Layers, kinds.dense);
        let width = Factor::new(Symbol::IntermediateSize, sizes.local.intermediate_size);
        product(Item::MlpTensors, &[Factor::number(e), l, t, width]);
        if shape.mlp == Mlp::Gated {
            product(Item::MlpTensors, &[Factor::number(e), l, sizes.stream_tokens, sizes.hidden]);
        }
    }
}

/// What is kept once for all layers: rotary tables; or position ids and the dropout mask of the embedding.
fn once(sizes: &Sizes<'_>, product: Product<'_>) {
    let shape = sizes.shape;
    match shape.positions {
        Positions::Rotary => {
            let dim = match shape.projection {
                Projection::Latent(latent) => latent.rope_dim,
                Projection::Heads => shape.head_dim,
            };
            product(
                Item::RotaryTables,
                &[Factor::number(2 * sizes.r), sizes.seq, Factor::new(Symbol::HeadDim, dim.into())],
            );
        }
        Positions::Learned(_) if sizes.local.embedding => {
            product(Item::EmbeddingTensors, &[Factor::number(8), sizes.seq]);
        }
        Positions::Learned(_) | Positions::Alibi => {}
    }
    if sizes.local.embedding && shape.dropout {
        let bytes = if sizes.cuda { 1 } else { sizes.r };
        product(Item::EmbeddingTensors, &[Factor::number(bytes), sizes.stream_tokens, sizes.hidden]);
    }
    if sizes.local.embedding && shape.embedding_norm {
        block::norm(sizes, 1, 1, Item::EmbeddingTensors, product);
    }
}

/// 16-bit copies of matrices that autocast makes and the graph keeps: those of `layers` layers, and of the head.
///
/// # Formula
/// 2 bytes for each weight of two dimensions that a multiplication reads; a tied table counts as the head.
/// Nothing where the weights are sharded or wait in host memory: what is gathered or fetched is in 16 bits by then.
///
/// # Assumes
/// FSDP as accelerate sets it up, or DeepSpeed's ZeRO-3. Both gather 16-bit weights unit by unit, so autocast finds nothing to cast, and both free
/// them after use. The residual stream is still counted in fp32, which is no less than it takes. ZeRO-1 and 2 leave whole fp32 weights on every rank,
/// which autocast copies.
///
/// # Source
/// accelerate 1.15.0: `utils/dataclasses.py`, `set_mixed_precision` of `FullyShardedDataParallelPlugin`, which makes a `MixedPrecisionPolicy` with
/// `param_dtype` bf16; `utils/fsdp_utils.py`, `fsdp2_prepare_model`, which upcasts the shards to fp32. DeepSpeed: `runtime/torch_autocast.py`, whose weights are gathered in 16 bits.
fn weight_copies(sizes: &Sizes<'_>, layers: u64, head: bool, product: Product<'_>) {
    let scenario = sizes.scenario;
    if sharding::fsdp(scenario) || scenario.parallel.shards_from(ZeroStage::Weights) > 1 || scenario.offload.parameters
    {
        return;
    }
    let local = scenario.local_parameters();
    let matrices = local.matrices + local.experts + local.routers;
    let all = sizes.local.layers.max(1);
    // A share of uniform layers is whole; of others about right.
    let here = if layers == all { matrices } else { matrices / all * layers };
    let table = match (head, local.head) {
        (false, _) => 0,
        (true, 0) => local.embedding,
        (true, head) => head,
    };
    if here + table > 0 {
        product(Item::WeightCopies, &[Factor::number(2), Factor::new(Symbol::Parameters, here + table)]);
    }
}

/// Whether the attention of transformers code was to be fused and keeps its scores all the same.
pub fn unfused(scenario: &Checked) -> bool {
    let sizes = Sizes::of(scenario);
    scenario.training.implementation == Implementation::Transformers
        && scenario.attention == Attention::Flash
        && attention::writes_scores(&sizes, &Kinds::of(sizes.shape, sizes.shape.layers.into()))
}

/// The same `QLoRA` run where attention gets fp32 values, if that keeps scores which this one does not.
pub fn with_wide_attention(scenario: &Checked) -> Option<Checked> {
    if scenario.mode != Mode::Qlora || scenario.training.stock.wide_attention {
        return None;
    }
    let wide = scenario.with(|it| it.training.stock.wide_attention = true).ok()?;
    (unfused(&wide) && !unfused(scenario)).then_some(wide)
}

/// Whether the tensors of such a question were measured, or are derived from what was and from the code.
pub fn measured(scenario: &Checked) -> bool {
    let training = &scenario.training;
    let shape = &scenario.architecture;
    let plain_run = scenario.mode == Mode::Training
        && training.implementation == Implementation::Transformers
        && !training.compile
        && scenario.parallel == (Parallelism { dp: scenario.parallel.dp, ..Parallelism::ONE });
    let checkpointing = match scenario.checkpointing {
        Checkpointing::None => true,
        Checkpointing::Full => scenario.recipe() != Recipe::Autocast,
        Checkpointing::Selective | Checkpointing::PerOp => false,
    };
    let masked = training.stock.padding
        || shape.sliding_window.is_some_and(|it| it.layers > 0 && scenario.seq_length > it.window);
    // A mask with a fused kernel was measured on a processor only.
    let kernel = scenario.attention == Attention::Eager || !masked || training.stock.cpu;
    plain_run && checkpointing && kernel && known_code(shape, scenario.attention, scenario.recipe() == Recipe::Autocast)
}

/// Whether the model is one whose code was measured with such attention and such a recipe.
fn known_code(shape: &Architecture, attention: Attention, autocast: bool) -> bool {
    let plain = matches!(shape.projection, Projection::Heads)
        && shape.linear_attention.is_none()
        && !shape.parallel_residual
        && !shape.embedding_norm
        && !shape.gated_attention
        && !shape.attention_sinks
        && shape.shared_cache_layers == 0;
    let gpt2 = shape.norm == Norm::LayerNorm
        && matches!(shape.positions, Positions::Learned(_))
        && matches!(shape.mlp, Mlp::Gelu | Mlp::GeluNew)
        && !(autocast && attention == Attention::Eager)
        && !shape.qk_norm;
    let llama = shape.norm == Norm::RmsNorm
        && shape.positions == Positions::Rotary
        && shape.mlp == Mlp::Gated
        && !shape.dropout;
    let gemma = shape.soft_capped && shape.norms_per_layer == 4 && attention == Attention::Eager && !autocast;
    let mixture = match shape.moe {
        None => true,
        Some(moe) => moe.shared_intermediate_size == 0 && moe.dense_layers == 0 && !moe.expert_biases && !autocast,
    };
    plain && (gpt2 || llama) && mixture && (gemma || (shape.norms_per_layer == 2 && !shape.soft_capped))
}
