//! The working space of inference: the widest moment inside one layer.

use super::Sink;
use crate::architecture::Mlp;
use crate::checked::Checked;
use crate::scenario::Attention;
use crate::worked::{Factor, Item, Symbol, Term};

/// Tokens that an engine feeds through a layer at once while it reads a prompt (vLLM's default on large GPUs).
pub const PREFILL_CHUNK: u64 = 8_192;

/// The widest moment inside one layer while one chunk of the prompt passes through; with eager attention an upper bound,
/// since its scores and the MLP's tensors are not alive at the same time.
///
/// # Formula
/// chunk × bytes × ((2 + 2·streams)·`hidden_size` + w·`intermediate_size`), with w = 3 for a gated MLP and one stream but for hyper-connections; with eager attention
/// the scores, 8 (fp32: 12) bytes × chunk × `heads` × `seq_length`.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Chunks of at most [`PREFILL_CHUNK`] tokens.
///
/// # Source
/// The order of operations in the modelling code of `transformers`; an estimate.
pub fn terms(scenario: &Checked, sink: Sink<'_>) {
    let (shape, local) = (&scenario.architecture, scenario.local());
    let e = scenario.activation_bytes();
    let chunk = Factor::new(Symbol::ChunkTokens, scenario.tokens().min(PREFILL_CHUNK));
    let mut product = |factors: &[Factor]| sink(&Term { item: Item::LayerWorkspace, factors, divisor: 1 });
    // Residual stream before and after, input and output of the norm.
    let streams = (2 + 2 * shape.streams()) * e;
    product(&[Factor::number(streams), chunk, Factor::new(Symbol::HiddenSize, shape.hidden_size.into())]);
    let wide = match shape.mlp {
        Mlp::Gated => 3, // act(gate), up, product
        Mlp::Relu | Mlp::Gelu => 2,
        Mlp::GeluNew => 4,
        Mlp::Xielu => 6, // both branches with what they are made of, and which is taken
    };
    product(&[Factor::number(wide * e), chunk, Factor::new(Symbol::IntermediateSize, local.intermediate_size)]);
    if scenario.attention == Attention::Eager {
        // Scores in 16 bits, softmax in fp32, its 16-bit copy.
        sink(&Term {
            item: Item::AttentionScores,
            factors: &[
                Factor::number(if e == 2 { 8 } else { 12 }),
                chunk,
                Factor::new(Symbol::Heads, local.heads),
                Factor::new(Symbol::SeqLength, scenario.seq_length.into()),
            ],
            divisor: 1,
        });
    }
}
