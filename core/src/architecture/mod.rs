//! The shape of a decoder-only transformer, and its exact number of parameters.

mod check;
mod compression;
mod dimension;
mod indexer;
mod parts;
mod tower;

pub use check::ShapeError;
pub use compression::Compression;
pub use dimension::Dimension;
pub use indexer::Indexer;
pub(crate) use parts::touched;
pub use parts::{
    Biases, Latent, LinearAttention, LinearKind, Mlp, Moe, Norm, NormWeight, Positions, Projection, SlidingWindow,
};
pub use tower::Tower;

/// How many layers there are of each kind of attention, and with each kind of MLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerKinds {
    /// Layers that attend over the whole context.
    pub full: u32,
    /// Layers with a sliding window.
    pub sliding: u32,
    /// Layers with a state in place of a cache.
    pub linear: u32,
    /// Layers with a dense MLP.
    pub dense: u32,
    /// Layers with a mixture of experts.
    pub moe: u32,
}

/// The shape of a decoder-only transformer.
#[expect(clippy::struct_excessive_bools, reason = "a shape is a list of what a model has and has not")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// Transformer blocks.
    pub layers: u32,
    /// Width of the residual stream.
    pub hidden_size: u32,
    /// Query heads.
    pub heads: u32,
    /// Key and value heads: equal to `heads` is multi-head, fewer is grouped-query, 1 is multi-query attention.
    pub kv_heads: u32,
    /// Width of one head; `heads × head_dim` need not be `hidden_size`.
    pub head_dim: u32,
    /// Width inside the MLP.
    pub intermediate_size: u32,
    /// Entries of the vocabulary.
    pub vocab_size: u32,
    /// How keys and values are made.
    pub projection: Projection,
    /// What picks the tokens that layers attend to, where they do not attend to all.
    pub indexer: Option<Indexer>,
    /// What shortens the past beside its window, and the streams of the residual (DeepSeek V4).
    pub compression: Option<Compression>,
    /// The MLP.
    pub mlp: Mlp,
    /// The norm.
    pub norm: Norm,
    /// Where an RMSNorm multiplies with its weight.
    pub norm_weight: NormWeight,
    /// Norms of the residual width in a block: 2, or 4 where the outputs are normalised too (Gemma 2 to 4, with four more beside experts), or 1 before a parallel block (Falcon 7B).
    pub norms_per_layer: u32,
    /// Whether each head of queries and keys is normalised (Qwen3, Gemma 3).
    pub qk_norm: bool,
    /// Whether that norm runs over all heads at once, with a weight for each channel of each head (`OLMo` 2 and 3, `MiniMax` M2).
    pub wide_qk_norm: bool,
    /// Whether a norm follows the token embedding (BLOOM).
    pub embedding_norm: bool,
    /// Whether the output of attention is weighed by a gate as wide as the queries (Qwen3-Next).
    pub gated_attention: bool,
    /// Whether layers that see the whole context make their values with the matrix of the keys; both are cached all the same (Gemma 4).
    pub keys_as_values: bool,
    /// Whether attention and MLP read the same input side by side (Falcon).
    pub parallel_residual: bool,
    /// Whether attention scores and logits are soft-capped, which keeps a further copy of each (Gemma 2).
    pub soft_capped: bool,
    /// Whether it overflows in fp16 and needs bf16 or fp32 (Gemma 2 and 3, GLM-4).
    pub unstable_in_fp16: bool,
    /// Whether the model's file asks for attention in two kinds of chunks behind its first 262,144 tokens (`Qwen2.5-1M`), which costs no memory by itself.
    pub dual_chunks: bool,
    /// Whether each query head has a learned attention sink (gpt-oss).
    pub attention_sinks: bool,
    /// Whether queries, keys and values are one matrix in the model's files (Phi-3, GPT-2, Falcon).
    pub fused_qkv: bool,
    /// Whether the code joins rotated and other channels of queries and keys, which lays them out head by head (Phi-3, GLM-4, GPT-NeoX).
    pub joined_rotation: bool,
    /// Whether training drops values of attention, of both residual branches and of the embeddings (GPT-2).
    pub dropout: bool,
    /// Positions.
    pub positions: Positions,
    /// Positions that a table of rotations holds for each one of `trained_context`, at the width of a head: 8 where positions are scaled by so much (Gemma 3), 4 where they have three axes (Qwen2.5-VL, Qwen3-VL), else 1.
    pub rotary_stretch: u8,
    /// Whether layers with a window rotate by a table of their own (Gemma 3 and 4, `OLMo` 3).
    pub rotary_in_windows: bool,
    /// Which linear layers have a bias.
    pub biases: Biases,
    /// Whether the output head is the embedding table.
    pub tied_embeddings: bool,
    /// Layers with a sliding window, if any.
    pub sliding_window: Option<SlidingWindow>,
    /// Layers that attend over another layer's keys and values and keep none of their own.
    pub shared_cache_layers: u32,
    /// Layers without a cache, if any.
    pub linear_attention: Option<LinearAttention>,
    /// Whether these layers attend too, side by side with the state, so that they have a cache as well (Falcon-H1).
    pub states_beside_attention: bool,
    /// Layers that are an MLP or a mixture alone, where all others are attention or a state alone (Nemotron-H); 0 where every layer has both.
    pub mlp_layers: u32,
    /// A mixture of experts, if it is one.
    pub moe: Option<Moe>,
    /// Tokens that the model was built for, where its publisher says so; longer contexts are computed and remarked on.
    pub trained_context: Option<u32>,
    /// What turns images into tokens; `None` where nothing does, or its size is not known.
    pub tower: Option<Tower>,
    /// Layers behind the last that predict further tokens (multi-token prediction), in no count of parameters: a server may guess ahead with them.
    pub prediction_layers: u32,
    /// A round number of parameters that stands for the count: only for the textbook's "7B".
    pub rounded_parameters: Option<u64>,
}

impl Architecture {
    /// Without what tells only tables of rotations apart, which model files do not all say.
    pub(crate) const fn but_rotary(self) -> Self {
        Self { rotary_stretch: 1, rotary_in_windows: false, ..self }
    }

    /// Tokens of the longest sequence that the model can read at all: as many as its learned table has positions for. `None` where nothing ends it.
    ///
    /// ```
    /// use memory_wall_core::tables::models;
    /// let end = |id| models::by_id(id).unwrap().architecture.end_of_table();
    /// assert_eq!([end("gpt2-small"), end("opt-175b"), end("llama-2-7b")], [Some(1_024), Some(2_048), None]);
    /// ```
    pub fn end_of_table(&self) -> Option<u32> {
        match self.positions {
            // OPT's table has two rows in front that no token takes.
            Positions::Learned(rows) => Some(self.trained_context.map_or(rows, |trained| trained.min(rows))),
            Positions::Rotary | Positions::Alibi => None,
        }
    }

    /// Whether the model reads so many tokens at all.
    pub fn reads(&self, tokens: u32) -> bool {
        self.end_of_table().is_none_or(|end| tokens <= end)
    }

    /// `heads × head_dim`: the width of all queries.
    pub fn query_width(&self) -> u64 {
        u64::from(self.heads) * u64::from(self.head_dim)
    }

    /// KV heads and head width of layers with this window, or of those that see the whole context.
    pub fn cached_heads(&self, window: Option<SlidingWindow>) -> [u32; 2] {
        window.map_or([self.kv_heads, self.head_dim], |it| {
            [it.kv_heads.unwrap_or(self.kv_heads), it.head_dim.unwrap_or(self.head_dim)]
        })
    }

    /// A dense shape of the Llama kind, from which the others are written as what differs.
    pub const fn llama(
        [layers, hidden_size, heads, kv_heads, head_dim, intermediate_size, vocab_size]: [u32; 7],
    ) -> Self {
        Self {
            layers,
            hidden_size,
            heads,
            kv_heads,
            head_dim,
            intermediate_size,
            vocab_size,
            projection: Projection::Heads,
            indexer: None,
            compression: None,
            mlp: Mlp::Gated,
            norm: Norm::RmsNorm,
            norm_weight: NormWeight::Rounded,
            norms_per_layer: 2,
            qk_norm: false,
            wide_qk_norm: false,
            embedding_norm: false,
            gated_attention: false,
            keys_as_values: false,
            parallel_residual: false,
            soft_capped: false,
            unstable_in_fp16: false,
            dual_chunks: false,
            attention_sinks: false,
            fused_qkv: false,
            joined_rotation: false,
            dropout: false,
            positions: Positions::Rotary,
            rotary_stretch: 1,
            rotary_in_windows: false,
            biases: Biases { qkv: false, attention_output: false, mlp: false },
            tied_embeddings: false,
            sliding_window: None,
            shared_cache_layers: 0,
            linear_attention: None,
            states_beside_attention: false,
            mlp_layers: 0,
            moe: None,
            trained_context: None,
            tower: None,
            prediction_layers: 0,
            rounded_parameters: None,
        }
    }

    /// `kv_heads × head_dim`: the width of all keys, and of all values.
    pub fn kv_width(&self) -> u64 {
        u64::from(self.kv_heads) * u64::from(self.head_dim)
    }

    /// Layers with a state that do not attend.
    const fn states_alone(&self) -> u32 {
        match self.linear_attention {
            Some(it) if !self.states_beside_attention => it.layers,
            _ => 0,
        }
    }

    /// Layers that attend over the whole context, with a cache of their own or without.
    pub fn full_layers(&self) -> u32 {
        let others = self.sliding_window.map_or(0, |sliding| sliding.layers) + self.states_alone() + self.mlp_layers;
        self.layers.saturating_sub(others)
    }

    /// The kinds of the layers from `start` up to `end`, with each kind spread evenly over the model, but for dense layers that stand before the experts.
    pub fn kinds_between(&self, start: u32, end: u32) -> LayerKinds {
        let sliding = self.sliding_window.map_or(0, |it| it.layers);
        let beside = self.states_beside_attention && self.linear_attention.is_some();
        let linear = self.linear_attention.map_or(0, |it| it.layers);
        let others = self.layers.saturating_sub(sliding);
        let (mlps, mixtures) = (self.mlps(), self.moe_layers());
        let alternating = self.moe.is_some_and(|moe| moe.alternating);
        // A share of the layers before `layer`, the same whatever stages they are cut into.
        let part = |count: u32, layer: u32, of: u32| {
            let part = u64::from(count) * u64::from(layer) / u64::from(of.max(1));
            u32::try_from(part).unwrap_or(u32::MAX)
        };
        let until = |layer: u32| {
            let sliding = part(sliding, layer, self.layers);
            let alone = part(self.mlp_layers, layer - sliding, others);
            let linear = part(linear, layer - sliding - alone, others.saturating_sub(self.mlp_layers));
            let mlp = if self.mlp_layers > 0 { alone } else { layer };
            let moe = if alternating { part(mixtures, mlp, mlps) } else { mlp.saturating_sub(mlps - mixtures) };
            let full = layer - sliding - alone;
            [if beside { full } else { full - linear }, sliding, linear, mlp - moe, moe]
        };
        let (before, [full, sliding, linear, dense, moe]) = (until(start), until(end));
        LayerKinds {
            full: full - before[0],
            sliding: sliding - before[1],
            linear: linear - before[2],
            dense: dense - before[3],
            moe: moe - before[4],
        }
    }

    /// Layers with an indexer of their own from `start` up to `end`, spread evenly.
    pub fn indexers_between(&self, start: u32, end: u32) -> u32 {
        self.spread(self.indexer.map_or(0, |it| it.layers), start, end)
    }

    /// Layers that shorten the past heavily, in the same way.
    pub fn heavy_between(&self, start: u32, end: u32) -> u32 {
        self.spread(self.compression.map_or(0, |it| it.heavy), start, end)
    }

    fn spread(&self, count: u16, start: u32, end: u32) -> u32 {
        let until = |layer: u32| {
            let layers = u64::from(count) * u64::from(layer);
            u32::try_from(layers.div_ceil(self.layers.max(1).into())).unwrap_or(u32::MAX)
        };
        until(end) - until(start)
    }

    /// `hidden_size` times the streams of the residual: what stands between two blocks of a token.
    pub fn stream_width(&self) -> u64 {
        u64::from(self.hidden_size) * self.streams()
    }

    /// Streams of the residual.
    pub fn streams(&self) -> u64 {
        self.compression.map_or(1, |it| it.streams.get().into())
    }

    /// Whether an indexer picks blocks of keys that whole heads keep, and not tokens.
    pub fn picks_blocks(&self) -> bool {
        self.indexer.is_some() && self.projection == Projection::Heads
    }

    /// The part that of all runtimes vLLM alone is modelled with, if there is one.
    pub fn unserved(&self) -> Option<&'static str> {
        if self.compression.is_some() {
            Some("attention over compressed tokens (CSA and HCA)")
        } else {
            self.picks_blocks().then_some("sparse attention that reads blocks of keys (MSA)")
        }
    }

    /// The part whose training is not modelled, if there is one.
    pub fn untrained(&self) -> Option<&'static str> {
        if let Some(part) = self.unserved() {
            Some(part)
        } else if self.norm == Norm::Unbiased {
            Some("a LayerNorm without a bias")
        } else if self.linear_attention.is_some_and(|it| it.kind == LinearKind::Kda) {
            Some("Kimi delta attention (KDA)")
        } else {
            (self.mlp == Mlp::Xielu).then_some("xIELU")
        }
    }

    /// Whether the gate of the MLP is a GELU, as Gemma's, and no `SiLU`. A shape does not say which: of models with its norms only Gemma has no [`Self::joined_rotation`].
    pub fn gates_by_gelu(&self) -> bool {
        self.norm_weight == NormWeight::WithFp32Copy && !self.joined_rotation
    }

    /// Layers that hold an MLP or a mixture of experts.
    pub const fn mlps(&self) -> u32 {
        if self.mlp_layers > 0 { self.mlp_layers } else { self.layers }
    }

    /// Layers that hold a mixture of experts.
    pub fn moe_layers(&self) -> u32 {
        self.moe.map_or(0, |moe| self.mlps().saturating_sub(moe.dense_layers))
    }

    /// Whether any layer holds a dense MLP.
    pub fn has_dense_mlp(&self) -> bool {
        self.moe_layers() < self.mlps()
    }
}
