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

choices! {
    /// The thing in memory that a term counts.
    Item {
        /// Matrices of attention and MLP.
        LayerMatrices = "layer_matrices";
        /// Matrices of the routed experts.
        Experts = "experts";
        /// Routers of the experts, and gates of shared experts.
        Routers = "routers";
        /// Token embedding table.
        EmbeddingTable = "embedding_table";
        /// Output head, where it is not the embedding table.
        OutputHead = "output_head";
        /// Learned position embeddings.
        PositionTable = "position_table";
        /// Norm weights and all biases.
        NormsAndBiases = "norms_and_biases";
        /// K and V of layers that see the whole context.
        FullLayers = "full_layers";
        /// K and V of layers with a sliding window.
        WindowLayers = "window_layers";
        /// What the engine reserves of a cache beyond the tokens in it.
        ReservedCache = "reserved_cache";
        /// States of layers with linear attention or a state-space model.
        LinearStates = "linear_states";
        /// Compressed keys and values of latent attention.
        LatentLayers = "latent_layers";
        /// Keys by which an indexer picks the tokens that sparse attention reads.
        IndexKeys = "index_keys";
        /// Inputs that the norms of a layer keep.
        NormInputs = "norm_inputs";
        /// Norm outputs, kept as inputs of the matrix multiplications.
        NormOutputs = "norm_outputs";
        /// What the norms on queries and keys keep.
        QkNormTensors = "qk_norm_tensors";
        /// Queries, keys and values, and the output of attention.
        AttentionTensors = "attention_tensors";
        /// Softmax statistics of a fused attention kernel.
        SoftmaxStatistics = "softmax_statistics";
        /// Attention scores and probabilities, s × s.
        AttentionScores = "attention_scores";
        /// A mask tensor, s × s, that a sliding window needs, and that eager attention keeps for recomputation.
        AttentionMask = "attention_mask";
        /// What the MLP keeps.
        MlpTensors = "mlp_tensors";
        /// 16-bit copies of the weights that autocast makes and the graph keeps.
        WeightCopies = "weight_copies";
        /// What adapters keep of their inputs.
        AdapterTensors = "adapter_tensors";
        /// What the routed experts keep.
        ExpertTensors = "expert_tensors";
        /// What the router of a mixture keeps.
        RouterTensors = "router_tensors";
        /// One byte a value for each dropout mask.
        DropoutMasks = "dropout_masks";
        /// Sines and cosines of the rotary embedding, shared by all layers.
        RotaryTables = "rotary_tables";
        /// Position ids, and the dropout mask of the embedding output.
        EmbeddingTensors = "embedding_tensors";
        /// The final norm and the input of the output head.
        FinalNorm = "final_norm";
        /// The input of each layer, all that full checkpointing keeps.
        Checkpoints = "checkpoints";
        /// The one layer that is being recomputed.
        RecomputedLayer = "recomputed_layer";
        /// A quantised matrix, unpacked for a multiplication.
        DequantizedWeights = "dequantized_weights";
        /// Gradients of a layer on their way to other ranks.
        ReducedGradients = "reduced_gradients";
        /// Weights gathered from other ranks for the layer at work.
        GatheredWeights = "gathered_weights";
        /// Working tensors of one layer.
        LayerWorkspace = "layer_workspace";
        /// Logits, their log-softmax and gradients.
        LossTensors = "loss_tensors";
        /// Logits that the schedule of a pipeline holds: of one micro-batch, or of all micro-batches of a step where it keeps its outputs.
        PipelineOutputs = "pipeline_outputs";
        /// Kept logits of all micro-batches of a step, joined in one tensor when it ends.
        JoinedOutputs = "joined_outputs";
        /// Gradients of tied tables that exist for a moment beside the sum.
        TableGradients = "table_gradients";
        /// Logits of the last token of each sequence.
        LastLogits = "last_logits";
        /// One gradient for each parameter.
        Gradients = "gradients";
        /// The two thin matrices of each adapter.
        AdapterWeights = "adapter_weights";
        /// Layers that predict further tokens.
        PredictionLayers = "prediction_layers";
        /// Copies of the matrices in fp8, in which they are multiplied.
        Fp8Weights = "fp8_weights";
        /// Copy of the weights that the optimizer updates, in fp32 or what fp32 has beyond bf16.
        MasterWeights = "master_weights";
        /// Running mean of the gradient (momentum).
        FirstMoment = "first_moment";
        /// Running mean of its square.
        SecondMoment = "second_moment";
        /// A copy of all parameters that the optimizer's step makes for a moment.
        StepTemporary = "step_temporary";
        /// CUDA context and library workspaces.
        DeviceContext = "device_context";
        /// What the allocator holds beyond the tensors in it.
        Fragmentation = "fragmentation";
        /// Buffers of the communication library.
        Communication = "communication";
        /// Recorded kernels of the engine.
        CudaGraphs = "cuda_graphs";
        /// What the engine sets aside for itself.
        EngineWorkspace = "engine_workspace";
    }
}

impl Item {}

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
