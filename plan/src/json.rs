//! JSON (RFC 8259): a reader that keeps the line of each value, and strings as they are written.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::node::{Entry, Json, Node};

/// The largest file that is read, in bytes; a plan takes about one kilobyte.
pub const LARGEST: usize = 1 << 20;
/// How deep values may be nested.
pub const DEEPEST: u32 = 32;

/// Why a text could not be read as JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The line, from 1 on.
    pub line: u32,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl core::error::Error for Unreadable {}

/// Parses a JSON text.
///
/// # Errors
/// The text is not valid JSON, is larger than [`LARGEST`], is nested deeper than [`DEEPEST`], or repeats a name in one object.
///
/// # Example
/// ```
/// let node = memory_wall_plan::json::read("{\n  \"seq\": 4096\n}").unwrap();
/// assert_eq!((node.line, node.value.get("seq").unwrap().line), (1, 2));
/// assert_eq!(memory_wall_plan::json::read("{\n1: 2}").unwrap_err().to_string(), "line 2: a name in quotes is expected, not 1");
/// ```
pub fn read(text: &str) -> Result<Node, Unreadable> {
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };
    if text.len() > LARGEST {
        return Err(reader.refused("the file is larger than 1 MiB, which no plan is"));
    }
    let node = reader.value(0)?;
    reader.space();
    match reader.rest.chars().next() {
        None => Ok(node),
        Some(_) => Err(reader.expected("nothing more")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: u32,
}

impl Reader<'_> {
    fn refused(&self, what: impl Into<String>) -> Unreadable {
        Unreadable { line: self.line, what: what.into() }
    }

    /// An error that says what was expected here, and what was found.
    fn expected(&self, what: &str) -> Unreadable {
        let here: String =
            self.rest.chars().take_while(|c| !c.is_whitespace() && !",:[]{}".contains(*c)).take(20).collect();
        let here = match (here.is_empty(), self.rest.chars().next()) {
            (false, _) => here.escape_debug().collect(),
            (true, Some(mark)) => String::from(mark),
            (true, None) => "the end".into(),
        };
        self.refused(format!("{what} is expected, not {here}"))
    }

    fn space(&mut self) {
        let length = self.rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        self.skip(length);
    }

    /// Skips so many bytes, which have to end at the end of a character.
    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        let lines = skipped.bytes().filter(|byte| *byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.rest = rest;
    }

    fn eat(&mut self, mark: &str) -> bool {
        self.space();
        let found = self.rest.starts_with(mark);
        if found {
            self.skip(mark.len());
        }
        found
    }

    fn value(&mut self, depth: u32) -> Result<Node, Unreadable> {
        self.space();
        let line = self.line;
        if depth > DEEPEST {
            return Err(self.refused(format!("values stand in one another more than {DEEPEST} deep")));
        }
        let value = match self.rest.bytes().next() {
            Some(b'{') => Json::Map(self.map(depth)?),
            Some(b'[') => Json::List(self.list(depth)?),
            Some(b'"') => Json::Text(self.text()?),
            Some(b'-' | b'0'..=b'9') => Json::Number(self.number()?),
            _ => self.word()?,
        };
        Ok(Node { line, value })
    }

    fn word(&mut self) -> Result<Json, Unreadable> {
        let words = [("true", Json::Bool(true)), ("false", Json::Bool(false)), ("null", Json::Null)];
        let length = self.rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let found = words.into_iter().find(|(word, _)| self.rest.get(..length) == Some(word));
        let (_, value) = found.ok_or_else(|| self.expected("a value"))?;
        self.skip(length);
        Ok(value)
    }

    fn list(&mut self, depth: u32) -> Result<Vec<Node>, Unreadable> {
        self.skip(1);
        let mut items = Vec::new();
        if self.eat("]") {
            return Ok(items);
        }
        loop {
            items.push(self.value(depth.saturating_add(1))?);
            if self.eat("]") {
                return Ok(items);
            }
            if !self.eat(",") {
                return Err(self.expected("a comma or ]"));
            }
        }
    }

    fn map(&mut self, depth: u32) -> Result<Vec<Entry>, Unreadable> {
        self.skip(1);
        let mut entries: Vec<Entry> = Vec::new();
        if self.eat("}") {
            return Ok(entries);
        }
        loop {
            self.space();
            if !self.rest.starts_with('"') {
                return Err(self.expected("a name in quotes"));
            }
            let line = self.line;
            let key = self.text()?;
            if entries.iter().any(|entry| entry.key == key) {
                return Err(Unreadable { line, what: format!("{} is there twice", crate::value::quoted(&key)) });
            }
            if entries.len() >= MOST {
                return Err(self.refused(format!("there are more than {MOST} names in one object")));
            }
            if !self.eat(":") {
                return Err(self.expected("a colon"));
            }
            let node = self.value(depth.saturating_add(1))?;
            entries.push(Entry { key, line, node });
            if self.eat("}") {
                return Ok(entries);
            }
            if !self.eat(",") {
                return Err(self.expected("a comma or }"));
            }
        }
    }

    fn number(&mut self) -> Result<String, Unreadable> {
        let length = self.rest.bytes().take_while(|it| it.is_ascii_digit() || b"+-.eE".contains(it)).count();
        let text = self.rest.get(..length).unwrap_or_default();
        if !is_number(text) {
            return Err(self.expected("a number"));
        }
        let text = text.into();
        self.skip(length);
        Ok(text)
    }

    fn text(&mut self) -> Result<String, Unreadable> {
        self.skip(1);
        let mut text = String::new();
        loop {
            let length = self.rest.bytes().take_while(|byte| *byte >= b' ' && !matches!(byte, b'"' | b'\\')).count();
            text.push_str(self.rest.get(..length).unwrap_or_default());
            self.skip(length);
            match self.rest.bytes().next() {
                Some(b'"') => {
                    self.skip(1);
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escaped()?),
                Some(_) => return Err(self.refused("a text ends with its line: a closing quote is missing")),
                None => return Err(self.refused("a closing quote is missing")),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, Unreadable> {
        let mark = self.rest.chars().nth(1);
        self.skip(1 + mark.map_or(0, char::len_utf8));
        Ok(match mark {
            Some(mark @ ('"' | '\\' | '/')) => mark,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let first = self.unit()?;
                let code = match first {
                    0xd800..0xdc00 if self.rest.starts_with("\\u") => {
                        self.skip(2);
                        let second = self.unit()?;
                        match second {
                            0xdc00..0xe000 => 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                            _ => first,
                        }
                    }
                    _ => first,
                };
                char::from_u32(code).ok_or_else(|| self.refused("half of a character stands behind \\u"))?
            }
            _ => return Err(self.refused("what stands behind a backslash is not known")),
        })
    }

    fn unit(&mut self) -> Result<u32, Unreadable> {
        let digits = self.rest.get(..4).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|text| u32::from_str_radix(text, 16).ok());
        let code = code.ok_or_else(|| self.refused("four hexadecimal digits are expected behind \\u"))?;
        self.skip(4);
        Ok(code)
    }
}

/// The most names in one object; a plan has about fifty.
pub(crate) const MOST: usize = 1_000;

/// Whether a text is a valid JSON number.
pub fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (number, exponent) =
        text.split_once(['e', 'E']).map_or((text, None), |(number, exponent)| (number, Some(exponent)));
    let (whole, fraction) = number.split_once('.').map_or((number, None), |(whole, fraction)| (whole, Some(fraction)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if u32::from(c) < 0x20 || c == '\u{7f}' => {
                // Writing into a text does not fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
