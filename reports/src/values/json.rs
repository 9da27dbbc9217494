//! JSON into values, without recursion, up to 128 levels deep.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

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

    /// How many digits come next.
    fn digits(&mut self) -> usize {
        let rest = self.input.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    fn number(&mut self) -> Result<Value, Wrong> {
        let start = self.at;
        let negative = self.input.get(self.at) == Some(&b'-');
        self.at += usize::from(negative);
        let first = self.at;
        let whole = self.digits();
        if whole == 0 || whole > 1 && self.input.get(first) == Some(&b'0') {
            self.at = start;
            return wrong("invalid number");
        }
        let end = self.at;
        let mut places = 0;
        if self.input.get(self.at) == Some(&b'.') {
            self.at += 1;
            places = self.digits();
            if places == 0 {
                return wrong("invalid number");
            }
        }
        let mut power = 0;
        let is_scientific = matches!(self.input.get(self.at), Some(b'e' | b'E'));
        if is_scientific {
            self.at += 1;
            let minus = self.input.get(self.at) == Some(&b'-');
            self.at += usize::from(matches!(self.input.get(self.at), Some(b'+' | b'-')));
            let from = self.at;
            if self.digits() == 0 {
                return wrong("invalid number");
            }
            let size = all(self.input.get(from..self.at).unwrap_or_default()).map_or(9_999, |size| size.min(9_999));
            power = i32::try_from(size).unwrap_or(9_999) * if minus { -1 } else { 1 };
        }
        let digits = self.input.get(first..end).unwrap_or_default();
        if let (false, 0, Some(number)) = (is_scientific, places, all(digits)) {
            match (negative, i64::try_from(number)) {
                (false, _) => return Ok(Value::Whole(number)),
                (true, Ok(number)) if number > 0 => return Ok(Value::Negative(-number)),
                _ if negative && number == 1 << 63 => return Ok(Value::Negative(i64::MIN)),
                _ => {}
            }
        }
        let fraction = self.input.get(end + 1..end + 1 + places).unwrap_or_default();
        let number = decimal(digits, fraction, power);
        if number.is_infinite() {
            self.at = start;
            return wrong("number out of range");
        }
        Ok(Value::Number(if negative { -number } else { number }))
    }

    fn text(&mut self) -> Result<Text, Wrong> {
        self.at += 1;
        let start = self.at;
        self.scratch.clear();
        let mut from = start;
        loop {
            let rest = self.input.get(self.at..).unwrap_or_default();
            let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F));
            self.at += length.unwrap_or(rest.len());
            let plain = self.input.get(from..self.at).unwrap_or_default();
            if !plain.is_ascii() && core::str::from_utf8(plain).is_err() {
                return wrong("invalid unicode code point");
            }
            match self.input.get(self.at) {
                None => return wrong("EOF while parsing a string"),
                Some(b'"') => {
                    let end = self.at;
                    self.at += 1;
                    let text = if from == start {
                        Values::borrowed(start, end - start)
                    } else {
                        self.scratch.extend_from_slice(plain);
                        self.values.unescaped(&self.scratch)
                    };
                    return text.ok_or(Wrong::Limit(Limit::Input));
                }
                Some(b'\\') => {
                    self.scratch.extend_from_slice(plain);
                    self.at += 1;
                    self.escape()?;
                    from = self.at;
                }
                Some(_) => return wrong("control character (\\u0000-\\u001F) found while parsing a string"),
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<(), Wrong> {
        let Some(byte) = self.input.get(self.at).copied() else { return wrong("EOF while parsing a string") };
        self.at += 1;
        let plain = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let mut code = self.hex()?;
                if (0xD800..0xDC00).contains(&code) {
                    let low = self.input.get(self.at..).is_some_and(|rest| rest.starts_with(b"\\u"));
                    self.at += if low { 2 } else { 0 };
                    let low = if low { self.hex()? } else { 0 };
                    if !(0xDC00..0xE000).contains(&low) {
                        return wrong("lone leading surrogate in hex escape");
                    }
                    code = 0x1_0000 + ((code - 0xD800) << 10 | (low - 0xDC00));
                }
                let Some(letter) = char::from_u32(code) else { return wrong("lone trailing surrogate in hex escape") };
                self.scratch.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return wrong("invalid escape"),
        };
        self.scratch.push(plain);
        Ok(())
    }

    fn hex(&mut self) -> Result<u32, Wrong> {
        let digits = self.input.get(self.at..self.at + 4).unwrap_or_default();
        let code = digits.iter().try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)?));
        let Some(code) = code.filter(|_| digits.len() == 4) else { return wrong("invalid escape") };
        self.at += 4;
        Ok(code)
    }
}

/// The number that digits are; nothing where 64 bits do not hold it.
fn all(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |number, digit| number.checked_mul(10)?.checked_add((digit - b'0').into()))
}

/// A fraction, from its first 19 digits: exact to the last bit for what people and programs write, and to a few of them elsewhere.
fn decimal(whole: &[u8], fraction: &[u8], power: i32) -> f64 {
    let mut power = power.saturating_sub(i32::try_from(fraction.len()).unwrap_or(i32::MAX));
    let mut number = 0_u64;
    for digit in whole.iter().chain(fraction) {
        if number < u64::MAX / 10 - 1 {
            number = number * 10 + u64::from(digit - b'0');
        } else {
            power = power.saturating_add(1);
        }
    }
    let mut result = number as f64;
    while power != 0 && result != 0.0 && result.is_finite() {
        let step = power.unsigned_abs().min(22);
        let scale = (0..step).fold(1.0, |scale, _| scale * 10.0);
        if power > 0 {
            result *= scale;
            power -= i32::try_from(step).unwrap_or(0);
        } else {
            result /= scale;
            power += i32::try_from(step).unwrap_or(0);
        }
    }
    result
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
