//! Finding many short texts at once: one step for each word of a line, whatever their number.
//!
//! Logs have hundreds of megabytes, and nearly no line of them says anything about memory. A mark never begins within a word, so only
//! the beginnings of words are looked at, and there a table of bits answers by four bytes; only where it says yes are the marks themselves compared.

use alloc::vec;
use alloc::vec::Vec;

use crate::order::sorted;

/// Bits of the table; a few hundred marks set a few hundred of them.
const BITS: u32 = 16;

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

    /// Hands on the marks of a text, each with its place, in the order of the text.
    pub(crate) fn of(&self, text: &[u8], mut each: impl FnMut(u16, usize)) {
        let mut inside = false;
        for (at, byte) in text.iter().enumerate() {
            let before = inside;
            inside = is_part(*byte);
            // Within a word, and at spaces.
            if before && inside || *byte == b' ' {
                continue;
            }
            let Some(window) = text.get(at..).and_then(|rest| rest.first_chunk::<4>()) else { return };
            let key = key(*window);
            let (word, bit) = slot(key);
            if self.table.get(word).is_none_or(|word| word & bit == 0) {
                continue;
            }
            let first = self.marks.partition_point(|(known, ..)| *known < key);
            let alike = self.marks.get(first..).unwrap_or_default().iter().take_while(|(known, ..)| *known == key);
            for (_, mark, number) in alike {
                if text.get(at..).is_some_and(|rest| rest.starts_with(mark)) {
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
        marks.of(b"", |_, _| panic!("nothing is there"));
    }
}
