//! Mixtures of late 2025 and 2026.

use core::num::NonZeroU8;

use crate::architecture::{
    Architecture, Biases, Compression, Indexer, Latent, Moe, NormWeight, Projection, SlidingWindow,
};
use crate::bounds::{self, Bounds};

use super::super::ConfigError;
use super::super::fields::{Fields, LAYERS_OR_NONE};
use super::super::value::Value;
use super::{attention_biases, base};

/// Dense layers before those with experts: by `mlp_layer_types`, or as many as `first_k_dense_replace` says.
pub(super) fn dense_first(fields: Fields<'_>, layers: u32, default: u32) -> Result<u32, ConfigError> {
    let is = |kind: &Value, name: &str| matches!(kind, Value::Text(text) if text == name);
    let Some(kinds) = fields.list("mlp_layer_types")? else {
        return Ok(fields.or("first_k_dense_replace", LAYERS_OR_NONE, default)?.min(layers));
    };
    let dense = kinds.iter().take_while(|kind| is(kind, "dense")).count();
    if kinds.iter().skip(dense).any(|kind| !is(kind, "sparse")) {
        return Err(ConfigError::NotModelled("dense layers behind the first with experts"));
    }
    if u32::try_from(kinds.len()) != Ok(layers) {
        return Err(ConfigError::Contradiction { one: "mlp_layer_types", other: "num_hidden_layers" });
    }
    Ok(layers - u32::try_from(kinds.len() - dense).unwrap_or(layers))
}

/// Hy3: a norm for each head of queries and keys, one dense layer first, one shared expert.
pub(super) fn hy_v3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for (field, built) in [("qk_norm", true), ("mlp_bias", false)] {
        fields.must_be(field, built)?;
    }
    let base = base(fields)?;
    // Files say `expert_hidden_dim` beside `moe_intermediate_size`.
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_536)?;
    if fields.or("expert_hidden_dim", bounds::INTERMEDIATE_SIZE, width)? != width {
        return Err(ConfigError::Contradiction { one: "expert_hidden_dim", other: "moe_intermediate_size" });
    }
    let shared = fields.or("num_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 1)?;
    let dense_layers = dense_first(fields, base.layers, 1)?;
    let experts = fields.or("num_experts", bounds::EXPERTS, 192)?;
    let per_token = fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 8)?;
    let moe = Moe {
        shared_intermediate_size: shared.saturating_mul(width),
        dense_layers,
        ..Moe::of(experts, per_token, width)
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 128)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 13_312)?,
        qk_norm: true,
        biases: attention_biases(fields, false)?,
        moe: (dense_layers < base.layers).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// `MiniMax` M3: an indexer that picks blocks of keys in the layers that `sparse_attention_freq` says, and experts in those that `moe_layer_freq` says.
pub(super) fn minimax_m3(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for (field, built) in [("use_qk_norm", true), ("use_gemma_norm", true), ("attention_output_gate", false)] {
        fields.must_be(field, built)?;
    }
    let Some(Value::Object(sparse)) = fields.get("sparse_attention_config") else {
        return Err(ConfigError::Missing("sparse_attention_config"));
    };
    let sparse = Fields(sparse);
    sparse.must_be("use_sparse_attention", true)?;
    let heads = fields.number("num_attention_heads", bounds::HEADS)?;
    let base = Architecture {
        tied_embeddings: fields.tied(false)?,
        ..Architecture::llama([
            fields.number("num_hidden_layers", bounds::LAYERS)?,
            fields.number("hidden_size", bounds::HIDDEN_SIZE)?,
            heads,
            fields.kv_heads(heads, 4)?,
            fields.number("head_dim", bounds::HEAD_DIM)?,
            fields.number("dense_intermediate_size", bounds::INTERMEDIATE_SIZE)?,
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    };
    let width = fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?;
    let shared = fields.or("shared_intermediate_size", bounds::INTERMEDIATE_SIZE, width)?;
    if fields.or("n_shared_experts", bounds::EXPERTS, 1)? != 1 {
        return Err(ConfigError::NotModelled("n_shared_experts other than 1"));
    }
    let dense_layers = base.layers - behind_zeros(fields, "moe_layer_freq", base.layers)?;
    if sparse.or("sparse_block_size", bounds::SLIDING_WINDOW, Indexer::BLOCK)? != Indexer::BLOCK {
        return Err(ConfigError::NotModelled("a sparse_block_size other than 128"));
    }
    let blocks = sparse.or("sparse_topk_blocks", Bounds { max: 256, ..bounds::SLIDING_WINDOW }, 16)?;
    let small = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    let indexer = Indexer {
        heads: small(sparse.or("sparse_num_index_heads", bounds::HEADS, 4)?),
        head_dim: small(sparse.or("sparse_index_dim", bounds::HEAD_DIM, 128)?),
        topk: small(blocks * Indexer::BLOCK),
        layers: small(behind_zeros(sparse, "sparse_attention_freq", base.layers)?),
    };
    let experts = fields.number("num_local_experts", bounds::EXPERTS)?;
    let per_token = fields.number("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN)?;
    let moe = Moe { shared_intermediate_size: shared, dense_layers, ..Moe::of(experts, per_token, width) };
    Ok(Architecture {
        indexer: Some(indexer),
        norm_weight: NormWeight::WithFp32Copy,
        qk_norm: true,
        joined_rotation: true,
        moe: (dense_layers < base.layers).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 524_288)?,
        ..base
    })
}

/// How many layers a list of 0 and 1 counts, whose zeros come first.
fn behind_zeros(fields: Fields<'_>, field: &'static str, layers: u32) -> Result<u32, ConfigError> {
    let list = fields.list(field)?.ok_or(ConfigError::Missing(field))?;
    let zeros = list.iter().take_while(|it| **it == Value::Whole(0)).count();
    if list.iter().skip(zeros).any(|it| *it != Value::Whole(1)) || u32::try_from(list.len()) != Ok(layers) {
        return Err(ConfigError::NotModelled(field));
    }
    Ok(u32::try_from(list.len() - zeros).unwrap_or(layers))
}

/// Solar Open: attention as Llama's, and experts in every layer with one that every token visits.
pub(super) fn solar_open(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("use_qk_norm", false)?;
    if fields.or("first_k_dense_replace", LAYERS_OR_NONE, 0)? > 0 {
        return Err(ConfigError::NotModelled("dense layers, which its class does not build"));
    }
    let base = base(fields)?;
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_280)?;
    let shared = fields.or("n_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 1)?;
    let experts = fields.or("n_routed_experts", bounds::EXPERTS, 128)?;
    let per_token = fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 8)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim_or(base.hidden_size, base.heads, 128)?,
        // No layer is dense: what a file says of such ones is not read.
        intermediate_size: width,
        biases: Biases { qkv: fields.switch("attention_bias", false)?, attention_output: false, mlp: false },
        moe: Some(Moe { shared_intermediate_size: shared.saturating_mul(width), ..Moe::of(experts, per_token, width) }),
        trained_context: fields.context("max_position_embeddings", 131_072)?,
        ..base
    })
}

/// Ling and Ring up to 2.0: queries, keys and values in one matrix, dense layers first.
///
/// # Source
/// `modeling_bailing_moe_v2.py` of inclusionAI/Ling-mini-2.0 and vLLM's `bailing_moe.py`; the bias by which the router is balanced is a buffer. Read 2026-11-26.
pub(super) fn bailing_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("use_bias", false)?;
    let base = base(fields)?;
    let width = fields.number("moe_intermediate_size", bounds::INTERMEDIATE_SIZE)?;
    let shared_width = fields.or("moe_shared_expert_intermediate_size", bounds::INTERMEDIATE_SIZE, width)?;
    let shared = fields.or("num_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 0)?;
    let dense_layers = fields.or("first_k_dense_replace", LAYERS_OR_NONE, 0)?.min(base.layers);
    let experts = fields.number("num_experts", bounds::EXPERTS)?;
    let per_token = fields.number("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN)?;
    let moe = Moe {
        shared_intermediate_size: shared.saturating_mul(shared_width),
        dense_layers,
        ..Moe::of(experts, per_token, width)
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, base.heads)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
        qk_norm: fields.switch("use_qk_norm", false)?,
        fused_qkv: true,
        joined_rotation: true,
        biases: Biases { qkv: fields.switch("use_qkv_bias", false)?, attention_output: false, mlp: false },
        moe: (dense_layers < base.layers).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 32_768)?,
        ..base
    })
}

/// `DeepSeek` V4: `compress_ratios` says how many tokens a vector of each layer stands for; where the file is silent, its class has 128 in two layers and 128 and 4 in turn behind them.
pub(super) fn deepseek_v4(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for field in ["attention_bias", "mlp_bias"] {
        fields.must_be(field, false)?;
    }
    for field in ["layer_types", "compress_rates", "mlp_layer_types"] {
        if fields.present(field) {
            return Err(ConfigError::NotModelled(field));
        }
    }
    if fields.or("num_key_value_heads", bounds::KV_HEADS, 1)? != 1
        || fields.or("n_shared_experts", bounds::EXPERTS, 1)? != 1
    {
        return Err(ConfigError::NotModelled("num_key_value_heads or n_shared_experts other than 1"));
    }
    let base = base(fields)?;
    let head_dim = fields.or("head_dim", bounds::HEAD_DIM, 512)?;
    let rope_dim = fields.or("qk_rope_head_dim", bounds::LATENT, 64)?;
    let nope_dim = head_dim.saturating_sub(rope_dim);
    let latent = Latent {
        kv_lora_rank: nope_dim,
        q_lora_rank: Some(fields.or("q_lora_rank", bounds::LATENT, 1_024)?),
        rope_dim,
        nope_dim,
        v_dim: head_dim,
    };
    let [sparse, heavy] = ratios(fields, base.layers)?;
    let tiny = |number: u32| u8::try_from(number).ok().and_then(NonZeroU8::new).unwrap_or(NonZeroU8::MIN);
    let small = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 2_048)?;
    let experts = fields.or("n_routed_experts", bounds::EXPERTS, 256)?;
    let per_token = fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 6)?;
    Ok(Architecture {
        kv_heads: 1,
        head_dim,
        intermediate_size: width,
        projection: Projection::Latent(latent),
        indexer: Some(Indexer {
            heads: small(fields.or("index_n_heads", bounds::HEADS, 64)?),
            head_dim: small(fields.or("index_head_dim", bounds::HEAD_DIM, 128)?),
            topk: small(fields.or("index_topk", Bounds { max: u16::MAX.into(), ..bounds::SLIDING_WINDOW }, 512)?),
            layers: small(sparse),
        }),
        compression: Some(Compression {
            groups: tiny(fields.or("o_groups", Bounds { max: 128, ..bounds::HEADS }, 8)?).get(),
            output_rank: small(fields.or("o_lora_rank", Bounds { max: u16::MAX.into(), ..bounds::LATENT }, 1_024)?),
            heavy: small(heavy),
            streams: tiny(fields.or("hc_mult", Bounds { max: 64, ..bounds::HEADS }, 4)?),
        }),
        attention_sinks: true,
        sliding_window: Some(SlidingWindow::over(
            base.layers,
            fields.or("sliding_window", bounds::SLIDING_WINDOW, 128)?,
        )),
        moe: Some(Moe { shared_intermediate_size: width, ..Moe::of(experts, per_token, width) }),
        trained_context: fields.context("max_position_embeddings", 1_048_576)?,
        ..base
    })
}

/// Layers whose vectors stand for 4 tokens, and for 128; layers behind the last that predict further tokens may be listed too.
fn ratios(fields: Fields<'_>, layers: u32) -> Result<[u32; 2], ConfigError> {
    let Some(list) = fields.list("compress_ratios")? else {
        let sparse = layers.saturating_sub(2) / 2;
        return Ok([sparse, layers - sparse]);
    };
    let own = list
        .get(..layers as usize)
        .ok_or(ConfigError::Contradiction { one: "compress_ratios", other: "num_hidden_layers" })?;
    let [sparse, heavy, none] = [4, 128, 0].map(|ratio| own.iter().filter(|it| **it == Value::Whole(ratio)).count());
    if sparse + heavy + none != own.len() {
        return Err(ConfigError::NotModelled("a compress_ratio other than 0, 4 and 128"));
    }
    Ok([sparse, heavy].map(|count| u32::try_from(count).unwrap_or(layers)))
}
