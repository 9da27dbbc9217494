//! Strings of a JSON text, with their escapes.

use super::super::{Collector, Limit, Text, Values};
use super::{Parser, Wrong, wrong};

impl<C: Collector> Parser<'_, '_, C> {
    pub(super) fn text(&mut self) -> Result<Text, Wrong> {
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
