//! What torchtitan keeps and gathers: native PyTorch with FSDP2, tensor, context and pipeline parallelism, and checkpointing by operation.

use super::transformers;
use crate::memory::backward::Moment;
use crate::parallelism::ZeroStage;
use crate::scenario::Scenario;
use crate::training::Checkpointing;
use crate::units::Bytes;
use crate::worked::{Factor, Item, Symbol, Term};

type Sink<'a> = &'a mut dyn FnMut(&Term<'_>);

/// Bytes that the layers in flight keep, and of the weights that are gathered, when the backward pass begins.
///
/// # Formula
/// With T tokens on this rank after context parallelism, t tensor-parallel ranks (which share the sequence out as well), e = 2 bytes,
/// h = `hidden_size`, q and k the widths of queries and keys, f = `intermediate_size`, a = `heads`: full checkpointing keeps e·T·h/t a layer.
/// By operation it keeps, beside that input, the outputs of every second matrix multiplication (queries, values, gate, down) and of attention:
/// e·T·(q + k + f + h)/t + e·T·q/t + 4·T·a/t. Without checkpointing: inputs and outputs of every matrix multiplication once.
/// Gathered in 16 bits: embedding, head and the last layer, which FSDP2 does not give back before the backward pass; under a pipeline
/// the whole stage stays gathered, with its gradients unshared in fp32 until the last micro-batch.
/// Without `torch.compile` one layer of stock code comes on top, the small results of the layer at work.
/// The head's input is gathered over the tensor-parallel ranks, and so is its gradient: 2·e·T·h where t > 1.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// fp32 shards, 16-bit compute, `torch.compile` on each block, flash attention. Float8 changes compute, not what is kept.
///
/// # Source
/// torchtitan's parallelize and activation checkpointing code of December 2024; its published peaks (set `torchtitan` of the crate `memory-wall-accuracy`).
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Checkpointing, Implementation, Mode, Scenario, memory::activations::torchtitan, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// (scenario.mode, scenario.checkpointing) = (Mode::Training, Checkpointing::PerOp);
/// (scenario.training.implementation, scenario.training.compile) = (Implementation::Torchtitan, true);
/// // 63,616 bytes a token and layer; one card gathers nothing.
/// assert_eq!(worked::total(|sink| torchtitan::kept(&scenario, sink)), Bytes(63_616 * 2_048 * 32));
/// ```
pub fn kept(scenario: &Scenario, sink: Sink<'_>) {
    let local = scenario.local();
    layers(scenario, scenario.checkpointing, local.chunk_layers * local.chunks_in_flight, sink);
    gathered(scenario, sink);
    if !scenario.training.compile {
        // Without fusion every small result of a layer gets memory of its own.
        let whole = Scenario { checkpointing: Checkpointing::None, ..*scenario };
        transformers::one_layer(&whole, &mut |term| sink(&Term { item: Item::LayerWorkspace, ..*term }));
    }
    if scenario.parallel.tp > 1 && local.head {
        let tokens = Factor::new(Symbol::Tokens, tokens(scenario));
        let hidden = Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into());
        sink(&Term { item: Item::FinalNorm, factors: &[Factor::number(4), tokens, hidden], divisor: 1 });
    }
}

/// The same at one moment of the backward pass: a layer is computed again, with all that it keeps.
pub fn in_backward(scenario: &Scenario, moment: Moment, sink: Sink<'_>) {
    let local = scenario.local();
    let held = match moment {
        Moment::LastLayer => local.chunk_layers * local.chunks_in_flight,
        Moment::FirstLayer => 1,
        Moment::End => 0,
    };
    if held > 0 {
        layers(scenario, scenario.checkpointing, held, sink);
        if scenario.checkpointing != Checkpointing::None {
            layers(scenario, Checkpointing::None, 1, &mut |term| {
                sink(&Term { item: Item::RecomputedLayer, ..*term });
            });
        }
    }
    gathered(scenario, sink);
}

/// What PyTorch's allocator reserves where torchtitan's tensors and the blocks that they leave behind take `allocated` bytes.
///
/// # Formula
/// allocated × 103 / 100.
///
/// # Units
/// Bytes.
///
/// # Source
/// Fitted on two of torchtitan's published peaks, 77.0 and 83.9 GiB (rows T002 and T004); the others lie within 6% of it.
pub fn reserved(allocated: Bytes) -> Bytes {
    Bytes(allocated.0.saturating_mul(RESERVED_PERCENT).div_ceil(100))
}

/// Reserved bytes in percent of allocated ones: gaps and rounding.
const RESERVED_PERCENT: u128 = 103;

/// Tokens of one micro-batch on this rank.
fn tokens(scenario: &Scenario) -> u64 {
    u64::from(scenario.batch) * scenario.local().seq_length
}

fn layers(scenario: &Scenario, checkpointing: Checkpointing, layers: u64, sink: Sink<'_>) {
    let (shape, local) = (&scenario.architecture, scenario.local());
    let tp = u64::from(scenario.parallel.tp);
    let l = Factor::new(Symbol::Layers, layers);
    let [whole, shared] =
        [tokens(scenario), tokens(scenario).div_ceil(tp)].map(|tokens| Factor::new(Symbol::Tokens, tokens));
    let h = Factor::new(Symbol::HiddenSize, shape.hidden_size.into());
    let head_dim = Factor::new(Symbol::HeadDim, shape.head_dim.into());
    let heads = Factor::new(Symbol::Heads, local.heads);
    let kv_heads = Factor::new(Symbol::KvHeads, local.kv_heads);
    let inside = Factor::new(Symbol::IntermediateSize, width(scenario));
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    product(Item::Checkpoints, &[Factor::number(2), l, shared, h]);
    let (queries, keys, mlp) = match checkpointing {
        Checkpointing::Full => return,
        // Queries and the output of attention; values; gate. The down projection's output is as wide as the model.
        Checkpointing::PerOp => (4, 2, 2),
        // Queries and the output of attention; keys and values; gate, up and their product.
        Checkpointing::None | Checkpointing::Selective => (4, 4, 6),
    };
    product(Item::AttentionTensors, &[Factor::number(queries), l, whole, heads, head_dim]);
    product(Item::AttentionTensors, &[Factor::number(keys), l, whole, kv_heads, head_dim]);
    product(Item::SoftmaxStatistics, &[Factor::number(4), l, whole, heads]);
    product(Item::MlpTensors, &[Factor::number(mlp), l, whole, inside]);
    if checkpointing == Checkpointing::PerOp {
        product(Item::MlpTensors, &[Factor::number(2), l, shared, h]);
    } else {
        // Both norms' outputs, gathered over the tensor-parallel ranks, and the sum between attention and MLP.
        product(Item::NormOutputs, &[Factor::number(4), l, whole, h]);
        product(Item::NormInputs, &[Factor::number(2), l, shared, h]);
    }
}

/// Width of what a token passes through in an MLP on this rank: of a mixture the experts that it visits and the shared ones.
fn width(scenario: &Scenario) -> u64 {
    let dense = scenario.local().intermediate_size;
    scenario.architecture.moe.map_or(dense, |moe| {
        let visited = u64::from(moe.experts_per_token) * u64::from(moe.intermediate_size);
        (visited + u64::from(moe.shared_intermediate_size)).div_ceil(scenario.parallel.tp.into()).max(dense)
    })
}

/// 16-bit weights that other ranks' shards were gathered into, and gradients that wait to be shared out.
fn gathered(scenario: &Scenario, sink: Sink<'_>) {
    if scenario.parallel.shards_from(ZeroStage::Weights) == 1 {
        return;
    }
    let (local, held) = (scenario.local(), scenario.local_parameters());
    let tables = held.embedding + held.head;
    let layers = held.total() - tables;
    let mut product = |item, parameters: u64, bytes| {
        let factors = [Factor::new(Symbol::Parameters, parameters), Factor::new(Symbol::BytesPerValue, bytes)];
        sink(&Term { item, factors: &factors, divisor: 1 });
    };
    if scenario.parallel.pp > 1 {
        product(Item::GatheredWeights, tables + layers, 2);
        product(Item::ReducedGradients, tables + layers, 4);
    } else {
        product(Item::GatheredWeights, tables + layers.div_ceil(local.layers.max(1)), 2);
    }
}
