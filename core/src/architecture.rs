//! The shape of a decoder-only transformer, and its exact number of parameters.

use core::fmt;

use crate::bounds::{self, OutOfBounds};

/// The two-layer perceptron of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mlp {
    /// Gate, up and down: three matrices (Llama, Mistral, Qwen).
    Gated,
    /// Up and down with a GELU that runs as one kernel: two matrices.
    Gelu,
    /// Up and down with a ReLU, whose output is all it keeps (OPT).
    Relu,
    /// Up and down with GPT-2's `gelu_new`, composed of several kernels, each of which keeps a tensor.
    GeluNew,
}

impl Mlp {
    /// Matrices of `hidden_size × intermediate_size`.
    pub const fn matrices(self) -> u64 {
        match self {
            Self::Gated => 3,
            Self::Relu | Self::Gelu | Self::GeluNew => 2,
        }
    }
}

/// The normalisation layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Norm {
    /// One weight a channel.
    RmsNorm,
    /// One weight and one bias a channel.
    LayerNorm,
}

impl Norm {
    /// Vectors of the normalised width.
    pub const fn vectors(self) -> u64 {
        match self {
            Self::RmsNorm => 1,
            Self::LayerNorm => 2,
        }
    }
}

/// How a token's place enters the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Positions {
    /// Rotation of queries and keys: no parameters.
    Rotary,
    /// A bias on attention scores that grows with distance: no parameters.
    Alibi,
    /// A learned table with this many rows.
    Learned(u32),
}

/// Layers that see only the last `window` tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SlidingWindow {
    /// Tokens that such a layer sees.
    pub window: u32,
    /// How many layers do so; the others see everything.
    pub layers: u32,
    /// KV heads of such a layer, where they differ from those of the other layers.
    pub kv_heads: Option<u32>,
    /// Head width of such a layer, where it differs.
    pub head_dim: Option<u32>,
}

impl SlidingWindow {
    /// A window over `layers` layers whose heads are like all others.
    pub const fn over(layers: u32, window: u32) -> Self {
        Self { window, layers, kv_heads: None, head_dim: None }
    }
}

/// How keys and values are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Projection {
    /// A key and a value for each KV head.
    Heads,
    /// Multi-head latent attention: all heads are made from one short vector a token, and only that is cached.
    Latent(Latent),
}

/// The dimensions of multi-head latent attention (DeepSeek). `head_dim` is `nope_dim + rope_dim`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Latent {
    /// Width of the compressed keys and values, cached once for both.
    pub kv_lora_rank: u32,
    /// Width of the compressed queries; `None` where they are not compressed.
    pub q_lora_rank: Option<u32>,
    /// Width of the part of a key that carries the position, shared by all heads and cached.
    pub rope_dim: u32,
    /// Width of the part of a head without position.
    pub nope_dim: u32,
    /// Width of a value head.
    pub v_dim: u32,
}

impl Moe {
    /// Routed experts only, in every layer.
    pub const fn of(experts: u32, experts_per_token: u32, intermediate_size: u32) -> Self {
        Self {
            experts,
            experts_per_token,
            intermediate_size,
            shared_intermediate_size: 0,
            shared_gate: false,
            dense_layers: 0,
            router_bias: false,
            expert_biases: false,
        }
    }
}

/// What stands in a layer that keeps a state of constant size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinearKind {
    /// A gated delta network (Qwen3-Next).
    GatedDelta,
    /// A Mamba-2 layer: `key_heads` are its groups, `key_dim` its state size, `value_heads × value_dim` its inner width.
    Mamba2,
}

/// Layers with linear attention or a state-space model: a state of constant size in place of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinearAttention {
    /// What stands in such a layer.
    pub kind: LinearKind,
    /// How many layers are of this kind.
    pub layers: u32,
    /// Key heads.
    pub key_heads: u32,
    /// Value heads.
    pub value_heads: u32,
    /// Width of a key head.
    pub key_dim: u32,
    /// Width of a value head.
    pub value_dim: u32,
    /// Tokens that the short convolution in front sees.
    pub conv_kernel: u32,
}

/// A mixture of experts in place of the MLP of some layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moe {
    /// Routed experts in a layer.
    pub experts: u32,
    /// Routed experts that one token visits.
    pub experts_per_token: u32,
    /// Width inside one routed expert.
    pub intermediate_size: u32,
    /// Width of all shared experts together, which every token visits; 0 where there are none.
    pub shared_intermediate_size: u32,
    /// Whether a gate of its own weighs the shared experts (Qwen2-MoE).
    pub shared_gate: bool,
    /// Layers that keep a dense MLP of `Architecture::intermediate_size`.
    pub dense_layers: u32,
    /// Whether the router has a bias (gpt-oss).
    pub router_bias: bool,
    /// Whether the experts have biases (gpt-oss).
    pub expert_biases: bool,
}

/// Which linear layers carry a bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Biases {
    /// Query, key and value projections.
    pub qkv: bool,
    /// The output projection of attention.
    pub attention_output: bool,
    /// The MLP.
    pub mlp: bool,
}

/// How many layers there are of each kind of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerKinds {
    /// Layers that attend over the whole context.
    pub full: u32,
    /// Layers with a sliding window.
    pub sliding: u32,
    /// Layers with a state in place of a cache.
    pub linear: u32,
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
    /// The MLP.
    pub mlp: Mlp,
    /// The norm.
    pub norm: Norm,
    /// Norms of the residual width in a block: 2, or 4 where the outputs are normalised too (Gemma 2 and 3), or 1 before a parallel block (Falcon 7B).
    pub norms_per_layer: u32,
    /// Whether each head of queries and keys is normalised (Qwen3, Gemma 3).
    pub qk_norm: bool,
    /// Whether a norm follows the token embedding (BLOOM).
    pub embedding_norm: bool,
    /// Whether the output of attention is weighed by a gate as wide as the queries (Qwen3-Next).
    pub gated_attention: bool,
    /// Whether attention and MLP read the same input side by side (Falcon).
    pub parallel_residual: bool,
    /// Whether attention scores and logits are soft-capped, which keeps a further copy of each (Gemma 2).
    pub soft_capped: bool,
    /// Whether each query head has a learned attention sink (gpt-oss).
    pub attention_sinks: bool,
    /// Whether training drops values of attention, of both residual branches and of the embeddings (GPT-2).
    pub dropout: bool,
    /// Positions.
    pub positions: Positions,
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
    /// A mixture of experts, if it is one.
    pub moe: Option<Moe>,
    /// Tokens that the model was built for, where its publisher says so; longer contexts are computed and remarked on.
    pub trained_context: Option<u32>,
    /// A round number of parameters that stands for the count: only for the textbook's "7B".
    pub rounded_parameters: Option<u64>,
}

/// A shape that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// A dimension is outside its range.
    OutOfBounds(OutOfBounds),
    /// Query heads cannot be shared out evenly.
    KvHeadsDoNotDivide {
        /// Query heads.
        heads: u32,
        /// Key and value heads.
        kv_heads: u32,
    },
    /// More layers of a kind than layers.
    TooManyLayers {
        /// The kind, in words.
        what: &'static str,
        /// How many of them.
        count: u32,
        /// All layers.
        layers: u32,
    },
    /// A token cannot visit more experts than there are.
    TooManyExperts {
        /// Experts that a token visits.
        per_token: u32,
        /// Experts.
        experts: u32,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds(error) => error.fmt(f),
            Self::KvHeadsDoNotDivide { heads, kv_heads } => {
                write!(
                    f,
                    "kv_heads {kv_heads} does not divide heads {heads}: every KV head serves the same number of query heads"
                )
            }
            Self::TooManyLayers { what, count, layers } => {
                write!(f, "{count} {what} are more than the {layers} layers of the model")
            }
            Self::TooManyExperts { per_token, experts } => {
                write!(f, "a token cannot visit {per_token} of {experts} experts")
            }
        }
    }
}

impl core::error::Error for ShapeError {}

impl From<OutOfBounds> for ShapeError {
    fn from(error: OutOfBounds) -> Self {
        Self::OutOfBounds(error)
    }
}

impl Architecture {
    /// Checks every dimension against [`crate::bounds`] and the heads against each other.
    ///
    /// # Errors
    /// A dimension is outside its range, or dimensions do not go together.
    pub fn check(&self) -> Result<(), ShapeError> {
        for (bounds, value) in [
            (bounds::LAYERS, self.layers),
            (bounds::HIDDEN_SIZE, self.hidden_size),
            (bounds::HEADS, self.heads),
            (bounds::KV_HEADS, self.kv_heads),
            (bounds::HEAD_DIM, self.head_dim),
            (bounds::INTERMEDIATE_SIZE, self.intermediate_size),
            (bounds::VOCAB_SIZE, self.vocab_size),
        ] {
            bounds.check(value.into())?;
        }
        if let Positions::Learned(rows) = self.positions {
            bounds::POSITIONS.check(rows.into())?;
        }
        if let Some(sliding) = self.sliding_window {
            bounds::SLIDING_WINDOW.check(sliding.window.into())?;
            if sliding.layers > self.layers {
                let what = "layers with a sliding window";
                return Err(ShapeError::TooManyLayers { what, count: sliding.layers, layers: self.layers });
            }
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            return Err(ShapeError::KvHeadsDoNotDivide { heads: self.heads, kv_heads: self.kv_heads });
        }
        if let Some(SlidingWindow { kv_heads, head_dim, .. }) = self.sliding_window {
            bounds::KV_HEADS.check(kv_heads.unwrap_or(self.kv_heads).into())?;
            bounds::HEAD_DIM.check(head_dim.unwrap_or(self.head_dim).into())?;
        }
        self.check_latent()?;
        self.check_moe()?;
        self.check_layer_kinds()
    }

    fn check_latent(&self) -> Result<(), ShapeError> {
        let Projection::Latent(latent) = self.projection else { return Ok(()) };
        let queries = latent.q_lora_rank.unwrap_or(1);
        for width in [latent.kv_lora_rank, queries, latent.rope_dim, latent.nope_dim, latent.v_dim] {
            bounds::LATENT.check(width.into())?;
        }
        Ok(())
    }

    fn check_moe(&self) -> Result<(), ShapeError> {
        let Some(moe) = self.moe else { return Ok(()) };
        bounds::EXPERTS.check(moe.experts.into())?;
        bounds::EXPERTS_PER_TOKEN.check(moe.experts_per_token.into())?;
        bounds::INTERMEDIATE_SIZE.check(moe.intermediate_size.into())?;
        if moe.shared_intermediate_size > 0 {
            bounds::INTERMEDIATE_SIZE.check(moe.shared_intermediate_size.into())?;
        }
        if moe.experts_per_token > moe.experts {
            return Err(ShapeError::TooManyExperts { per_token: moe.experts_per_token, experts: moe.experts });
        }
        if moe.dense_layers > self.layers {
            return Err(ShapeError::TooManyLayers {
                what: "dense layers",
                count: moe.dense_layers,
                layers: self.layers,
            });
        }
        Ok(())
    }

    fn check_layer_kinds(&self) -> Result<(), ShapeError> {
        let sliding = self.sliding_window.map_or(0, |sliding| sliding.layers);
        let mut linear = 0;
        if let Some(it) = self.linear_attention {
            linear = it.layers;
            bounds::KV_HEADS.check(it.key_heads.into())?;
            bounds::HEADS.check(it.value_heads.into())?;
            bounds::HEAD_DIM.check(it.key_dim.into())?;
            bounds::HEAD_DIM.check(it.value_dim.into())?;
            bounds::CONV_KERNEL.check(it.conv_kernel.into())?;
        }
        let count = sliding.saturating_add(linear).saturating_add(self.shared_cache_layers);
        if count > self.layers {
            let what = "layers with a window, with a state or without a cache of their own";
            return Err(ShapeError::TooManyLayers { what, count, layers: self.layers });
        }
        Ok(())
    }

    /// `heads × head_dim`: the width of all queries.
    pub fn query_width(&self) -> u64 {
        u64::from(self.heads) * u64::from(self.head_dim)
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
            mlp: Mlp::Gated,
            norm: Norm::RmsNorm,
            norms_per_layer: 2,
            qk_norm: false,
            embedding_norm: false,
            gated_attention: false,
            parallel_residual: false,
            soft_capped: false,
            attention_sinks: false,
            dropout: false,
            positions: Positions::Rotary,
            biases: Biases { qkv: false, attention_output: false, mlp: false },
            tied_embeddings: false,
            sliding_window: None,
            shared_cache_layers: 0,
            linear_attention: None,
            moe: None,
            trained_context: None,
            rounded_parameters: None,
        }
    }

    /// `kv_heads × head_dim`: the width of all keys, and of all values.
    pub fn kv_width(&self) -> u64 {
        u64::from(self.kv_heads) * u64::from(self.head_dim)
    }

    /// Layers that attend over the whole context, with a cache of their own or without.
    pub fn full_layers(&self) -> u32 {
        let others = self.sliding_window.map_or(0, |sliding| sliding.layers)
            + self.linear_attention.map_or(0, |linear| linear.layers);
        self.layers.saturating_sub(others)
    }

    /// The kinds of the layers from `start` up to `end`, with each kind spread evenly over the model.
    pub fn kinds_between(&self, start: u32, end: u32) -> LayerKinds {
        let sliding = self.sliding_window.map_or(0, |it| it.layers);
        let linear = self.linear_attention.map_or(0, |it| it.layers);
        let others = self.layers.saturating_sub(sliding);
        // A share of the layers before `layer`, the same whatever stages they are cut into.
        let part = |count: u32, layer: u32, of: u32| {
            let part = u64::from(count) * u64::from(layer) / u64::from(of.max(1));
            u32::try_from(part).unwrap_or(u32::MAX)
        };
        let until = |layer: u32| {
            let sliding = part(sliding, layer, self.layers);
            [sliding, part(linear, layer - sliding, others)]
        };
        let ([first_sliding, first_linear], [last_sliding, last_linear]) = (until(start), until(end));
        let (sliding, linear) = (last_sliding - first_sliding, last_linear - first_linear);
        LayerKinds { full: end - start - sliding - linear, sliding, linear }
    }

    /// Layers that hold a mixture of experts.
    pub fn moe_layers(&self) -> u32 {
        self.moe.map_or(0, |moe| self.layers.saturating_sub(moe.dense_layers))
    }
}
