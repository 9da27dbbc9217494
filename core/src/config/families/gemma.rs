//! The three Gemmas. Published files of the second and third leave much to the defaults of their classes.

use crate::architecture::{Architecture, SlidingWindow};
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
        biases: attention_biases(fields, false)?,
        tied_embeddings: fields.tied(true)?,
        trained_context: fields.context("max_position_embeddings", 8_192)?,
        ..base
    })
}

pub(super) fn gemma2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let shape = normed_four_times(fields, 256_000, 8_192, 2)?;
    // `null` switches a cap off; where the file is silent the class has both.
    let capped = ["attn_logit_softcapping", "final_logit_softcapping"]
        .into_iter()
        .any(|cap| fields.get(cap).is_none() || fields.present(cap));
    Ok(Architecture { soft_capped: capped, ..shape })
}

pub(super) fn gemma3_text(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let pattern = fields.or("sliding_window_pattern", bounds::LAYERS, 6)?;
    let shape = normed_four_times(fields, 262_208, 131_072, pattern)?;
    let capped = ["attn_logit_softcapping", "final_logit_softcapping"].into_iter().any(|cap| fields.present(cap));
    Ok(Architecture { qk_norm: true, soft_capped: capped, ..shape })
}

/// What both have in common: four norms a layer, and windows in all layers but every `pattern`-th.
fn normed_four_times(
    fields: Fields<'_>,
    vocab_size: u32,
    context: u32,
    pattern: u32,
) -> Result<Architecture, ConfigError> {
    fields.gated("hidden_activation")?;
    let layers = fields.or("num_hidden_layers", bounds::LAYERS, 26)?;
    let sliding = match fields.layers_with("sliding_attention", layers)? {
        Some(sliding) => sliding,
        None => layers - layers / pattern,
    };
    let window = fields.or("sliding_window", bounds::SLIDING_WINDOW, 4_096)?;
    Ok(Architecture {
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
