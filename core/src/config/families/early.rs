//! Families with `LayerNorm`s and a plain MLP: GPT-2 and those built after it.

use crate::architecture::{Architecture, Biases, Mlp, Norm, Positions};
use crate::bounds;

use super::super::ConfigError;
use super::super::fields::{Fields, Given, shared_out};

const ALL: Biases = Biases { qkv: true, attention_output: true, mlp: true };
const NONE: Biases = Biases { qkv: false, attention_output: false, mlp: false };

pub(super) fn gpt2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let hidden_size = fields.either("n_embd", "hidden_size", bounds::HIDDEN_SIZE)?;
    let heads = fields.either("n_head", "num_attention_heads", bounds::HEADS)?;
    let positions = fields.either("n_positions", "max_position_embeddings", bounds::POSITIONS)?;
    Ok(Architecture {
        mlp: fields.plain("activation_function", Mlp::GeluNew)?,
        norm: Norm::LayerNorm,
        positions: Positions::Learned(positions),
        biases: ALL,
        tied_embeddings: fields.tied(true)?,
        trained_context: Some(positions),
        fused_qkv: true,
        dropout: fields.drops(&["attn_pdrop", "resid_pdrop", "embd_pdrop"], true),
        ..Architecture::llama([
            fields.either("n_layer", "num_hidden_layers", bounds::LAYERS)?,
            hidden_size,
            heads,
            heads,
            shared_out(hidden_size, heads)?,
            fields.or("n_inner", bounds::INTERMEDIATE_SIZE, hidden_size.saturating_mul(4))?,
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    })
}

/// OPT; the variants of its smallest siblings (a table narrower than the model, norms behind the blocks, norms without weights) are refused.
pub(super) fn opt(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("do_layer_norm_before", true)?;
    fields.must_be("_remove_final_layer_norm", false)?;
    fields.must_be("layer_norm_elementwise_affine", true)?;
    let hidden_size = fields.number("hidden_size", bounds::HIDDEN_SIZE)?;
    let heads = fields.number("num_attention_heads", bounds::HEADS)?;
    if fields.or("word_embed_proj_dim", bounds::HIDDEN_SIZE, hidden_size)? != hidden_size {
        return Err(ConfigError::NotModelled("a word_embed_proj_dim other than hidden_size"));
    }
    let positions = fields.or("max_position_embeddings", bounds::POSITIONS, 2_048)?;
    Ok(Architecture {
        mlp: fields.plain("activation_function", Mlp::Relu)?,
        norm: Norm::LayerNorm,
        // The class adds two rows that no token of a text reaches.
        positions: Positions::Learned(positions.saturating_add(2)),
        biases: if fields.switch("enable_bias", true)? { ALL } else { NONE },
        tied_embeddings: fields.tied(true)?,
        trained_context: Some(positions),
        dropout: fields.drops(&["dropout"], true),
        ..Architecture::llama([
            fields.number("num_hidden_layers", bounds::LAYERS)?,
            hidden_size,
            heads,
            heads,
            shared_out(hidden_size, heads)?,
            fields.number("ffn_dim", bounds::INTERMEDIATE_SIZE)?,
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    })
}

/// BLOOM: the MLP is four times as wide as the model, whatever `n_inner` says.
pub(super) fn bloom(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let hidden_size = fields.either("n_embed", "hidden_size", bounds::HIDDEN_SIZE)?;
    let heads = fields.either("n_head", "num_attention_heads", bounds::HEADS)?;
    Ok(Architecture {
        mlp: Mlp::Gelu,
        norm: Norm::LayerNorm,
        embedding_norm: true,
        positions: Positions::Alibi,
        biases: ALL,
        tied_embeddings: fields.tied(true)?,
        trained_context: fields.optional("seq_length", bounds::POSITIONS)?,
        fused_qkv: true,
        dropout: fields.drops(&["hidden_dropout", "attention_dropout"], false),
        ..Architecture::llama([
            fields.either("n_layer", "num_hidden_layers", bounds::LAYERS)?,
            hidden_size,
            heads,
            heads,
            shared_out(hidden_size, heads)?,
            hidden_size.saturating_mul(4),
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    })
}

/// Falcon: one KV head (7B), as many as the new architecture says (40B, 180B), or one for each query head (RW).
pub(super) fn falcon(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for old in ["n_layer", "n_head"] {
        if fields.present(old) {
            return Err(ConfigError::NotModelled(old));
        }
    }
    let hidden_size = fields.number("hidden_size", bounds::HIDDEN_SIZE)?;
    if fields.or("n_embed", bounds::HIDDEN_SIZE, hidden_size)? != hidden_size {
        return Err(ConfigError::Contradiction { one: "n_embed", other: "hidden_size" });
    }
    let heads = fields.number("num_attention_heads", bounds::HEADS)?;
    let said = fields.or("num_kv_heads", bounds::KV_HEADS, heads)?;
    let new = fields.switch("new_decoder_architecture", false)?;
    let kv_heads = match (new, fields.switch("multi_query", true)?) {
        (true, _) => said,
        (false, true) => 1,
        (false, false) if said == heads => heads,
        (false, false) => return Err(ConfigError::Contradiction { one: "num_kv_heads", other: "multi_query" }),
    };
    let parallel = fields.switch("parallel_attn", true)?;
    let norms = match fields.given("num_ln_in_parallel_attn", bounds::LAYERS)? {
        Given::Number(norms @ (1 | 2)) => norms,
        Given::Number(_) => return Err(ConfigError::NotModelled("a num_ln_in_parallel_attn other than 1 or 2")),
        Given::Missing | Given::Null if new => 2,
        Given::Missing | Given::Null => 1,
    };
    Ok(Architecture {
        mlp: fields.plain("activation", Mlp::Gelu)?,
        norm: Norm::LayerNorm,
        norms_per_layer: if parallel { norms } else { 2 },
        parallel_residual: parallel,
        positions: if fields.switch("alibi", false)? { Positions::Alibi } else { Positions::Rotary },
        biases: if fields.switch("bias", false)? { ALL } else { NONE },
        tied_embeddings: fields.tied(true)?,
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        fused_qkv: true,
        dropout: fields.drops(&["hidden_dropout", "attention_dropout"], false),
        ..Architecture::llama([
            fields.number("num_hidden_layers", bounds::LAYERS)?,
            hidden_size,
            heads,
            kv_heads,
            shared_out(hidden_size, heads)?,
            fields.or("ffn_hidden_size", bounds::INTERMEDIATE_SIZE, hidden_size.saturating_mul(4))?,
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    })
}

/// GPT-NeoX and Pythia.
pub(super) fn gpt_neox(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let hidden_size = fields.number("hidden_size", bounds::HIDDEN_SIZE)?;
    let heads = fields.number("num_attention_heads", bounds::HEADS)?;
    let attention = fields.switch("attention_bias", true)?;
    Ok(Architecture {
        mlp: fields.plain("hidden_act", Mlp::Gelu)?,
        norm: Norm::LayerNorm,
        parallel_residual: fields.switch("use_parallel_residual", true)?,
        biases: Biases { qkv: attention, attention_output: attention, mlp: true },
        tied_embeddings: fields.tied(false)?,
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        fused_qkv: true,
        joined_rotation: true,
        dropout: fields.drops(&["hidden_dropout", "attention_dropout"], false),
        ..Architecture::llama([
            fields.number("num_hidden_layers", bounds::LAYERS)?,
            hidden_size,
            heads,
            heads,
            shared_out(hidden_size, heads)?,
            fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    })
}

pub(super) fn starcoder2(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let hidden_size = fields.number("hidden_size", bounds::HIDDEN_SIZE)?;
    let heads = fields.number("num_attention_heads", bounds::HEADS)?;
    let layers = fields.number("num_hidden_layers", bounds::LAYERS)?;
    Ok(Architecture {
        mlp: fields.plain("hidden_act", Mlp::Gelu)?,
        norm: Norm::LayerNorm,
        biases: if fields.switch("use_bias", true)? { ALL } else { NONE },
        tied_embeddings: fields.tied(true)?,
        sliding_window: fields.window_everywhere(layers, None)?,
        trained_context: fields.context("max_position_embeddings", 4_096)?,
        dropout: fields.drops(&["residual_dropout", "attention_dropout", "embedding_dropout"], false),
        ..Architecture::llama([
            layers,
            hidden_size,
            heads,
            fields.never_null("num_key_value_heads", bounds::KV_HEADS, 2)?,
            fields.head_dim(hidden_size, heads)?,
            fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    })
}
