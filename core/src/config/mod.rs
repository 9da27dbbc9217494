//! Reading a model's `config.json` as it is published on a model hub.
//!
//! A family that is not known is refused with the fields that were understood: a guess would be a silent wrong number.

mod error;
mod families;
mod fields;
mod quantisation;
mod remark;
mod rotary;
mod value;

use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;

use crate::architecture::Architecture;
use crate::bounds;
use crate::precision::WeightFormat;
use crate::tables::drafts::Draft;
use crate::tables::models::{MODELS, Model};

pub use error::ConfigError;
pub use families::FAMILIES;
pub use remark::Remark;

use fields::Fields;
use value::{File, Object, Value};

/// A `config.json` as published.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Config {
    file: File,
}

/// The fields that describe the language model, and its family.
struct Language<'a> {
    family: &'a str,
    /// The `model_type` of the whole, where the language model is a part of it.
    around: Option<&'a str>,
    fields: Fields<'a>,
}

impl Config {
    /// Whether the checkpoint is stored quantised, in the words of the file.
    pub fn is_quantised(&self) -> bool {
        !matches!(self.quantization_config(), None | Some(Value::Nothing))
    }

    /// The method by which the checkpoint is stored quantised, in the words of the file: `gptq`, `awq`, `fp8`.
    pub fn quantisation(&self) -> Option<&str> {
        quantisation::method(self.stored()?)
    }

    /// The format of ours in which the checkpoint is stored quantised.
    ///
    /// `None` where it is not quantised, and where its layout is not for certain one of ours, to the byte and to the tensor:
    /// GPTQ and AWQ of 4 bits in groups of 128, NF4 of bitsandbytes, fp8 with a scale for a tensor, a row or a block of 128 × 128,
    /// and MXFP4 of gpt-oss and, beside fp8 in blocks, of `DeepSeek` V4 are. What else stays wide beside the tables, norms and routers makes it uncertain.
    pub fn stored_weights(&self) -> Option<WeightFormat> {
        quantisation::format(self.stored()?, self.language().ok()?.fields, self.language_family())
    }

    /// The `model_type` that the file names.
    pub fn family(&self) -> Option<&str> {
        model_type(&self.file.0)
    }

    /// The `model_type` of the language model, where the file has one that is known.
    pub fn language_family(&self) -> Option<&str> {
        self.language().map(|language| language.family).ok()
    }

    /// The model's shape.
    ///
    /// # Errors
    /// A family that is not known, a field that is missing, of the wrong kind or out of range, or a part that is not modelled.
    pub fn architecture(&self) -> Result<Architecture, ConfigError> {
        let Language { family, around, fields } = self.language()?;
        let mut shape = shape_of(family, fields)?;
        if let Some((field, usual)) = families::prediction_layers(family) {
            // None is written as 0, which is no number of layers.
            shape.prediction_layers = fields.optional(field, bounds::LAYERS).map_or(0, |given| given.unwrap_or(usual));
        }
        // The tower beside it is known where the language model is one of the table.
        let seeing = |model: &&Model| {
            let blind = Architecture { tower: None, ..model.architecture };
            model.architecture.tower.is_some() && blind.but_rotary() == shape.but_rotary()
        };
        let known = MODELS.iter().filter(|_| around.is_some()).find(seeing);
        Ok(Architecture { tower: known.and_then(|model| model.architecture.tower).or(shape.tower), ..shape })
    }

    /// What guesses ahead by this file: a head that reads another model's states, or a model of its own.
    /// Files of `speculators` have the layers of a head in `transformer_layer_config`.
    ///
    /// # Errors
    /// As of [`Config::architecture`].
    pub fn draft(&self, is_head: bool) -> Result<Draft, ConfigError> {
        let whole = Fields(&self.file.0);
        let shape = match whole.get("transformer_layer_config") {
            Some(Value::Object(fields)) => shape_of(model_type(fields).unwrap_or("llama"), Fields(fields))?,
            _ => self.architecture()?,
        };
        let draft = Draft::model("", shape);
        if !is_head {
            return Ok(draft);
        }
        let guessed_vocabulary = whole.or("draft_vocab_size", bounds::VOCAB_SIZE, shape.vocab_size)?;
        let reads = whole.or("target_hidden_size", bounds::HIDDEN_SIZE, shape.hidden_size)?;
        Ok(Draft { guessed_vocabulary, reads: Some(reads), ..draft })
    }

    /// What a reader should know about how the file is read, once it can be.
    pub fn remarks(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let Ok(Language { family, around, fields }) = self.language() else { return remarks };
        if let Some(around) = around {
            remarks.push(Remark::LanguageModelOnly { around: around.into(), family: family.into() });
        }
        for field in ["num_nextn_predict_layers", "mtp_num_hidden_layers"] {
            if let Ok(Some(layers)) = fields.optional(field, bounds::LAYERS) {
                remarks.push(Remark::PredictionLayers(layers));
            }
        }
        if family == "llama4_text"
            && let Ok(Some(sliding)) = self.architecture().map(|shape| shape.sliding_window)
        {
            remarks.push(Remark::Chunks(sliding.window));
        }
        remarks
    }

    /// The language model: the file itself, or what stands in it for a model of several parts.
    fn language(&self) -> Result<Language<'_>, ConfigError> {
        let whole = &self.file.0;
        let family = model_type(whole).ok_or(ConfigError::NoFamily)?;
        let Some((_, allowed)) = families::AROUND.iter().find(|(around, _)| *around == family) else {
            return Ok(Language { family, around: None, fields: Fields(whole) });
        };
        match whole.get("text_config") {
            Some(Value::Object(fields)) => {
                let inner = model_type(fields).or(allowed.first().copied()).ok_or(ConfigError::NoFamily)?;
                // LLaVA is built around many families, the others around their own.
                if !allowed.contains(&inner) && !family.starts_with("llava") {
                    return Err(ConfigError::Contradiction { one: "model_type", other: "that of text_config" });
                }
                Ok(Language { family: inner, around: Some(family), fields: Fields(fields) })
            }
            // Published files of Qwen2.5-VL have none.
            None if family == "qwen2_5_vl" => {
                let inner = allowed.first().copied().ok_or(ConfigError::NoFamily)?;
                Ok(Language { family: inner, around: Some(family), fields: Fields(whole) })
            }
            None | Some(Value::Nothing) => Err(ConfigError::Missing("text_config")),
            Some(other) => {
                Err(ConfigError::WrongKind { field: "text_config", wanted: "an object", found: other.kind() })
            }
        }
    }

    fn quantization_config(&self) -> Option<&Value> {
        self.file.0.get("quantization_config").or_else(|| match self.file.0.get("text_config") {
            Some(Value::Object(inner)) => inner.get("quantization_config"),
            _ => None,
        })
    }

    fn stored(&self) -> Option<&Object> {
        match self.quantization_config() {
            Some(Value::Object(stored)) => Some(stored),
            _ => None,
        }
    }
}

/// The shape of a model of a family, with the length of its table of rotations.
fn shape_of(family: &str, fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    let shape = families::read(family, fields).unwrap_or_else(|| Err(unknown(family, fields)))?;
    Ok(Architecture { rotary_stretch: rotary::stretch(fields, &shape), ..shape })
}

fn model_type(fields: &Object) -> Option<&str> {
    match fields.get("model_type") {
        Some(Value::Text(family)) => Some(family),
        _ => None,
    }
}

/// What the readers of the families look at and most files have.
const UNDERSTOOD: [&str; 32] = [
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
    "num_local_experts",
    "num_experts",
    "n_routed_experts",
    "num_experts_per_tok",
    "moe_intermediate_size",
    "first_k_dense_replace",
    "kv_lora_rank",
    "q_lora_rank",
    "ffn_dim",
    "text_config",
];

fn unknown(family: &str, fields: Fields<'_>) -> ConfigError {
    let understood = UNDERSTOOD.iter().filter(|field| fields.present(field)).map(|field| String::from(*field));
    ConfigError::UnknownFamily { model_type: family.into(), understood: understood.collect() }
}
