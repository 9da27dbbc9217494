//! Families with a mixture of experts.

use crate::architecture::{Architecture, Biases, Latent, LinearAttention, LinearKind, Moe, Projection, SlidingWindow};
use crate::bounds::{self, Bounds};

use super::super::ConfigError;
use super::super::fields::{Fields, Given, LAYERS_OR_NONE};
use super::super::value::Value;
use super::{attention_biases, base};

pub(super) fn mixtral(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    let width = fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: width,
        sliding_window: fields.window_everywhere(base.layers, None)?,
        moe: Some(Moe::of(
            fields.or("num_local_experts", bounds::EXPERTS, 8)?,
            fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 2)?,
            width,
        )),
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// Qwen2-MoE. Its window is refused: the cache and the masks of its class disagree on which layers have one.
pub(super) fn qwen2_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("use_sliding_window", false)?;
    let base = base(fields)?;
    let moe = qwen_experts(fields, base.layers, [60, 4, 1_408])?;
    let head_dim = fields.head_dim(base.hidden_size, base.heads)?;
    if u64::from(head_dim) * u64::from(base.heads) != u64::from(base.hidden_size) {
        return Err(ConfigError::Contradiction { one: "head_dim", other: "hidden_size" });
    }
    Ok(Architecture {
        kv_heads: fields.never_null("num_key_value_heads", bounds::KV_HEADS, 16)?,
        head_dim,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 5_632)?,
        biases: Biases { qkv: fields.switch("qkv_bias", true)?, attention_output: false, mlp: false },
        moe: with_shared_expert(fields, moe, 5_632)?,
        trained_context: fields.context("max_position_embeddings", 32_768)?,
        ..base
    })
}

/// Qwen3-MoE. Its class has no default for `head_dim`, and every published file has one.
pub(super) fn qwen3_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.never_null("num_key_value_heads", bounds::KV_HEADS, 4)?,
        head_dim: fields.number("head_dim", bounds::HEAD_DIM)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 6_144)?,
        qk_norm: true,
        biases: attention_biases(fields, false)?,
        // Every layer has the window: `max_window_layers` is not read.
        sliding_window: if fields.switch("use_sliding_window", false)? {
            fields.window_everywhere(base.layers, Some(4_096))?
        } else {
            None
        },
        moe: qwen_experts(fields, base.layers, [128, 8, 768])?,
        trained_context: fields.context("max_position_embeddings", 32_768)?,
        ..base
    })
}

/// Qwen3-Next: linear attention in all layers but every fourth, a gate on the output of the others.
pub(super) fn qwen3_next(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    let linear = match fields.layers_with("linear_attention", base.layers)? {
        Some(linear) => linear,
        None => base.layers - base.layers / fields.or("full_attention_interval", bounds::LAYERS, 4)?,
    };
    let key_heads = fields.or("linear_num_key_heads", bounds::KV_HEADS, 16)?;
    let value_heads = fields.or("linear_num_value_heads", bounds::HEADS, 32)?;
    if !value_heads.is_multiple_of(key_heads) {
        return Err(ConfigError::Contradiction { one: "linear_num_value_heads", other: "linear_num_key_heads" });
    }
    let state = LinearAttention {
        kind: LinearKind::GatedDelta,
        layers: linear,
        key_heads,
        value_heads,
        key_dim: fields.or("linear_key_head_dim", bounds::HEAD_DIM, 128)?,
        value_dim: fields.or("linear_value_head_dim", bounds::HEAD_DIM, 128)?,
        conv_kernel: fields.or("linear_conv_kernel_dim", bounds::CONV_KERNEL, 4)?,
    };
    let moe = qwen_experts(fields, base.layers, [512, 10, 512])?;
    Ok(Architecture {
        kv_heads: fields.never_null("num_key_value_heads", bounds::KV_HEADS, 2)?,
        head_dim: fields.never_null("head_dim", bounds::HEAD_DIM, 256)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 5_632)?,
        qk_norm: true,
        gated_attention: true,
        biases: attention_biases(fields, false)?,
        linear_attention: (linear > 0).then_some(state),
        moe: with_shared_expert(fields, moe, 512)?,
        trained_context: fields.context("max_position_embeddings", 32_768)?,
        ..base
    })
}

/// Qwen's routed experts: in every `decoder_sparse_step`-th layer that `mlp_only_layers` does not name.
fn qwen_experts(
    fields: Fields<'_>,
    layers: u32,
    [experts, per_token, width]: [u32; 3],
) -> Result<Option<Moe>, ConfigError> {
    let experts = match fields.get("num_experts") {
        Some(Value::Whole(0)) => return Ok(None),
        _ => fields.or("num_experts", bounds::EXPERTS, experts)?,
    };
    let step = fields.or("decoder_sparse_step", bounds::LAYERS, 1)?;
    let dense = fields.list("mlp_only_layers")?.unwrap_or_default();
    if dense.iter().any(|layer| !matches!(layer, Value::Whole(layer) if *layer < layers.into())) {
        return Err(ConfigError::Contradiction { one: "mlp_only_layers", other: "num_hidden_layers" });
    }
    let is_mixture = |layer: u32| (layer + 1).is_multiple_of(step) && !dense.contains(&Value::Whole(layer.into()));
    let Some(dense_layers) = dense_first(layers, is_mixture)? else { return Ok(None) };
    Ok(Some(Moe {
        dense_layers,
        ..Moe::of(
            experts,
            fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, per_token)?,
            fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, width)?,
        )
    }))
}

/// How many dense layers stand before the first with experts; `None` where all are dense. Dense layers further up are refused.
fn dense_first(layers: u32, is_mixture: impl Fn(u32) -> bool) -> Result<Option<u32>, ConfigError> {
    match (0..layers).find(|layer| is_mixture(*layer)) {
        None => Ok(None),
        Some(first) if (first..layers).all(is_mixture) => Ok(Some(first)),
        Some(_) => Err(ConfigError::NotModelled("dense layers between those with experts")),
    }
}

fn with_shared_expert(fields: Fields<'_>, moe: Option<Moe>, width: u32) -> Result<Option<Moe>, ConfigError> {
    let width = fields.or("shared_expert_intermediate_size", bounds::INTERMEDIATE_SIZE, width)?;
    Ok(moe.map(|moe| Moe { shared_intermediate_size: width, shared_gate: true, ..moe }))
}

pub(super) fn deepseek_v2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("mlp_bias", false)?;
    // Experts, shared experts where the file is silent, width of one, dense layers, context.
    deepseek(fields, [64, 2, 1_407, 0, 2_048], None)
}

pub(super) fn deepseek_v3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    deepseek(fields, [256, 1, 2_048, 3, 4_096], Some(8))
}

fn deepseek(
    fields: Fields<'_>,
    [experts, shared, width, dense, context]: [u32; 5],
    per_token: Option<u32>,
) -> Result<Architecture, ConfigError> {
    fields.must_be("attention_bias", false)?;
    fields.must_be("use_mla", true)?;
    if fields.or("moe_layer_freq", bounds::LAYERS, 1)? != 1 {
        return Err(ConfigError::NotModelled("a moe_layer_freq other than 1"));
    }
    let base = base(fields)?;
    let latent = Latent {
        kv_lora_rank: fields.or("kv_lora_rank", bounds::LATENT, 512)?,
        q_lora_rank: match fields.given("q_lora_rank", bounds::LATENT)? {
            Given::Number(rank) => Some(rank),
            Given::Missing => Some(1_536),
            Given::Null => None,
        },
        rope_dim: fields.or("qk_rope_head_dim", bounds::LATENT, 64)?,
        nope_dim: fields.or("qk_nope_head_dim", bounds::LATENT, 128)?,
        v_dim: fields.or("v_head_dim", bounds::LATENT, 128)?,
    };
    let dense_layers = fields.or("first_k_dense_replace", LAYERS_OR_NONE, dense)?.min(base.layers);
    let experts_per_token = match per_token {
        Some(default) => fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, default)?,
        None => fields.number("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN)?,
    };
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, width)?;
    let shared = match fields.given("n_shared_experts", Bounds { min: 0, ..bounds::EXPERTS })? {
        Given::Number(shared) => shared,
        Given::Missing => shared,
        Given::Null => 0,
    };
    let moe = Moe {
        shared_intermediate_size: shared.saturating_mul(width),
        dense_layers,
        ..Moe::of(fields.or("n_routed_experts", bounds::EXPERTS, experts)?, experts_per_token, width)
    };
    Ok(Architecture {
        // `num_key_value_heads` is not read: all heads are made from the same vector.
        head_dim: latent.nope_dim + latent.rope_dim,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        projection: Projection::Latent(latent),
        moe: (dense_layers < base.layers).then_some(moe),
        trained_context: fields.context("max_position_embeddings", context)?,
        ..base
    })
}

/// gpt-oss: biases everywhere, a sink for each head, a window in every other layer.
pub(super) fn gpt_oss(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    let width = fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?;
    let sliding = match fields.layers_with("sliding_attention", base.layers)? {
        Some(sliding) => sliding,
        None => base.layers.div_ceil(2),
    };
    let window = match fields.given("sliding_window", bounds::SLIDING_WINDOW)? {
        Given::Number(window) => window,
        Given::Missing => 128,
        Given::Null => return Err(ConfigError::Missing("sliding_window")),
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 64)?,
        intermediate_size: width,
        attention_sinks: true,
        biases: attention_biases(fields, true)?,
        sliding_window: (sliding > 0).then_some(SlidingWindow::over(sliding, window)),
        moe: Some(Moe {
            router_bias: true,
            expert_biases: true,
            ..Moe::of(
                fields.either("num_local_experts", "num_experts", bounds::EXPERTS)?,
                fields.either("num_experts_per_tok", "experts_per_token", bounds::EXPERTS_PER_TOKEN)?,
                width,
            )
        }),
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// Llama 4: attention in chunks stands for a window in all layers but every fourth; one shared expert as wide as a routed one.
pub(super) fn llama4_text(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("attention_bias", false)?;
    let base = base(fields)?;
    let layers = base.layers;
    let width = fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 8_192)?;
    let step = fields.or("interleave_moe_layer_step", bounds::LAYERS, 1)?;
    let dense_layers = match fields.list("moe_layers")? {
        Some(listed) => dense_first(layers, |layer| listed.contains(&Value::Whole(layer.into())))?,
        None => dense_first(layers, |layer| (layer + 1).is_multiple_of(step))?,
    };
    let experts = fields.or("num_local_experts", bounds::EXPERTS, 16)?;
    let per_token = fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 1)?;
    let chunked = match (fields.layers_with("chunked_attention", layers)?, fields.list("no_rope_layers")?) {
        (Some(chunked), _) => chunked,
        // Despite its name, 1 stands for a layer that rotates, and such a layer attends in chunks.
        (None, Some(rotated)) if !rotated.is_empty() => {
            if u32::try_from(rotated.len()) != Ok(layers) {
                return Err(ConfigError::Contradiction { one: "no_rope_layers", other: "num_hidden_layers" });
            }
            let chunked = rotated.iter().filter(|it| !it.is_idle()).count();
            u32::try_from(chunked).unwrap_or(layers)
        }
        _ => layers - layers / fields.or("no_rope_layer_interval", bounds::LAYERS, 4)?,
    };
    let chunk = match fields.given("attention_chunk_size", bounds::SLIDING_WINDOW)? {
        Given::Number(chunk) => chunk,
        Given::Missing => 8_192,
        Given::Null => return Err(ConfigError::Missing("attention_chunk_size")),
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 128)?,
        intermediate_size: fields.or("intermediate_size_mlp", bounds::INTERMEDIATE_SIZE, 16_384)?,
        sliding_window: (chunked > 0).then_some(SlidingWindow::over(chunked, chunk)),
        moe: dense_layers.map(|dense_layers| Moe {
            dense_layers,
            shared_intermediate_size: width,
            ..Moe::of(experts, per_token, width)
        }),
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}
