//! Texts in UTF-16, as the shell of Windows writes what is sent to a file, handed on in UTF-8.

use alloc::string::String;
use alloc::vec::Vec;

/// Bytes of UTF-8 that are handed on at once.
const BLOCK: usize = 64 << 10;

/// How a text is encoded, by its first two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Encoding {
    /// They have not come yet.
    #[default]
    Unknown,
    /// It is handed on as it is.
    Bytes,
    /// UTF-16, of each unit the lower byte first.
    Little,
    /// UTF-16, of each unit the higher byte first.
    Big,
}

/// Decodes a text piece by piece: UTF-8 as it is, UTF-16 in either byte order.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    encoding: Encoding,
    /// The first bytes, or the first half of a unit.
    held: Vec<u8>,
    /// The first half of a pair of surrogates.
    high: Option<u16>,
    text: String,
}

impl Decoder {
    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) {
        while self.encoding == Encoding::Unknown {
            let Some((byte, rest)) = bytes.split_first() else { return };
            self.held.push(*byte);
            bytes = rest;
            self.encoding = match self.held.as_slice() {
                [_] => Encoding::Unknown,
                [0xFF, 0xFE] => Encoding::Little,
                [0xFE, 0xFF] => Encoding::Big,
                _ => Encoding::Bytes,
            };
            if self.encoding == Encoding::Bytes {
                each(&self.held);
            }
            if self.encoding != Encoding::Unknown {
                self.held.clear();
            }
        }
        if self.encoding == Encoding::Bytes {
            each(bytes);
            return;
        }
        for byte in bytes {
            let Some(first) = self.held.pop() else {
                self.held.push(*byte);
                continue;
            };
            let unit = [first, *byte];
            self.unit(if self.encoding == Encoding::Big { u16::from_be_bytes(unit) } else { u16::from_le_bytes(unit) });
            if self.text.len() >= BLOCK {
                each(self.text.as_bytes());
                self.text.clear();
            }
        }
        each(self.text.as_bytes());
        self.text.clear();
    }

    /// Ends the text: a byte that came alone is one.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(&[u8])) {
        if self.encoding == Encoding::Unknown {
            each(&self.held);
        }
        *self = Self::default();
    }

    fn unit(&mut self, unit: u16) {
        let high = self.high.take();
        if high.is_none() && (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        for letter in char::decode_utf16(high.into_iter().chain([unit])) {
            self.text.push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(pieces: &[&[u8]]) -> String {
        let mut text = Vec::new();
        let mut decoder = Decoder::default();
        for piece in pieces {
            decoder.feed(piece, |bytes| text.extend_from_slice(bytes));
        }
        decoder.finish(|bytes| text.extend_from_slice(bytes));
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn both_orders_are_read_however_they_are_cut() {
        let text = "1 GiB is free\r\n\u{1F525} é\n";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = [0xFEFF].iter().chain(&units).flat_map(|unit: &u16| unit.to_le_bytes()).collect();
        let big: Vec<u8> = [0xFEFF].iter().chain(&units).flat_map(|unit: &u16| unit.to_be_bytes()).collect();
        for bytes in [little, big, text.as_bytes().to_vec()] {
            for at in 0..=bytes.len() {
                assert_eq!(decoded(&[&bytes[..at], &bytes[at..]]), text, "{at}");
            }
        }
    }

    #[test]
    fn what_is_broken_is_read_up_to_there() {
        assert_eq!(decoded(&[b"\xFF\xFEa\0\x3D\xD8b\0c"]), "a\u{FFFD}b");
        assert_eq!(decoded(&[b"\xFF"].map(|_: &[u8; 1]| &b"x"[..])), "x");
        assert_eq!(decoded(&[]), "");
    }
}
