//! Families with a mixture of experts.

use crate::architecture::{Architecture, Biases, Moe, NormWeight, SlidingWindow};
use crate::bounds::{self, Bounds};

use super::super::ConfigError;
use super::super::fields::{Fields, Given, LAYERS_OR_NONE};
use super::super::value::Value;
use super::newest::dense_first;
use super::recent::window_but_every;
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
        dual_chunks: fields.present("dual_chunk_attention_config"),
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
        dual_chunks: fields.present("dual_chunk_attention_config"),
        ..base
    })
}

/// Qwen's routed experts: in every `decoder_sparse_step`-th layer that `mlp_only_layers` does not name.
pub(super) fn qwen_experts(
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
    let moe = Moe::of(
        experts,
        fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, per_token)?,
        fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, width)?,
    );
    placed(layers, is_mixture, moe)
}

/// The experts with how many dense layers stand before them, or evenly among them; `None` where all layers are dense. Any other order is refused.
pub(super) fn placed(layers: u32, is_mixture: impl Fn(u32) -> bool, moe: Moe) -> Result<Option<Moe>, ConfigError> {
    let mixtures: u32 = (0..layers).map(|layer| u32::from(is_mixture(layer))).sum();
    let dense_layers = layers - mixtures;
    let Some(first) = (0..layers).find(|layer| is_mixture(*layer)) else { return Ok(None) };
    let moe = Moe { dense_layers, ..moe };
    if first == dense_layers {
        return Ok(Some(moe));
    }
    let mut before = 0;
    let evenly = (0..layers).all(|layer| {
        let due = u64::from(before) == u64::from(layer) * u64::from(mixtures) / u64::from(layers);
        before += u32::from(is_mixture(layer));
        due
    });
    if evenly {
        Ok(Some(Moe { alternating: true, ..moe }))
    } else {
        Err(ConfigError::NotModelled("dense layers between those with experts"))
    }
}

pub(super) fn with_shared_expert(fields: Fields<'_>, moe: Option<Moe>, width: u32) -> Result<Option<Moe>, ConfigError> {
    let width = fields.or("shared_expert_intermediate_size", bounds::INTERMEDIATE_SIZE, width)?;
    Ok(moe.map(|moe| Moe { shared_intermediate_size: width, shared_gate: true, ..moe }))
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
        norm_weight: NormWeight::InFp32,
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
    let listed = fields.list("moe_layers")?;
    let is_mixture = |layer: u32| match listed {
        Some(listed) => listed.contains(&Value::Whole(layer.into())),
        None => (layer + 1).is_multiple_of(step),
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
        sliding_window: (chunked > 0).then_some(SlidingWindow::chunks(chunked, chunk)),
        moe: placed(layers, is_mixture, Moe { shared_intermediate_size: width, ..Moe::of(experts, per_token, width) })?,
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// GLM-4.5 to 4.7: a few dense layers first, one shared expert or more, biases on queries, keys and values.
pub(super) fn glm4_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_408)?;
    let shared = fields.or("n_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 1)?;
    let dense_layers = fields.or("first_k_dense_replace", LAYERS_OR_NONE, 1)?.min(base.layers);
    let moe = Moe {
        shared_intermediate_size: shared.saturating_mul(width),
        dense_layers,
        ..Moe::of(
            fields.or("n_routed_experts", bounds::EXPERTS, 128)?,
            fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 8)?,
            width,
        )
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 10_944)?,
        qk_norm: fields.switch("use_qk_norm", false)?,
        joined_rotation: true,
        biases: Biases { qkv: fields.switch("attention_bias", false)?, attention_output: false, mlp: false },
        moe: (dense_layers < base.layers).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// K-EXAONE. The layer that it predicts with is dense, unlike its last.
pub(super) fn exaone_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_024)?;
    let shared = fields.or("num_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 1)?;
    let dense_layers = dense_first(fields, base.layers, 1)?;
    let moe = Moe {
        shared_intermediate_size: shared.saturating_mul(width),
        dense_layers,
        ..Moe::of(
            fields.or("num_experts", bounds::EXPERTS, 64)?,
            fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 8)?,
            width,
        )
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 32)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 16_384)?,
        qk_norm: true,
        sliding_window: window_but_every(fields, base.layers, 4)?,
        moe: (dense_layers < base.layers).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        ..base
    })
}

/// dots.llm1: windows, if it has any, in the layers from `max_window_layers` on.
pub(super) fn dots1(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_408)?;
    let shared = fields.or("n_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 0)?;
    let dense_layers = fields.or("first_k_dense_replace", LAYERS_OR_NONE, 0)?.min(base.layers);
    let window = match fields.given("sliding_window", bounds::SLIDING_WINDOW)? {
        Given::Number(window) => Some(window),
        Given::Missing => Some(4_096),
        Given::Null => None,
    };
    let behind = base.layers - fields.or("max_window_layers", LAYERS_OR_NONE, 62)?.min(base.layers);
    let sliding = fields.layers_with("sliding_attention", base.layers)?.unwrap_or(behind);
    let moe = Moe {
        shared_intermediate_size: shared.saturating_mul(width),
        dense_layers,
        ..Moe::of(
            fields.number("n_routed_experts", bounds::EXPERTS)?,
            fields.number("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN)?,
            width,
        )
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 32)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 10_944)?,
        qk_norm: true,
        biases: attention_biases(fields, false)?,
        sliding_window: window.filter(|_| sliding > 0).map(|window| SlidingWindow::over(sliding, window)),
        moe: (dense_layers < base.layers).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        ..base
    })
}

/// ERNIE 4.5 with experts. Its class counts the bias by which the router is balanced among the parameters.
pub(super) fn ernie4_5_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("use_bias", false)?;
    let base = Architecture { tied_embeddings: fields.tied(true)?, ..base(fields)? };
    let layers = base.layers;
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_536)?;
    let interval = fields.or("moe_layer_interval", bounds::LAYERS, 1)?;
    let start = fields.or("moe_layer_start_index", LAYERS_OR_NONE, 1)?;
    let end = match fields.get("moe_layer_end_index") {
        // -1 is the last layer.
        None | Some(Value::Nothing) => layers - 1,
        Some(Value::Number(last)) if *last < 0.0 => layers - 1,
        _ => fields.number("moe_layer_end_index", LAYERS_OR_NONE)?,
    };
    let is_mixture = |layer: u32| (layer + 1).is_multiple_of(interval) && (start..=end).contains(&layer);
    let shared = fields.or("moe_num_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 2)?;
    let moe = Moe {
        shared_intermediate_size: shared.saturating_mul(width),
        router_bias: true,
        ..Moe::of(
            fields.or("moe_num_experts", bounds::EXPERTS, 64)?,
            fields.or("moe_k", bounds::EXPERTS_PER_TOKEN, 6)?,
            width,
        )
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 4)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 12_288)?,
        moe: placed(layers, is_mixture, moe)?,
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// `MiniMax` M2: experts in every layer, one norm over all heads of queries and one over those of keys.
pub(super) fn minimax_m2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    if fields.get("shared_intermediate_size").is_some_and(|width| !width.is_idle()) {
        return Err(ConfigError::NotModelled("shared_intermediate_size"));
    }
    let base = base(fields)?;
    let width = fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 1_536)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 128)?,
        intermediate_size: width,
        qk_norm: true,
        wide_qk_norm: true,
        joined_rotation: true,
        moe: Some(Moe::of(
            fields.or("num_local_experts", bounds::EXPERTS, 256)?,
            fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 8)?,
            width,
        )),
        trained_context: fields.context("max_position_embeddings", 196_608)?,
        ..base
    })
}

/// Hunyuan with experts in every layer. Numbers that its files list layer by layer are the same in all.
pub(super) fn hunyuan(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let shape = hunyuan_dense(fields)?;
    let width = shape.intermediate_size;
    for (field, built) in [("moe_intermediate_size", width), ("num_shared_expert", 1)] {
        if fields.uniform(field, bounds::INTERMEDIATE_SIZE)?.is_some_and(|number| number != built) {
            return Err(ConfigError::NotModelled(field));
        }
    }
    let per_token = fields.uniform("moe_topk", bounds::EXPERTS_PER_TOKEN)?.unwrap_or(1);
    let moe = Moe {
        shared_intermediate_size: width,
        ..Moe::of(fields.number("num_experts", bounds::EXPERTS)?, per_token, width)
    };
    Ok(Architecture { moe: Some(moe), ..shape })
}

/// Hunyuan without experts: a norm for each head of queries and keys, whatever the file says of it.
pub(super) fn hunyuan_dense(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for (field, built) in [("use_qk_norm", true), ("use_cla", false), ("use_mla", false), ("mlp_bias", false)] {
        fields.must_be(field, built)?;
    }
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, base.heads)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 11_008)?,
        qk_norm: true,
        biases: attention_biases(fields, false)?,
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        ..base
    })
}
