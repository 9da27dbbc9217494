//! What stock code keeps of attention, between the projections.

use crate::architecture::{Latent, LinearAttention, Norm, Positions, Projection};
use crate::memory::activations::sizes::{Kinds, Sizes};
use crate::scenario::Attention;
use crate::worked::{Factor, Item, Symbol};

/// Takes the factors of one product.
pub(super) type Product<'a> = &'a mut dyn FnMut(Item, &[Factor]);

/// Tensors of attention in layers of these kinds; of eager attention the scores too, where `with_scores`.
///
/// # Formula
/// With q = `heads × head_dim`, k = `kv_heads × head_dim`, a = `heads`, T = tokens and e bytes a value, in one layer:
/// fused e·T·(2q + 2k) + 4·T·a, and 24 bytes of random state on CUDA; fused with a mask tensor e·T·4q + 4·T·a + e·`batch`·s²,
/// since keys and values are then repeated for each query head; eager e·T·4q and the scores.
/// fp32 on CUDA takes the memory-efficient kernel: e·T·4q + 4·`batch`·a·(s up to a multiple of 32) + 16.
/// Norms on queries and keys add (4 + e)·T·(q + k) + 4·T·(a + `kv_heads`).
///
/// # Units
/// Bytes.
///
/// # Assumes
/// With one KV head, repeated keys and values are views of it: in eager attention of one sequence, and in the memory-efficient kernel.
///
/// # Source
/// Tensors saved by PyTorch 2.15 with transformers 5.23. Latent and linear attention, gates on the output and masks on CUDA are read from the code, not measured.
pub(super) fn terms(sizes: &Sizes<'_>, kinds: &Kinds, with_scores: bool, product: Product<'_>) {
    let shape = sizes.shape;
    let tp = u64::from(sizes.scenario.parallel.tp);
    let kv = |heads: u32| Factor::new(Symbol::KvHeads, u64::from(heads).div_ceil(tp));
    let dim = |dim: u32| Factor::new(Symbol::HeadDim, dim.into());
    if kinds.full > 0 {
        heads(sizes, kinds.full, [kv(shape.kv_heads), dim(shape.head_dim)], sizes.masked(), product);
    }
    if let Some(sliding) = shape.sliding_window
        && kinds.sliding > 0
    {
        let own = [kv(sliding.kv_heads.unwrap_or(shape.kv_heads)), dim(sliding.head_dim.unwrap_or(shape.head_dim))];
        heads(sizes, kinds.sliding, own, sizes.masked_window(), product);
    }
    if let Some(linear) = shape.linear_attention
        && kinds.linear > 0
    {
        state(sizes, kinds.linear, &linear, product);
    }
    if with_scores {
        scores(sizes, kinds, product);
    }
}

/// `layers` layers of attention with keys and values.
fn heads(sizes: &Sizes<'_>, layers: u64, [kv_heads, dim]: [Factor; 2], masked: bool, product: Product<'_>) {
    let (e, t, a) = (sizes.e, sizes.tokens, sizes.heads);
    let l = Factor::new(Symbol::Layers, layers);
    if let Projection::Latent(it) = sizes.shape.projection {
        latent(sizes, layers, &it, product);
    } else {
        if sizes.shape.qk_norm {
            // The fp32 copy, and the normalised one where its weight learns; Gemma's norm keeps that in fp32.
            let normed = match (sizes.learns.norms, gemma(sizes)) {
                (true, true) => 8,
                (true, false) => 4 + e,
                (false, _) => 4,
            };
            product(Item::QkNormTensors, &[Factor::number(normed), l, t, a, dim]);
            product(Item::QkNormTensors, &[Factor::number(normed), l, t, kv_heads, dim]);
            product(Item::QkNormTensors, &[Factor::number(4), l, t, a]);
            product(Item::QkNormTensors, &[Factor::number(4), l, t, kv_heads]);
        }
        // Queries and the output of attention; keys and values, repeated for each query head or not.
        let [keys, values] = repeated(sizes, kv_heads, masked);
        let outputs = if sizes.scenario.attention == Attention::Eager && !sizes.learns.attention_out { 1 } else { 2 };
        let mut tensors = |count: u64, heads| {
            product(Item::AttentionTensors, &[Factor::number(count * e), l, t, heads, dim]);
        };
        if keys == values {
            tensors(outputs, a);
            tensors(2, keys);
        } else {
            tensors(outputs + 1, keys);
            tensors(1, values);
        }
        if sizes.shape.gated_attention {
            // The gate, and what it is multiplied with.
            product(Item::AttentionTensors, &[Factor::number(2 * e), l, t, a, dim]);
        }
    }
    if sizes.scenario.attention == Attention::Eager {
        return;
    }
    if sizes.cuda && e == 4 {
        // Statistics padded to 32 tokens; seed and offset of the random numbers.
        let padded = Factor::new(Symbol::SeqLength, sizes.seq.value.next_multiple_of(32));
        product(Item::SoftmaxStatistics, &[Factor::number(4), l, sizes.batch, a, padded]);
        product(Item::SoftmaxStatistics, &[Factor::number(16), l]);
    } else {
        product(Item::SoftmaxStatistics, &[Factor::number(4), l, t, a]);
        if sizes.cuda {
            // State of the random number generator.
            product(Item::SoftmaxStatistics, &[Factor::number(24), l]);
        }
    }
    if masked {
        let all = Factor::new(Symbol::SeqLength, sizes.scenario.seq_length.into());
        product(Item::AttentionMask, &[Factor::number(e), l, sizes.batch, sizes.seq, all]);
    }
}

/// How many heads of keys and of values are kept: all query heads where they are repeated.
fn repeated(sizes: &Sizes<'_>, kv_heads: Factor, masked: bool) -> [Factor; 2] {
    let (own, all) = (kv_heads, Factor::new(Symbol::Heads, sizes.local.heads.max(kv_heads.value)));
    match sizes.scenario.attention {
        // A single head is repeated as a view; only several sequences make copies of it, and autocast of the keys that the rotation left in fp32.
        Attention::Eager if own.value == 1 && sizes.batch.value == 1 => {
            if sizes.autocast {
                [all, own]
            } else {
                [own, own]
            }
        }
        Attention::Eager => [all, all],
        Attention::Flash if masked => [all, all],
        // fp32 has no flash kernel on CUDA, and the memory-efficient one wants as many heads of keys as of queries.
        Attention::Flash if sizes.cuda && sizes.e == 4 && own.value > 1 => [all, all],
        Attention::Flash => [own, own],
    }
}

/// Whether the norms are Gemma's: in fp32 from input to output, with one added to the weight.
pub(super) fn gemma(sizes: &Sizes<'_>) -> bool {
    sizes.shape.norms_per_layer == 4 && sizes.shape.norm == Norm::RmsNorm
}

/// The s × s scores that eager attention keeps.
///
/// # Formula
/// 6·`batch`·a·s² in 16 bits (fp32 softmax and its 16-bit copy), 4 in fp32. GPT-2 takes its softmax in the model's precision: e;
/// with dropout another e for the dropped copy and a mask of 1 byte (on a CPU: e). Soft-capped: e more, 4 and 4 in all.
pub(super) fn scores(sizes: &Sizes<'_>, kinds: &Kinds, product: Product<'_>) {
    let layers = kinds.full + kinds.sliding;
    if sizes.scenario.attention != Attention::Eager || layers == 0 {
        return;
    }
    // What the softmax keeps, and what the multiplication with the values reads.
    let softmax = if matches!(sizes.shape.positions, Positions::Learned(_)) && !sizes.autocast { sizes.e } else { 4 };
    let mut bytes = softmax;
    if sizes.shape.dropout {
        bytes += mask_bytes(sizes) + sizes.e;
    } else if softmax != sizes.e {
        bytes += sizes.e;
    }
    if sizes.shape.soft_capped {
        bytes += sizes.e;
    }
    score_product(sizes, layers, bytes, Item::AttentionScores, product);
}

/// Bytes of one value of a dropout mask: CUDA's kernel keeps a boolean, a processor's a tensor like the input.
pub(super) fn mask_bytes(sizes: &Sizes<'_>) -> u64 {
    if sizes.cuda { 1 } else { sizes.e }
}

/// `bytes` for each score of `layers` layers.
pub(super) fn score_product(sizes: &Sizes<'_>, layers: u64, bytes: u64, item: Item, product: Product<'_>) {
    let all = Factor::new(Symbol::SeqLength, sizes.scenario.seq_length.into());
    let l = Factor::new(Symbol::Layers, layers);
    product(item, &[Factor::number(bytes), l, sizes.batch, sizes.heads, sizes.seq, all]);
}

/// Multi-head latent attention: the compressed vectors with their norms, and keys and values made from them for each head.
fn latent(sizes: &Sizes<'_>, layers: u64, it: &Latent, product: Product<'_>) {
    let (e, t, a) = (sizes.e, sizes.tokens, sizes.heads);
    let l = Factor::new(Symbol::Layers, layers);
    let normed = if sizes.learns.norms { 4 + 2 * e } else { 4 + e };
    let compressed = u64::from(it.kv_lora_rank) + u64::from(it.q_lora_rank.unwrap_or(0));
    let norms = 1 + u64::from(it.q_lora_rank.is_some());
    product(Item::QkNormTensors, &[Factor::number(normed), l, t, Factor::new(Symbol::HeadDim, compressed)]);
    product(Item::QkNormTensors, &[Factor::number(4 * norms), l, t]);
    // Queries and keys with both of their parts; keys without position and values, which are one tensor; the output.
    let [rope, nope, v] = [it.rope_dim, it.nope_dim, it.v_dim].map(u64::from);
    let wide = Factor::new(Symbol::HeadDim, 2 * (rope + nope) + (nope + v) + v);
    product(Item::AttentionTensors, &[Factor::number(e), l, t, a, wide]);
}

/// Linear attention or a state-space model with its fused kernels: input and output of the short convolution, the gate,
/// the output in front of and behind its gated norm, which works in fp32.
fn state(sizes: &Sizes<'_>, layers: u64, it: &LinearAttention, product: Product<'_>) {
    let (e, t) = (sizes.e, sizes.tokens);
    let l = Factor::new(Symbol::Layers, layers);
    let tp = u64::from(sizes.scenario.parallel.tp);
    let heads = |heads: u32| Factor::new(Symbol::Heads, u64::from(heads).div_ceil(tp));
    let [key_dim, value_dim] = [it.key_dim, it.value_dim].map(|dim| Factor::new(Symbol::HeadDim, dim.into()));
    product(Item::AttentionTensors, &[Factor::number(4 * e), l, t, heads(it.key_heads), key_dim]);
    product(Item::AttentionTensors, &[Factor::number(5 * e + 12), l, t, heads(it.value_heads), value_dim]);
}
