//! Kimi Linear: delta attention with a decay for each channel in most layers, latent attention in the others.

use crate::architecture::{Architecture, LinearAttention, LinearKind, Moe, Projection};
use crate::bounds::{self, Bounds};

use super::super::ConfigError;
use super::super::fields::{Fields, LAYERS_OR_NONE};
use super::super::value::Value;
use super::{base, latent};

/// Latent attention has no positions, which changes no size. What Kimi K3 adds to it is refused by name: residuals over blocks of layers, experts and dense layers in a width of their own, gates.
///
/// # Source
/// transformers at 0bc4dd0d, `KimiLinearConfig` (`models/kimi_linear/configuration_kimi_linear.py`): a file that it saves has `dense_ffn_hidden`, which is
/// `intermediate_size` where none was given. Read 2026-11-27.
pub(super) fn kimi_linear(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    if fields.or("attn_res_block_size", LAYERS_OR_NONE, 0)? > 0 {
        return Err(ConfigError::NotModelled("attn_res_block_size (residuals over blocks of layers)"));
    }
    if fields.present("routed_expert_hidden_size") {
        return Err(ConfigError::NotModelled("routed_expert_hidden_size"));
    }
    let intermediate_size = fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 9_216)?;
    if fields.or("dense_ffn_hidden", bounds::INTERMEDIATE_SIZE, intermediate_size)? != intermediate_size {
        return Err(ConfigError::NotModelled("dense_ffn_hidden"));
    }
    fields.must_be("mla_use_output_gate", false)?;
    if fields.or("moe_layer_freq", bounds::LAYERS, 1)? != 1 {
        return Err(ConfigError::NotModelled("a moe_layer_freq other than 1"));
    }
    let base = base(fields)?;
    let latent = latent::widths(fields, None)?;
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_024)?;
    let shared = fields.or("num_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 1)?;
    let dense_layers = fields.or("first_k_dense_replace", LAYERS_OR_NONE, 1)?.min(base.layers);
    let moe = Moe {
        shared_intermediate_size: shared.saturating_mul(width),
        dense_layers,
        ..Moe::of(
            fields.or("num_experts", bounds::EXPERTS, 256)?,
            fields.first_of(["num_experts_per_token", "num_experts_per_tok"], bounds::EXPERTS_PER_TOKEN, 8)?,
            width,
        )
    };
    let context = if fields.present("model_max_length") { "model_max_length" } else { "max_position_embeddings" };
    Ok(Architecture {
        head_dim: latent.nope_dim + latent.rope_dim,
        intermediate_size,
        projection: Projection::Latent(latent),
        linear_attention: states(fields, base.layers)?,
        moe: (dense_layers < base.layers).then_some(moe),
        trained_context: fields.context(context, 1_048_576)?,
        ..base
    })
}

/// The layers with a state, which `linear_attn_config` lists, counted from 1; each layer stands in one of its two lists, once.
fn states(fields: Fields<'_>, layers: u32) -> Result<Option<LinearAttention>, ConfigError> {
    let inner = match fields.get("linear_attn_config") {
        Some(Value::Object(inner)) => Fields(inner),
        None | Some(Value::Nothing) => return Err(ConfigError::Missing("linear_attn_config")),
        Some(other) => {
            return Err(ConfigError::WrongKind {
                field: "linear_attn_config",
                wanted: "an object",
                found: other.kind(),
            });
        }
    };
    inner.must_be("use_full_rank_gate", false)?;
    let listed = |field| inner.list(field).map(Option::unwrap_or_default);
    let (attending, linear) = (listed("full_attn_layers")?, listed("kda_layers")?);
    let once = |layer| attending.iter().chain(linear).filter(|it| **it == Value::Whole(layer)).count() == 1;
    if u32::try_from(attending.len() + linear.len()) != Ok(layers) || !(1..=u64::from(layers)).all(once) {
        return Err(ConfigError::Contradiction { one: "linear_attn_config", other: "num_hidden_layers" });
    }
    let heads = inner.number("num_heads", bounds::KV_HEADS)?;
    let width = inner.number("head_dim", bounds::HEAD_DIM)?;
    let state = LinearAttention {
        kind: LinearKind::Kda,
        layers: u32::try_from(linear.len()).unwrap_or(layers),
        key_heads: heads,
        value_heads: heads,
        key_dim: width,
        value_dim: width,
        conv_kernel: inner.or("short_conv_kernel_size", bounds::CONV_KERNEL, 4)?,
        fp32_state: true,
    };
    Ok((!linear.is_empty()).then_some(state))
}
