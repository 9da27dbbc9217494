//! Reading what PyTorch and `nvidia-smi` print: bytes in, three numbers out. Never fails, allocates nothing, runs nothing.
//!
//! Known are the repr or JSON of `torch.cuda.memory_stats()`, the table of `torch.cuda.memory_summary()`, PyTorch's message
//! when memory runs out, and the table of `nvidia-smi`. Each number is looked for by the words around it, so that it does not
//! matter what else was pasted along. All of it is one walk over bytes and one reader of sizes: every visitor loads it.

use super::Request;
use crate::units::Bytes;

/// The longest text that is read, in bytes: some hundred times what is printed.
pub const LONGEST: usize = 1 << 20;

/// The largest size that is believed: a pebibyte.
pub const MOST: u64 = 1 << 50;

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
    fn of(size: Option<u64>) -> Self {
        size.map_or(Self::Unreadable, |bytes| Self::Size(Bytes(bytes.into())))
    }

    /// The size, where there is one.
    pub fn size(self) -> Option<Bytes> {
        if let Self::Size(bytes) = self { Some(bytes) } else { None }
    }
}

/// What a text holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paste {
    /// The peak of what was allocated, the peak of what was reserved, and what the driver says is used; of a run that died,
    /// what was allocated and reserved then.
    pub found: [Found; 3],
    /// What the run asked for when it died: it needs at least that much more than it held.
    pub asked: Option<Request>,
    /// Whether the text was longer than is read.
    pub cut: bool,
}

/// Reads a text.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, profile::{Found, read}};
/// let paste = read("{'allocated_bytes.all.peak': 4096, 'reserved_bytes.all.peak': 8192}");
/// assert_eq!(paste.found, [Found::Size(Bytes(4096)), Found::Size(Bytes(8192)), Found::Absent]);
/// ```
pub fn read(text: &str) -> Paste {
    let bytes = text.as_bytes();
    let (text, rest) = bytes.split_at_checked(LONGEST).unwrap_or((bytes, &[]));
    // Up to PyTorch 2.0 the message said "already allocated" and "reserved in total".
    let live = first([before(text, b"is allocated by PyTorch"), before(text, b"already allocated")]);
    let held = match (live, before(text, b"is reserved by PyTorch")) {
        (Found::Size(live), Found::Size(free)) => Found::Size(live + free),
        (_, Found::Absent) => before(text, b"reserved in total by PyTorch"),
        (_, free) => free,
    };
    let peak = first([after(text, b"allocated_bytes.all.peak", 0), after(text, b"Allocated memory", 2)]);
    // A request comes on top of what was there when it failed, not on top of an earlier peak.
    let asked = asked(text).filter(|_| live != Found::Absent || peak == Found::Absent);
    let found = [
        if asked.is_some() { live } else { first([peak, live]) },
        first([after(text, b"reserved_bytes.all.peak", 0), after(text, b"GPU reserved memory", 2), held]),
        first([after(text, b"this process has ", 0), driver(text)]),
    ];
    Paste { found, asked, cut: !rest.is_empty() }
}

/// What a run asked for when it died, by PyTorch's message.
fn asked(text: &[u8]) -> Option<Request> {
    let words = b"Tried to allocate";
    let size = quantity(text.get(place(text, words)? + words.len()..)?, 1, 1_024)?;
    Some(Request { bytes: Bytes(size.bytes.into()), grain: Bytes(size.grain.into()) })
}

fn first<const N: usize>(found: [Found; N]) -> Found {
    found.into_iter().find(|found| *found != Found::Absent).unwrap_or_default()
}

/// A size as people write it: `14.2 GiB`, `24064 KiB`, `80 GB`, `15,250,000,000`; a number alone counts in `plain` bytes.
///
/// Powers of 1,000 and of 1,024 as their units say. Anything else, nothing and what passes [`MOST`] is `None`.
///
/// ```
/// use memory_wall_core::profile::size;
/// assert_eq!(size(" 1.5 GiB ", 1), Some(3 << 29));
/// assert_eq!(size("2 GB", 1), Some(2_000_000_000));
/// assert_eq!(size("80", 1 << 20), Some(80 << 20));
/// assert_eq!(size("-1 GiB", 1), None);
/// ```
pub fn size(text: &str, plain: u64) -> Option<u64> {
    let size = quantity(text.as_bytes(), plain, 1_000)?;
    size.rest.trim_ascii().is_empty().then_some(size.bytes)
}

/// White space, and the bytes of the narrow and the unbreakable ones that the page writes.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0xe2 | 0x80 | 0xaf | 0xc2 | 0xa0)
}

/// A size at the beginning of a text.
struct Quantity<'a> {
    bytes: u64,
    /// One unit of its last digit.
    grain: u64,
    /// What stands behind it.
    rest: &'a [u8],
}

/// Reads a size. A unit without `i` counts in powers of `base`.
fn quantity(text: &[u8], plain: u64, base: u64) -> Option<Quantity<'_>> {
    let (mut digits, mut behind, mut seen, mut point, mut mark) = (0_u64, 1_u64, 0_u8, false, false);
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        match byte {
            b'0'..=b'9' => {
                seen = seen.checked_add(1)?;
                // Finer than a ten-thousandth of a unit is no more than noise.
                if behind < 10_000 {
                    digits = digits.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                    behind *= if point { 10 } else { 1 };
                }
            }
            // Behind one to three digits first, and then behind three.
            b',' if !point
                && (if mark { seen == 3 } else { (1..4).contains(&seen) })
                && after.first().is_some_and(u8::is_ascii_digit) =>
            {
                (seen, mark) = (0, true);
            }
            b'.' if !point && seen > 0 && (!mark || seen == 3) && after.first().is_some_and(u8::is_ascii_digit) => {
                (point, mark) = (true, false);
            }
            byte if is_space(*byte) && seen == 0 => {}
            _ => break,
        }
        rest = after;
    }
    if seen == 0 || mark && seen != 3 {
        return None;
    }
    let mut unit = rest;
    while let Some((_, after)) = unit.split_first().filter(|(byte, _)| is_space(**byte)) {
        unit = after;
    }
    let letters = unit.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (unit, behind_unit) = unit.split_at_checked(letters)?;
    let power = match unit {
        [b'B' | b'b'] => Some(0),
        [first, b'i', b'B' | b'b'] | [first, b'B' | b'b'] | [first] => {
            b"KMGT".iter().position(|known| *known == first.to_ascii_uppercase()).map(|power| power + 1)
        }
        _ => None,
    };
    let base = if unit.len() == 3 { 1_024 } else { base };
    // What is no unit belongs to what follows.
    let (power, rest, once) = power.map_or((0, rest, plain), |power| (power, behind_unit, 1));
    let (mut bytes, mut grain) = (digits.checked_mul(once)?, once);
    for _ in 0..power {
        (bytes, grain) = (bytes.checked_mul(base)?, grain.checked_mul(base)?);
    }
    let (bytes, grain) = (bytes / behind, grain / behind);
    (1..=MOST).contains(&bytes).then_some(Quantity { bytes, grain, rest })
}

fn place(text: &[u8], words: &[u8]) -> Option<usize> {
    text.windows(words.len()).position(|window| window == words)
}

/// The size behind some words: behind the marks of a dictionary, or behind so many bars of a table.
fn after(text: &[u8], words: &[u8], bars: usize) -> Found {
    let Some(place) = place(text, words) else { return Found::Absent };
    let text = text.get(place + words.len()..).unwrap_or_default();
    let mut passed = 0;
    let start = text.iter().position(|byte| {
        passed += usize::from(*byte == b'|');
        *byte == b'\n' && bars > 0 || passed >= bars && !b"'\",:=| \t\r\n".contains(byte)
    });
    let number = text.get(start.unwrap_or(text.len())..).and_then(|text| quantity(text, 1, 1_024));
    // `1e30` and `5.` are numbers of another kind.
    let other = |rest: &[u8]| rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b".'".contains(byte));
    Found::of(number.filter(|size| !other(size.rest)).map(|size| size.bytes))
}

/// The size in front of some words: the last two words before them.
fn before(text: &[u8], words: &[u8]) -> Found {
    let Some(end) = place(text, words) else { return Found::Absent };
    let text = text.get(..end).unwrap_or_default().trim_ascii_end();
    let space = |text: &[u8]| text.iter().rposition(|byte| *byte == b' ').map_or(0, |place| place + 1);
    let unit = space(text);
    let start = space(text.get(..unit).unwrap_or_default().trim_ascii_end());
    Found::of(text.get(start..).and_then(|text| quantity(text, 1, 1_024)).map(|size| size.bytes))
}

/// The highest memory use of any GPU in the table of `nvidia-smi`: `12345MiB / 81920MiB`.
fn driver(text: &[u8]) -> Found {
    let (mut rest, mut most) = (text, Found::Absent);
    while let Some(end) = place(rest, b"MiB /") {
        let number = rest.get(..end).unwrap_or_default();
        let start = number.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |place| place + 1);
        let size = Found::of(number.get(start..).and_then(|text| quantity(text, 1 << 20, 1)).map(|size| size.bytes));
        if most.size().is_none() || size.size() > most.size() {
            most = size;
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    most
}
