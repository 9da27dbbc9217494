//! Finding many short texts at once: one step for each word of a line, whatever their number.
//!
//! Logs have hundreds of megabytes, and nearly no line of them says anything about memory. A mark never begins within a word, so only
//! the beginnings of words are looked at, and there a table of bits answers by four bytes; only where it says yes are the marks themselves compared.

use alloc::vec;
use alloc::vec::Vec;

use crate::order::sorted;

/// Bits of the table; a few hundred marks set a few hundred of them.
const BITS: u32 = 16;

/// Bytes at the end of a text in which a mark may begin that ends elsewhere, and how many of it say enough.
const LAST: usize = 48;
const ENOUGH: usize = 8;

/// The marks, by their first four bytes.
#[derive(Debug)]
pub(crate) struct Marks {
    table: Vec<u64>,
    /// First four bytes, the mark, and its number, in the order of the first.
    marks: Vec<(u32, &'static [u8], u16)>,
}

impl Marks {
    /// Of texts of four bytes or more, each with a number.
    pub(crate) fn new(texts: impl Iterator<Item = (&'static [u8], u16)>) -> Self {
        let marks: Vec<_> =
            texts.filter_map(|(text, number)| Some((key(*text.first_chunk::<4>()?), text, number))).collect();
        let marks = sorted(marks, |(key, _, number)| ((*key).into(), (*number).into()));
        let mut table = vec![0_u64; 1 << (BITS - 6)];
        for (key, ..) in &marks {
            let (word, bit) = slot(*key);
            if let Some(word) = table.get_mut(word) {
                *word |= bit;
            }
        }
        Self { table, marks }
    }

    /// Hands on the marks that begin at the end of a text and do not end there, each with its place.
    pub(crate) fn begun(&self, text: &[u8], mut each: impl FnMut(u16, usize)) {
        let text = text.trim_ascii_end();
        let part = |at: usize| text.get(at).is_some_and(|byte| is_part(*byte));
        for at in text.len().saturating_sub(LAST)..=text.len().saturating_sub(ENOUGH) {
            if part(at) && at.checked_sub(1).is_some_and(part) {
                continue;
            }
            let rest = text.get(at..).unwrap_or_default();
            let begins = |mark: &[u8]| rest.len() >= ENOUGH && mark.len() > rest.len() && mark.starts_with(rest);
            self.alike(rest).filter(|(_, mark, _)| begins(mark)).for_each(|(.., number)| each(*number, at));
        }
    }

    /// The marks whose first bytes are those of a text.
    fn alike(&self, text: &[u8]) -> impl Iterator<Item = &(u32, &'static [u8], u16)> {
        let key = text.first_chunk::<4>().map(|window| key(*window));
        let known = key.filter(|key| {
            let (word, bit) = slot(*key);
            self.table.get(word).is_some_and(|word| word & bit != 0)
        });
        let first = known.map_or(self.marks.len(), |key| self.marks.partition_point(|(known, ..)| *known < key));
        self.marks.get(first..).unwrap_or_default().iter().take_while(move |(mark, ..)| Some(*mark) == known)
    }

    /// Hands on the marks of a text, each with its place, in the order of the text.
    pub(crate) fn of(&self, text: &[u8], mut each: impl FnMut(u16, usize)) {
        let mut inside = false;
        let mut last = b' ';
        for (at, byte) in text.iter().enumerate() {
            let before = inside;
            // The `n` of a line end that was quoted as `\n` is no part of the word behind it.
            inside = is_part(*byte) && !is_escape(last, *byte);
            last = *byte;
            // Within a word, and at spaces.
            if before && inside || *byte == b' ' {
                continue;
            }
            let rest = text.get(at..).unwrap_or_default();
            for (_, mark, number) in self.alike(rest) {
                if rest.starts_with(mark) {
                    each(*number, at);
                }
            }
        }
    }
}

/// Whether a byte may stand within a word.
pub(crate) const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether two bytes are a line end or a tab as a quoted text has them.
pub(crate) const fn is_escape(first: u8, second: u8) -> bool {
    first == b'\\' && matches!(second, b'n' | b't' | b'r')
}

const fn key(bytes: [u8; 4]) -> u32 {
    u32::from_le_bytes(bytes)
}

/// The word and the bit of a key.
fn slot(key: u32) -> (usize, u64) {
    let hash = key.wrapping_mul(0x9e37_79b1) >> (32 - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_found_where_it_stands() {
        let texts: [&[u8]; 4] = [b"KV cache", b"KV buffer", b"cache", b"four"];
        let marks = Marks::new(texts.into_iter().zip(0..));
        let mut found = Vec::new();
        marks.of(b"the KV cache and the KV buffer, fou", |number, at| found.push((number, at)));
        assert_eq!(found, [(0, 4), (2, 7), (1, 21)]);
        found.clear();
        marks.of(b"xcache _four -four", |number, at| found.push((number, at)));
        assert_eq!(found, [(3, 14)]);
        found.clear();
        marks.of(b"(said)\\ncache", |number, at| found.push((number, at)));
        assert_eq!(found, [(2, 8)]);
        marks.of(b"", |_, _| panic!("nothing is there"));
        let texts: [&[u8]; 2] = [b"Model loading took", b"Model loaded"];
        let marks = Marks::new(texts.into_iter().zip(0..));
        found.clear();
        for text in
            [&b"INFO Model loading "[..], b"Model load", b"INFO Model l", b"Model loading took", b"remodel_Model loa"]
        {
            marks.begun(text, |number, at| found.push((number, at)));
        }
        assert_eq!(found, [(0, 5), (0, 0), (1, 0)]);
    }
}
