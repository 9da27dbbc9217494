//! The four Gemmas. Published files of the second and third leave much to the defaults of their classes.

use crate::architecture::{Architecture, Moe, NormWeight, SlidingWindow};
use crate::bounds;

use super::super::ConfigError;
use super::super::fields::Fields;
use super::{attention_biases, base};

pub(super) fn gemma(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.gated("hidden_activation")?;
    let base = base(fields)?;
    Ok(Architecture {
        kv_heads: fields.never_null("num_key_value_heads", bounds::KV_HEADS, 16)?,
        head_dim: fields.never_null("head_dim", bounds::HEAD_DIM, 256)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        norm_weight: NormWeight::WithFp32Copy,
        biases: attention_biases(fields, false)?,
        tied_embeddings: fields.tied(true)?,
        trained_context: fields.context("max_position_embeddings", 8_192)?,
        ..base
    })
}

pub(super) fn gemma2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let shape = normed_four_times(fields, [256_000, 8_192, 2, 4_096])?;
    // `null` switches a cap off; where the file is silent the class has both.
    let capped = ["attn_logit_softcapping", "final_logit_softcapping"]
        .into_iter()
        .any(|cap| fields.get(cap).is_none() || fields.present(cap));
    Ok(Architecture { soft_capped: capped, ..shape })
}

pub(super) fn gemma3_text(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let pattern = fields.or("sliding_window_pattern", bounds::LAYERS, 6)?;
    let shape = normed_four_times(fields, [262_208, 131_072, pattern, 4_096])?;
    let capped = ["attn_logit_softcapping", "final_logit_softcapping"].into_iter().any(|cap| fields.present(cap));
    Ok(Architecture { qk_norm: true, soft_capped: capped, rotary_in_windows: true, ..shape })
}

/// Gemma 4 without embeddings for each layer: heads of their own in layers that see everything, which may make values with the matrix of the keys;
/// with experts these stand beside an MLP that every token visits, and four norms more, one of them the router's.
pub(super) fn gemma4_text(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    // Where the file is silent the class has such embeddings.
    if fields.get("hidden_size_per_layer_input").is_none() {
        return Err(ConfigError::NotModelled("hidden_size_per_layer_input"));
    }
    gemma4(fields, [262_144, 131_072, 6, 512])
}

/// The 12B of Gemma 4, whose class never has such embeddings.
pub(super) fn gemma4_unified_text(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    gemma4(fields, [262_144, 262_144, 6, 1_024])
}

fn gemma4(fields: Fields<'_>, defaults: [u32; 4]) -> Result<Architecture, ConfigError> {
    let shape = normed_four_times(fields, defaults)?;
    let shared_keys = fields.switch("attention_k_eq_v", false)?;
    let own_heads = fields.optional("num_global_key_value_heads", bounds::KV_HEADS)?.filter(|_| shared_keys);
    let sliding = shape.sliding_window.map(|sliding| SlidingWindow {
        kv_heads: Some(shape.kv_heads),
        head_dim: Some(shape.head_dim),
        ..sliding
    });
    let dense = Architecture {
        kv_heads: own_heads.unwrap_or(shape.kv_heads),
        head_dim: fields.or("global_head_dim", bounds::HEAD_DIM, 512)?,
        qk_norm: true,
        keys_as_values: shared_keys,
        soft_capped: fields.present("final_logit_softcapping"),
        unstable_in_fp16: false,
        sliding_window: sliding,
        rotary_in_windows: true,
        ..shape
    };
    if !fields.switch("enable_moe_block", false)? {
        return Ok(dense);
    }
    let moe = Moe {
        shared_intermediate_size: dense.intermediate_size,
        // A number that weighs each expert.
        router_bias: true,
        ..Moe::of(
            fields.number("num_experts", bounds::EXPERTS)?,
            fields.number("top_k_experts", bounds::EXPERTS_PER_TOKEN)?,
            fields.number("moe_intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        )
    };
    Ok(Architecture { norms_per_layer: 8, moe: Some(moe), ..dense })
}

/// What both have in common: four norms a layer, and windows in all layers but every `pattern`-th.
fn normed_four_times(
    fields: Fields<'_>,
    [vocab_size, context, pattern, window]: [u32; 4],
) -> Result<Architecture, ConfigError> {
    fields.gated("hidden_activation")?;
    let layers = fields.or("num_hidden_layers", bounds::LAYERS, 26)?;
    let sliding = match fields.layers_with("sliding_attention", layers)? {
        Some(sliding) => sliding,
        None => layers - layers / pattern,
    };
    let window = fields.or("sliding_window", bounds::SLIDING_WINDOW, window)?;
    Ok(Architecture {
        unstable_in_fp16: true,
        norm_weight: NormWeight::WithFp32Copy,
        norms_per_layer: 4,
        biases: attention_biases(fields, false)?,
        tied_embeddings: fields.tied(true)?,
        sliding_window: (sliding > 0).then_some(SlidingWindow::over(sliding, window)),
        trained_context: fields.context("max_position_embeddings", context)?,
        ..Architecture::llama([
            layers,
            fields.or("hidden_size", bounds::HIDDEN_SIZE, 2_304)?,
            fields.or("num_attention_heads", bounds::HEADS, 8)?,
            fields.never_null("num_key_value_heads", bounds::KV_HEADS, 4)?,
            fields.never_null("head_dim", bounds::HEAD_DIM, 256)?,
            fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 9_216)?,
            fields.or("vocab_size", bounds::VOCAB_SIZE, vocab_size)?,
        ])
    })
}
