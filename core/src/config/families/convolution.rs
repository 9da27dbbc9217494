//! LFM2: gated short convolutions in most layers.

use crate::architecture::{Architecture, Biases, LinearAttention, LinearKind, Moe};
use crate::bounds;

use super::super::ConfigError;
use super::super::fields::{Fields, LAYERS_OR_NONE};
use super::super::value::Value;
use super::base;

/// The channels of a convolution are cut as the heads of attention are, by this width; no figure depends on it.
const CHANNELS: u32 = 64;

/// LFM2 without experts. `block_ff_dim` is the width of an MLP without a gate, and made smaller unless the file says otherwise.
pub(super) fn lfm2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let width = match fields.optional("block_ff_dim", bounds::INTERMEDIATE_SIZE)? {
        Some(width) => width,
        None => fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 12_288)?,
    };
    let narrowed = if fields.switch("block_auto_adjust_ff_dim", true)? {
        match fields.get("block_ffn_dim_multiplier") {
            None | Some(Value::Nothing | Value::Whole(1)) => {}
            Some(Value::Number(factor)) if (1.0..=1.0).contains(factor) => {}
            Some(_) => return Err(ConfigError::NotModelled("block_ffn_dim_multiplier")),
        }
        let step = fields.or("block_multiple_of", bounds::INTERMEDIATE_SIZE, 256)?;
        let two_thirds = u64::from(width) * 2 / 3;
        u32::try_from(two_thirds.next_multiple_of(step.into())).unwrap_or(u32::MAX)
    } else {
        width
    };
    Ok(Architecture { intermediate_size: narrowed, ..convolutional(fields)? })
}

/// LFM2 with experts behind its first layers.
pub(super) fn lfm2_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let shape = convolutional(fields)?;
    let dense_layers = fields.or("num_dense_layers", LAYERS_OR_NONE, 2)?.min(shape.layers);
    let moe = Moe {
        dense_layers,
        ..Moe::of(
            fields.or("num_experts", bounds::EXPERTS, 32)?,
            fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 4)?,
            fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_792)?,
        )
    };
    Ok(Architecture {
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 7_168)?,
        moe: (dense_layers < shape.layers).then_some(moe),
        ..shape
    })
}

/// Heads and their width, into which so many channels are cut.
pub(super) const fn channels(channels: u32) -> (u32, u32) {
    let width = if channels.is_multiple_of(CHANNELS) { CHANNELS } else { 1 };
    (channels / width, width)
}

fn convolutional(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("conv_bias", false)?;
    let base = base(fields)?;
    let layers = match (fields.layers_with("conv", base.layers)?, fields.list("full_attn_idxs")?) {
        (Some(layers), _) => layers,
        (None, Some(full)) => base.layers.saturating_sub(u32::try_from(full.len()).unwrap_or(u32::MAX)),
        (None, None) => return Err(ConfigError::Missing("layer_types")),
    };
    let (value_heads, value_dim) = channels(base.hidden_size);
    let convolution = LinearAttention {
        kind: LinearKind::ShortConv,
        layers,
        key_heads: 1,
        value_heads,
        key_dim: 1,
        value_dim,
        conv_kernel: fields.or("conv_L_cache", bounds::CONV_KERNEL, 3)?,
        fp32_state: false,
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        qk_norm: true,
        biases: Biases::default(),
        tied_embeddings: if fields.present("tie_embedding") {
            fields.switch("tie_embedding", true)?
        } else {
            fields.tied(true)?
        },
        linear_attention: (layers > 0).then_some(convolution),
        trained_context: fields.context("max_position_embeddings", 128_000)?,
        ..base
    })
}
