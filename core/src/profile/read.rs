//! Reading what PyTorch and `nvidia-smi` print: bytes in, three numbers out. Never fails, allocates nothing, runs nothing.
//!
//! Known are the repr or JSON of `torch.cuda.memory_stats()`, the table of `torch.cuda.memory_summary()`, PyTorch's message
//! when memory runs out, and the table of `nvidia-smi`. Each number is looked for by the words around it, so that it does not
//! matter what else was pasted along.

use super::Reading;
use crate::units::Bytes;

/// The longest text that is read, in bytes: some hundred times what is printed.
pub const LONGEST: usize = 1 << 20;

/// The largest size that is believed: a pebibyte.
pub const MOST: u128 = 1 << 50;

/// What became of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// It is not in the text.
    #[default]
    Absent,
    /// It is in the text, and is no size between a byte and [`MOST`].
    Unreadable,
    /// It is this.
    Size(Bytes),
}

impl Found {
    fn of(size: Option<Bytes>) -> Self {
        size.map_or(Self::Unreadable, Self::Size)
    }

    fn or(self, other: impl FnOnce() -> Self) -> Self {
        if self == Self::Absent { other() } else { self }
    }

    /// The size, where there is one.
    pub fn size(self) -> Option<Bytes> {
        if let Self::Size(bytes) = self { Some(bytes) } else { None }
    }
}

/// What a text holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paste {
    /// The peak of what was allocated.
    pub allocated: Found,
    /// The peak of what was reserved.
    pub reserved: Found,
    /// What the driver says is used.
    pub used: Found,
    /// Whether the text was longer than is read.
    pub cut: bool,
}

impl Paste {
    /// The sizes alone.
    pub fn reading(&self) -> Reading {
        Reading { allocated: self.allocated.size(), reserved: self.reserved.size(), used: self.used.size() }
    }
}

/// Reads a text.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, profile::{Found, read}};
/// let paste = read("{'allocated_bytes.all.peak': 4096, 'reserved_bytes.all.peak': 8192}");
/// assert_eq!((paste.allocated, paste.reserved), (Found::Size(Bytes(4096)), Found::Size(Bytes(8192))));
/// assert_eq!(paste.used, Found::Absent);
/// ```
pub fn read(text: &str) -> Paste {
    let bytes = text.as_bytes();
    let (read, rest) = bytes.split_at_checked(LONGEST).unwrap_or((bytes, &[]));
    let [live, free] =
        [out_of_memory(read, b"is allocated by PyTorch"), out_of_memory(read, b"is reserved by PyTorch")];
    Paste {
        allocated: stat(read, b"allocated_bytes.all.peak").or(|| row(read, b"Allocated memory")).or(|| live),
        reserved: stat(read, b"reserved_bytes.all.peak").or(|| row(read, b"GPU reserved memory")).or(|| {
            match (live, free) {
                (Found::Size(live), Found::Size(free)) => Found::Size(live + free),
                (_, other) => other,
            }
        }),
        used: behind(read, b"this process has ")
            .map_or(Found::Absent, |text| Found::of(first_size(text)))
            .or(|| driver(read)),
        cut: !rest.is_empty(),
    }
}

/// A size as people write it: `14.2 GiB`, `24064 KiB`, `80 GB`, `15,250,000,000`; a number alone counts in `plain` bytes.
///
/// Powers of 1,000 and of 1,024 as their units say. Anything else, nothing and what passes [`MOST`] is `None`.
///
/// ```
/// use memory_wall_core::{Bytes, profile::size};
/// assert_eq!(size(" 1.5 GiB ", 1), Some(Bytes(3 << 29)));
/// assert_eq!(size("2 GB", 1), Some(Bytes(2_000_000_000)));
/// assert_eq!(size("80", 1 << 20), Some(Bytes(80 << 20)));
/// assert_eq!(size("-1 GiB", 1), None);
/// ```
pub fn size(text: &str, plain: u128) -> Option<Bytes> {
    // Thin spaces, as sizes are shown on the page, are three bytes each.
    if text.len() > 40 {
        return None;
    }
    let mut ascii = [b' '; 40];
    for (slot, c) in ascii.iter_mut().zip(text.chars()) {
        *slot = match u8::try_from(c) {
            Ok(0xa0) => b' ',
            Ok(byte) if byte.is_ascii() => byte,
            _ if c.is_whitespace() => b' ',
            _ => return None,
        };
    }
    let text = ascii.trim_ascii();
    let end = text.iter().position(u8::is_ascii_alphabetic).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    value(number.trim_ascii(), if unit.is_empty() { plain } else { scale(unit)? })
}

/// What a unit stands for.
fn scale(unit: &[u8]) -> Option<u128> {
    let (first, rest) = unit.split_first()?;
    let power = match first.to_ascii_uppercase() {
        b'B' if rest.is_empty() => return Some(1),
        b'K' => 1,
        b'M' => 2,
        b'G' => 3,
        b'T' => 4,
        _ => return None,
    };
    match rest {
        b"iB" | b"ib" | b"i" => Some(1 << (10 * power)),
        b"B" | b"b" | b"" => 1_000_u128.checked_pow(power),
        _ => None,
    }
}

/// A number with or without a point, times what it counts. Commas may stand between groups of three.
fn value(number: &[u8], unit: u128) -> Option<Bytes> {
    let (mut digits, mut behind, mut point, mut group) = (0_u128, 1_u128, false, None::<u32>);
    for (place, byte) in number.iter().enumerate() {
        match byte {
            b'0'..=b'9' if place < 24 => {
                digits = digits.checked_mul(10)?.checked_add(u128::from(byte - b'0'))?;
                group = group.map(|seen| seen + 1);
                if point {
                    behind = behind.checked_mul(10)?;
                }
            }
            b'.' if !point && place > 0 && group.is_none_or(|seen| seen == 3) => (point, group) = (true, None),
            b',' if !point && (1..=3).contains(&place) && group.is_none() => group = Some(0),
            b',' if !point && group == Some(3) => group = Some(0),
            _ => return None,
        }
    }
    let whole = !number.is_empty() && number.last() != Some(&b'.') && group.is_none_or(|seen| seen == 3);
    let bytes = digits.checked_mul(unit)? / behind;
    (whole && (1..=MOST).contains(&bytes)).then_some(Bytes(bytes))
}

/// What stands behind some words.
fn behind<'a>(text: &'a [u8], words: &[u8]) -> Option<&'a [u8]> {
    text.get(place(text, words)? + words.len()..)
}

fn place(text: &[u8], words: &[u8]) -> Option<usize> {
    text.windows(words.len()).position(|window| window == words)
}

/// The number behind a key of `memory_stats()`: `'key': 1`, `"key": 1`, `('key', 1)`.
fn stat(text: &[u8], key: &[u8]) -> Found {
    let Some(text) = behind(text, key) else { return Found::Absent };
    let start = text.iter().position(|byte| !b"'\",:= \t\r\n".contains(byte)).unwrap_or(text.len());
    let text = text.get(start..).unwrap_or_default();
    let end = text.iter().position(|byte| b",)}] \t\r\n".contains(byte)).unwrap_or(text.len());
    Found::of(text.get(..end).and_then(|number| value(number, 1)))
}

/// The peak in a row of `memory_summary()`: the second cell behind its name.
fn row(text: &[u8], name: &[u8]) -> Found {
    let Some(text) = behind(text, name) else { return Found::Absent };
    let mut cells = text.split(|byte| *byte == b'\n').next().unwrap_or_default().split(|byte| *byte == b'|');
    Found::of(cells.nth(2).and_then(first_size))
}

/// The size in front of some words in PyTorch's message.
fn out_of_memory(text: &[u8], words: &[u8]) -> Found {
    let Some(end) = place(text, words) else { return Found::Absent };
    let mut before = text.get(..end).unwrap_or_default().trim_ascii_end().rsplit(|byte| *byte == b' ');
    let (unit, number) = (before.next().unwrap_or_default(), before.next().unwrap_or_default());
    Found::of(printed(unit).and_then(|unit| value(number, unit)))
}

/// The most that a card uses in the table of `nvidia-smi`: `12345MiB / 81920MiB`.
fn driver(text: &[u8]) -> Found {
    let (mut rest, mut most) = (text, Found::Absent);
    while let Some(end) = place(rest, b"MiB /") {
        let before = rest.get(..end).unwrap_or_default();
        let start = before.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |place| place + 1);
        let size = before.get(start..).and_then(|number| value(number, 1 << 20));
        most = if size > most.size() || most == Found::Absent { Found::of(size) } else { most };
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    most
}

/// The size at the beginning of a text: a number and a unit with a space between them.
fn first_size(text: &[u8]) -> Option<Bytes> {
    let mut words = text.split(|byte| b" \t|\r\n".contains(byte)).filter(|word| !word.is_empty());
    let (number, unit) = (words.next()?, words.next()?);
    value(number, printed(unit)?)
}

/// PyTorch counts in powers of 1,024, and older versions wrote KB, MB and GB for them.
fn printed(unit: &[u8]) -> Option<u128> {
    let (first, rest) = unit.split_first()?;
    if rest == b"B" && *first != b'B' { scale(&[*first, b'i', b'B']) } else { scale(unit) }
}
