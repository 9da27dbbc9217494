//! Reading a model's `config.json` as it is published on a model hub.
//!
//! A family that is not known is refused with the fields that were understood: a guess would be a silent wrong number.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::architecture::{Architecture, Biases, Mlp, Norm, Positions, ShapeError, SlidingWindow};
use crate::bounds::{self, Bounds, OutOfBounds};

/// The families that can be read, by their `model_type`.
pub const FAMILIES: [&str; 4] = ["llama", "mistral", "qwen2", "gpt2"];

/// Fields that say that there is more to a model than its family's name promises.
const REFUSED: [&str; 8] = [
    "num_local_experts",
    "num_experts",
    "n_routed_experts",
    "kv_lora_rank",
    "text_config",
    "vision_config",
    "add_cross_attention",
    "is_encoder_decoder",
];

/// One value of the file. What stands inside an object is passed over.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Switch(bool),
    Whole(u64),
    Number,
    Text(String),
    List(Vec<Self>),
    Nothing,
    Other,
}

/// Reads each value as it comes, without keeping copies: a derived untagged enum buffers every level of nesting again.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyValue;
        impl<'de> Visitor<'de> for AnyValue {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value of a config")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Switch(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Whole(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(u64::try_from(value).map_or(Value::Number, Value::Whole))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
                Ok(Value::Number)
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::Text(value.into()))
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Nothing)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Value::List(values))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
                while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Other)
            }
        }
        deserializer.deserialize_any(AnyValue)
    }
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Self::Switch(_) => "true or false",
            Self::Whole(_) => "a whole number",
            Self::Number => "a number that is not whole and positive",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Nothing => "null",
            Self::Other => "an object",
        }
    }
}

/// A `config.json` as published.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Config {
    fields: BTreeMap<String, Value>,
}

/// Why a `config.json` cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigError {
    /// No `model_type`.
    NoFamily,
    /// A `model_type` that is not modelled.
    UnknownFamily {
        /// What the file says.
        model_type: String,
        /// The fields whose meaning is known all the same.
        understood: Vec<String>,
    },
    /// A field that changes the model in a way that is not modelled.
    NotModelled(&'static str),
    /// A field that the family needs is not there.
    Missing(&'static str),
    /// A field holds the wrong kind of value.
    WrongKind {
        /// The field.
        field: &'static str,
        /// What was wanted.
        wanted: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// A number is outside its range.
    OutOfBounds {
        /// The field as the file calls it.
        field: &'static str,
        /// The range.
        error: OutOfBounds,
    },
    /// The width of a head follows from the two numbers, and is not whole.
    HeadsDoNotDivide {
        /// `hidden_size`.
        hidden_size: u32,
        /// Query heads.
        heads: u32,
    },
    /// The numbers do not go together.
    Shape(ShapeError),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFamily => f.write_str("the config has no model_type, so its family is not known"),
            Self::UnknownFamily { model_type, understood } => {
                write!(f, "model_type {model_type:?} is not supported; supported are ")?;
                list(f, &FAMILIES)?;
                if understood.is_empty() {
                    f.write_str("; no field of it was understood")
                } else {
                    f.write_str("; understood of its fields, but not used: ")?;
                    list(f, understood)
                }
            }
            Self::NotModelled(field) => write!(f, "the config has {field}, which is not modelled yet"),
            Self::Missing(field) => write!(f, "the config has no {field}"),
            Self::WrongKind { field, wanted, found } => write!(f, "{field} in the config is {found}, not {wanted}"),
            Self::OutOfBounds { field, error } => write!(f, "{field} in the config: {error}"),
            Self::HeadsDoNotDivide { hidden_size, heads } => {
                write!(
                    f,
                    "the config has no head_dim, and hidden_size {hidden_size} is not a multiple of the {heads} heads"
                )
            }
            Self::Shape(error) => write!(f, "the config describes no possible model: {error}"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, names: &[impl AsRef<str>]) -> fmt::Result {
    for (place, name) in names.iter().enumerate() {
        if place > 0 {
            f.write_str(", ")?;
        }
        f.write_str(name.as_ref())?;
    }
    Ok(())
}

impl core::error::Error for ConfigError {}

impl From<ShapeError> for ConfigError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

/// What a family's reader looks at.
const UNDERSTOOD: [&str; 22] = [
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "tie_word_embeddings",
    "max_position_embeddings",
    "attention_bias",
    "mlp_bias",
    "sliding_window",
    "use_sliding_window",
    "max_window_layers",
    "layer_types",
    "n_embd",
    "n_layer",
    "n_head",
    "n_inner",
    "n_positions",
    "activation_function",
    "hidden_act",
];

impl Config {
    /// Whether the checkpoint is stored quantised, in the words of the file.
    pub fn is_quantised(&self) -> bool {
        !matches!(self.fields.get("quantization_config"), None | Some(Value::Nothing))
    }

    /// The `model_type` that the file names.
    pub fn family(&self) -> Option<&str> {
        match self.fields.get("model_type") {
            Some(Value::Text(family)) => Some(family),
            _ => None,
        }
    }

    /// The model's shape.
    pub fn architecture(&self) -> Result<Architecture, ConfigError> {
        let family = self.family().ok_or(ConfigError::NoFamily)?;
        if !FAMILIES.contains(&family) {
            let known = UNDERSTOOD.iter().filter(|field| self.present(field)).map(|field| String::from(*field));
            return Err(ConfigError::UnknownFamily { model_type: family.into(), understood: known.collect() });
        }
        for field in REFUSED {
            if self.present(field) && self.fields.get(field) != Some(&Value::Switch(false)) {
                return Err(ConfigError::NotModelled(field));
            }
        }
        let architecture = if family == "gpt2" { self.gpt2()? } else { self.llama_like(family)? };
        architecture.check()?;
        Ok(architecture)
    }

    fn gpt2(&self) -> Result<Architecture, ConfigError> {
        let hidden_size = self.number("n_embd", bounds::HIDDEN_SIZE)?;
        let heads = self.number("n_head", bounds::HEADS)?;
        let positions = self.number("n_positions", bounds::POSITIONS)?;
        Ok(Architecture {
            layers: self.number("n_layer", bounds::LAYERS)?,
            hidden_size,
            heads,
            kv_heads: heads,
            head_dim: head_dim(hidden_size, heads)?,
            intermediate_size: match self.optional("n_inner", bounds::INTERMEDIATE_SIZE)? {
                Some(width) => width,
                None => hidden_size.saturating_mul(4),
            },
            vocab_size: self.number("vocab_size", bounds::VOCAB_SIZE)?,
            mlp: match self.fields.get("activation_function") {
                None | Some(Value::Nothing) => Mlp::GeluNew,
                Some(Value::Text(name)) if name == "gelu_new" => Mlp::GeluNew,
                Some(Value::Text(name)) if name.starts_with("gelu") => Mlp::Gelu,
                Some(_) => return Err(ConfigError::NotModelled("an activation_function other than a GELU")),
            },
            norm: Norm::LayerNorm,
            positions: Positions::Learned(positions),
            biases: Biases { qkv: true, attention_output: true, mlp: true },
            tied_embeddings: self.switch("tie_word_embeddings", true)?,
            trained_context: Some(positions),
            dropout: true,
            ..Architecture::llama([1; 7])
        })
    }

    fn llama_like(&self, family: &str) -> Result<Architecture, ConfigError> {
        match self.fields.get("hidden_act") {
            None | Some(Value::Nothing) => {}
            Some(Value::Text(name)) if name == "silu" || name.starts_with("gelu") => {}
            Some(_) => return Err(ConfigError::NotModelled("a hidden_act other than silu or a GELU")),
        }
        let layers = self.number("num_hidden_layers", bounds::LAYERS)?;
        let hidden_size = self.number("hidden_size", bounds::HIDDEN_SIZE)?;
        let heads = self.number("num_attention_heads", bounds::HEADS)?;
        // Only Llama's class reads these switches; Qwen2's has biases on queries, keys and values whatever the file says.
        let attention_bias = family == "llama" && self.switch("attention_bias", false)?;
        Ok(Architecture {
            layers,
            hidden_size,
            heads,
            kv_heads: match self.optional("num_key_value_heads", bounds::KV_HEADS)? {
                Some(kv_heads) => kv_heads,
                // Where the file is silent the class has a default of its own; `null` is multi-head attention.
                None => match (family, self.fields.contains_key("num_key_value_heads")) {
                    ("mistral", false) => 8,
                    ("qwen2", false) => 32,
                    _ => heads,
                },
            },
            head_dim: match self.optional("head_dim", bounds::HEAD_DIM)? {
                Some(width) => width,
                None => head_dim(hidden_size, heads)?,
            },
            intermediate_size: self.number("intermediate_size", bounds::INTERMEDIATE_SIZE)?,
            vocab_size: self.number("vocab_size", bounds::VOCAB_SIZE)?,
            mlp: Mlp::Gated,
            norm: Norm::RmsNorm,
            positions: Positions::Rotary,
            biases: Biases {
                qkv: attention_bias || family == "qwen2",
                attention_output: attention_bias,
                mlp: family == "llama" && self.switch("mlp_bias", false)?,
            },
            tied_embeddings: self.switch("tie_word_embeddings", false)?,
            sliding_window: self.sliding_window(family, layers)?,
            trained_context: self.optional("max_position_embeddings", bounds::POSITIONS)?,
            ..Architecture::llama([1; 7])
        })
    }

    fn sliding_window(&self, family: &str, layers: u32) -> Result<Option<SlidingWindow>, ConfigError> {
        let switched_on = match family {
            "mistral" => true,
            "qwen2" => self.switch("use_sliding_window", false)?,
            _ => false,
        };
        if !switched_on {
            return Ok(None);
        }
        let window = match self.optional("sliding_window", bounds::SLIDING_WINDOW)? {
            Some(window) => window,
            None if self.fields.contains_key("sliding_window") => return Ok(None),
            // The default of both classes.
            None => 4_096,
        };
        let sliding = match (self.fields.get("layer_types"), family) {
            (Some(Value::List(types)), _) => {
                let slides = |kind: &&Value| matches!(kind, Value::Text(name) if name == "sliding_attention");
                u32::try_from(types.iter().filter(slides).count()).unwrap_or(layers)
            }
            // Qwen2: the first max_window_layers layers see everything.
            (_, "qwen2") => layers.saturating_sub(self.optional("max_window_layers", LAYERS_OR_NONE)?.unwrap_or(28)),
            _ => layers,
        };
        Ok((sliding > 0).then_some(SlidingWindow::over(sliding, window)))
    }

    fn present(&self, field: &str) -> bool {
        !matches!(self.fields.get(field), None | Some(Value::Nothing))
    }

    fn number(&self, field: &'static str, bounds: Bounds) -> Result<u32, ConfigError> {
        self.optional(field, bounds)?.ok_or(ConfigError::Missing(field))
    }

    fn optional(&self, field: &'static str, bounds: Bounds) -> Result<Option<u32>, ConfigError> {
        match self.fields.get(field) {
            None | Some(Value::Nothing) => Ok(None),
            Some(Value::Whole(value)) => match bounds.check(*value) {
                Ok(number) => Ok(Some(number)),
                Err(error) => Err(ConfigError::OutOfBounds { field, error }),
            },
            Some(other) => Err(ConfigError::WrongKind { field, wanted: "a whole number", found: other.kind() }),
        }
    }

    fn switch(&self, field: &'static str, default: bool) -> Result<bool, ConfigError> {
        match self.fields.get(field) {
            None | Some(Value::Nothing) => Ok(default),
            Some(Value::Switch(value)) => Ok(*value),
            Some(other) => Err(ConfigError::WrongKind { field, wanted: "true or false", found: other.kind() }),
        }
    }
}

/// The width of a head where the file does not say it.
fn head_dim(hidden_size: u32, heads: u32) -> Result<u32, ConfigError> {
    if hidden_size.is_multiple_of(heads) {
        Ok(hidden_size / heads)
    } else {
        Err(ConfigError::HeadsDoNotDivide { hidden_size, heads })
    }
}

/// A number of layers that may be none.
const LAYERS_OR_NONE: Bounds = Bounds { min: 0, ..bounds::LAYERS };

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn read(json: &str) -> Result<Architecture, ConfigError> {
        match serde_json::from_str::<Config>(json) {
            Ok(config) => config.architecture(),
            Err(error) => panic!("{error}"),
        }
    }

    fn message(json: &str) -> String {
        match read(json) {
            Ok(architecture) => panic!("read as {architecture:?}"),
            Err(error) => error.to_string(),
        }
    }

    const LLAMA: &str = r#"{"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_act":"silu","hidden_size":4096,
        "intermediate_size":14336,"max_position_embeddings":131072,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,
        "rope_scaling":{"factor":8.0,"rope_type":"llama3"},"rms_norm_eps":1e-05,"tie_word_embeddings":false,"vocab_size":128256,
        "attention_bias":false,"bos_token_id":128000,"eos_token_id":[128001,128008],"torch_dtype":"bfloat16","pretraining_tp":1}"#;

    #[test]
    fn published_files_give_the_published_counts() {
        let gpt2_xl = r#"{"activation_function":"gelu_new","architectures":["GPT2LMHeadModel"],"attn_pdrop":0.1,"model_type":"gpt2",
            "n_ctx":1024,"n_embd":1600,"n_head":25,"n_layer":48,"n_positions":1024,"vocab_size":50257}"#;
        let mistral = r#"{"model_type":"mistral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,"num_hidden_layers":32,
            "num_key_value_heads":8,"max_position_embeddings":32768,"sliding_window":4096,"tie_word_embeddings":false,"vocab_size":32000}"#;
        let qwen = r#"{"model_type":"qwen2","hidden_size":3584,"intermediate_size":18944,"num_attention_heads":28,"num_hidden_layers":28,
            "num_key_value_heads":4,"max_position_embeddings":131072,"max_window_layers":28,"sliding_window":131072,"tie_word_embeddings":false,
            "use_sliding_window":false,"use_mrope":false,"vocab_size":152064}"#;
        for (json, id) in
            [(LLAMA, "llama-3.1-8b"), (gpt2_xl, "gpt2-xl"), (mistral, "mistral-7b-v0.1"), (qwen, "qwen2.5-7b")]
        {
            let preset = crate::tables::models::by_id(id).map(|model| model.architecture);
            assert_eq!(read(json).ok(), preset, "{id}");
        }
    }

    #[test]
    fn old_llama_files_without_kv_heads_are_multi_head() {
        let json = LLAMA.replace("\"num_key_value_heads\":8,", "");
        assert_eq!(read(&json).map(|shape| shape.kv_heads), Ok(32));
    }

    #[test]
    fn where_a_file_is_silent_the_default_of_its_class_holds() {
        let base = r#"{"model_type":"FAMILY","hidden_size":4096,"intermediate_size":64,"num_attention_heads":32,"num_hidden_layers":2,"vocab_size":100}"#;
        let of =
            |family: &str| read(&base.replace("FAMILY", family)).map(|shape| (shape.kv_heads, shape.sliding_window));
        assert_eq!(of("llama"), Ok((32, None)));
        assert_eq!(of("mistral"), Ok((8, Some(SlidingWindow::over(2, 4_096)))));
        assert_eq!(of("qwen2"), Ok((32, None)));
        let uneven = base.replace("FAMILY", "llama").replace("4096", "4097");
        assert_eq!(
            message(&uneven),
            "the config has no head_dim, and hidden_size 4097 is not a multiple of the 32 heads"
        );
    }

    #[test]
    fn deep_and_long_lists_cost_what_they_weigh() {
        let numbers = "1,".repeat(200_000);
        let json = alloc::format!("{{\"model_type\":\"x\",\"junk\":{}{numbers}1{}}}", "[".repeat(100), "]".repeat(100));
        assert!(message(&json).starts_with("model_type \"x\" is not supported"));
    }

    #[test]
    fn an_unknown_family_fails_closed_and_says_what_it_saw() {
        let text = message(r#"{"model_type":"mamba","hidden_size":4096,"vocab_size":50280}"#);
        assert_eq!(
            text,
            "model_type \"mamba\" is not supported; supported are llama, mistral, qwen2, gpt2; \
             understood of its fields, but not used: hidden_size, vocab_size"
        );
        assert_eq!(message("{}"), "the config has no model_type, so its family is not known");
        assert!(message(r#"{"model_type":7}"#).contains("no model_type"));
    }

    #[test]
    fn bad_fields_are_named() {
        for (from, to, text) in [
            (
                "\"hidden_size\":4096",
                "\"hidden_size\":\"4096\"",
                "hidden_size in the config is text, not a whole number",
            ),
            (
                "\"hidden_size\":4096",
                "\"hidden_size\":-1",
                "hidden_size in the config is a number that is not whole and positive, not a whole number",
            ),
            ("\"hidden_size\":4096,", "", "the config has no hidden_size"),
            (
                "\"num_hidden_layers\":32",
                "\"num_hidden_layers\":0",
                "num_hidden_layers in the config: layers 0 is outside 1 to 1,024",
            ),
            (
                "\"vocab_size\":128256",
                "\"vocab_size\":99999999999",
                "vocab_size in the config: vocab_size 99,999,999,999 is outside 1 to 10,000,000 tokens",
            ),
            (
                "\"num_key_value_heads\":8",
                "\"num_key_value_heads\":5",
                "the config describes no possible model: kv_heads 5 does not divide heads 32: every KV head serves the same number of query heads",
            ),
            (
                "\"attention_bias\":false",
                "\"attention_bias\":3",
                "attention_bias in the config is a whole number, not true or false",
            ),
            (
                "\"hidden_size\":4096",
                "\"num_local_experts\":8,\"hidden_size\":4096",
                "the config has num_local_experts, which is not modelled yet",
            ),
        ] {
            let json = LLAMA.replace(from, to);
            assert_ne!(json, LLAMA);
            assert_eq!(message(&json), text);
        }
    }

    #[test]
    fn qwen_windows_apply_to_the_layers_behind_the_first() {
        let json = r#"{"model_type":"qwen2","hidden_size":64,"intermediate_size":64,"num_attention_heads":4,"num_key_value_heads":2,"num_hidden_layers":10,
            "vocab_size":100,"max_window_layers":7,"sliding_window":128,"use_sliding_window":true}"#;
        assert_eq!(read(json).map(|shape| shape.sliding_window), Ok(Some(SlidingWindow::over(3, 128))));
    }
}
