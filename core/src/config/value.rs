//! The values of a config file: what a reader of a family can ask for, kept to a bounded depth.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The fields of an object.
pub(super) type Object = BTreeMap<String, Value>;

/// Objects and lists inside one another that are kept: a group of `quantization_config` of a model inside a model is the deepest that is read.
const DEPTH: u32 = 6;

/// One value of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Switch(bool),
    Whole(u64),
    Number(f64),
    Text(String),
    List(Vec<Self>),
    Object(Object),
    Nothing,
    /// What stands deeper than [`DEPTH`].
    Deep,
}

impl Value {
    /// What it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Switch(_) => "true or false",
            Self::Whole(_) => "a whole number",
            Self::Number(_) => "a number that is not whole and positive",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Nothing => "null",
            Self::Deep => "a value inside many others",
        }
    }

    /// Whether it says that something is not there: nothing, `false`, 0, or an empty list or object.
    pub(super) fn is_idle(&self) -> bool {
        match self {
            Self::Nothing | Self::Switch(false) | Self::Whole(0) => true,
            Self::List(values) => values.is_empty(),
            Self::Object(fields) => fields.is_empty(),
            _ => false,
        }
    }
}

/// Reads each value as it comes, without keeping copies: a derived untagged enum buffers every level of nesting again.
struct Level(u32);

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
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
        Ok(u64::try_from(value).map_or(Value::Number(value as f64), Value::Whole))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.into()))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let Some(inner) = self.0.checked_sub(1) else {
            while list.next_element_seed(Self(0))?.is_some() {}
            return Ok(Value::Deep);
        };
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Self(inner))? {
            values.push(value);
        }
        Ok(Value::List(values))
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Value, A::Error> {
        let Some(inner) = self.0.checked_sub(1) else {
            let mut object = object;
            while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Value::Deep);
        };
        fields(object, inner).map(Value::Object)
    }
}

/// The fields of an object whose values stand `depth` levels above what is passed over.
fn fields<'de, A: MapAccess<'de>>(mut object: A, depth: u32) -> Result<Object, A::Error> {
    let mut fields = Object::new();
    while let Some(name) = object.next_key::<String>()? {
        let value = object.next_value_seed(Level(depth))?;
        // Other programs take the last one; which of two different values was meant, nobody knows.
        if fields.get(&name).is_some_and(|earlier| *earlier != value) {
            return Err(A::Error::custom("a field is given twice, with different values"));
        }
        fields.insert(name, value);
    }
    Ok(fields)
}

/// The whole file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct File(pub(super) Object);

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = File;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }
            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<File, A::Error> {
                fields(object, DEPTH).map(File)
            }
        }
        deserializer.deserialize_map(Whole)
    }
}
