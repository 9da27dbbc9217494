//! The families, one function each: the fields of a `config.json` as the family's own class reads them.
//!
//! Source: the configuration and model classes of `transformers` 4.57.6, and of 5.23 for families that came later. Where a file is silent, the default of the class holds;
//! what a class does not read is not read here, unless it contradicts what is.

mod convolution;
mod delta;
mod early;
mod gemma;
mod hybrid;
mod latent;
mod llama;
mod mixture;
mod newest;
mod recent;
mod vision;

use crate::architecture::{Architecture, Biases};
use crate::bounds;

use super::ConfigError;
use super::fields::Fields;
use super::value::Value;

/// Reads the fields of one family.
type Reader = fn(Fields<'_>) -> Result<Architecture, ConfigError>;

/// What the classes of some families have and most have not.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// A mixture of experts.
    Experts,
    /// Latent attention.
    Latent,
    /// Layers with a state in place of a cache.
    States,
    /// Layers of different kinds, listed.
    Kinds,
    /// An indexer, which picks the tokens that attention reads.
    Indexers,
    /// Vectors that stand for several tokens, and several streams.
    Compressed,
    /// An image part whose fields stand beside those of the language model.
    Images,
}

use Part::{Compressed, Experts, Images, Indexers, Kinds, Latent, States};

macro_rules! families {
    ($($name:literal, $reader:path, [$($part:ident),*];)*) => {
        /// The families that can be read, by their `model_type`.
        pub const FAMILIES: &[&str] = &[$($name),*];

        fn known(family: &str) -> Option<(Reader, &'static [Part])> {
            match family {
                $($name => Some(($reader as Reader, &[$($part),*])),)*
                _ => None,
            }
        }
    };
}

families! {
    "llama", llama::llama, [];
    "mistral", llama::mistral, [];
    "mixtral", mixture::mixtral, [Experts];
    "qwen2", llama::qwen2, [Kinds];
    "qwen2_moe", mixture::qwen2_moe, [Experts];
    "qwen3", llama::qwen3, [Kinds];
    "qwen3_moe", mixture::qwen3_moe, [Experts];
    "qwen2_5_vl_text", vision::qwen2_5_vl, [Kinds, Images];
    "qwen3_vl_text", vision::qwen3_vl, [Kinds];
    "qwen3_vl_moe_text", vision::qwen3_vl_moe, [Experts];
    "qwen3_next", hybrid::qwen3_next, [Experts, States, Kinds];
    "gemma", gemma::gemma, [];
    "gemma2", gemma::gemma2, [Kinds];
    "gemma3_text", gemma::gemma3_text, [Kinds];
    "gemma4_text", gemma::gemma4_text, [Experts, Kinds];
    "gemma4_unified_text", gemma::gemma4_unified_text, [Experts, Kinds];
    "phi3", llama::phi3, [];
    "granite", llama::llama, [];
    "deepseek_v2", latent::deepseek_v2, [Experts, Latent];
    "deepseek_v3", latent::deepseek_v3, [Experts, Latent];
    "deepseek_v32", latent::deepseek_v32, [Experts, Latent, Indexers];
    "deepseek_v4", newest::deepseek_v4, [Experts, Latent, Kinds, Indexers, Compressed];
    "glm_moe_dsa", latent::glm_moe_dsa, [Experts, Latent, Indexers];
    "gpt_oss", mixture::gpt_oss, [Experts, Kinds];
    "llama4_text", mixture::llama4_text, [Experts, Kinds];
    "gpt2", early::gpt2, [];
    "opt", early::opt, [];
    "bloom", early::bloom, [];
    "falcon", early::falcon, [];
    "gpt_neox", early::gpt_neox, [];
    "starcoder2", early::starcoder2, [];
    "smollm3", recent::smollm3, [Kinds];
    "seed_oss", recent::seed_oss, [];
    "olmo2", recent::olmo2, [];
    "olmo3", recent::olmo3, [Kinds];
    "glm4", recent::glm4, [];
    "exaone4", recent::exaone4, [Kinds];
    "exaone_moe", mixture::exaone_moe, [Experts, Kinds];
    "dots1", mixture::dots1, [Experts, Kinds];
    "ernie4_5", recent::ernie4_5, [];
    "ministral3", recent::ministral3, [];
    "qwen3_5_text", hybrid::qwen3_5, [States, Kinds];
    "qwen3_5_moe_text", hybrid::qwen3_5_moe, [Experts, States, Kinds];
    "glm4_moe", mixture::glm4_moe, [Experts];
    "glm4_moe_lite", latent::glm4_moe_lite, [Experts, Latent];
    "kimi_k2", latent::deepseek_v3, [Experts, Latent];
    "kimi_linear", delta::kimi_linear, [Experts, Latent, States, Kinds];
    "ernie4_5_moe", mixture::ernie4_5_moe, [Experts];
    "minimax_m2", mixture::minimax_m2, [Experts];
    "granitemoehybrid", hybrid::granite, [Experts, States, Kinds];
    "nemotron_h", hybrid::nemotron_h, [Experts, States, Kinds];
    "falcon_h1", hybrid::falcon_h1, [States];
    "jamba", hybrid::jamba, [Experts, States];
    "hunyuan_v1_dense", mixture::hunyuan_dense, [];
    "hunyuan_v1_moe", mixture::hunyuan, [Experts];
    "mistral4", latent::mistral4, [Experts, Latent];
    "minimax_m3", newest::minimax_m3, [Experts, Kinds, Indexers];
    "cohere2", recent::cohere2, [Kinds];
    "apertus", recent::apertus, [];
    "hy_v3", newest::hy_v3, [Experts];
    "solar_open", newest::solar_open, [Experts];
    "bailing_moe", newest::bailing_moe, [Experts];
    "mimo", llama::mimo, [Kinds];
    "lfm2", convolution::lfm2, [States, Kinds];
    "lfm2_moe", convolution::lfm2_moe, [Experts, States, Kinds];
}

/// Where a family says how many layers predict further tokens, and how many there are where its file is silent: of families whose layers are known,
/// one like the last of the model, which sees the whole context, behind a matrix that joins the last state and the next token's embedding.
///
/// # Source
/// vLLM, `deepseek_mtp.py`, `glm4_moe_mtp.py`, `hy_v3_mtp.py`, `mimo_mtp.py`, `qwen3_next_mtp.py` (`getattr(config, "num_nextn_predict_layers", 1)`) and `qwen3_5_mtp.py`. Those of ERNIE 4.5 and K-EXAONE (a dense layer)
/// and of Nemotron 3 (a pattern of its own) are others. Read 2026-11-25.
pub(super) fn prediction_layers(family: &str) -> Option<(&'static str, u32)> {
    match family {
        "deepseek_v3" | "deepseek_v32" | "glm_moe_dsa" | "kimi_k2" | "glm4_moe" | "glm4_moe_lite" | "hy_v3"
        | "mimo" => Some(("num_nextn_predict_layers", 0)),
        "qwen3_next" => Some(("num_nextn_predict_layers", 1)),
        "qwen3_5_text" | "qwen3_5_moe_text" => Some(("mtp_num_hidden_layers", 0)),
        _ => None,
    }
}

/// Models of several parts whose language model stands in `text_config`, and the families that it may be of:
/// the first where that part does not say so; of `LLaVA` any that can be read. Files of Qwen2.5-VL have the fields of the language model beside the others.
pub(super) const AROUND: [(&str, &[&str]); 15] = [
    ("gemma4", &["gemma4_text"]),
    ("gemma4_unified", &["gemma4_unified_text"]),
    ("gemma3", &["gemma3_text"]),
    ("mistral3", &["mistral", "ministral3", "mistral4"]),
    ("llama4", &["llama4_text"]),
    ("llava", &["llama"]),
    ("llava_next", &["llama"]),
    ("qwen2_5_vl", &["qwen2_5_vl_text"]),
    ("qwen3_vl", &["qwen3_vl_text"]),
    ("qwen3_vl_moe", &["qwen3_vl_moe_text"]),
    ("qwen3_5", &["qwen3_5_text"]),
    ("qwen3_5_moe", &["qwen3_5_moe_text"]),
    ("kimi_k25", &["kimi_k2"]),
    ("kimi_k3", &["kimi_linear"]),
    ("minimax_m3_vl", &["minimax_m3"]),
];

/// Fields that change any model in a way that is not modelled, unless they say that they do not.
const CHANGES: [&str; 10] = [
    "add_cross_attention",
    "is_encoder_decoder",
    "cross_attention_hidden_size",
    "num_kv_shared_layers",
    "kv_sharing_map",
    "yoco",
    "is_hybrid",
    "mup_width_scale",
    "pruned_heads",
    "use_bidirectional_attention",
];

/// Fields of mixtures of experts.
const OF_EXPERTS: [&str; 17] = [
    "num_shared_expert",
    "num_local_experts",
    "num_experts",
    "n_routed_experts",
    "num_experts_per_tok",
    "moe_intermediate_size",
    "n_shared_experts",
    "num_shared_experts",
    "shared_expert_intermediate_size",
    "first_k_dense_replace",
    "shared_intermediate_size",
    "moe_layers",
    "expert_layer_period",
    "moe_layer_freq",
    "moe_num_experts",
    "moe_topk",
    "mlp_layer_types",
];

/// Fields of latent attention.
const OF_LATENT: [&str; 5] = ["kv_lora_rank", "q_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"];

/// Fields of an indexer.
const OF_INDEXERS: [&str; 6] =
    ["index_topk", "index_n_heads", "index_head_dim", "index_topk_freq", "index_topk_pattern", "indexer_types"];

/// Fields of compressed tokens.
const OF_COMPRESSED: [&str; 3] = ["compress_ratios", "hc_mult", "o_lora_rank"];

/// Fields of layers with a state.
const OF_STATES: [&str; 15] = [
    "linear_num_key_heads",
    "linear_num_value_heads",
    "linear_conv_kernel_dim",
    "full_attention_interval",
    "ssm_cfg",
    "state_size",
    "mamba_d_state",
    "d_state",
    "attn_layer_period",
    "hybrid_override_pattern",
    "block_types",
    "layers_block_type",
    "mixer_types",
    "conv_L_cache",
    "linear_attn_config",
];

/// The field of an image part.
const OF_IMAGES: [&str; 1] = ["vision_config"];

/// Fields that no family here reads: further parts of a model, and layers that differ from one another.
const OF_OTHERS: [&str; 15] = [
    "index_kpool",
    "text_config",
    "audio_config",
    "llm_config",
    "language_config",
    "thinker_config",
    "embd_layer",
    "img_processor",
    "audio_processor",
    "block_configs",
    "per_layer_config",
    "num_hidden_layers_per_stack",
    "hidden_size_per_layer_input",
    "altup_num_inputs",
    "laurel_rank",
];

/// The shape of a model of this family; `None` where the family is not known.
pub(super) fn read(family: &str, fields: Fields<'_>) -> Option<Result<Architecture, ConfigError>> {
    let (reader, parts) = known(family)?;
    Some(only_what_is_modelled(fields, parts).and_then(|()| {
        let architecture = reader(fields)?;
        architecture.check()?;
        Ok(architecture)
    }))
}

/// Refuses fields of other architectures: a file with them describes another model than its `model_type` says.
fn only_what_is_modelled(fields: Fields<'_>, parts: &[Part]) -> Result<(), ConfigError> {
    let foreign = [
        (None, &CHANGES[..]),
        (None, &OF_OTHERS),
        (Some(Experts), &OF_EXPERTS),
        (Some(Latent), &OF_LATENT),
        (Some(Indexers), &OF_INDEXERS),
        (Some(Compressed), &OF_COMPRESSED),
        (Some(States), &OF_STATES),
        (Some(Images), &OF_IMAGES),
    ];
    for (_, names) in foreign.into_iter().filter(|(part, _)| part.is_none_or(|part| !parts.contains(&part))) {
        for name in names {
            // Images alone attend in both directions (Gemma 4).
            let of_images = |value: &Value| matches!(value, Value::Text(text) if text == "vision");
            if fields.get(name).is_some_and(|value| !value.is_idle() && !of_images(value)) {
                return Err(ConfigError::NotModelled(name));
            }
        }
    }
    if !parts.contains(&Kinds)
        && let Some(Value::List(types)) = fields.get("layer_types")
        && types.iter().any(|kind| !matches!(kind, Value::Text(name) if name == "full_attention"))
    {
        return Err(ConfigError::NotModelled("layer_types, which its class does not read"));
    }
    Ok(())
}

/// The shape of a Llama from the fields that all classes of its kind call the same.
fn base(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let heads = fields.number("num_attention_heads", bounds::HEADS)?;
    Ok(Architecture {
        mlp: fields.gated("hidden_act")?,
        tied_embeddings: fields.tied(false)?,
        ..Architecture::llama([
            fields.number("num_hidden_layers", bounds::LAYERS)?,
            fields.number("hidden_size", bounds::HIDDEN_SIZE)?,
            heads,
            heads,
            1,
            1,
            fields.number("vocab_size", bounds::VOCAB_SIZE)?,
        ])
    })
}

/// `attention_bias` of the classes that give it to queries, keys, values and the output alike.
fn attention_biases(fields: Fields<'_>, default: bool) -> Result<Biases, ConfigError> {
    let attention = fields.switch("attention_bias", default)?;
    Ok(Biases { qkv: attention, attention_output: attention, mlp: false })
}
