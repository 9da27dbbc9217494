//! Formulas as data: a bucket is a sum of terms, a term is a product of named factors.
//!
//! The same terms give the number and the formula that explains it, so the two cannot disagree.

use core::fmt;

use crate::display::Grouped;
use crate::units::Bytes;

/// What a factor of a formula stands for, under the name that the field uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A plain number of the formula.
    Number,
    /// `batch`.
    Batch,
    /// `seq_length`.
    SeqLength,
    /// `batch × seq_length`.
    Tokens,
    /// Tokens of one prefill chunk.
    ChunkTokens,
    /// Tokens that a sliding window keeps.
    Window,
    /// `layers`.
    Layers,
    /// `heads`.
    Heads,
    /// `kv_heads`.
    KvHeads,
    /// `head_dim`.
    HeadDim,
    /// `kv_lora_rank` and `rope_dim` together: what latent attention keeps of a token.
    LatentWidth,
    /// Value heads of a layer with a state.
    ValueHeads,
    /// Width of a key head there.
    KeyDim,
    /// Width of a value head there.
    ValueDim,
    /// Channels of the short convolution in front of it.
    ConvChannels,
    /// Tokens that the convolution sees.
    ConvKernel,
    /// `hidden_size`.
    HiddenSize,
    /// `intermediate_size`.
    IntermediateSize,
    /// Routed experts.
    Experts,
    /// Routed experts that one token visits.
    ExpertsPerToken,
    /// `vocab_size`.
    VocabSize,
    /// A number of parameters.
    Parameters,
    /// Bytes of one stored value.
    BytesPerValue,
    /// Bytes of one block of a block format.
    BytesPerBlock,
}

impl Symbol {
    /// The field's word for it; empty for a plain number.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Batch => "batch",
            Self::SeqLength => "seq_length",
            Self::Tokens => "tokens",
            Self::ChunkTokens => "chunk_tokens",
            Self::Window => "window",
            Self::Layers => "layers",
            Self::Heads => "heads",
            Self::KvHeads => "kv_heads",
            Self::HeadDim => "head_dim",
            Self::LatentWidth => "latent_width",
            Self::ValueHeads => "value_heads",
            Self::KeyDim => "key_dim",
            Self::ValueDim => "value_dim",
            Self::ConvChannels => "conv_channels",
            Self::ConvKernel => "conv_kernel",
            Self::HiddenSize => "hidden_size",
            Self::IntermediateSize => "intermediate_size",
            Self::Experts => "experts",
            Self::ExpertsPerToken => "experts_per_token",
            Self::VocabSize => "vocab_size",
            Self::Parameters => "parameters",
            Self::BytesPerValue => "bytes",
            Self::BytesPerBlock => "block_bytes",
        }
    }
}

/// One factor of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// What it stands for.
    pub symbol: Symbol,
    /// Its value.
    pub value: u64,
}

impl Factor {
    /// A factor with a name.
    pub const fn new(symbol: Symbol, value: u64) -> Self {
        Self { symbol, value }
    }

    /// A plain number.
    pub const fn number(value: u64) -> Self {
        Self::new(Symbol::Number, value)
    }
}

/// The thing in memory that a term counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// Matrices of attention and MLP.
    LayerMatrices,
    /// Matrices of the routed experts.
    Experts,
    /// Routers of the experts, and gates of shared experts.
    Routers,
    /// Token embedding table.
    EmbeddingTable,
    /// Output head, where it is not the embedding table.
    OutputHead,
    /// Learned position embeddings.
    PositionTable,
    /// Norm weights and all biases.
    NormsAndBiases,
    /// K and V of layers that see the whole context.
    FullLayers,
    /// K and V of layers with a sliding window.
    WindowLayers,
    /// What the engine reserves of a cache beyond the tokens in it.
    ReservedCache,
    /// States of layers with linear attention or a state-space model.
    LinearStates,
    /// Compressed keys and values of latent attention.
    LatentLayers,
    /// Inputs that the norms of a layer keep.
    NormInputs,
    /// Norm outputs, kept as inputs of the matrix multiplications.
    NormOutputs,
    /// What the norms on queries and keys keep.
    QkNormTensors,
    /// Queries, keys and values, and the output of attention.
    AttentionTensors,
    /// Softmax statistics of a fused attention kernel.
    SoftmaxStatistics,
    /// Attention scores and probabilities, s × s.
    AttentionScores,
    /// A mask tensor, s × s, that a sliding window needs, and that eager attention keeps for recomputation.
    AttentionMask,
    /// What the MLP keeps.
    MlpTensors,
    /// 16-bit copies of the weights that autocast makes and the graph keeps.
    WeightCopies,
    /// What adapters keep of their inputs.
    AdapterTensors,
    /// What the routed experts keep.
    ExpertTensors,
    /// What the router of a mixture keeps.
    RouterTensors,
    /// One byte a value for each dropout mask.
    DropoutMasks,
    /// Sines and cosines of the rotary embedding, shared by all layers.
    RotaryTables,
    /// Position ids, and the dropout mask of the embedding output.
    EmbeddingTensors,
    /// The final norm and the input of the output head.
    FinalNorm,
    /// The input of each layer, all that full checkpointing keeps.
    Checkpoints,
    /// The one layer that is being recomputed.
    RecomputedLayer,
    /// A quantised matrix, unpacked for a multiplication.
    DequantizedWeights,
    /// Gradients of a layer on their way to other ranks.
    ReducedGradients,
    /// Weights gathered from other ranks for the layer at work.
    GatheredWeights,
    /// Working tensors of one layer.
    LayerWorkspace,
    /// Logits, their log-softmax and gradients.
    LossTensors,
    /// Logits of all micro-batches of a step, which a pipeline keeps.
    StepLogits,
    /// Gradients of tied tables that exist for a moment beside the sum.
    TableGradients,
    /// Logits of the last token of each sequence.
    LastLogits,
    /// One gradient for each parameter.
    Gradients,
    /// The two thin matrices of each adapter.
    AdapterWeights,
    /// fp32 copy of the weights that the optimizer updates.
    MasterWeights,
    /// Running mean of the gradient (momentum).
    FirstMoment,
    /// Running mean of its square.
    SecondMoment,
    /// A copy of all parameters that the optimizer's step makes for a moment.
    StepTemporary,
    /// CUDA context and library workspaces.
    DeviceContext,
    /// What the allocator holds beyond the tensors in it.
    Fragmentation,
    /// Buffers of the communication library.
    Communication,
    /// Recorded kernels of the engine.
    CudaGraphs,
    /// What the engine sets aside for itself.
    EngineWorkspace,
}

impl Item {
    /// The name in JSON and in lists of words.
    pub const fn id(self) -> &'static str {
        match self {
            Self::LayerMatrices => "layer_matrices",
            Self::Experts => "experts",
            Self::Routers => "routers",
            Self::EmbeddingTable => "embedding_table",
            Self::OutputHead => "output_head",
            Self::PositionTable => "position_table",
            Self::NormsAndBiases => "norms_and_biases",
            Self::FullLayers => "full_layers",
            Self::WindowLayers => "window_layers",
            Self::ReservedCache => "reserved_cache",
            Self::LinearStates => "linear_states",
            Self::LatentLayers => "latent_layers",
            Self::NormInputs => "norm_inputs",
            Self::NormOutputs => "norm_outputs",
            Self::QkNormTensors => "qk_norm_tensors",
            Self::AttentionTensors => "attention_tensors",
            Self::SoftmaxStatistics => "softmax_statistics",
            Self::AttentionScores => "attention_scores",
            Self::AttentionMask => "attention_mask",
            Self::MlpTensors => "mlp_tensors",
            Self::WeightCopies => "weight_copies",
            Self::AdapterTensors => "adapter_tensors",
            Self::ExpertTensors => "expert_tensors",
            Self::RouterTensors => "router_tensors",
            Self::DropoutMasks => "dropout_masks",
            Self::RotaryTables => "rotary_tables",
            Self::EmbeddingTensors => "embedding_tensors",
            Self::FinalNorm => "final_norm",
            Self::Checkpoints => "checkpoints",
            Self::RecomputedLayer => "recomputed_layer",
            Self::DequantizedWeights => "dequantized_weights",
            Self::ReducedGradients => "reduced_gradients",
            Self::GatheredWeights => "gathered_weights",
            Self::LayerWorkspace => "layer_workspace",
            Self::LossTensors => "loss_tensors",
            Self::StepLogits => "step_logits",
            Self::TableGradients => "table_gradients",
            Self::LastLogits => "last_logits",
            Self::Gradients => "gradients",
            Self::AdapterWeights => "adapter_weights",
            Self::MasterWeights => "master_weights",
            Self::FirstMoment => "first_moment",
            Self::SecondMoment => "second_moment",
            Self::StepTemporary => "step_temporary",
            Self::DeviceContext => "device_context",
            Self::Fragmentation => "fragmentation",
            Self::Communication => "communication",
            Self::CudaGraphs => "cuda_graphs",
            Self::EngineWorkspace => "engine_workspace",
        }
    }
}

/// A product of factors over a divisor, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// What it counts.
    pub item: Item,
    /// The factors, in reading order.
    pub factors: &'a [Factor],
    /// Divisor: values in a block for block formats, otherwise 1.
    pub divisor: u32,
}

impl Term<'_> {
    /// The product over the divisor, rounded up to a whole byte.
    pub fn bytes(&self) -> Bytes {
        // Products mostly fit 64 bits, where multiplication is one instruction; the wide path is the exception.
        let narrow = self.factors.iter().try_fold(1u64, |product, factor| product.checked_mul(factor.value));
        let product = narrow.map_or_else(
            || self.factors.iter().fold(1u128, |product, factor| product.saturating_mul(factor.value.into())),
            u128::from,
        );
        Bytes(if self.divisor == 1 { product } else { product.div_ceil(u128::from(self.divisor.max(1))) })
    }

    /// The formula in words: `2 × layers × kv_heads × head_dim × seq_length × batch × bytes`.
    pub fn in_words(&self) -> impl fmt::Display {
        Written { term: *self, numbers: false }
    }

    /// The formula with the numbers put in: `2 × 32 × 32 × 128 × 2,048 × 1 × 2`.
    pub fn in_numbers(&self) -> impl fmt::Display {
        Written { term: *self, numbers: true }
    }
}

/// A term as text.
struct Written<'a> {
    term: Term<'a>,
    numbers: bool,
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, factor) in self.term.factors.iter().enumerate() {
            if place > 0 {
                f.write_str(" × ")?;
            }
            let name = factor.symbol.name();
            if self.numbers || name.is_empty() {
                write!(f, "{}", Grouped(factor.value.into()))?;
            } else {
                f.write_str(name)?;
            }
        }
        match (self.term.divisor, self.numbers) {
            (1, _) => Ok(()),
            (divisor, true) => write!(f, " / {}", Grouped(divisor.into())),
            (_, false) => f.write_str(" / block_values"),
        }
    }
}

/// The sum of the terms that `bucket` hands out.
pub fn total(bucket: impl FnOnce(&mut dyn FnMut(&Term<'_>))) -> Bytes {
    let mut sum = Bytes::ZERO;
    bucket(&mut |term| sum += term.bytes());
    sum
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_term_says_what_it_computes() {
        let factors = [Factor::number(2), Factor::new(Symbol::Layers, 32), Factor::new(Symbol::SeqLength, 2_048)];
        let term = Term { item: Item::FullLayers, factors: &factors, divisor: 1 };
        assert_eq!(term.bytes(), Bytes(131_072));
        assert_eq!(term.in_words().to_string(), "2 × layers × seq_length");
        assert_eq!(term.in_numbers().to_string(), "2 × 32 × 2,048");
    }

    #[test]
    fn blocks_round_up_to_whole_bytes() {
        let factors = [Factor::new(Symbol::Parameters, 65), Factor::new(Symbol::BytesPerBlock, 36)];
        let term = Term { item: Item::LayerMatrices, factors: &factors, divisor: 64 };
        assert_eq!(term.bytes(), Bytes(37));
        assert_eq!(term.in_words().to_string(), "parameters × block_bytes / block_values");
    }

    #[test]
    fn a_product_past_64_bits_is_exact() {
        let factors = [Factor::number(u64::MAX), Factor::number(16)];
        let term = Term { item: Item::FullLayers, factors: &factors, divisor: 1 };
        assert_eq!(term.bytes(), Bytes(u128::from(u64::MAX) * 16));
    }
}
