//! JSON as it is written, for a page: texts, numbers, lists and objects, and nothing that can fail.

use alloc::string::String;
use core::fmt::Write as _;

/// A JSON text that grows from left to right.
#[derive(Debug, Default)]
pub struct Written {
    text: String,
}

impl Written {
    /// Puts a comma where one belongs before what comes next.
    fn separate(&mut self) {
        if !matches!(self.text.as_bytes().last(), None | Some(b'[' | b'{' | b':')) {
            self.text.push(',');
        }
    }

    /// The name of what comes next in an object.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.text(name);
        self.text.push(':');
        self
    }

    /// A list or an object, with what is written inside: `[` or `{`.
    pub fn within(&mut self, bracket: char, inside: &mut dyn FnMut(&mut Self)) {
        self.separate();
        self.text.push(bracket);
        inside(self);
        self.text.push(if bracket == '[' { ']' } else { '}' });
    }

    /// A list of texts.
    pub fn texts(&mut self, texts: &[String]) {
        self.within('[', &mut |list| texts.iter().for_each(|text| list.text(text)));
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.separate();
        self.text.push('"');
        for letter in text.chars() {
            match letter {
                '"' | '\\' => {
                    self.text.push('\\');
                    self.text.push(letter);
                }
                '\0'..='\x1F' => _ = write!(self.text, "\\u{:04x}", u32::from(letter)),
                _ => self.text.push(letter),
            }
        }
        self.text.push('"');
    }

    /// A whole number.
    pub fn number(&mut self, number: u64) {
        self.separate();
        _ = write!(self.text, "{number}");
    }

    /// A whole number that may be negative.
    pub fn signed(&mut self, number: i64) {
        self.separate();
        _ = write!(self.text, "{number}");
    }

    /// True or false.
    pub fn switch(&mut self, on: bool) {
        self.separate();
        self.text.push_str(if on { "true" } else { "false" });
    }

    /// Nothing.
    pub fn nothing(&mut self) {
        self.separate();
        self.text.push_str("null");
    }

    /// All of it.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut json = Written::default();
        json.within('{', &mut |json| {
            json.name("a\"\\\n\u{1}é").text("[");
            json.name("b").within('[', &mut |json| {
                json.number(u64::MAX);
                json.switch(true);
                json.nothing();
                json.within('{', &mut |_| {});
                json.texts(&["x:".into(), String::new()]);
            });
        });
        let read: serde_json::Value = serde_json::from_str(&json.finish()).unwrap();
        let expected = serde_json::json!({"a\"\\\n\u{1}é": "[", "b": [u64::MAX, true, null, {}, ["x:", ""]]});
        assert_eq!(read, expected);
    }
}
