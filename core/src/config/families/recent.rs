//! Dense families of 2025 and later that differ from Llama in little.

use crate::architecture::{Architecture, Biases, Mlp, Norm, NormWeight, SlidingWindow};
use crate::bounds;

use super::super::ConfigError;
use super::super::fields::{Fields, Given};
use super::super::value::Value;
use super::{attention_biases, base};

/// Which layers rotate makes no difference to memory.
pub(super) fn smollm3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("use_sliding_window", false)?;
    let base = base(fields)?;
    // Refuses any other kind of layer.
    fields.layers_with("full_attention", base.layers)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 4)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        biases: Biases { mlp: fields.switch("mlp_bias", false)?, ..attention_biases(fields, false)? },
        tied_embeddings: fields.tied(true)?,
        trained_context: fields.context("max_position_embeddings", 32_768)?,
        ..base
    })
}

/// Seed-OSS, whose output projection has a switch of its own for its bias.
pub(super) fn seed_oss(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 128)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        biases: Biases {
            qkv: fields.switch("attention_bias", true)?,
            attention_output: fields.switch("attention_out_bias", false)?,
            mlp: fields.switch("mlp_bias", false)?,
        },
        trained_context: fields.context("max_position_embeddings", 524_288)?,
        ..base
    })
}

/// `OLMo` 2: norms behind attention and MLP instead of before them, which are as many.
pub(super) fn olmo2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, base.heads)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        norm_weight: NormWeight::InFp32,
        qk_norm: true,
        wide_qk_norm: true,
        biases: attention_biases(fields, false)?,
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        ..base
    })
}

/// `OLMo` 3: the same with windows in all layers but every fourth.
pub(super) fn olmo3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let shape = olmo2(fields)?;
    let sliding_window = window_but_every(fields, shape.layers, 4)?;
    Ok(Architecture { sliding_window, rotary_in_windows: true, ..shape })
}

/// GLM-4-0414: norms before and behind attention and MLP.
pub(super) fn glm4(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 2)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 128)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        unstable_in_fp16: true,
        joined_rotation: true,
        norms_per_layer: 4,
        biases: Biases { qkv: fields.switch("attention_bias", true)?, attention_output: false, mlp: false },
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// EXAONE 4: norms behind attention and MLP, and in large models windows in all layers but every fourth.
pub(super) fn exaone4(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    let windowed = !matches!(fields.given("sliding_window", bounds::SLIDING_WINDOW)?, Given::Null);
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, base.heads)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        qk_norm: true,
        sliding_window: if windowed { window_but_every(fields, base.layers, 4)? } else { None },
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        ..base
    })
}

pub(super) fn ernie4_5(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("use_bias", false)?;
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 2)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 128)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        tied_embeddings: fields.tied(true)?,
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// Ministral 3 and Devstral 2.
pub(super) fn ministral3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 128)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        sliding_window: fields.window_everywhere(base.layers, None)?,
        trained_context: fields.context("max_position_embeddings", 262_144)?,
        ..base
    })
}

/// Command A and R7B: attention and MLP side by side behind one norm without a bias, and windows in all layers but every fourth.
pub(super) fn cohere2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for (field, built) in [
        ("use_parallel_block", true),
        ("use_gated_activation", true),
        ("use_qk_norm", false),
        ("attention_bias", false),
    ] {
        fields.must_be(field, built)?;
    }
    let base = base(fields)?;
    let pattern = fields.or("sliding_window_pattern", bounds::LAYERS, 4)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, base.heads)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 22_528)?,
        norm: Norm::Unbiased,
        norms_per_layer: 1,
        parallel_residual: true,
        sliding_window: window_but_every(fields, base.layers, pattern)?,
        tied_embeddings: fields.tied(true)?,
        trained_context: fields.context("max_position_embeddings", 8_192)?,
        ..base
    })
}

/// Apertus: a plain MLP with xIELU, and a norm for each head of queries and keys.
pub(super) fn apertus(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for (field, built) in [("qk_norm", true), ("post_norm", false), ("mlp_bias", false)] {
        fields.must_be(field, built)?;
    }
    let heads = fields.number("num_attention_heads", bounds::HEADS)?;
    let hidden_size = fields.number("hidden_size", bounds::HIDDEN_SIZE)?;
    if !matches!(fields.get("hidden_act"), None | Some(Value::Nothing))
        && !matches!(fields.get("hidden_act"), Some(Value::Text(name)) if name == "xielu")
    {
        return Err(ConfigError::NotModelled("a hidden_act other than xielu"));
    }
    Ok(Architecture {
        mlp: Mlp::Xielu,
        qk_norm: true,
        biases: attention_biases(fields, false)?,
        tied_embeddings: fields.tied(false)?,
        trained_context: fields.context("max_position_embeddings", 65_536)?,
        ..Architecture::llama([
            fields.number("num_hidden_layers", bounds::LAYERS)?,
            hidden_size,
            heads,
            fields.kv_heads(heads, heads)?,
            fields.head_dim(hidden_size, heads)?,
            fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 14_336)?,
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    })
}

/// A window over the layers that `layer_types` names, or else over all but every `pattern`-th.
pub(super) fn window_but_every(
    fields: Fields<'_>,
    layers: u32,
    pattern: u32,
) -> Result<Option<SlidingWindow>, ConfigError> {
    let sliding = match fields.layers_with("sliding_attention", layers)? {
        Some(sliding) => sliding,
        None => layers - layers / pattern,
    };
    let window = fields.never_null("sliding_window", bounds::SLIDING_WINDOW, 4_096)?;
    Ok((sliding > 0).then_some(SlidingWindow::over(sliding, window)))
}
