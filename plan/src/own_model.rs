//! A model of the reader's own: the `config.json` that stands in a plan, cut to the fields that say something.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use memory_wall_core::config::Config;
use memory_wall_core::{Architecture, WeightFormat};
use serde::Deserialize as _;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::json;
use crate::node::{Entry, Json, Node};

/// A model that a plan describes by its `config.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnModel {
    /// The fields that say something, as JSON in one line.
    text: String,
    /// What is read of them.
    read: Box<Read>,
}

/// What is read of a config.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read {
    architecture: Architecture,
    stored: Option<WeightFormat>,
    family: String,
    remarks: Vec<String>,
}

impl OwnModel {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// It is no JSON, or no config of a model that is known.
    ///
    /// # Example
    /// ```
    /// use memory_wall_plan::OwnModel;
    /// let text = r#"{ "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
    ///     "intermediate_size": 8192, "vocab_size": 128256, "tie_word_embeddings": true, "max_position_embeddings": 131072, "bos_token_id": 128000 }"#;
    /// let model = OwnModel::read(text).unwrap();
    /// assert_eq!((model.family(), model.architecture().layers), ("llama", 16));
    /// // Fields that say nothing of its shape are left out.
    /// assert!(!model.to_string().contains("bos_token_id"));
    /// assert_eq!(OwnModel::read(&model.to_string()).unwrap(), model);
    /// ```
    pub fn read(text: &str) -> Result<Self, String> {
        Self::of(&json::read(text).map_err(|error| error.to_string())?)
    }

    /// Reads the same from a node of a file.
    ///
    /// # Errors
    /// It is no config of a model that is known.
    pub(crate) fn of(node: &Node) -> Result<Self, String> {
        let read = Read::of(&node.value)?;
        let mut fields = node.value.entries().to_vec();
        trim(&mut fields, &|fields| Read::of(&Json::Map(fields.to_vec())).as_ref() == Ok(&read));
        Ok(Self { text: written(&Json::Map(fields)), read: Box::new(read) })
    }

    /// The model's shape.
    pub fn architecture(&self) -> Architecture {
        self.read.architecture
    }

    /// The format of a quantised checkpoint, where `quantization_config` leaves no doubt ([`Config::stored_weights`](memory_wall_core::config::Config::stored_weights)).
    pub fn stored(&self) -> Option<WeightFormat> {
        self.read.stored
    }

    /// The `model_type` of the language model.
    pub fn family(&self) -> &str {
        &self.read.family
    }

    /// What a reader should know about how it is read.
    pub fn remarks(&self) -> &[String] {
        &self.read.remarks
    }
}

/// The fields that say something, as JSON in one line.
impl fmt::Display for OwnModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether configs can be read: in the planner's page, what reads them is a part of the program that comes when one is handed over.
static ARE_READ: AtomicBool = AtomicBool::new(true);

/// Whether configs can be read.
pub fn are_read() -> bool {
    ARE_READ.load(Ordering::Relaxed)
}

/// Says whether they can.
pub fn set_read(are_read: bool) {
    ARE_READ.store(are_read, Ordering::Relaxed);
}

impl Read {
    fn of(value: &Json) -> Result<Self, String> {
        if are_read() { Self::by_family(value) } else { Err("what reads a config.json has not come".into()) }
    }

    /// Its name is known to what cuts the planner's program in two.
    #[inline(never)]
    fn by_family(value: &Json) -> Result<Self, String> {
        let config = Config::deserialize(Fields(value)).map_err(|error: Fault| error.to_string())?;
        let architecture = config.architecture().map_err(|error| error.to_string())?;
        Ok(Self {
            architecture,
            stored: config.stored_weights(),
            family: config.language_family().unwrap_or_default().into(),
            remarks: config.remarks().iter().map(ToString::to_string).collect(),
        })
    }
}

/// Takes away every field without which the same is read, in objects inside objects too.
fn trim(fields: &mut Vec<Entry>, same: &dyn Fn(&[Entry]) -> bool) {
    for place in (0..fields.len()).rev() {
        let entry = fields.remove(place);
        if same(fields) {
            continue;
        }
        let mut inner = entry.node.value.entries().to_vec();
        fields.insert(place, entry);
        if !inner.is_empty() {
            let whole = fields.clone();
            let with = |inner: &[Entry]| {
                let mut fields = whole.clone();
                if let Some(entry) = fields.get_mut(place) {
                    entry.node.value = Json::Map(inner.to_vec());
                }
                fields
            };
            trim(&mut inner, &|inner| same(&with(inner)));
            *fields = with(&inner);
        }
    }
}

/// A value in one line.
fn written(value: &Json) -> String {
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => number.clone(),
        Json::Text(text) => json::quoted(text),
        Json::List(items) => {
            format!("[{}]", items.iter().map(|item| written(&item.value)).collect::<Vec<_>>().join(","))
        }
        Json::Map(fields) => {
            let fields =
                fields.iter().map(|entry| format!("{}:{}", json::quoted(&entry.key), written(&entry.node.value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
    }
}

/// Why a value is none of a config.
#[derive(Debug)]
struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self(what.to_string())
    }

    // Without the value: the code that writes floats would stay in programs in a browser, 6 kB of it.
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(format!("{expected} is expected"))
    }
}

/// A number of JSON. Readers of configs ask of numbers that are not whole only whether they are positive or 1, for which this is exact enough;
/// the tables of Rust's own reader weigh 12 kB of a program in a browser.
fn decimal(text: &str) -> Option<f64> {
    let (unsigned, sign) = text.strip_prefix('-').map_or((text, 1.0), |rest| (rest, -1.0));
    let (digits, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent = f64::from(exponent.parse::<i32>().ok()?) - part.len() as f64;
    let value = whole.bytes().chain(part.bytes()).fold(0.0, |value, digit| value * 10.0 + f64::from(digit & 15));
    // A division by a power of ten is rounded once, so that 1.000 is 1.
    let power = libm::pow(10.0, exponent.abs());
    let value = if exponent < 0.0 { value / power } else { value * power };
    (value.is_finite() && power.is_finite()).then_some(sign * value)
}

/// A value for the reader of configs.
struct Fields<'a>(&'a Json);

impl<'de> IntoDeserializer<'de, Fault> for Fields<'de> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Fields<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Number(text) => match (text.parse::<u64>(), decimal(text)) {
                (Ok(whole), _) => visitor.visit_u64(whole),
                (_, Some(number)) => visitor.visit_f64(number),
                _ => Err(Fault(format!("the number {text} is out of range"))),
            },
            Json::Text(text) => visitor.visit_borrowed_str(text),
            Json::List(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(|item| Fields(&item.value)))),
            Json::Map(fields) => {
                let fields = fields.iter().map(|entry| (entry.key.as_str(), Fields(&entry.node.value)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple tuple_struct map struct
        enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_far_as_configs_need_them() {
        for (text, number) in [
            ("1.0", 1.0),
            ("1.000", 1.0),
            ("0.25", 0.25),
            ("-1", -1.0),
            ("-0.5e1", -5.0),
            ("25E-2", 0.25),
            ("1e+5", 1e5),
        ] {
            assert_eq!(decimal(text), Some(number), "{text}");
        }
        assert!(decimal("1e-05").is_some_and(|number| (number / 1e-5 - 1.0).abs() < 1e-12));
        for text in ["1e400", "1e99999999999"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        let fault = OwnModel::read("[1.5]").unwrap_err();
        assert!(fault.contains("is expected"), "{fault}");
    }
}
