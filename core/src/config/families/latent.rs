//! Families with latent attention and a mixture of experts: `DeepSeek` and those built like it.

use crate::architecture::{Architecture, Latent, Moe, Projection};
use crate::bounds::{self, Bounds};

use super::super::ConfigError;
use super::super::fields::{Fields, Given, LAYERS_OR_NONE};
use super::base;

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

/// GLM-4.7-Flash: its class has widths of its own where the file is silent, so that the file must say them.
pub(super) fn glm4_moe_lite(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for field in ["q_lora_rank", "qk_nope_head_dim", "v_head_dim"] {
        fields.number(field, bounds::LATENT)?;
    }
    if fields.present("mlp_layer_types") {
        return Err(ConfigError::NotModelled("mlp_layer_types"));
    }
    deepseek(fields, [64, 1, 1_536, 1, 202_752], Some(4))
}
