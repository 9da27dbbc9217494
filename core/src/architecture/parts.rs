//! What a transformer is made of: MLP, norm, positions, attention, experts, states.

/// The two-layer perceptron of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mlp {
    /// Gate, up and down: three matrices (Llama, Mistral, Qwen).
    Gated,
    /// Up and down with a GELU that runs as one kernel, or a squared ReLU, which keeps as much (Nemotron-H): two matrices.
    Gelu,
    /// Up and down with a ReLU, whose output is all it keeps (OPT).
    Relu,
    /// Up and down with xIELU, which learns two numbers in every layer (Apertus).
    Xielu,
    /// Up and down with GPT-2's `gelu_new`, composed of several kernels, each of which keeps a tensor.
    GeluNew,
}

impl Mlp {
    /// Matrices of `hidden_size × intermediate_size`.
    pub const fn matrices(self) -> u64 {
        match self {
            Self::Gated => 3,
            Self::Relu | Self::Gelu | Self::Xielu | Self::GeluNew => 2,
        }
    }

    /// Numbers that its activation learns.
    pub const fn learned(self) -> u64 {
        if matches!(self, Self::Xielu) { 2 } else { 0 }
    }
}

/// The normalisation layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Norm {
    /// One weight a channel.
    RmsNorm,
    /// One weight and one bias a channel.
    LayerNorm,
    /// A `LayerNorm` with a weight alone (Command A).
    Unbiased,
}

/// Where an RMSNorm's code in transformers multiplies with its weight, which decides what it keeps for the backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormWeight {
    /// After the normalised values are rounded to the precision of the residual stream, as Llama's.
    Rounded,
    /// Before, in fp32: `OLMo` 2 and 3, gpt-oss.
    InFp32,
    /// Before, with an fp32 copy of the weight: Gemma, Qwen3-Next and later.
    WithFp32Copy,
}

impl Norm {
    /// Vectors of the normalised width.
    pub const fn vectors(self) -> u64 {
        match self {
            Self::RmsNorm | Self::Unbiased => 1,
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
    /// Whether it does not slide: a token sees those of its own chunk of `window` tokens (Llama 4).
    pub chunked: bool,
}

impl SlidingWindow {
    /// A window over `layers` layers whose heads are like all others.
    pub const fn over(layers: u32, window: u32) -> Self {
        Self { window, layers, kv_heads: None, head_dim: None, chunked: false }
    }

    /// Chunks of `chunk` tokens in `layers` layers.
    pub const fn chunks(layers: u32, chunk: u32) -> Self {
        Self { chunked: true, ..Self::over(layers, chunk) }
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
            latent_size: None,
            alternating: false,
        }
    }

    /// Width at which a token travels to routed experts and enters them, in a model of such a residual stream.
    ///
    /// # Source
    /// Megatron-LM at d98e8a6: `MoELayer.forward` of `megatron/core/transformer/moe/moe_layer.py` projects to `moe_latent_size` before it dispatches and back after
    /// it combines; Automodel's `MoE.forward` (`components/moe/layers.py`) does the same. Read 2026-11-26.
    pub(crate) fn outer_width(&self, hidden_size: u32) -> u32 {
        self.latent_size.unwrap_or(hidden_size)
    }
}

/// The chance that something is chosen at least once, if each of a number of draws chooses it with the chance `share`: 1 − (1 − share)^draws.
pub(crate) fn touched(share: f64, draws: u64) -> f64 {
    // The power by squaring: the core has no floating point functions of its own.
    let (mut untouched, mut base, mut left) = (1.0, 1.0 - share, draws);
    while left > 0 {
        if left % 2 == 1 {
            untouched *= base;
        }
        base *= base;
        left /= 2;
    }
    1.0 - untouched
}

/// What stands in a layer that keeps a state of constant size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinearKind {
    /// A gated delta network (Qwen3-Next).
    GatedDelta,
    /// Delta attention with a decay for each channel of a key, whose two gates pass through as many values as a value head is wide (Kimi Linear).
    Kda,
    /// A Mamba-2 layer: `key_heads` are its groups, `key_dim` its state size, `value_heads × value_dim` its inner width.
    Mamba2,
    /// A Mamba-2 layer without a norm on its gated output (small Falcon-H1).
    PlainMamba2,
    /// A Mamba-1 layer: `key_dim` is its state size, `value_heads × value_dim` its inner width, and steps pass through `dt_rank` values (Jamba).
    Mamba1 {
        /// Width through which the step of each channel is made.
        dt_rank: u32,
    },
    /// A gated short convolution over `value_heads × value_dim` channels, which keeps no other state (LFM2).
    ShortConv,
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
    /// Whether the model's `config.json` asks servers to keep the recurrent state in fp32 (`mamba_ssm_dtype`, `mamba_ssm_cache_dtype`).
    pub fp32_state: bool,
}

impl LinearAttention {
    /// Channels of the short convolution, and values of the recurrent state of one sequence, on one of `tp` ranks.
    pub fn state(&self, tp: u32) -> (u64, u64) {
        let [key_heads, value_heads] = [self.key_heads, self.value_heads].map(|heads| u64::from(heads.div_ceil(tp)));
        let [keys, values] = [key_heads * u64::from(self.key_dim), value_heads * u64::from(self.value_dim)];
        match self.kind {
            LinearKind::GatedDelta | LinearKind::Kda | LinearKind::Mamba2 | LinearKind::PlainMamba2 => {
                (2 * keys + values, values * u64::from(self.key_dim))
            }
            LinearKind::Mamba1 { .. } => (values, values * u64::from(self.key_dim)),
            LinearKind::ShortConv => (values, 0),
        }
    }
}

/// A mixture of experts in place of the MLP of some layers.
#[expect(clippy::struct_excessive_bools, reason = "a shape is a list of what a model has and has not")]
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
    /// Width that a token is projected to before it visits routed experts, where that is not the residual stream's (Nemotron 3 Super).
    pub latent_size: Option<u32>,
    /// Whether dense layers are spread evenly among those with experts (Llama 4 Maverick, Jamba) instead of standing before them.
    pub alternating: bool,
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
