//! JSON into values, without recursion, up to 128 levels deep.

mod number;
mod text;

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use super::{Collector, Limit, Value, Values};
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

/// Lists and objects within each other at most.
const DEEPEST: usize = 128;

/// Reads a whole JSON text.
///
/// # Errors
/// It is not JSON, or it passes a limit.
pub fn read_json<'a>(input: &'a [u8], collector: &mut impl Collector) -> Result<(Values<'a>, Value), JsonError> {
    // Python's `json` puts no mark in front; Windows' editors do.
    let at = if input.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let failed = |at: usize, wrong: Wrong| {
        let reason = match wrong {
            Wrong::Words(words) => words.into(),
            Wrong::Limit(limit) => limit.to_string(),
        };
        JsonError { place: Place::of(input, at), reason }
    };
    let values = Values::of(input).map_err(|limit| failed(0, limit.into()))?;
    let mut parser = Parser { input, at, values, collector, items: Vec::new(), open: Vec::new(), scratch: Vec::new() };
    match parser.document() {
        Ok(value) => Ok((parser.values, value)),
        Err(wrong) => Err(failed(parser.at, wrong)),
    }
}

/// What is wrong with a text, without its place.
enum Wrong {
    Words(&'static str),
    Limit(Limit),
}

impl From<Limit> for Wrong {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// Nothing but an error, with these words.
const fn wrong<T>(words: &'static str) -> Result<T, Wrong> {
    Err(Wrong::Words(words))
}

struct Parser<'v, 'a, C> {
    input: &'a [u8],
    at: usize,
    values: Values<'a>,
    collector: &'v mut C,
    /// Items of the containers that are not complete yet.
    items: Vec<Value>,
    /// Of each container that is not complete, where its items begin, and whether it is an object.
    open: Vec<(usize, bool)>,
    /// A text while its escapes are read.
    scratch: Vec<u8>,
}

impl<C: Collector> Parser<'_, '_, C> {
    /// The next byte that is no space, which stays the next one.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.input.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// The one value that the text is.
    fn document(&mut self) -> Result<Value, Wrong> {
        loop {
            let mut value = match self.peek() {
                None => return wrong("EOF while parsing a value"),
                Some(byte @ (b'[' | b'{')) => {
                    if self.open.len() >= DEEPEST {
                        return wrong("recursion limit exceeded");
                    }
                    self.at += 1;
                    let is_object = byte == b'{';
                    self.open.push((self.items.len(), is_object));
                    if self.peek() != Some(byte + 2) {
                        self.name(is_object)?;
                        continue;
                    }
                    self.at += 1;
                    self.close()?
                }
                Some(b'"') => Value::Text(self.text()?),
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(_) => self.word()?,
            };
            // A value may end the container that it is in, which is a value itself.
            loop {
                let Some((_, is_object)) = self.open.last().copied() else {
                    return if self.peek().is_none() { Ok(value) } else { wrong("trailing characters") };
                };
                self.items.push(value);
                match (self.peek(), is_object) {
                    (Some(b','), _) => {
                        self.at += 1;
                        if matches!(self.peek(), Some(b']' | b'}')) {
                            return wrong("trailing comma");
                        }
                        self.name(is_object)?;
                        break;
                    }
                    (Some(b']'), false) | (Some(b'}'), true) => {
                        self.at += 1;
                        value = self.close()?;
                    }
                    (None, false) => return wrong("EOF while parsing a list"),
                    (None, true) => return wrong("EOF while parsing an object"),
                    (_, false) => return wrong("expected `,` or `]`"),
                    (_, true) => return wrong("expected `,` or `}`"),
                }
            }
        }
    }

    /// The name of an object's next value, with its colon.
    fn name(&mut self, is_object: bool) -> Result<(), Wrong> {
        if !is_object {
            return Ok(());
        }
        match self.peek() {
            Some(b'"') => {}
            None => return wrong("EOF while parsing an object"),
            _ => return wrong("key must be a string"),
        }
        let name = self.text()?;
        self.items.push(Value::Text(name));
        if self.peek() != Some(b':') {
            return wrong("expected `:`");
        }
        self.at += 1;
        Ok(())
    }

    /// Ends the innermost container.
    fn close(&mut self) -> Result<Value, Wrong> {
        let (start, is_object) = self.open.pop().unwrap_or_default();
        let items = self.items.get(start..).unwrap_or_default();
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
        self.items.truncate(start);
        Ok(value)
    }

    fn word(&mut self) -> Result<Value, Wrong> {
        let words = [(&b"true"[..], Value::Switch(true)), (b"false", Value::Switch(false)), (b"null", Value::Nothing)];
        let rest = self.input.get(self.at..).unwrap_or_default();
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
            if rest.first() == word.first() {
                return wrong("expected ident");
            }
        }
        wrong("expected value")
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

    /// Compared with `serde_json`, on which the tests depend.
    #[test]
    fn texts_are_read_and_refused_as_by_another_reader() {
        let texts = [
            "0",
            "-0",
            "-1",
            "01",
            "1.",
            ".5",
            "1e5",
            "1E-5",
            "1e",
            "1e+",
            "-",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775808",
            "-9223372036854775809",
            "0.1",
            "3.141592653589793",
            "1e400",
            "1e-400",
            "123456789.125e3",
            "[]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":}",
            "\"\\u00e9\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\x\"",
            "\"\u{1}\"",
            "\"é\"",
            "true",
            "nul",
            "tru",
            "[true,false,null]",
            "",
            " ",
            "[",
            "{",
            "\"",
            "[\"a\"",
            "{\"a\":[{}]}",
            "\"a\\\"b\"",
            "[[1],[2]]",
            "]",
            "{\"a\":1]",
            "[1}",
            "nan",
            "1 ",
            "\"\\u12\"",
        ];
        for text in texts {
            let own = read_json(text.as_bytes(), &mut ());
            let other = serde_json::from_str::<serde_json::Value>(text);
            assert_eq!(own.is_ok(), other.is_ok(), "{text}: {:?}", other.err());
            let (Ok((values, value)), Ok(other)) = (own, other) else { continue };
            match value {
                Value::Whole(number) => assert_eq!(other.as_u64(), Some(number), "{text}"),
                Value::Negative(number) => assert_eq!(other.as_i64(), Some(number), "{text}"),
                Value::Number(number) => assert_eq!(other.as_f64(), Some(number), "{text}"),
                Value::Text(words) => assert_eq!(other.as_str().unwrap().as_bytes(), values.text(words), "{text}"),
                _ => {}
            }
        }
        assert!(read_json(b"\"\xff\"", &mut ()).is_err());
    }
}
