//! Llama and the dense families that differ from it in little.

use crate::architecture::{Architecture, Biases, SlidingWindow};
use crate::bounds;

use super::super::ConfigError;
use super::super::fields::{Fields, Given, LAYERS_OR_NONE};
use super::{attention_biases, base};

/// Llama, and Granite, whose multipliers are numbers and not tensors.
pub(super) fn llama(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, base.heads)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        biases: Biases { mlp: fields.switch("mlp_bias", false)?, ..attention_biases(fields, false)? },
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        ..base
    })
}

pub(super) fn mistral(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        sliding_window: fields.window_everywhere(base.layers, Some(4_096))?,
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// Biases on queries, keys and values whatever the file says.
pub(super) fn qwen2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 32)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        biases: Biases { qkv: true, attention_output: false, mlp: false },
        sliding_window: window_behind_the_first(fields, base.layers)?,
        trained_context: fields.context("max_position_embeddings", 32_768)?,
        dual_chunks: fields.present("dual_chunk_attention_config"),
        ..base
    })
}

/// `MiMo` 7B: Qwen2 with a layer that predicts.
pub(super) fn mimo(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("attention_bias", true)?;
    qwen2(fields)
}

pub(super) fn qwen3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 32)?,
        head_dim: fields.never_null("head_dim", bounds::HEAD_DIM, 128)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        qk_norm: true,
        biases: attention_biases(fields, false)?,
        sliding_window: window_behind_the_first(fields, base.layers)?,
        trained_context: fields.context("max_position_embeddings", 32_768)?,
        dual_chunks: fields.present("dual_chunk_attention_config"),
        ..base
    })
}

/// Queries, keys and values are one matrix, gate and up another: the count is that of Llama.
pub(super) fn phi3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for bias in ["attention_bias", "mlp_bias", "lm_head_bias"] {
        fields.must_be(bias, false)?;
    }
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, base.heads)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        sliding_window: fields.window_everywhere(base.layers, None)?,
        trained_context: fields.context("max_position_embeddings", 4_096)?,
        fused_qkv: true,
        joined_rotation: true,
        ..base
    })
}

/// Qwen's window, off unless it is switched on: over the layers that `layer_types` names, or else all but the first `max_window_layers`.
fn window_behind_the_first(fields: Fields<'_>, layers: u32) -> Result<Option<SlidingWindow>, ConfigError> {
    let listed = fields.layers_with("sliding_attention", layers)?;
    if !fields.switch("use_sliding_window", false)? {
        return Ok(None);
    }
    let window = match fields.given("sliding_window", bounds::SLIDING_WINDOW)? {
        Given::Number(window) => window,
        Given::Missing => 4_096,
        Given::Null => return Ok(None),
    };
    let sliding = match listed {
        Some(sliding) => sliding,
        None => layers.saturating_sub(fields.or("max_window_layers", LAYERS_OR_NONE, 28)?),
    };
    Ok((sliding > 0).then_some(SlidingWindow::over(sliding, window)))
}
