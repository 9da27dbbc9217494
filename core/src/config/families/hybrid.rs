//! Families with a recurrent state in most layers: Qwen3-Next, Qwen3.5, Granite 4, Nemotron-H, Falcon-H1 and Jamba.

use crate::architecture::{Architecture, LinearAttention, LinearKind, Mlp, Moe, NormWeight};
use crate::bounds::{self, Bounds};

use super::super::ConfigError;
use super::super::fields::{Fields, Given, LAYERS_OR_NONE};
use super::super::value::Value;
use super::convolution::channels;
use super::mixture::{qwen_experts, with_shared_expert};
use super::{attention_biases, base};

pub(super) fn qwen3_next(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let shape = gated_delta(fields, false, 2)?;
    let moe = qwen_experts(fields, shape.layers, [512, 10, 512])?;
    Ok(Architecture {
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 5_632)?,
        moe: with_shared_expert(fields, moe, 512)?,
        ..shape
    })
}

/// Qwen3.5 and later without experts.
pub(super) fn qwen3_5(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    Ok(Architecture {
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 12_288)?,
        ..gated_delta(fields, true, 4)?
    })
}

/// Qwen3.5 and later with experts, which stand in every layer.
pub(super) fn qwen3_5_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let shape = gated_delta(fields, true, 2)?;
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 512)?;
    let moe = Moe::of(
        fields.or("num_experts", bounds::EXPERTS, 256)?,
        fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 8)?,
        width,
    );
    Ok(Architecture { intermediate_size: width, moe: with_shared_expert(fields, Some(moe), 512)?, ..shape })
}

/// Linear attention in all layers but every fourth, a gate on the output of the others. Files of Qwen3.5 and later ask for a state in fp32, those of Qwen3-Next do not.
fn gated_delta(fields: Fields<'_>, fp32_state: bool, kv_heads: u32) -> Result<Architecture, ConfigError> {
    fields.must_be("attn_output_gate", true)?;
    let base = base(fields)?;
    let linear = match fields.layers_with("linear_attention", base.layers)? {
        Some(linear) => linear,
        None => base.layers - base.layers / fields.or("full_attention_interval", bounds::LAYERS, 4)?,
    };
    let key_heads = fields.or("linear_num_key_heads", bounds::KV_HEADS, 16)?;
    let value_heads = fields.or("linear_num_value_heads", bounds::HEADS, 32)?;
    if !value_heads.is_multiple_of(key_heads) {
        return Err(ConfigError::Contradiction { one: "linear_num_value_heads", other: "linear_num_key_heads" });
    }
    let state = LinearAttention {
        kind: LinearKind::GatedDelta,
        layers: linear,
        key_heads,
        value_heads,
        key_dim: fields.or("linear_key_head_dim", bounds::HEAD_DIM, 128)?,
        value_dim: fields.or("linear_value_head_dim", bounds::HEAD_DIM, 128)?,
        conv_kernel: fields.or("linear_conv_kernel_dim", bounds::CONV_KERNEL, 4)?,
        fp32_state,
    };
    Ok(Architecture {
        kv_heads: fields.never_null("num_key_value_heads", bounds::KV_HEADS, kv_heads)?,
        head_dim: fields.never_null("head_dim", bounds::HEAD_DIM, 256)?,
        qk_norm: true,
        gated_attention: true,
        norm_weight: NormWeight::WithFp32Copy,
        joined_rotation: true,
        biases: attention_biases(fields, false)?,
        linear_attention: (linear > 0).then_some(state),
        trained_context: fields.context("max_position_embeddings", 32_768)?,
        ..base
    })
}

/// Granite 4: Mamba-2 in most layers, an MLP or a mixture with a shared expert in all.
pub(super) fn granite(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("mamba_proj_bias", false)?;
    fields.must_be("mamba_conv_bias", true)?;
    let base = base(fields)?;
    let layers = layers_of(fields, "mamba", base.layers)?;
    let state = LinearAttention {
        kind: LinearKind::Mamba2,
        layers,
        key_heads: fields.or("mamba_n_groups", bounds::KV_HEADS, 1)?,
        value_heads: fields.or("mamba_n_heads", bounds::HEADS, 128)?,
        key_dim: fields.or("mamba_d_state", bounds::HEAD_DIM, 256)?,
        value_dim: fields.number("mamba_d_head", bounds::HEAD_DIM)?,
        conv_kernel: fields.or("mamba_d_conv", bounds::CONV_KERNEL, 4)?,
        fp32_state: false,
    };
    let expanded = u64::from(fields.or("mamba_expand", bounds::LAYERS, 2)?) * u64::from(base.hidden_size);
    if layers > 0 && u64::from(state.value_heads) * u64::from(state.value_dim) != expanded {
        return Err(ConfigError::Contradiction { one: "mamba_n_heads", other: "mamba_expand" });
    }
    let shared = fields.or("shared_intermediate_size", bounds::INTERMEDIATE_SIZE, 1_024)?;
    let width = fields.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?;
    let experts = fields.or("num_local_experts", Bounds { min: 0, ..bounds::EXPERTS }, 8)?;
    let moe = Moe {
        shared_intermediate_size: shared,
        ..Moe::of(experts, fields.or("num_experts_per_tok", Bounds { min: 0, ..bounds::EXPERTS_PER_TOKEN }, 2)?, width)
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, base.heads)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        // Without experts the shared one is the MLP.
        intermediate_size: if experts > 0 { width } else { shared },
        biases: attention_biases(fields, false)?,
        linear_attention: (layers > 0).then_some(state),
        moe: (experts > 0).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 2_048)?,
        ..base
    })
}

/// Nemotron-H and Nemotron 3: layers of Mamba-2, of attention, of MLPs without a gate and of experts, each alone, in the order of a pattern.
pub(super) fn nemotron_h(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for (field, built) in [
        ("use_bias", false),
        ("mlp_bias", false),
        ("mamba_proj_bias", false),
        ("use_conv_bias", true),
        ("mamba_conv_bias", true),
    ] {
        fields.must_be(field, built)?;
    }
    if fields.present("sliding_window") {
        return Err(ConfigError::NotModelled("sliding_window"));
    }
    if !matches!(fields.get("mlp_hidden_act"), None | Some(Value::Nothing))
        && !matches!(fields.get("mlp_hidden_act"), Some(Value::Text(name)) if name == "relu2")
    {
        return Err(ConfigError::NotModelled("a mlp_hidden_act other than relu2"));
    }
    if fields.or("n_shared_experts", Bounds { min: 0, ..bounds::EXPERTS }, 1)? != 1 {
        return Err(ConfigError::NotModelled("n_shared_experts other than 1"));
    }
    let [states, attending, dense, mixtures] = pattern(fields)?;
    let layers = states + attending + dense + mixtures;
    if fields.optional("num_hidden_layers", bounds::LAYERS)?.is_some_and(|said| said != layers) {
        return Err(ConfigError::Contradiction { one: "hybrid_override_pattern", other: "num_hidden_layers" });
    }
    let heads = fields.or("num_attention_heads", bounds::HEADS, 32)?;
    let state = LinearAttention {
        kind: LinearKind::Mamba2,
        layers: states,
        key_heads: fields.first_of(["mamba_n_groups", "n_groups"], bounds::KV_HEADS, 8)?,
        value_heads: fields.or("mamba_num_heads", bounds::HEADS, 128)?,
        key_dim: fields.or("ssm_state_size", bounds::HEAD_DIM, 128)?,
        value_dim: fields.or("mamba_head_dim", bounds::HEAD_DIM, 64)?,
        conv_kernel: fields.first_of(["mamba_d_conv", "conv_kernel"], bounds::CONV_KERNEL, 4)?,
        fp32_state: true,
    };
    let width = fields.or("moe_intermediate_size", bounds::INTERMEDIATE_SIZE, 7_688)?;
    let moe = Moe {
        shared_intermediate_size: fields.or("moe_shared_expert_intermediate_size", bounds::INTERMEDIATE_SIZE, 7_688)?,
        dense_layers: dense,
        latent_size: fields.optional("moe_latent_size", bounds::HIDDEN_SIZE)?,
        alternating: dense > 0,
        ..Moe::of(
            fields.first_of(["num_local_experts", "n_routed_experts"], bounds::EXPERTS, 8)?,
            fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 2)?,
            width,
        )
    };
    Ok(Architecture {
        mlp: Mlp::Gelu,
        norms_per_layer: 1,
        biases: attention_biases(fields, false)?,
        tied_embeddings: fields.tied(false)?,
        linear_attention: (states > 0).then_some(state),
        mlp_layers: dense + mixtures,
        moe: (mixtures > 0).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 4_096)?,
        ..Architecture::llama([
            layers,
            fields.or("hidden_size", bounds::HIDDEN_SIZE, 4_096)?,
            heads,
            fields.kv_heads(heads, 8)?,
            fields.first_of(["attention_head_dim", "head_dim"], bounds::HEAD_DIM, 128)?,
            fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 21_504)?,
            fields.or("vocab_size", bounds::VOCAB_SIZE, 131_072)?,
        ])
    })
}

/// How many layers of Nemotron-H's pattern are Mamba-2, attention, MLPs and experts: a list of names, or a text of one letter each.
fn pattern(fields: Fields<'_>) -> Result<[u32; 4], ConfigError> {
    let mut counts = [0; 4];
    let mut count = |kind: &str| {
        let place = match kind {
            "M" | "mamba" | "linear_attention" => 0,
            "*" | "attention" | "full_attention" => 1,
            "-" | "mlp" => 2,
            "E" | "moe" => 3,
            _ => return false,
        };
        counts.get_mut(place).is_some_and(|count| {
            *count += 1;
            true
        })
    };
    let known = match (fields.list("layers_block_type")?, fields.get("hybrid_override_pattern")) {
        (Some(kinds), _) => kinds.iter().all(|kind| matches!(kind, Value::Text(name) if count(name))),
        (None, Some(Value::Text(letters))) => letters.chars().all(|letter| count(letter.encode_utf8(&mut [0; 4]))),
        (None, _) => return Err(ConfigError::Missing("hybrid_override_pattern")),
    };
    if known { Ok(counts) } else { Err(ConfigError::NotModelled("a kind of layer that its class has not")) }
}

/// Falcon-H1: attention and Mamba-2 side by side in every layer.
pub(super) fn falcon_h1(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    for (field, built) in
        [("mamba_proj_bias", false), ("projectors_bias", false), ("mlp_bias", false), ("mamba_conv_bias", true)]
    {
        fields.must_be(field, built)?;
    }
    let base = base(fields)?;
    let heads = fields.or("mamba_n_heads", bounds::HEADS, 128)?;
    let inner = match fields.given("mamba_d_ssm", bounds::INTERMEDIATE_SIZE)? {
        Given::Number(inner) => inner,
        Given::Missing => 1_024,
        Given::Null => fields.or("mamba_expand", bounds::LAYERS, 2)?.saturating_mul(base.hidden_size),
    };
    let width = match fields.get("mamba_d_head") {
        Some(Value::Text(auto)) if auto == "auto" => inner / heads,
        None => inner / heads,
        Some(_) => fields.number("mamba_d_head", bounds::HEAD_DIM)?,
    };
    if u64::from(heads) * u64::from(width) != u64::from(inner) {
        return Err(ConfigError::Contradiction { one: "mamba_n_heads", other: "mamba_d_ssm" });
    }
    let normed = fields.switch("mamba_rms_norm", false)?;
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 14_336)?,
        biases: attention_biases(fields, false)?,
        linear_attention: Some(LinearAttention {
            kind: if normed { LinearKind::Mamba2 } else { LinearKind::PlainMamba2 },
            layers: base.layers,
            key_heads: fields.or("mamba_n_groups", bounds::KV_HEADS, 1)?,
            value_heads: heads,
            key_dim: fields.or("mamba_d_state", bounds::HEAD_DIM, 256)?,
            value_dim: width,
            conv_kernel: fields.or("mamba_d_conv", bounds::CONV_KERNEL, 4)?,
            fp32_state: false,
        }),
        states_beside_attention: true,
        trained_context: fields.context("max_position_embeddings", 8_192)?,
        ..base
    })
}

/// Jamba: attention in one layer of some, Mamba-1 in the others, experts in one of some, an MLP in the others.
pub(super) fn jamba(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("mamba_proj_bias", false)?;
    fields.must_be("mamba_conv_bias", true)?;
    if fields.present("sliding_window") {
        return Err(ConfigError::NotModelled("sliding_window"));
    }
    let base = base(fields)?;
    // How many layers have the kind that comes once in `period`, the first of them at `offset`.
    let once_in = |one: &'static str, other: &'static str, [often, first]: [u32; 2]| {
        let period = fields.or(other, bounds::LAYERS, often)?;
        let offset = fields.or(one, LAYERS_OR_NONE, first)?;
        if offset >= period {
            return Err(ConfigError::Contradiction { one, other });
        }
        Ok((base.layers + period - 1 - offset) / period)
    };
    let attending = once_in("attn_layer_offset", "attn_layer_period", [8, 4])?;
    let mixtures = once_in("expert_layer_offset", "expert_layer_period", [2, 1])?;
    let inner = fields.or("mamba_expand", bounds::LAYERS, 2)?.saturating_mul(base.hidden_size);
    let experts = fields.or("num_experts", bounds::EXPERTS, 16)?;
    let width = fields.or("intermediate_size", bounds::INTERMEDIATE_SIZE, 14_336)?;
    let moe = Moe {
        dense_layers: base.layers - mixtures,
        alternating: true,
        ..Moe::of(experts, fields.or("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN, 2)?, width)
    };
    let dt_rank = match fields.get("mamba_dt_rank") {
        None => base.hidden_size.div_ceil(16),
        Some(Value::Text(auto)) if auto == "auto" => base.hidden_size.div_ceil(16),
        Some(_) => fields.number("mamba_dt_rank", bounds::LATENT)?,
    };
    let (value_heads, value_dim) = channels(inner);
    let state = LinearAttention {
        kind: LinearKind::Mamba1 { dt_rank },
        layers: base.layers - attending,
        key_heads: 1,
        value_heads,
        key_dim: fields.or("mamba_d_state", bounds::HEAD_DIM, 16)?,
        value_dim,
        conv_kernel: fields.or("mamba_d_conv", bounds::CONV_KERNEL, 4)?,
        fp32_state: false,
    };
    Ok(Architecture {
        kv_heads: fields.kv_heads(base.heads, 8)?,
        head_dim: fields.head_dim(base.hidden_size, base.heads)?,
        intermediate_size: width,
        linear_attention: (attending < base.layers).then_some(state),
        // A single expert is an MLP.
        moe: (experts > 1 && mixtures > 0).then_some(moe),
        trained_context: fields.context("max_position_embeddings", 262_144)?,
        ..base
    })
}

/// How many of the layers that the file lists are `kind`; all others must be `attention`.
fn layers_of(fields: Fields<'_>, kind: &str, layers: u32) -> Result<u32, ConfigError> {
    let types = fields.list("layer_types")?.ok_or(ConfigError::Missing("layer_types"))?;
    if u32::try_from(types.len()) != Ok(layers) {
        return Err(ConfigError::Contradiction { one: "layer_types", other: "num_hidden_layers" });
    }
    let named = |name: &str| types.iter().filter(|it| matches!(it, Value::Text(text) if text == name)).count();
    if named(kind) + named("attention") != types.len() {
        return Err(ConfigError::NotModelled("a kind of layer in layer_types that its class has not"));
    }
    u32::try_from(named(kind)).map_err(|_| ConfigError::Missing("layer_types"))
}
