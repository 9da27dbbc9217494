//! Shapes of families, from which the rows are written as what differs.

use core::num::NonZeroU8;

use crate::architecture::{
    Architecture, Biases, Compression, Indexer, Latent, LinearAttention, LinearKind, Mlp, Moe, Norm, NormWeight,
    Positions, Projection, SlidingWindow,
};

/// Layers, hidden, heads, KV heads, head dimension, MLP width, vocabulary, context.
pub(super) type Shape = [u32; 8];

pub(super) const fn llama(
    [layers, hidden_size, heads, kv_heads, head_dim, intermediate_size, vocab_size, context]: Shape,
) -> Architecture {
    Architecture {
        trained_context: Some(context),
        ..Architecture::llama([layers, hidden_size, heads, kv_heads, head_dim, intermediate_size, vocab_size])
    }
}

pub(super) const EVERYWHERE: Biases = Biases { qkv: true, attention_output: true, mlp: true };

/// `LayerNorm`s, a plain MLP four times as wide as the model, one KV head for each query head.
pub(super) const fn early(layers: u32, hidden_size: u32, heads: u32, vocab_size: u32, context: u32) -> Architecture {
    Architecture {
        mlp: Mlp::Gelu,
        norm: Norm::LayerNorm,
        tied_embeddings: true,
        ..llama([layers, hidden_size, heads, heads, hidden_size / heads, 4 * hidden_size, vocab_size, context])
    }
}

pub(super) const fn gpt2(layers: u32, hidden_size: u32, heads: u32, context: u32) -> Architecture {
    Architecture {
        mlp: Mlp::GeluNew,
        positions: Positions::Learned(context),
        biases: EVERYWHERE,
        dropout: true,
        fused_qkv: true,
        ..early(layers, hidden_size, heads, 50_257, context)
    }
}

/// Attention and MLP side by side, without biases.
pub(super) const fn falcon(
    layers: u32,
    hidden_size: u32,
    heads: u32,
    kv_heads: u32,
    norms_per_layer: u32,
) -> Architecture {
    Architecture {
        kv_heads,
        norms_per_layer,
        parallel_residual: true,
        fused_qkv: true,
        ..early(layers, hidden_size, heads, 65_024, 2_048)
    }
}

/// Queries, keys and values in one matrix.
pub(super) const fn phi3(shape: Architecture) -> Architecture {
    Architecture { fused_qkv: true, joined_rotation: true, ..shape }
}

pub(super) const fn qwen2(shape: Shape) -> Architecture {
    Architecture { biases: Biases { qkv: true, attention_output: false, mlp: false }, ..llama(shape) }
}

pub(super) const fn qwen3(shape: Shape) -> Architecture {
    Architecture { qk_norm: true, ..llama(shape) }
}

/// Norms as Gemma's, which keep an fp32 copy of their weight.
pub(super) const fn gemma(architecture: Architecture) -> Architecture {
    Architecture { norm_weight: NormWeight::WithFp32Copy, ..architecture }
}

pub(super) const fn gemma2(shape: Shape) -> Architecture {
    Architecture {
        soft_capped: true,
        unstable_in_fp16: true,
        norms_per_layer: 4,
        ..gemma(tied(every_second(4_096, llama(shape))))
    }
}

/// Windows in all layers but every sixth; the two small ones do not scale positions.
pub(super) const fn gemma3(window: u32, shape: Shape) -> Architecture {
    let sliding = SlidingWindow::over(shape[0] - shape[0] / 6, window);
    Architecture {
        sliding_window: Some(sliding),
        rotary_stretch: if shape[7] > 32_768 { 8 } else { 1 },
        rotary_in_windows: true,
        unstable_in_fp16: true,
        norms_per_layer: 4,
        ..gemma(tied(qwen3(shape)))
    }
}

/// Windows in all layers but every sixth, which have wider heads, so many KV heads, and values made by the matrix of the keys.
pub(super) const fn gemma4(window: u32, kv_heads: u32, shape: Shape) -> Architecture {
    let sliding = SlidingWindow {
        kv_heads: Some(shape[3]),
        head_dim: Some(shape[4]),
        ..SlidingWindow::over(shape[0] - shape[0] / 6, window)
    };
    Architecture {
        kv_heads,
        head_dim: 512,
        keys_as_values: true,
        soft_capped: true,
        norms_per_layer: 4,
        sliding_window: Some(sliding),
        rotary_in_windows: true,
        ..gemma(tied(qwen3(shape)))
    }
}

/// Positions on three axes, in tables four times as long.
pub(super) const fn three_axes(shape: Architecture) -> Architecture {
    Architecture { rotary_stretch: 4, ..shape }
}

pub(super) const fn every_second(window: u32, architecture: Architecture) -> Architecture {
    let sliding = SlidingWindow::over(architecture.layers - architecture.layers / 2, window);
    Architecture { sliding_window: Some(sliding), ..architecture }
}

pub(super) const fn everywhere(window: u32, architecture: Architecture) -> Architecture {
    Architecture { sliding_window: Some(SlidingWindow::over(architecture.layers, window)), ..architecture }
}

pub(super) const fn tied(architecture: Architecture) -> Architecture {
    Architecture { tied_embeddings: true, ..architecture }
}

/// Experts, of which a token visits some, each as wide as the last number says.
pub(super) const fn mixture([experts, per_token, width]: [u32; 3], architecture: Architecture) -> Architecture {
    Architecture { moe: Some(Moe::of(experts, per_token, width)), ..architecture }
}

/// Beside the routed experts one that every token visits.
pub(super) const fn with_expert(width: u32, architecture: Architecture) -> Architecture {
    let Some(moe) = architecture.moe else { return architecture };
    Architecture { moe: Some(Moe { shared_intermediate_size: width, ..moe }), ..architecture }
}

/// Beside the routed experts one that every token visits, weighed by a gate of its own.
pub(super) const fn with_gated_expert(width: u32, architecture: Architecture) -> Architecture {
    let Some(moe) = architecture.moe else { return architecture };
    Architecture { moe: Some(Moe { shared_intermediate_size: width, shared_gate: true, ..moe }), ..architecture }
}

pub(super) const fn gpt_oss(layers: u32, experts: u32) -> Architecture {
    let shape = every_second(128, llama([layers, 2_880, 64, 8, 64, 2_880, 201_088, 131_072]));
    Architecture {
        norm_weight: NormWeight::InFp32,
        attention_sinks: true,
        biases: Biases { qkv: true, attention_output: true, mlp: false },
        moe: Some(Moe { router_bias: true, expert_biases: true, ..Moe::of(experts, 4, 2_880) }),
        ..shape
    }
}

/// Experts behind dense layers, with some that every token visits, each as wide as a routed one.
pub(super) const fn mixture_behind(
    [experts, per_token, width]: [u32; 3],
    shared: u32,
    dense_layers: u32,
    architecture: Architecture,
) -> Architecture {
    let moe = Moe { shared_intermediate_size: shared * width, dense_layers, ..Moe::of(experts, per_token, width) };
    Architecture { moe: Some(moe), ..architecture }
}

/// A bias by which the router is balanced, counted among the parameters.
pub(super) const fn with_router_bias(architecture: Architecture) -> Architecture {
    let Some(moe) = architecture.moe else { return architecture };
    Architecture { moe: Some(Moe { router_bias: true, ..moe }), ..architecture }
}

pub(super) const fn latent(latent: Latent, architecture: Architecture) -> Architecture {
    Architecture { projection: Projection::Latent(latent), ..architecture }
}

/// Latent attention; `shared` experts as wide as a routed one; the first layers dense.
pub(super) const fn deepseek(
    q_lora_rank: Option<u32>,
    experts: [u32; 3],
    [shared, dense_layers]: [u32; 2],
    shape: Shape,
) -> Architecture {
    let widths = Latent { kv_lora_rank: 512, q_lora_rank, rope_dim: 64, nope_dim: 128, v_dim: 128 };
    latent(widths, mixture_behind(experts, shared, dense_layers, llama(shape)))
}

/// So many layers have an indexer of so many heads, which picks 2,048 tokens.
pub(super) const fn indexed(heads: u16, layers: u16, architecture: Architecture) -> Architecture {
    Architecture { indexer: Some(Indexer { heads, head_dim: 128, topk: 2_048, layers }), ..architecture }
}

pub(super) const fn deepseek_v3() -> Architecture {
    predicting(deepseek(Some(1536), [256, 8, 2048], [1, 3], [61, 7168, 128, 128, 192, 18_432, 129_280, 163_840]))
}

/// One vector a token in a window of 128 in every layer, with indexers and heavily compressed tokens in so many; queries over `q_rank` values, `topk` vectors picked, outputs in so many groups.
pub(super) const fn deepseek_v4(
    [q_rank, topk]: [u16; 2],
    groups: u8,
    [sparse, heavy]: [u16; 2],
    experts: [u32; 3],
    shape: Shape,
) -> Architecture {
    let widths =
        Latent { kv_lora_rank: 448, q_lora_rank: Some(q_rank as u32), rope_dim: 64, nope_dim: 448, v_dim: 512 };
    Architecture {
        indexer: Some(Indexer { heads: 64, head_dim: 128, topk, layers: sparse }),
        compression: Some(Compression { groups, output_rank: 1_024, heavy, streams: NonZeroU8::MIN.saturating_add(3) }),
        attention_sinks: true,
        ..everywhere(128, latent(widths, mixture_behind(experts, 1, 0, llama(shape))))
    }
}

pub(super) const fn glm_5(indexers: u16, context: u32) -> Architecture {
    let widths = Latent { kv_lora_rank: 512, q_lora_rank: Some(2048), rope_dim: 64, nope_dim: 192, v_dim: 256 };
    let shape = mixture_behind([256, 8, 2048], 1, 3, llama([78, 6144, 64, 64, 256, 12_288, 154_880, context]));
    predicting(indexed(32, indexers, latent(widths, shape)))
}

pub(super) const MISTRAL_LARGE_3: Architecture =
    deepseek(Some(1536), [128, 4, 4096], [1, 3], [61, 7168, 128, 128, 192, 16_384, 131_072, 294_912]);

pub(super) const MISTRAL_SMALL_4: Architecture = {
    let widths = Latent { kv_lora_rank: 256, q_lora_rank: Some(1024), rope_dim: 64, nope_dim: 64, v_dim: 128 };
    let shape = llama([36, 4096, 32, 32, 128, 12_288, 131_072, 1_048_576]);
    latent(widths, mixture_behind([128, 4, 2048], 1, 0, shape))
};

/// Command A and R7B: attention and MLP side by side behind one norm without a bias, windows of 4,096 in all layers but every fourth.
pub(super) const fn cohere2(shape: Shape) -> Architecture {
    let shape = Architecture { norm: Norm::Unbiased, norms_per_layer: 1, parallel_residual: true, ..llama(shape) };
    but_every_fourth(4_096, tied(shape))
}

pub(super) const fn apertus(shape: Shape) -> Architecture {
    Architecture { mlp: Mlp::Xielu, ..qwen3(shape) }
}

/// `MiniMax` M3: behind three layers that are dense and see everything, experts, and an indexer that picks 16 blocks of 128 keys.
pub(super) const MINIMAX_M3: Architecture = Architecture {
    indexer: Some(Indexer { heads: 4, head_dim: 128, topk: 2_048, layers: 57 }),
    norm_weight: NormWeight::WithFp32Copy,
    ..mixture_behind([128, 4, 3072], 1, 3, joined(qwen3([60, 6144, 64, 4, 128, 12_288, 200_064, 1_048_576])))
};

/// Ling 2.0: queries, keys and values in one matrix with a norm for each head, 256 experts of which a token visits eight, one shared.
pub(super) const fn ling(width: u32, dense_layers: u32, shape: Shape) -> Architecture {
    let shape = mixture_behind([256, 8, width], 1, dense_layers, joined(qwen3(shape)));
    Architecture { fused_qkv: true, ..shape }
}

/// Kimi Linear: KDA in 20 of 27 layers, latent attention without positions in the others, experts behind one dense layer.
pub(super) const KIMI_LINEAR: Architecture = Architecture {
    linear_attention: Some(LinearAttention {
        kind: LinearKind::Kda,
        layers: 20,
        key_heads: 32,
        value_heads: 32,
        key_dim: 128,
        value_dim: 128,
        conv_kernel: 4,
        fp32_state: true,
    }),
    ..deepseek(None, [256, 8, 1024], [1, 1], [27, 2304, 32, 32, 192, 9216, 163_840, 1_048_576])
};

pub(super) const fn kimi_k2(context: u32) -> Architecture {
    deepseek(Some(1536), [384, 8, 2048], [1, 1], [61, 7168, 64, 64, 192, 18_432, 163_840, context])
}

/// One norm over all heads of queries and one over those of keys.
pub(super) const fn wide_norms(architecture: Architecture) -> Architecture {
    Architecture { qk_norm: true, wide_qk_norm: true, ..architecture }
}

/// `OLMo` 3: windows in all layers but every fourth; those with a window rotate by a table of their own.
pub(super) const fn olmo3(shape: Architecture) -> Architecture {
    Architecture { rotary_in_windows: true, ..but_every_fourth(4_096, shape) }
}

/// `OLMo` 2: norms over all heads, which multiply with their weight in fp32.
pub(super) const fn olmo2(shape: Shape) -> Architecture {
    Architecture { norm_weight: NormWeight::InFp32, ..wide_norms(llama(shape)) }
}

/// The part of each head that is rotated is joined with the rest.
pub(super) const fn joined(architecture: Architecture) -> Architecture {
    Architecture { joined_rotation: true, ..architecture }
}

/// Windows in all layers but every fourth.
pub(super) const fn but_every_fourth(window: u32, architecture: Architecture) -> Architecture {
    let sliding = SlidingWindow::over(architecture.layers - architecture.layers / 4, window);
    Architecture { sliding_window: Some(sliding), ..architecture }
}

/// With one layer behind the last that predicts the token after the next.
pub(super) const fn predicting(architecture: Architecture) -> Architecture {
    Architecture { prediction_layers: 1, ..architecture }
}

/// Linear attention in all layers but every fourth, whose output is gated.
const fn gated_delta(fp32_state: bool, value_heads: u32, architecture: Architecture) -> Architecture {
    Architecture {
        gated_attention: true,
        norm_weight: NormWeight::WithFp32Copy,
        joined_rotation: true,
        linear_attention: Some(LinearAttention {
            kind: LinearKind::GatedDelta,
            layers: architecture.layers - architecture.layers / 4,
            key_heads: 16,
            value_heads,
            key_dim: 128,
            value_dim: 128,
            conv_kernel: 4,
            fp32_state,
        }),
        ..architecture
    }
}

pub(super) const fn qwen3_5(value_heads: u32, shape: Shape) -> Architecture {
    predicting(gated_delta(true, value_heads, qwen3(shape)))
}

pub(super) const QWEN3_NEXT: Architecture = predicting(gated_delta(
    false,
    32,
    with_gated_expert(512, mixture([512, 10, 512], qwen3([48, 2048, 16, 2, 256, 5120, 151_936, 262_144]))),
));

/// Attention in chunks, counted as a window, in all layers but every fourth; one shared expert as wide as a routed one.
pub(super) const LLAMA_4_SCOUT: Architecture = Architecture {
    sliding_window: Some(SlidingWindow::chunks(36, 8_192)),
    moe: Some(Moe { shared_intermediate_size: 8_192, ..Moe::of(16, 1, 8_192) }),
    ..llama([48, 5120, 40, 8, 128, 16_384, 202_048, 10_485_760])
};

/// The same with experts in every second layer, and dense MLPs in the others.
pub(super) const LLAMA_4_MAVERICK: Architecture = Architecture {
    moe: Some(Moe { shared_intermediate_size: 8_192, dense_layers: 24, alternating: true, ..Moe::of(128, 1, 8_192) }),
    trained_context: Some(1_048_576),
    ..LLAMA_4_SCOUT
};

/// Biases everywhere, a plain MLP and a window in every layer.
pub(super) const fn starcoder2(shape: Shape) -> Architecture {
    let plain =
        Architecture { mlp: Mlp::Gelu, norm: Norm::LayerNorm, biases: EVERYWHERE, dropout: true, ..llama(shape) };
    tied(everywhere(4_096, plain))
}

/// Mamba-2 in all but four layers, with heads of 64 and a state of 128.
pub(super) const fn granite4(heads: u32, architecture: Architecture) -> Architecture {
    Architecture {
        linear_attention: Some(LinearAttention {
            kind: LinearKind::Mamba2,
            layers: architecture.layers - 4,
            key_heads: 1,
            value_heads: heads,
            key_dim: 128,
            value_dim: 64,
            conv_kernel: 4,
            fp32_state: false,
        }),
        ..tied(architecture)
    }
}

/// Layers of Mamba-2, of attention, of MLPs without a gate or of experts, each alone, with so many of Mamba-2 and of MLPs or experts.
pub(super) const fn nemotron_h([states, mlps]: [u32; 2], [heads, width]: [u32; 2], shape: Shape) -> Architecture {
    Architecture {
        mlp: Mlp::Gelu,
        norms_per_layer: 1,
        mlp_layers: mlps,
        linear_attention: Some(LinearAttention {
            kind: LinearKind::Mamba2,
            layers: states,
            key_heads: 8,
            value_heads: heads,
            key_dim: 128,
            value_dim: width,
            conv_kernel: 4,
            fp32_state: true,
        }),
        ..llama(shape)
    }
}

/// Mamba-2 with so many heads of this width and this state beside attention in every layer, with a norm on its output or without.
pub(super) const fn falcon_h1(normed: bool, [heads, width, state]: [u32; 3], shape: Shape) -> Architecture {
    Architecture {
        states_beside_attention: true,
        linear_attention: Some(LinearAttention {
            kind: if normed { LinearKind::Mamba2 } else { LinearKind::PlainMamba2 },
            layers: shape[0],
            key_heads: 1,
            value_heads: heads,
            key_dim: state,
            value_dim: width,
            conv_kernel: 4,
            fp32_state: false,
        }),
        ..llama(shape)
    }
}

/// Attention in every eighth layer and Mamba-1 in the others; 16 experts in every second layer and an MLP in the others.
pub(super) const fn jamba(dt_rank: u32, shape: Shape) -> Architecture {
    let half = shape[0] / 2;
    Architecture {
        linear_attention: Some(LinearAttention {
            kind: LinearKind::Mamba1 { dt_rank },
            layers: shape[0] - shape[0] / 8,
            key_heads: 1,
            value_heads: shape[1] / 32,
            key_dim: 16,
            value_dim: 64,
            conv_kernel: 4,
            fp32_state: false,
        }),
        moe: Some(Moe { dense_layers: half, alternating: true, ..Moe::of(16, 2, shape[5]) }),
        ..llama(shape)
    }
}

/// Experts that are fed a projection of the residual stream of this width.
pub(super) const fn at_width(latent_size: u32, architecture: Architecture) -> Architecture {
    let Some(moe) = architecture.moe else { return architecture };
    Architecture { moe: Some(Moe { latent_size: Some(latent_size), ..moe }), ..architecture }
}

/// Gated short convolutions in all but `attention` layers.
pub(super) const fn lfm2(attention: u32, shape: Shape) -> Architecture {
    let architecture = tied(qwen3(shape));
    Architecture {
        linear_attention: Some(LinearAttention {
            kind: LinearKind::ShortConv,
            layers: architecture.layers - attention,
            key_heads: 1,
            value_heads: architecture.hidden_size / 64,
            key_dim: 1,
            value_dim: 64,
            conv_kernel: 3,
            fp32_state: false,
        }),
        ..architecture
    }
}
