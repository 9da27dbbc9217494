//! A number of bytes that is known as a range only.

use core::iter::Sum;
use core::ops::Add;

use memory_wall_core::Bytes;

/// Bytes, from the least that is likely to the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The least.
    pub low: u128,
    /// The most.
    pub high: u128,
}

impl Span {
    /// A number that is known.
    pub const fn exactly(bytes: u128) -> Self {
        Self { low: bytes, high: bytes }
    }

    /// From one number to another.
    pub const fn new(low: u128, high: u128) -> Self {
        Self { low, high }
    }

    /// Whether the range holds a number.
    pub const fn holds(self, bytes: u128) -> bool {
        self.low <= bytes && bytes <= self.high
    }

    /// The number between both ends.
    pub const fn middle(self) -> u128 {
        self.low + (self.high - self.low) / 2
    }

    /// Both ends, as the engine's type.
    pub const fn ends(self) -> [Bytes; 2] {
        [Bytes(self.low), Bytes(self.high)]
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::default(), Add::add)
    }
}
