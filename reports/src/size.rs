//! Sizes as programs print them: exact integers with the grain of their last digit.

use crate::scan;

/// What a unit without an `i` stands for: programs disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Powers of 1,024, whatever the unit is called: PyTorch, vLLM, `SGLang`, Ollama.
    Binary,
    /// Powers of 1,000 where the unit has no `i`: LitGPT, TGI.
    Decimal,
}

/// The largest size that is believed: an exbibyte.
pub const MOST: i64 = 1 << 60;

/// A number of bytes as a text says it. Negative where a program prints less than nothing, as vLLM does of a pool without room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    /// The number that is printed, in bytes, cut off below a byte.
    pub bytes: i64,
    /// One unit of the last digit: 10,737,418 bytes in "1.96 GiB"; nothing where the bytes themselves are printed.
    pub grain: u64,
    /// Whether the program cuts digits off, so that the truth is never below what it prints; otherwise it rounds.
    pub floor: bool,
}

impl Size {
    /// The bytes themselves.
    pub const fn exact(bytes: i64) -> Self {
        Self { bytes, grain: 0, floor: false }
    }

    /// Of a program that cuts digits off.
    #[must_use]
    pub const fn floored(self) -> Self {
        Self { floor: true, ..self }
    }

    /// The smallest number of bytes that prints like this.
    ///
    /// ```
    /// use memory_wall_reports::{Base, Size};
    /// let size = Size::read(b"1.96 GiB", Base::Binary).unwrap();
    /// // 4 sequences of 2,048 tokens with 128,256 logits in 16 bits.
    /// assert!((size.least()..=size.most()).contains(&(4 * 2_048 * 128_256 * 2)));
    /// ```
    pub const fn least(&self) -> i64 {
        if self.floor { self.bytes } else { self.bytes - (self.grain / 2).cast_signed() }
    }

    /// The largest.
    pub const fn most(&self) -> i64 {
        // A byte for what was cut off when the text was read.
        let above = if self.floor { self.grain } else { self.grain / 2 };
        self.bytes + above.cast_signed() + if self.grain == 0 { 0 } else { 1 }
    }

    /// Whether so many bytes print like this.
    pub fn says(&self, bytes: i128) -> bool {
        (i128::from(self.least())..=i128::from(self.most())).contains(&bytes)
    }

    /// A size with its unit at the beginning of a text; nothing without a unit, or beyond [`MOST`].
    pub fn read(text: &[u8], base: Base) -> Option<Self> {
        let number = scan::Number::read(text)?;
        let (unit, _) = Unit::read(number.rest)?;
        number.size(unit.bytes(base))
    }
}

/// A unit of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    power: u32,
    binary: bool,
}

impl Unit {
    /// Bytes.
    pub const BYTE: Self = Self { power: 0, binary: true };
    /// Powers of 1,024.
    pub const KIB: Self = Self { power: 1, binary: true };
    /// 1,048,576 bytes.
    pub const MIB: Self = Self { power: 2, binary: true };
    /// 1,073,741,824 bytes.
    pub const GIB: Self = Self { power: 3, binary: true };
    /// 1,000,000,000 bytes.
    pub const GB: Self = Self { power: 3, binary: false };
    /// 1,000,000 bytes.
    pub const MB: Self = Self { power: 2, binary: false };

    /// How many bytes it is.
    pub const fn bytes(self, base: Base) -> u64 {
        let one = if self.binary || matches!(base, Base::Binary) { 1_024_u64 } else { 1_000 };
        one.pow(self.power)
    }

    /// A unit at the beginning of a text, behind spaces: `GiB`, `GB`, `G`, `bytes`; with what stands behind it.
    pub fn read(text: &[u8]) -> Option<(Self, &[u8])> {
        let text = scan::unspaced(text);
        let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (unit, rest) = text.split_at_checked(letters)?;
        if unit.eq_ignore_ascii_case(b"bytes") || unit.eq_ignore_ascii_case(b"byte") {
            return Some((Self::BYTE, rest));
        }
        let (first, tail) = unit.split_first()?;
        let power = match first.to_ascii_uppercase() {
            b'B' if tail.is_empty() => return Some((Self::BYTE, rest)),
            b'K' => 1,
            b'M' => 2,
            b'G' => 3,
            b'T' => 4,
            b'P' => 5,
            _ => return None,
        };
        match tail {
            [] | [b'B' | b'b'] => Some((Self { power, binary: false }, rest)),
            [b'i'] | [b'i', b'B' | b'b'] => Some((Self { power, binary: true }, rest)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, base: Base) -> Option<(i64, u64)> {
        Size::read(text.as_bytes(), base).map(|size| (size.bytes, size.grain))
    }

    #[test]
    fn sizes_keep_their_grain() {
        for (text, binary, decimal) in [
            ("1.96 GiB", (2_104_533_975, 10_737_418), (2_104_533_975, 10_737_418)),
            ("1.96GB", (2_104_533_975, 10_737_418), (1_960_000_000, 10_000_000)),
            ("24064 KiB", (24_641_536, 1_024), (24_641_536, 1_024)),
            ("-0.41 GiB", (-440_234_147, 10_737_418), (-440_234_147, 10_737_418)),
            ("20.93G of", (22_473_416_376, 10_737_418), (20_930_000_000, 10_000_000)),
            ("4,294,967,296 bytes", (4_294_967_296, 0), (4_294_967_296, 0)),
            ("0 bytes is free", (0, 0), (0, 0)),
            ("122.65985107421875GiB", (131_705_012_224, 0), (131_705_012_224, 0)),
        ] {
            assert_eq!(read(text, Base::Binary), Some(binary), "{text}");
            assert_eq!(read(text, Base::Decimal), Some(decimal), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_nothing() {
        for text in ["", "GiB", "1.96", "1.96 GiBs", "1.96 apples", "9999999999999 TiB", "1e9 B", "1..5 GiB", "- 5 GiB"]
        {
            assert_eq!(read(text, Base::Binary), None, "{text}");
        }
    }

    #[test]
    fn a_size_stands_for_a_range() {
        let rounded = Size { bytes: 1_000, grain: 100, floor: false };
        assert_eq!((rounded.least(), rounded.most()), (950, 1_051));
        assert_eq!((rounded.floored().least(), rounded.floored().most()), (1_000, 1_101));
        assert!(Size::exact(7).says(7) && !Size::exact(7).says(8));
    }
}
