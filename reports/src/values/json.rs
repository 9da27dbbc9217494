//! JSON into values, by `serde_json`, which stops at 128 levels.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::{Collector, Limit, Text, Value, Values};
use crate::Place;

/// Why a JSON text could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Where.
    pub place: Place,
    /// The reason, in words.
    pub reason: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.place.line, self.place.column, self.reason)
    }
}

impl core::error::Error for JsonError {}

/// Reads a whole JSON text.
///
/// # Errors
/// It is not JSON, or it passes a limit.
pub fn read_json<'a>(input: &'a [u8], collector: &mut impl Collector) -> Result<(Values<'a>, Value), JsonError> {
    let at_start = |limit: Limit| JsonError { place: Place { line: 1, column: 1 }, reason: limit.to_string() };
    // Python's `json` puts no mark in front; Windows' editors do.
    let (text, skipped) = match input.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => (rest, 3),
        None => (input, 0),
    };
    let values = Values::of(input).map_err(at_start)?;
    let mut builder = Builder { values, collector, stack: Vec::new(), origin: text.as_ptr() as usize, skipped };
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let read = Node(&mut builder).deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    match read {
        Ok(value) => Ok((builder.values, value)),
        Err(error) => {
            let words = error.to_string();
            // Its own words end with the place.
            let reason = words.rsplit_once(" at line ").map_or(words.as_str(), |(reason, _)| reason).into();
            Err(JsonError { place: Place { line: error.line().max(1), column: error.column().max(1) }, reason })
        }
    }
}

struct Builder<'v, 'a, C> {
    values: Values<'a>,
    collector: &'v mut C,
    /// Items of the containers that are not complete yet.
    stack: Vec<Value>,
    /// Where the text lies, to tell a borrowed string's place in it.
    origin: usize,
    skipped: usize,
}

impl<C: Collector> Builder<'_, '_, C> {
    /// The items from `start` on, as a list or an object.
    fn close(&mut self, start: usize, is_object: bool) -> Result<Value, Limit> {
        let items = self.stack.get(start..).unwrap_or_default();
        let record = if is_object {
            self.collector.object(&self.values, items)
        } else {
            self.collector.list(&self.values, items)
        };
        let value = if let Some(record) = record {
            Value::Record(record)
        } else {
            let container = self.values.open()?;
            self.values.extend(container, items)?;
            if is_object { Value::Object(container) } else { Value::List(container) }
        };
        self.stack.truncate(start);
        Ok(value)
    }

    fn borrowed(&self, text: &str) -> Option<Text> {
        let start = (text.as_ptr() as usize).checked_sub(self.origin)? + self.skipped;
        Values::borrowed(start, text.len())
    }
}

struct Node<'n, 'v, 'a, C>(&'n mut Builder<'v, 'a, C>);

impl<'de, C: Collector> DeserializeSeed<'de> for Node<'_, '_, 'de, C> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, C: Collector> Visitor<'de> for Node<'_, '_, 'de, C> {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Switch(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Whole(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(u64::try_from(value).map_or(Value::Negative(value), Value::Whole))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }
    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Value, E> {
        self.0.borrowed(text).map(Value::Text).ok_or_else(|| E::custom(Limit::Input))
    }
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        self.0.values.unescaped(text.as_bytes()).map(Value::Text).ok_or_else(|| E::custom(Limit::Input))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let start = self.0.stack.len();
        while let Some(value) = list.next_element_seed(Node(&mut *self.0))? {
            self.0.stack.push(value);
        }
        self.0.close(start, false).map_err(A::Error::custom)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let start = self.0.stack.len();
        while let Some(name) = object.next_key_seed(Node(&mut *self.0))? {
            self.0.stack.push(name);
            let value = object.next_value_seed(Node(&mut *self.0))?;
            self.0.stack.push(value);
        }
        self.0.close(start, true).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_text() {
        let text = br#" {"a": [1, -2, 1.5, true, null], "b\u0041": "c\n", "": {}} "#;
        let (values, root) = read_json(text, &mut ()).unwrap();
        let Value::Object(root) = root else { panic!("{root:?}") };
        let Some(Value::List(list)) = values.field(root, b"a") else { panic!() };
        let items: Vec<Value> = values.items(list).collect();
        let expected = [Value::Whole(1), Value::Negative(-2), Value::Number(1.5), Value::Switch(true), Value::Nothing];
        assert_eq!(items, expected);
        let Some(Value::Text(text)) = values.field(root, b"bA") else { panic!() };
        assert_eq!(values.text(text), b"c\n");
        assert!(matches!(values.field(root, b""), Some(Value::Object(_))));
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        let error = read_json(b"{\n \"a\": tru}", &mut ()).unwrap_err();
        assert_eq!((error.place.line, error.reason.as_str()), (2, "expected ident"));
        let deep = [&[b'['; 5_000][..], &[b']'; 5_000]].concat();
        assert!(read_json(&deep, &mut ()).unwrap_err().reason.contains("recursion limit"));
        assert!(read_json(b"[1] 2", &mut ()).unwrap_err().reason.contains("trailing"));
        let many = [b"[".as_slice(), b"[],".repeat(40_000).as_slice(), b"0]"].concat();
        assert!(read_json(&many, &mut ()).unwrap_err().reason.contains("more lists"));
    }
}
