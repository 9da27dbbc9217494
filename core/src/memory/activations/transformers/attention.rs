//! What stock code keeps of attention, between the projections.

use crate::architecture::{
    Latent, LinearAttention, LinearKind, Norm, NormWeight, Positions, Projection, SlidingWindow,
};
use crate::memory::activations::sizes::{Kinds, Sizes};
use crate::scenario::{Attention, Mode};
use crate::tables::capability::{self, Capability};
use crate::worked::{Factor, Item, Symbol};

/// Takes the factors of one product.
pub(super) type Product<'a> = &'a mut dyn FnMut(Item, &[Factor]);

/// Tensors of attention in layers of these kinds; of eager attention the scores too, where `with_scores`.
///
/// # Formula
/// With q = `heads × head_dim`, k = `kv_heads × head_dim`, a = `heads`, T = tokens and e bytes a value, in one layer:
/// fused e·T·(2q + 2k) + 4·T·a, and 24 bytes of random state on CUDA; fused with a mask tensor e·T·4q + 4·T·a + e·`batch`·s²,
/// since keys and values are then repeated for each query head; eager e·T·4q and the scores.
/// fp32 on CUDA takes the memory-efficient kernel: e·T·4q + 4·`batch`·a·(s up to a multiple of 32) + 16. Where no fused kernel knows the inputs ([`unfused`]),
/// PyTorch multiplies in fp32 and keeps the scores: 4·T·3q + 4·`batch`·a·s² + e·T·q.
/// Norms on queries and keys add (4 + e)·T·(q + k) + 4·T·(a + `kv_heads`). Code that joins rotated channels with others lays queries and keys out head by head, so does the flash kernel its
/// output, and the output projection reads a copy: e·T·q more; beside one matrix for all three its whole output stays for the values' sake, e·T·(q + k) more.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// With one KV head, repeated keys and values are views of it: in eager attention of one sequence, and in the memory-efficient kernel.
///
/// # Source
/// Tensors saved by PyTorch 2.15 with transformers 5.23. Unfused attention on a GPU, joined rotation, short convolutions and masks on CUDA: peaks on an H200 (set `one-gpu-steps` of the crate
/// `memory-wall-accuracy`). Latent and other linear attention and gates on the output are read from the code, not measured.
pub(super) fn terms(sizes: &Sizes<'_>, kinds: &Kinds, with_scores: bool, product: Product<'_>) {
    let shape = sizes.shape;
    if kinds.full > 0 {
        heads(sizes, kinds.full, cached(sizes, None), sizes.masked(), product);
    }
    if kinds.sliding > 0 {
        heads(sizes, kinds.sliding, cached(sizes, shape.sliding_window), sizes.masked_window(), product);
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

/// KV heads of the rank and their width, in layers with this window or in those that see everything.
fn cached(sizes: &Sizes<'_>, window: Option<SlidingWindow>) -> [Factor; 2] {
    let [kv_heads, dim] = sizes.shape.cached_heads(window).map(u64::from);
    let tp = u64::from(sizes.scenario.parallel.tp);
    [Factor::new(Symbol::KvHeads, kv_heads.div_ceil(tp)), Factor::new(Symbol::HeadDim, dim)]
}

/// `layers` layers of attention with keys and values.
fn heads(sizes: &Sizes<'_>, layers: u64, [kv_heads, dim]: [Factor; 2], masked: bool, product: Product<'_>) {
    let (e, t, a) = (sizes.e, sizes.tokens, sizes.heads);
    let l = Factor::new(Symbol::Layers, layers);
    if let Projection::Latent(it) = sizes.shape.projection {
        latent(sizes, layers, &it, product);
    } else {
        if sizes.shape.qk_norm {
            // The fp32 copy, and the normalised one where its weight learns.
            let normed = 4 + if sizes.learns.norms { normed_bytes(sizes, e) } else { 0 };
            product(Item::QkNormTensors, &[Factor::number(normed), l, t, a, dim]);
            product(Item::QkNormTensors, &[Factor::number(normed), l, t, kv_heads, dim]);
            if sizes.shape.wide_qk_norm {
                product(Item::QkNormTensors, &[Factor::number(8), l, t]);
            } else {
                product(Item::QkNormTensors, &[Factor::number(4), l, t, a]);
                product(Item::QkNormTensors, &[Factor::number(4), l, t, kv_heads]);
            }
        }
        if sizes.shape.gated_attention {
            // The gate, and what it is multiplied with.
            product(Item::AttentionTensors, &[Factor::number(2 * e), l, t, a, dim]);
        }
        if unfused(sizes, kv_heads) {
            unfused_heads(sizes, layers, [kv_heads, dim], product);
            return;
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
        let joined = sizes.shape.joined_rotation && sizes.scenario.attention == Attention::Flash;
        if joined && e == 2 && sizes.learns.attention_out {
            product(Item::AttentionTensors, &[Factor::number(e), l, t, a, dim]);
        }
        if joined && sizes.shape.fused_qkv && values.value == kv_heads.value {
            product(Item::AttentionTensors, &[Factor::number(e), l, t, a, dim]);
            product(Item::AttentionTensors, &[Factor::number(e), l, t, kv_heads, dim]);
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
        // One head is repeated as a view.
        Attention::Flash if masked && own.value > 1 => [all, all],
        // fp32 has no flash kernel on CUDA, and the memory-efficient one wants as many heads of keys as of queries.
        Attention::Flash if sizes.cuda && sizes.e == 4 && own.value > 1 => [all, all],
        Attention::Flash => [own, own],
    }
}

/// Bytes of a normalised value that an RMSNorm keeps where its weight learns, in a stream of so many.
pub(super) fn normed_bytes(sizes: &Sizes<'_>, stream: u64) -> u64 {
    match sizes.shape.norm_weight {
        NormWeight::Rounded => stream,
        NormWeight::InFp32 | NormWeight::WithFp32Copy => 4,
    }
}

/// Whether `scaled_dot_product_attention` finds no fused kernel on CUDA and multiplies in fp32, with all scores.
///
/// # Formula
/// Without a mask, transformers asks for grouped queries by themselves (`enable_gqa`), which only the flash kernel and cuDNN's know: not in fp32, and not before
/// compute capability 8.0. Falcon 7B gives its one KV head to all queries, which no fused kernel takes.
///
/// # Assumes
/// `QLoRA` that upcasts to fp32 hands attention 16-bit values, unless [`crate::training::Stock::wide_attention`] says otherwise: Trainer, axolotl and LLaMA-Factory are usually told `bf16=True`, and
/// transformers casts for `FlashAttention` 2 (`integrations/flash_attention.py`). They are counted in fp32 all the same, which is no less. Heads of at most 256 channels; wider ones are repeated before. A window that is shorter than the sequence brings a mask, with which they are repeated too and a fused kernel is found: scores are
/// counted all the same, so that a longer sequence never takes less.
///
/// # Source
/// transformers 5.17: `use_gqa_in_sdpa` in `integrations/sdpa_attention.py`, `modeling_falcon.py`. PyTorch: `aten/src/ATen/native/transformers/cuda/sdp_utils.cpp`. Peaks on an H200, PyTorch 2.11: set
/// `one-gpu-steps` of the crate `memory-wall-accuracy`. `QLoRA`: Unsloth's table of `FlashAttention` 2 runs of Llama 3.1 8B and 70B, 5,789 tokens on 24 GB to 28,454 on 80 (docs.unsloth.ai). Read 2026-11-26.
fn unfused(sizes: &Sizes<'_>, kv_heads: Factor) -> bool {
    let (shape, stock) = (sizes.shape, sizes.scenario.training.stock);
    let fused = sizes.masked() || stock.cpu || stock.efficient_kernel;
    if fused || sizes.scenario.attention == Attention::Eager || shape.projection != Projection::Heads {
        return false;
    }
    let grouped = kv_heads.value < sizes.heads.value;
    if falcon(sizes) {
        return grouped && kv_heads.value == 1;
    }
    let before_ampere = || sizes.scenario.gpu.and_then(capability::of).is_some_and(|has| has < Capability::new(8, 0));
    let wide = sizes.e == 4 && (sizes.scenario.mode != Mode::Qlora || stock.wide_attention);
    grouped && shape.head_dim <= 256 && (wide || before_ampere())
}

/// Whether the code is Falcon's own, which calls PyTorch's attention by itself.
fn falcon(sizes: &Sizes<'_>) -> bool {
    let shape = sizes.shape;
    shape.parallel_residual && shape.fused_qkv && !shape.joined_rotation && shape.norm == Norm::LayerNorm
}

/// Whether layers of these kinds write their scores down: eager attention, and unfused.
pub(super) fn writes_scores(sizes: &Sizes<'_>, kinds: &Kinds) -> bool {
    sizes.scenario.attention == Attention::Eager && kinds.full + kinds.sliding > 0 || unfused_layers(sizes, kinds) > 0
}

/// How many layers of these kinds no fused kernel serves.
fn unfused_layers(sizes: &Sizes<'_>, kinds: &Kinds) -> u64 {
    let kinds = [(kinds.full, None), (kinds.sliding, sizes.shape.sliding_window)].into_iter();
    kinds.filter(|(_, window)| unfused(sizes, cached(sizes, *window)[0])).map(|(layers, _)| layers).sum()
}

/// What attention without a fused kernel keeps beside its scores: queries, keys and values in fp32, for each query head where they are repeated, and the output.
fn unfused_heads(sizes: &Sizes<'_>, layers: u64, [kv_heads, dim]: [Factor; 2], product: Product<'_>) {
    let (t, a, l) = (sizes.tokens, sizes.heads, Factor::new(Symbol::Layers, layers));
    // One head for all is a view of it.
    let repeated = if kv_heads.value > 1 { a } else { kv_heads };
    product(Item::AttentionTensors, &[Factor::number(4), l, t, a, dim]);
    product(Item::AttentionTensors, &[Factor::number(8), l, t, repeated, dim]);
    if sizes.learns.attention_out {
        product(Item::AttentionTensors, &[Factor::number(sizes.e), l, t, a, dim]);
    }
}

/// The s × s scores that eager attention keeps.
///
/// # Formula
/// 6·`batch`·a·s² in 16 bits (fp32 softmax and its 16-bit copy), 4 in fp32. GPT-2 takes its softmax in the model's precision: e;
/// beside sinks too; with dropout another e for the dropped copy and a mask of 1 byte (on a CPU: e). Soft-capped: e more, 4 and 4 in all. Where a fused kernel was asked for and none is there, 4.
pub(super) fn scores(sizes: &Sizes<'_>, kinds: &Kinds, product: Product<'_>) {
    let unfused = unfused_layers(sizes, kinds);
    if unfused > 0 {
        score_product(sizes, unfused, 4, Item::AttentionScores, product);
    }
    let layers = kinds.full + kinds.sliding;
    if sizes.scenario.attention != Attention::Eager || layers == 0 {
        return;
    }
    // What the softmax keeps, and what the multiplication with the values reads; beside sinks a part of the same.
    let narrow = matches!(sizes.shape.positions, Positions::Learned(_)) && !sizes.autocast;
    let softmax = if narrow || sizes.shape.attention_sinks { sizes.e } else { 4 };
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

/// Bytes for each score that its gradients take at once.
///
/// # Formula
/// In front of and behind the softmax and behind the scale: 12 in fp32; in 16 bits with a softmax in fp32 the one in front twice, 2 + 4 + 2 + 2. GPT-2, whose softmax is in the model's precision: 2·e, with dropout e.
pub(super) fn score_gradients(sizes: &Sizes<'_>) -> u64 {
    let (e, shape) = (sizes.e, sizes.shape);
    match sizes.scenario.attention {
        Attention::Flash => 12,
        Attention::Eager if shape.dropout => e,
        Attention::Eager if matches!(shape.positions, Positions::Learned(_)) => 2 * e,
        Attention::Eager if e == 4 => 12,
        Attention::Eager => 10,
    }
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
    if let Some(indexer) = sizes.scenario.architecture.indexer {
        // A mask of what was picked for each layer; scores in fp32 of every head of an indexer, and what is left above zero, at one layer at a time: nothing is learned there.
        let all = Factor::new(Symbol::SeqLength, sizes.scenario.seq_length.into());
        product(Item::AttentionMask, &[Factor::number(e), l, sizes.batch, sizes.seq, all]);
        let heads = Factor::new(Symbol::Heads, indexer.heads.into());
        product(Item::AttentionScores, &[Factor::number(8), sizes.batch, heads, sizes.seq, all]);
    }
}

/// Linear attention or a state-space model with its fused kernels: input and output of the short convolution, the gate,
/// the output in front of and behind its gated norm, which works in fp32. A short convolution alone: what is cut into input and two gates, the gated input, its convolution, and
/// that gated again.
fn state(sizes: &Sizes<'_>, layers: u64, it: &LinearAttention, product: Product<'_>) {
    let (e, t) = (sizes.e, sizes.tokens);
    let l = Factor::new(Symbol::Layers, layers);
    let tp = u64::from(sizes.scenario.parallel.tp);
    let heads = |heads: u32| Factor::new(Symbol::Heads, u64::from(heads).div_ceil(tp));
    let [key_dim, value_dim] = [it.key_dim, it.value_dim].map(|dim| Factor::new(Symbol::HeadDim, dim.into()));
    if it.kind == LinearKind::ShortConv {
        product(Item::AttentionTensors, &[Factor::number(6 * e), l, t, heads(it.value_heads), value_dim]);
        return;
    }
    product(Item::AttentionTensors, &[Factor::number(4 * e), l, t, heads(it.key_heads), key_dim]);
    product(Item::AttentionTensors, &[Factor::number(5 * e + 12), l, t, heads(it.value_heads), value_dim]);
}
