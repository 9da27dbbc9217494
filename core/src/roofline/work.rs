//! What an operation does: so many FLOPs, so many bytes read and written.

use crate::units::Intensity;

choices! {
    /// Which bytes an intensity counts. Texts differ, and so do their figures.
    Accounting {
        /// All that moves, in both directions: what the hardware sees.
        ReadsAndWrites = "reads-and-writes";
        /// Only what is read: the shortcut behind the "about 2,000" that is often quoted for a large matrix multiplication.
        ReadsOnly = "reads-only";
    }
}

/// Work, exactly counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Floating point operations; a multiplication and an addition are two.
    pub flops: u128,
    /// Bytes read.
    pub read: u128,
    /// Bytes written.
    pub written: u128,
}

impl Work {
    /// Bytes that count.
    pub const fn bytes(&self, accounting: Accounting) -> u128 {
        match accounting {
            Accounting::ReadsAndWrites => self.read + self.written,
            Accounting::ReadsOnly => self.read,
        }
    }

    /// FLOPs for each byte that counts; for work that moves nothing, as if it moved one.
    pub fn intensity(&self, accounting: Accounting) -> Intensity {
        Intensity(self.flops as f64 / self.bytes(accounting).max(1) as f64)
    }

    /// The same a number of times.
    #[must_use]
    pub const fn times(&self, count: u64) -> Self {
        let count = count as u128;
        Self { flops: self.flops * count, read: self.read * count, written: self.written * count }
    }
}

impl core::ops::Add for Work {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { flops: self.flops + other.flops, read: self.read + other.read, written: self.written + other.written }
    }
}

impl core::iter::Sum for Work {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), core::ops::Add::add)
    }
}
