//! The fullest moment of a snapshot as bytes, from the program that draws to the one that explains.

use alloc::vec::Vec;

use super::number;
use super::read::From;
use crate::snapshot::{Alike, AtPeak, CATEGORIES, Moment};

/// Encodes a moment.
pub fn write_peak(peak: &AtPeak) -> Vec<u8> {
    let mut to = Vec::new();
    let flags = [peak.states_come_later, peak.states_are_older, peak.is_mostly_cached];
    let numbers = [peak.moment as u64].into_iter().chain(peak.composition).chain([peak.rounding, peak.unused]);
    for it in numbers.chain(flags.map(u64::from)).chain([peak.large.len() as u64]) {
        number(&mut to, it);
    }
    for it in &peak.large {
        for part in [it.category.place() as u64, it.size, it.count] {
            number(&mut to, part);
        }
    }
    to
}

/// Decodes it; nothing if the bytes are incomplete or no encoding of a moment.
pub fn read_peak(bytes: &[u8]) -> Option<AtPeak> {
    let mut from = From::new(bytes);
    let moment = from.one_of(&Moment::ALL)?;
    let mut composition = [0; CATEGORIES.len()];
    for sum in &mut composition {
        *sum = from.number()?;
    }
    let (rounding, unused) = (from.number()?, from.number()?);
    let mut flag = || Some(from.number()? != 0);
    let (states_come_later, states_are_older, is_mostly_cached) = (flag()?, flag()?, flag()?);
    let mut large = Vec::new();
    for _ in 0..from.number()? {
        large.push(Alike { category: from.one_of(&CATEGORIES)?, size: from.number()?, count: from.number()? });
    }
    Some(AtPeak { moment, composition, rounding, unused, states_come_later, states_are_older, is_mostly_cached, large })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Category;

    #[test]
    fn a_moment_arrives_as_it_was() {
        for moment in Moment::ALL {
            let peak = AtPeak {
                moment,
                composition: [1, 0, u64::MAX, 300, 5, 6],
                rounding: 512,
                unused: 1 << 40,
                states_come_later: true,
                states_are_older: false,
                is_mostly_cached: true,
                large: [(Category::Temporary, 1 << 31), (Category::Other, 7)]
                    .map(|(category, size)| Alike { category, size, count: 3 })
                    .into(),
            };
            let bytes = write_peak(&peak);
            assert_eq!(read_peak(&bytes), Some(peak));
            for length in 0..bytes.len() {
                assert_eq!(read_peak(&bytes[..length]), None, "{length}");
            }
            for place in 0..bytes.len() {
                for byte in [0, 0x7F, 0xFF] {
                    let mut other = bytes.clone();
                    other[place] = byte;
                    let _ = read_peak(&other);
                }
            }
        }
    }
}
