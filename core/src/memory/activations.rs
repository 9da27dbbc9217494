//! Tensors that the forward pass leaves behind for the backward pass, itemised; and the working space of inference.
//!
//! # Source
//! Lists of saved tensors read from PyTorch 2.15 and transformers 5.23 (stock modelling code), equal to the byte
//! to measured configurations (see `tests/measured.rs` for how many, and which are left out and why). Fused norms, fused MLPs and `torch.compile` keep less.

use crate::architecture::{Mlp, Norm, Positions};
use crate::evaluate::Phase;
use crate::scenario::{Attention, Mode, Scenario};
use crate::training::Checkpointing;
use crate::worked::{Factor, Item, Symbol, Term};

/// Tokens that an engine feeds through a layer at once while it reads a prompt (vLLM's default on large cards).
pub const PREFILL_CHUNK: u64 = 8_192;

type Sink<'a> = &'a mut dyn FnMut(&Term<'_>);

/// Bytes of activations at one phase.
///
/// # Formula
/// With T = `batch × seq_length`, h = `hidden_size`, q and k the widths of queries and keys, f = `intermediate_size`, a = `heads`, s = `seq_length`.
/// A Llama-type layer in bf16 with flash attention keeps T·(16h + 4q + 4k + 8f + 4a + 8) + 24;
/// with eager attention T·(16h + 8q + 8f + 8) + 6·`batch`·a·s². Full checkpointing keeps 2·T·h a layer, position ids and (eager) one mask and, while it recomputes, one whole layer.
/// Inference: the widest moment inside one layer for one prefill chunk.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Stock `transformers` modelling code; the weights' own precision throughout (no autocast); dropout 0.1 in models with learned positions (GPT-2), none elsewhere.
///
/// # Source
/// See the module's page. The classic constant 34·T·h (Korthikanti et al. 2022) is the GPT-2 case with a fused GELU, less 16 bytes a token.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, memory::activations, Mode, Phase, Scenario, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// assert_eq!(activations::saved_per_layer(&scenario), Bytes(186_504 * 2_048 + 24));
/// ```
pub fn terms(scenario: &Scenario, phase: Phase, sink: Sink<'_>) {
    match scenario.mode {
        Mode::Inference => workspace(scenario, sink),
        _ => {
            let layers = scenario.architecture.layers.into();
            if scenario.checkpointing == Checkpointing::Full {
                checkpoints(scenario, layers, sink);
                checkpoint_arguments(scenario, sink);
                if phase == Phase::Backward {
                    layer(scenario, 1, &mut |term| sink(&Term { item: Item::RecomputedLayer, ..*term }));
                }
            } else {
                layer(scenario, layers, sink);
                if phase == Phase::Backward {
                    // Selective: the scores of one layer are there again while its backward pass runs.
                    scores(scenario, 1, &mut |factors| {
                        sink(&Term { item: Item::RecomputedLayer, factors, divisor: 1 });
                    });
                }
            }
            shared(scenario, sink);
        }
    }
}

/// Bytes that one layer keeps when nothing is recomputed.
pub fn saved_per_layer(scenario: &Scenario) -> crate::Bytes {
    crate::worked::total(|sink| layer(scenario, 1, sink))
}

fn dropout(scenario: &Scenario) -> bool {
    scenario.architecture.dropout
}

fn tokens(scenario: &Scenario) -> Factor {
    Factor::new(Symbol::Tokens, scenario.tokens())
}

/// Everything that `layers` layers keep.
fn layer(scenario: &Scenario, layers: u64, sink: Sink<'_>) {
    let shape = &scenario.architecture;
    let e = scenario.activation_bytes();
    let t = tokens(scenario);
    let l = Factor::new(Symbol::Layers, layers);
    let h = Factor::new(Symbol::HiddenSize, shape.hidden_size.into());
    let f = Factor::new(Symbol::IntermediateSize, shape.intermediate_size.into());
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });

    // Two norms. The stock RMSNorm works on an fp32 copy and keeps it, the scale of each token and the normalised copy;
    // LayerNorm keeps its input and two fp32 statistics.
    let (norm_bytes, statistics) = match shape.norm {
        Norm::RmsNorm => (4 + e, 4),
        Norm::LayerNorm => (e, 8),
    };
    product(Item::NormInputs, &[Factor::number(2 * norm_bytes), l, t, h]);
    product(Item::NormInputs, &[Factor::number(2 * statistics), l, t]);
    product(Item::NormOutputs, &[Factor::number(2 * e), l, t, h]);
    if dropout(scenario) {
        product(Item::DropoutMasks, &[Factor::number(2), l, t, h]);
    }
    let kept_in_mlp = match shape.mlp {
        Mlp::Gated => 4,   // gate, up, act(gate), product
        Mlp::Relu => 1,    // its output
        Mlp::Gelu => 2,    // input and output of the GELU
        Mlp::GeluNew => 5, // its Python composition keeps three more
    };
    product(Item::MlpTensors, &[Factor::number(kept_in_mlp * e), l, t, f]);
    attention(scenario, layers, &mut |item, factors| product(item, factors));
}

/// What the attention of `layers` layers keeps between its projections.
fn attention(scenario: &Scenario, layers: u64, product: &mut dyn FnMut(Item, &[Factor])) {
    let shape = &scenario.architecture;
    let e = scenario.activation_bytes();
    let t = tokens(scenario);
    let heads = Factor::new(Symbol::Heads, shape.heads.into());
    let kv_heads = Factor::new(Symbol::KvHeads, shape.kv_heads.into());
    let head_dim = Factor::new(Symbol::HeadDim, shape.head_dim.into());
    let batch = Factor::new(Symbol::Batch, scenario.batch.into());
    let s = Factor::new(Symbol::SeqLength, scenario.seq_length.into());
    let windowed =
        shape.sliding_window.filter(|sliding| scenario.seq_length > sliding.window).map_or(0, |sliding| sliding.layers);
    let windowed = u64::from(windowed).min(layers);

    if scenario.attention == Attention::Eager {
        let l = Factor::new(Symbol::Layers, layers);
        // Keys and values are repeated to the number of query heads before the multiplication.
        product(Item::AttentionTensors, &[Factor::number(4 * e), l, t, heads, head_dim]);
        if scenario.checkpointing != Checkpointing::Selective {
            scores(scenario, layers, &mut |factors| product(Item::AttentionScores, factors));
        }
        return;
    }
    if windowed > 0 {
        // A window shorter than the sequence needs a mask tensor, and the fused kernel with a mask takes repeated keys and values.
        let l = Factor::new(Symbol::Layers, windowed);
        product(Item::AttentionTensors, &[Factor::number(4 * e), l, t, heads, head_dim]);
        if e == 2 {
            product(Item::SoftmaxStatistics, &[Factor::number(4), l, t, heads]);
        } else {
            memory_efficient_statistics(scenario, windowed, product);
        }
        product(Item::AttentionMask, &[Factor::number(e), l, batch, s, s]);
    }
    let full = layers - windowed;
    if full > 0 {
        let l = Factor::new(Symbol::Layers, full);
        product(Item::AttentionTensors, &[Factor::number(2 * e), l, t, heads, head_dim]);
        if e == 2 {
            product(Item::AttentionTensors, &[Factor::number(2 * e), l, t, kv_heads, head_dim]);
            product(Item::SoftmaxStatistics, &[Factor::number(4), l, t, heads]);
            // State of the random number generator, 24 bytes a call on CUDA.
            product(Item::SoftmaxStatistics, &[Factor::number(24), l]);
        } else {
            // fp32 has no flash kernel on CUDA; the memory-efficient one takes repeated heads.
            let repeated = if shape.kv_heads == 1 { kv_heads } else { heads };
            product(Item::AttentionTensors, &[Factor::number(2 * e), l, t, repeated, head_dim]);
            memory_efficient_statistics(scenario, full, product);
        }
    }
}

/// The s × s scores that eager attention keeps in `layers` layers.
fn scores(scenario: &Scenario, layers: u64, product: &mut dyn FnMut(&[Factor])) {
    let bytes = match (dropout(scenario), scenario.activation_bytes()) {
        (false, 2) => 6, // fp32 softmax and its 16-bit copy
        (false, _) => 4, // the softmax itself
        (true, 2) => 5,  // softmax, mask, dropped copy: 2 + 1 + 2
        (true, _) => 9,  // 4 + 1 + 4
    };
    let s = Factor::new(Symbol::SeqLength, scenario.seq_length.into());
    product(&[
        Factor::number(bytes),
        Factor::new(Symbol::Layers, layers),
        Factor::new(Symbol::Batch, scenario.batch.into()),
        Factor::new(Symbol::Heads, scenario.architecture.heads.into()),
        s,
        s,
    ]);
}

/// What the memory-efficient kernel keeps beside its tensors in `layers` layers: statistics padded to 32 tokens,
/// and seed and offset of its random number generator.
fn memory_efficient_statistics(scenario: &Scenario, layers: u64, product: &mut dyn FnMut(Item, &[Factor])) {
    let l = Factor::new(Symbol::Layers, layers);
    let batch = Factor::new(Symbol::Batch, scenario.batch.into());
    let heads = Factor::new(Symbol::Heads, scenario.architecture.heads.into());
    let padded = Factor::new(Symbol::SeqLength, u64::from(scenario.seq_length).next_multiple_of(32));
    product(Item::SoftmaxStatistics, &[Factor::number(4), l, batch, heads, padded]);
    product(Item::SoftmaxStatistics, &[Factor::number(16), l]);
}

/// What full checkpointing keeps: the input of each layer.
fn checkpoints(scenario: &Scenario, layers: u64, sink: Sink<'_>) {
    sink(&Term {
        item: Item::Checkpoints,
        factors: &[
            Factor::new(Symbol::BytesPerValue, scenario.activation_bytes()),
            Factor::new(Symbol::Layers, layers),
            tokens(scenario),
            Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into()),
        ],
        divisor: 1,
    });
}

/// What full checkpointing keeps once, as arguments to call the layers again: position ids, and the masks that eager attention adds.
fn checkpoint_arguments(scenario: &Scenario, sink: Sink<'_>) {
    let shape = &scenario.architecture;
    let s = Factor::new(Symbol::SeqLength, scenario.seq_length.into());
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    if shape.positions == Positions::Rotary {
        product(Item::EmbeddingTensors, &[Factor::number(8), s]);
    }
    if scenario.attention == Attention::Eager {
        // One mask for all layers of a kind.
        let sliding = shape.sliding_window.map_or(0, |sliding| sliding.layers);
        let kinds = if sliding > 0 && sliding < shape.layers { 2 } else { 1 };
        let batch = Factor::new(Symbol::Batch, scenario.batch.into());
        product(Item::AttentionMask, &[Factor::number(kinds * scenario.activation_bytes()), batch, s, s]);
    }
}

/// What is kept once for the whole model.
fn shared(scenario: &Scenario, sink: Sink<'_>) {
    let shape = &scenario.architecture;
    let e = scenario.activation_bytes();
    let t = tokens(scenario);
    let h = Factor::new(Symbol::HiddenSize, shape.hidden_size.into());
    let s = Factor::new(Symbol::SeqLength, scenario.seq_length.into());
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    match shape.positions {
        Positions::Rotary => {
            product(
                Item::RotaryTables,
                &[Factor::number(2 * e), s, Factor::new(Symbol::HeadDim, shape.head_dim.into())],
            );
        }
        Positions::Alibi => {}
        Positions::Learned(_) => {
            product(Item::EmbeddingTensors, &[Factor::number(8), s]);
            product(Item::EmbeddingTensors, &[Factor::number(1), t, h]);
        }
    }
    let (norm_bytes, statistics) = match shape.norm {
        Norm::RmsNorm => (4 + e, 4),
        Norm::LayerNorm => (e, 8),
    };
    // The final norm, and its output as the input of the head.
    product(Item::FinalNorm, &[Factor::number(norm_bytes + e), t, h]);
    product(Item::FinalNorm, &[Factor::number(statistics), t]);
}

/// The widest moment inside one layer while one chunk of the prompt passes through; with eager attention an upper bound,
/// since its scores and the MLP's tensors are not alive at the same time.
fn workspace(scenario: &Scenario, sink: Sink<'_>) {
    let shape = &scenario.architecture;
    let e = scenario.activation_bytes();
    let chunk = Factor::new(Symbol::ChunkTokens, scenario.tokens().min(PREFILL_CHUNK));
    let mut product = |factors: &[Factor]| sink(&Term { item: Item::LayerWorkspace, factors, divisor: 1 });
    // Residual stream before and after, input and output of the norm.
    product(&[Factor::number(4 * e), chunk, Factor::new(Symbol::HiddenSize, shape.hidden_size.into())]);
    let wide = match shape.mlp {
        Mlp::Gated => 3, // act(gate), up, product
        Mlp::Relu | Mlp::Gelu => 2,
        Mlp::GeluNew => 4,
    };
    product(&[Factor::number(wide * e), chunk, Factor::new(Symbol::IntermediateSize, shape.intermediate_size.into())]);
    if scenario.attention == Attention::Eager {
        // Scores in 16 bits, softmax in fp32, its 16-bit copy.
        sink(&Term {
            item: Item::AttentionScores,
            factors: &[
                Factor::number(if e == 2 { 8 } else { 12 }),
                chunk,
                Factor::new(Symbol::Heads, shape.heads.into()),
                Factor::new(Symbol::SeqLength, scenario.seq_length.into()),
            ],
            divisor: 1,
        });
    }
}
