//! Quantities with a unit, as types: a number of bytes cannot be added to a rate by mistake.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub};

/// A number of bytes, exact.
///
/// The integer has 128 bits because the product of the largest values that [`crate::bounds`] allows
/// (1,024 layers, 10,000,000 tokens, a batch of 1,000,000, ...) passes 2^64. So no sum saturates and none wraps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u128);

/// 10^9, the decimal gigabyte on a data sheet.
pub const GB: u128 = 1_000_000_000;
/// 2^20, the binary mebibyte.
pub const MIB: u128 = 1 << 20;
/// 2^30, the binary gibibyte that `nvidia-smi` and PyTorch count in.
pub const GIB: u128 = 1 << 30;

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);

    /// Decimal gigabytes (10^9 bytes), for drawing; sums stay in integers.
    pub fn as_gb(self) -> f64 {
        self.0 as f64 / GB as f64
    }

    /// Binary gibibytes (2^30 bytes), for drawing; sums stay in integers.
    pub fn as_gib(self) -> f64 {
        self.0 as f64 / GIB as f64
    }

    /// What this is of `whole`, as a ratio from 0; 0 when `whole` is nothing.
    pub fn share_of(self, whole: Self) -> f64 {
        if whole.0 == 0 { 0.0 } else { self.0 as f64 / whole.0 as f64 }
    }

    /// `self - other` with its sign; both operands lie far below 2^127.
    pub fn minus(self, other: Self) -> SignedBytes {
        let magnitude = i128::try_from(self.0.abs_diff(other.0)).unwrap_or(i128::MAX);
        SignedBytes(if self.0 >= other.0 { magnitude } else { -magnitude })
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Subtraction stops at nothing: use [`Bytes::minus`] where the sign matters.
impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

/// A difference of two byte counts: positive is room left, negative is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SignedBytes(pub i128);

impl SignedBytes {
    /// The size without the sign.
    pub fn magnitude(self) -> Bytes {
        Bytes(self.0.unsigned_abs())
    }
}

/// Bytes moved in a second (decimal, as on data sheets).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct ByteRate(pub f64);

impl ByteRate {
    /// From decimal gigabytes a second.
    pub const fn from_gb_per_s(gb: f64) -> Self {
        Self(gb * 1e9)
    }

    /// In decimal gigabytes a second.
    pub fn as_gb_per_s(self) -> f64 {
        self.0 / 1e9
    }
}

/// Floating point operations in a second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct FlopRate(pub f64);

impl FlopRate {
    /// From TFLOP/s (10^12 a second).
    pub const fn from_tflops(tflops: f64) -> Self {
        Self(tflops * 1e12)
    }

    /// In TFLOP/s (10^12 a second).
    pub fn as_tflops(self) -> f64 {
        self.0 / 1e12
    }
}

/// Floating point operations for each byte that moves.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Intensity(pub f64);

/// A length of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Seconds(pub f64);

impl Seconds {
    /// No time.
    pub const ZERO: Self = Self(0.0);

    /// In milliseconds.
    pub fn as_ms(self) -> f64 {
        self.0 * 1e3
    }
}

impl Add for Seconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Seconds {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Seconds {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gb_and_gib_differ() {
        let cache = Bytes(1 << 30);
        assert!((cache.as_gib() - 1.0).abs() < 1e-12);
        assert!((cache.as_gb() - 1.073_741_824).abs() < 1e-12);
    }

    #[test]
    fn a_margin_keeps_its_sign() {
        assert_eq!(Bytes(5).minus(Bytes(7)), SignedBytes(-2));
        assert_eq!(Bytes(7).minus(Bytes(5)), SignedBytes(2));
        assert_eq!(Bytes(5) - Bytes(7), Bytes::ZERO);
    }

    #[test]
    fn share_of_nothing_is_a_number() {
        assert!(Bytes(3).share_of(Bytes::ZERO).abs() < f64::EPSILON);
    }
}
