//! Families with latent attention and a mixture of experts: `DeepSeek` and those built like it.

use crate::architecture::{Architecture, Indexer, Latent, Moe, Projection};
use crate::bounds::{self, Bounds};

use super::super::ConfigError;
use super::super::fields::{Fields, Given, LAYERS_OR_NONE};
use super::super::value::Value;
use super::base;

pub(super) fn deepseek_v2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("mlp_bias", false)?;
    // Experts, shared experts where the file is silent, width of one, dense layers, context.
    deepseek(fields, [64, 2, 1_407, 0, 2_048], None)
}

pub(super) fn deepseek_v3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    deepseek(fields, [256, 1, 2_048, 3, 4_096], Some(8))
}

/// The widths of latent attention; `q_lora_rank` where the file is silent about that of queries.
pub(super) fn widths(fields: Fields<'_>, q_lora_rank: Option<u32>) -> Result<Latent, ConfigError> {
    Ok(Latent {
        kv_lora_rank: fields.or("kv_lora_rank", bounds::LATENT, 512)?,
        q_lora_rank: match fields.given("q_lora_rank", bounds::LATENT)? {
            Given::Number(rank) => Some(rank),
            Given::Missing => q_lora_rank,
            Given::Null => None,
        },
        rope_dim: fields.or("qk_rope_head_dim", bounds::LATENT, 64)?,
        nope_dim: fields.or("qk_nope_head_dim", bounds::LATENT, 128)?,
        v_dim: fields.or("v_head_dim", bounds::LATENT, 128)?,
    })
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
    let latent = widths(fields, Some(1_536))?;
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

/// Mistral Small 4 and Large 3: V3 with its own widths, and without the bias by which the router is balanced.
pub(super) fn mistral4(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for field in ["kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "v_head_dim"] {
        fields.number(field, bounds::LATENT)?;
    }
    deepseek(fields, [128, 1, 2_048, 0, 1_048_576], Some(4))
}

/// `DeepSeek` V3.2: V3 with an indexer in every layer.
pub(super) fn deepseek_v32(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for field in ["index_topk_freq", "index_topk_pattern", "indexer_types"] {
        if fields.present(field) {
            return Err(ConfigError::NotModelled(field));
        }
    }
    with_indexer(fields, 64, [256, 1, 2_048, 3, 163_840])
}

/// GLM-5: its class has widths of its own where the file is silent, so that the file must say them.
pub(super) fn glm_moe_dsa(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for field in ["q_lora_rank", "qk_nope_head_dim", "v_head_dim"] {
        fields.number(field, bounds::LATENT)?;
    }
    with_indexer(fields, 32, [256, 1, 2_048, 3, 202_752])
}

fn with_indexer(fields: Fields<'_>, heads: u32, defaults: [u32; 5]) -> Result<Architecture, ConfigError> {
    let shape = deepseek(fields, defaults, Some(8))?;
    dense_before_experts(fields, &shape)?;
    if matches!(shape.projection, Projection::Latent(Latent { q_lora_rank: None, .. })) {
        return Err(ConfigError::NotModelled("an indexer without compressed queries"));
    }
    let small = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    let indexer = Indexer {
        heads: small(fields.or("index_n_heads", bounds::HEADS, heads)?),
        head_dim: small(fields.or("index_head_dim", bounds::HEAD_DIM, 128)?),
        topk: small(fields.or("index_topk", Bounds { max: u16::MAX.into(), ..bounds::SLIDING_WINDOW }, 2_048)?),
        layers: small(indexers(fields, shape.layers)?),
    };
    Ok(Architecture { indexer: Some(indexer), ..shape })
}

/// `mlp_layer_types`, where there are any, must say what `first_k_dense_replace` does.
fn dense_before_experts(fields: Fields<'_>, shape: &Architecture) -> Result<(), ConfigError> {
    let Some(kinds) = fields.list("mlp_layer_types")? else { return Ok(()) };
    let dense = u64::from(shape.layers - shape.moe_layers());
    let as_counted = |(layer, kind): (u64, &Value)| matches!(kind, Value::Text(name) if name == if layer < dense { "dense" } else { "sparse" });
    if u32::try_from(kinds.len()) == Ok(shape.layers) && (0..).zip(kinds).all(as_counted) {
        Ok(())
    } else {
        Err(ConfigError::Contradiction { one: "mlp_layer_types", other: "first_k_dense_replace" })
    }
}

/// Layers with an indexer of their own: by their list, by a pattern of letters, or one of so many behind the first.
fn indexers(fields: Fields<'_>, layers: u32) -> Result<u32, ConfigError> {
    if let Some(kinds) = fields.list("indexer_types")? {
        let own = |kind: &&Value| matches!(kind, Value::Text(name) if name == "full");
        let shared = |kind: &&Value| matches!(kind, Value::Text(name) if name == "shared");
        return counted("indexer_types", layers, kinds.iter(), own, shared);
    }
    match fields.get("index_topk_pattern") {
        None | Some(Value::Nothing) => {}
        Some(Value::Text(letters)) => {
            return counted("index_topk_pattern", layers, letters.chars(), |it| *it == 'F', |it| *it == 'S');
        }
        Some(_) => return Err(ConfigError::NotModelled("an index_topk_pattern that is no text")),
    }
    let every = fields.or("index_topk_freq", bounds::LAYERS, 1)?;
    let first = fields.or("index_skip_topk_offset", LAYERS_OR_NONE, 2)?;
    let own = (0..layers).filter(|layer| (layer + 1).saturating_sub(first).is_multiple_of(every)).count();
    Ok(u32::try_from(own).unwrap_or(layers))
}

/// How many of a list, one for each layer, have an indexer of their own.
fn counted<T>(
    field: &'static str,
    layers: u32,
    kinds: impl Iterator<Item = T> + Clone,
    own: impl Fn(&T) -> bool,
    shared: impl Fn(&T) -> bool,
) -> Result<u32, ConfigError> {
    if u32::try_from(kinds.clone().count()) != Ok(layers) {
        return Err(ConfigError::Contradiction { one: field, other: "num_hidden_layers" });
    }
    if !kinds.clone().all(|kind| own(&kind) || shared(&kind)) {
        return Err(ConfigError::NotModelled(field));
    }
    Ok(u32::try_from(kinds.filter(own).count()).unwrap_or(layers))
}
