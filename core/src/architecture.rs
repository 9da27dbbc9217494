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
    /// Up and down with GPT-2's `gelu_new`, composed of several kernels, each of which keeps a tensor.
    GeluNew,
}

impl Mlp {
    /// Matrices of `hidden_size × intermediate_size`.
    pub const fn matrices(self) -> u64 {
        match self {
            Self::Gated => 3,
            Self::Gelu | Self::GeluNew => 2,
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
    const fn vectors(self) -> u64 {
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

/// The shape of a dense decoder-only transformer.
///
/// Not modelled yet, and refused where it is met: mixture of experts, multi-head latent attention, state-space layers,
/// norms on queries and keys.
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
    /// The MLP.
    pub mlp: Mlp,
    /// The norm.
    pub norm: Norm,
    /// Positions.
    pub positions: Positions,
    /// Which linear layers have a bias.
    pub biases: Biases,
    /// Whether the output head is the embedding table.
    pub tied_embeddings: bool,
    /// Layers with a sliding window, if any.
    pub sliding_window: Option<SlidingWindow>,
    /// Tokens that the model was built for, where its publisher says so; longer contexts are computed and remarked on.
    pub trained_context: Option<u32>,
    /// A round number of parameters that stands for the count: only for the textbook's "7B".
    pub rounded_parameters: Option<u64>,
}

/// Numbers of parameters by kind of tensor; [`Parameters::total`] is the published count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Token embedding table.
    pub embedding: u64,
    /// Learned positions.
    pub positions: u64,
    /// Matrices of attention and MLP, the part that quantisers shrink.
    pub matrices: u64,
    /// Norm weights and biases.
    pub vectors: u64,
    /// Output head, 0 where it is the embedding table.
    pub head: u64,
}

impl Parameters {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.embedding + self.positions + self.matrices + self.vectors + self.head
    }
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
    /// More sliding layers than layers.
    TooManySlidingLayers {
        /// Sliding layers.
        sliding: u32,
        /// All layers.
        layers: u32,
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
            Self::TooManySlidingLayers { sliding, layers } => {
                write!(f, "{sliding} layers with a sliding window are more than the {layers} layers of the model")
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
                return Err(ShapeError::TooManySlidingLayers { sliding: sliding.layers, layers: self.layers });
            }
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            return Err(ShapeError::KvHeadsDoNotDivide { heads: self.heads, kv_heads: self.kv_heads });
        }
        Ok(())
    }

    /// `heads × head_dim`: the width of all queries.
    pub fn query_width(&self) -> u64 {
        u64::from(self.heads) * u64::from(self.head_dim)
    }

    /// `kv_heads × head_dim`: the width of all keys, and of all values.
    pub fn kv_width(&self) -> u64 {
        u64::from(self.kv_heads) * u64::from(self.head_dim)
    }

    /// Layers that see the whole context.
    pub fn full_layers(&self) -> u32 {
        self.layers.saturating_sub(self.sliding_window.map_or(0, |sliding| sliding.layers))
    }

    /// The exact number of parameters, tensor by tensor.
    ///
    /// # Formula
    /// With h = `hidden_size`, q = `heads × head_dim`, k = `kv_heads × head_dim`, f = `intermediate_size`, V = `vocab_size`, L = `layers`:
    /// embedding V·h; head V·h unless tied; matrices L·(h·(q + 2k) + q·h + m·h·f) with m = 3 for a gated MLP and 2 otherwise;
    /// norms (2L + 1)·h, twice that for `LayerNorm`; biases L·(q + 2k), L·h and L·(f + h) where there are any; learned positions rows·h.
    ///
    /// # Units
    /// Parameters, not bytes.
    ///
    /// # Assumes
    /// A dense decoder with two norms in a block and one at the end.
    ///
    /// # Source
    /// Module definitions of the models in the `transformers` library; equal to the counts of the published checkpoints (see the tests).
    ///
    /// # Example
    /// ```
    /// let llama = memory_wall_core::tables::models::by_id("llama-3.1-8b").unwrap();
    /// assert_eq!(llama.architecture.parameters().total(), 8_030_261_248);
    /// ```
    pub fn parameters(&self) -> Parameters {
        let [h, q, k] = [u64::from(self.hidden_size), self.query_width(), self.kv_width()];
        let [f, vocab, layers] = [self.intermediate_size, self.vocab_size, self.layers].map(u64::from);
        let attention = h * (q + 2 * k) + q * h;
        let mlp = self.mlp.matrices() * h * f;
        let mut layer_vectors = 2 * self.norm.vectors() * h;
        if self.biases.qkv {
            layer_vectors += q + 2 * k;
        }
        if self.biases.attention_output {
            layer_vectors += h;
        }
        if self.biases.mlp {
            // A gated MLP has two biases inside, one for gate and one for up.
            layer_vectors += (self.mlp.matrices() - 1) * f + h;
        }
        let mut parameters = Parameters {
            embedding: vocab * h,
            positions: match self.positions {
                Positions::Rotary => 0,
                Positions::Learned(rows) => u64::from(rows) * h,
            },
            matrices: layers * (attention + mlp),
            vectors: layers * layer_vectors + self.norm.vectors() * h,
            head: if self.tied_embeddings { 0 } else { vocab * h },
        };
        if let Some(rounded) = self.rounded_parameters {
            // The layers take up the difference; the tables keep the size that their shapes give.
            parameters.matrices = 0;
            parameters.matrices = rounded.saturating_sub(parameters.total());
        }
        parameters
    }
}
